//! Bindings of networks with endpoints outside. `parshall.sim` is their face.

mod arguments;
mod datagram;
mod endpoint;
mod events;
mod fault;
mod kept;
mod network;
mod signals;
mod trace;

use pyo3::prelude::*;

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<endpoint::Endpoint>()?;
    module.add_class::<datagram::PyDatagram>()?;
    module.add_class::<events::PyArrival>()?;
    module.add_class::<events::PyDropped>()?;
    module.add_class::<events::PyWake>()?;
    module.add_class::<trace::PyTrace>()?;
    module.add_class::<trace::PyTraceEntry>()?;
    module.add_class::<network::NetworkBase>()
}
