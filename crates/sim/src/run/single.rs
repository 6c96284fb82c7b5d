//! One run: of a plan that is kept, of one that is not, and on a thread of its own.

use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::time::Duration;

use super::{RunError, RunOptions};
use crate::compile::Plan;
use crate::control::user::Code;
use crate::engine::Simulation;
use crate::expect::Expected;
use crate::pulse::{Pulse, Watcher};
use crate::record::Recording;
use crate::units::Time;
use crate::unwind::caught;

/// A scenario and a seed.
#[derive(Clone, Debug)]
pub struct Job {
    /// Shared by the jobs that run it.
    pub plan: Arc<Plan>,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The run ends with an error when it would take more events than these.
    pub max_events: Option<u64>,
}

impl Job {
    /// A run without a limit.
    pub fn new(plan: Arc<Plan>, seed: u64) -> Self {
        Job { plan, seed, max_events: None }
    }

    /// Runs it.
    ///
    /// # Errors
    /// If the run ends before its end.
    pub fn run(&self) -> Result<Recording, RunError> {
        let (plan, most) = (&self.plan, self.max_events);
        guarded(&plan.makers, || Simulation::new(plan, self.seed).with_max_events(most).run(plan))
    }

    /// Tells if a user's code takes part, which may fail in ways of its own.
    pub(super) fn runs_other_code(&self) -> bool {
        !self.plan.makers.is_empty()
    }
}

/// Runs a plan that is not needed afterwards; its memory is free while the run grows.
///
/// # Errors
/// If the run ends before its end.
pub fn run_once(plan: Plan, seed: u64, max_events: Option<u64>) -> Result<Recording, RunError> {
    let makers = plan.makers.clone();
    guarded(&makers, || {
        let simulation = Simulation::new(&plan, seed).with_max_events(max_events);
        let names = plan.names.clone();
        drop(plan);
        simulation.run_named(&names)
    })
}

/// Runs a plan as [`super::run_with`] runs a scenario.
///
/// # Errors
/// If the run ends before its end, or is not started because it would take far more memory than there is.
pub fn run_plan(plan: Plan, seed: u64, options: &RunOptions) -> Result<Recording, RunError> {
    if options.max_events.is_none() {
        Expected::of(&plan).out_of_reach().map_or(Ok(()), Err)?;
    }
    let _watched = Watching::begin(options.progress.clone());
    run_once(plan, seed, options.max_events)
}

/// The time for which somebody is told how far the runs of this thread come.
struct Watching;

impl Watching {
    fn begin(watcher: Option<Watcher>) -> Self {
        Pulse::own().on_look(watcher);
        Watching
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        Pulse::own().on_look(None);
    }
}

/// A run of its own on a thread of its own, which can be watched and stopped.
#[derive(Debug)]
pub struct Single {
    result: Receiver<Result<Recording, RunError>>,
    pulse: Arc<Pulse>,
}

impl Single {
    /// Starts to run a plan without a user's code.
    pub fn start(plan: Plan, seed: u64, max_events: Option<u64>) -> Self {
        let (sender, result) = sync_channel(1);
        let pulse = Arc::new(Pulse::default());
        let own = pulse.clone();
        let work = move || {
            own.adopt();
            // Where the result is not taken, neither is an error.
            let _ = sender.send(run_once(plan, seed, max_events));
        };
        if let Err(error) = std::thread::Builder::new().spawn(work) {
            // The thread would have answered; its end of the channel is gone with it.
            return Single { result: answered(Err(RunError::Thread(error))), pulse };
        }
        Single { result, pulse }
    }

    /// The result, after waiting for it at most `timeout`.
    pub fn wait(&self, timeout: Duration) -> Option<Result<Recording, RunError>> {
        match self.result.recv_timeout(timeout) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(RunError::Engine("the engine failed".into()))),
        }
    }

    /// Asks it to end; [`Single::wait`] says when it has.
    pub fn stop(&self) {
        self.pulse.stop();
    }

    /// Simulated time that it has come to.
    pub fn simulated(&self) -> Time {
        self.pulse.simulated()
    }
}

impl Drop for Single {
    /// Ends the run. Nobody waits for that: to give back many gigabytes takes a second.
    fn drop(&mut self) {
        self.stop();
    }
}

/// The receiver of an answer that is there.
fn answered(answer: Result<Recording, RunError>) -> Receiver<Result<Recording, RunError>> {
    let (sender, receiver) = sync_channel(1);
    let _ = sender.send(answer);
    receiver
}

/// Runs what each maker of parts may put something around. Nothing unwinds from here.
pub(crate) fn guarded<T>(makers: &[Arc<dyn Code>], run: impl FnOnce() -> T) -> Result<T, RunError> {
    if makers.is_empty() {
        return caught(run);
    }
    let (mut run, mut result) = (Some(run), None);
    let mut once = || {
        if let Some(run) = run.take() {
            result = Some(caught(run));
        }
    };
    caught(|| within(makers, &mut once))?;
    let lost = || Err(RunError::Engine("a maker of parts did not run what it was given".into()));
    result.unwrap_or_else(lost)
}

/// Runs inside of what each maker of parts puts around.
fn within(makers: &[Arc<dyn Code>], run: &mut dyn FnMut()) {
    match makers.split_first() {
        Some((first, others)) => first.around(&mut || within(others, run)),
        None => run(),
    }
}
