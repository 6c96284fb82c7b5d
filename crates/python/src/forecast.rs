//! Bindings of the forecasters. `parshall.forecast` is their face.

use numpy::{IntoPyArray, PyReadonlyArray1};
use parshall_estimators::forecast::{AnyForecaster, Forecaster, ForecasterConfig};
use parshall_estimators::fractional::{farima_weights, fbm_weights};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::estimators::{config_fault, Series, NUMBERS};

/// Adds the forecasters to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyForecaster>()?;
    module.add_function(wrap_pyfunction!(fractional_weights, module)?)
}

/// The forecaster of a configuration in JSON, as a scenario holds it.
pub fn built(config: &str) -> PyResult<AnyForecaster> {
    let config: ForecasterConfig =
        serde_json::from_str(config).map_err(|error| PyValueError::new_err(error.to_string()))?;
    config.try_build().map_err(config_fault)
}

/// Hands over a sample and returns the forecast of the next; NaN while there is none.
pub fn update(forecaster: &mut impl Forecaster, x: f64) -> PyResult<f64> {
    forecaster.update(NUMBERS.check("x", x)?);
    Ok(forecaster.forecast().unwrap_or(f64::NAN))
}

/// The same for a series, without the GIL; element `i` forecasts sample `i + steps`.
pub fn run<'py>(
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

/// A forecaster that is under way.
#[pyclass(name = "Forecaster", module = "parshall._core")]
struct PyForecaster {
    forecaster: AnyForecaster,
}

#[pymethods]
impl PyForecaster {
    /// The forecaster of a configuration in JSON, as a scenario holds it.
    #[new]
    fn new(config: &str) -> PyResult<Self> {
        Ok(PyForecaster { forecaster: built(config)? })
    }

    /// Takes in a sample and returns the forecast of the next; NaN while there is none.
    fn update(&mut self, x: f64) -> PyResult<f64> {
        update(&mut self.forecaster, x)
    }

    /// The same for a series; element `i` forecasts sample `i + steps`.
    #[pyo3(signature = (xs, steps=1))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        xs: PyReadonlyArray1<'py, f64>,
        steps: u32,
    ) -> PyResult<Series<'py>> {
        run(&mut self.forecaster, py, &xs, steps)
    }

    #[pyo3(signature = (steps=1))]
    fn forecast(&self, steps: u32) -> Option<f64> {
        self.forecaster.forecast_ahead(steps)
    }

    fn reset(&mut self) {
        self.forecaster.reset();
    }
}
