//! Errors of a network as exceptions of `parshall.errors`.

use std::fmt::Display;

use parshall_sim::net::NetworkError;
use parshall_sim::RunError;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;

use crate::simulator::told;

/// An exception of this class of `parshall.errors`.
fn error<'py>(py: Python<'py>, class: &str, args: impl PyCallArgs<'py>) -> PyErr {
    let made = py.import("parshall.errors").and_then(|errors| errors.getattr(class)?.call1(args));
    made.map_or_else(|failed| failed, PyErr::from_value)
}

/// A value of the wrong kind, and what was expected in its place.
pub fn wrong_type(place: &dyn Display, given: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    fault(place, given, expected, "InputTypeError")
}

/// A value that cannot be used, and what was expected in its place.
pub fn wrong_value(place: &dyn Display, given: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    fault(place, given, expected, "InputError")
}

fn fault(place: &dyn Display, given: &Bound<'_, PyAny>, expected: &str, class: &str) -> PyErr {
    let py = given.py();
    let shown = || py.import("parshall.errors")?.call_method1("shown", (given,))?.extract::<String>();
    shown().map_or_else(|failed| failed, |shown| error(py, class, (place.to_string(), shown, expected)))
}

/// Bytes that are no datagram, for a reason such as `no bytes, expected an IP packet`.
pub fn refused(py: Python<'_>, place: &dyn Display, reason: &str) -> PyErr {
    said_of_input(py, &format!("{place}, data: {reason}"))
}

/// A run that cannot go on.
pub fn run_error(py: Python<'_>, text: &str) -> PyErr {
    error(py, "RunError", (text,))
}

/// The exception for what a network says. `label` names scenario and seed, and is asked for where they matter.
pub fn error_of(py: Python<'_>, said: NetworkError, label: impl FnOnce() -> PyResult<String>) -> PyErr {
    match said {
        NetworkError::Run(ended) => run_ended(py, ended, label),
        other => said_of_input(py, &other.to_string()),
    }
}

/// The exception for a run that ended before its end. What a part of the user's own raised is its cause; what is no affair
/// of the part's, such as Ctrl-C, is raised itself.
pub fn run_ended(py: Python<'_>, ended: RunError, label: impl FnOnce() -> PyResult<String>) -> PyErr {
    let (text, cause) = told(ended);
    match cause {
        Some(cause) if is_interrupt(py, &cause) => cause,
        cause => match label() {
            Err(failed) => failed,
            Ok(label) => {
                let raised = run_error(py, &format!("{label}: {text}"));
                raised.set_cause(py, cause);
                raised
            }
        },
    }
}

/// Returns whether it comes from outside of the part's code.
fn is_interrupt(py: Python<'_>, cause: &PyErr) -> bool {
    cause.is_instance_of::<PyKeyboardInterrupt>(py) || cause.is_instance_of::<PySystemExit>(py)
}

/// The exception for a line `PLACE: got VALUE, expected WHAT`, where the `got` may be missing.
fn said_of_input(py: Python<'_>, line: &str) -> PyErr {
    let parted = line.split_once(": ").and_then(|(place, fault)| {
        let (value, expected) = fault.split_once(", expected ")?;
        Some((place, value.strip_prefix("got ").unwrap_or(value), expected))
    });
    match parted {
        Some(parted) => error(py, "InputError", parted),
        None => run_error(py, line),
    }
}
