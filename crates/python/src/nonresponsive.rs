//! Bindings of the estimators of non-responsive traffic. `parshall.estimators` is their face.
//!
//! Settings come as a dictionary with the names of the Rust fields; what is absent keeps its default. A sample
//! that cannot be used is no error: it flags the estimate of its interval.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use parshall_estimators::nonresponsive::{
    ByteSample, CounterReading, Counters, Estimate, Estimator, FixedPointEstimator, Form, Method,
    ProtocolSample, Sample, Settings, UdpCounter, Width,
};
use parshall_estimators::ConfigError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};

use crate::columns::Shown;
use crate::state::copied;

/// Adds the estimators to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyNonresponsive>()?;
    module.add_class::<PyFixedPoint>()?;
    module.add_class::<PyUdpCounter>()?;
    module.add_function(wrap_pyfunction!(counter_differences, module)?)
}

fn config_fault(error: ConfigError) -> PyErr {
    PyValueError::new_err((error.field, error.value, error.expected.to_owned()))
}

/// share, share_se, n_s, z0, rtt, arrivals, excitation, flags; what does not exist is NaN.
type Row = (f64, f64, f64, f64, f64, f64, f64, u16);

fn row(estimate: &Estimate) -> Row {
    (
        estimate.share.unwrap_or(f64::NAN),
        estimate.share_se.unwrap_or(f64::NAN),
        estimate.n_s,
        estimate.z0,
        estimate.rtt_s,
        estimate.arrivals,
        estimate.excitation,
        estimate.flags.bits(),
    )
}

/// Estimates by column, with how many samples had been taken in at each.
#[derive(Default)]
struct Series {
    samples: Vec<u64>,
    reals: [Vec<f64>; 7],
    flags: Vec<u16>,
}

impl Series {
    fn push(&mut self, samples: u64, estimate: &Estimate) {
        let (share, share_se, n_s, z0, rtt, arrivals, excitation, flags) = row(estimate);
        self.samples.push(samples);
        self.flags.push(flags);
        let reals = [share, share_se, n_s, z0, rtt, arrivals, excitation];
        self.reals.iter_mut().zip(reals).for_each(|(column, x)| column.push(x));
    }

    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        const NAMES: [&str; 7] = ["share", "share_se", "n_s", "z0", "rtt", "arrivals", "excitation"];
        let dict = PyDict::new(py);
        dict.set_item("samples", self.samples.shown().into_pyarray(py))?;
        for (name, column) in NAMES.into_iter().zip(self.reals) {
            dict.set_item(name, column.into_pyarray(py))?;
        }
        dict.set_item("flags", self.flags.shown().into_pyarray(py))?;
        Ok(dict)
    }
}

/// The setting of that name, if there.
fn get<'py, T: FromPyObjectOwned<'py>>(settings: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<T>> {
    let Some(value) = settings.get_item(name)? else { return Ok(None) };
    value.extract::<T>().map(Some).map_err(Into::into)
}

fn read_settings(dict: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let required = |name: &str| -> PyResult<f64> { Ok(get(dict, name)?.unwrap_or(f64::NAN)) };
    let port = Settings::new(required("capacity_pps")?, required("propagation_s")?, required("sampling_s")?);
    let mut settings = port.with_rtt(get(dict, "rtt_s")?);
    if let Some(name) = get::<String>(dict, "form")? {
        settings.form = Form::try_from(name).map_err(config_fault)?;
    }
    settings.method = read_method(dict, settings.method)?;
    settings.zero_drops_after = get(dict, "zero_drops_after")?;
    let set = |field: &mut f64, name: &str| -> PyResult<()> {
        if let Some(value) = get(dict, name)? {
            *field = value;
        }
        Ok(())
    };
    set(&mut settings.backlog_alpha, "backlog_alpha")?;
    set(&mut settings.signal_alpha, "signal_alpha")?;
    set(&mut settings.drop_alpha, "drop_alpha")?;
    set(&mut settings.derivative_alpha, "derivative_alpha")?;
    set(&mut settings.start_n_s, "start_n_s")?;
    set(&mut settings.start_z0, "start_z0")?;
    set(&mut settings.start_elsewhere, "start_elsewhere")?;
    set(&mut settings.start_cbr_pps, "start_cbr_pps")?;
    if let Some(count_drops) = get(dict, "count_drops")? {
        settings.count_drops = count_drops;
    }
    if let Some(samples) = get(dict, "estimation_samples")? {
        settings.estimation_samples = samples;
    }
    Ok(settings)
}

/// All shared settings, with those that were left at their defaults.
fn shared_settings<'py>(settings: &Settings, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("rtt_s", settings.rtt_s)?;
    dict.set_item::<_, &str>("form", settings.form.into())?;
    dict.set_item("count_drops", settings.count_drops)?;
    dict.set_item("zero_drops_after", settings.zero_drops_after)?;
    dict.set_item("backlog_alpha", settings.backlog_alpha)?;
    dict.set_item("signal_alpha", settings.signal_alpha)?;
    dict.set_item("drop_alpha", settings.drop_alpha)?;
    dict.set_item("derivative_alpha", settings.derivative_alpha)?;
    dict.set_item("estimation_samples", settings.estimation_samples)?;
    dict.set_item("start_n_s", settings.start_n_s)?;
    dict.set_item("start_z0", settings.start_z0)?;
    dict.set_item("start_elsewhere", settings.start_elsewhere)?;
    dict.set_item("start_cbr_pps", settings.start_cbr_pps)?;
    Ok(dict)
}

