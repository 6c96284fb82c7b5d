//! A scenario as Python gives it: as JSON, or as the objects that it is made of.
//!
//! Objects are read piece by piece: each host, link and flow is written as JSON and read at once, so that a hundred
//! thousand of them pass through a text that stays in the nearest cache, instead of one of 35 MB.

use parshall_sim::scenario::{push_alike, Scenario};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};
use serde::de::DeserializeOwned;

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
    read_list(&list("hosts")?, writer, &mut scenario.hosts, Vec::push)?;
    read_list(&list("routers")?, writer, &mut scenario.routers, Vec::push)?;
    read_list(&list("links")?, writer, &mut scenario.links, push_alike)?;
    read_list(&list("flows")?, writer, &mut scenario.flows, push_alike)?;
    Ok(scenario)
}

fn read_list<'py, T: DeserializeOwned>(
    items: &Bound<'py, PyTuple>,
    writer: &mut Writer<'py>,
    list: &mut Vec<T>,
    push: fn(&mut Vec<T>, T),
) -> PyResult<()> {
    *list = Vec::with_capacity(items.len());
    for item in items {
        push(list, writer.once(&item, from_json)?);
    }
    Ok(())
}
