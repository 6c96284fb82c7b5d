//! Parts of scenarios, read by `parshall-scenario`: Python's values go in, and those of the fields come out.

mod given;
mod made;

use std::cell::RefCell;
use std::path::PathBuf;

use parshall_scenario::{
    all_parts, json_schema, kinds_in, read, read_value, tables, Fault, Faults, Field, Part, Surroundings,
    Takes, Toml,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::{json, Map, Value};

use made::Classes;

/// Adds the readers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(read_part, module)?)?;
    module.add_function(wrap_pyfunction!(read_field, module)?)?;
    module.add_function(wrap_pyfunction!(read_whole, module)?)?;
    module.add_function(wrap_pyfunction!(read_file, module)?)?;
    module.add_function(wrap_pyfunction!(toml_tables, module)?)?;
    module.add_function(wrap_pyfunction!(toml_line, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_schema, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_parts, module)?)
}

/// A fault as Python gets it: path, value, what was expected, line.
type Told = (String, String, String, Option<usize>);
/// What was read, or the faults.
type Answer = (Option<Py<PyAny>>, Vec<Told>);

/// Reads a part by its name from the values of its fields. `classes` are those of the parts by their names, `make` makes
/// an instance of one from the values of its fields, `find` finds the code of a control. The answer is a dictionary of the
/// fields that are not at their defaults, or the faults.
#[pyfunction]
fn read_part(
    name: &str,
    values: &Bound<'_, PyAny>,
    folder: Option<PathBuf>,
    classes: &Bound<'_, PyDict>,
    make: &Bound<'_, PyAny>,
    find: &Bound<'_, PyAny>,
) -> PyResult<Answer> {
    let part = part_named(name)?;
    let py = values.py();
    let outcome = reading(find, folder, |surroundings| {
        let given = given::table(values, part.has_check(), false)?;
        Ok(match read(part, &given, surroundings) {
            // Texts of parts are only wanted for messages, and take long.
            Err(_) => read(part, &given::table(values, part.has_check(), true)?, surroundings),
            read => read,
        })
    })?;
    let classes = Classes { classes, make };
    answer(py, outcome, |table| Ok(classes.fields(part, &table, Some(values))?.into_any()))
}

/// Reads the value of one field.
#[pyfunction]
fn read_field(part: &str, field: &str, value: &Bound<'_, PyAny>) -> PyResult<Answer> {
    let field = part_named(part)?.field(field).ok_or_else(|| PyValueError::new_err("no such field"))?;
    let read = read_value(&field.takes, &given::value(value, false, true)?, Surroundings::default());
    answer(value.py(), read, |read| made::plain(value.py(), &read))
}

