//! Events of a network as Python sees them.

use parshall_sim::net::DropCause;
use parshall_sim::units::Time;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::datagram::PyDatagram;
use super::endpoint::Endpoint;

/// Python's name of the place where a datagram went no further.
pub fn cause_name(cause: DropCause) -> &'static str {
    match cause {
        DropCause::Early => "early",
        DropCause::Conditioner => "conditioner",
        DropCause::Link => "link",
        DropCause::PathMtu => "path-mtu",
        _ => "queue",
    }
}

/// A datagram that has arrived.
#[pyclass(frozen, name = "Arrival", module = "parshall._core")]
#[derive(Debug)]
pub struct PyArrival {
    /// Where it has arrived.
    #[pyo3(get)]
    pub endpoint: Py<Endpoint>,
    pub at: Time,
    pub sent_at: Time,
    pub content: PyDatagram,
}

#[pymethods]
impl PyArrival {
    /// Now, in seconds.
    #[getter]
    fn at(&self) -> f64 {
        self.at.secs()
    }

    /// Now, in picoseconds, without rounding.
    #[getter]
    fn at_ps(&self) -> u64 {
        self.at.ps()
    }

    /// When it was sent, in seconds.
    #[getter]
    fn sent_at(&self) -> f64 {
        self.sent_at.secs()
    }

    /// When it was sent, in picoseconds, without rounding.
    #[getter]
    fn sent_at_ps(&self) -> u64 {
        self.sent_at.ps()
    }

    /// Its bytes: the very object that was sent, unless it is an IP packet.
    #[getter]
    fn data(&self, py: Python<'_>) -> Py<PyBytes> {
        self.content.data(py)
    }

    /// Its code point of ECN as it arrives: a queue may have marked it.
    #[getter]
    fn ecn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.content.ecn_point(py)
    }

    /// The number that it was sent with.
    #[getter]
    fn tag(&self) -> u64 {
        self.content.tag
    }

    /// All of it, which can be sent again.
    #[getter]
    fn datagram(&self, py: Python<'_>) -> PyDatagram {
        self.content.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        let (endpoint, shown) = (self.endpoint.get().name(), self.content.shown());
        format!("<Arrival at {endpoint}, {} s: {shown}>", self.at.secs())
    }
}

/// A datagram that went no further. A real endpoint would not be told.
#[pyclass(frozen, name = "Dropped", module = "parshall._core")]
#[derive(Debug)]
pub struct PyDropped {
    /// The endpoint that had sent it.
    #[pyo3(get)]
    pub endpoint: Py<Endpoint>,
    pub at: Time,
    pub sent_at: Time,
    pub why: DropCause,
    pub content: PyDatagram,
}

#[pymethods]
impl PyDropped {
    /// When it was dropped, in seconds.
    #[getter]
    fn at(&self) -> f64 {
        self.at.secs()
    }

    /// When it was dropped, in picoseconds, without rounding.
    #[getter]
    fn at_ps(&self) -> u64 {
        self.at.ps()
    }

    /// When it was sent, in seconds.
    #[getter]
    fn sent_at(&self) -> f64 {
        self.sent_at.secs()
    }

    /// When it was sent, in picoseconds, without rounding.
    #[getter]
    fn sent_at_ps(&self) -> u64 {
        self.sent_at.ps()
    }

    /// The place: a full ``queue`` or its algorithm, an ``early`` drop at random, a ``conditioner``, the ``link`` itself, or the ``path-mtu``.
    #[getter]
    fn cause(&self) -> &'static str {
        cause_name(self.why)
    }

    /// The number that it was sent with.
    #[getter]
    fn tag(&self) -> u64 {
        self.content.tag
    }

    /// All of it.
    #[getter]
    fn datagram(&self, py: Python<'_>) -> PyDatagram {
        self.content.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        let (endpoint, shown, cause) = (self.endpoint.get().name(), self.content.shown(), self.cause());
        format!("<Dropped by {cause} of {endpoint}, {} s: {shown}>", self.at.secs())
    }
}

/// The time that an endpoint asked for has come.
#[pyclass(frozen, name = "Wake", module = "parshall._core")]
#[derive(Debug)]
pub struct PyWake {
    /// The endpoint that asked.
    #[pyo3(get)]
    pub endpoint: Py<Endpoint>,
    pub at: Time,
}

#[pymethods]
impl PyWake {
    /// Now, in seconds.
    #[getter]
    fn at(&self) -> f64 {
        self.at.secs()
    }

    /// Now, in picoseconds, without rounding.
    #[getter]
    fn at_ps(&self) -> u64 {
        self.at.ps()
    }

    fn __repr__(&self) -> String {
        format!("<Wake of {}, {} s>", self.endpoint.get().name(), self.at.secs())
    }
}
