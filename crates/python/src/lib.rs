//! The extension module `parshall._core`: conversion between Python and the crates, and the GIL.

#[allow(missing_docs)]
mod estimators;
#[allow(missing_docs)]
mod nonresponsive;
mod simulator;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    estimators::register(module)?;
    nonresponsive::register(module)?;
    simulator::register(module)
}
