//! The trace of a network as Python sees it.

use parshall_sim::net::{Trace, TraceEntry, TraceEvent};
use parshall_sim::units::Time;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use super::arguments;
use super::datagram::ecn_of;
use super::endpoint::Endpoint;
use super::events::cause_name;

/// All that endpoints sent and received, in order: a sequence of entries. Equal scenario, seed and datagrams give an equal trace.
#[pyclass(frozen, sequence, name = "Trace", module = "parshall._core")]
#[derive(Debug)]
pub struct PyTrace {
    pub trace: Trace,
    /// Endpoints of the network, by their numbers.
    pub endpoints: Vec<Py<Endpoint>>,
}

impl PyTrace {
    fn entry(&self, py: Python<'_>, entry: TraceEntry) -> PyTraceEntry {
        let endpoint = self.endpoints[entry.endpoint.number() as usize].clone_ref(py);
        PyTraceEntry { endpoint, entry }
    }
}

#[pymethods]
impl PyTrace {
    /// A hash of times, sizes, endpoints and ECN: equal traces have equal digests, in any process.
    #[getter]
    fn digest(&self) -> u64 {
        self.trace.digest()
    }

    /// The entries from one instant up to another.
    fn between(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<PyTraceEntry>> {
        let start = arguments::instant(&"between, start", start, Time::ZERO)?;
        let end = arguments::instant(&"between, end", end, Time::ZERO)?;
        Ok(self.trace.between(start, end).map(|entry| self.entry(py, *entry)).collect())
    }

    fn __len__(&self) -> usize {
        self.trace.entries().len()
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<PyTraceEntry> {
        let entries = self.trace.entries();
        let index = if index < 0 { index + entries.len() as isize } else { index };
        let entry = usize::try_from(index).ok().and_then(|index| entries.get(index));
        let entry = entry.ok_or_else(|| PyIndexError::new_err("no such entry of the trace"))?;
        Ok(self.entry(py, *entry))
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyIterator>> {
        let entries = self.trace.entries().iter().map(|entry| self.entry(py, *entry));
        let entries: Vec<PyTraceEntry> = entries.collect();
        Ok(PyTuple::new(py, entries)?.try_iter()?.unbind())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyTrace>().is_ok_and(|other| other.get().trace == self.trace)
    }

    fn __hash__(&self) -> u64 {
        self.trace.digest()
    }

    fn __repr__(&self) -> String {
        format!("<Trace of {} entries, digest {:016x}>", self.__len__(), self.digest())
    }
}

/// One datagram at one instant. As text it is a line.
#[pyclass(frozen, name = "TraceEntry", module = "parshall._core")]
#[derive(Debug)]
pub struct PyTraceEntry {
    /// The endpoint that sent or received it.
    #[pyo3(get)]
    endpoint: Py<Endpoint>,
    entry: TraceEntry,
}

#[pymethods]
impl PyTraceEntry {
    /// Simulated time, in seconds.
    #[getter]
    fn at(&self) -> f64 {
        self.entry.at.secs()
    }

    /// Simulated time, in picoseconds, without rounding.
    #[getter]
    fn at_ps(&self) -> u64 {
        self.entry.at.ps()
    }

    /// The event; the endpoint of what was dropped is the one that had sent it.
    #[getter]
    fn event(&self) -> &'static str {
        match self.entry.event {
            TraceEvent::Sent => "sent",
            TraceEvent::Received => "received",
            TraceEvent::Dropped(_) => "dropped",
        }
    }

    /// The place of a drop, as of :class:`Dropped`.
    #[getter]
    fn cause(&self) -> Option<&'static str> {
        match self.entry.event {
            TraceEvent::Dropped(cause) => Some(cause_name(cause)),
            TraceEvent::Sent | TraceEvent::Received => None,
        }
    }

    /// Bytes on the wire.
    #[getter]
    fn wire_bytes(&self) -> u32 {
        self.entry.wire_bytes
    }

    /// Its code point of ECN at that instant.
    #[getter]
    fn ecn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        ecn_of(py, self.entry.ecn)
    }

    fn __str__(&self) -> String {
        let TraceEntry { at, wire_bytes, ecn, .. } = self.entry;
        let (name, event) = (self.endpoint.get().name(), self.event());
        let by = self.cause().map_or(String::new(), |cause| format!(" by {cause}"));
        let ecn = arguments::ecn_name(ecn);
        format!("{:.9} s {name}: {event}{by} {wire_bytes} bytes {ecn}", at.secs())
    }

    fn __repr__(&self) -> String {
        format!("<TraceEntry {}>", self.__str__())
    }
}
