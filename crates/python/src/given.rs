//! A scenario as Python gives it: as JSON, or as the objects that it is made of.
//!
//! Objects are read piece by piece. A hundred thousand links tend to differ in their ends, rate and delay only, flows in
//! their name, ends and start: these are set in a copy of the one before. Any other item is written as JSON and read at
//! once, through a text that stays in the nearest cache.

use parshall_sim::scenario::{push_alike, Alike, Scenario};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{IntoPyDict, PyDict, PyFloat, PyInt, PyString, PyTuple, PyType};
use serde::de::value::{Error, SeqDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

use crate::canonical::{canonical_json, Writer};

/// A scenario to read.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// Its canonical JSON.
    Text(PyBackedStr),
    /// Its model, and what [`canonical_json`] is told besides.
    Model(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>),
}

impl Given<'_> {
    /// The scenario itself.
    ///
    /// # Errors
    /// `ValueError` for what is no scenario, and what the model itself raises.
    pub fn read(&self) -> PyResult<Scenario> {
        match self {
            Given::Text(text) => parse(text),
            Given::Model(model, fields, other) => {
                let mut writer = Writer::new(fields.clone(), other.clone());
                // The whole text shows what is wrong, and where.
                piecewise(model, &mut writer).or_else(|_| parse(&canonical_json(model, fields, other)?))
            }
        }
    }
}

/// Reads the JSON of a scenario.
pub fn parse(text: &str) -> PyResult<Scenario> {
    from_json(text.as_bytes())
}

fn from_json<T: DeserializeOwned>(text: &[u8]) -> PyResult<T> {
    serde_json::from_slice(text).map_err(|error| PyValueError::new_err(format!("not a scenario: {error}")))
}

/// The fields that may be long.
const LISTS: [&str; 4] = ["hosts", "routers", "links", "flows"];

fn piecewise<'py>(model: &Bound<'py, PyAny>, writer: &mut Writer<'py>) -> PyResult<Scenario> {
    let py = model.py();
    let emptied = LISTS.map(|name| (name, PyTuple::empty(py))).into_py_dict(py)?;
    let keywords = PyDict::new(py);
    keywords.set_item("update", emptied)?;
    let rest = model.call_method("model_copy", (), Some(&keywords))?;
    let mut scenario: Scenario = writer.once(&rest, from_json)?;
    let list = |name| Ok::<_, PyErr>(model.getattr(name)?.cast_into::<PyTuple>()?);
    scenario.hosts = names(&list("hosts")?)?;
    scenario.routers = names(&list("routers")?)?;
    scenario.links = alike(&list("links")?, writer)?;
    scenario.flows = alike(&list("flows")?, writer)?;
    Ok(scenario)
}

fn names<T: for<'a> From<&'a str>>(items: &Bound<'_, PyTuple>) -> PyResult<Vec<T>> {
    items.iter().map(|item| Ok(item.cast::<PyString>()?.to_str()?.into())).collect()
}

fn alike<'py, T: Alike + DeserializeOwned>(
    items: &Bound<'py, PyTuple>,
    writer: &mut Writer<'py>,
) -> PyResult<Vec<T>> {
    let mut list: Vec<T> = Vec::with_capacity(items.len());
    let mut before: Option<Fields<'py>> = None;
    for item in items {
        let fields = if writer.is_model(&item)? { Some(Fields::of(&item)?) } else { None };
        let copy = match (&before, &fields, list.last()) {
            (Some(before), Some(fields), Some(read)) => copied(read, before, fields, writer)?,
            _ => None,
        };
        match copy {
            Some(copy) => list.push(copy),
            None => push_alike(&mut list, writer.once(&item, from_json)?),
        }
        before = fields;
    }
    Ok(list)
}

/// The fields of a model: their names and values.
struct Fields<'py> {
    class: Bound<'py, PyType>,
    values: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
}

impl<'py> Fields<'py> {
    fn of(model: &Bound<'py, PyAny>) -> PyResult<Self> {
        let values: Bound<'py, PyDict> = model.getattr(intern!(model.py(), "__dict__"))?.cast_into()?;
        Ok(Fields { class: model.get_type(), values: values.iter().collect() })
    }

    /// Name and both values of each field of two models; none unless both are of one class and have the same fields in
    /// the same order.
    fn beside<'a>(&'a self, other: &'a Self) -> Option<impl Iterator<Item = [&'a Bound<'py, PyAny>; 3]>> {
        let names = || self.values.iter().zip(&other.values).all(|(own, other)| own.0.is(&other.0));
        let alike = self.class.is(&other.class) && self.values.len() == other.values.len() && names();
        let fields = self.values.iter().zip(&other.values);
        alike.then(|| fields.map(|((name, own), (_, other))| [name, own, other]))
    }
}

/// The value that a part stands for, if it has the values of the one `before`, which was read as `read`, but for some that can
/// be set.
fn copied<'py, T: Alike>(
    read: &T,
    before: &Fields<'py>,
    model: &Fields<'py>,
    writer: &mut Writer<'py>,
) -> PyResult<Option<T>> {
    let Some(fields) = before.beside(model) else {
        return Ok(None);
    };
    let mut copy = read.clone();
    for [name, known, value] in fields {
        // What JSON leaves out has the engine's default, whatever a class of the user's says.
        let settled = same(known, value, writer)?
            || writer.writes(&model.class, name, value)? && set(&mut copy, name, value).is_some();
        if !settled {
            return Ok(None);
        }
    }
    Ok(Some(copy))
}

/// True for two values that are seen to be the same without much ado; they may be equal even if not.
fn same<'py>(
    first: &Bound<'py, PyAny>,
    second: &Bound<'py, PyAny>,
    writer: &mut Writer<'py>,
) -> PyResult<bool> {
    if first.is(second) {
        return Ok(true);
    }
    if let (Ok(first), Ok(second)) = (first.cast_exact::<PyFloat>(), second.cast_exact::<PyFloat>()) {
        return Ok(first.value().to_bits() == second.value().to_bits());
    }
    if first.is_exact_instance_of::<PyString>() || first.is_exact_instance_of::<PyInt>() {
        return Ok(first.get_type_ptr() == second.get_type_ptr() && first.eq(second)?);
    }
    if first.get_type_ptr() != second.get_type_ptr() || !writer.is_model(first)? {
        return Ok(false);
    }
    let (first, second) = (Fields::of(first)?, Fields::of(second)?);
    let Some(fields) = first.beside(&second) else {
        return Ok(false);
    };
    for [_, first, second] in fields {
        if !same(first, second, writer)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sets a field to a text, a number or a pair of texts, if it is one that can be set to that.
fn set<T: Alike>(item: &mut T, field: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Option<()> {
    let field = field.cast::<PyString>().ok()?.to_str().ok()?;
    let done: Result<bool, Error> = if let Ok(text) = value.cast_exact::<PyString>() {
        item.set(field, text.to_str().ok()?.into_deserializer())
    } else if let Ok(number) = value.cast_exact::<PyFloat>() {
        item.set(field, Some(number.value()).filter(|number| number.is_finite())?.into_deserializer())
    } else {
        let (first, second): (Bound<'_, PyString>, Bound<'_, PyString>) = value.extract().ok()?;
        item.set(field, SeqDeserializer::new([first.to_str().ok()?, second.to_str().ok()?].into_iter()))
    };
    done.ok()?.then_some(())
}
