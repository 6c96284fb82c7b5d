//! Bindings of the forecasters, with and without prediction intervals. `parshall.forecast` is their face.

use numpy::{IntoPyArray, PyReadonlyArray1};
use parshall_estimators::forecast::{AnyForecaster, Forecaster, PredictionInterval};
use parshall_estimators::fractional::{farima_weights, fbm_weights};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

use crate::estimators::{config_fault, Series, NUMBERS};
use crate::own::{forecaster_of, outside};
use crate::state;

/// Adds the forecasters to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyForecaster>()?;
    module.add_function(wrap_pyfunction!(fractional_weights, module)?)
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

    /// Uses it without the GIL, unless it is the user's own and may ask for that.
    fn used<T: Send>(&mut self, py: Python<'_>, call: impl FnOnce(&mut Self) -> T + Send) -> PyResult<T> {
        let is_own = match &*self {
            Running::Plain(forecaster) => matches!(forecaster, AnyForecaster::User(_)),
            Running::WithIntervals(forecaster) => matches!(forecaster.forecaster(), AnyForecaster::User(_)),
        };
        if is_own {
            return outside(py, || call(self));
        }
        Ok(py.detach(|| call(self)))
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
    fn new(py: Python<'_>, config: &str, coverage: Option<f64>) -> PyResult<Self> {
        let config = forecaster_of(py, config)?;
        let forecaster = outside(py, || config.try_build())?.map_err(config_fault)?;
        Ok(PyForecaster(match coverage {
            None => Running::Plain(forecaster),
            Some(share) => {
                Running::WithIntervals(PredictionInterval::new(forecaster, share).map_err(config_fault)?)
            }
        }))
    }

    /// Takes in a sample and returns the forecast of the next; NaN while there is none.
    fn update(&mut self, py: Python<'_>, x: f64) -> PyResult<f64> {
        let x = NUMBERS.check("x", x)?;
        self.0.used(py, |running| {
            let forecaster = running.get_mut();
            forecaster.update(x);
            forecaster.forecast().unwrap_or(f64::NAN)
        })
    }

    /// Takes in a series; element `i` forecasts sample `i + steps`.
    #[pyo3(signature = (xs, steps=1))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        xs: PyReadonlyArray1<'py, f64>,
        steps: u32,
    ) -> PyResult<Series<'py>> {
        let samples = xs.as_slice()?;
        NUMBERS.check_all("xs", samples)?;
        let forecasts = self.0.used(py, |running| match running {
            Running::Plain(forecaster) => run(forecaster, samples, steps),
            Running::WithIntervals(forecaster) => run(forecaster, samples, steps),
        })?;
        Ok(forecasts.into_pyarray(py))
    }

    /// Forecasts of the next sample, and the lower and upper bounds of its interval, after each sample of a series.
    fn run_intervals<'py>(
        &mut self,
        py: Python<'py>,
        xs: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(Series<'py>, Series<'py>, Series<'py>)> {
        let samples = xs.as_slice()?;
        NUMBERS.check_all("xs", samples)?;
        let columns = self.0.used(py, |running| {
            let mut columns = [(); 3].map(|()| Vec::with_capacity(samples.len()));
            for &x in samples {
                running.get_mut().update(x);
                let (lower, upper) = running.interval().unwrap_or((f64::NAN, f64::NAN));
                let row = [running.get().forecast().unwrap_or(f64::NAN), lower, upper];
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
            columns
        })?;
        let [forecasts, lower, upper] = columns.map(|column| column.into_pyarray(py));
        Ok((forecasts, lower, upper))
    }

    #[pyo3(signature = (steps=1))]
    fn forecast(&self, py: Python<'_>, steps: u32) -> PyResult<Option<f64>> {
        outside(py, || self.0.get().forecast_ahead(steps))
    }

    fn interval(&self) -> Option<(f64, f64)> {
        self.0.interval()
    }

    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        self.0.used(py, |running| running.get_mut().reset())
    }

    /// A copy in the same state.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        outside(py, || self.clone())
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
}

/// Runs over a series; element `i` forecasts sample `i + steps`.
fn run(forecaster: &mut impl Forecaster, samples: &[f64], steps: u32) -> Vec<f64> {
    let after = |&x: &f64| {
        forecaster.update(x);
        forecaster.forecast_ahead(steps).unwrap_or(f64::NAN)
    };
    samples.iter().map(after).collect()
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
