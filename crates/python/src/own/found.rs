//! Which code a scenario means: it is asked of `parshall.own.found`.

use std::collections::HashMap;
use std::sync::Arc;

use parshall_estimators::own::{Config, Found};
use parshall_sim::internal::caught;
use parshall_sim::own;
use parshall_sim::scenario::{OwnPart, Scenario};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

use super::class::{Class, PythonParts};
use super::library::{CompiledParts, Library};

/// The code of a part, in either form.
#[derive(Clone)]
pub enum Parts {
    Python(Arc<Class>),
    Compiled(Arc<Library>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Parts {
    type Error = PyErr;

    fn extract(parts: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match parts.cast::<PythonParts>() {
            Ok(python) => Ok(Parts::Python(python.get().0.clone())),
            Err(_) => Ok(Parts::Compiled(parts.cast::<CompiledParts>()?.get().0.clone())),
        }
    }
}

/// The code as what makes parts of one kind.
macro_rules! either {
    ($parts:expr) => {
        match $parts {
            $crate::own::found::Parts::Python(class) => class,
            $crate::own::found::Parts::Compiled(library) => library,
        }
    };
}
pub(super) use either;

/// Hands over the parts that a scenario names and that the engine does not have.
///
/// # Errors
/// What `parshall.own` raises where it does not find one.
pub fn hand_over(py: Python<'_>, scenario: &mut Scenario) -> PyResult<()> {
    let mut known = Known { py, by_text: HashMap::new() };
    scenario.hand_over(|part| {
        match part {
            OwnPart::Control(config) => config.maker = Found(Some(either!(known.find("control", config)?))),
            OwnPart::Rto(config) => {
                config.maker = Found(Some(own::rto(either!(known.find("rto", config)?))));
            }
            OwnPart::Forecaster(config) => {
                config.maker = Found(Some(own::forecaster(either!(known.find("forecaster", config)?))));
            }
            OwnPart::App(config) => config.maker = Found(Some(either!(known.find("source", config)?))),
            OwnPart::Marker(config) => config.maker = Found(Some(either!(known.find("marker", config)?))),
            OwnPart::Queue(config) => config.maker = Found(Some(either!(known.find("queue", config)?))),
            other => return Err(PyValueError::new_err(format!("no code for {other:?}"))),
        }
        Ok(())
    })
}

/// The parts of a scenario that have been found so far.
struct Known<'py> {
    py: Python<'py>,
    by_text: HashMap<String, Parts>,
}

impl Known<'_> {
    fn find<M: ?Sized>(&mut self, kind: &str, config: &Config<M>) -> PyResult<Parts> {
        let Config { form, source, code, values, .. } = config;
        let text = format!("{kind:?} {form:?} {source:?} {code:?} {values:?}");
        if let Some(parts) = self.by_text.get(&text) {
            return Ok(parts.clone());
        }
        let parts = find(self.py, kind, config)?;
        self.by_text.insert(text, parts.clone());
        Ok(parts)
    }
}

/// The code of a part of a kind.
///
/// # Errors
/// What `parshall.own` raises where it does not find it.
pub fn find<M: ?Sized>(py: Python<'_>, kind: &str, config: &Config<M>) -> PyResult<Parts> {
    let values =
        serde_json::to_string(&config.values).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let key = (kind, config.form.as_str(), config.source.as_str(), config.code.as_str(), values);
    py.import("parshall.own.found")?.call_method1("parts", key)?.extract()
}

/// Does what uses parts outside of a run. A failure of one is an exception; what is raised to end the program, such as by Ctrl-C,
/// is raised as it is.
///
/// # Errors
/// If one fails.
pub fn outside<T>(py: Python<'_>, call: impl FnOnce() -> T) -> PyResult<T> {
    caught(call).map_err(|error| {
        let (text, cause) = match crate::simulator::told(error) {
            (_, Some(ending)) if !ending.is_instance_of::<PyException>(py) => return ending,
            told => told,
        };
        let made = || py.import("parshall.errors")?.getattr("PartError")?.call1((text,));
        let raised = made().map_or_else(|error| error, PyErr::from_value);
        raised.set_cause(py, cause);
        raised
    })
}
