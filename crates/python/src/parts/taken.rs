//! Values of Python as the crate reads them: what is no part itself is copied, parts are held.

use std::collections::hash_map::Entry;

use parshall_scenario::{Fault, Given, Held, Part};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PySequence, PyString, PyTuple, PyType};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::part_named;
use crate::files::fault_of;

/// Lists and tables in one another that are read.
const DEEPEST: usize = 64;

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
            Class::StandsFor => self.stood_for(value),
            Class::Other => self.deeper(value),
        }
    }

    /// The canonical form of a held part.
    pub fn canonical(&self, index: usize) -> PyResult<Value> {
        let write = self.py.import("parshall.scenario.canonical")?.getattr("canonical_json")?;
        let text: String = write.call1((&self.held[index],))?.extract()?;
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

    fn deeper(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Given> {
        if self.depth == DEEPEST {
            return Ok(Given::Other(format!("a {} too deep to read", value.get_type().name()?)));
        }
        self.depth += 1;
        let taken = self.several(value);
        self.depth -= 1;
        taken
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
            return self.table(table.iter());
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
            let items = table.items()?;
            let pairs = items.iter().map(|item| item.extract()).collect::<PyResult<Vec<_>>>()?;
            return self.table(pairs.into_iter());
        }
        if value.hasattr(intern!(self.py, "tolist"))? {
            let plain = value.call_method0(intern!(self.py, "tolist"))?;
            if !plain.get_type().is(value.get_type()) {
                return self.given(&plain);
            }
        }
        if let Some(number) = self.number(value)? {
            return Ok(number);
        }
        if let Ok(items) = value.cast::<PySequence>() {
            if !value.hasattr(intern!(self.py, "decode"))? {
                let items = items.try_iter()?.collect::<PyResult<Vec<_>>>()?;
                return self.list(items.into_iter());
            }
        }
        Ok(Given::Other(shown(value)?))
    }

    fn list(&mut self, items: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Given> {
        items.map(|item| self.given(&item)).collect::<PyResult<_>>().map(Given::List)
    }

    fn table(
        &mut self,
        entries: impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    ) -> PyResult<Given> {
        let entry = |(key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
            Ok((key.str()?.to_str().unwrap_or("?").to_owned(), self.given(&value)?))
        };
        entries.map(entry).collect::<PyResult<_>>().map(Given::Table)
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

fn class_of(class: &Bound<'_, PyType>) -> Class {
    let name: Option<String> = class.getattr("_part").ok().and_then(|name| name.extract().ok());
    if let Some(part) = name.as_deref().and_then(part_named) {
        return Class::Part(part);
    }
    match class.hasattr("__scenario_part__") {
        Ok(true) => Class::StandsFor,
        _ => Class::Other,
    }
}

/// What stands in the brackets of a call that makes an instance: nothing where nothing is needed.
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
        Err(_) => Given::Other(text.repr()?.to_str()?.to_owned()),
    })
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
