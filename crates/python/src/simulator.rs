//! Bindings of the simulator.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use parshall_sim::compile::{Folding, Plan};
use parshall_sim::record::Recording;
use parshall_sim::run::{run_once, Batch, Job, ENGINE_VERSION};
use parshall_sim::scenario::Scenario;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::canonical::canonical_json;
use crate::columns::{join, Columns};
use crate::given::{parse, Given};
use crate::names::Names;

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
    module.add_function(wrap_pyfunction!(engine_seconds, module)?)?;
    module.add_function(wrap_pyfunction!(canonical_json, module)?)?;
    module.add_function(wrap_pyfunction!(join, module)?)?;
    module.add_class::<Columns>()?;
    module.add_class::<Names>()?;
    let mapping = module.py().import("collections.abc")?.getattr("Mapping")?;
    mapping.call_method1("register", (module.py().get_type::<Columns>(),))?;
    mapping.call_method1("register", (module.py().get_type::<Names>(),))?;
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

fn plan(py: Python<'_>, scenario_json: &str) -> PyResult<Plan> {
    compile(py, parse(scenario_json)?)
}

fn compile(py: Python<'_>, scenario: Scenario) -> PyResult<Plan> {
    py.detach(|| Plan::of(scenario, Folding::On)).map_err(|error| scenario_error(py, &error))
}

/// Checks a scenario as `simulate` does, without running it.
#[pyfunction]
fn check(py: Python<'_>, scenario_json: &str) -> PyResult<()> {
    plan(py, scenario_json).map(drop)
}

/// The scenario as the engine understands it, with every default filled in, as JSON.
#[pyfunction]
fn normalize(scenario: Given<'_>) -> PyResult<String> {
    serde_json::to_string(&scenario.read()?).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Runs a scenario and returns its tables.
#[pyfunction]
fn simulate(py: Python<'_>, scenario: Given<'_>, seed: u64) -> PyResult<Py<PyDict>> {
    let plan = compile(py, scenario.read()?)?;
    drop(scenario);
    let recording = py.detach(|| run_once(plan, seed));
    let recording = recording.map_err(PyRuntimeError::new_err)?;
    let names = Py::new(py, Names::from(&recording))?;
    to_python(py, recording, names)
}

/// Seconds that the engine alone needs to run a scenario with each of `seeds` on some threads: the plan is there
/// already, and what the runs recorded is thrown away.
#[pyfunction]
fn engine_seconds(py: Python<'_>, scenario_json: &str, seeds: Vec<u64>, threads: usize) -> PyResult<f64> {
    let plan = Arc::new(plan(py, scenario_json)?);
    let run_all = || -> Result<f64, String> {
        let started = Instant::now();
        let jobs = seeds.iter().map(|&seed| Job { plan: plan.clone(), seed }).collect();
        let mut batch = Batch::start(jobs, threads);
        while let Some(done) = batch.next(Duration::from_secs(1)) {
            for (_, result) in done {
                result?;
            }
        }
        Ok(started.elapsed().as_secs_f64())
    };
    py.detach(run_all).map_err(PyRuntimeError::new_err)
}

/// The plan of each distinct scenario of a batch, compiled once.
#[derive(Default)]
struct Plans {
    /// By the address of the text: mostly the same object stands for all runs of a scenario, and then the text
    /// itself, which may be megabytes, need not be looked at.
    by_address: HashMap<(usize, usize), Arc<Plan>>,
    by_text: HashMap<PyBackedStr, Arc<Plan>>,
}

impl Plans {
    fn of(&mut self, py: Python<'_>, scenario_json: PyBackedStr) -> PyResult<Arc<Plan>> {
        // The texts of all jobs are alive until the last plan is made, so no two share an address.
        let address = (scenario_json.as_ptr() as usize, scenario_json.len());
        if let Some(known) = self.by_address.get(&address).or_else(|| self.by_text.get(&scenario_json)) {
            let shared = known.clone();
            self.by_address.insert(address, shared.clone());
            return Ok(shared);
        }
        let made = Arc::new(plan(py, &scenario_json)?);
        self.by_address.insert(address, made.clone());
        self.by_text.insert(scenario_json, made.clone());
        Ok(made)
    }
}

/// Runs under way on several threads.
#[pyclass(name = "Batch", module = "parshall._core")]
struct PyBatch {
    batch: Mutex<Option<Batch>>,
    /// The plan of each job, as a number: which jobs share their names.
    plans: Vec<usize>,
    /// The names of a plan's flows and ports, shared by all of its runs.
    names: Mutex<HashMap<usize, Py<Names>>>,
}

#[pymethods]
impl PyBatch {
    #[new]
    fn new(py: Python<'_>, jobs: Vec<(PyBackedStr, u64)>, threads: usize) -> PyResult<Self> {
        let mut plans = Plans::default();
        let mut planned = Vec::with_capacity(jobs.len());
        for (scenario_json, seed) in &jobs {
            planned.push(Job { plan: plans.of(py, scenario_json.clone_ref(py))?, seed: *seed });
        }
        Ok(PyBatch {
            plans: planned.iter().map(|job| Arc::as_ptr(&job.plan) as usize).collect(),
            batch: Mutex::new(Some(Batch::start(planned, threads))),
            names: Mutex::default(),
        })
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
            results.append((index, self.result_to_python(py, index, result)?))?;
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

    fn result_to_python(
        &self,
        py: Python<'_>,
        index: usize,
        result: Result<Recording, String>,
    ) -> PyResult<Py<PyAny>> {
        match result {
            Ok(recording) => {
                let names = self.names(py, self.plans[index], &recording)?;
                Ok(to_python(py, recording, names)?.into_any())
            }
            Err(message) => Ok(PyRuntimeError::new_err(message).into_value(py).into_any()),
        }
    }

    fn names(&self, py: Python<'_>, plan: usize, recording: &Recording) -> PyResult<Py<Names>> {
        // Not locked while Python makes an object, which may let other threads run.
        let known = |py| self.known_names().get(&plan).map(|names| names.clone_ref(py));
        if let Some(names) = known(py) {
            return Ok(names);
        }
        let names = Py::new(py, Names::from(recording))?;
        self.known_names().insert(plan, names.clone_ref(py));
        Ok(names)
    }

    fn known_names(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Py<Names>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PyBatch {
    fn drop(&mut self) {
        // Waits for the runs under way, which need no Python.
        let batch = self.lock().take();
        Python::attach(|py| py.detach(|| drop(batch)));
    }
}

fn to_python(py: Python<'_>, recording: Recording, names: Py<Names>) -> PyResult<Py<PyDict>> {
    let result = PyDict::new(py);
    result.set_item("names", names)?;
    for table in recording.tables {
        result.set_item(table.name, Columns::from(table))?;
    }
    let captures = PyDict::new(py);
    for (port, bytes) in recording.captures {
        captures.set_item(port, PyBytes::new(py, &bytes))?;
    }
    result.set_item("pcap", captures)?;
    result.set_item("events", recording.events)?;
    Ok(result.unbind())
}
