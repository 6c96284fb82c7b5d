//! The threads of a batch. One that hangs in a user's code is given up, and another takes its place.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::pulse::{Failure, Pulse};
use crate::units::Time;

/// What a thread does that was asked to stop gets so long to come back.
const PATIENCE: Duration = Duration::from_millis(40);

/// Nobody takes results any more.
#[derive(Debug)]
pub(crate) struct Ended;

/// What a thread and its batch share.
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
    fn start(sender: SyncSender<T>, work: Work<T>) -> Self {
        let pulse = Arc::new(Pulse::default());
        let (job, held, sender) = (AtomicUsize::new(0), Mutex::new(None), Mutex::new(Some(sender)));
        let worker = Arc::new(Worker { pulse: pulse.clone(), job, held, sender });
        let own = worker.clone();
        let handle = std::thread::spawn(move || {
            pulse.adopt();
            // Where results are not taken, neither are errors.
            let _ = work(&own);
            own.let_go();
        });
        Thread { worker, handle, call: None }
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
    failed: fn(usize, Failure) -> T,
    stopped: bool,
}

impl<T> fmt::Debug for Workers<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

impl<T: Send + 'static> Workers<T> {
    /// Starts `count` threads that do `work`.
    pub fn start(
        count: usize,
        sender: SyncSender<T>,
        work: Work<T>,
        failed: fn(usize, Failure) -> T,
    ) -> Self {
        let threads = (0..count).map(|_| Thread::start(sender.clone(), work.clone())).collect();
        Workers { threads, work, failed, stopped: false }
    }

    /// The results of jobs that hang: a thread that can be interrupted is, and one that still does not come back is
    /// left to itself.
    pub fn give_up_what_hangs(&mut self) -> Vec<T> {
        let patience = self.stopped.then_some(PATIENCE);
        let mut results = Vec::new();
        for thread in &mut self.threads {
            let Some(call) = thread.overdue(patience) else {
                continue;
            };
            if call.interrupted.is_none() {
                call.interrupted = Some(Instant::now());
                thread.worker.pulse.interrupt();
                continue;
            }
            let waited = call.noticed.elapsed();
            let failure = thread.worker.pulse.overdue(waited);
            if let Some(sender) = thread.worker.let_go() {
                results.push((self.failed)(thread.worker.job.load(Ordering::Relaxed), failure));
                *thread = Thread::start(sender, self.work.clone());
            }
        }
        results
    }

    /// What is done and waits in a thread that has turned to another run, which may be long.
    pub fn held(&self) -> impl Iterator<Item = T> + '_ {
        self.threads.iter().filter_map(|thread| thread.worker.held().take())
    }

    /// Asks all threads to end what they do.
    pub fn stop(&mut self) {
        self.stopped = true;
        for thread in &self.threads {
            thread.worker.pulse.stop();
        }
    }

    /// Whether they have been asked to.
    pub fn are_stopped(&self) -> bool {
        self.stopped
    }

    /// How far the threads have come, in simulated time.
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
