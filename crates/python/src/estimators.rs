//! Bindings of the estimators. `parshall.estimators` is their face: it checks types and shapes and explains
//! itself; here are the conversions, and loops without the GIL.
//!
//! A fault of a value is a `ValueError` with three arguments: where it stands, its text, what was expected.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use parshall_estimators::ewma::Ewma;
use parshall_estimators::mad::SlidingMad;
use parshall_estimators::median::SlidingMedian;
use parshall_estimators::rto::{self, AnyRto, Deviation, RtoConfig, RtoEstimator, RtoRules, RtoTimer};
use parshall_estimators::{sample, ConfigError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::state::copied;

/// Adds the estimators to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyRtoTimer>()?;
    module.add_class::<PySlidingMedian>()?;
    module.add_class::<PySlidingMad>()?;
    module.add_class::<PyEwma>()
}

/// A column of numbers, as Python gets it.
pub type Series<'py> = Bound<'py, PyArray1<f64>>;

/// A fault of a value: where it stands, its text, what was expected.
pub fn fault(place: impl Into<String>, value: impl ToString, expected: &str) -> PyErr {
    PyValueError::new_err((place.into(), value.to_string(), expected.to_owned()))
}

/// What is wrong with a parameter, for Python.
pub fn config_fault(error: ConfigError) -> PyErr {
    fault(error.field, error.value, error.expected)
}

/// What may enter a filter, and what to say about the rest.
pub struct Accepted {
    first_refused: fn(&[f64]) -> Option<usize>,
    expected: &'static str,
}

const RTTS: Accepted = Accepted {
    first_refused: sample::first_not_rtt,
    expected: "a round-trip time: a finite number of seconds, at least 0",
};

/// What a forecaster or a filter of any numbers takes.
pub const NUMBERS: Accepted =
    Accepted { first_refused: sample::first_not_finite, expected: "a finite number" };

impl Accepted {
    /// `value`, if it may enter.
    pub fn check(&self, place: &str, value: f64) -> PyResult<f64> {
        match (self.first_refused)(&[value]) {
            None => Ok(value),
            Some(_) => Err(fault(place, value, self.expected)),
        }
    }

    /// Refuses the first of the values that may not enter.
    pub fn check_all(&self, place: &str, values: &[f64]) -> PyResult<()> {
        match (self.first_refused)(values) {
            None => Ok(()),
            Some(i) => Err(fault(format!("{place}[{i}]"), values[i], self.expected)),
        }
    }
}

/// An estimator of the retransmission timeout with its rules and its backoff.
#[pyclass(name = "RtoTimer", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyRtoTimer {
    timer: RtoTimer<AnyRto>,
}

/// initial, min, max and granularity, in seconds.
type Rules = (f64, f64, f64, f64);

impl PyRtoTimer {
    fn build(config: &RtoConfig, (initial_s, min_s, max_s, granularity_s): Rules) -> PyResult<Self> {
        let rules = RtoRules { initial_s, min_s, max_s, granularity_s };
        rules.validate().map_err(config_fault)?;
        let estimator = config.try_build().map_err(config_fault)?;
        Ok(PyRtoTimer { timer: RtoTimer::new(estimator, rules) })
    }
}

#[pymethods]
impl PyRtoTimer {
    #[staticmethod]
    fn jacobson(gain: f64, deviation_gain: f64, multiplier: f64, rules: Rules) -> PyResult<Self> {
        Self::build(&RtoConfig::Jacobson { gain, deviation_gain, multiplier }, rules)
    }

    #[staticmethod]
    fn jacobson_ticks(tick: f64, rules: Rules) -> PyResult<Self> {
        Self::build(&RtoConfig::JacobsonTicks { tick }, rules)
    }

    #[staticmethod]
    fn linux(least_margin: f64, rules: Rules) -> PyResult<Self> {
        Self::build(&RtoConfig::Linux { least_margin }, rules)
    }

    #[staticmethod]
    fn median(window: u32, mad: bool, deviation_gain: f64, multiplier: f64, rules: Rules) -> PyResult<Self> {
        let deviation = if mad { Deviation::Mad } else { Deviation::Ewma };
        Self::build(&RtoConfig::Median { window, deviation, deviation_gain, multiplier }, rules)
    }

