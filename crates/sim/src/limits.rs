//! Conditions that end a run early: a request, its limit of events, or too little memory. Runs check them
//! once in a while, which takes a fiftieth of the engine's instructions.

use crate::headroom::{self, Shortage};
use crate::pulse::Pulse;
use crate::run::{LowMemory, Need, RunError};
use crate::units::Time;

/// For a run that there is no memory for.
pub(crate) const ADVICE: &str = "record less, or over a shorter time";

/// A run looks after so many steps: some tenths of a millisecond.
const EVERY: u64 = 4096;

/// A part of a run that may grow, in the plural, and its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece(pub &'static str, pub u64);

impl Piece {
    /// The largest of several.
    pub fn largest(pieces: impl IntoIterator<Item = Piece>) -> Piece {
        pieces.into_iter().max_by_key(|piece| piece.1).unwrap_or(Piece("flows", 0))
    }
}

/// Progress of a run, and the limits that end it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Steps done ahead of events: packets that a source writes before their time.
    ahead: u64,
    most: u64,
}

impl Limits {
    /// For a run of at most `max_events` events.
    pub fn new(max_events: Option<u64>) -> Self {
        Limits { ahead: 0, most: max_events.unwrap_or(u64::MAX) }
    }

    /// The number of the event at which a run that has executed `executed` events looks next.
    pub fn next_check(&self, executed: u64) -> u64 {
        let left = self.most.saturating_sub(self.ahead).saturating_sub(executed);
        executed + EVERY.min(left.max(1))
    }

    /// Counts a step ahead of the events; returns whether it is time to look.
    #[inline]
    pub fn step_ahead(&mut self) -> bool {
        self.ahead += 1;
        self.ahead % EVERY == 0
    }

    /// Events and steps ahead of them, once `executed` events are.
    pub fn steps(&self, executed: u64) -> u64 {
        executed.saturating_add(self.ahead)
    }

    /// Ends the run of this thread if it takes more events than it may, once `executed` of them are over. A run fails
    /// if it is asked at its end, and only then if it is asked before: what is read from a cache is judged alike.
    #[cold]
    pub fn heed_most(&self, executed: u64, now: Time) {
        if self.steps(executed) > self.most {
            RunError::MaxEvents { at: now, limit: self.most }.end_run();
        }
    }

    /// Ends the run of this thread if anything asks for that, before as many events as `executed` are over. `to_finish`
    /// is the memory that the recording still needs, and `largest` what takes most of it.
    #[cold]
    pub fn check(
        &self,
        executed: u64,
        now: Time,
        to_finish: impl FnOnce() -> u64,
        largest: impl FnOnce() -> Piece,
    ) {
        let pulse = Pulse::own();
        pulse.heed();
        pulse.has_come_to(now);
        pulse.tell(now);
        self.heed_most(executed, now);
        if let Some(shortage) = headroom::shortage(to_finish) {
            runs_low(now, shortage, Some(largest()));
        }
    }
}

/// Steps of a loop within one event that may take long: every so often it looks whether the run is to end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps(u64);

impl Steps {
    /// One more.
    #[inline]
    pub fn next(&mut self) {
        self.0 += 1;
        if self.0 % EVERY == 0 {
            Steps::check();
        }
    }

    #[cold]
    fn check() {
        let pulse = Pulse::own();
        pulse.heed();
        pulse.tell(pulse.simulated());
        check_memory(|| None);
    }
}

/// Ends the run of this thread if memory runs low. `largest` is what takes most of it, where that is known.
pub(crate) fn check_memory(largest: impl FnOnce() -> Option<Piece>) {
    if let Some(shortage) = headroom::shortage(|| 0) {
        runs_low(Pulse::own().simulated(), shortage, largest());
    }
}

#[cold]
fn runs_low(at: Time, shortage: Shortage, largest: Option<Piece>) -> ! {
    let Shortage { memory, to_finish } = shortage;
    let need = Need::Rest { bytes: to_finish, largest: largest.map(|Piece(items, bytes)| (items, bytes)) };
    RunError::from(LowMemory { at, need, memory: Some(memory) }).end_run()
}
