//! Bindings of the forecasters, with and without prediction intervals. `parshall.forecast` is their face.

use numpy::{IntoPyArray, PyReadonlyArray1};
use parshall_estimators::forecast::{AnyForecaster, Forecaster, ForecasterConfig, PredictionInterval};
use parshall_estimators::fractional::{farima_weights, fbm_weights};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::estimators::{config_fault, Series, NUMBERS};
use crate::state::copied;

/// Adds the forecasters to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyForecaster>()?;
    module.add_function(wrap_pyfunction!(fractional_weights, module)?)
}

/// The forecaster of a configuration in JSON, as a scenario holds it.
fn built(config: &str) -> PyResult<AnyForecaster> {
    let config: ForecasterConfig =
        serde_json::from_str(config).map_err(|error| PyValueError::new_err(error.to_string()))?;
    config.try_build().map_err(config_fault)
}

/// A forecaster that is under way; with a coverage it also keeps the quantiles of its errors, for intervals.
#[pyclass(name = "Forecaster", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyForecaster(Running);

#[derive(Clone, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant)]
enum Running {
    Plain(AnyForecaster),
    WithIntervals(PredictionInterval<AnyForecaster>),
}

impl Running {
    fn get(&self) -> &dyn Forecaster {
        match self {
            Running::Plain(forecaster) => forecaster,
            Running::WithIntervals(forecaster) => forecaster,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Forecaster {
        match self {
            Running::Plain(forecaster) => forecaster,
            Running::WithIntervals(forecaster) => forecaster,
        }
    }

    /// `None` without a coverage, and before the first error is known.
    fn interval(&self) -> Option<(f64, f64)> {
        match self {
            Running::Plain(_) => None,
            Running::WithIntervals(forecaster) => forecaster.interval(),
        }
    }
}

#[pymethods]
impl PyForecaster {
    /// The forecaster of a configuration in JSON, as a scenario holds it, and the share of samples that its intervals
    /// are to hold; without one there are none.
    #[new]
    #[pyo3(signature = (config, coverage=None))]
    fn new(config: &str, coverage: Option<f64>) -> PyResult<Self> {
        let forecaster = built(config)?;
        Ok(PyForecaster(match coverage {
            None => Running::Plain(forecaster),
            Some(share) => {
                Running::WithIntervals(PredictionInterval::new(forecaster, share).map_err(config_fault)?)
            }
        }))
    }

    /// Takes in a sample and returns the forecast of the next; NaN while there is none.
    fn update(&mut self, x: f64) -> PyResult<f64> {
        let forecaster = self.0.get_mut();
        forecaster.update(NUMBERS.check("x", x)?);
        Ok(forecaster.forecast().unwrap_or(f64::NAN))
    }

    /// The same for a series; element `i` forecasts sample `i + steps`.
    #[pyo3(signature = (xs, steps=1))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        xs: PyReadonlyArray1<'py, f64>,
        steps: u32,
    ) -> PyResult<Series<'py>> {
        match &mut self.0 {
            Running::Plain(forecaster) => run(forecaster, py, &xs, steps),
            Running::WithIntervals(forecaster) => run(forecaster, py, &xs, steps),
        }
    }

    /// Forecasts of the next sample, and the lower and upper bounds of its interval, after each sample of a series.
    fn run_intervals<'py>(
        &mut self,
        py: Python<'py>,
        xs: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(Series<'py>, Series<'py>, Series<'py>)> {
        let samples = xs.as_slice()?;
        let running = &mut self.0;
        let columns = py.detach(|| {
            NUMBERS.check_all("xs", samples)?;
            let mut columns = [(); 3].map(|()| Vec::with_capacity(samples.len()));
            for &x in samples {
                running.get_mut().update(x);
                let (lower, upper) = running.interval().unwrap_or((f64::NAN, f64::NAN));
                let row = [running.get().forecast().unwrap_or(f64::NAN), lower, upper];
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
            PyResult::Ok(columns)
        })?;
        let [forecasts, lower, upper] = columns.map(|column| column.into_pyarray(py));
        Ok((forecasts, lower, upper))
    }

    #[pyo3(signature = (steps=1))]
    fn forecast(&self, steps: u32) -> Option<f64> {
        self.0.get().forecast_ahead(steps)
    }

    fn interval(&self) -> Option<(f64, f64)> {
        self.0.interval()
    }

    fn reset(&mut self) {
        self.0.get_mut().reset();
    }
}

/// Runs over a series without the GIL; element `i` forecasts sample `i + steps`.
fn run<'py>(
    forecaster: &mut (impl Forecaster + Send),
    py: Python<'py>,
    xs: &PyReadonlyArray1<'py, f64>,
    steps: u32,
) -> PyResult<Series<'py>> {
    let samples = xs.as_slice()?;
    let forecasts = py.detach(|| {
        NUMBERS.check_all("xs", samples)?;
        let after = |&x: &f64| {
            forecaster.update(x);
            forecaster.forecast_ahead(steps).unwrap_or(f64::NAN)
        };
        PyResult::Ok(samples.iter().map(after).collect::<Vec<f64>>())
    })?;
    Ok(forecasts.into_pyarray(py))
}

/// The weights of the last `order` values for a Hurst parameter, those of fractional Brownian motion or else of FARIMA(0,d,0).
/// The caller has checked H and the order.
#[pyfunction]
fn fractional_weights(py: Python<'_>, fbm: bool, h: f64, order: usize) -> Series<'_> {
    let mut weights = vec![0.0; order];
    let write = if fbm { fbm_weights } else { farima_weights };
    write(h, &mut weights);
    weights.into_pyarray(py)
}

copied!(PyForecaster);
