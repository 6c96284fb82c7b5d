//! Values of Python as the crate reads them: what is no part itself is copied, parts are held.

use std::collections::hash_map::Entry;

use parshall_scenario::{Fault, Given, Held, Part};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyDict, PyFloat, PyInt, PyIterator, PyList, PyMapping, PyMemoryView, PySequence, PyString,
    PyTuple, PyType,
};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::part_named;
use crate::files::fault_of;

/// Lists and tables in one another that are read.
const DEEPEST: usize = 64;
/// Most items that are taken of what need not lie in memory, such as a range or a generator: as many as a group has flows.
const MOST_ITEMS: usize = 1 << 22;

/// A value's class, as far as reading it goes.
#[derive(Clone, Copy)]
enum Class {
    Part(&'static Part),
    /// One whose instances tell the part that they stand for, such as controls of one's own.
    StandsFor,
    Other,
}

/// Takes values, and holds the parts among them.
pub struct Taker<'py> {
    py: Python<'py>,
    /// The parts that were met.
    pub held: Vec<Bound<'py, PyAny>>,
    classes: FxHashMap<usize, Class>,
    depth: usize,
}

impl<'py> Taker<'py> {
    /// One that holds nothing yet.
    pub fn new(py: Python<'py>) -> Self {
        Taker { py, held: Vec::new(), classes: FxHashMap::default(), depth: 0 }
    }

