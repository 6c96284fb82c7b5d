//! DUAL: AIMD that also backs off where it expects a round trip in the upper part of those it has seen (Wang and Crowcroft,
//! CCR 22(2), 1992), with any forecaster of the next one, and by as much as it expects if asked.

use parshall_estimators::forecast::{AnyForecaster, Forecaster, ForecasterConfig};

use crate::parameters::require;
use crate::round::Round;
use crate::{AckKind, AckSample, Congestion, InvalidParameter, Loss, Parameters, Silence, Start, Window};

/// Least window.
const LEAST: f64 = 2.0;

/// DUAL's parameters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Place between the least and the greatest round trip, as a share of their distance, beyond which it backs off; in [0, 1).
    pub threshold: f64,
    /// Part of the window that is left then, or, in proportion, where the greatest round trip is expected; in (0, 1).
    pub beta: f64,
    /// Rule for how far it backs off.
    pub backoff: Backoff,
    /// Round trips from one decision to the next.
    pub rounds: u32,
    /// Forecaster of the mean of the next round trip, in seconds.
    pub forecaster: ForecasterConfig,
}

/// The rule for how far the window shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Backoff {
    /// A fixed part whatever is expected.
    #[default]
    Constant,
    /// More the higher the expected round trip is above the limit.
    Proportional,
}

impl Default for Config {
    fn default() -> Self {
        let backoff = Backoff::default();
        Config { threshold: 0.5, beta: 0.875, backoff, rounds: 2, forecaster: ForecasterConfig::LastValue {} }
    }
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        let (threshold, beta) = (self.threshold, self.beta);
        require(
            "threshold",
            threshold,
            (0.0..1.0).contains(&threshold),
            "a number of at least 0 and below 1",
        )?;
        require("beta", beta, beta > 0.0 && beta < 1.0, "a number above 0 and below 1")?;
        require("rounds", f64::from(self.rounds), self.rounds >= 1, "a whole number of at least 1")?;
        self.forecaster.validate().map_err(|error| InvalidParameter::within("forecaster", error))
    }
}

/// DUAL's window. Slow start, and what a loss leaves, are those of AIMD.
#[derive(Clone, Debug)]
pub struct Dual {
    threshold: f64,
    beta: f64,
    backoff: Backoff,
    rounds: u32,
    forecaster: AnyForecaster,
    round: Round,
    /// Rounds until it looks again.
    remaining: u32,
    least: f64,
    greatest: f64,
}

impl Dual {
    /// The control at the start of a connection, by parameters that were checked.
    pub fn new(config: &Config, _: &Start<'_>) -> Self {
        Dual {
            threshold: config.threshold,
            beta: config.beta,
            backoff: config.backoff,
            rounds: config.rounds,
            forecaster: config.forecaster.build(),
            round: Round::default(),
            remaining: config.rounds,
            least: f64::INFINITY,
            greatest: 0.0,
        }
    }

    /// Takes in an ACK. What is to be left of the window, if a queue is expected.
    fn backs_off(&mut self, ack: &AckSample<'_>) -> Option<f64> {
        let rtt = ack.rtt();
        self.least = self.least.min(rtt);
        self.greatest = self.greatest.max(rtt);
        let round = self.round.on_ack(ack)?;
        self.forecaster.update(round.mean);
        self.remaining -= 1;
        if self.remaining > 0 {
            return None;
        }
        self.remaining = self.rounds;
        // While all round trips are alike there is no range to be in the upper part of.
        let range = Some(self.greatest - self.least).filter(|range| *range > 0.0)?;
        let expected = (self.forecaster.forecast()? - self.least) / range;
        if expected.is_nan() || expected <= self.threshold {
            return None;
        }
        Some(match self.backoff {
            Backoff::Constant => self.beta,
            Backoff::Proportional => {
                let above = (expected.min(1.0) - self.threshold) / (1.0 - self.threshold);
                1.0 - (1.0 - self.beta) * above
            }
        })
    }
}

