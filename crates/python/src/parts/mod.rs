//! Parts of scenarios between Python's classes and `parshall-scenario`, which reads and checks them.

mod made;
mod taken;

use std::cell::RefCell;
use std::path::PathBuf;

use parshall_scenario::parts::DUMBBELL;
use parshall_scenario::{
    all_parts, described, dumbbell_of_file, part_schema, read_file, read_part, read_quantity, Dumbbell,
    Fault, Faults, Given, Part, Surroundings,
};
use pyo3::exceptions::PyKeyError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::{Map, Value};

use crate::files::{py_faults, Finder, PyFault};
use made::Maker;
use taken::Taker;

/// Adds the readers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(part_fields, module)?)?;
    module.add_function(wrap_pyfunction!(file_fields, module)?)?;
    module.add_function(wrap_pyfunction!(network_fields, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_parts, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_part_schema, module)?)?;
    module.add_function(wrap_pyfunction!(known_keys, module)?)?;
    module.add_function(wrap_pyfunction!(mahimahi_times, module)?)?;
    module.add_function(wrap_pyfunction!(quantity, module)?)
}

type Fields<'py> = Option<Bound<'py, PyDict>>;

/// The fields of a part that are not at their defaults, of what was given as a mapping from names to values; or the
/// faults. Parts among the values are kept as they are. `find` is that of `read_scenario`.
#[pyfunction]
fn part_fields<'py>(
    name: &str,
    given: &Bound<'py, PyAny>,
    folder: Option<PathBuf>,
    find: &Bound<'py, PyAny>,
) -> PyResult<(Fields<'py>, Vec<PyFault>)> {
    let part = part_of(name)?;
    let read = |given: &Given, surroundings: Surroundings<'_>| {
        read_part(part, given, surroundings).map(|table| (part, table))
    };
    fields_read(given, folder, find, read).map(|(_, fields, faults)| (fields, faults))
}

/// The name of the part that the tables of a file stand for, and its fields; or the faults.
#[pyfunction]
fn file_fields<'py>(
    given: &Bound<'py, PyAny>,
    folder: Option<PathBuf>,
    find: &Bound<'py, PyAny>,
) -> PyResult<(&'static str, Fields<'py>, Vec<PyFault>)> {
    let read = |given: &Given, surroundings: Surroundings<'_>| {
        let (part, table) = read_file(given, surroundings)?;
        if std::ptr::eq(part, &DUMBBELL) {
            dumbbell_of_file(table.clone())?;
        }
        Ok((part, table))
    };
    fields_read(given, folder, find, read)
}

fn fields_read<'py>(
    given: &Bound<'py, PyAny>,
    folder: Option<PathBuf>,
    find: &Bound<'py, PyAny>,
    read: impl FnOnce(&Given, Surroundings<'_>) -> Result<(&'static Part, Map<String, Value>), Faults>,
) -> PyResult<(&'static str, Fields<'py>, Vec<PyFault>)> {
    let py = given.py();
    let mut taker = Taker::new(py);
    let given = taker.given(given)?;
    let raised = RefCell::new(None);
    let finder = Finder { find, folder: folder.as_ref(), raised: &raised };
    let find_own = |part: &str, source: &str, values: &Map<String, Value>| finder.found(part, source, values);
    let held = |index: usize| {
        taker.canonical(index).unwrap_or_else(|error| {
            raised.borrow_mut().get_or_insert(error);
            Value::Null
        })
    };
    let surroundings =
        Surroundings { folder: folder.as_deref(), find_own: Some(&find_own), held: Some(&held) };
    let read = read(&given, surroundings);
    if let Some(error) = raised.take() {
        return Err(error);
    }
    match read {
        Ok((part, table)) => {
            let fields = Maker::new(py, &taker.held)?.fields(part, &table)?;
            Ok((part.name, Some(fields), Vec::new()))
        }
        Err(faults) => Ok(("", None, py_faults(&faults))),
    }
}

/// The fields of the network that a dumbbell in its canonical form stands for; or the fault.
#[pyfunction]
fn network_fields<'py>(
    py: Python<'py>,
    dumbbell: &str,
) -> PyResult<(Option<Bound<'py, PyDict>>, Vec<PyFault>)> {
    let unread = |error: serde_json::Error| Fault::new("", error.to_string(), "a dumbbell").into();
    match serde_json::from_str(dumbbell).map_err(unread).and_then(Dumbbell::new) {
        Ok(bell) => Ok((Some(network(py, &bell)?), Vec::new())),
        Err(faults) => Ok((None, py_faults(&faults))),
    }
}

