//! A TCP sender: the core, with a recovery.

use std::cmp::Ordering;
use std::sync::Arc;

use super::ack_outcome::AckOutcome;
use super::recovery::{AnyRecovery, Recovery, Trigger};
use super::{Ack, Core, Outbox, TcpOptions};
use crate::compile::has_own_parts;
use crate::control::{AckKind, PathSample};
use crate::own::owned_by;
use crate::scenario::IdleRestart;
use crate::units::Time;

/// A TCP sender. It is driven by ACKs, by its timer and by its application.
#[derive(Debug)]
pub struct TcpSender {
    core: Core,
    recovery: AnyRecovery,
}

impl TcpSender {
    /// A sender that has sent nothing; `phase` is that of its clock.
    pub fn new(options: Arc<TcpOptions>, phase: Time, seed: u64, flow: &str) -> Self {
        if !has_own_parts(&options) {
            return TcpSender::made(options, phase, seed, flow);
        }
        let mut sender =
            owned_by(format!("flow {flow}"), seed, || TcpSender::made(options, phase, seed, flow));
        sender.core.tells_time = true;
        sender
    }

    fn made(options: Arc<TcpOptions>, phase: Time, seed: u64, flow: &str) -> Self {
        let recovery = AnyRecovery::new(&options);
        let mut core = Core::new(options, phase, seed, flow);
        // A SYN is a packet that no application hands over.
        core.limit = i64::from(core.options.handshake);
        // New data after silence does not restart the timer that Vegas left running.
        core.restart_idle_timer = !matches!(recovery, AnyRecovery::Vegas(_));
        TcpSender { core, recovery }
    }

    /// Starts a new connection: nothing is left of the one before but what it has counted.
    pub fn reconnect(&mut self, phase: Time, seed: u64, flow: &str) {
        let counters = self.core.counters;
        *self = TcpSender::new(self.core.options.clone(), phase, seed, flow);
        self.core.counters = counters;
    }

    /// An ACK of a connection that is over arrives.
    pub fn count_ack(&mut self) {
        self.core.counters.acks_received += 1;
    }

    /// Observable state of the sender.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// An ACK arrives.
    pub fn on_ack(&mut self, ack: &Ack, now: Time, out: &mut Outbox) {
        self.core.counters.acks_received += 1;
        self.core.tell_time(now);
        if self.core.is_paced() {
            return self.on_ack_paced(ack, now, out);
        }
        let connected = self.core.high_ack >= 0;
        let outcome = self.recover(ack, now, out);
        if connected {
            self.core.tell_control(ack, outcome, None, now);
        } else {
            self.tell_at_first(ack, outcome, None, now);
        }
        self.answer(ack, now, out);
    }

    /// Handles an ACK for a control that may read the path measurement.
    #[inline(never)]
    fn on_ack_paced(&mut self, ack: &Ack, now: Time, out: &mut Outbox) {
        self.core.measure_path(ack, now);
        let connected = self.core.high_ack >= 0;
        let outcome = self.recover(ack, now, out);
        let lost_below = self.recovery.lost_below(&self.core);
        // What a timeout has lost is repaired up to the last packet that was sent before it.
        let repairs = self.recovery.repairs() || self.core.high_ack < self.core.recover;
        let path = self.core.path_sample(lost_below, repairs, now);
        if connected {
            self.core.tell_control(ack, outcome, path.as_ref(), now);
        } else {
            self.tell_at_first(ack, outcome, path.as_ref(), now);
        }
        self.answer(ack, now, out);
    }

    /// Tells the control of an ACK before which nothing was acknowledged. That of a SYN is none to it: the connection begins
    /// there, as in Linux's tcp_init_transfer(), and the round trip of a packet that is so short is not that of others.
    #[cold]
    #[inline(never)]
    fn tell_at_first(&mut self, ack: &Ack, outcome: AckOutcome, path: Option<&PathSample>, now: Time) {
        if self.core.options.handshake && outcome.packets > 0 {
            self.core.connect(outcome.is_new_data(), now);
        }
        if !self.core.options.handshake || outcome.packets != 1 {
            self.core.tell_control(ack, outcome, path, now);
        }
    }

