//! Endpoints as Python sees them.

use parshall_sim::net::EndpointId;
use pyo3::prelude::*;

/// An end of a pair that sends datagrams to each other; :meth:`parshall.sim.Network.attach` makes it.
#[pyclass(frozen, module = "parshall._core")]
#[derive(Debug)]
pub struct Endpoint {
    /// Number of the network that it belongs to.
    pub network: u64,
    pub id: EndpointId,
    /// The name of its pair, by which a recording has it.
    #[pyo3(get)]
    flow: String,
    /// The host at which it is.
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
    /// Its number in the network, from 0, in the order in which endpoints were attached.
    #[getter]
    fn number(&self) -> u32 {
        self.id.number()
    }

    /// Its name in messages: ``FLOW at HOST``.
    #[getter]
    pub fn name(&self) -> String {
        format!("{} at {}", self.flow, self.host)
    }

    fn __repr__(&self) -> String {
        format!("<Endpoint {}>", self.name())
    }
}
