//! Copies of estimators, and their state as bytes for pickles.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde::Serialize;

/// The state of an estimator.
pub fn save(estimator: &impl Serialize) -> PyResult<Vec<u8>> {
    let mut bytes = Vec::new();
    ciborium::into_writer(estimator, &mut bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(bytes)
}

/// The estimator with that state.
pub fn load<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    ciborium::from_reader(bytes).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Lets Python copy and pickle these classes.
macro_rules! copied {
    ($($class:ty)*) => {$(
        #[pymethods]
        impl $class {
            /// A copy in the same state.
            fn copy(&self) -> Self {
                self.clone()
            }

            /// The state, for `load`.
            fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
                Ok(pyo3::types::PyBytes::new(py, &crate::state::save(self)?))
            }

            /// Estimator that `save` saved.
            #[staticmethod]
            fn load(state: &[u8]) -> PyResult<Self> {
                crate::state::load(state)
            }
        }
    )*};
}
pub(crate) use copied;
