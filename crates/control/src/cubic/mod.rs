//! CUBIC (RFC 9438): the window is a cubic function of the time since the last reduction.

mod config;
mod linux;

pub use config::{Config, Variant};
use linux::Counting;

use crate::hystart::HyStart;
use crate::units::Time;
use crate::{AckKind, AckSample, Congestion, Loss, Silence, Start, Window};

/// CUBIC's window. Times are seconds, windows packets.
#[derive(Clone, Debug)]
pub struct Cubic {
    config: Config,
    /// Window just before the last reduction (W_max).
    w_max: f64,
    /// Window before the reduction before that, for the Reno-friendly region (cwnd_prior).
    w_prior: f64,
    /// Start of the current stage of congestion avoidance, and where the curve starts.
    epoch: Option<Epoch>,
    hystart: HyStart,
    least_rtt: f64,
    /// State of Linux's variant.
    counting: Option<Box<Counting>>,
}

#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// Time on the curve: that in which the window was in use (section 5.8), up to the instant that follows.
    lasted: Time,
    counted_until: Time,
    /// Time at which the curve reaches W_max (section 4.2, equation 2).
    k: f64,
    /// Plateau of the curve.
    plateau: f64,
    /// The window that Reno would have (section 4.3).
    w_est: f64,
}

impl Cubic {
    /// The control at the start of a connection, by parameters that were checked.
    pub fn new(config: &Config, _: &Start<'_>) -> Self {
        Cubic {
            config: *config,
            w_max: 0.0,
            w_prior: 0.0,
            epoch: None,
            hystart: HyStart::new(config.hystart.unwrap_or_default()),
            least_rtt: f64::INFINITY,
            counting: (config.variant == Some(Variant::Linux)).then(|| Box::new(Counting::new(config))),
        }
    }

    /// Section 4.2: the curve starts at the reduced window and has its plateau where the loss was.
    fn start_epoch(&self, cwnd: f64, now: Time) -> Epoch {
        let plateau = self.w_max.max(cwnd);
        let k = libm::cbrt((plateau - cwnd) / self.config.c);
        // [RFC 9438 4.8-a]
        Epoch { lasted: Time::ZERO, counted_until: now, k, plateau, w_est: cwnd }
    }

    /// Takes the round-trip time of an ACK, whether the window may grow or not (`cubictcp_acked()` of Linux). Those of the
    /// first second after a reduction do not count.
    fn observe(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if self.counting.as_ref().is_some_and(|counting| counting.is_fresh(ack.now)) {
            return;
        }
        self.least_rtt = self.least_rtt.min(ack.rtt());
        self.hystart.observe(window, ack);
    }

    /// The time up to `now` does not count: the window was not used, or was not the curve's.
    // [RFC 9438 4.2-a]
    fn pause(&mut self, now: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.counted_until = now;
        }
    }

    /// W_cubic(t), equation 1.
    fn curve(&self, epoch: &Epoch, t: f64) -> f64 {
        let x = t - epoch.k;
        self.config.c * x * x * x + epoch.plateau
    }

    /// Section 4.3, equation 4: as fast as Reno on average; once W_est has reached the window before the
    /// reduction, as fast as Reno.
    fn reno_gain(&self, w_est: f64) -> f64 {
        let beta = self.config.beta;
        // [RFC 9438 4.3-b]
        if w_est >= self.w_prior {
            1.0
        } else {
            3.0 * (1.0 - beta) / (1.0 + beta)
        }
    }
}

