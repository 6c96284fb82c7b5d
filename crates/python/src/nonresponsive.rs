//! Bindings of the estimators of non-responsive traffic. `parshall.estimators` is their face.
//!
//! Settings come as a dictionary with the names of the Rust fields; what is absent keeps its default. A sample
//! that cannot be used is no error: it flags the estimate of its interval.

use numpy::{IntoPyArray, PyReadonlyArray1};
use parshall_estimators::nonresponsive::{Estimate, Estimator, Form, Method, Sample, Settings};
use parshall_estimators::ConfigError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Adds the estimators to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyNonresponsive>()
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
        dict.set_item("samples", self.samples.into_pyarray(py))?;
        for (name, column) in NAMES.into_iter().zip(self.reals) {
            dict.set_item(name, column.into_pyarray(py))?;
        }
        dict.set_item("flags", self.flags.into_pyarray(py))?;
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
    settings.form = read_form(&get::<String>(dict, "form")?.unwrap_or_else(|| "basic".to_owned()))?;
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

fn read_form(name: &str) -> PyResult<Form> {
    match name {
        "basic" => Ok(Form::Basic),
        "multi-hop" => Ok(Form::MultiHop),
        "cbr" => Ok(Form::Cbr),
        _ => {
            let expected = "\"basic\", \"multi-hop\" or \"cbr\"";
            Err(PyValueError::new_err(("form", format!("{name:?}"), expected)))
        }
    }
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

impl Columns<'_> {
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
        let columns = Columns {
            backlog: backlog.as_slice()?,
            arrivals: arrivals.as_slice()?,
            drops: drops.as_slice()?,
            marks: marks.as_slice()?,
        };
        columns.check_lengths()?;
        py.detach(|| {
            let mut series = Series::default();
            for sample in columns.samples() {
                self.samples += 1;
                if let Some(estimate) = self.estimator.update(&sample) {
                    series.push(self.samples, &estimate);
                }
            }
            series
        })
        .into_dict(py)
    }

    #[getter]
    fn parameters(&self) -> Vec<f64> {
        let (parameters, count) = self.estimator.parameters();
        parameters[..count].to_vec()
    }

    /// start_n_s, start_z0 and start_cbr_pps as they are in force.
    #[getter]
    fn start(&self) -> (f64, f64, f64) {
        let settings = self.estimator.settings();
        (settings.start_n_s, settings.start_z0, settings.start_cbr_pps)
    }

    fn reset(&mut self) {
        self.estimator.reset();
        self.samples = 0;
    }
}
