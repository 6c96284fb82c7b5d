//! Activity of a thread that runs a simulation, visible to other threads: the user's part that it is inside
//! of, if any, and since when. They can ask it to stop.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parshall_control::user::{Failure, Method, Named, Watch};

use crate::run::{PartFailure, RunError};
use crate::units::Time;

/// The failure of a part, and where it failed.
fn failed(named: Named, method: Method, at: Time, failure: Failure) -> RunError {
    PartFailure { part: named.class, method, owner: named.owner, at, failure }.into()
}

type Interrupt = Arc<dyn Fn() + Send + Sync>;

/// Told how far a run has come, some thousand times a second; false ends the run.
pub type Watcher = Arc<dyn Fn(Time) -> bool + Send + Sync>;

/// See the head of this file. Only the thread itself counts and names; everybody may look.
#[derive(Default)]
pub struct Pulse {
    /// Calls begun and calls ended, which is odd while one is under way.
    steps: AtomicU64,
    /// Part that was called last, and its method.
    what: AtomicU64,
    at_ps: AtomicU64,
    named: Mutex<Vec<Named>>,
    stopped: AtomicBool,
    /// Simulated time at the run's last look, in picoseconds.
    come_to_ps: AtomicU64,
    interrupt: Mutex<Option<Interrupt>>,
    watcher: Mutex<Option<Watcher>>,
    /// Why the run of this thread ends before its end.
    failure: Mutex<Option<RunError>>,
}

impl fmt::Debug for Pulse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pulse").field("steps", &self.steps).finish_non_exhaustive()
    }
}

