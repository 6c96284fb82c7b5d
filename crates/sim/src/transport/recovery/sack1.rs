//! SACK as ns-2's Sack1 does it: a pipe that ACKs count down, one SACKed packet above is enough for a
//! retransmission, and nothing is remembered over a timeout (Fall and Floyd 1996).

use super::{Recovery, Trigger};
use crate::transport::{Ack, Core, Intervals, Outbox};
use crate::units::Time;

/// The state of Sack1.
#[derive(Clone, Debug, Default)]
pub struct Sack1 {
    recovering: bool,
    /// Estimate of the packets in flight during recovery.
    pipe: i64,
    /// What the receiver has reported beyond a gap.
    sacked: Intervals,
    /// Highest packet sent again in this recovery.
    high_rxt: i64,
    /// After a timeout, duplicate ACKs mean nothing until a new ACK comes.
    after_timeout: bool,
}

impl Sack1 {
    /// Takes in the blocks of an ACK. Returns whether they tell anything new.
    fn update(&mut self, core: &Core, ack: &Ack) -> bool {
        let mut news = false;
        for (low, high) in ack.blocks.iter() {
            let low = i64::from(low).max(core.high_ack + 1);
            if low < i64::from(high) {
                news |= self.sacked.insert(low, i64::from(high));
            }
        }
        self.sacked.remove_below(core.high_ack + 1);
        news
    }

    fn fast_retransmit(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        self.pipe = core.in_flight() - i64::from(core.options.dupack_threshold);
        core.reduce(now);
        core.restart_timer(now);
        self.recovering = true;
        self.high_rxt = core.high_ack + 1;
        core.send(self.high_rxt, now, out);
    }

    /// The lowest packet below the highest SACKed one that is neither SACKed nor sent again.
    fn next_hole(&self, core: &Core) -> Option<i64> {
        let hole = self.sacked.next_missing(self.high_rxt.max(core.high_ack) + 1);
        self.sacked.end().filter(|&end| hole < end).map(|_| hole)
    }

    fn send_pipe(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        while self.pipe < core.window.cwnd as i64 && core.next_seq < core.limit && core.pace_allows(now) {
            let hole = self.next_hole(core);
            let seq = hole.unwrap_or(core.next_seq);
            if seq > core.high_ack + core.options.max_window as i64 {
                return;
            }
            match hole {
                Some(hole) => self.high_rxt = hole,
                None => core.next_seq += 1,
            }
            core.send(seq, now, out);
            self.pipe += 1;
        }
    }

    fn leave(&mut self, core: &mut Core, ack: &Ack, now: Time) {
        self.recovering = false;
        core.recover = 0;
        core.dupacks = 0;
        core.advance(ack, now);
        self.sacked.clear();
    }
}

impl Recovery for Sack1 {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, _: &mut Outbox) {
        self.after_timeout = false;
        if !self.recovering {
            core.dupacks = 0;
            let acked = core.advance(ack, now);
            core.grow(acked, now);
            core.finish_handshake();
            self.sacked.clear();
        } else if ack.high >= core.recover {
            self.leave(core, ack, now);
        } else {
            self.pipe -= 2;
            core.note(ack);
            self.update(core, ack);
            core.end_backoff();
            core.restart_timer(now);
        }
    }

    fn on_dupack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) {
        if self.recovering {
            self.pipe -= 1;
            if self.update(core, ack) && core.dupacks > 0 {
                core.dupacks += 1;
            }
            return;
        }
        if self.after_timeout || !self.update(core, ack) {
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

    fn on_timeout(&mut self) {
        *self = Sack1 { after_timeout: true, ..Sack1::default() };
    }

    fn send(&mut self, core: &mut Core, trigger: Trigger, now: Time, out: &mut Outbox) {
        if self.recovering {
            self.send_pipe(core, now, out);
        } else if core.dupacks == 0 || trigger != Trigger::Ack {
            core.send_window(now, 0, u32::MAX, out);
        }
    }
}
