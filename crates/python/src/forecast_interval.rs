//! Bindings of forecasters with prediction intervals. `parshall.forecast.Forecaster` is their face.

use numpy::{IntoPyArray, PyReadonlyArray1};
use parshall_estimators::forecast::{AnyForecaster, Forecaster, PredictionInterval};
use pyo3::prelude::*;

use crate::estimators::{config_fault, Series, NUMBERS};
use crate::forecast::{built, run, update};

/// Adds the class to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyIntervalForecaster>()
}

/// A forecaster that is under way and keeps the quantiles of its errors.
#[pyclass(name = "IntervalForecaster", module = "parshall._core")]
struct PyIntervalForecaster {
    forecaster: PredictionInterval<AnyForecaster>,
}

#[pymethods]
impl PyIntervalForecaster {
    /// The forecaster of a configuration in JSON, and the share of samples that its intervals are to hold.
    #[new]
    fn new(config: &str, coverage: f64) -> PyResult<Self> {
        let forecaster = PredictionInterval::new(built(config)?, coverage).map_err(config_fault)?;
        Ok(PyIntervalForecaster { forecaster })
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

    /// Forecasts of the next sample, and the lower and upper bounds of its interval, after each sample of a series.
    fn run_intervals<'py>(
        &mut self,
        py: Python<'py>,
        xs: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(Series<'py>, Series<'py>, Series<'py>)> {
        let samples = xs.as_slice()?;
        let forecaster = &mut self.forecaster;
        let columns = py.detach(|| {
            NUMBERS.check_all("xs", samples)?;
            let mut columns = [(); 3].map(|()| Vec::with_capacity(samples.len()));
            for &x in samples {
                forecaster.update(x);
                let (lower, upper) = forecaster.interval().unwrap_or((f64::NAN, f64::NAN));
                let row = [forecaster.forecast().unwrap_or(f64::NAN), lower, upper];
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
            PyResult::Ok(columns)
        })?;
        let [forecasts, lower, upper] = columns.map(|column| column.into_pyarray(py));
        Ok((forecasts, lower, upper))
    }

    #[pyo3(signature = (steps=1))]
    fn forecast(&self, steps: u32) -> Option<f64> {
        self.forecaster.forecast_ahead(steps)
    }

    fn interval(&self) -> Option<(f64, f64)> {
        self.forecaster.interval()
    }

    fn reset(&mut self) {
        self.forecaster.reset();
    }
}
