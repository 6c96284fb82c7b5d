//! Events of a network as Python sees them.

use parshall_sim::net::DropCause;
use parshall_sim::units::Time;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::datagram::PyDatagram;
use super::endpoint::Endpoint;

/// What Python calls the place where a datagram went no further.
pub fn cause_name(cause: DropCause) -> &'static str {
    match cause {
        DropCause::Early => "early",
        DropCause::Conditioner => "conditioner",
        DropCause::Link => "link",
        DropCause::PathMtu => "path-mtu",
        _ => "queue",
    }
}

/// See `_core.pyi`.
#[pyclass(frozen, name = "Arrival", module = "parshall._core")]
#[derive(Debug)]
pub struct PyArrival {
    #[pyo3(get)]
    pub endpoint: Py<Endpoint>,
    pub at: Time,
    pub sent_at: Time,
    pub content: PyDatagram,
}

#[pymethods]
impl PyArrival {
    #[getter]
    fn at(&self) -> f64 {
        self.at.secs()
    }

    #[getter]
    fn at_ps(&self) -> u64 {
        self.at.ps()
    }

    #[getter]
    fn sent_at(&self) -> f64 {
        self.sent_at.secs()
    }

    #[getter]
    fn sent_at_ps(&self) -> u64 {
        self.sent_at.ps()
    }

    #[getter]
    fn data(&self, py: Python<'_>) -> Py<PyBytes> {
        self.content.data(py)
    }

    #[getter]
    fn ecn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.content.ecn_point(py)
    }

    #[getter]
    fn tag(&self) -> u64 {
        self.content.tag
    }

    #[getter]
    fn datagram(&self, py: Python<'_>) -> PyDatagram {
        self.content.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        let (endpoint, shown) = (self.endpoint.get().name(), self.content.shown());
        format!("<Arrival at {endpoint}, {} s: {shown}>", self.at.secs())
    }
}

/// See `_core.pyi`.
#[pyclass(frozen, name = "Dropped", module = "parshall._core")]
#[derive(Debug)]
pub struct PyDropped {
    #[pyo3(get)]
    pub endpoint: Py<Endpoint>,
    pub at: Time,
    pub sent_at: Time,
    pub why: DropCause,
    pub content: PyDatagram,
}

#[pymethods]
impl PyDropped {
    #[getter]
    fn at(&self) -> f64 {
        self.at.secs()
    }

    #[getter]
    fn at_ps(&self) -> u64 {
        self.at.ps()
    }

    #[getter]
    fn sent_at(&self) -> f64 {
        self.sent_at.secs()
    }

    #[getter]
    fn sent_at_ps(&self) -> u64 {
        self.sent_at.ps()
    }

    #[getter]
    fn cause(&self) -> &'static str {
        cause_name(self.why)
    }

    #[getter]
    fn tag(&self) -> u64 {
        self.content.tag
    }

    #[getter]
    fn datagram(&self, py: Python<'_>) -> PyDatagram {
        self.content.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        let (endpoint, shown, cause) = (self.endpoint.get().name(), self.content.shown(), self.cause());
        format!("<Dropped by {cause} of {endpoint}, {} s: {shown}>", self.at.secs())
    }
}

/// See `_core.pyi`.
#[pyclass(frozen, name = "Wake", module = "parshall._core")]
#[derive(Debug)]
pub struct PyWake {
    #[pyo3(get)]
    pub endpoint: Py<Endpoint>,
    pub at: Time,
}

#[pymethods]
impl PyWake {
    #[getter]
    fn at(&self) -> f64 {
        self.at.secs()
    }

    #[getter]
    fn at_ps(&self) -> u64 {
        self.at.ps()
    }

    fn __repr__(&self) -> String {
        format!("<Wake of {}, {} s>", self.endpoint.get().name(), self.at.secs())
    }
}