    /// A value as the crate reads it.
    pub fn given(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Given> {
        if let Ok(text) = value.cast_exact::<PyString>() {
            return text_of(text);
        }
        if let Ok(number) = value.cast_exact::<PyFloat>() {
            return Ok(Given::Number(number.value()));
        }
        if let Ok(flag) = value.cast_exact::<PyBool>() {
            return Ok(Given::Flag(flag.is_true()));
        }
        if let Ok(whole) = value.cast_exact::<PyInt>() {
            return whole_of(whole.as_any());
        }
        if value.is_none() {
            return Ok(Given::Nothing);
        }
        match self.class_of(&value.get_type()) {
            Class::Part(part) => Ok(self.hold(part, value)),
            Class::StandsFor => self.nested(value, Self::stood_for),
            Class::Other => self.nested(value, Self::other),
        }
    }

    /// The canonical form of a held part.
    pub fn canonical(&self, index: usize) -> PyResult<Value> {
        let write = self.py.import("parshall.scenario.canonical")?.getattr("canonical_json")?;
        let part = self.held.get(index).ok_or_else(|| PyValueError::new_err("a part that was not held"))?;
        let text: String = write.call1((part,))?.extract()?;
        serde_json::from_str(&text).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn hold(&mut self, part: &'static Part, value: &Bound<'py, PyAny>) -> Given {
        self.held.push(value.clone());
        Given::Held(Held { part, index: self.held.len() - 1 })
    }

    fn class_of(&mut self, class: &Bound<'py, PyType>) -> Class {
        match self.classes.entry(class.as_ptr() as usize) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => *place.insert(class_of(class)),
        }
    }

    /// The part that an object stands for.
    fn stood_for(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Given> {
        match value.get_type().call_method1(intern!(self.py, "__scenario_part__"), (value,)) {
            Ok(part) => self.given(&part),
            Err(error) => fault_of(self.py, &error).map(|fault| Given::Wrong(Box::new(fault))).ok_or(error),
        }
    }

    /// A value that may hold others.
    fn nested(
        &mut self,
        value: &Bound<'py, PyAny>,
        take: fn(&mut Self, &Bound<'py, PyAny>) -> PyResult<Given>,
    ) -> PyResult<Given> {
        if self.depth == DEEPEST {
            return unfit(value, "too deep to read");
        }
        self.depth += 1;
        let taken = take(self, value);
        self.depth -= 1;
        taken
    }

    /// Lists and tables, and what libraries have for them. One whose methods raise is a value that no field takes.
    fn other(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Given> {
        match self.several(value) {
            Err(error) if error.is_instance_of::<PyException>(self.py) => unfit(value, "that cannot be read"),
            taken => taken,
        }
    }

    /// Lists and tables; and what Python's libraries have for numbers and text.
    fn several(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Given> {
        if let Ok(items) = value.cast_exact::<PyTuple>() {
            return self.list(items.iter());
        }
        if let Ok(items) = value.cast_exact::<PyList>() {
            return self.list(items.iter());
        }
        if let Ok(table) = value.cast_exact::<PyDict>() {
            // A copy: methods of what is in it may change it.
            return self.table(&table.items());
        }
        if let Ok(class) = value.cast::<PyType>() {
            let name = class.name()?;
            let fault = Fault::new(
                "",
                format!("the class {name}"),
                format!("one of it: {name}({})", arguments(class)?),
            );
            return Ok(Given::Wrong(Box::new(fault)));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return text_of(text);
        }
        if let Ok(table) = value.cast::<PyMapping>() {
            return self.table(&table.items()?);
        }
        if value.hasattr(intern!(self.py, "tolist"))? && !value.is_instance_of::<PyMemoryView>() {
            let plain = value.call_method0(intern!(self.py, "tolist"))?;
            if !plain.get_type().is(value.get_type()) {
                return self.given(&plain);
            }
        }
        if let Some(number) = self.number(value)? {
            return Ok(number);
        }
        if self.is_list(value)? {
            let items = value.try_iter()?.take(MOST_ITEMS + 1).collect::<PyResult<Vec<_>>>()?;
            if items.len() <= MOST_ITEMS {
                return self.list(items.into_iter());
            }
        }
        Ok(Given::Other(shown(value)?))
    }

    /// True for what has items in an order, and not too many: sequences other than bytes, and generators.
    fn is_list(&self, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        if value.cast::<PyIterator>().is_ok() {
            return Ok(true);
        }
        let bytes = value.is_instance_of::<PyMemoryView>() || value.hasattr(intern!(self.py, "decode"))?;
        Ok(!bytes && value.cast::<PySequence>().is_ok() && value.len()? <= MOST_ITEMS)
    }

    fn list(&mut self, items: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Given> {
        items.map(|item| self.given(&item)).collect::<PyResult<_>>().map(Given::List)
    }

    fn table(&mut self, items: &Bound<'py, PyList>) -> PyResult<Given> {
        let entry = |item: Bound<'py, PyAny>| {
            let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item.extract()?;
            match key.cast::<PyString>().map(|text| text.to_str().map(ToOwned::to_owned)) {
                Ok(Ok(text)) => Ok((text, self.given(&value)?)),
                _ => {
                    let key = shown_key(&key)?;
                    let fault = Fault::new("", "a key that is no text", "text");
                    Ok((key, Given::Wrong(Box::new(fault))))
                }
            }
        };
        items.iter().map(entry).collect::<PyResult<_>>().map(Given::Table)
    }

    /// A number of a class that is none of Python's built-in ones.
    fn number(&self, value: &Bound<'py, PyAny>) -> PyResult<Option<Given>> {
        let is = |module: &str, class: &str| value.is_instance(&self.py.import(module)?.getattr(class)?);
        if is("decimal", "Decimal")? {
            let finite: bool = value.call_method0("is_finite")?.extract()?;
            let digits = value.str()?.to_str()?.to_owned();
            return Ok(Some(if finite { Given::Decimal(digits) } else { Given::Other(digits) }));
        }
        if is("numbers", "Integral")? {
            return whole_of(&value.call_method0("__int__")?).map(Some);
        }
        if is("numbers", "Real")? {
            // Beyond the range of a double it is no number that a field could take.
            let number = value.call_method0("__float__").and_then(|float| float.extract::<f64>());
            return Ok(Some(number.map_or_else(|_| Given::Number(f64::NAN), Given::Number)));
        }
        Ok(None)
    }
}

fn unfit(value: &Bound<'_, PyAny>, how: &str) -> PyResult<Given> {
    Ok(Given::Other(format!("a {} {how}", value.get_type().name()?)))
}

fn class_of(class: &Bound<'_, PyType>) -> Class {
    part_of_class(class).map(Class::Part).unwrap_or_else(|| match class.hasattr("__scenario_part__") {
        Ok(true) => Class::StandsFor,
        _ => Class::Other,
    })
}

/// The part that a class is made of, if it is one of `parshall.scenario.base.Part`.
fn part_of_class(class: &Bound<'_, PyType>) -> Option<&'static Part> {
    static PART: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let base = PART.import(class.py(), "parshall.scenario.base", "Part").ok()?;
    let is_part = class.is_subclass(base).unwrap_or(false);
    let name: String = class.getattr("_part").ok().filter(|_| is_part)?.extract().ok()?;
    part_named(&name)
}

/// Text in the brackets of a call that makes an instance: empty where nothing is needed.
fn arguments(class: &Bound<'_, PyType>) -> PyResult<&'static str> {
    Ok(match class_of(class) {
        Class::Part(part) if part.fields.iter().any(|field| field.default.is_none()) => "...",
        _ => "",
    })
}

fn text_of(text: &Bound<'_, PyString>) -> PyResult<Given> {
    // Lone surrogates are no text that a file could have.
    Ok(match text.to_str() {
        Ok(text) => Given::Text(text.to_owned()),
        Err(_) => Given::Other(escaped(text)?),
    })
}

/// Text with lone surrogates, in quotes, as JSON writes it.
fn escaped(text: &Bound<'_, PyString>) -> PyResult<String> {
    text.py().import("json")?.call_method1("dumps", (text,))?.extract()
}

/// A key that is no text as a step of a path.
fn shown_key(key: &Bound<'_, PyAny>) -> PyResult<String> {
    match key.cast::<PyString>() {
        Ok(text) => Ok(escaped(text)?.trim_matches('"').to_owned()),
        Err(_) => shown(key),
    }
}

fn whole_of(value: &Bound<'_, PyAny>) -> PyResult<Given> {
    if let Ok(whole) = value.extract::<i128>() {
        return Ok(Given::Whole(whole));
    }
    // Python refuses to write thousands of digits.
    Ok(match value.str() {
        Ok(digits) => Given::Decimal(digits.to_str()?.to_owned()),
        Err(_) => Given::Other(format!("a {} too long to show", value.get_type().name()?)),
    })
}

/// A value on one line.
fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.str()?.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
}
