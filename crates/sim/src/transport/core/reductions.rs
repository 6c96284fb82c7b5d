//! Reductions of a sender at a loss, a mark or a timeout.

use super::*;

impl Core {
    /// An ACK reports a mark: reduces the window, once for what is in flight (RFC 3168, section 6.1.2).
    pub fn on_mark(&mut self, now: Time) {
        if self.high_ack <= self.mark_answered || self.high_ack <= self.recover {
            return;
        }
        self.mark_answered = self.max_seq;
        self.losses.get_or_insert_default().on_reduction(self.max_seq);
        self.announce_reduction = true;
        self.counters.mark_reductions += 1;
        let target = self.control.after_mark(&self.window, &self.loss(now));
        self.shrink(target);
    }

    /// State that a control gets when it has to reduce its window.
    pub(super) fn loss(&self, now: Time) -> Loss {
        Loss { now, in_use: self.in_use() }
    }

    /// Reduces window and threshold.
    pub(super) fn shrink(&mut self, target: f64) {
        self.window.ssthresh = self.threshold(target);
        self.window.cwnd = if self.options.deflate_to_ssthresh {
            self.window.ssthresh
        } else {
            target.max(self.options.least_window)
        };
    }

    /// Returns whether duplicate ACKs may start a fast retransmit now (RFC 6582, section 3.2, step 2).
    pub fn may_fast_retransmit(&self) -> bool {
        // [RFC 6582 3.2-2] [RFC 6675 5.1-f]
        let all_recovered = self.high_ack > self.recover;
        let allowed = match self.options.fast_retransmit_guard {
            FastRetransmitGuard::Recover => all_recovered,
            FastRetransmitGuard::RecoverOrFirst => all_recovered || self.high_ack == 0,
            FastRetransmitGuard::None => true,
        };
        allowed && (self.in_flight() > 0 || self.options.idle_dupacks)
    }

    /// Reduces the window for a loss that duplicate ACKs have shown; the caller sets cwnd if it wants less.
    pub fn reduce(&mut self, now: Time) {
        self.keep_window(now);
        self.note_early_loss();
        self.recover = self.max_seq;
        self.losses.get_or_insert_default().on_reduction(self.max_seq);
        self.forget_time();
        self.counters.fast_retransmits += 1;
        if self.high_ack > self.mark_answered {
            // [RFC 5681 3.2-g] [RFC 5681 4.3-a]
            let target = self.control.after_loss(&self.window, &self.loss(now));
            self.shrink(target);
            // What this loss has cost covers the marks on the packets in flight (RFC 3168, section 6.1.2).
            self.announce_reduction |= self.options.ecn;
        }
    }

    /// Returns the packets in use when a loss is found: those in flight, leaving out what limited transmit
    /// sent (RFC 5681, equation 4), and no more than the window. Packets beyond that have arrived, as
    /// duplicate ACKs and SACKs show, or were in flight when the timer expired: half of them may be more than
    /// was ever in use, and a loss would raise ssthresh.
    pub(super) fn in_use(&self) -> f64 {
        let window = self.usable_window();
        match self.options.reduce_from {
            ReduceFrom::Window => window,
            ReduceFrom::Flight => {
                // [RFC 5681 3.2-h]
                let extra = i64::from(self.dupacks.min(self.options.dupack_threshold - 1));
                let extra = if self.options.limited_transmit { extra } else { 0 };
                ((self.in_flight() - extra) as f64).min(window).max(1.0)
            }
        }
    }

    pub(super) fn threshold(&self, target: f64) -> f64 {
        let target = if self.options.integer_ssthresh { target.floor() } else { target };
        target.max(2.0)
    }

    /// The timer has expired at `now`. Everything after `high_ack` is to be sent again, starting with a window of
    /// `cwnd`. With `spare_idle` a sender with nothing in flight does not count it as a loss.
    pub fn time_out(&mut self, now: Time, cwnd: f64, spare_idle: bool) {
        // [RFC 6582 3.2-4] [RFC 6675 5.1-d]
        let idle = self.in_flight() == 0 && spare_idle;
        let recovering = self.high_ack < self.recover;
        self.recover = self.max_seq;
        if idle {
            // Nothing is lost; the window has only become stale.
            if !self.options.control.rules_recovery() {
                self.window.cwnd = cwnd;
            }
        } else {
            self.counters.timeouts += 1;
            let waited = now.since(self.timer_started);
            self.counters.timeout_wait_ps += waited.ps();
            let losses = self.losses.get_or_insert_default();
            let timeout = losses.on_timeout(self.high_ack + 1, now, waited);
            self.judges = true;
            // [RFC 5681 3.1-g] [RFC 5681 3.1-m]
            let again = timeout.again && self.options.repeat_keeps_ssthresh;
            let reduced = timeout.reduced && self.options.reduction_covers_timeout;
            if !(again || reduced) {
                self.keep_window(now);
                let target = self.control.after_timeout(&self.window, &self.loss(now));
                self.window.ssthresh = self.threshold(target);
            }
            self.note_early_loss();
            self.begin_frto(timeout.again || !recovering);
            let loss = self.loss(now);
            self.control.on_timeout(&loss);
            self.window.cwnd = cwnd;
            self.go_back(now);
            if self.high_ack < 0 {
                self.lost_syns = self.lost_syns.saturating_add(1);
            }
            if self.high_ack >= 0 || u32::from(self.lost_syns) > self.options.linear_syns {
                self.timer.on_timeout();
                self.timer_changed();
            }
        }
        self.next_seq = self.high_ack + 1;
        self.forget_time();
        self.restart_timer(now);
    }

    /// The timer has expired with nothing in flight, and the window stays as it is.
    pub fn idle_out(&mut self) {
        self.recover = self.max_seq;
        self.dupacks = 0;
        self.forget_time();
        self.stop_timer();
    }
}