/// The method whose own settings are there.
fn read_method(dict: &Bound<'_, PyDict>, default: Method) -> PyResult<Method> {
    let initial = || -> PyResult<f64> { Ok(get(dict, "initial")?.unwrap_or(f64::NAN)) };
    if let (Some(gamma1), Some(gamma2)) = (get(dict, "gamma1")?, get(dict, "gamma2")?) {
        Ok(Method::Kaczmarz { gamma1, gamma2 })
    } else if let Some(forgetting) = get(dict, "forgetting")? {
        Ok(Method::Rls { forgetting, initial: initial()? })
    } else if let Some(drift) = get(dict, "drift")? {
        Ok(Method::Kalman { initial: initial()?, drift, noise: get(dict, "noise")? })
    } else {
        Ok(default)
    }
}

/// Columns of samples, of one length.
struct Columns<'a> {
    backlog: &'a [f64],
    arrivals: &'a [f64],
    drops: &'a [f64],
    marks: &'a [f64],
}

impl<'a> Columns<'a> {
    fn new(
        backlog: &'a PyReadonlyArray1<'_, f64>,
        arrivals: &'a PyReadonlyArray1<'_, f64>,
        drops: &'a PyReadonlyArray1<'_, f64>,
        marks: &'a PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let columns = Columns {
            backlog: backlog.as_slice()?,
            arrivals: arrivals.as_slice()?,
            drops: drops.as_slice()?,
            marks: marks.as_slice()?,
        };
        columns.check_lengths()?;
        Ok(columns)
    }

    /// Applies `take` to all samples; collects the estimates, each with the number of samples taken by then.
    fn series(&self, mut take: impl FnMut(&Sample) -> (u64, Option<Estimate>)) -> Series {
        let mut series = Series::default();
        for sample in self.samples() {
            if let (taken, Some(estimate)) = take(&sample) {
                series.push(taken, &estimate);
            }
        }
        series
    }

    fn check_lengths(&self) -> PyResult<()> {
        let expected = self.backlog.len();
        for (name, column) in [("arrivals", self.arrivals), ("drops", self.drops), ("marks", self.marks)] {
            if column.len() != expected {
                let expected = format!("{expected}, one for each of backlog");
                return Err(PyValueError::new_err((name, format!("{} numbers", column.len()), expected)));
            }
        }
        Ok(())
    }

    fn samples(&self) -> impl Iterator<Item = Sample> + '_ {
        (0..self.backlog.len()).map(|i| Sample {
            backlog: self.backlog[i],
            arrivals: self.arrivals[i],
            drops: self.drops[i],
            marks: self.marks[i],
        })
    }
}

/// The linear model followed by Kaczmarz projection, recursive least squares or a Kalman filter.
#[pyclass(name = "Nonresponsive", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyNonresponsive {
    estimator: Estimator,
    samples: u64,
}

#[pymethods]
impl PyNonresponsive {
    #[new]
    fn new(settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let estimator = Estimator::new(read_settings(settings)?).map_err(config_fault)?;
        Ok(PyNonresponsive { estimator, samples: 0 })
    }

    fn update(&mut self, backlog: f64, arrivals: f64, drops: f64, marks: f64) -> Option<Row> {
        self.samples += 1;
        self.estimator.update(&Sample { backlog, arrivals, drops, marks }).as_ref().map(row)
    }

    fn run<'py>(
        &mut self,
        py: Python<'py>,
        backlog: PyReadonlyArray1<'py, f64>,
        arrivals: PyReadonlyArray1<'py, f64>,
        drops: PyReadonlyArray1<'py, f64>,
        marks: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let columns = Columns::new(&backlog, &arrivals, &drops, &marks)?;
        py.detach(|| {
            columns.series(|sample| {
                self.samples += 1;
                (self.samples, self.estimator.update(sample))
            })
        })
        .into_dict(py)
    }

    #[getter]
    fn parameters(&self) -> Vec<f64> {
        let count = if self.estimator.settings().form == Form::Basic { 2 } else { 3 };
        self.estimator.parameters()[..count].to_vec()
    }

    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        shared_settings(self.estimator.settings(), py)
    }

    fn reset(&mut self) {
        self.estimator.reset();
        self.samples = 0;
    }
}

/// The basic form in whole numbers. Samples are those of clock ticks, in packets; a packet counts as
/// `mean_packet_bytes` bytes.
#[pyclass(name = "NonresponsiveFixedPoint", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyFixedPoint {
    settings: Settings,
    estimator: FixedPointEstimator,
    mean_packet_bytes: u32,
    ticks: u64,
}

