//! Python's values of what was read.

use parshall_scenario::{parts_in, Given, Part, Takes};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use pyo3::IntoPyObjectExt;
use serde_json::{Map, Value};

use super::given;

/// The classes of the parts, and what makes their instances.
pub struct Classes<'a, 'py> {
    /// Classes by the names of their parts.
    pub classes: &'a Bound<'py, PyDict>,
    /// Makes an instance of a class from its fields.
    pub make: &'a Bound<'py, PyAny>,
}

impl<'py> Classes<'_, 'py> {
    /// The fields of a part that are not at their defaults. A part that was given as such is taken as it is.
    pub fn fields(
        &self,
        part: &'static Part,
        table: &Map<String, Value>,
        given: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(self.make.py());
        let given = given.and_then(|given| given.cast::<PyDict>().ok());
        for field in part.fields {
            let given = given.map(|given| given.get_item(field.name)).transpose()?.flatten();
            if let Some(part) = given.as_ref().map(given::part).transpose()?.flatten() {
                fields.set_item(field.name, part)?;
            } else if let Some(value) = table.get(field.name) {
                fields.set_item(field.name, self.value(&field.takes, value, given.as_ref())?)?;
            }
        }
        Ok(fields)
    }

    fn value(
        &self,
        takes: &Takes,
        value: &Value,
        given: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match (takes, value) {
            (Takes::Table(part), Value::Object(table)) => self.instance(part, table, given),
            (Takes::Tables(part), Value::Array(items)) => {
                self.items(items, given, |value, given| match value {
                    Value::Object(table) => self.instance(part, table, given),
                    _ => plain(self.make.py(), value),
                })
            }
            (Takes::EachOf(_), Value::Array(items)) => {
                self.items(items, given, |value, given| self.chosen(takes, value, given))
            }
            _ if !parts_in(takes).is_empty() => self.chosen(takes, value, given),
            _ => plain(self.make.py(), value),
        }
    }

    /// An instance of one of several kinds.
    fn chosen(
        &self,
        takes: &Takes,
        value: &Value,
        given: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kind = value.get("kind").and_then(Value::as_str);
        let part = parts_in(takes).iter().find(|part| part.kind == kind);
        match (part, value) {
            (Some(part), Value::Object(table)) => self.instance(part, table, given),
            _ => plain(self.make.py(), value),
        }
    }

    /// A list of parts. Those that were given as such are taken as they are.
    fn items(
        &self,
        items: &[Value],
        given: Option<&Bound<'py, PyAny>>,
        make: impl Fn(&Value, Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given: Option<Vec<Bound<'py, PyAny>>> = match given {
            Some(given) if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() => {
                Some(given.try_iter()?.collect::<PyResult<_>>()?)
            }
            _ => None,
        };
        let item = |(index, value): (usize, &Value)| {
            let given = given.as_ref().and_then(|given| given.get(index));
            match given.map(given::part).transpose()?.flatten() {
                Some(part) => Ok(part),
                None => make(value, given),
            }
        };
        let made: Vec<_> = items.iter().enumerate().map(item).collect::<PyResult<_>>()?;
        Ok(PyTuple::new(self.make.py(), made)?.into_any())
    }

    fn instance(
        &self,
        part: &'static Part,
        table: &Map<String, Value>,
        given: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let class = self.classes.get_item(part.name)?.ok_or_else(|| PyKeyError::new_err(part.name))?;
        self.make.call1((class, self.fields(part, table, given)?))
    }
}

/// A plain value; lists are tuples.
pub fn plain<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => whole.into_bound_py_any(py),
            (None, Some(whole)) => whole.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| plain(py, item)).collect::<PyResult<_>>()?;
            Ok(PyTuple::new(py, items)?.into_any())
        }
        Value::Object(entries) => {
            let table = PyDict::new(py);
            entries.iter().try_for_each(|(key, value)| table.set_item(key, plain(py, value)?))?;
            Ok(table.into_any())
        }
    }
}

/// A value as TOML gives it; lists are lists.
pub fn given<'py>(py: Python<'py>, value: &Given) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Given::Flag(flag) => flag.into_bound_py_any(py),
        Given::Whole(whole) => whole.into_bound_py_any(py),
        Given::Number(number) => number.into_bound_py_any(py),
        Given::Text(text) | Given::Other(text) => text.into_bound_py_any(py),
        Given::List(items) => {
            let items: Vec<_> = items.iter().map(|item| given(py, item)).collect::<PyResult<_>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
        Given::Table(entries) => {
            let table = PyDict::new(py);
            entries.iter().try_for_each(|(key, value)| table.set_item(key, given(py, value)?))?;
            Ok(table.into_any())
        }
        _ => Ok(py.None().into_bound(py)),
    }
}
