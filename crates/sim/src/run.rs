//! Runs scenarios: one, or many on all cores.

use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compile::{Folding, Plan};
use crate::control::user::Maker;
use crate::engine::Simulation;
use crate::error::ScenarioError;
use crate::pulse::{Failure, Pulse};
use crate::record::{Joined, Recording};
use crate::scenario::Scenario;
use crate::units::Time;
use crate::worker::{Ended, Worker, Workers};

/// Changes whenever a recording of any scenario may change; results are cached under it.
pub const ENGINE_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+38");

/// When each flow starts in a run with this seed, in the order of the scenario.
pub fn starts(scenario: &Scenario, seed: u64) -> Vec<Time> {
    scenario.flows.iter().map(|flow| crate::traffic::start(flow, seed)).collect()
}

/// Why there is no recording.
#[derive(Debug)]
pub enum Error {
    /// The scenario cannot be run.
    Scenario(ScenarioError),
    /// The run ended before its end, as it does when memory runs low.
    Run(Failure),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Scenario(error) => error.fmt(f),
            Error::Run(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Scenario(error) => Some(error),
            Error::Run(failure) => Some(failure),
        }
    }
}

impl From<ScenarioError> for Error {
    fn from(error: ScenarioError) -> Self {
        Error::Scenario(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Error::Run(failure)
    }
}

/// Runs a scenario.
///
/// # Errors
/// If the scenario cannot be run, or the run ends before its end.
pub fn run(scenario: &Scenario, seed: u64) -> Result<Recording, Error> {
    let plan = Plan::new(scenario, Folding::On)?;
    Ok(run_once(plan, seed, None)?)
}

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

    /// Runs it; a failure of the engine is caught.
    pub fn run(&self) -> Result<Recording, Failure> {
        let (plan, most) = (&self.plan, self.max_events);
        caught(&plan.makers, || Simulation::new(plan, self.seed).with_max_events(most).run(plan))
    }

    /// Whether a user's code takes part, which may fail in ways of its own.
    fn runs_other_code(&self) -> bool {
        !self.plan.makers.is_empty()
    }
}

/// Runs a plan that is not needed afterwards; its memory is free while the run grows. A failure of the engine is caught.
pub fn run_once(plan: Plan, seed: u64, max_events: Option<u64>) -> Result<Recording, Failure> {
    let makers = plan.makers.clone();
    caught(&makers, || {
        let simulation = Simulation::new(&plan, seed).with_max_events(max_events);
        let names = plan.names.clone();
        drop(plan);
        simulation.run_named(&names)
    })
}

/// A run of its own on a thread of its own, which can be watched and stopped.
#[derive(Debug)]
pub struct Single {
    result: Receiver<Result<Recording, Failure>>,
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
            return Single { result: answered(Err(no_thread(&error))), pulse };
        }
        Single { result, pulse }
    }

    /// The result, after waiting for it at most `timeout`.
    pub fn wait(&self, timeout: Duration) -> Option<Result<Recording, Failure>> {
        match self.result.recv_timeout(timeout) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(Failure::new("the engine failed"))),
        }
    }

    /// Asks it to end; [`Single::wait`] says when it has.
    pub fn stop(&self) {
        self.pulse.stop();
    }

    /// How far it has come, in simulated time.
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
fn answered(answer: Result<Recording, Failure>) -> Receiver<Result<Recording, Failure>> {
    let (sender, receiver) = sync_channel(1);
    let _ = sender.send(answer);
    receiver
}

fn no_thread(error: &std::io::Error) -> Failure {
    Failure::new(format!("the system starts no thread: {error}"))
}

fn caught(makers: &[Arc<dyn Maker>], run: impl FnOnce() -> Recording) -> Result<Recording, Failure> {
    let (mut run, mut result) = (Some(run), None);
    let mut once = || result = run.take().map(|run| catch_unwind(AssertUnwindSafe(run)));
    within(makers, &mut once);
    let done = result.unwrap_or_else(|| Err(Box::new("a maker of controls did not run what it was given")));
    done.map_err(Failure::of_panic)
}

