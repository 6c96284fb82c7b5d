//! Bindings of the simulator.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use parshall_sim::internal::{too_large, Batch, Done, DoneTogether, Folding, Job, Joined, Plan, Single};
use parshall_sim::scenario::{Scenario, Transport};
use parshall_sim::units::Time;
use parshall_sim::{starts, Expected, Memory, Recording, RunError, ENGINE_VERSION};
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyList};
use pyo3::IntoPyObjectExt;

use crate::canonical::canonical_json;
use crate::columns::{join, Columns};
use crate::given::{parse, Given};
use crate::names::Names;
use crate::own::hand_over;

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
    module.add_function(wrap_pyfunction!(memory, module)?)?;
    module.add_function(wrap_pyfunction!(simulate, module)?)?;
    module.add_function(wrap_pyfunction!(flow_starts, module)?)?;
    module.add_function(wrap_pyfunction!(routes, module)?)?;
    module.add_function(wrap_pyfunction!(normalize, module)?)?;
    module.add_function(wrap_pyfunction!(slow_links, module)?)?;
    module.add_function(wrap_pyfunction!(filled_transport, module)?)?;
    module.add_function(wrap_pyfunction!(engine_seconds, module)?)?;
    module.add_function(wrap_pyfunction!(canonical_json, module)?)?;
    module.add_function(wrap_pyfunction!(join, module)?)?;
    module.add_class::<Columns>()?;
    module.add_class::<Names>()?;
    let mapping = module.py().import("collections.abc")?.getattr("Mapping")?;
    mapping.call_method1("register", (module.py().get_type::<Columns>(),))?;
    mapping.call_method1("register", (module.py().get_type::<Names>(),))?;
    module.add_class::<JoinedRuns>()?;
    module.add_class::<PyJoiningBatch>()?;
    module.add_class::<PyBatch>()
}

