//! Parts that users write: classes in Python (`class.rs`), and compiled code (`library.rs`). How these and the engine tell each
//! other something is in `abi.rs`, and what they tell is in the file of each kind.

mod abi;
mod class;
mod control;
mod forecaster;
mod found;
mod lent;
mod library;
mod marker;
mod queue;
mod rto;
mod source;

use abi::Interface;
use class::PythonParts;
use control::ControlBase;
pub use forecaster::forecaster_of;
use forecaster::ForecasterBase;
pub use found::{hand_over, outside, Parts};
use library::CompiledParts;
use pyo3::create_exception;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
pub use rto::own_rto;
use rto::RtoFilterBase;
use source::SourceBase;

create_exception!(
    _core,
    WrongAnswerError,
    PyTypeError,
    "A method returned something in place of its answer."
);

/// Interfaces of all kinds of parts.
const INTERFACES: [Interface; 6] = [
    control::INTERFACE,
    rto::INTERFACE,
    forecaster::INTERFACE,
    source::INTERFACE,
    queue::INTERFACE,
    marker::INTERFACE,
];

/// Adds what `parshall.own` and `parshall.control` need to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("WrongAnswerError", module.py().get_type::<WrongAnswerError>())?;
    module.add_class::<ControlBase>()?;
    module.add_class::<RtoFilterBase>()?;
    module.add_class::<ForecasterBase>()?;
    module.add_class::<SourceBase>()?;
    module.add_class::<marker::MarkerBase>()?;
    module.add_class::<marker::MeteredPacket>()?;
    module.add_class::<queue::QueueBase>()?;
    module.add_class::<queue::QueuedPacket>()?;
    module.add_class::<PythonParts>()?;
    module.add_class::<CompiledParts>()?;
    module.add_class::<control::Ack>()?;
    module.add_class::<control::Lost>()?;
    module.add_class::<control::Moment>()?;
    module.add_class::<source::Done>()?;
    module.add_function(wrap_pyfunction!(cbrt, module)?)?;
    module.add_function(wrap_pyfunction!(exp, module)?)?;
    module.add_function(wrap_pyfunction!(log, module)?)?;
    module.add_function(wrap_pyfunction!(pow, module)?)?;
    module.add_function(wrap_pyfunction!(abi::part_interface, module)?)
}

/// Cube root, as the engine computes it.
#[pyfunction]
fn cbrt(x: f64) -> f64 {
    lent::cbrt(x)
}

/// e to the power of x, as the engine computes it.
#[pyfunction]
fn exp(x: f64) -> f64 {
    lent::exp(x)
}

/// Natural logarithm, as the engine computes it.
#[pyfunction]
fn log(x: f64) -> f64 {
    lent::log(x)
}

/// x to the power of y, as the engine computes it.
#[pyfunction]
fn pow(x: f64, y: f64) -> f64 {
    lent::pow(x, y)
}
