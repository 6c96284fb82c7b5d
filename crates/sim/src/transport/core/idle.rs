//! Effects of a silence on the window, and of a lost SYN on the first timeout.

use parshall_estimators::rto::RtoEstimator;

use super::Core;
use crate::control::Silence;
use crate::scenario::IdleRestart;
use crate::units::Time;

/// The restart window where ten packets at once were too many (RFC 6928, section 2).
const EARLY_LOSS_RESTART: f64 = 4.0;

impl Core {
    /// A sender that is about to send after a silence longer than its RTO starts small again (RFC 5681, section 4.1), or with
    /// half of the window for each RTO (Linux's tcp_cwnd_restart(), after RFC 2861). A control that sets its window on every
    /// ACK keeps it, as in tcp_slow_start_after_idle_check(): nobody would raise it again before the next.
    pub fn restart_after_idle(&mut self, now: Time) {
        if self.max_seq < 0 {
            return self.control.on_begin(&self.window, now, None);
        }
        if self.in_flight() > 0 {
            return;
        }
        self.control.on_restart(&mut self.window, &Silence { now, last_sent: self.last_sent });
        let (silence, rto) = (now.since(self.last_sent), Time::from_secs(self.rto()));
        if silence <= rto || self.options.control.rules_recovery() {
            return;
        }
        match self.options.idle_restart {
            // [RFC 5681 4.1-a]
            IdleRestart::OnSend => self.window.cwnd = self.window.cwnd.min(self.restart_window()),
            IdleRestart::Halving => self.halve_for_each(rto, silence),
            IdleRestart::OnTimer | IdleRestart::Never => {}
        }
    }

    /// A packet of the initial window is lost.
    pub(super) fn note_early_loss(&mut self) {
        // [RFC 6928 2-e]
        let first = i64::from(self.options.handshake);
        self.lost_early |= (first..first + self.options.initial_window as i64).contains(&(self.high_ack + 1));
    }

    fn restart_window(&self) -> f64 {
        let initial = self.options.initial_window;
        if self.lost_early {
            initial.min(EARLY_LOSS_RESTART)
        } else {
            initial
        }
    }

    /// The window was right a while ago: slow start may go to three quarters of it (tcp_current_ssthresh()).
    fn halve_for_each(&mut self, rto: Time, silence: Time) {
        let (cwnd, least) = (self.window.cwnd, self.options.initial_window.min(self.window.cwnd));
        self.window.ssthresh = self.window.ssthresh.max(cwnd.trunc() * 0.75);
        let mut halved = cwnd.trunc();
        let mut left = silence;
        while left > rto && halved > least {
            left = left - rto;
            halved = (halved / 2.0).trunc();
        }
        self.window.cwnd = halved.max(least);
    }

    /// The handshake has taken more than one SYN, and no sample says yet how long a round trip takes: the timeout is what
    /// RFC 6298, section 5.7, wants, and backs off from there.
    pub(super) fn timeout_after_lost_syn(&self) -> Option<f64> {
        let first = self.lost_syns > 0 && self.options.handshake && self.high_ack >= 0;
        let known = self.timer.estimator().base_rto().is_some();
        // [RFC 6298 5.7-a]
        let least = self.options.rto_after_lost_syn.filter(|_| first && !known)?;
        let rules = self.timer.rules();
        Some(rules.apply(least.max(rules.initial_s), self.timer.backoff()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::control::Control;
    use crate::transport::{Outbox, TcpOptions};

    /// A sender of Linux that has had a window of `cwnd`, and whose RTO is 0.25 s.
    fn silent(options: TcpOptions, cwnd: f64) -> Core {
        let options = TcpOptions { handshake: false, ..options };
        let mut core = Core::new(Arc::new(options), Time::ZERO, 1, "f");
        core.limit = 1;
        core.send_window(Time::from_secs(10.0), 0, 1, &mut Outbox::default());
        core.high_ack = core.max_seq;
        (0..100).for_each(|_| core.timer.on_sample(0.05));
        core.window.cwnd = cwnd;
        core.window.ssthresh = 20.0;
        core
    }

    fn after(mut core: Core, silence: f64) -> (f64, f64) {
        core.restart_after_idle(Time::from_secs(10.0 + silence));
        (core.window.cwnd, core.window.ssthresh)
    }

    #[test]
    fn linux_halves_once_for_each_rto() {
        let core = |cwnd| silent(TcpOptions::linux(), cwnd);
        assert!((core(1.0).rto() - 0.25).abs() < 1e-3, "{}", core(1.0).rto());
        assert_eq!(after(core(82.0), 0.24), (82.0, 20.0));
        assert_eq!(after(core(82.0), 0.35), (41.0, 61.5));
        assert_eq!(after(core(98.0), 0.6), (24.0, 73.5));
        assert_eq!(after(core(98.0), 2.0), (10.0, 73.5));
        assert_eq!(after(core(7.0), 2.0), (7.0, 20.0));
    }

    #[test]
    fn the_rfcs_start_anew() {
        let core = silent(TcpOptions::rfc(), 82.0);
        assert_eq!(after(core, 1.1), (10.0, 20.0));
    }

    #[test]
    // [RFC 6928 2-e]
    fn who_has_lost_packets_of_the_initial_window_starts_anew_with_four() {
        let mut core = silent(TcpOptions::rfc(), 82.0);
        core.high_ack = 20;
        core.note_early_loss();
        assert!(!core.lost_early);
        core.high_ack = 8;
        core.note_early_loss();
        (core.high_ack, core.window.ssthresh) = (core.max_seq, 20.0);
        assert_eq!(after(core, 1.1), (4.0, 20.0));
    }

    #[test]
    fn a_control_that_sets_its_window_on_every_ack_keeps_it() {
        for options in [TcpOptions::rfc(), TcpOptions::linux()] {
            for control in ["bbr", "copa"] {
                let control: Control =
                    serde_json::from_value(serde_json::json!({"kind": control})).expect("a control");
                let core = silent(TcpOptions { control, ..options.clone() }, 82.0);
                assert_eq!(after(core, 20.0).0, 82.0);
            }
        }
    }
}