/// Runs inside of what each maker of controls puts around.
fn within(makers: &[Arc<dyn Maker>], run: &mut dyn FnMut()) {
    match makers.split_first() {
        Some((first, others)) => first.around(&mut || within(others, run)),
        None => run(),
    }
}

/// What became of the job with this index: its recording, or what the engine failed with.
pub type Done = (usize, Result<Recording, Failure>);

/// What became of the jobs with these indices: what they recorded, or what the engine failed with in the only one.
pub type DoneTogether = (Vec<usize>, Result<Joined, Failure>);

/// Jobs under way on several threads. Each thread's results come about in the order in which its jobs finish.
#[derive(Debug)]
pub struct Batch<T: Send + 'static = Done> {
    results: Receiver<T>,
    cancelled: Arc<AtomicBool>,
    workers: Workers<T>,
    /// When results were last taken.
    taken: Option<Instant>,
    /// When it was last looked for what hangs or waits in a thread.
    looked: Instant,
}

/// Jobs that wait for a worker. It belongs to the workers: with the last of them the plans are gone.
pub(crate) struct JobQueue {
    jobs: Vec<Job>,
    next: AtomicUsize,
    cancelled: Arc<AtomicBool>,
}

impl JobQueue {
    /// The next job, and its index; what is taken is run.
    fn take(&self) -> Option<(usize, &Job)> {
        if self.cancelled.load(Ordering::Relaxed) {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        Some((index, self.jobs.get(index)?))
    }
}

/// Results that wait to be taken; more would only fill the memory.
const WAITING: usize = 64;

/// Runs that are shorter are joined, for about so long.
const JOINING: Duration = Duration::from_millis(10);

/// Or until there is so much, which still is in the second-level cache of most machines.
const JOINED_BYTES: usize = 1 << 20;

/// Runs that end so soon after those taken last are short ones in a row.
const IN_A_ROW: Duration = Duration::from_millis(5);

/// How long to wait for more of them: to wake up for each would take a processor from them.
const GATHERING: Duration = Duration::from_millis(1);

/// How often it is looked for runs that hang in a user's code, and for results that wait behind a long run.
const LOOKING: Duration = Duration::from_millis(100);

/// The same once the caller waits for the end.
const ENDING: Duration = Duration::from_millis(10);

impl Batch {
    /// Starts `threads` threads on `jobs`.
    pub fn start(jobs: Vec<Job>, threads: usize) -> Self {
        let work = |queue: &JobQueue, worker: &Worker<Done>| {
            while let Some((index, job)) = queue.take() {
                worker.begins(index);
                worker.send((index, job.run()))?;
            }
            Ok(())
        };
        Batch::with_workers(jobs, threads, work, |index, failure| (index, Err(failure)))
    }
}

impl Batch<DoneTogether> {
    /// Starts `threads` threads on `jobs`; each joins what it recorded in runs that are short.
    pub fn start_joining(jobs: Vec<Job>, threads: usize) -> Self {
        let work = |queue: &JobQueue, worker: &Worker<DoneTogether>| {
            let mut together = Together { worker, since: Instant::now() };
            while let Some((index, job)) = queue.take() {
                if job.runs_other_code() {
                    // Nothing that is finished waits for code that may never come back.
                    together.send()?;
                }
                worker.begins(index);
                let started = Instant::now();
                match job.run() {
                    Ok(recording) => together.add(index, started, recording)?,
                    Err(failure) => {
                        together.send()?;
                        worker.send((vec![index], Err(failure)))?;
                    }
                }
            }
            together.send()
        };
        Batch::with_workers(jobs, threads, work, |index, failure| (vec![index], Err(failure)))
    }
}

/// Runs that a worker joins.
struct Together<'a> {
    worker: &'a Worker<DoneTogether>,
    /// When the first of them began.
    since: Instant,
}

