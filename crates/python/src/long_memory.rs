//! Bindings of long memory. `parshall.long_memory` is their face.

use numpy::{IntoPyArray, PyReadonlyArray1};
use parshall_estimators::long_memory::{
    Aggregate, Bandwidth, Family, Generator, Hurst, HurstEstimator, LevelShifts, Method, Point, Process,
    SeriesError,
};
use parshall_sim::internal::{fits, too_large};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::estimators::{config_fault, fault, Series, NUMBERS};

/// About what a generator takes for a sample of its paths, and the most that it makes.
const BYTES_A_SAMPLE: usize = 128;
const MOST_SAMPLES: usize = 1 << 24;

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyGenerator>()?;
    module.add_function(wrap_pyfunction!(hurst, module)?)?;
    module.add_function(wrap_pyfunction!(level_shifts, module)?)?;
    module.add_function(wrap_pyfunction!(long_memory_autocovariances, module)?)?;
    module.add_function(wrap_pyfunction!(aggregate, module)?)
}

fn series_fault(error: SeriesError) -> PyErr {
    let (value, expected) = error.parts();
    fault(error.place("series"), value, &expected)
}

/// The method of a name, with its setting, if one is given.
fn method_of(
    name: &str,
    power: Option<f64>,
    frequencies: Option<usize>,
    octave: Option<u32>,
) -> Option<Method> {
    let bandwidth = match (power, frequencies) {
        (_, Some(count)) => Bandwidth::Frequencies(count),
        (Some(power), None) => Bandwidth::Power(power),
        (None, None) => Bandwidth::default(),
    };
    let wavelet = || octave.map_or(Method::wavelet(), |first_octave| Method::Wavelet { first_octave });
    Some(match name {
        "local-whittle" => Method::LocalWhittle(bandwidth),
        "wavelet" => wavelet(),
        "whittle-fgn" => Method::Whittle(Family::Fgn),
        "whittle-farima" => Method::Whittle(Family::Farima),
        "aggregated-variance" => Method::AggregatedVariance,
        "rescaled-range" => Method::RescaledRange { corrected: false },
        "anis-lloyd" => Method::RescaledRange { corrected: true },
        _ => return None,
    })
}

fn estimated(method: Method, xs: &[f64]) -> PyResult<(Hurst, Vec<Point>)> {
    let longest = xs.len().max(method.least_samples());
    let mut estimator = HurstEstimator::new(method, longest).map_err(config_fault)?;
    let hurst = estimator.estimate(xs).map_err(series_fault)?;
    Ok((hurst, estimator.diagram().to_vec()))
}

/// Estimates H; returns what `parshall.long_memory.HurstEstimate` is made of.
#[pyfunction]
#[pyo3(signature = (xs, method, power=None, frequencies=None, first_octave=None))]
fn hurst<'py>(
    py: Python<'py>,
    xs: PyReadonlyArray1<'py, f64>,
    method: &str,
    power: Option<f64>,
    frequencies: Option<usize>,
    first_octave: Option<u32>,
) -> PyResult<Bound<'py, PyDict>> {
    let samples = xs.as_slice()?;
    let method = method_of(method, power, frequencies, first_octave)
        .ok_or_else(|| fault("method", method, "a method of parshall.long_memory.METHODS"))?;
    let (found, points) = py.detach(|| estimated(method, samples))?;
    let column = |f: fn(&Point) -> f64| points.iter().map(f).collect::<Vec<f64>>().into_pyarray(py);
    let result = PyDict::new(py);
    result.set_item("h", found.h)?;
    result.set_item("standard_error", found.standard_error)?;
    result.set_item("flags", found.flags.to_string())?;
    result.set_item("points", found.points)?;
    result.set_item("shift_at", found.shift_at)?;
    result.set_item("x", column(|point| point.x))?;
    result.set_item("y", column(|point| point.y))?;
    result.set_item("weight", column(|point| point.weight))?;
    Ok(result)
}

/// Looks for level shifts; returns what `parshall.long_memory.LevelShifts` is made of.
#[pyfunction]
fn level_shifts<'py>(py: Python<'py>, xs: PyReadonlyArray1<'py, f64>) -> PyResult<Bound<'py, PyDict>> {
    let samples = xs.as_slice()?;
    let found = py.detach(|| {
        let longest = samples.len().max(LevelShifts::least_samples());
        LevelShifts::new(longest).map_err(config_fault)?.find(samples).map_err(series_fault)
    })?;
    let result = PyDict::new(py);
    result.set_item("at", found.at().to_vec())?;
    result.set_item("ratios", found.ratios.to_vec())?;
    result.set_item("critical", found.critical.to_vec())?;
    result.set_item("h", found.h.to_vec())?;
    result.set_item("h_without", found.h_without())?;
    Ok(result)
}

/// A process by its name and its parameter: H of fGn, d of FARIMA.
fn process_of(family: &str, parameter: f64) -> PyResult<Process> {
    let process = match family {
        "fgn" => Process::Fgn { h: parameter },
        "farima" => Process::Farima { d: parameter },
        _ => return Err(fault("family", family, "\"fgn\" or \"farima\"")),
    };
    process.check().map_err(config_fault)?;
    Ok(process)
}

#[pyfunction]
fn long_memory_autocovariances<'py>(
    py: Python<'py>,
    family: &str,
    parameter: f64,
    lags: usize,
) -> PyResult<Series<'py>> {
    let gammas: Vec<f64> = process_of(family, parameter)?.autocovariances().take(lags + 1).collect();
    Ok(gammas.into_pyarray(py))
}

/// Means of consecutive blocks of `m`; a rest that fills no block is left out.
#[pyfunction]
fn aggregate<'py>(py: Python<'py>, xs: PyReadonlyArray1<'py, f64>, m: u32) -> PyResult<Series<'py>> {
    let samples = xs.as_slice()?;
    NUMBERS.check_all("series", samples)?;
    let mut blocks = Aggregate::new(m).map_err(config_fault)?;
    let means: Vec<f64> = samples.iter().filter_map(|&x| blocks.update(x)).collect();
    Ok(means.into_pyarray(py))
}

/// Makes paths of a process of standard normal variates.
#[pyclass(name = "PathGenerator", module = "parshall._core")]
struct PyGenerator {
    generator: Generator,
}

#[pymethods]
impl PyGenerator {
    #[new]
    fn new(family: &str, parameter: f64, n: usize) -> PyResult<Self> {
        let process = process_of(family, parameter)?;
        let bytes = n.min(MOST_SAMPLES) * BYTES_A_SAMPLE;
        if !fits(bytes) {
            return Err(PyMemoryError::new_err(too_large("samples of a path", bytes)));
        }
        Ok(PyGenerator { generator: Generator::new(process, n).map_err(config_fault)? })
    }

    /// Number of variates that a path is made of.
    #[getter]
    fn normals(&self) -> usize {
        self.generator.normals()
    }

    fn path<'py>(&mut self, py: Python<'py>, normals: PyReadonlyArray1<'py, f64>) -> PyResult<Series<'py>> {
        let variates = normals.as_slice()?;
        if variates.len() != self.generator.normals() {
            let expected = format!("{} of them", self.generator.normals());
            return Err(fault("normals", variates.len(), &expected));
        }
        let generator = &mut self.generator;
        Ok(py.detach(|| generator.path(variates).to_vec()).into_pyarray(py))
    }
}
