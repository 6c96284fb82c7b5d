//! Reno: fast retransmit and fast recovery, which the first new ACK ends (RFC 5681, section 3.2).

use super::{Recovery, Trigger};
use crate::transport::ack_outcome::AckOutcome;
use crate::transport::{Ack, Core, Outbox};
use crate::units::Time;

/// Reno's fast recovery.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno {
    recovering: bool,
    inflation: i64,
}

impl Reno {
    /// Retransmits the first packet in doubt, with half the window (RFC 5681, section 3.2, steps 2 and 3).
    pub(super) fn fast_retransmit(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        core.reduce(now);
        core.restart_timer(now);
        // [RFC 5681 3.2-i]
        core.send(core.high_ack + 1, now, out);
        self.recovering = true;
        self.inflation = i64::from(core.options.dupack_threshold);
    }

    /// A new ACK that ends recovery, or that comes outside it.
    pub(super) fn full_ack(&mut self, core: &mut Core, ack: &Ack, now: Time) -> AckOutcome {
        let was_recovering = std::mem::take(&mut self.recovering);
        self.inflation = 0;
        core.dupacks = 0;
        let outcome = core.advance(ack, now);
        AckOutcome { repaired: was_recovering && core.options.deflate_to_ssthresh, ..outcome }
    }

    pub(super) fn recovering(&self) -> bool {
        self.recovering
    }

    /// A partial ACK of `acked` packets takes them out of the inflated window, but for one that is resent
    /// (RFC 6582, section 3.2, step 3).
    pub(super) fn deflate(&mut self, core: &mut Core, acked: i64) {
        if self.inflation > acked - 1 {
            self.inflation -= acked - 1;
        } else {
            core.window.cwnd -= (acked - self.inflation) as f64;
            self.inflation = 1;
        }
        core.window.cwnd = core.window.cwnd.max(1.0);
    }

    /// Sends what the window allows, at most `burst` packets while duplicate ACKs come in. Below the threshold
    /// only limited transmit sends on an ACK.
    pub(super) fn send_at_most(
        &self,
        core: &mut Core,
        trigger: Trigger,
        burst: u32,
        now: Time,
        out: &mut Outbox,
    ) {
        let burst = match (trigger, core.dupacks) {
            (Trigger::Ack, n) if n >= core.options.dupack_threshold => burst,
            (Trigger::Ack, n) if n > 0 => 0,
            _ => u32::MAX,
        };
        // [RFC 5681 3.2-k]
        core.send_window(now, self.inflation, burst, out);
    }
}

impl Recovery for Reno {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, _: &mut Outbox) -> AckOutcome {
        let outcome = self.full_ack(core, ack, now);
        if outcome.repaired {
            // [RFC 5681 3.2-l] [RFC 5681 4.3-c] [RFC 5681 4.3-d]
            core.window.cwnd = core.window.ssthresh;
        }
        outcome
    }

    fn on_dupack(&mut self, core: &mut Core, _: &Ack, now: Time, out: &mut Outbox) {
        core.dupacks += 1;
        let threshold = core.options.dupack_threshold;
        // [RFC 5681 3.2-c]
        if core.dupacks == threshold {
            if core.may_fast_retransmit() {
                self.fast_retransmit(core, now, out);
            }
        } else if core.dupacks > threshold {
            if self.recovering {
                // [RFC 5681 3.2-j]
                self.inflation += 1;
            }
        } else {
            core.limited_transmit(now, out);
        }
    }

    fn repairs(&self) -> bool {
        self.recovering
    }

    fn on_timeout(&mut self) {
        *self = Reno::default();
    }

    fn send(&mut self, core: &mut Core, trigger: Trigger, now: Time, out: &mut Outbox) {
        self.send_at_most(core, trigger, u32::MAX, now, out);
    }
}
