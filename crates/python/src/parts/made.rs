//! Conversion of values read into Python's: numbers, text, tuples, tables, and instances of the classes of
//! parts.

use parshall_scenario::{parts_in, Held, Part, Takes};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use pyo3::IntoPyObjectExt;
use serde_json::{Map, Value};

/// Makes values, with the parts that were held.
pub struct Maker<'a, 'py> {
    py: Python<'py>,
    held: &'a [Bound<'py, PyAny>],
    classes: Bound<'py, PyAny>,
}

/// The class of a part, to make instances of.
pub struct Class<'py> {
    class: Bound<'py, PyType>,
    new: Bound<'py, PyAny>,
}

impl<'py> Class<'py> {
    /// An instance with these fields, and its `__dict__`.
    pub fn of(&self, fields: &Bound<'py, PyDict>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let made = self.new.call1((&self.class,))?;
        let own = made.getattr(intern!(made.py(), "__dict__"))?.cast_into::<PyDict>()?;
        own.update(fields.as_mapping())?;
        Ok((made, own))
    }
}

impl<'a, 'py> Maker<'a, 'py> {
    /// One that puts `held` back in place.
    pub fn new(py: Python<'py>, held: &'a [Bound<'py, PyAny>]) -> PyResult<Self> {
        let classes = py.import("parshall.scenario.parts")?.into_any();
        Ok(Maker { py, held, classes })
    }

    /// The fields of a part that was read.
    pub fn fields(&self, part: &'static Part, table: &Map<String, Value>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(self.py);
        for field in part.fields {
            if let Some(value) = table.get(field.name) {
                fields.set_item(PyString::intern(self.py, field.name), self.value(&field.takes, value)?)?;
            }
        }
        Ok(fields)
    }

    /// The class of a part.
    pub fn class(&self, part: &Part) -> PyResult<Class<'py>> {
        let class = self.classes.getattr(part.name)?.cast_into::<PyType>()?;
        let new = class.getattr(intern!(self.py, "__new__"))?;
        Ok(Class { class, new })
    }

    fn value(&self, takes: &Takes, value: &Value) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Value::Null => Ok(self.py.None().into_bound(self.py)),
            Value::Bool(flag) => flag.into_bound_py_any(self.py),
            Value::String(text) => text.into_bound_py_any(self.py),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(whole), _) => whole.into_bound_py_any(self.py),
                (None, Some(whole)) => whole.into_bound_py_any(self.py),
                (None, None) => number.as_f64().into_bound_py_any(self.py),
            },
            Value::Array(items) => {
                let of = of_items(takes);
                let items = items.iter().map(|item| self.value(of, item)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(self.py, items)?.into_any())
            }
            Value::Object(table) => match (Held::index_of(value), takes) {
                (_, Takes::Values) => self.plain(table),
                (Some(index), _) => {
                    let held = self.held.get(index);
                    held.cloned().ok_or_else(|| PyTypeError::new_err("a part that was not held"))
                }
                (None, _) => self.part(takes, table),
            },
        }
    }

    /// A table of plain values.
    fn plain(&self, table: &Map<String, Value>) -> PyResult<Bound<'py, PyAny>> {
        let values = PyDict::new(self.py);
        for (key, value) in table {
            values.set_item(key, self.value(&Takes::Values, value)?)?;
        }
        Ok(values.into_any())
    }

    fn part(&self, takes: &Takes, table: &Map<String, Value>) -> PyResult<Bound<'py, PyAny>> {
        let part = match takes {
            Takes::Table(part) | Takes::Tables(part) => Some(*part),
            takes => {
                let kind = table.get("kind").and_then(Value::as_str);
                parts_in(takes).iter().copied().find(|part| part.kind == kind)
            }
        };
        let part = part.ok_or_else(|| PyTypeError::new_err("a table of no known kind"))?;
        Ok(self.class(part)?.of(&self.fields(part, table)?)?.0)
    }
}

/// Kind that the items of a list take.
fn of_items(takes: &Takes) -> &Takes {
    match takes {
        Takes::List { of, .. } | Takes::Span(of) => of,
        takes => takes,
    }
}
