//! What a thread that runs a simulation is doing, for others to see: whether it is inside a control that somebody
//! else wrote, since when, and in which. They can ask it to stop.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parshall_control::user::{self, Method, Named, Watch};

use crate::units::Time;

/// Why a run ended before its end.
pub struct Failure {
    /// In one line.
    pub message: String,
    /// What the code that failed has to say besides, for those who know that code.
    pub cause: Option<Box<dyn Any + Send + Sync>>,
}

impl Failure {
    /// A failure that needs no more than a line.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), cause: None }
    }

    /// Why the run of this thread ended that unwound with this: what it ended itself with, or what a panic says.
    pub(crate) fn of_panic(panic: Box<dyn Any + Send>) -> Self {
        if let (true, Some(failure)) = (panic.is::<Ended>(), Pulse::own().take_failure()) {
            return failure;
        }
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Failure::new(text.unwrap_or("the engine failed"))
    }

    /// Ends the run of this thread. It unwinds as a panic does, without saying so: no step of the engine has to ask
    /// whether something went wrong in a place that almost no run has. Why it ended is kept beside, so that
    /// the payload needs no memory.
    pub(crate) fn end_run(self) -> ! {
        // Where nothing unwinds this ends the program, and a panic is heard by its hook.
        #[cfg(panic = "abort")]
        panic!("{}", self.message);
        #[cfg(not(panic = "abort"))]
        {
            *locked(&Pulse::own().failure) = Some(self);
            std::panic::resume_unwind(Box::new(Ended))
        }
    }
}

/// The message of a run that somebody ended.
const INTERRUPTED: &str = "interrupted";

/// A run has ended before its end.
struct Ended;

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure").field("message", &self.message).finish_non_exhaustive()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::new(message)
    }
}

/// The failure of a control, with its place in front.
fn failed(named: &Named, method: Method, now: Time, failure: user::Failure) -> Failure {
    Failure { message: format!("{}: {}", named.place(method, now), failure.message), cause: failure.cause }
}

type Interrupt = Arc<dyn Fn() + Send + Sync>;

/// Told how far a run has come, some thousand times a second; false ends the run.
pub type Watcher = Arc<dyn Fn(Time) -> bool + Send + Sync>;

/// See the head of this file. Only the thread itself counts and names; everybody may look.
#[derive(Default)]
pub struct Pulse {
    /// Calls begun and calls ended, which is odd while one is under way.
    steps: AtomicU64,
    /// Which control was called last, and which method of it.
    what: AtomicU64,
    at_ps: AtomicU64,
    named: Mutex<Vec<Named>>,
    stopped: AtomicBool,
    /// Where the run was when it last looked, in picoseconds.
    come_to_ps: AtomicU64,
    interrupt: Mutex<Option<Interrupt>>,
    watcher: Mutex<Option<Watcher>>,
    /// Why the run of this thread ends before its end.
    failure: Mutex<Option<Failure>>,
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
    /// That of this thread.
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
        locked(&self.named).clear();
    }

    fn take_failure(&self) -> Option<Failure> {
        locked(&self.failure).take()
    }

    /// A control takes part; returns the number by which it is called.
    pub(crate) fn name(&self, named: Named) -> u32 {
        let mut list = locked(&self.named);
        list.push(named);
        list.len() as u32 - 1
    }

    /// A method of control `number` is called.
    #[inline]
    pub(crate) fn enter(&self, number: u32, method: Method, now: Time) {
        self.what.store(u64::from(number) << 8 | method as u64, Relaxed);
        self.at_ps.store(now.ps(), Relaxed);
        self.step();
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
        (
            named,
            Method::ALL[(what & 0xff) as usize % Method::ALL.len()],
            Time::from_ps(self.at_ps.load(Relaxed)),
        )
    }

    /// How long the call under way may take.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.current().0.time_limit
    }

    /// That the call under way takes too long, in words.
    pub(crate) fn overdue(&self, waited: Duration) -> Failure {
        let (named, method, now) = self.current();
        let late = format!("does not return for {:.0} s", waited.as_secs_f64());
        failed(&named, method, now, user::Failure::new(late))
    }

    /// Asks the run of this thread to end at its next opportunity.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Whether that was asked for.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// How far the run of this thread has come, in simulated time, as of some tenths of a millisecond ago.
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
            Failure::new(INTERRUPTED).end_run();
        }
    }

    /// Ends the run of this thread if that was asked for.
    #[inline]
    pub(crate) fn heed(&self) {
        if self.is_stopped() {
            Failure::new(INTERRUPTED).end_run();
        }
    }

    /// What can interrupt a method that does not return, while this thread runs.
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

/// The watch over a user's control: its calls are counted and heed a stop, and its failure ends the run of this thread.
#[derive(Debug)]
pub(crate) struct Watched {
    number: u32,
    pulse: Arc<Pulse>,
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

    fn fail(named: &Named, method: Method, now: Time, failure: user::Failure) -> ! {
        failed(named, method, now, failure).end_run()
    }
}
