//! Events and steps ahead of them are counted, and once in a while the run looks whether it is to end.

use super::Simulation;

impl Simulation {
    /// Ends the run if it is to end before its time, with `due` events that are about to be executed.
    #[cold]
    #[inline(never)]
    pub(super) fn look(&mut self, due: u64) {
        let executed = self.executed();
        let to_finish = || self.recorder.bytes_to_finish();
        self.limits.look(executed + due, self.now, to_finish, || self.largest());
        self.next_look = self.limits.next_look(executed);
        self.to_look = self.next_look - executed;
    }

    /// Events that are over.
    pub(super) fn executed(&self) -> u64 {
        self.next_look - self.to_look
    }

    /// Counts an event that is about to be executed.
    #[inline(always)]
    pub(super) fn begin_event(&mut self) {
        match self.to_look.checked_sub(1) {
            Some(left) => self.to_look = left,
            None => {
                self.look(1);
                self.to_look -= 1;
            }
        }
    }

    /// Counts a step that is taken ahead of the events.
    #[inline]
    pub(super) fn step_ahead(&mut self) {
        if self.limits.step_ahead() {
            self.look(0);
        }
    }
}
