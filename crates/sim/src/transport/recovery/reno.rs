//! Reno: fast retransmit and fast recovery, which the first new ACK ends (RFC 5681, section 3.2).

use super::Recovery;
use crate::transport::{Core, Outbox};
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
        core.reduce();
        core.restart_timer(now);
        core.send(core.high_ack + 1, now, out);
        self.recovering = true;
        self.inflation = i64::from(core.options.dupack_threshold);
    }

    /// A new ACK that ends recovery, or that comes outside it.
    pub(super) fn full_ack(&mut self, core: &mut Core, ack: i64, echo: Time, now: Time) -> bool {
        let was_recovering = std::mem::take(&mut self.recovering);
        self.inflation = 0;
        core.dupacks = 0;
        let acked = core.advance(ack, echo, now);
        if !(was_recovering && core.options.deflate_to_ssthresh) {
            core.grow(acked);
        }
        core.finish_handshake();
        was_recovering
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
            let cwnd = core.window.cwnd - (acked - self.inflation) as f64;
            core.window.cwnd = cwnd.max(1.0);
            self.inflation = 1;
        }
    }
}

impl Recovery for Reno {
    fn on_new_ack(&mut self, core: &mut Core, ack: i64, echo: Time, now: Time, _: &mut Outbox) {
        if self.full_ack(core, ack, echo, now) && core.options.deflate_to_ssthresh {
            core.window.cwnd = core.window.ssthresh;
        }
    }

    fn on_dupack(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        let threshold = core.options.dupack_threshold;
        if core.dupacks == threshold {
            if core.may_fast_retransmit() {
                self.fast_retransmit(core, now, out);
            }
        } else if core.dupacks > threshold {
            if self.recovering {
                self.inflation += 1;
            }
        } else {
            core.limited_transmit(now, out);
        }
    }

    fn on_timeout(&mut self) {
        *self = Reno::default();
    }

    fn inflation(&self) -> i64 {
        self.inflation
    }

    fn burst(&self, core: &Core) -> u32 {
        // Below the threshold only limited transmit sends.
        if core.dupacks == 0 || core.dupacks >= core.options.dupack_threshold {
            u32::MAX
        } else {
            0
        }
    }
}