/// Reads a whole number in a range.
#[pyfunction]
fn read_whole(value: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<Answer> {
    let read = read_value(
        &Takes::Whole { least, most },
        &given::value(value, false, true)?,
        Surroundings::default(),
    );
    answer(value.py(), read, |read| made::plain(value.py(), &read))
}

/// Reads the tables of a scenario file: those of its text, or those that are given. The answer is the name of a part and
/// the dictionary of [`read_part`].
#[pyfunction]
fn read_file(
    file: &Bound<'_, PyAny>,
    folder: Option<PathBuf>,
    classes: &Bound<'_, PyDict>,
    make: &Bound<'_, PyAny>,
    find: &Bound<'_, PyAny>,
) -> PyResult<Answer> {
    let py = file.py();
    let text = file.cast::<PyString>().ok().map(|text| text.to_str()).transpose()?;
    let outcome = reading(find, folder, |surroundings| {
        Ok(match text {
            Some(text) => Toml::new(text)
                .and_then(|toml| tables(&toml.given(), surroundings).map_err(|faults| toml.placed(faults))),
            None => tables(&given::table(file, false, true)?, surroundings),
        })
    })?;
    let classes = Classes { classes, make };
    answer(py, outcome, |(part, table)| {
        let fields = classes.fields(part, &table, None)?;
        Ok((part.name, fields).into_pyobject(py)?.into_any())
    })
}

/// The tables of a text in TOML.
#[pyfunction]
fn toml_tables(py: Python<'_>, text: &str) -> PyResult<Answer> {
    answer(py, Toml::new(text).map(|toml| toml.given()), |given| made::given(py, &given))
}

/// The line of a path in a text in TOML.
#[pyfunction]
fn toml_line(text: &str, path: &str) -> Option<usize> {
    Toml::new(text).ok()?.line(path)
}

/// The JSON Schema of scenario files.
#[pyfunction]
fn scenario_schema() -> String {
    json_schema()
}

/// The parts that scenario files are made of, as JSON: what Python's classes are generated from.
#[pyfunction]
fn scenario_parts() -> String {
    let parts: Vec<Value> = all_parts().into_iter().map(described).collect();
    Value::Array(parts).to_string()
}

fn described(part: &'static Part) -> Value {
    let fields: Vec<Value> = part.fields.iter().map(described_field).collect();
    json!({"name": part.name, "kind": part.kind, "noun": part.noun(), "text": part.text(), "fields": fields,
           "checked": part.has_check()})
}

fn described_field(field: &'static Field) -> Value {
    json!({"name": field.name, "text": field.text(), "takes": words(&field.takes),
           "required": field.default.is_none(),
           "default": field.default.map(|default| default.value())})
}

/// What a field takes, in the words that the generator of Python's classes knows.
fn words(takes: &Takes) -> Value {
    let names =
        |takes| kinds_in(takes).map(|kinds| kinds.parts.iter().map(|part| part.name).collect::<Vec<_>>());
    match takes {
        Takes::Rate { .. } => json!("rate"),
        Takes::Duration { .. } => json!("duration"),
        Takes::Size { .. } => json!("size"),
        Takes::Whole { .. } => json!("whole"),
        Takes::Real(_) => json!("real"),
        Takes::Level(_) => json!("level"),
        Takes::Flag => json!("flag"),
        Takes::Text => json!("text"),
        Takes::Name => json!("name"),
        Takes::CodePoint => json!("code point"),
        Takes::Treatment => json!("treatment"),
        Takes::Values => json!("values"),
        Takes::List { of, most: 2, .. } => json!({"pair": words(of)}),
        Takes::List { of, bare, .. } => json!({"list": words(of), "bare": bare}),
        Takes::Span(of) => json!({"pair": words(of)}),
        Takes::Instants => json!({"list": "duration", "bare": false}),
        Takes::DurationOrList => json!("duration or list"),
        Takes::Writes => json!("writes"),
        Takes::Choice(names) => json!({"choice": names}),
        Takes::Numbers(numbers) => json!({"choice": numbers}),
        Takes::Table(part) => json!({"table": part.name}),
        Takes::Tables(part) => json!({"tables": part.name}),
        Takes::OneOf(_) => json!({"one of": names(takes)}),
        Takes::EachOf(_) => json!({"each of": names(takes)}),
        Takes::TimeLaw => json!("time law"),
        Takes::NumberLaw => json!("number law"),
        Takes::Weight => json!("weight"),
        Takes::Control => json!("control"),
        Takes::Capacity => json!("capacity"),
    }
}

fn part_named(name: &str) -> PyResult<&'static Part> {
    let found = parshall_scenario::part_named(name);
    found.ok_or_else(|| PyValueError::new_err(format!("no part is called {name}")))
}

fn answer<'py, T>(
    py: Python<'py>,
    outcome: Result<T, Faults>,
    make: impl FnOnce(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Answer> {
    let _ = py;
    match outcome {
        Ok(read) => Ok((Some(make(read)?.unbind()), Vec::new())),
        Err(faults) => Ok((None, faults.all().iter().map(told).collect())),
    }
}

fn told(fault: &Fault) -> Told {
    (fault.path.clone(), fault.value.clone(), fault.expected.clone(), fault.line)
}

/// Reads with Python's way of finding controls, whose own errors are raised again.
fn reading<T>(
    find: &Bound<'_, PyAny>,
    folder: Option<PathBuf>,
    read: impl FnOnce(Surroundings<'_>) -> PyResult<Result<T, Faults>>,
) -> PyResult<Result<T, Faults>> {
    let raised = RefCell::new(None);
    let find_control = |source: &str, values: &Map<String, Value>| {
        found(find, source, values, folder.as_ref()).map_err(|error| {
            let fault = fault_of(find.py(), &error);
            if fault.is_none() {
                *raised.borrow_mut() = Some(error);
            }
            fault.unwrap_or_else(|| Fault::new("", "", ""))
        })
    };
    let surroundings = Surroundings { folder: folder.as_deref(), find_control: Some(&find_control) };
    let outcome = read(surroundings)?;
    raised.take().map_or(Ok(outcome), Err)
}

fn found(
    find: &Bound<'_, PyAny>,
    source: &str,
    values: &Map<String, Value>,
    folder: Option<&PathBuf>,
) -> PyResult<Map<String, Value>> {
    let values = made::plain(find.py(), &Value::Object(values.clone()))?;
    let (form, source, code): (String, String, String) = find.call1((source, values, folder))?.extract()?;
    Ok([("form", form), ("source", source), ("code", code)]
        .map(|(key, text)| (key.to_owned(), text.into()))
        .into_iter()
        .collect())
}

/// The fault that an error of the package tells of; none for any other error.
fn fault_of(py: Python<'_>, error: &PyErr) -> Option<Fault> {
    let value = error.value(py);
    let text = |name| value.getattr(name).ok()?.extract::<String>().ok();
    Some(Fault::new(text("path")?, text("value")?, text("expected")?))
}
