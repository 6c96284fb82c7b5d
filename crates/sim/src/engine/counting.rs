//! Events and steps ahead of them are counted, and once in a while the run looks whether it is to end.

use super::Simulation;
use crate::units::Time;

impl Simulation {
    /// Ends the run if it is to end before its time, with `due` events that are about to be executed.
    #[cold]
    #[inline(never)]
    pub(super) fn check_limits(&mut self, due: u64) {
        let executed = self.executed();
        let to_finish = || self.recorder.bytes_to_finish();
        self.limits.check(executed + due, self.now, to_finish, || self.largest());
        self.next_check = self.limits.next_check(executed);
        self.until_check = self.next_check - executed;
        if self.pauses {
            self.until = Time::ZERO;
        }
    }

    /// Events that are over.
    pub(super) fn executed(&self) -> u64 {
        self.next_check - self.until_check
    }

    /// Counts an event that is about to be executed.
    #[inline(always)]
    pub(super) fn begin_event(&mut self) {
        match self.until_check.checked_sub(1) {
            Some(left) => self.until_check = left,
            None => {
                self.check_limits(1);
                self.until_check -= 1;
            }
        }
    }

    /// Counts a step that is taken ahead of the events.
    #[inline]
    pub(super) fn step_ahead(&mut self) {
        if self.limits.step_ahead() {
            self.check_limits(0);
        }
    }
}
