//! F-RTO (RFC 5682): after a timeout new data goes in place of what counts as lost, and what the ACKs of that report tells whether
//! the timeout was needless. No time stamps are asked for.

use super::Core;
use crate::transport::losses::Frto;
use crate::transport::Outbox;
use crate::units::Time;

/// Packets of new data that ask (section 2.1, step 2b).
const ASKING: i64 = 2;

impl Core {
    /// A timeout begins to be judged, unless a recovery was under way: retransmissions of that would be taken for originals.
    pub(super) fn begin_frto(&mut self, judged: bool) {
        if self.options.frto {
            self.set_frto(if judged { Frto::FirstAck } else { Frto::Done });
        }
    }

    fn frto(&self) -> Frto {
        self.losses.as_ref().map_or(Frto::Done, |losses| losses.frto())
    }

    /// Tells if new data goes in place of what counts as lost.
    pub fn asks_by_new_data(&self) -> bool {
        self.frto() == Frto::NewData
    }

    /// Tells if a packet that was sent at `at` had left when the window was reduced last.
    pub fn sent_before_reduction(&self, at: Time) -> bool {
        self.losses.as_ref().is_some_and(|losses| losses.reduced_after(at))
    }

    /// An ACK with SACK after a timeout, which acknowledges up to `high` now and `before` until now. With `original` it reports a
    /// packet for the first time that was sent before the timeout and never again: that was needless, the window is as before, and
    /// this returns true (section 3.1, step 3b; like Linux's tcp_process_loss() from the first ACK on).
    pub fn judge_timeout(&mut self, before: i64, high: i64, original: bool) -> bool {
        let state = self.frto();
        if state == Frto::Done {
            return false;
        }
        if original && self.undo_by(|losses| losses.take()) {
            return true;
        }
        let (first, advances) = (state == Frto::FirstAck, high > before);
        self.set_frto(match (first, advances) {
            // Steps 2b and 2a.
            (true, true) => self.second_step(high),
            (true, false) => Frto::FirstAck,
            (false, _) => Frto::Done,
        });
        false
    }

    /// An ACK of new data comes, without SACK (section 2.1, steps 2 and 3b). Whether it is the second one after a timeout: only one
    /// packet has been sent again, so that it tells of originals. The window is as before then.
    #[inline(always)]
    pub fn advances_twice(&mut self, high: i64) -> bool {
        self.options.frto && !self.options.sack && self.advances_again(high)
    }

    fn advances_again(&mut self, high: i64) -> bool {
        match self.frto() {
            Frto::Done => false,
            Frto::FirstAck => {
                self.set_frto(self.second_step(high));
                false
            }
            Frto::NewData => self.undo_by(|losses| losses.take()),
        }
    }

    /// An ACK of nothing new comes, without SACK. Whether it is the answer to the new data: the timeout was not needless (step 3a).
    pub fn stops_asking(&mut self) -> bool {
        if !self.options.frto || self.options.sack {
            return false;
        }
        let asked = self.asks_by_new_data();
        if asked {
            self.window.cwnd = self.window.cwnd.min((ASKING + 1) as f64);
        }
        self.set_frto(Frto::Done);
        asked
    }

    /// The new data of step 2b, whatever is out there.
    pub fn ask_by_new_data(&mut self, now: Time, out: &mut Outbox) {
        let last = self.last_allowed().min(self.recover + ASKING);
        while self.max_seq < last && self.pace_allows(now) {
            self.send(self.max_seq + 1, now, out);
        }
    }

    fn second_step(&self, high: i64) -> Frto {
        let allowed = (high + self.options.max_window as i64).min(self.limit - 1);
        let possible = high < self.recover && self.max_seq < allowed;
        if possible {
            Frto::NewData
        } else {
            Frto::Done
        }
    }

    fn set_frto(&mut self, state: Frto) {
        if let Some(losses) = &mut self.losses {
            losses.set_frto(state);
        }
    }
}
