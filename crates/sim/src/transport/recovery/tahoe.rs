//! Tahoe: fast retransmit, then slow start from one packet, sending everything again (Jacobson 1988).

use super::{Recovery, Trigger};
use crate::transport::ack_outcome::AckOutcome;
use crate::transport::{Ack, Core, Outbox};
use crate::units::Time;

/// Tahoe keeps no state of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tahoe;

impl Recovery for Tahoe {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, _: &mut Outbox) -> AckOutcome {
        core.dupacks = 0;
        core.advance(ack, now)
    }

    fn on_dupack(&mut self, core: &mut Core, _: &Ack, now: Time, out: &mut Outbox) {
        core.dupacks += 1;
        let threshold = core.options.dupack_threshold;
        if core.dupacks == threshold && core.may_fast_retransmit() {
            core.reduce(now);
            core.window.cwnd = 1.0;
            core.go_back(now);
            core.restart_timer(now);
        } else if core.dupacks < threshold {
            core.limited_transmit(now, out);
        }
    }

    fn on_timeout(&mut self) {}

    fn idle_out(&mut self, core: &mut Core) {
        core.stop_timer();
    }

    fn send(&mut self, core: &mut Core, _: Trigger, now: Time, out: &mut Outbox) {
        core.send_window(now, 0, u32::MAX, out);
    }
}
