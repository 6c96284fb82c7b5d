//! Bindings of the estimators. `parshall.estimators` is their face: it checks types and shapes and explains
//! itself; here are the conversions, and loops without the GIL.
//!
//! A fault of a value is a `ValueError` with three arguments: where it stands, its text, what was expected.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use parshall_estimators::ewma::Ewma;
use parshall_estimators::forecast::ForecasterConfig;
use parshall_estimators::mad::SlidingMad;
use parshall_estimators::median::SlidingMedian;
use parshall_estimators::rto::{self, AnyRto, Deviation, RtoConfig, RtoEstimator, RtoRules, RtoTimer};
use parshall_estimators::{sample, ConfigError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::own::{forecaster_of, outside, own_rto, Parts};
use crate::state::{self, copied};

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

/// Fault of a parameter, for Python.
pub fn config_fault(error: ConfigError) -> PyErr {
    fault(error.field, error.value, error.expected)
}

/// Values that may enter a filter, and what to say about the rest.
pub struct Accepted {
    first_refused: fn(&[f64]) -> Option<usize>,
    expected: &'static str,
}

const RTTS: Accepted = Accepted {
    first_refused: sample::first_not_rtt,
    expected: "a round-trip time: a finite number of seconds, at least 0",
};

/// Values that a forecaster or a filter of any numbers takes.
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
    /// True if code of the user's own takes part, which may ask for the GIL.
    #[serde(skip)]
    is_own: bool,
}

/// initial, min, max and granularity, in seconds.
type Rules = (f64, f64, f64, f64);

impl PyRtoTimer {
    fn build(config: &RtoConfig, (initial_s, min_s, max_s, granularity_s): Rules) -> PyResult<Self> {
        let rules = RtoRules { initial_s, min_s, max_s, granularity_s };
        rules.validate().map_err(config_fault)?;
        let estimator = config.try_build().map_err(config_fault)?;
        Ok(PyRtoTimer { timer: RtoTimer::new(estimator, rules), is_own: false })
    }

    /// Uses the timer without the GIL, unless code of the user's own may ask for it.
    fn with_timer<T: Send>(
        &mut self,
        py: Python<'_>,
        call: impl FnOnce(&mut RtoTimer<AnyRto>) -> T + Send,
    ) -> PyResult<T> {
        let timer = &mut self.timer;
        if self.is_own {
            return outside(py, || call(timer));
        }
        Ok(py.detach(|| call(timer)))
    }

    fn copied(&self, py: Python<'_>) -> PyResult<Self> {
        outside(py, || self.clone())
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
    fn arima(
        py: Python<'_>,
        forecaster: &str,
        deviation_gain: f64,
        multiplier: f64,
        rules: Rules,
    ) -> PyResult<Self> {
        let forecaster = forecaster_of(py, forecaster)?;
        let is_own = matches!(forecaster, ForecasterConfig::User(_));
        let config = RtoConfig::Arima { forecaster, deviation_gain, multiplier };
        let made = outside(py, || Self::build(&config, rules))??;
        Ok(PyRtoTimer { is_own, ..made })
    }

    #[staticmethod]
    fn quantile(risk: f64, rules: Rules) -> PyResult<Self> {
        Self::build(&RtoConfig::Quantile { risk }, rules)
    }

    /// A filter of the user's own.
    #[staticmethod]
    fn own(py: Python<'_>, parts: Parts, rules: Rules) -> PyResult<Self> {
        let (initial_s, min_s, max_s, granularity_s) = rules;
        let rules = RtoRules { initial_s, min_s, max_s, granularity_s };
        rules.validate().map_err(config_fault)?;
        Ok(PyRtoTimer { timer: RtoTimer::new(own_rto(py, parts)?, rules), is_own: true })
    }

    fn update(&mut self, py: Python<'_>, rtt: f64, retransmitted: bool) -> PyResult<f64> {
        let rtt = RTTS.check("rtt", rtt)?;
        self.with_timer(py, |timer| {
            timer.on_ack(rtt, retransmitted);
            timer.rto()
        })
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
        RTTS.check_all("rtts", samples)?;
        let rtos = self.with_timer(py, |timer| rto::run(timer, samples, flags))?;
        Ok(rtos.into_pyarray(py))
    }

    /// Runs over a series where some samples are amid a round trip.
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
        RTTS.check_all("rtts", samples)?;
        let rtos = self.with_timer(py, |timer| {
            let take = |(rtt, amid): (&f64, &bool)| {
                if *amid {
                    timer.on_sample_amid_round(*rtt);
                } else {
                    timer.on_ack(*rtt, false);
                }
                timer.rto()
            };
            samples.iter().zip(amid).map(take).collect::<Vec<_>>()
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
        RTTS.check_all("rtts", samples)?;
        let trace = self.with_timer(py, |timer| rto::trace(timer, samples, flags))?;
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
        RTTS.check_all("rtts", samples)?;
        let mut fresh = self.copied(py)?;
        let costs = fresh.with_timer(py, |timer| {
            timer.reset();
            rto::evaluate(timer, samples, warm_up, karn)
        })?;
        Ok((costs.samples, costs.spurious, costs.total_wait_s, costs.total_rtt_s))
    }

    fn on_early_timeout(&mut self, py: Python<'_>) -> PyResult<f64> {
        self.with_timer(py, |timer| {
            timer.on_early_timeout();
            timer.rto()
        })
    }

    fn on_timeout(&mut self, py: Python<'_>) -> PyResult<f64> {
        self.with_timer(py, |timer| {
            timer.on_timeout();
            timer.rto()
        })
    }

    fn reset_backoff(&mut self) {
        self.timer.reset_backoff();
    }

    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        self.with_timer(py, RtoTimer::reset)
    }

    /// A copy in the same state.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.copied(py)
    }

    /// The state, for `load`.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &state::save(self)?))
    }

    /// Estimator that `save` saved.
    #[staticmethod]
    fn load(bytes: &[u8]) -> PyResult<Self> {
        state::load(bytes)
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

    /// Share of early timeouts so far, of a quantile.
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

copied!(PySlidingMedian PySlidingMad PyEwma);