impl Congestion for Dual {
    #[inline(never)] // AIMD, which most flows have, keeps the caller to itself.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if !matches!(ack.kind, AckKind::New | AckKind::Partial) {
            return;
        }
        let left = self.backs_off(ack);
        if !ack.may_grow {
            return;
        }
        // The overshoot of slow start is what shows how long round trips can be.
        let Some(left) = left.filter(|_| !window.in_slow_start()) else {
            return window.open_as_reno(ack);
        };
        window.cwnd = (left * window.cwnd).max(LEAST).min(window.cwnd);
        window.ssthresh = window.ssthresh.min(window.cwnd);
    }

    fn after_loss(&mut self, _: &Window, loss: &Loss) -> f64 {
        loss.in_use / 2.0
    }

    fn on_timeout(&mut self, _: &Loss) {
        self.round = Round::default();
    }

    fn on_restart(&mut self, _: &mut Window, _: &Silence) {
        self.round = Round::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ack, loss, start};

    /// The window of 20 after rounds of one ACK with these round trips, in congestion avoidance.
    fn after(mut control: Dual, rtts: &[f64]) -> Window {
        let mut window = Window { cwnd: 20.0, ssthresh: 10.0 };
        for (seq, &rtt) in (0i64..).zip(rtts) {
            let ack = AckSample { high_ack: seq, next_seq: seq, ..ack(seq as f64, rtt) };
            control.on_ack(&mut window, &ack);
        }
        window
    }

    fn control(config: Config) -> Dual {
        config.check().unwrap();
        Dual::new(&config, &start())
    }

    #[test]
    fn the_upper_half_of_the_range_costs_an_eighth_every_second_round() {
        let grown = |cwnd: f64| cwnd + 1.0 / cwnd;
        let low = after(control(Config::default()), &[0.1, 0.3, 0.1, 0.19]);
        // The second round is above 0.2 s and is looked at, the fourth is not.
        assert_eq!(low.cwnd, grown(grown(grown(20.0) * 0.875)));
        let high = after(control(Config::default()), &[0.1, 0.3, 0.1, 0.21]);
        assert_eq!(high.cwnd, grown(grown(20.0) * 0.875) * 0.875);
        let missed = after(control(Config::default()), &[0.1, 0.1, 0.3, 0.1]);
        assert_eq!(missed.cwnd, grown(grown(grown(grown(20.0)))));
    }

    #[test]
    fn a_forecast_above_the_limit_backs_off_before_a_sample_is() {
        let trend = ForecasterConfig::Holt { gain: 1.0, trend_gain: 1.0 };
        let rtts = [0.1, 0.2, 0.1, 0.14]; // 0.14 is below 0.15, 0.14 + 0.04 is not
        let config = |forecaster| Config { rounds: 4, forecaster, ..Config::default() };
        let last = after(control(config(ForecasterConfig::LastValue {})), &rtts);
        let ahead = after(control(config(trend)), &rtts);
        assert!(last.cwnd > 20.0 && ahead.cwnd < 20.0, "{last:?} {ahead:?}");
        assert_eq!(ahead.ssthresh, 10.0);
    }

    #[test]
    fn in_proportion_it_leaves_less_the_more_is_expected() {
        let config = Config { threshold: 0.2, beta: 0.5, rounds: 1, ..Config::default() };
        let control = || control(Config { backoff: Backoff::Proportional, ..config.clone() });
        let grown = |cwnd: f64| cwnd + 1.0 / cwnd;
        // The first round trip is the range's lower end, 0.3 s its upper one, and 0.2 s in the middle.
        assert!((after(control(), &[0.1, 0.3]).cwnd - grown(20.0) * 0.5).abs() < 1e-9);
        let left = 1.0 - 0.5 * (0.5 - 0.2) / 0.8;
        let middle = after(control(), &[0.1, 0.3, 0.2]).cwnd;
        assert!((middle - grown(20.0) * 0.5 * left).abs() < 1e-9, "{middle}");
        // Below the limit of 0.14 s nothing is given up.
        let below = after(control(), &[0.1, 0.3, 0.13]).cwnd;
        assert_eq!(below, grown(grown(20.0) * 0.5));
    }

    #[test]
    fn round_trips_that_are_alike_never_back_off_and_losses_halve() {
        assert!(after(control(Config::default()), &[0.1; 50]).cwnd > 22.0);
        let window = Window { cwnd: 20.0, ssthresh: 10.0 };
        assert_eq!(control(Config::default()).after_loss(&window, &loss(20.0)), 10.0);
    }

    #[test]
    fn a_window_of_two_stays() {
        let config = Config { rounds: 1, ..Config::default() };
        let mut dual = control(config);
        let mut window = Window { cwnd: 2.0, ssthresh: 2.0 };
        for (seq, rtt) in [(0, 0.1), (1, 0.3), (2, 0.3)] {
            dual.on_ack(&mut window, &AckSample { high_ack: seq, next_seq: seq, ..ack(0.0, rtt) });
        }
        assert!(window.cwnd >= 2.0 && window.in_slow_start() == (window.cwnd < window.ssthresh));
    }

    #[test]
    fn what_cannot_be_is_named() {
        let unfit = |config: Config| config.check().unwrap_err().field;
        assert_eq!(unfit(Config { threshold: 1.0, ..Config::default() }), "threshold");
        assert_eq!(unfit(Config { beta: 0.0, ..Config::default() }), "beta");
        assert_eq!(unfit(Config { rounds: 0, ..Config::default() }), "rounds");
        let forecaster = ForecasterConfig::Ewma { gain: 2.0 };
        assert_eq!(unfit(Config { forecaster, ..Config::default() }), "forecaster.gain");
    }
}
