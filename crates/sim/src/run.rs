//! Runs scenarios: one, or many on all cores.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SendError, SyncSender};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::compile::{Folding, Plan};
use crate::engine::Simulation;
use crate::error::ScenarioError;
use crate::record::{Joined, Recording};
use crate::scenario::Scenario;

/// Changes whenever a recording of any scenario may change; results are cached under it.
pub const ENGINE_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+10");

/// Runs a scenario.
///
/// # Errors
/// If the scenario cannot be run.
pub fn run(scenario: &Scenario, seed: u64) -> Result<Recording, ScenarioError> {
    let plan = Plan::new(scenario, Folding::On)?;
    Ok(Simulation::new(&plan, seed).run(&plan))
}

/// A scenario and a seed.
#[derive(Clone, Debug)]
pub struct Job {
    /// Shared by the jobs that run it.
    pub plan: Arc<Plan>,
    /// Of the random streams.
    pub seed: u64,
}

impl Job {
    /// Runs it; a failure of the engine becomes its message.
    pub fn run(&self) -> Result<Recording, String> {
        caught(|| Simulation::new(&self.plan, self.seed).run(&self.plan))
    }
}

/// Runs a plan that nobody needs any more; its memory is free while the run grows. A failure of the engine becomes
/// its message.
pub fn run_once(plan: Plan, seed: u64) -> Result<Recording, String> {
    caught(|| {
        let simulation = Simulation::new(&plan, seed);
        let names = plan.names.clone();
        drop(plan);
        simulation.run_named(&names)
    })
}

fn caught(run: impl FnOnce() -> Recording) -> Result<Recording, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        text.unwrap_or("the engine failed").to_string()
    })
}

/// What became of the job with this index: its recording, or what the engine failed with.
pub type Done = (usize, Result<Recording, String>);

/// What became of the jobs with these indices: what they recorded, or what the engine failed with in the only one.
pub type DoneTogether = (Vec<usize>, Result<Joined, String>);

/// Jobs under way on several threads. Each thread's results come in the order in which its jobs finish.
#[derive(Debug)]
pub struct Batch<T = Done> {
    results: Receiver<T>,
    cancelled: Arc<AtomicBool>,
    workers: Vec<JoinHandle<()>>,
    /// When results were last taken.
    taken: Option<Instant>,
}

/// Jobs that wait for a worker. It belongs to the workers: with the last of them the plans are gone.
struct Queue {
    jobs: Vec<Job>,
    next: AtomicUsize,
    cancelled: Arc<AtomicBool>,
}

impl Queue {
    /// The next job, and its index; what is taken is run.
    fn take(&self) -> Option<(usize, &Job)> {
        if self.cancelled.load(Ordering::Relaxed) {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        Some((index, self.jobs.get(index)?))
    }
}

/// Results that wait for somebody to take them; more would only fill the memory.
const WAITING: usize = 64;

/// Runs that are shorter are joined, for about so long; they wait for the run under way, however long that is.
const JOINING: Duration = Duration::from_millis(10);

/// Or until there is so much, which still is in the second-level cache of most machines.
const JOINED_BYTES: usize = 1 << 20;

/// Runs that end so soon after those taken last are short ones in a row.
const IN_A_ROW: Duration = Duration::from_millis(5);

/// How long to wait for more of them: to wake up for each would take a processor from them.
const GATHERING: Duration = Duration::from_millis(1);

impl Batch {
    /// Starts `threads` threads on `jobs`.
    pub fn start(jobs: Vec<Job>, threads: usize) -> Self {
        Batch::with_workers(jobs, threads, |queue, sender| {
            while let Some((index, job)) = queue.take() {
                sender.send((index, job.run()))?;
            }
            Ok(())
        })
    }
}

impl Batch<DoneTogether> {
    /// Starts `threads` threads on `jobs`; each joins what it recorded in runs that are short.
    pub fn start_joining(jobs: Vec<Job>, threads: usize) -> Self {
        Batch::with_workers(jobs, threads, |queue, sender| {
            let mut together = Together { sender, jobs: Vec::new(), joined: None, since: Instant::now() };
            while let Some((index, job)) = queue.take() {
                let started = Instant::now();
                match job.run() {
                    Ok(recording) => together.add(index, started, recording)?,
                    Err(message) => {
                        together.send()?;
                        sender.send((vec![index], Err(message)))?;
                    }
                }
            }
            together.send()
        })
    }
}

/// An error says that nobody takes results any more.
type Sent<T> = Result<(), SendError<T>>;

/// Runs that a worker joins.
struct Together<'a> {
    sender: &'a SyncSender<DoneTogether>,
    jobs: Vec<usize>,
    joined: Option<Joined>,
    /// When the first of them began.
    since: Instant,
}

impl Together<'_> {
    /// Adds a run that began at `started`, and hands over what there is if that is enough.
    fn add(&mut self, index: usize, started: Instant, recording: Recording) -> Sent<DoneTogether> {
        match &mut self.joined {
            Some(joined) if started.elapsed() < JOINING && joined.fits(&recording) => joined.add(recording),
            _ => {
                self.send()?;
                self.since = started;
                self.joined = Some(recording.into());
            }
        }
        self.jobs.push(index);
        let is_much = |joined: &Joined| joined.bytes() >= JOINED_BYTES;
        if self.since.elapsed() >= JOINING || self.joined.as_ref().is_some_and(is_much) {
            self.send()?;
        }
        Ok(())
    }

    /// Hands over what there is.
    fn send(&mut self) -> Sent<DoneTogether> {
        match self.joined.take() {
            Some(joined) => self.sender.send((std::mem::take(&mut self.jobs), Ok(joined))),
            None => Ok(()),
        }
    }
}

impl<T: Send + 'static> Batch<T> {
    /// Starts `threads` threads that `work` until there are no more jobs.
    fn with_workers(jobs: Vec<Job>, threads: usize, work: fn(&Queue, &SyncSender<T>) -> Sent<T>) -> Self {
        let (sender, results) = sync_channel(WAITING);
        let cancelled = Arc::new(AtomicBool::new(false));
        let queue = Arc::new(Queue { jobs, next: AtomicUsize::new(0), cancelled: cancelled.clone() });
        let worker = |_| {
            let (sender, queue) = (sender.clone(), queue.clone());
            std::thread::spawn(move || {
                // Where nobody takes results, nobody wants to know of errors.
                let _ = work(&queue, &sender);
            })
        };
        let workers = (0..threads.max(1)).map(worker).collect();
        Batch { results, cancelled, workers, taken: None }
    }

    /// Results, after waiting at most `timeout` for the first; none when the timeout passed, `None` when all jobs
    /// are done.
    pub fn next(&mut self, timeout: Duration) -> Option<Vec<T>> {
        let mut done = match self.results.recv_timeout(timeout) {
            Ok(first) => vec![first],
            Err(RecvTimeoutError::Timeout) => return Some(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => return None,
        };
        if self.taken.is_some_and(|taken| taken.elapsed() < IN_A_ROW) {
            std::thread::sleep(GATHERING);
        }
        done.extend(self.results.try_iter());
        self.taken = Some(Instant::now());
        Some(done)
    }

    /// Starts no further job. Those under way finish, and their results can still be taken.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl<T> Drop for Batch<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        // Workers may wait for room; taking what they have lets them end.
        while self.results.recv().is_ok() {}
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}