impl Congestion for Cubic {
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        let linux = self.counting.is_some();
        if linux && ack.acked > 0 {
            self.observe(window, ack);
        }
        if !ack.may_grow {
            if ack.kind == AckKind::New && !ack.window_limited {
                self.pause(ack.now);
            }
            return;
        }
        if window.in_slow_start() {
            // [RFC 9438 4.10-a]
            self.pause(ack.now);
            if !linux {
                self.hystart.observe(window, ack);
            }
            if window.in_slow_start() {
                self.hystart.open(window, ack);
            }
            return;
        }
        let cwnd = window.cwnd;
        if let Some(counting) = &mut self.counting {
            window.cwnd = counting.grow(cwnd, ack.growth, ack.now, self.least_rtt, self.w_max);
            return;
        }
        let mut epoch = self.epoch.unwrap_or_else(|| self.start_epoch(cwnd, ack.now));
        epoch.lasted += ack.now.since(epoch.counted_until);
        epoch.counted_until = ack.now;
        let t = epoch.lasted.secs();
        // [RFC 9438 4.3-a]
        epoch.w_est += self.reno_gain(epoch.w_est) * ack.growth / cwnd;
        self.epoch = Some(epoch);
        if self.curve(&epoch, t) < epoch.w_est {
            window.cwnd = cwnd.max(epoch.w_est);
            return;
        }
        // Sections 4.4 and 4.5: towards where the curve will be a round trip later, at most half as much again.
        // [RFC 9438 4.4-a] [RFC 9438 4.5-a]
        let target = self.curve(&epoch, t + ack.rtt()).clamp(cwnd, 1.5 * cwnd);
        window.cwnd += (target - cwnd) / cwnd * ack.growth;
    }

    fn after_loss(&mut self, window: &Window, loss: &Loss) -> f64 {
        // [RFC 9438 4.6-c]
        let cwnd = window.cwnd.min(loss.in_use);
        self.epoch = None;
        self.hystart.on_loss();
        if let Some(counting) = &mut self.counting {
            let (w_max, left) = counting.reduce(cwnd, self.w_max, self.config.fast_convergence);
            self.w_max = w_max;
            return left;
        }
        self.w_prior = cwnd;
        // Section 4.7: a flow that lost before it was back where it lost last leaves room for others.
        // [RFC 9438 4.7-a]
        self.w_max = if self.config.fast_convergence && cwnd < self.w_max {
            cwnd * (1.0 + self.config.beta) / 2.0
        } else {
            cwnd
        };
        // [RFC 9438 4.6-a]
        cwnd * self.config.beta
    }

    /// Section 4.8: the curve of the next congestion avoidance has its plateau where that begins.
    fn on_timeout(&mut self, _: &Loss) {
        (self.epoch, self.w_max) = (None, 0.0);
        self.hystart.on_timeout();
        if let Some(counting) = &mut self.counting {
            counting.reset();
            self.least_rtt = f64::INFINITY;
        }
    }

    fn on_begin(&mut self, _: &Window, now: Time, _: Option<f64>) {
        if let Some(counting) = &mut self.counting {
            counting.begin_at(now);
        }
    }

    fn on_restart(&mut self, _: &mut Window, silence: &Silence) {
        self.pause(silence.now);
        if let Some(counting) = &mut self.counting {
            counting.pause(silence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ack, loss, start};

    fn config() -> Config {
        Config::default()
    }

    fn window(cwnd: f64) -> Window {
        Window { cwnd, ssthresh: 1.0 }
    }

    #[test]
    // [RFC 9438 4.6-a] [RFC 9438 4.6-b]
    fn a_loss_leaves_seven_tenths() {
        // RFC 9438, section 4.6.
        let mut cubic = Cubic::new(&config(), &start());
        assert!((cubic.after_loss(&window(100.0), &loss(100.0)) - 70.0).abs() < 1e-9);
        assert_eq!(cubic.w_max, 100.0);
    }

    #[test]
    // [RFC 9438 4.7-a]
    fn fast_convergence_lowers_the_plateau() {
        // RFC 9438, section 4.7: 70 (1 + 0.7) / 2 = 59.5.
        let mut cubic = Cubic::new(&config(), &start());
        cubic.after_loss(&window(100.0), &loss(100.0));
        cubic.after_loss(&window(70.0), &loss(70.0));
        assert!((cubic.w_max - 59.5).abs() < 1e-9);
    }

    #[test]
    // [RFC 9438 5.1-a] [RFC 9438 5.1-b]
    fn the_curve_starts_at_the_reduced_window_and_returns_after_k() {
        let mut cubic = Cubic::new(&config(), &start());
        let cwnd = cubic.after_loss(&window(100.0), &loss(100.0));
        let epoch = cubic.start_epoch(cwnd, Time::ZERO);
        // K = cbrt(30 / 0.4) = 4.217 s.
        assert!((epoch.k - libm::cbrt(75.0)).abs() < 1e-9);
        assert!((cubic.curve(&epoch, 0.0) - 70.0).abs() < 1e-9);
        assert!((cubic.curve(&epoch, epoch.k) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn after_fast_convergence_the_curve_still_starts_at_the_window() {
        // The reduced window, 49, lies below the plateau of 59.5.
        let mut cubic = Cubic::new(&config(), &start());
        cubic.after_loss(&window(100.0), &loss(100.0));
        let cwnd = cubic.after_loss(&window(70.0), &loss(70.0));
        let epoch = cubic.start_epoch(cwnd, Time::ZERO);
        assert!((cubic.curve(&epoch, 0.0) - 49.0).abs() < 1e-9);
        assert!((epoch.plateau - 59.5).abs() < 1e-9);
    }

    /// The window after `seconds` of ACKs that each answer one packet.
    fn grow(cubic: &mut Cubic, cwnd: f64, rtt: f64, seconds: f64) -> f64 {
        let mut window = window(cwnd);
        let mut now = 0.0;
        while now < seconds {
            cubic.on_ack(&mut window, &ack(now, rtt));
            now += rtt / window.cwnd;
        }
        window.cwnd
    }

    #[test]
    // [RFC 9438 4.4-a]
    fn over_a_long_path_it_follows_the_curve() {
        let mut cubic = Cubic::new(&config(), &start());
        let cwnd = cubic.after_loss(&window(400.0), &loss(400.0));
        let k = libm::cbrt(120.0f64 / 0.4);
        let reached = grow(&mut cubic, cwnd, 0.1, k);
        assert!((reached - 400.0).abs() < 4.0, "{reached}");
    }

    #[test]
    // [RFC 9438 4.3-a]
    fn over_a_short_path_it_is_as_fast_as_reno() {
        let mut cubic = Cubic::new(&config(), &start());
        let cwnd = cubic.after_loss(&window(20.0), &loss(20.0));
        // 10 round trips at 3 (1 - 0.7) / (1 + 0.7) packets each.
        let reached = grow(&mut cubic, cwnd, 0.001, 0.01);
        assert!((reached - (cwnd + 10.0 * 0.9 / 1.7)).abs() < 0.4, "{reached}");
    }

    // [RFC 9438 4.3-b]
    #[test]
    fn once_back_where_the_loss_was_it_adds_a_packet_a_round_trip() {
        let mut cubic = Cubic::new(&config(), &start());
        cubic.after_loss(&window(20.0), &loss(20.0));
        assert_eq!(cubic.reno_gain(20.0), 1.0);
        assert!((cubic.reno_gain(19.9) - 0.9 / 1.7).abs() < 1e-9);
    }

    // [RFC 9438 4.5-a]
    #[test]
    fn beyond_the_plateau_it_follows_the_curve_too() {
        let mut cubic = Cubic::new(&config(), &start());
        let cwnd = cubic.after_loss(&window(400.0), &loss(400.0));
        let k = libm::cbrt(120.0f64 / 0.4);
        let reached = grow(&mut cubic, cwnd, 0.1, k + 6.0);
        let expected = 400.0 + 0.4 * 6f64.powi(3);
        assert!((reached / expected - 1.0).abs() < 0.02, "{reached} {expected}");
    }

    // [RFC 9438 4.6-c]
    #[test]
    fn a_window_that_is_not_used_does_not_count() {
        let mut cubic = Cubic::new(&config(), &start());
        assert!((cubic.after_loss(&window(100.0), &loss(40.0)) - 28.0).abs() < 1e-9);
    }

    // [RFC 9438 4.8-a]
    #[test]
    fn the_window_of_reno_starts_where_congestion_avoidance_does() {
        let mut cubic = Cubic::new(&config(), &start());
        cubic.after_timeout(&window(100.0), &loss(100.0));
        let mut window = Window { cwnd: 70.0, ssthresh: 70.0 };
        cubic.on_ack(&mut window, &ack(1.0, 0.1));
        let w_est = cubic.epoch.expect("congestion avoidance").w_est;
        assert!((w_est - 70.0).abs() < 0.1, "{w_est}");
    }

    // [RFC 9438 4.10-a]
    #[test]
    fn up_to_ssthresh_it_is_slow_start() {
        let mut cubic = Cubic::new(&config(), &start());
        let mut window = Window { cwnd: 10.0, ssthresh: 20.0 };
        (0..10).for_each(|_| cubic.on_ack(&mut window, &ack(0.0, 0.1)));
        assert_eq!(window.cwnd, 20.0);
    }
}
