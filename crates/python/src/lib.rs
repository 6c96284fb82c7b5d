//! The extension module `parshall._core`: conversion between Python and the crates, and the GIL.

#[allow(missing_docs)]
mod alarm;
mod arima;
mod canonical;
#[allow(missing_docs)]
mod capture;
#[allow(missing_docs)]
mod columns;
mod estimators;
#[allow(missing_docs)]
mod files;
mod filter;
mod forecast;
mod given;
#[allow(missing_docs)]
mod link;
mod long_memory;
#[allow(missing_docs)]
mod names;
#[allow(missing_docs)]
mod net;
#[allow(missing_docs)]
mod nonresponsive;
#[allow(missing_docs)]
mod own;
#[allow(missing_docs)]
mod parts;
#[allow(missing_docs)]
mod responsiveness;
#[allow(missing_docs)]
mod sender;
#[allow(missing_docs)]
mod simulator;
mod state;
mod treatment;

use parshall_sim::LargePages;
use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    arima::register(module)?;
    capture::register(module)?;
    estimators::register(module)?;
    forecast::register(module)?;
    link::register(module)?;
    long_memory::register(module)?;
    net::register(module)?;
    files::register(module)?;
    parts::register(module)?;
    nonresponsive::register(module)?;
    own::register(module)?;
    responsiveness::register(module)?;
    treatment::register(module)?;
    alarm::register(module)?;
    sender::register(module)?;
    simulator::register(module)
}
