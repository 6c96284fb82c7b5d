//! Bindings of relays in real time. `parshall.engine.link` is their face.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use parshall_estimators::own::Config;
use parshall_link::{LinkError, Options, Priority, Relay};
use parshall_sim::scenario::{Meter, Queue, Reverse, Scenario};
use parshall_sim::{RunError, ScenarioError};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::given::Given;
use crate::names::Names;
use crate::own::hand_over;
use crate::simulator::{scenario_error, to_python};

/// Time between checks of a waiting thread for the relay's end. In between others may ask and end it.
const LOOKING: Duration = Duration::from_millis(5);

/// Adds the class to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyRelay>()
}

/// A relay at work.
#[pyclass(frozen, name = "Relay", module = "parshall._core")]
struct PyRelay {
    /// None once it has been finished or closed.
    relay: Mutex<Option<Relay>>,
    listening: String,
    realtime: bool,
}

#[pymethods]
impl PyRelay {
    /// Starts one. `realtime` says if real-time priority is needed or unwanted; without it, it is tried.
    #[new]
    fn new(
        py: Python<'_>,
        scenario: Given<'_>,
        seed: u64,
        listen: &str,
        to: &str,
        realtime: Option<bool>,
    ) -> PyResult<Self> {
        let mut scenario = scenario.read()?;
        check_needs_no_python(&scenario).map_err(|fault| scenario_error(py, &fault))?;
        hand_over(py, &mut scenario)?;
        let options = Options::new(address(listen)?, address(to)?).with_seed(seed);
        let options = options.with_priority(match realtime {
            None => Priority::Tried,
            Some(true) => Priority::RealTime,
            Some(false) => Priority::Normal,
        });
        let relay = py.detach(|| Relay::start(scenario, &options)).map_err(|error| error_of(py, error))?;
        let (listening, realtime) = (relay.listening().to_string(), relay.is_realtime());
        Ok(PyRelay { relay: Mutex::new(Some(relay)), listening, realtime })
    }

    /// The address at which it takes datagrams in.
    #[getter]
    fn listening(&self) -> &str {
        &self.listening
    }

    /// Tells if its thread has real-time priority.
    #[getter]
    fn realtime(&self) -> bool {
        self.realtime
    }

    /// Seconds since the first datagram; None before it, and once the relay has been finished or closed.
    #[getter]
    fn elapsed(&self, py: Python<'_>) -> Option<f64> {
        let elapsed = py.detach(|| self.relay().as_ref().and_then(Relay::elapsed));
        elapsed.map(|elapsed| elapsed.as_secs_f64())
    }

    /// Waits until it has ended, for at most so many seconds; tells if it has.
    fn wait(&self, py: Python<'_>, timeout_s: f64) -> PyResult<bool> {
        let timeout = seconds(timeout_s)?;
        Ok(py.detach(|| self.ends_within(timeout)))
    }

    /// Ends it, if it has not ended yet, and gives up what it recorded.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.taken()));
    }

    /// Ends it. Returns what a run returns, and under `link` what only a relay has.
    fn finish(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        let Some(finished) = py.detach(|| self.taken().map(Relay::finish)) else {
            return Err(PyRuntimeError::new_err(
                "the relay has ended, and what it recorded was taken or given up",
            ));
        };
        let relayed = finished.map_err(|error| error_of(py, error))?;
        let facts = PyDict::new(py);
        facts.set_item("elapsed", relayed.elapsed.as_secs_f64())?;
        for (name, share) in [("late_p50", 0.5), ("late_p99", 0.99)] {
            facts.set_item(name, relayed.lateness.quantile(share).map(|late| late.as_secs_f64()))?;
        }
        facts.set_item("late_most", relayed.lateness.most().as_secs_f64())?;
        facts.set_item("datagrams", relayed.lateness.datagrams())?;
        facts.set_item("realtime", relayed.realtime)?;
        facts.set_item("peers", relayed.peers)?;
        facts.set_item("overflowed", relayed.overflowed)?;
        facts.set_item("refused", relayed.refused)?;
        facts.set_item("undeliverable", relayed.undeliverable)?;
        let names = Py::new(py, Names::from(relayed.recording.names()))?;
        let result = to_python(py, relayed.recording, names)?;
        result.bind(py).set_item("link", facts)?;
        Ok(result)
    }
}

impl PyRelay {
    /// The relay, for a moment. To be called without the GIL, which another thread that has the relay may wait for.
    fn relay(&self) -> MutexGuard<'_, Option<Relay>> {
        self.relay.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The relay, for good.
    fn taken(&self) -> Option<Relay> {
        self.relay().take()
    }

    /// Waits until it has ended, for at most so long; returns true if it has.
    fn ends_within(&self, timeout: Duration) -> bool {
        let began = Instant::now();
        loop {
            if self.relay().as_mut().is_none_or(|relay| relay.wait(Duration::ZERO)) {
                return true;
            }
            let left = timeout.saturating_sub(began.elapsed());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(left.min(LOOKING));
        }
    }
}

/// Refuses queues and meters that are classes in Python: each packet would wait for the GIL, and a relay that nobody has ended when
/// the program ends would wait for it for ever. Parts of flows do not matter, as the relay stands in the place of their ends.
fn check_needs_no_python(scenario: &Scenario) -> Result<(), ScenarioError> {
    for (number, link) in scenario.links.iter().enumerate() {
        let Reverse { queue, conditioner, .. } = &*link.reverse;
        let sides = [
            (format!("links[{number}]"), Some(&link.queue), &link.conditioner),
            (format!("links[{number}].reverse"), queue.as_ref(), conditioner),
        ];
        for (place, queue, conditioner) in sides {
            if let Some(Queue::User(own)) = queue.map(|queue| &**queue) {
                check_compiled(|| format!("{place}.queue"), own)?;
            }
            for (rule, at) in conditioner.iter().flat_map(|edge| &edge.rules).zip(0..) {
                if let Some(own) = rule.meter.as_ref().and_then(Meter::own) {
                    check_compiled(|| format!("{place}.conditioner.rules[{at}].meter"), own)?;
                }
            }
        }
    }
    Ok(())
}

fn check_compiled<M: ?Sized>(place: impl FnOnce() -> String, own: &Config<M>) -> Result<(), ScenarioError> {
    if own.form != "python" {
        return Ok(());
    }
    let expected = "one of the engine's, or compiled code: a relay does not wait for Python";
    Err(ScenarioError::new(place(), &own.source, expected))
}

/// An address that Python has looked at before.
fn address(text: &str) -> PyResult<SocketAddr> {
    text.parse().map_err(|_| PyValueError::new_err(format!("{text:?} is no address with a port")))
}

fn seconds(number: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(number)
        .map_err(|_| PyValueError::new_err(format!("got {number}, expected seconds")))
}

fn error_of(py: Python<'_>, error: LinkError) -> PyErr {
    match error {
        LinkError::Scenario(RunError::Scenario(fault)) => scenario_error(py, &fault),
        LinkError::Scenario(other) => PyRuntimeError::new_err(other.to_string()),
        LinkError::Network(other) => PyRuntimeError::new_err(other.to_string()),
        other => PyOSError::new_err(other.to_string()),
    }
}