    /// Lets recovery deal with an ACK.
    #[inline(always)]
    fn recover(&mut self, ack: &Ack, now: Time, out: &mut Outbox) -> AckOutcome {
        let core = &mut self.core;
        if core.options.dsack && ack.repeated() {
            self.recovery.on_repeat(core, ack);
            let repeated = ack.blocks.iter().next().map_or(0, |(seq, _)| i64::from(seq));
            if core.repeats_all(repeated) {
                self.recovery.on_undo(core);
            }
        }
        match ack.high.cmp(&core.high_ack) {
            Ordering::Greater => {
                let needless = core.answers_original(ack) && !self.recovery.awaits_repairs(core, ack.high);
                if needless {
                    core.undo_for_original();
                }
                if needless || core.advances_twice(ack.high) {
                    self.recovery.on_undo(core);
                }
                self.recovery.on_new_ack(core, ack, now, out)
            }
            Ordering::Equal => {
                if core.stops_asking() {
                    // Nothing of it is a count of duplicates: what the timeout has lost goes again.
                    return AckOutcome::nothing(AckKind::Duplicate);
                }
                self.recovery.on_dupack(core, ack, now, out);
                AckOutcome::nothing(AckKind::Duplicate)
            }
            Ordering::Less => {
                self.recovery.on_old_ack(core);
                AckOutcome::nothing(AckKind::Old)
            }
        }
    }

    /// Answers the mark that an ACK reports, and sends what may be sent now.
    #[inline(always)]
    fn answer(&mut self, ack: &Ack, now: Time, out: &mut Outbox) {
        if ack.ecn_echo && self.core.options.ecn {
            self.core.on_mark(now);
        }
        self.send(Trigger::Ack, now, out);
    }

    /// The application hands over `packets` more.
    pub fn on_write(&mut self, packets: u32, now: Time, out: &mut Outbox) {
        self.core.limit =
            self.core.limit.saturating_add(if packets == u32::MAX { i64::MAX } else { i64::from(packets) });
        self.core.restart_after_idle(now);
        self.send(Trigger::Data, now, out);
    }

    /// Pacing lets the next packet go, or the control is to be woken.
    pub fn on_wake(&mut self, now: Time, out: &mut Outbox) {
        self.core.wake_control(now);
        self.send(Trigger::Data, now, out);
    }

    /// The application has no more data than what has been sent.
    pub fn close(&mut self) {
        self.core.limit = self.core.limit.min(self.core.max_seq + 1);
    }

    /// The retransmission timer expires, or one that recovery has put in its place.
    pub fn on_timeout(&mut self, now: Time, out: &mut Outbox) {
        let core = &mut self.core;
        core.tell_time(now);
        if self.recovery.on_early_timer(core, now, out) {
            return self.send(Trigger::Data, now, out);
        }
        if core.in_flight() == 0 && core.options.idle_restart != IdleRestart::OnTimer {
            return self.recovery.idle_out(core);
        }
        self.recovery.on_timeout();
        self.recovery.time_out(core, now);
        if core.options.timeout_clears_dupacks {
            core.dupacks = 0;
        }
        self.send(Trigger::Timeout, now, out);
    }

    fn send(&mut self, trigger: Trigger, now: Time, out: &mut Outbox) {
        self.core.forget_held_back();
        let next = self.core.max_seq + 1;
        if self.core.asks_by_new_data() && !self.core.options.sack {
            self.core.ask_by_new_data(now, out);
        } else {
            self.recovery.send(&mut self.core, trigger, now, out);
        }
        if self.core.is_paced() {
            self.core.note_limits();
        }
        self.core.note_usage(next);
    }

    /// Returns whether all that the application handed over has been acknowledged.
    pub fn finished(&self) -> bool {
        self.core.high_ack + 1 >= self.core.limit
    }
}
