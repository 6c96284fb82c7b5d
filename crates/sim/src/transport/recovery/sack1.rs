//! SACK as ns-2's Sack1 does it: a pipe that ACKs count down, one SACKed packet above is enough for a
//! retransmission, and nothing is remembered over a timeout (Fall and Floyd 1996).

use super::{record_blocks, Recovery, Trigger};
use crate::transport::ack_outcome::AckOutcome;
use crate::transport::{Ack, Core, Intervals, Outbox};
use crate::units::Time;

/// The state of Sack1.
#[derive(Clone, Debug, Default)]
pub struct Sack1 {
    recovering: bool,
    /// The fast retransmit has been on this very ACK, on which nothing else is sent.
    entered: bool,
    /// Estimate of the packets in flight during recovery.
    pipe: i64,
    /// Packets that the receiver has reported beyond a gap.
    sacked: Intervals,
    /// Highest packet sent again in this recovery.
    high_rxt: i64,
    /// After a timeout, duplicate ACKs mean nothing until a new ACK comes.
    after_timeout: bool,
}

impl Sack1 {
    fn fast_retransmit(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        self.pipe = core.in_flight() - i64::from(core.options.dupack_threshold);
        core.reduce(now);
        core.restart_timer(now);
        self.recovering = true;
        self.entered = true;
        self.high_rxt = self.high_rxt.max(core.high_ack + 1);
        core.send(core.high_ack + 1, now, out);
    }

    /// The lowest packet below the highest SACKed one that is neither SACKed nor sent again.
    fn next_hole(&self, core: &Core) -> Option<i64> {
        let end = self.sacked.end()?;
        Some(self.sacked.next_missing(self.high_rxt.max(core.high_ack) + 1)).filter(|&hole| hole < end)
    }

    /// Sends holes first, then new packets.
    ///
    /// Outside of recovery there is a hole only between the first duplicate ACKs and the retransmission, and
    /// only new data from the application leads here then. ns-2 sends such a hole again if its window has been
    /// reduced before, and otherwise nothing at all.
    fn send_some(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        let (cwnd, max_window) = (core.window.cwnd as i64, core.options.max_window as i64);
        let last = core.high_ack + max_window;
        let last_of_window = core.high_ack + cwnd.min(max_window);
        // In recovery the pipe counts, outside of it the window.
        while if self.recovering { self.pipe < cwnd } else { core.next_seq <= last_of_window } {
            let hole = self.next_hole(core);
            let seq = hole.unwrap_or(core.next_seq);
            let there_is_one = if hole.is_some() { core.recover > 0 } else { seq < core.limit };
            if !(there_is_one && seq <= last && core.pace_allows(now)) {
                return;
            }
            if hole.is_some() {
                self.high_rxt = seq;
            }
            core.send(seq, now, out);
            core.next_seq = core.next_seq.max(seq + 1);
            self.pipe += 1;
        }
    }

    /// Erases the scoreboard.
    fn forget(&mut self) {
        self.sacked.clear();
        self.high_rxt = 0;
    }

    fn leave(&mut self, core: &mut Core, ack: &Ack, now: Time) -> AckOutcome {
        self.recovering = false;
        core.recover = 0;
        core.dupacks = 0;
        self.forget();
        AckOutcome { repaired: true, ..core.advance(ack, now) }
    }
}

impl Recovery for Sack1 {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, _: &mut Outbox) -> AckOutcome {
        self.after_timeout = false;
        if !self.recovering {
            core.dupacks = 0;
            self.forget();
            core.advance(ack, now)
        } else if ack.high >= core.recover {
            self.leave(core, ack, now)
        } else {
            self.pipe -= 2;
            let outcome = core.advance_partial(ack);
            record_blocks(&mut self.sacked, core, ack);
            core.end_backoff();
            core.restart_timer(now);
            outcome
        }
    }

    fn on_dupack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) {
        if self.recovering {
            self.pipe -= 1;
            if record_blocks(&mut self.sacked, core, ack) && core.dupacks > 0 {
                core.dupacks += 1;
            }
            return;
        }
        if self.after_timeout || !record_blocks(&mut self.sacked, core, ack) {
            return;
        }
        core.dupacks += 1;
        let threshold = core.options.dupack_threshold;
        if core.dupacks == threshold && core.may_fast_retransmit() {
            self.fast_retransmit(core, now, out);
        } else if core.dupacks < threshold {
            core.limited_transmit(now, out);
        }
    }

    fn on_old_ack(&mut self, _: &mut Core) {
        if self.recovering {
            self.pipe -= 1;
        }
    }

    fn lost_below(&self, core: &Core) -> i64 {
        if self.recovering {
            self.sacked.end().unwrap_or(0).max(core.high_ack + 2)
        } else {
            core.high_ack + 1
        }
    }

    fn repairs(&self) -> bool {
        self.recovering
    }

    fn on_timeout(&mut self) {
        let mut sacked = std::mem::take(&mut self.sacked);
        sacked.clear();
        *self = Sack1 { sacked, after_timeout: true, ..Sack1::default() };
    }

    fn send(&mut self, core: &mut Core, trigger: Trigger, now: Time, out: &mut Outbox) {
        if std::mem::take(&mut self.entered) {
            return;
        }
        if self.recovering || core.dupacks == 0 || trigger != Trigger::Ack {
            self.send_some(core, now, out);
        }
    }
}
