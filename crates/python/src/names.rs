//! The names of a run's flows and ports as Python sees them: a list of each, made when it is asked for.

use std::sync::Arc;

use parshall_sim::internal::NameList;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;

const KEYS: [&str; 2] = ["flows", "ports"];

/// Names by what they are of, `flows` or `ports`: a read-only mapping to lists.
#[pyclass(frozen, mapping, module = "parshall._core")]
pub struct Names {
    names: [Arc<NameList>; 2],
    lists: [PyOnceLock<Py<PyList>>; 2],
}

impl From<&parshall_sim::internal::Names> for Names {
    fn from(names: &parshall_sim::internal::Names) -> Self {
        Names {
            names: [names.flows.clone(), names.ports.clone()],
            lists: [PyOnceLock::new(), PyOnceLock::new()],
        }
    }
}

#[pymethods]
impl Names {
    fn __len__(&self) -> usize {
        KEYS.len()
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(PyList::new(py, KEYS)?.try_iter()?.into_any().unbind())
    }

    fn keys(&self) -> [&'static str; 2] {
        KEYS
    }

    fn values(&self, py: Python<'_>) -> PyResult<Vec<Py<PyList>>> {
        KEYS.iter().map(|key| self.__getitem__(py, key)).collect()
    }

    fn items(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, Py<PyList>)>> {
        KEYS.iter().map(|key| Ok((*key, self.__getitem__(py, key)?))).collect()
    }

    fn get(&self, py: Python<'_>, key: &str) -> PyResult<Option<Py<PyList>>> {
        KEYS.contains(&key).then(|| self.__getitem__(py, key)).transpose()
    }

    fn __getitem__(&self, py: Python<'_>, key: &str) -> PyResult<Py<PyList>> {
        let known = KEYS.iter().position(|known| *known == key);
        let index = known.ok_or_else(|| PyKeyError::new_err(key.to_string()))?;
        let make = || PyList::new(py, self.names[index].iter()).map(Bound::unbind);
        Ok(self.lists[index].get_or_try_init(py, make)?.clone_ref(py))
    }
}