thread_local! {
    static OWN: RefCell<Arc<Pulse>> = RefCell::default();
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pulse {
    /// Pulse of this thread.
    pub fn own() -> Arc<Self> {
        OWN.with(|own| own.borrow().clone())
    }

    /// Makes this the one of this thread.
    pub(crate) fn adopt(self: Arc<Self>) {
        OWN.set(self);
    }

    /// A run begins: the names of another are forgotten.
    pub(crate) fn begin(&self) {
        self.has_come_to(Time::ZERO);
        self.tell_time(Time::ZERO);
        locked(&self.named).clear();
    }

    /// The run of this thread ends for this reason.
    #[cfg_attr(panic = "abort", allow(dead_code))]
    pub(crate) fn fail(&self, error: RunError) {
        *locked(&self.failure) = Some(error);
    }

    /// The reason why it ended, once.
    #[cfg_attr(panic = "abort", allow(dead_code))]
    pub(crate) fn take_failure(&self) -> Option<RunError> {
        locked(&self.failure).take()
    }

    /// A part of somebody else's takes part; returns the number by which it is called.
    pub(crate) fn name(&self, named: Named) -> u32 {
        let mut list = locked(&self.named);
        list.push(named);
        list.len() as u32 - 1
    }

    /// A method of part `number` is called.
    #[inline]
    pub(crate) fn enter(&self, number: u32, method: Method, now: Time) {
        self.what.store(u64::from(number) << 8 | method as u64, Relaxed);
        self.at_ps.store(now.ps(), Relaxed);
        self.step();
    }

    /// Enters a method of a part that does not know the time.
    #[inline]
    pub(crate) fn enter_now(&self, number: u32, method: Method) {
        self.what.store(u64::from(number) << 8 | method as u64, Relaxed);
        self.step();
    }

    /// Tells what time it is, for parts that do not know it.
    #[inline]
    pub(crate) fn tell_time(&self, now: Time) {
        self.at_ps.store(now.ps(), Relaxed);
    }

    /// Time that was told last.
    pub(crate) fn told_time(&self) -> Time {
        Time::from_ps(self.at_ps.load(Relaxed))
    }

    /// It has come back.
    #[inline]
    pub(crate) fn leave(&self) {
        self.step();
    }

    #[inline]
    fn step(&self) {
        // Nobody else writes, so this needs no locked instruction.
        self.steps.store(self.steps.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// The call under way, by a number that no other has.
    pub(crate) fn call(&self) -> Option<u64> {
        let steps = self.steps.load(Relaxed);
        (steps % 2 == 1).then_some(steps)
    }

    fn current(&self) -> (Named, Method, Time) {
        let what = self.what.load(Relaxed);
        let named = locked(&self.named).get((what >> 8) as usize).cloned().unwrap_or_default();
        (named, Method::ALL[(what & 0xff) as usize % Method::ALL.len()], self.told_time())
    }

    /// Time that the call under way may take.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.current().0.time_limit
    }

    /// The failure of a call under way that takes too long.
    pub(crate) fn overdue(&self, waited: Duration) -> RunError {
        let (named, method, now) = self.current();
        failed(named, method, now, Failure::new(format!("does not return for {:.0} s", waited.as_secs_f64())))
    }

    /// The failure of a part that panicked, if one was being called. The call is over.
    pub(crate) fn panicked(&self, text: &str) -> Option<RunError> {
        self.call()?;
        self.leave();
        let (named, method, now) = self.current();
        Some(failed(named, method, now, Failure::new(format!("panicked: {text}"))))
    }

    /// Asks the run of this thread to end at its next opportunity.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// True once that was asked for.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Simulated time that the run of this thread has reached, as of some tenths of a millisecond ago.
    pub fn simulated(&self) -> Time {
        Time::from_ps(self.come_to_ps.load(Relaxed))
    }

    pub(crate) fn has_come_to(&self, now: Time) {
        self.come_to_ps.store(now.ps(), Relaxed);
    }

    /// Tells a watcher of the runs of this thread how far they have come.
    pub fn on_look(&self, watcher: Option<Watcher>) {
        *locked(&self.watcher) = watcher;
    }

    /// Tells the watcher, if there is one, and ends the run if it says so.
    pub(crate) fn tell(&self, now: Time) {
        let watcher = locked(&self.watcher).clone();
        if watcher.is_some_and(|watcher| !watcher(now)) {
            RunError::Stopped.end_run();
        }
    }

    /// Ends the run of this thread if that was asked for.
    #[inline]
    pub(crate) fn heed(&self) {
        if self.is_stopped() {
            RunError::Stopped.end_run();
        }
    }

    /// Function that can interrupt a method that does not return, while this thread runs.
    pub fn on_interrupt(&self, interrupt: Option<Interrupt>) {
        *locked(&self.interrupt) = interrupt;
    }

    /// Interrupts the method that is under way, if that can be done.
    pub(crate) fn interrupt(&self) {
        let interrupt = locked(&self.interrupt).clone();
        if let Some(interrupt) = interrupt {
            interrupt();
        }
    }
}

/// The watch over a user's part: its calls are counted and heed a stop, and its failure ends the run of this thread.
#[derive(Debug)]
pub(crate) struct Watched {
    number: u32,
    pulse: Arc<Pulse>,
}

impl Watched {
    /// The number of what takes part in no run.
    const OUTSIDE: u32 = u32::MAX;

    /// The watch over a part that is used outside of runs.
    pub(crate) fn outside() -> Self {
        Watched { number: Self::OUTSIDE, pulse: Pulse::own() }
    }

    /// The watch over a copy of the part, on this thread.
    pub(crate) fn again(&self, named: &Named) -> Self {
        if self.number == Self::OUTSIDE {
            return Self::outside();
        }
        Self::new(named)
    }

    /// A method of a part that does not know the time is about to be called.
    #[inline]
    pub(crate) fn enter_now(&self, method: Method) {
        self.pulse.heed();
        self.pulse.enter_now(self.number, method);
    }
}

impl Watch for Watched {
    fn new(named: &Named) -> Self {
        let pulse = Pulse::own();
        Watched { number: pulse.name(named.clone()), pulse }
    }

    #[inline]
    fn enter(&self, method: Method, now: Time) {
        self.pulse.heed();
        self.pulse.enter(self.number, method, now);
    }

    #[inline]
    fn leave(&self) {
        self.pulse.leave();
    }

    fn fail(named: &Named, method: Method, now: Time, failure: Failure) -> ! {
        failed(named.clone(), method, now, failure).end_run()
    }
}