impl Together<'_> {
    /// Adds a run that began at `started`, and hands over what there is if that is enough.
    fn add(&mut self, index: usize, started: Instant, recording: Recording) -> Result<(), Ended> {
        let mut held = self.worker.held();
        let before = match &mut *held {
            Some((jobs, Ok(joined))) if started.elapsed() < JOINING && joined.fits(&recording) => {
                jobs.push(index);
                joined.add(recording);
                None
            }
            _ => {
                self.since = started;
                held.replace((vec![index], Ok(recording.into())))
            }
        };
        let is_much = matches!(&*held, Some((_, Ok(joined))) if joined.bytes() >= JOINED_BYTES);
        drop(held);
        before.map_or(Ok(()), |before| self.worker.send(before))?;
        if is_much || self.since.elapsed() >= JOINING {
            self.send()?;
        }
        Ok(())
    }

    /// Hands over what there is.
    fn send(&self) -> Result<(), Ended> {
        let held = self.worker.held().take();
        held.map_or(Ok(()), |held| self.worker.send(held))
    }
}

impl<T: Send + 'static> Batch<T> {
    /// Starts `threads` threads that `work` until there are no more jobs; `failed` is the result of a job that hangs.
    fn with_workers(
        jobs: Vec<Job>,
        threads: usize,
        work: fn(&JobQueue, &Worker<T>) -> Result<(), Ended>,
        failed: fn(usize, Failure) -> T,
    ) -> Self {
        let (sender, results) = sync_channel(WAITING);
        let cancelled = Arc::new(AtomicBool::new(false));
        let queue = Arc::new(JobQueue { jobs, next: AtomicUsize::new(0), cancelled: cancelled.clone() });
        let work = move |worker: &Worker<T>| work(&queue, worker);
        let workers = Workers::start(threads.max(1), sender, Arc::new(work), failed);
        Batch { results, cancelled, workers, taken: None, looked: Instant::now() }
    }

    /// Results, after waiting at most `timeout` for the first; none when the timeout passed, `None` when all jobs
    /// are done.
    pub fn next(&mut self, timeout: Duration) -> Option<Vec<T>> {
        let mut done = self.wait(timeout)?;
        if self.looked.elapsed() >= LOOKING {
            done.extend(self.look());
        }
        if done.is_empty() {
            return Some(done);
        }
        if self.taken.is_some_and(|taken| taken.elapsed() < IN_A_ROW) {
            std::thread::sleep(GATHERING);
        }
        done.extend(self.results.try_iter());
        self.taken = Some(Instant::now());
        Some(done)
    }

    /// The first result, or what is seen in the threads.
    fn wait(&mut self, timeout: Duration) -> Option<Vec<T>> {
        let began = Instant::now();
        loop {
            let left = timeout.saturating_sub(began.elapsed());
            let looking = if self.workers.are_stopped() { ENDING } else { LOOKING };
            match self.results.recv_timeout(left.min(looking)) {
                Ok(first) => return Some(vec![first]),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let seen = self.look();
            if !seen.is_empty() || began.elapsed() >= timeout {
                return Some(seen);
            }
        }
    }

    /// Jobs that hang, and results that wait behind a run that may be long.
    fn look(&mut self) -> Vec<T> {
        self.looked = Instant::now();
        let mut seen = self.workers.give_up_what_hangs();
        seen.extend(self.workers.held());
        seen
    }

    /// Starts no further job. Those under way finish, and their results can still be taken.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Starts no further job, and ends those under way as soon as they notice.
    pub fn stop(&mut self) {
        self.cancel();
        self.workers.stop();
    }

    /// How far the runs under way have come, in simulated time.
    pub fn simulated(&self) -> impl Iterator<Item = Time> + '_ {
        self.workers.simulated()
    }
}

impl<T: Send + 'static> Drop for Batch<T> {
    fn drop(&mut self) {
        self.stop();
        // Workers may wait for room; taking what they have lets them end.
        while !matches!(self.results.recv_timeout(ENDING), Err(RecvTimeoutError::Disconnected)) {
            self.workers.give_up_what_hangs();
        }
        self.workers.join();
    }
}
