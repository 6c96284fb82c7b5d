//! NewReno: fast recovery that lasts until everything sent before it has been acknowledged (RFC 6582).

use super::{Recovery, Reno};
use crate::scenario::PartialAckTimer;
use crate::transport::{Core, Outbox};
use crate::units::Time;

/// NewReno's fast recovery: Reno's, and partial ACKs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewReno {
    reno: Reno,
    partial_ack_seen: bool,
}

impl NewReno {
    /// Some packets of the window are still missing: the next one is sent again (RFC 6582, section 3.2, step 3).
    fn partial_ack(&mut self, core: &mut Core, ack: i64, echo: Time, now: Time, out: &mut Outbox) {
        let first = !std::mem::replace(&mut self.partial_ack_seen, true);
        if first || core.options.partial_ack_timer == PartialAckTimer::Every {
            core.restart_timer(now);
        }
        let acked = core.note(ack, echo);
        self.reno.deflate(core, acked.packets);
        core.send(core.high_ack + 1, now, out);
    }
}

impl Recovery for NewReno {
    fn on_new_ack(&mut self, core: &mut Core, ack: i64, echo: Time, now: Time, out: &mut Outbox) {
        if self.reno.recovering() && ack < core.recover {
            return self.partial_ack(core, ack, echo, now, out);
        }
        self.partial_ack_seen = false;
        let ended = self.reno.full_ack(core, ack, echo, now);
        if ended && core.options.deflate_to_ssthresh {
            // RFC 6582, section 3.2, step 3, option 1: no burst after recovery.
            let flight = core.in_flight().max(1) as f64;
            core.window.cwnd = core.window.ssthresh.min(flight + 1.0);
        }
    }

    fn on_dupack(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        self.reno.on_dupack(core, now, out);
    }

    fn on_timeout(&mut self) {
        *self = NewReno::default();
    }

    fn inflation(&self) -> i64 {
        self.reno.inflation()
    }

    fn burst(&self, core: &Core) -> u32 {
        if core.dupacks >= core.options.dupack_threshold {
            core.options.recovery_burst
        } else {
            self.reno.burst(core)
        }
    }
}
