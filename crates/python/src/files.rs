//! Scenario files, read by `parshall-scenario`.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

use parshall_scenario::{
    json_schema, slow_links, Fault, Faults, Given, Scenario, ScenarioFile, Surroundings, Toml,
};
use parshall_sim::Expected;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pyo3::IntoPyObjectExt;
use serde_json::{Map, Value};

use crate::simulator::compile;

/// Adds the readers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ReadScenario>()?;
    module.add_function(wrap_pyfunction!(read_scenario, module)?)?;
    module.add_function(wrap_pyfunction!(toml_tables, module)?)?;
    module.add_function(wrap_pyfunction!(toml_lines, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_schema, module)?)
}

/// A fault as Python gets it: path, value, what was expected, line.
pub type PyFault = (String, String, String, Option<usize>);

/// A scenario that was read from a file.
#[pyclass(module = "parshall._core", frozen)]
pub struct ReadScenario {
    title: String,
    canonical_json: String,
    hash: String,
    counts: (usize, usize, usize, usize),
    duration: f64,
    slow_links: Option<String>,
    /// Moved into the plan by the first check: with very many flows a copy takes time and memory.
    scenario: Mutex<Option<Scenario>>,
}

impl ReadScenario {
    fn new(read: &ScenarioFile) -> Result<Self, Faults> {
        // Both take a second or two of a million flows.
        let (written, scenario) = thread::scope(|scope| {
            let written = scope.spawn(|| {
                let text = read.canonical_json();
                let hash = parshall_scenario::hashed(&text);
                (text, hash)
            });
            let scenario = read.scenario();
            (written.join().unwrap_or_else(|panic| resume_unwind(panic)), scenario)
        });
        let ((canonical_json, hash), scenario) = (written, scenario?);
        let Scenario { hosts, routers, links, flows, duration, .. } = &scenario;
        Ok(ReadScenario {
            title: read.title.clone(),
            canonical_json,
            hash,
            counts: (hosts.len(), routers.len(), links.len(), flows.len()),
            duration: duration.secs(),
            slow_links: slow_links(&scenario),
            scenario: Mutex::new(Some(scenario)),
        })
    }

    fn taken(&self) -> Result<Scenario, Faults> {
        let kept = self.scenario.lock().ok().and_then(|mut scenario| scenario.take());
        kept.map_or_else(|| Scenario::from_json(&self.canonical_json), Ok)
    }
}

#[pymethods]
impl ReadScenario {
    /// Text for people.
    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    /// Numbers of hosts, routers, links and flows.
    #[getter]
    fn counts(&self) -> (usize, usize, usize, usize) {
        self.counts
    }

    /// Simulated seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.duration
    }

    /// The canonical JSON.
    #[getter]
    fn canonical_json(&self) -> &str {
        &self.canonical_json
    }

    /// The SHA-256 of the canonical JSON, in hexadecimal.
    #[getter]
    fn hash(&self) -> &str {
        &self.hash
    }

    /// A sentence about links that send no packet in the time of the run; none where there are none.
    #[getter]
    fn slow_links(&self) -> Option<&str> {
        self.slow_links.as_deref()
    }

    /// The expense of a run: packets, events, seconds and bytes of memory. Raises ScenarioError for what needs the whole
    /// network.
    fn check(&self, py: Python<'_>) -> PyResult<(f64, f64, f64, f64)> {
        let scenario = self.taken().map_err(|faults| PyValueError::new_err(faults.to_string()))?;
        let plan = compile(py, scenario)?;
        let Expected { packets, events, seconds, bytes } = py.detach(|| Expected::of(&plan));
        Ok((packets, events, seconds, bytes))
    }
}

/// Reads the text of a scenario file. `find` finds the code of a part of the user's own from the name of its class in a scenario,
/// its source, the values of its parameters and the folder. The answer is the scenario, or the faults.
#[pyfunction]
fn read_scenario(
    text: &str,
    is_json: bool,
    folder: Option<PathBuf>,
    find: &Bound<'_, PyAny>,
) -> PyResult<(Option<ReadScenario>, Vec<PyFault>)> {
    let raised = RefCell::new(None);
    let finder = Finder { find, folder: folder.as_ref(), raised: &raised };
    let find_own = |part: &str, source: &str, values: &Map<String, Value>| finder.found(part, source, values);
    let surroundings =
        Surroundings { folder: folder.as_deref(), find_own: Some(&find_own), ..Surroundings::default() };
    let read =
        if is_json { ScenarioFile::json(text, surroundings) } else { ScenarioFile::toml(text, surroundings) };
    if let Some(error) = raised.take() {
        return Err(error);
    }
    Ok(match find.py().detach(|| read.and_then(|read| ReadScenario::new(&read))) {
        Ok(made) => (Some(made), Vec::new()),
        Err(faults) => (None, py_faults(&faults)),
    })
}

