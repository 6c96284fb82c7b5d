//! NewReno: fast recovery that lasts until everything sent before it has been acknowledged (RFC 6582).

use super::{Recovery, Reno, Trigger};
use crate::scenario::PartialAckTimer;
use crate::transport::ack_outcome::AckOutcome;
use crate::transport::{Ack, Core, Outbox};
use crate::units::Time;

/// NewReno's fast recovery: Reno's, and partial ACKs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewReno {
    reno: Reno,
    partial_ack_seen: bool,
}

impl NewReno {
    /// Some packets of the window are still missing: the next one is sent again (RFC 6582, section 3.2, step 3).
    fn partial_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) -> AckOutcome {
        // [RFC 6582 3.2-3d]
        let first = !std::mem::replace(&mut self.partial_ack_seen, true);
        if first || core.options.partial_ack_timer == PartialAckTimer::Every {
            core.restart_timer(now);
        }
        let outcome = core.advance_partial(ack);
        // [RFC 6582 3.2-3c]
        self.reno.deflate(core, outcome.packets);
        // [RFC 6582 3.2-3b]
        core.send(core.high_ack + 1, now, out);
        outcome
    }
}

impl Recovery for NewReno {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) -> AckOutcome {
        if self.reno.recovering() && ack.high < core.recover {
            return self.partial_ack(core, ack, now, out);
        }
        self.partial_ack_seen = false;
        let outcome = self.reno.full_ack(core, ack, now);
        if outcome.repaired {
            // RFC 6582, section 3.2, step 3, option 1: no burst after recovery.
            // [RFC 6582 3.2-3a]
            let flight = core.in_flight().max(1) as f64;
            core.window.cwnd = core.window.ssthresh.min(flight + 1.0);
        }
        outcome
    }

    fn on_dupack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) {
        self.reno.on_dupack(core, ack, now, out);
    }

    fn repairs(&self) -> bool {
        self.reno.recovering()
    }

    fn on_timeout(&mut self) {
        *self = NewReno::default();
    }

    fn send(&mut self, core: &mut Core, trigger: Trigger, now: Time, out: &mut Outbox) {
        let burst = core.options.recovery_burst;
        self.reno.send_at_most(core, trigger, burst, now, out);
    }
}
