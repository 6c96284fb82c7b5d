//! The threads of a batch. One that hangs in a user's code is given up, and another takes its place.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::pulse::Pulse;
use crate::run::RunError;
use crate::units::Time;

/// Time that a thread has to come back after it was asked to stop.
const PATIENCE: Duration = Duration::from_millis(40);

/// Nobody takes results any more.
#[derive(Debug)]
pub(crate) struct Ended;

/// State that a thread and its batch share.
pub(crate) struct Worker<T> {
    pulse: Arc<Pulse>,
    job: AtomicUsize,
    /// Results of runs that are done, to which those of the next may be joined.
    held: Mutex<Option<T>>,
    /// None once the batch has given the thread up.
    sender: Mutex<Option<SyncSender<T>>>,
}

impl<T> Worker<T> {
    /// The thread turns to job `index`.
    pub fn begins(&self, index: usize) {
        self.job.store(index, Ordering::Relaxed);
    }

    /// Hands over a result, if anybody still wants it.
    pub fn send(&self, result: T) -> Result<(), Ended> {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sender.ok_or(Ended)?.send(result).map_err(|_| Ended)
    }

    /// Results that wait to be joined with others. Whoever takes them hands them over.
    pub fn held(&self) -> MutexGuard<'_, Option<T>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn let_go(&self) -> Option<SyncSender<T>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

type Work<T> = Arc<dyn Fn(&Worker<T>) -> Result<(), Ended> + Send + Sync>;

/// A thread, and since when it has been in the same call of a user's code.
struct Thread<T> {
    worker: Arc<Worker<T>>,
    handle: JoinHandle<()>,
    call: Option<Call>,
}

/// A call that is under way.
#[derive(Clone, Copy)]
struct Call {
    number: u64,
    noticed: Instant,
    interrupted: Option<Instant>,
}

impl Call {
    fn noticed(number: u64) -> Self {
        Call { number, noticed: Instant::now(), interrupted: None }
    }
}

impl<T: Send + 'static> Thread<T> {
    fn start(sender: SyncSender<T>, work: Work<T>) -> io::Result<Self> {
        let pulse = Arc::new(Pulse::default());
        let (job, held, sender) = (AtomicUsize::new(0), Mutex::new(None), Mutex::new(Some(sender)));
        let worker = Arc::new(Worker { pulse: pulse.clone(), job, held, sender });
        let own = worker.clone();
        let handle = std::thread::Builder::new().spawn(move || {
            pulse.adopt();
            // Where results are not taken, neither are errors.
            let _ = work(&own);
            own.let_go();
        })?;
        Ok(Thread { worker, handle, call: None })
    }

    /// The call it is in, if that takes longer than it may.
    fn overdue(&mut self, patience: Option<Duration>) -> Option<&mut Call> {
        let pulse = &self.worker.pulse;
        let number = pulse.call();
        let known = self.call.filter(|call| Some(call.number) == number);
        self.call = known.or_else(|| number.map(Call::noticed));
        let call = self.call.as_mut()?;
        let limit = patience.or_else(|| pulse.time_limit())?;
        (call.interrupted.unwrap_or(call.noticed).elapsed() >= limit).then_some(call)
    }
}

/// All threads of a batch.
pub(crate) struct Workers<T> {
    threads: Vec<Thread<T>>,
    work: Work<T>,
    failed: fn(usize, RunError) -> T,
    stopped: bool,
}

impl<T> fmt::Debug for Workers<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

impl<T: Send + 'static> Workers<T> {
    /// Starts `count` threads that do `work`, or as many as the system gives, and then also says why there are no more.
    pub fn start(
        count: usize,
        sender: SyncSender<T>,
        work: Work<T>,
        failed: fn(usize, RunError) -> T,
    ) -> (Self, Option<io::Error>) {
        let mut refused = None;
        let started = (0..count).map(|_| Thread::start(sender.clone(), work.clone()));
        let threads =
            started.map_while(|thread| thread.map_err(|error| refused = Some(error)).ok()).collect();
        (Workers { threads, work, failed, stopped: false }, refused)
    }

    /// Tells if there is no thread.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// The results of jobs that hang: a thread that can be interrupted is, and one that still does not come back is
    /// left to itself.
    pub fn give_up_what_hangs(&mut self) -> Vec<T> {
        let patience = self.stopped.then_some(PATIENCE);
        let mut results = Vec::new();
        let (work, failed) = (&self.work, self.failed);
        self.threads.retain_mut(|thread| {
            let Some(call) = thread.overdue(patience) else {
                return true;
            };
            if call.interrupted.is_none() {
                call.interrupted = Some(Instant::now());
                thread.worker.pulse.interrupt();
                return true;
            }
            let waited = call.noticed.elapsed();
            let failure = thread.worker.pulse.overdue(waited);
            let Some(sender) = thread.worker.let_go() else {
                return true;
            };
            results.push(failed(thread.worker.job.load(Ordering::Relaxed), failure));
            // Where the system gives no other thread, the rest do what is left.
            let other = Thread::start(sender, work.clone());
            other.map(|other| *thread = other).is_ok()
        });
        results
    }

    /// Adds to `taken` the results that wait in a thread which has turned to another run, maybe a long one, behind those
    /// that it has handed over before.
    pub fn take_held(&self, handed_over: &Receiver<T>, taken: &mut Vec<T>) {
        for thread in &self.threads {
            let mut held = thread.worker.held();
            if let Some(result) = held.take() {
                // The thread hands nothing over while its lock is held.
                taken.extend(handed_over.try_iter());
                taken.push(result);
            }
        }
    }

    /// Asks all threads to end what they do.
    pub fn stop(&mut self) {
        self.stopped = true;
        for thread in &self.threads {
            thread.worker.pulse.stop();
        }
    }

    /// Returns whether the threads have been asked to stop.
    pub fn are_stopped(&self) -> bool {
        self.stopped
    }

    /// Simulated times that the threads have reached.
    pub fn simulated(&self) -> impl Iterator<Item = Time> + '_ {
        self.threads.iter().map(|thread| thread.worker.pulse.simulated())
    }

    /// Waits for the threads, which have ended or are about to.
    pub fn join(&mut self) {
        for thread in self.threads.drain(..) {
            let _ = thread.handle.join();
        }
    }
}
