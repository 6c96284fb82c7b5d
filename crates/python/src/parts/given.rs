//! Python's values as they are given to a scenario.

use parshall_scenario::{Given, ReadPart};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use serde_json::Value;

/// Lists in lists that are followed.
const DEEPEST: usize = 100;

/// How much is told of parts that have been read already.
#[derive(Clone, Copy)]
struct Telling {
    /// Their canonical form.
    inside: bool,
    /// Their text for messages.
    texts: bool,
}

/// A value. Of parts in it the canonical form is told if a check looks `inside`, and their text for messages if `texts`.
pub fn value(value: &Bound<'_, PyAny>, inside: bool, texts: bool) -> PyResult<Given> {
    Telling { inside, texts }.value(value, 0)
}

/// A mapping, as a table.
pub fn table(values: &Bound<'_, PyAny>, inside: bool, texts: bool) -> PyResult<Given> {
    value(values, inside, texts)
}

/// A part, or what stands for one: the part itself.
pub fn part<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let class = value.get_type();
    if class.hasattr(intern!(value.py(), "__part__"))? {
        return Ok(Some(value.clone()));
    }
    match class.getattr_opt(intern!(value.py(), "__scenario_part__"))? {
        Some(convert) => Ok(Some(convert.call1((value,))?)),
        None => Ok(None),
    }
}

impl Telling {
    fn value(self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Given> {
        if value.is_none() {
            Ok(Given::Nothing)
        } else if let Ok(text) = value.cast::<PyString>() {
            Ok(Given::Text(text.to_str()?.to_owned()))
        } else if let Ok(flag) = value.cast_exact::<PyBool>() {
            Ok(Given::Flag(flag.is_true()))
        } else if let Ok(number) = value.cast::<PyFloat>() {
            Ok(Given::Number(number.value()))
        } else if value.is_instance_of::<PyInt>() {
            whole(value)
        } else if depth >= DEEPEST {
            Ok(Given::Other(format!("a {} too long to show", value.get_type().name()?)))
        } else if let Ok(items) = value.cast::<PyList>() {
            self.list(items.iter(), depth)
        } else if let Ok(items) = value.cast::<PyTuple>() {
            self.list(items.iter(), depth)
        } else if let Ok(table) = value.cast::<PyDict>() {
            self.table(table.iter().map(Ok), depth)
        } else {
            self.other(value, depth)
        }
    }

    fn list<'py>(self, items: impl Iterator<Item = Bound<'py, PyAny>>, depth: usize) -> PyResult<Given> {
        items.map(|item| self.value(&item, depth + 1)).collect::<PyResult<_>>().map(Given::List)
    }

    fn table<'py>(
        self,
        entries: impl Iterator<Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
        depth: usize,
    ) -> PyResult<Given> {
        let entry = |entry: PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>| {
            let (key, value) = entry?;
            Ok((key.str()?.to_str()?.to_owned(), self.value(&value, depth + 1)?))
        };
        entries.map(entry).collect::<PyResult<_>>().map(Given::Table)
    }

    fn other(self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Given> {
        if let Ok(class) = value.cast::<PyType>() {
            return Ok(Given::Class(class.name()?.to_string(), text(value)?));
        }
        if let Some(part) = part(value)? {
            return self.part(&part);
        }
        if is_a(value, "decimal", "Decimal")? {
            return Ok(Given::Decimal(value.str()?.to_string()));
        }
        if is_a(value, "numbers", "Integral")? {
            return whole(&value.call_method0(intern!(value.py(), "__int__"))?);
        }
        if is_a(value, "numbers", "Real")? {
            return Ok(Given::Number(value.extract().unwrap_or(f64::NAN)));
        }
        if is_a(value, "collections.abc", "Mapping")? {
            let items = value.call_method0("items")?;
            return self.table(items.try_iter()?.map(|item| item?.extract()), depth);
        }
        let is_array = value.getattr_opt("ndim")?.is_some_and(|ndim| ndim.gt(0).unwrap_or(false));
        if is_array {
            return self.value(&value.call_method0("tolist")?, depth);
        }
        let is_bytes = value.cast::<pyo3::types::PyBytes>().is_ok();
        if !is_bytes && is_a(value, "collections.abc", "Sequence")? {
            return self.list(value.try_iter()?.collect::<PyResult<Vec<_>>>()?.into_iter(), depth);
        }
        Ok(Given::Other(text(value)?))
    }

    fn part(self, part: &Bound<'_, PyAny>) -> PyResult<Given> {
        let py = part.py();
        let class = part.get_type();
        let value = if self.inside {
            let json: String = part.call_method0(intern!(py, "_json"))?.extract()?;
            serde_json::from_str(&json).unwrap_or(Value::Null)
        } else {
            Value::Null
        };
        Ok(Given::Read(Box::new(ReadPart {
            name: class.getattr(intern!(py, "__part__"))?.extract()?,
            kind: part.getattr_opt(intern!(py, "kind"))?.map(|kind| kind.extract()).transpose()?,
            value,
            text: if self.texts { text(part)? } else { String::new() },
        })))
    }
}

fn whole(value: &Bound<'_, PyAny>) -> PyResult<Given> {
    match value.extract::<i128>() {
        Ok(whole) => Ok(Given::Whole(whole)),
        Err(_) => Ok(Given::Other(text(value).unwrap_or_else(|_| "a int too long to show".to_owned()))),
    }
}

/// The text of a value on one line.
fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.str()?.to_str()?.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a value is an instance of a class of Python's library.
fn is_a(value: &Bound<'_, PyAny>, module: &str, class: &str) -> PyResult<bool> {
    static CLASSES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let py = value.py();
    let known = CLASSES.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    let class = match known.get_item(class)? {
        Some(class) => class,
        None => {
            let found = py.import(module)?.getattr(class)?;
            known.set_item(class, &found)?;
            found
        }
    };
    value.is_instance(&class)
}