pub fn scenario_error(py: Python<'_>, error: &parshall_sim::ScenarioError) -> PyErr {
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

pub fn compile(py: Python<'_>, mut scenario: Scenario) -> PyResult<Plan> {
    hand_over(py, &mut scenario)?;
    py.detach(|| Plan::of(scenario, Folding::On)).map_err(|error| scenario_error(py, &error))
}

/// Checks a scenario as `simulate` does, without running it. Returns what a run will take: packets, events, seconds and
/// bytes of memory.
#[pyfunction]
fn check(py: Python<'_>, scenario_json: &str) -> PyResult<(f64, f64, f64, f64)> {
    let plan = plan(py, scenario_json)?;
    let Expected { packets, events, seconds, bytes } = py.detach(|| Expected::of(&plan));
    Ok((packets, events, seconds, bytes))
}

/// Bytes of memory that there are, and that are available; none where the system does not tell.
#[pyfunction]
fn memory() -> Option<(u64, u64)> {
    Memory::now().map(|memory| (memory.total, memory.available))
}

/// The scenario as the engine understands it, with every default filled in, as JSON.
#[pyfunction]
fn normalize(scenario: Given<'_>) -> PyResult<String> {
    serde_json::to_string(&scenario.read()?).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A sentence about links that send no packet in the time of the run; none where there are none.
#[pyfunction]
fn slow_links(scenario: Given<'_>) -> PyResult<Option<String>> {
    Ok(parshall_scenario::slow_links(&scenario.read()?))
}

/// A flow's transport with every option at the value that its profile gives it, from JSON to JSON.
#[pyfunction]
fn filled_transport(transport_json: &str) -> PyResult<String> {
    let error = |error: serde_json::Error| PyValueError::new_err(error.to_string());
    let filled = match serde_json::from_str(transport_json).map_err(error)? {
        Transport::Tcp(tcp) => Transport::Tcp(Arc::new(parshall_sim::internal::filled(&tcp))),
        other => other,
    };
    serde_json::to_string(&filled).map_err(error)
}

/// The seconds at which the flows start in a run with this seed, in the order of the scenario.
#[pyfunction]
fn flow_starts(scenario_json: &str, seed: u64) -> PyResult<Vec<f64>> {
    Ok(starts(&parse(scenario_json)?, seed).into_iter().map(Time::secs).collect())
}

/// The ports that each flow's data and its ACKs cross, by their numbers, in the order of the scenario.
#[pyfunction]
fn routes(py: Python<'_>, scenario_json: &str) -> PyResult<Vec<[Vec<u32>; 2]>> {
    let plan = plan(py, scenario_json)?;
    let ports = |first| plan.path(first).iter().map(|hop| hop.port).collect();
    Ok(plan.named_flows().map(|flow| [ports(flow.data_hops), ports(flow.ack_hops)]).collect())
}

/// Runs a scenario and returns its tables. `progress` is called from time to time with the simulated seconds so far.
#[pyfunction]
#[pyo3(signature = (scenario, seed, max_events=None, progress=None))]
fn simulate(
    py: Python<'_>,
    scenario: Given<'_>,
    seed: u64,
    max_events: Option<u64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Py<PyDict>> {
    let plan = compile(py, scenario.read()?)?;
    drop(scenario);
    if max_events.is_none() {
        let out_of_reach = py.detach(|| Expected::of(&plan).out_of_reach());
        out_of_reach.map_or(Ok(()), |reason| Err(PyRuntimeError::new_err(reason.to_string())))?;
    }
    let mut watched = Watched::start(plan, seed, max_events);
    let recording = watched.wait(py, progress.as_ref());
    py.detach(|| drop(watched));
    let recording = recording?.map_err(|error| error_of(py, error))?;
    let names = Py::new(py, Names::from(recording.names()))?;
    to_python(py, recording, names)
}

/// A run on a thread of its own, from which this one can turn away.
enum Watched {
    /// With the engine's own code only.
    Own(Single),
    /// With a user's code, which may not return.
    Others(Batch),
}

impl Watched {
    fn start(plan: Plan, seed: u64, max_events: Option<u64>) -> Self {
        if plan.makers.is_empty() {
            return Watched::Own(Single::start(plan, seed, max_events));
        }
        Watched::Others(Batch::start(vec![Job { plan: Arc::new(plan), seed, max_events }], 1))
    }

    /// Waits for the result, for signals and for what `progress` raises.
    fn wait(
        &mut self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Result<Recording, RunError>> {
        loop {
            if let Some(result) = py.detach(|| self.result(LOOKING)) {
                return Ok(result);
            }
            py.check_signals()?;
            if let Some(progress) = progress {
                progress.call1((self.simulated().secs(),))?;
            }
        }
    }

    fn result(&mut self, timeout: Duration) -> Option<Result<Recording, RunError>> {
        match self {
            Watched::Own(single) => single.wait(timeout),
            Watched::Others(batch) => match batch.next(timeout) {
                Some(done) => done.into_iter().next().map(|(_, result)| result),
                None => Some(Err(RunError::Engine("the engine failed".into()))),
            },
        }
    }

    fn simulated(&self) -> Time {
        match self {
            Watched::Own(single) => single.simulated(),
            Watched::Others(batch) => batch.simulated().next().unwrap_or_default(),
        }
    }
}

/// Time between checks for signals.
const LOOKING: Duration = Duration::from_millis(20);

/// Seconds that the engine alone needs to run a scenario with each of `seeds` on some threads: the plan is there
/// already, and what the runs recorded is thrown away.
#[pyfunction]
fn engine_seconds(py: Python<'_>, scenario_json: &str, seeds: Vec<u64>, threads: usize) -> PyResult<f64> {
    let plan = Arc::new(plan(py, scenario_json)?);
    let run_all = || -> Result<f64, RunError> {
        let started = Instant::now();
        let jobs = seeds.iter().map(|&seed| Job::new(plan.clone(), seed)).collect();
        let mut batch = Batch::start(jobs, threads);
        while let Some(done) = batch.next(Duration::from_secs(1)) {
            for (_, result) in done {
                result?;
            }
        }
        Ok(started.elapsed().as_secs_f64())
    };
    py.detach(run_all).map_err(|error| error_of(py, error))
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

/// The plan of each job of a batch.
fn planned(py: Python<'_>, jobs: &[(PyBackedStr, u64)], max_events: Option<u64>) -> PyResult<Vec<Job>> {
    let mut plans = Plans::default();
    let job = |(text, seed): &(PyBackedStr, u64)| {
        Ok(Job { plan: plans.of(py, text.clone_ref(py))?, seed: *seed, max_events })
    };
    jobs.iter().map(job).collect()
}

/// Runs under way, and the names of what they run.
struct Running<T: Send + 'static> {
    batch: Mutex<Option<Batch<T>>>,
    /// The names of each network, shared by all of its runs, by the address of its flows' names, which they keep.
    names: Mutex<HashMap<usize, Py<Names>>>,
}

impl<T: Send + 'static> Running<T> {
    fn new(batch: Batch<T>) -> Self {
        Running { batch: Mutex::new(Some(batch)), names: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Batch<T>>> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Converts the next results with `convert`; see [`Batch::next`].
    fn next(
        &self,
        py: Python<'_>,
        timeout_s: f64,
        convert: impl Fn(T) -> PyResult<Py<PyAny>>,
    ) -> PyResult<Option<Vec<Py<PyAny>>>> {
        let timeout = Duration::try_from_secs_f64(timeout_s)
            .map_err(|_| PyValueError::new_err(format!("timeout_s: got {timeout_s}, expected seconds")))?;
        let done = py.detach(|| self.lock().as_mut().and_then(|batch| batch.next(timeout)));
        done.map(|results| results.into_iter().map(convert).collect()).transpose()
    }

    fn cancel(&self) {
        if let Some(batch) = self.lock().as_ref() {
            batch.cancel();
        }
    }

    fn stop(&self, py: Python<'_>) {
        py.detach(|| {
            if let Some(batch) = self.lock().as_mut() {
                batch.stop();
            }
        });
    }

    fn names(&self, py: Python<'_>, named: &parshall_sim::internal::Names) -> PyResult<Py<Names>> {
        let address = Arc::as_ptr(&named.flows) as usize;
        // Not locked while Python makes an object, which may let other threads run.
        let known = |py| self.known_names().get(&address).map(|names| names.clone_ref(py));
        if let Some(names) = known(py) {
            return Ok(names);
        }
        let names = Py::new(py, Names::from(named))?;
        self.known_names().insert(address, names.clone_ref(py));
        Ok(names)
    }

    fn known_names(&self) -> MutexGuard<'_, HashMap<usize, Py<Names>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + 'static> Drop for Running<T> {
    fn drop(&mut self) {
        // Ends the runs under way, and waits for that.
        let batch = self.batch.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        Python::attach(|py| py.detach(|| drop(batch)));
    }
}

/// Text of what ended a run, and the exception that a part of the user's own raised.
pub fn told(error: RunError) -> (String, Option<PyErr>) {
    let text = error.to_string();
    let cause = match error {
        RunError::Part(failed) => failed.failure.cause.and_then(|cause| cause.downcast::<PyErr>().ok()),
        _ => None,
    };
    (text, cause.map(|cause| *cause))
}

/// Exception of what ended a run; one that a part of the user's own raised in Python is its cause.
fn error_of(py: Python<'_>, error: RunError) -> PyErr {
    let (text, cause) = told(error);
    let raised = PyRuntimeError::new_err(text);
    raised.set_cause(py, cause);
    raised
}

fn failed(py: Python<'_>, error: RunError) -> Py<PyAny> {
    error_of(py, error).into_value(py).into_any()
}

/// Runs under way on several threads.
#[pyclass(name = "Batch", module = "parshall._core")]
struct PyBatch(Running<Done>);

#[pymethods]
impl PyBatch {
    #[new]
    #[pyo3(signature = (jobs, threads, max_events=None))]
    fn new(
        py: Python<'_>,
        jobs: Vec<(PyBackedStr, u64)>,
        threads: usize,
        max_events: Option<u64>,
    ) -> PyResult<Self> {
        Ok(PyBatch(Running::new(Batch::start(planned(py, &jobs, max_events)?, threads))))
    }

    /// Finished runs as pairs of an index into the jobs and a result or an exception; an empty list when
    /// `timeout_s` seconds have passed without one, None when all are done.
    fn next(&self, py: Python<'_>, timeout_s: f64) -> PyResult<Option<Vec<Py<PyAny>>>> {
        self.0.next(py, timeout_s, |(index, result)| {
            let result = match result {
                Ok(recording) => {
                    let names = self.0.names(py, recording.names())?;
                    to_python(py, recording, names)?.into_any()
                }
                Err(error) => failed(py, error),
            };
            (index, result).into_py_any(py)
        })
    }

    /// Starts no further run.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Starts no further run, and ends those under way.
    fn stop(&self, py: Python<'_>) {
        self.0.stop(py);
    }
}

/// Runs under way on several threads, which join what short ones recorded.
#[pyclass(name = "JoiningBatch", module = "parshall._core")]
struct PyJoiningBatch(Running<DoneTogether>);

#[pymethods]
impl PyJoiningBatch {
    #[new]
    #[pyo3(signature = (jobs, threads, max_events=None))]
    fn new(
        py: Python<'_>,
        jobs: Vec<(PyBackedStr, u64)>,
        threads: usize,
        max_events: Option<u64>,
    ) -> PyResult<Self> {
        Ok(PyJoiningBatch(Running::new(Batch::start_joining(planned(py, &jobs, max_events)?, threads))))
    }

    /// Finished runs as pairs of a list of indices into the jobs and what these recorded, or an exception; an empty
    /// list when `timeout_s` seconds have passed without one, None when all are done.
    fn next(&self, py: Python<'_>, timeout_s: f64) -> PyResult<Option<Vec<Py<PyAny>>>> {
        self.0.next(py, timeout_s, |(indices, result)| {
            let result = match result {
                Ok(joined) => self.joined(py, joined)?.into_any(),
                Err(error) => failed(py, error),
            };
            (indices, result).into_py_any(py)
        })
    }

    /// Starts no further run.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Starts no further run, and ends those under way.
    fn stop(&self, py: Python<'_>) {
        self.0.stop(py);
    }
}

impl PyJoiningBatch {
    fn joined(&self, py: Python<'_>, joined: Joined) -> PyResult<Py<JoinedRuns>> {
        let nbytes = joined.bytes();
        let (tables, rows) = (PyDict::new(py), PyDict::new(py));
        for (table, of_each) in joined.tables.into_iter().zip(joined.rows) {
            rows.set_item(table.name(), of_each)?;
            tables.set_item(table.name(), Columns::from(table))?;
        }
        let names: PyResult<Vec<_>> = joined.names.iter().map(|names| self.0.names(py, names)).collect();
        let captures: PyResult<Vec<_>> =
            joined.captures.into_iter().map(|captures| captures_to_python(py, captures)).collect();
        let (tables, rows) = (tables.unbind(), rows.unbind());
        let (names, captures) = (PyList::new(py, names?)?.unbind(), PyList::new(py, captures?)?.unbind());
        Py::new(py, JoinedRuns { names, tables, rows, captures, took: joined.took, nbytes })
    }
}

/// Recordings of several runs.
#[pyclass(frozen, get_all, name = "Joined", module = "parshall._core")]
struct JoinedRuns {
    /// Names of flows and ports, by run.
    names: Py<PyList>,
    /// By name, each with the rows of one run behind those of the one before.
    tables: Py<PyDict>,
    /// Rows of each run, by name of the table.
    rows: Py<PyDict>,
    /// By port, by run.
    captures: Py<PyList>,
    /// Events of each run, and these with what was done ahead of them, which is what `max_events` is about.
    took: Vec<(u64, u64)>,
    /// Bytes that tables and captures take.
    nbytes: usize,
}

pub fn to_python(py: Python<'_>, recording: Recording, names: Py<Names>) -> PyResult<Py<PyDict>> {
    let result = PyDict::new(py);
    result.set_item("names", names)?;
    let events = recording.events();
    let (tables, captures) = recording.into_parts();
    for table in tables {
        result.set_item(table.name(), Columns::from(table))?;
    }
    result.set_item("pcap", captures_to_python(py, captures)?)?;
    result.set_item("events", events)?;
    Ok(result.unbind())
}

fn captures_to_python(py: Python<'_>, captures: Vec<(String, Vec<u8>)>) -> PyResult<Bound<'_, PyDict>> {
    let by_port = PyDict::new(py);
    for (port, bytes) in captures {
        let filled = PyBytes::new_with(py, bytes.len(), |copy| {
            copy.copy_from_slice(&bytes);
            Ok(())
        });
        let copied = filled.map_err(|_| {
            let what = format!("bytes of the capture at {port}");
            PyMemoryError::new_err(too_large(&what, bytes.len()))
        })?;
        by_port.set_item(port, copied)?;
    }
    Ok(by_port)
}
