//! The retransmission timer of a sender: samples, deadlines, backoff, and which timeouts were too early.

use super::*;
use crate::transport::timer_wheel;

impl Core {
    /// The timeout to set now, in seconds.
    pub fn rto(&self) -> f64 {
        let rto = self.timeout_after_lost_syn().unwrap_or_else(|| self.timer.rto());
        rto.max(self.options.least_timeout.secs())
    }

    /// An ACK of `high` comes, and the packet that it answers was sent at `echo`.
    pub fn take_sample(&mut self, high: i64, echo: Time, now: Time) {
        let ends_round = self.timed.0 >= 0 && high >= self.timed.0;
        let sent = match self.options.rtt_sampling {
            RttSampling::Timestamps => Some(echo),
            RttSampling::OnePacket => ends_round.then_some(self.timed.1),
        };
        if let Some(sent) = sent {
            let rtt = Clock::new(self.options.clock_tick, self.clock_phase).elapsed(sent, now);
            self.last_rtt = rtt;
            self.counters.rtt_samples += 1;
            self.timer.reset_backoff();
            if ends_round {
                self.timed = UNTIMED;
                self.timer.on_sample(rtt);
            } else {
                self.timer.on_sample_amid_round(rtt);
            }
            self.timer_changed();
        } else if self.options.backoff_reset == BackoffReset::NewAck {
            self.end_backoff();
        }
    }

    /// Restarts the timer after an ACK of new data, or stops it when nothing is in flight and the options say so.
    pub(super) fn rearm(&mut self, now: Time) {
        if self.in_flight() == 0 && !self.options.idle_timer {
            self.deadline = Time::NEVER;
        } else {
            self.restart_timer(now);
        }
    }

    /// Starts the timer anew.
    pub fn restart_timer(&mut self, now: Time) {
        // [RFC 6298 5-a] [RFC 6298 5-b]
        self.timer_started = now;
        self.deadline = self.expiry(now, self.timeout);
    }

    /// Time at which a timer expires that is set at `now`.
    #[inline]
    pub fn expiry(&self, now: Time, after: Time) -> Time {
        if self.options.timer_wheel {
            timer_wheel::expiry(now, after)
        } else {
            now + after
        }
    }

    pub(super) fn timer_changed(&mut self) {
        self.timeout = Time::from_secs(self.rto());
    }

    /// Doubles the backoff and forgets the timed packet.
    pub fn back_off(&mut self) {
        self.forget_time();
        self.timer.on_timeout();
        self.timer_changed();
    }

    /// Ends backoff without a sample.
    pub fn end_backoff(&mut self) {
        if self.timer.backoff() > 1 {
            self.timer.reset_backoff();
            self.timer_changed();
        }
    }

    /// Lets a recovery with further timers put the earliest in place of the retransmission timer.
    pub fn set_deadline(&mut self, at: Time) {
        self.deadline = at;
    }

    /// Stops the timer.
    pub fn stop_timer(&mut self) {
        self.deadline = Time::NEVER;
    }

    /// An ACK of new data tells which timeouts were needless: those after the packet that it answers was sent.
    /// This is the test of Eifel detection (RFC 3522), here with the exact stamp of the packet.
    #[inline]
    pub(super) fn judge_timeouts(&mut self, echo: Time) {
        if self.judges {
            self.judge_by(echo);
        }
    }

    #[cold]
    pub(super) fn judge_by(&mut self, echo: Time) {
        self.judges = false;
        let Some(losses) = &mut self.losses else {
            return;
        };
        let (needless, waited) = losses.judge(echo);
        if self.options.eifel && self.high_ack < 0 && needless == u32::from(self.lost_syns) {
            // The first SYN has been answered (tcp_try_undo_spurious_syn() of Linux).
            self.lost_syns = 0;
        }
        self.counters.spurious_timeouts += needless;
        self.counters.timeout_wait_ps -= waited.ps();
        // With timestamps the sample itself tells, and it tells more.
        if needless > 0 && self.options.rtt_sampling != RttSampling::Timestamps {
            self.timer.on_early_timeout();
        }
    }
}