    #[staticmethod]
    fn weighted_median(
        window: u32,
        decay: f64,
        feedback: f64,
        multiplier: f64,
        memory: Option<u32>,
        rules: Rules,
    ) -> PyResult<Self> {
        let config = RtoConfig::WeightedMedian { window, decay, feedback, multiplier, memory };
        Self::build(&config, rules)
    }

    /// `forecaster` is its configuration in JSON.
    #[staticmethod]
    fn arima(forecaster: &str, deviation_gain: f64, multiplier: f64, rules: Rules) -> PyResult<Self> {
        let forecaster =
            serde_json::from_str(forecaster).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Self::build(&RtoConfig::Arima { forecaster, deviation_gain, multiplier }, rules)
    }

    #[staticmethod]
    fn quantile(risk: f64, rules: Rules) -> PyResult<Self> {
        Self::build(&RtoConfig::Quantile { risk }, rules)
    }

    fn update(&mut self, rtt: f64, retransmitted: bool) -> PyResult<f64> {
        self.timer.on_ack(RTTS.check("rtt", rtt)?, retransmitted);
        Ok(self.timer.rto())
    }

    fn run<'py>(
        &mut self,
        py: Python<'py>,
        rtts: PyReadonlyArray1<'py, f64>,
        retransmitted: Option<PyReadonlyArray1<'py, bool>>,
    ) -> PyResult<Series<'py>> {
        let samples = rtts.as_slice()?;
        let flags = retransmitted.as_ref().map(|flags| flags.as_slice()).transpose()?;
        check_length(samples, flags)?;
        let timer = &mut self.timer;
        let rtos = py.detach(|| {
            RTTS.check_all("rtts", samples)?;
            PyResult::Ok(rto::run(timer, samples, flags))
        })?;
        Ok(rtos.into_pyarray(py))
    }

    /// The same, where some samples are amid a round trip.
    fn run_rounds<'py>(
        &mut self,
        py: Python<'py>,
        rtts: PyReadonlyArray1<'py, f64>,
        amid_round: PyReadonlyArray1<'py, bool>,
    ) -> PyResult<Series<'py>> {
        let (samples, amid) = (rtts.as_slice()?, amid_round.as_slice()?);
        if amid.len() != samples.len() {
            let expected = format!("one flag for each of {} samples", samples.len());
            return Err(fault("amid_round", format!("{} flags", amid.len()), &expected));
        }
        let timer = &mut self.timer;
        let rtos = py.detach(|| {
            RTTS.check_all("rtts", samples)?;
            let take = |(rtt, amid): (&f64, &bool)| {
                if *amid {
                    timer.on_sample_amid_round(*rtt);
                } else {
                    timer.on_ack(*rtt, false);
                }
                timer.rto()
            };
            PyResult::Ok(samples.iter().zip(amid).map(take).collect::<Vec<_>>())
        })?;
        Ok(rtos.into_pyarray(py))
    }

    fn run_full<'py>(
        &mut self,
        py: Python<'py>,
        rtts: PyReadonlyArray1<'py, f64>,
        retransmitted: Option<PyReadonlyArray1<'py, bool>>,
    ) -> PyResult<(Series<'py>, Series<'py>, Series<'py>)> {
        let samples = rtts.as_slice()?;
        let flags = retransmitted.as_ref().map(|flags| flags.as_slice()).transpose()?;
        check_length(samples, flags)?;
        let timer = &mut self.timer;
        let trace = py.detach(|| {
            RTTS.check_all("rtts", samples)?;
            PyResult::Ok(rto::trace(timer, samples, flags))
        })?;
        Ok((trace.srtt.into_pyarray(py), trace.rttvar.into_pyarray(py), trace.rto.into_pyarray(py)))
    }

    /// Judges a fresh copy; returns samples, spurious, total wait and total round-trip time.
    fn evaluate(
        &self,
        py: Python<'_>,
        rtts: PyReadonlyArray1<'_, f64>,
        warm_up: usize,
        karn: bool,
    ) -> PyResult<(u64, u64, f64, f64)> {
        let samples = rtts.as_slice()?;
        let mut timer = self.timer.clone();
        timer.reset();
        let costs = py.detach(|| {
            RTTS.check_all("rtts", samples)?;
            PyResult::Ok(rto::evaluate(&mut timer, samples, warm_up, karn))
        })?;
        Ok((costs.samples, costs.spurious, costs.total_wait_s, costs.total_rtt_s))
    }

    fn on_early_timeout(&mut self) -> f64 {
        self.timer.on_early_timeout();
        self.timer.rto()
    }

    fn on_timeout(&mut self) -> f64 {
        self.timer.on_timeout();
        self.timer.rto()
    }

    fn reset_backoff(&mut self) {
        self.timer.reset_backoff();
    }

    fn reset(&mut self) {
        self.timer.reset();
    }

    #[getter]
    fn rto(&self) -> f64 {
        self.timer.rto()
    }

    #[getter]
    fn srtt(&self) -> Option<f64> {
        self.timer.estimator().srtt()
    }

    #[getter]
    fn rttvar(&self) -> Option<f64> {
        self.timer.estimator().rttvar()
    }

    #[getter]
    fn backoff(&self) -> u32 {
        self.timer.backoff()
    }

    /// Of a quantile, the share of early timeouts so far.
    #[getter]
    fn risk_seen(&self) -> Option<f64> {
        match self.timer.estimator() {
            AnyRto::Quantile(quantile) => quantile.risk_seen(),
            _ => None,
        }
    }
}