fn network<'py>(py: Python<'py>, bell: &Dumbbell) -> PyResult<Bound<'py, PyDict>> {
    let (of_link, of_flow) = (part_of("Link")?, part_of("Flow")?);
    let maker = Maker::new(py, &[])?;
    let [link, flow] = [maker.class(of_link)?, maker.class(of_flow)?];
    let groups = bell.templates().map(|[flow, left, right]| {
        let fields = |table| maker.fields(of_link, table);
        Ok::<_, PyErr>((maker.fields(of_flow, flow)?, [fields(left)?, fields(right)?]))
    });
    let groups = groups.collect::<PyResult<Vec<_>>>()?;
    let mut links = vec![link.of(&maker.fields(of_link, &bell.bottleneck)?)?];
    let mut flows = Vec::with_capacity(bell.count());
    for member in bell.members() {
        let (common, sides) = &groups[member.group];
        for (side, ends) in sides.iter().zip(member.links()) {
            let made = link.of(side)?;
            made.1.set_item(intern!(py, "between"), PyTuple::new(py, ends)?)?;
            made.1.set_item(intern!(py, "delay"), member.delay)?;
            links.push(made);
        }
        let made = flow.of(common)?;
        let [source, destination] = member.ends();
        made.1.set_item(intern!(py, "name"), &member.name)?;
        made.1.set_item(intern!(py, "source"), source)?;
        made.1.set_item(intern!(py, "destination"), destination)?;
        if member.start != 0.0 {
            made.1.set_item(intern!(py, "start"), member.start)?;
        }
        flows.push(made);
    }
    let names = ['s', 'd'].into_iter().flat_map(|side| (1..=bell.count()).map(move |n| format!("{side}{n}")));
    let network = maker.fields(part_of("Scenario")?, &bell.common)?;
    network.set_item(intern!(py, "hosts"), PyTuple::new(py, names.collect::<Vec<_>>())?)?;
    network.set_item(intern!(py, "routers"), PyTuple::new(py, ["r0", "r1"])?)?;
    network.set_item(intern!(py, "links"), PyTuple::new(py, links.into_iter().map(|made| made.0))?)?;
    network.set_item(intern!(py, "flows"), PyTuple::new(py, flows.into_iter().map(|made| made.0))?)?;
    Ok(network)
}

/// All parts of scenarios and unions of their kinds, as JSON.
#[pyfunction]
fn scenario_parts() -> String {
    described()
}

/// The JSON Schema of a part.
#[pyfunction]
fn scenario_part_schema(name: &str) -> PyResult<String> {
    part_of(name).map(part_schema)
}

/// The key of a part that was meant by an unknown one, or those that there are.
#[pyfunction]
fn known_keys(key: &str, part: &str) -> PyResult<String> {
    Ok(parshall_scenario::known_keys(key, part_of(part)?))
}

/// A value in words, and what was expected.
type Words = (String, String);

/// A rate, a duration or a size in base units; or its value in words and what was expected.
#[pyfunction]
fn quantity(name: &str, given: &Bound<'_, PyAny>, zero: bool) -> PyResult<(Option<f64>, Option<Words>)> {
    let given = Taker::new(given.py()).given(given)?;
    match read_quantity(name, &given, zero) {
        Some(Ok(value)) => Ok((Some(value), None)),
        Some(Err(fault)) => Ok((None, Some((fault.value, fault.expected)))),
        None => Err(PyKeyError::new_err(format!("no kind of quantity is named {name}"))),
    }
}

/// A fault of a recorded capacity: its value, what was expected, the line, and true unless the file cannot be read.
type FileFault = (String, String, Option<usize>, bool);

/// The times of a file as Mahimahi keeps them, in seconds; or the fault.
#[pyfunction]
fn mahimahi_times(path: PathBuf) -> (Option<Vec<f64>>, Option<FileFault>) {
    match parshall_scenario::mahimahi_times(&path) {
        Ok(times) => (Some(times), None),
        Err(fault) => {
            let is_read = !fault.is_syntax();
            (None, Some((fault.value, fault.expected, fault.line, is_read)))
        }
    }
}

fn part_of(name: &str) -> PyResult<&'static Part> {
    part_named(name).ok_or_else(|| PyKeyError::new_err(format!("no part of a scenario is named {name}")))
}

/// The part of this name.
fn part_named(name: &str) -> Option<&'static Part> {
    use std::collections::HashMap;
    use std::sync::OnceLock;

    static PARTS: OnceLock<HashMap<&'static str, &'static Part>> = OnceLock::new();
    PARTS.get_or_init(|| all_parts().into_iter().map(|part| (part.name, part)).collect()).get(name).copied()
}
