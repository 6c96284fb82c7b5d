//! Bindings of the alarm over estimates. `parshall.estimators` is its face.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use parshall_estimators::alarm::{Alarm, Rule};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::state::copied;

/// Adds the alarm to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyAlarm>()
}

/// See `parshall.estimators.Alarm`.
#[pyclass(name = "Alarm", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyAlarm {
    alarm: Alarm,
}

impl PyAlarm {
    fn with(level: f64, rule: Rule) -> PyResult<Self> {
        Alarm::new(level, rule)
            .map(|alarm| PyAlarm { alarm })
            .map_err(|error| PyValueError::new_err((error.field, error.value, error.expected.to_owned())))
    }
}

#[pymethods]
impl PyAlarm {
    #[staticmethod]
    fn level(level: f64) -> PyResult<Self> {
        PyAlarm::with(level, Rule::Level)
    }

    #[staticmethod]
    fn k_of_n(level: f64, k: u32, n: u32) -> PyResult<Self> {
        PyAlarm::with(level, Rule::KOfN { k, n })
    }

    #[staticmethod]
    fn cusum(level: f64, excess: f64, most: f64) -> PyResult<Self> {
        PyAlarm::with(level, Rule::Cusum { excess, most })
    }

    /// Forgets every estimate.
    fn reset(&mut self) {
        self.alarm.reset();
    }

    #[getter]
    fn on(&self) -> bool {
        self.alarm.on()
    }

    /// A share that is no number is a missing one.
    fn update(&mut self, share: f64) -> bool {
        self.alarm.update(Some(share))
    }

    fn run<'py>(
        &mut self,
        py: Python<'py>,
        shares: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let on: Vec<bool> = shares.as_slice()?.iter().map(|&share| self.alarm.update(Some(share))).collect();
        Ok(on.into_pyarray(py))
    }
}

copied!(PyAlarm);
