//! Controls that users write: classes in Python, and compiled code. What they have in common with the engine is in
//! `abi.rs`.

mod abi;
mod compiled;
mod fold;
mod lent;
mod python;

use std::collections::HashMap;
use std::sync::Arc;

use compiled::CompiledControls;
use parshall_sim::control::user::{Config, Maker};
use parshall_sim::scenario::Scenario;
use pyo3::create_exception;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use python::{ControlBase, PythonControls};

create_exception!(_core, NotAWindowError, PyTypeError, "A method returned something in place of a window.");

/// Adds what `parshall.control` needs to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("NotAWindowError", module.py().get_type::<NotAWindowError>())?;
    module.add_class::<ControlBase>()?;
    module.add_class::<PythonControls>()?;
    module.add_class::<CompiledControls>()?;
    module.add_class::<abi::Ack>()?;
    module.add_class::<abi::Lost>()?;
    module.add_class::<abi::Moment>()?;
    module.add_function(wrap_pyfunction!(cbrt, module)?)?;
    module.add_function(wrap_pyfunction!(exp, module)?)?;
    module.add_function(wrap_pyfunction!(log, module)?)?;
    module.add_function(wrap_pyfunction!(pow, module)?)?;
    module.add_function(wrap_pyfunction!(abi::control_interface, module)?)
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

/// Hands over the controls that a scenario names and that the engine does not have.
///
/// # Errors
/// What `parshall.control` raises where it does not find one.
pub fn hand_over(py: Python<'_>, scenario: &mut Scenario) -> PyResult<()> {
    let mut known: HashMap<String, Arc<dyn Maker>> = HashMap::new();
    scenario.hand_over(|config| {
        let text = serde_json::to_string(config).map_err(|error| PyValueError::new_err(error.to_string()))?;
        if let Some(maker) = known.get(&text) {
            return Ok(maker.clone());
        }
        let maker = found(py, config)?;
        known.insert(text, maker.clone());
        Ok(maker)
    })
}

fn found(py: Python<'_>, config: &Config) -> PyResult<Arc<dyn Maker>> {
    let values =
        serde_json::to_string(&config.values).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (form, source, code) = (config.form.as_str(), config.source.as_str(), config.code.as_str());
    let controls =
        py.import("parshall.control.found")?.call_method1("controls", (form, source, code, values))?;
    match controls.cast::<PythonControls>() {
        Ok(python) => Ok(python.get().0.clone()),
        Err(_) => Ok(controls.cast::<CompiledControls>()?.get().0.clone()),
    }
}
