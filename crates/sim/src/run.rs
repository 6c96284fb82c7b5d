//! Runs scenarios: one, or many on all cores.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::compile::{Folding, Plan};
use crate::engine::Simulation;
use crate::error::ScenarioError;
use crate::record::Recording;
use crate::scenario::Scenario;

/// Changes whenever a recording of any scenario may change; results are cached under it.
pub const ENGINE_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+9");

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

/// Jobs under way on several threads. Results come in the order in which jobs finish.
#[derive(Debug)]
pub struct Batch {
    results: Receiver<Done>,
    cancelled: Arc<AtomicBool>,
    workers: Vec<JoinHandle<()>>,
    /// When jobs were last taken.
    taken: Option<Instant>,
}

/// Recordings that wait for somebody to take them; more would only fill the memory.
const WAITING: usize = 64;

/// Runs that end so soon after those taken last are short ones in a row.
const IN_A_ROW: Duration = Duration::from_millis(5);

/// How long to wait for more of them: to wake up for each would take a processor from them.
const GATHERING: Duration = Duration::from_millis(1);

impl Batch {
    /// Starts `threads` threads on `jobs`.
    pub fn start(jobs: Vec<Job>, threads: usize) -> Self {
        let (sender, results) = sync_channel(WAITING);
        let cancelled = Arc::new(AtomicBool::new(false));
        let next = Arc::new(AtomicUsize::new(0));
        let jobs = Arc::new(jobs);
        let worker = |_| {
            let (sender, jobs) = (sender.clone(), jobs.clone());
            let (next, cancelled) = (next.clone(), cancelled.clone());
            std::thread::spawn(move || loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= jobs.len() || cancelled.load(Ordering::Relaxed) {
                    return;
                }
                if sender.send((index, jobs[index].run())).is_err() {
                    return;
                }
            })
        };
        let workers = (0..threads.max(1)).map(worker).collect();
        Batch { results, cancelled, workers, taken: None }
    }

    /// Finished jobs, after waiting at most `timeout` for the first; none when the timeout passed, `None` when
    /// all jobs are done.
    pub fn next(&mut self, timeout: Duration) -> Option<Vec<Done>> {
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

impl Drop for Batch {
    fn drop(&mut self) {
        self.cancel();
        // Workers may wait for room; taking what they have lets them end.
        while self.results.recv().is_ok() {}
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}
