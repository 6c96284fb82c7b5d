//! Runs scenarios: one, or many on all cores.

mod batch;
mod error;
mod many;
mod single;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use batch::{Batch, Done, DoneTogether};
pub use error::{LowMemory, Need, PartFailure, RunError};
pub use many::{run_many, Runs};
pub(crate) use single::guarded;
pub use single::{run_once, run_plan, Job, Single};

use crate::compile::{Folding, Plan};
use crate::error::ScenarioError;
use crate::expect::Expected;
use crate::pulse::Watcher;
use crate::record::Recording;
use crate::scenario::Scenario;
use crate::units::Time;

/// The engine's version. It changes whenever a recording of any scenario may change; results are cached under it.
pub const ENGINE_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+42");

/// The instants at which the flows start in a run with this seed, in the order of the scenario.
pub fn starts(scenario: &Scenario, seed: u64) -> Vec<Time> {
    scenario.flows.iter().map(|flow| crate::traffic::start(flow, seed)).collect()
}

/// Checks a scenario without running it. Returns an estimate of what a run will take.
///
/// # Errors
/// If the scenario cannot be run: the field, its value, and what was expected.
pub fn check(scenario: &Scenario) -> Result<Expected, ScenarioError> {
    Ok(Expected::of(&Plan::new(scenario, Folding::On)?))
}

/// Runs a scenario on this thread. Equal scenario and seed give an equal recording, bit for bit.
///
/// A control of the caller's own has to return: unlike a thread of [`run_many`] this one cannot be given up when it takes longer
/// than its [`time_limit`](crate::control::user::Code::time_limit).
///
/// ```
/// # use parshall_sim::scenario::{Flow, Link, Scenario, Tcp};
/// # use parshall_sim::units::{Rate, Time};
/// # let link = Link::new(("a", "b"), Rate::mbit(1.0), Time::ms(20.0));
/// # let scenario = Scenario::new(Time::from_secs(5.0), [link], [Flow::bulk("f", "a", "b", Tcp::default())]);
/// let recording = parshall_sim::run(&scenario, 1)?;
/// assert_eq!(recording, parshall_sim::run(&scenario, 1)?);
/// # Ok::<(), parshall_sim::RunError>(())
/// ```
///
/// # Errors
/// If the scenario cannot be run, or the run ends before its end, as it does when memory runs low.
pub fn run(scenario: &Scenario, seed: u64) -> Result<Recording, RunError> {
    run_with(scenario, seed, &RunOptions::new())
}

/// Runs a scenario on this thread, within limits or watched.
///
/// ```
/// use std::ops::ControlFlow;
/// use parshall_sim::{run_with, RunError, RunOptions};
/// # use parshall_sim::scenario::{Flow, Link, Scenario, Tcp};
/// # use parshall_sim::units::{Rate, Time};
/// # let link = Link::new(("a", "b"), Rate::mbit(100.0), Time::ms(20.0));
/// # let scenario = Scenario::new(Time::from_secs(5.0), [link], [Flow::bulk("f", "a", "b", Tcp::default())]);
///
/// let limited = run_with(&scenario, 1, &RunOptions::new().max_events(100));
/// assert!(matches!(limited, Err(RunError::MaxEvents { limit: 100, .. })));
///
/// let half = scenario.duration.secs() / 2.0;
/// let until_half = move |now: Time| {
///     if now.secs() < half { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// let stopped = run_with(&scenario, 1, &RunOptions::new().progress(until_half));
/// assert!(matches!(stopped, Err(RunError::Stopped)));
/// ```
///
/// # Errors
/// As [`run`], and if the run passes one of the limits or is stopped.
pub fn run_with(scenario: &Scenario, seed: u64, options: &RunOptions) -> Result<Recording, RunError> {
    run_plan(Plan::new(scenario, Folding::On)?, seed, options)
}

/// Limits of a run, and somebody who is told how far it has come.
#[derive(Clone, Default)]
pub struct RunOptions {
    max_events: Option<u64>,
    progress: Option<Watcher>,
}

impl RunOptions {
    /// A run without limits, which nobody watches.
    pub fn new() -> Self {
        RunOptions::default()
    }

    /// The most events that the run may take; the engine takes some ten million in a second. With such a limit the run is
    /// started even if it is expected to take more memory than there is.
    #[must_use]
    pub fn max_events(mut self, most: u64) -> Self {
        self.max_events = Some(most);
        self
    }

    /// A function that is told the simulated time so far, every few thousand events. The run ends with
    /// [`RunError::Stopped`] when it breaks: on a deadline, or because another thread has set a flag.
    #[must_use]
    pub fn progress(mut self, told: impl Fn(Time) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(move |now| told(now).is_continue()));
        self
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("max_events", &self.max_events)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}