impl PyFixedPoint {
    fn take(&mut self, sample: &Sample) -> Option<Estimate> {
        // What is no number of packets becomes a count that the estimator refuses.
        let usable = sample.is_usable();
        let bytes = |packets: f64| {
            if usable {
                (packets * f64::from(self.mean_packet_bytes)) as u64
            } else {
                u64::MAX
            }
        };
        let sample = ByteSample {
            backlog: bytes(sample.backlog),
            arrived: bytes(sample.arrivals),
            dropped: bytes(sample.drops),
            marked: bytes(sample.marks),
        };
        self.ticks += 1;
        let estimate = self.estimator.update(self.ticks, &sample)?;
        Some(estimate.to_estimate(self.mean_packet_bytes))
    }
}

#[pymethods]
impl PyFixedPoint {
    #[new]
    fn new(settings: &Bound<'_, PyDict>, mean_packet_bytes: u32, tick_ms: u32) -> PyResult<Self> {
        let settings = read_settings(settings)?;
        let estimator =
            FixedPointEstimator::new(&settings, mean_packet_bytes, tick_ms).map_err(config_fault)?;
        Ok(PyFixedPoint { settings, estimator, mean_packet_bytes, ticks: 0 })
    }

    fn update(&mut self, backlog: f64, arrivals: f64, drops: f64, marks: f64) -> Option<Row> {
        self.take(&Sample { backlog, arrivals, drops, marks }).as_ref().map(row)
    }

    fn run<'py>(
        &mut self,
        py: Python<'py>,
        backlog: PyReadonlyArray1<'py, f64>,
        arrivals: PyReadonlyArray1<'py, f64>,
        drops: PyReadonlyArray1<'py, f64>,
        marks: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let columns = Columns::new(&backlog, &arrivals, &drops, &marks)?;
        py.detach(|| {
            columns.series(|sample| {
                let estimate = self.take(sample);
                (self.ticks, estimate)
            })
        })
        .into_dict(py)
    }

    /// N_s and z0^2 / N_s, times 2^14.
    #[getter]
    fn parameters(&self) -> [i64; 2] {
        self.estimator.parameters()
    }

    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        shared_settings(&self.settings, py)
    }

    fn reset(&mut self) {
        self.estimator.reset();
        self.ticks = 0;
    }
}

/// The plain count of UDP bytes.
#[pyclass(name = "UdpCounter", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyUdpCounter {
    counter: UdpCounter,
    samples: u64,
}

#[pymethods]
impl PyUdpCounter {
    #[new]
    fn new(estimation_samples: u32) -> PyResult<Self> {
        let counter = UdpCounter::new(estimation_samples).map_err(config_fault)?;
        Ok(PyUdpCounter { counter, samples: 0 })
    }

    /// share, arrived and flags.
    fn update(&mut self, arrived: f64, udp: f64) -> Option<(f64, f64, u16)> {
        self.samples += 1;
        let counted = self.counter.update(&ProtocolSample { arrived, udp })?;
        Some((counted.share.unwrap_or(f64::NAN), counted.arrived, counted.flags.bits()))
    }

    fn run<'py>(
        &mut self,
        py: Python<'py>,
        arrived: PyReadonlyArray1<'py, f64>,
        udp: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (arrived, udp) = (arrived.as_slice()?, udp.as_slice()?);
        if arrived.len() != udp.len() {
            let expected = format!("{}, one for each of arrived", arrived.len());
            return Err(PyValueError::new_err(("udp", format!("{} numbers", udp.len()), expected)));
        }
        let (mut samples, mut shares, mut totals, mut flags) = (vec![], vec![], vec![], vec![]);
        py.detach(|| {
            for (&arrived, &udp) in arrived.iter().zip(udp) {
                let Some((share, total, bits)) = self.update(arrived, udp) else { continue };
                samples.push(self.samples);
                shares.push(share);
                totals.push(total);
                flags.push(bits);
            }
        });
        let dict = PyDict::new(py);
        dict.set_item("samples", samples.shown().into_pyarray(py))?;
        dict.set_item("share", shares.into_pyarray(py))?;
        dict.set_item("arrived", totals.into_pyarray(py))?;
        dict.set_item("flags", flags.shown().into_pyarray(py))?;
        Ok(dict)
    }

    fn reset(&mut self) {
        self.counter.reset();
        self.samples = 0;
    }
}

/// Differences of a cumulative counter between readings; NaN at the first and where it went back.
#[pyfunction]
fn counter_differences<'py>(
    py: Python<'py>,
    readings: PyReadonlyArray1<'py, u64>,
    bits: u32,
    most: u64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let width = match bits {
        32 => Width::Bits32,
        64 => Width::Bits64,
        _ => return Err(PyValueError::new_err(("bits", bits.to_string(), "32 or 64"))),
    };
    let mut counters = Counters::new(width, most);
    let counted = |&arrivals: &u64| {
        let reading = CounterReading { arrivals, ..CounterReading::default() };
        counters.read(&reading).ok().flatten().map_or(f64::NAN, |sample| sample.arrivals)
    };
    Ok(readings.as_slice()?.iter().map(counted).collect::<Vec<f64>>().into_pyarray(py))
}

copied!(PyNonresponsive PyFixedPoint PyUdpCounter);
