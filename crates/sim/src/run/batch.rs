//! Many runs on several threads.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Job, RunError};
use crate::record::{Joined, Recording};
use crate::units::Time;
use crate::worker::{Ended, Worker, Workers};

/// The outcome of the job with this index: its recording, or the error that it ended with.
pub type Done = (usize, Result<Recording, RunError>);

/// The outcome of the jobs with these indices: their recordings, or the error that the only one ended with.
pub type DoneTogether = (Vec<usize>, Result<Joined, RunError>);

/// Jobs under way on several threads. Each thread's results come about in the order in which its jobs finish.
#[derive(Debug)]
pub struct Batch<T: Send + 'static = Done> {
    results: Receiver<T>,
    cancelled: Arc<AtomicBool>,
    workers: Workers<T>,
    /// Failures of all jobs where the system started no thread.
    unstarted: Vec<T>,
    /// Time at which results were last taken.
    taken: Option<Instant>,
    /// Time of the last look for jobs that hang or results that wait in a thread.
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

/// Time to wait for more of them: to wake up for each would take a processor from them.
const GATHERING: Duration = Duration::from_millis(1);

/// Time between two searches for runs that hang in a user's code, and for results that wait behind a long run.
const LOOKING: Duration = Duration::from_millis(100);

/// Time between looks once the caller waits for the end.
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
    /// Start of the first of them.
    since: Instant,
}

impl Together<'_> {
    /// Adds a run that began at `started`, and hands over what there is if that is enough.
    fn add(&mut self, index: usize, started: Instant, recording: Recording) -> Result<(), Ended> {
        let Some(recording) = self.joined(index, started, recording) else {
            return self.send_if_enough();
        };
        // Sent before the next ones can be taken, so that they stay in order.
        self.send()?;
        self.since = started;
        *self.worker.held() = Some((vec![index], Ok(recording.into())));
        self.send_if_enough()
    }

    /// Joins a run to those before it, or gives it back.
    fn joined(&self, index: usize, started: Instant, recording: Recording) -> Option<Recording> {
        match &mut *self.worker.held() {
            Some((jobs, Ok(joined))) if started.elapsed() < JOINING && joined.fits(&recording) => {
                jobs.push(index);
                joined.add(recording);
                None
            }
            _ => Some(recording),
        }
    }

    /// Hands over what there is if it is enough.
    fn send_if_enough(&self) -> Result<(), Ended> {
        let is_much = matches!(&*self.worker.held(), Some((_, Ok(joined))) if joined.bytes() >= JOINED_BYTES);
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
    /// Starts `threads` threads that `work` until there are no more jobs; `failed` is the result of a job that hangs, or that
    /// no thread is there for.
    fn with_workers(
        jobs: Vec<Job>,
        threads: usize,
        work: fn(&JobQueue, &Worker<T>) -> Result<(), Ended>,
        failed: fn(usize, RunError) -> T,
    ) -> Self {
        let (sender, results) = sync_channel(WAITING);
        let cancelled = Arc::new(AtomicBool::new(false));
        let count = jobs.len();
        let queue = Arc::new(JobQueue { jobs, next: AtomicUsize::new(0), cancelled: cancelled.clone() });
        let work = move |worker: &Worker<T>| work(&queue, worker);
        let (workers, refused) = Workers::start(threads.max(1), sender, Arc::new(work), failed);
        let refused = refused.filter(|_| workers.is_empty());
        let unstarted = refused.map_or(Vec::new(), |error| {
            (0..count).map(|index| failed(index, RunError::Thread(copy(&error)))).collect()
        });
        Batch { results, cancelled, workers, unstarted, taken: None, looked: Instant::now() }
    }

    /// Results, after waiting at most `timeout` for the first; none when the timeout passed, `None` when all jobs
    /// are done.
    pub fn next(&mut self, timeout: Duration) -> Option<Vec<T>> {
        if !self.unstarted.is_empty() {
            return Some(std::mem::take(&mut self.unstarted));
        }
        let mut done = self.wait(timeout)?;
        if self.looked.elapsed() >= LOOKING {
            done.extend(self.waiting_results());
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
            let seen = self.waiting_results();
            if !seen.is_empty() || began.elapsed() >= timeout {
                return Some(seen);
            }
        }
    }

    /// Jobs that hang, and results that wait behind a run that may be long.
    fn waiting_results(&mut self) -> Vec<T> {
        self.looked = Instant::now();
        // What hangs has handed over all before it, and whoever takes its place is not started yet.
        let mut seen: Vec<T> = self.results.try_iter().collect();
        seen.extend(self.workers.give_up_what_hangs());
        self.workers.take_held(&self.results, &mut seen);
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

    /// Simulated time that the runs under way have come to.
    pub fn simulated(&self) -> impl Iterator<Item = Time> + '_ {
        self.workers.simulated()
    }
}

/// Copies an error, which cannot be cloned.
fn copy(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
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