fn check_length(samples: &[f64], flags: Option<&[bool]>) -> PyResult<()> {
    match flags {
        Some(flags) if flags.len() != samples.len() => {
            let expected = format!("one flag for each of {} samples", samples.len());
            Err(fault("retransmitted", format!("{} flags", flags.len()), &expected))
        }
        _ => Ok(()),
    }
}

/// A copy of the estimator inside an object, for a control.
///
/// # Errors
/// `TypeError` for any other object.
pub fn filter_of(object: &Bound<'_, PyAny>) -> PyResult<Box<dyn Filter>> {
    if let Ok(timer) = object.cast::<PyRtoTimer>() {
        return Ok(timer.borrow().timer.copy());
    }
    if let Ok(median) = object.cast::<PySlidingMedian>() {
        return Ok(median.borrow().filter.copy());
    }
    if let Ok(mad) = object.cast::<PySlidingMad>() {
        return Ok(mad.borrow().filter.copy());
    }
    Ok(object.cast::<PyEwma>()?.borrow().filter.copy())
}

/// A class around a filter that turns each number into one number.
macro_rules! filter {
    ($class:ident, $name:literal, $filter:ty, $parameter:ident: $of:ty) => {
        #[pyclass(name = $name, module = "parshall._core")]
        #[derive(Clone, Serialize, Deserialize)]
        struct $class {
            filter: $filter,
        }

        #[pymethods]
        impl $class {
            #[new]
            fn new($parameter: $of) -> PyResult<Self> {
                Ok($class { filter: <$filter>::new($parameter).map_err(config_fault)? })
            }

            fn update(&mut self, x: f64) -> PyResult<f64> {
                self.filter.update(NUMBERS.check("x", x)?);
                Ok(self.filter.value().unwrap_or(f64::NAN))
            }

            fn run<'py>(&mut self, py: Python<'py>, xs: PyReadonlyArray1<'py, f64>) -> PyResult<Series<'py>> {
                let samples = xs.as_slice()?;
                let filter = &mut self.filter;
                let values = py.detach(|| {
                    NUMBERS.check_all("xs", samples)?;
                    let value_after = |&x: &f64| {
                        filter.update(x);
                        filter.value().unwrap_or(f64::NAN)
                    };
                    PyResult::Ok(samples.iter().map(value_after).collect::<Vec<f64>>())
                })?;
                Ok(values.into_pyarray(py))
            }

            #[getter]
            fn value(&self) -> Option<f64> {
                self.filter.value()
            }

            fn reset(&mut self) {
                self.filter.reset();
            }
        }
    };
}

filter!(PySlidingMedian, "SlidingMedian", SlidingMedian, window: u32);
filter!(PySlidingMad, "SlidingMad", SlidingMad, window: u32);
filter!(PyEwma, "Ewma", Ewma, gain: f64);

copied!(PyRtoTimer PySlidingMedian PySlidingMad PyEwma);