/// All faults as Python gets them.
pub fn py_faults(faults: &Faults) -> Vec<PyFault> {
    let each = |fault: &Fault| (fault.path.clone(), fault.value.clone(), fault.expected.clone(), fault.line);
    faults.all().iter().map(each).collect()
}

/// Finds the code of parts of the user's own by a function of Python's.
pub struct Finder<'a, 'py> {
    /// Called with the name of the part's class, the source, the values of the parameters and the folder.
    pub find: &'a Bound<'py, PyAny>,
    /// The folder in which modules and libraries are looked for.
    pub folder: Option<&'a PathBuf>,
    /// The first exception that tells of no fault.
    pub raised: &'a RefCell<Option<PyErr>>,
}

impl Finder<'_, '_> {
    /// The keys `form`, `source` and `code`; or the fault.
    pub fn found(
        &self,
        part: &str,
        source: &str,
        values: &Map<String, Value>,
    ) -> Result<Map<String, Value>, Fault> {
        self.called(part, source, values).map_err(|error| {
            fault_of(self.find.py(), &error).unwrap_or_else(|| {
                self.raised.borrow_mut().get_or_insert(error);
                Fault::new("", "", "")
            })
        })
    }

    fn called(&self, part: &str, source: &str, values: &Map<String, Value>) -> PyResult<Map<String, Value>> {
        let values = python_of(self.find.py(), &Given::from(&Value::Object(values.clone())))?;
        let (form, source, code): (String, String, String) =
            self.find.call1((part, source, values, self.folder))?.extract()?;
        let entries = [("form", form), ("source", source), ("code", code)];
        Ok(entries.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect())
    }
}

/// The fault that an error of the package tells of; none for any other error.
pub fn fault_of(py: Python<'_>, error: &PyErr) -> Option<Fault> {
    let value = error.value(py);
    let text = |name| value.getattr(name).ok()?.extract::<String>().ok();
    Some(Fault::new(text("path")?, text("value")?, text("expected")?))
}

/// The tables of a text in TOML, or the fault.
#[pyfunction]
fn toml_tables(py: Python<'_>, text: &str) -> PyResult<(Option<Py<PyAny>>, Vec<PyFault>)> {
    let toml = match Toml::new(text) {
        Ok(toml) => toml,
        Err(faults) => return Ok((None, py_faults(&faults))),
    };
    match python_of(py, &toml.given()) {
        Ok(tables) => Ok((Some(tables.unbind()), Vec::new())),
        // A leap second, or the year 0: a date for TOML, none for Python.
        Err(error) => {
            let value = format!("text that is not TOML: {}", error.value(py));
            Ok((None, vec![(String::new(), value, "a scenario file".to_owned(), None)]))
        }
    }
}

/// The lines of paths in a text in TOML, or of the closest thing around each.
#[pyfunction]
fn toml_lines(text: &str, paths: Vec<String>) -> Vec<Option<usize>> {
    let toml = Toml::new(text).ok();
    paths.iter().map(|path| toml.as_ref()?.line(path)).collect()
}

/// A value as Python's own reader of TOML gives it.
fn python_of<'py>(py: Python<'py>, value: &Given) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Given::Flag(flag) => flag.into_bound_py_any(py),
        Given::Whole(whole) => whole.into_bound_py_any(py),
        Given::Number(number) => number.into_bound_py_any(py),
        Given::Text(text) => text.into_bound_py_any(py),
        Given::Other(text) => moment(py, text),
        Given::List(items) => {
            let items: Vec<_> = items.iter().map(|item| python_of(py, item)).collect::<PyResult<_>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
        Given::Table(entries) => {
            let table = PyDict::new(py);
            entries.iter().try_for_each(|(key, value)| table.set_item(key, python_of(py, value)?))?;
            Ok(table.into_any())
        }
        _ => Ok(py.None().into_bound(py)),
    }
}

/// A date, a time, or both.
fn moment<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let datetime = py.import("datetime")?;
    let text = text.replace('Z', "+00:00");
    let read = |class| datetime.getattr(class)?.call_method1("fromisoformat", (&text,));
    read("date").or_else(|_| read("datetime")).or_else(|_| read("time"))
}

/// The JSON Schema of scenario files.
#[pyfunction]
fn scenario_schema() -> String {
    json_schema()
}
