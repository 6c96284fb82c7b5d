//! Bindings of the simulator.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use numpy::IntoPyArray;
use parshall_sim::compile::{Folding, Plan};
use parshall_sim::record::{Column, Recording, Table};
use parshall_sim::run::{Batch, Job, ENGINE_VERSION};
use parshall_sim::scenario::Scenario;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

create_exception!(
    _core,
    ScenarioError,
    PyValueError,
    "A scenario that cannot be run. Its attributes path, value and expected say what is wrong."
);

/// Adds the simulator to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ENGINE_VERSION", ENGINE_VERSION)?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(simulate, module)?)?;
    module.add_function(wrap_pyfunction!(normalize, module)?)?;
    module.add_class::<PyBatch>()
}

fn scenario_error(py: Python<'_>, error: &parshall_sim::ScenarioError) -> PyErr {
    let raised = ScenarioError::new_err(error.to_string());
    let value = raised.value(py);
    for (name, text) in [("path", &error.path), ("value", &error.value), ("expected", &error.expected)] {
        if let Err(failed) = value.setattr(name, text) {
            return failed;
        }
    }
    raised
}

fn parse(scenario_json: &str) -> PyResult<Scenario> {
    serde_json::from_str(scenario_json)
        .map_err(|error| PyValueError::new_err(format!("not a scenario: {error}")))
}

fn plan(py: Python<'_>, scenario_json: &str) -> PyResult<Plan> {
    let scenario = parse(scenario_json)?;
    py.detach(|| Plan::new(&scenario, Folding::On)).map_err(|error| scenario_error(py, &error))
}

/// Checks a scenario as `simulate` does, without running it.
#[pyfunction]
fn check(py: Python<'_>, scenario_json: &str) -> PyResult<()> {
    plan(py, scenario_json).map(drop)
}

/// The scenario as the engine understands it, with every default filled in, as JSON.
#[pyfunction]
fn normalize(scenario_json: &str) -> PyResult<String> {
    serde_json::to_string(&parse(scenario_json)?).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Runs a scenario and returns its tables.
#[pyfunction]
fn simulate(py: Python<'_>, scenario_json: &str, seed: u64) -> PyResult<Py<PyDict>> {
    let plan = Arc::new(plan(py, scenario_json)?);
    let recording = py.detach(|| Job { plan, seed }.run());
    recording.map_err(PyRuntimeError::new_err).and_then(|recording| to_python(py, recording))
}

/// Runs under way on several threads.
#[pyclass(name = "Batch", module = "parshall._core")]
struct PyBatch {
    batch: Mutex<Option<Batch>>,
}

#[pymethods]
impl PyBatch {
    #[new]
    fn new(py: Python<'_>, jobs: Vec<(String, u64)>, threads: usize) -> PyResult<Self> {
        let mut plans: std::collections::HashMap<String, Arc<Plan>> = std::collections::HashMap::new();
        let mut planned = Vec::with_capacity(jobs.len());
        for (scenario_json, seed) in jobs {
            let shared = match plans.get(&scenario_json) {
                Some(shared) => shared.clone(),
                None => {
                    let shared = Arc::new(plan(py, &scenario_json)?);
                    plans.insert(scenario_json, shared.clone());
                    shared
                }
            };
            planned.push(Job { plan: shared, seed });
        }
        Ok(PyBatch { batch: Mutex::new(Some(Batch::start(planned, threads))) })
    }

    /// Finished runs as pairs of an index into the jobs and a result or an exception; an empty list when
    /// `timeout_s` seconds have passed without one, None when all are done.
    fn next(&self, py: Python<'_>, timeout_s: f64) -> PyResult<Option<Py<PyList>>> {
        let timeout = Duration::try_from_secs_f64(timeout_s)
            .map_err(|_| PyValueError::new_err(format!("timeout_s: got {timeout_s}, expected seconds")))?;
        let done = py.detach(|| self.lock().as_mut().and_then(|batch| batch.next(timeout)));
        let Some(done) = done else {
            return Ok(None);
        };
        let results = PyList::empty(py);
        for (index, result) in done {
            results.append((index, result_to_python(py, result)?))?;
        }
        Ok(Some(results.unbind()))
    }

    /// Starts no further run.
    fn cancel(&self) {
        if let Some(batch) = self.lock().as_ref() {
            batch.cancel();
        }
    }
}

impl PyBatch {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Batch>> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PyBatch {
    fn drop(&mut self) {
        // Waits for the runs under way, which need no Python.
        let batch = self.lock().take();
        Python::attach(|py| py.detach(|| drop(batch)));
    }
}

fn result_to_python(py: Python<'_>, result: Result<Recording, String>) -> PyResult<Py<PyAny>> {
    match result {
        Ok(recording) => Ok(to_python(py, recording)?.into_any()),
        Err(message) => Ok(PyRuntimeError::new_err(message).into_value(py).into_any()),
    }
}

fn to_python(py: Python<'_>, recording: Recording) -> PyResult<Py<PyDict>> {
    let result = PyDict::new(py);
    let names = PyDict::new(py);
    names.set_item("flows", recording.flows)?;
    names.set_item("ports", recording.ports)?;
    result.set_item("names", names)?;
    for table in recording.tables {
        result.set_item(table.name, table_to_python(py, table)?)?;
    }
    let captures = PyDict::new(py);
    for (port, bytes) in recording.captures {
        captures.set_item(port, PyBytes::new(py, &bytes))?;
    }
    result.set_item("pcap", captures)?;
    result.set_item("events", recording.events)?;
    Ok(result.unbind())
}

fn table_to_python(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table.columns {
        match column {
            Column::F64(values) => columns.set_item(name, values.into_pyarray(py))?,
            Column::U64(values) => columns.set_item(name, values.into_pyarray(py))?,
            Column::I64(values) => columns.set_item(name, values.into_pyarray(py))?,
            Column::I32(values) => columns.set_item(name, values.into_pyarray(py))?,
            Column::U8(values) => columns.set_item(name, values.into_pyarray(py))?,
            Column::Bool(values) => columns.set_item(name, values.into_pyarray(py))?,
        }
    }
    Ok(columns)
}
