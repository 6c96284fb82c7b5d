//! A TCP sender: the core, with a recovery.

use std::sync::Arc;

use super::recovery::{AnyRecovery, Recovery};
use super::{Core, Outbox, TcpOptions};
use crate::scenario::{IdleRestart, RecoveryName};
use crate::units::Time;

/// A TCP sender. It is driven by ACKs, by its timer and by its application.
#[derive(Clone, Debug)]
pub struct TcpSender {
    core: Core,
    recovery: AnyRecovery,
}

impl TcpSender {
    /// A sender that has sent nothing; `phase` is that of its clock.
    pub fn new(options: Arc<TcpOptions>, recovery: RecoveryName, phase: Time) -> Self {
        let mut core = Core::new(options, phase);
        // A SYN is a packet that no application hands over.
        core.limit = i64::from(core.options.handshake);
        TcpSender { core, recovery: AnyRecovery::new(recovery) }
    }

    /// What can be observed.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// The window in use, inflation included, in packets.
    pub fn inflated_cwnd(&self) -> f64 {
        self.core.window.cwnd + self.recovery.inflation() as f64
    }

    /// An ACK for everything below packet `next` arrives.
    pub fn on_ack(&mut self, next: u32, echo: Time, now: Time, out: &mut Outbox) {
        let core = &mut self.core;
        core.counters.acks_received += 1;
        let ack = i64::from(next) - 1;
        if ack > core.high_ack {
            self.recovery.on_new_ack(core, ack, echo, now, out);
        } else if ack == core.high_ack {
            core.dupacks += 1;
            self.recovery.on_dupack(core, now, out);
        }
        self.send(now, out);
    }

    /// The application hands over `packets` more.
    pub fn on_data(&mut self, packets: u32, now: Time, out: &mut Outbox) {
        self.core.limit =
            self.core.limit.saturating_add(if packets == u32::MAX { i64::MAX } else { i64::from(packets) });
        self.core.restart_after_idle(now);
        let burst = u32::MAX;
        let inflation = self.recovery.inflation();
        self.core.send_window(now, inflation, burst, out);
    }

    /// The application has no more data than what has been sent.
    pub fn close(&mut self) {
        self.core.limit = self.core.limit.min(self.core.max_seq + 1);
    }

    /// The retransmission timer expires.
    pub fn on_timeout(&mut self, now: Time, out: &mut Outbox) {
        let core = &mut self.core;
        if core.in_flight() == 0 && core.options.idle_restart != IdleRestart::OnTimer {
            core.stop_timer();
            return;
        }
        self.recovery.on_timeout();
        core.time_out(now);
        if core.options.timeout_clears_dupacks {
            core.dupacks = 0;
        }
        self.core.send_window(now, 0, u32::MAX, out);
    }

    fn send(&mut self, now: Time, out: &mut Outbox) {
        let burst = self.recovery.burst(&self.core);
        let inflation = self.recovery.inflation();
        self.core.send_window(now, inflation, burst, out);
    }

    /// Whether all that the application handed over has been acknowledged.
    pub fn finished(&self) -> bool {
        self.core.high_ack + 1 >= self.core.limit
    }
}
