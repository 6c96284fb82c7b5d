//! Endpoints as Python sees them.

use parshall_sim::net::EndpointId;
use pyo3::prelude::*;

/// See `_core.pyi`.
#[pyclass(frozen, module = "parshall._core")]
#[derive(Debug)]
pub struct Endpoint {
    /// Number of the network that it belongs to.
    pub network: u64,
    pub id: EndpointId,
    #[pyo3(get)]
    flow: String,
    #[pyo3(get)]
    host: String,
}

impl Endpoint {
    pub fn new(network: u64, id: EndpointId, flow: &str, host: &str) -> Self {
        Endpoint { network, id, flow: flow.into(), host: host.into() }
    }
}

#[pymethods]
impl Endpoint {
    #[getter]
    fn number(&self) -> u32 {
        self.id.number()
    }

    #[getter]
    pub fn name(&self) -> String {
        format!("{} at {}", self.flow, self.host)
    }

    fn __repr__(&self) -> String {
        format!("<Endpoint {}>", self.name())
    }
}
