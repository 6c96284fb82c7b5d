//! CA-ARTT as a window alone, for any recovery: Vegas that decides on a forecast of its next round trip (Jeyasekar et al.
//! 2014, section 4).

use parshall_estimators::forecast::ForecasterConfig;

use crate::artt::Artt;
use crate::round::Round;
use crate::vegas::{self, LEAST};
use crate::{AckKind, AckSample, Congestion, InvalidParameter, Loss, Parameters, Silence, Start, Window};

/// CA-ARTT's parameters: Vegas's, when it decides, and on what.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Backlog below which the window grows, in packets.
    pub alpha: f64,
    /// Backlog above which it shrinks, in packets.
    pub beta: f64,
    /// Backlog above which slow start ends, in packets.
    pub gamma: f64,
    /// Forecaster of the next round trip, in seconds.
    pub forecaster: ForecasterConfig,
    /// Times at which it decides.
    pub decide: Decide,
    /// Backlog that ends slow start.
    pub slow_start: SlowStart,
}

/// The backlog that ends slow start, of which the document says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SlowStart {
    /// N, which the forecast gives.
    #[default]
    Forecast,
    /// Vegas's own.
    Stock,
}

/// The times at which a window is decided on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Decide {
    /// Once a round trip, as Vegas does.
    #[default]
    Round,
    /// With each ACK of new data, as the document's algorithm reads.
    Ack,
}

impl Config {
    /// The bounds of the backlog.
    pub fn bounds(&self) -> vegas::Config {
        vegas::Config { alpha: self.alpha, beta: self.beta, gamma: self.gamma }
    }
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.bounds().check()?;
        self.forecaster.validate().map_err(|error| InvalidParameter::within("forecaster", error))
    }
}

impl Default for Config {
    fn default() -> Self {
        let vegas::Config { alpha, beta, gamma } = vegas::Config::default();
        Config {
            alpha,
            beta,
            gamma,
            forecaster: ForecasterConfig::jeyasekar_2014(),
            decide: Decide::Round,
            slow_start: SlowStart::Forecast,
        }
    }
}

/// CA-ARTT's window.
///
/// Slow start, of which the document says nothing, is that of [`vegas::Vegas`]: it doubles the window in every other round
/// and ends once the backlog, N or Vegas's own, is above gamma, at the window without that backlog.
#[derive(Clone, Debug)]
pub struct ArimaVegas {
    bounds: vegas::Config,
    decide: Decide,
    slow_start: SlowStart,
    artt: Artt,
    base_rtt: f64,
    round: Round,
    /// Mean of the last round's round-trip times.
    rtt: f64,
    /// True if slow start doubles the window in this round.
    doubles: bool,
    /// True if the last decision was to grow.
    grows: bool,
}

impl ArimaVegas {
    /// The control at the start of a connection, by parameters that were checked.
    pub fn new(config: &Config, _: &Start<'_>) -> Self {
        ArimaVegas {
            bounds: config.bounds(),
            decide: config.decide,
            slow_start: config.slow_start,
            artt: Artt::new(&config.forecaster),
            base_rtt: f64::INFINITY,
            round: Round::default(),
            rtt: f64::NAN,
            doubles: true,
            grows: false,
        }
    }

    /// Compares the backlog that equation 33 estimates with its bounds.
    fn decide(&mut self, window: &mut Window) {
        let backlog = match self.slow_start {
            SlowStart::Stock if window.in_slow_start() => window.cwnd * (1.0 - self.base_rtt / self.rtt),
            _ => self.artt.backlog(window.cwnd, self.rtt, self.base_rtt),
        };
        self.grows = false;
        if window.in_slow_start() {
            if backlog > self.bounds.gamma {
                window.cwnd = (window.cwnd - backlog + 1.0).min(window.cwnd).max(LEAST);
                window.ssthresh = window.cwnd.min(window.ssthresh);
            }
        } else if backlog > self.bounds.beta {
            window.cwnd = (window.cwnd - 1.0).max(LEAST);
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else {
            self.grows = backlog < self.bounds.alpha;
        }
    }
}

impl Congestion for ArimaVegas {
    #[inline(never)] // AIMD, which most flows have, keeps the caller to itself.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if !matches!(ack.kind, AckKind::New | AckKind::Partial) {
            return;
        }
        self.base_rtt = self.base_rtt.min(ack.rtt());
        self.artt.on_sample(ack.rtt());
        let round = self.round.on_ack(ack);
        self.rtt = round.map_or(self.rtt, |round| round.mean);
        if !ack.may_grow {
            return;
        }
        let slow_start = window.in_slow_start();
        if slow_start && self.doubles {
            window.open(ack.slow_start);
        }
        if slow_start && round.is_some() {
            self.doubles = !self.doubles;
        }
        if round.is_some() || self.decide == Decide::Ack {
            self.decide(window);
        }
        if !slow_start && self.grows {
            window.cwnd += ack.growth / window.cwnd;
        }
    }

    fn after_loss(&mut self, _: &Window, loss: &Loss) -> f64 {
        loss.in_use / 2.0
    }

    fn on_timeout(&mut self, _: &Loss) {
        (self.round, self.doubles) = (Round::default(), true);
    }

    fn on_restart(&mut self, _: &mut Window, _: &Silence) {
        self.round = Round::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ack, loss, start};

    fn control(decide: Decide, forecast: f64) -> ArimaVegas {
        let forecaster = ForecasterConfig::Constant { value: forecast };
        ArimaVegas::new(&Config { forecaster, decide, ..Config::default() }, &start())
    }

    /// Window after two rounds of 20 ACKs, from 20, when round trips go from 100 to 200 ms.
    fn after_two_rounds(mut control: ArimaVegas, mut window: Window) -> Window {
        control.on_ack(&mut window, &ack(0.0, 0.1));
        (1..=40).for_each(|n| control.on_ack(&mut window, &ack(0.01 * f64::from(n), 0.2)));
        window
    }

    fn avoiding() -> Window {
        Window { cwnd: 20.0, ssthresh: 2.0 }
    }

    #[test]
    fn a_backlog_above_beta_costs_a_packet_a_round() {
        // N = 20 (1/0.14 - 1/0.2) (0.14 - 0.1) = 1.71 is between the bounds, and near 2 with beta 1.5 above them. The first
        // round ends with the first ACK, whose round trip is the least: N is negative, and the round that follows grows.
        let kept = after_two_rounds(control(Decide::Round, 0.14), avoiding());
        assert!((kept.cwnd - 20.99).abs() < 0.02, "{kept:?}");
        let config =
            Config { beta: 1.5, forecaster: ForecasterConfig::Constant { value: 0.14 }, ..Config::default() };
        let shrunk = after_two_rounds(ArimaVegas::new(&config, &start()), avoiding());
        assert!((kept.cwnd - shrunk.cwnd - 2.0).abs() < 0.02, "{kept:?} {shrunk:?}");
        assert!(shrunk.ssthresh <= shrunk.cwnd);
    }

    #[test]
    fn a_forecast_of_the_least_round_trip_always_grows() {
        let grown = after_two_rounds(control(Decide::Round, 0.1), avoiding());
        let by_reno = (0..41).fold(20.0, |cwnd, _| cwnd + 1.0 / cwnd);
        assert!((grown.cwnd - by_reno).abs() < 1e-9, "{grown:?}");
    }

    #[test]
    fn read_literally_every_ack_costs_a_packet() {
        let config = Config {
            beta: 1.5,
            decide: Decide::Ack,
            forecaster: ForecasterConfig::Constant { value: 0.14 },
            ..Config::default()
        };
        let shrunk = after_two_rounds(ArimaVegas::new(&config, &start()), avoiding());
        // N falls with the window, and that holds where it is between the bounds.
        assert!((shrunk.cwnd - 17.0).abs() < 0.7, "{shrunk:?}");
    }

    #[test]
    fn slow_start_ends_with_a_backlog() {
        let slow = Window { cwnd: 20.0, ssthresh: 1000.0 };
        assert!(after_two_rounds(control(Decide::Round, 0.1), slow).in_slow_start());
        let ended = after_two_rounds(control(Decide::Round, 0.14), slow);
        assert!(!ended.in_slow_start() && ended.cwnd < 41.0, "{ended:?}");
    }

    #[test]
    fn or_with_the_backlog_of_stock_vegas() {
        let slow = Window { cwnd: 20.0, ssthresh: 1000.0 };
        let config = Config {
            slow_start: SlowStart::Stock,
            forecaster: ForecasterConfig::Constant { value: 0.1 },
            ..Config::default()
        };
        // N is 0, and 20 (1 - 0.1 / 0.2) packets wait.
        let ended = after_two_rounds(ArimaVegas::new(&config, &start()), slow);
        assert!(!ended.in_slow_start(), "{ended:?}");
        let avoiding = after_two_rounds(ArimaVegas::new(&config, &start()), avoiding());
        assert_eq!(avoiding, after_two_rounds(control(Decide::Round, 0.1), self::avoiding()));
    }

    #[test]
    fn a_loss_halves() {
        assert_eq!(control(Decide::Round, 0.1).after_loss(&avoiding(), &loss(20.0)), 10.0);
    }

    #[test]
    fn a_forecaster_that_cannot_be_is_named() {
        let forecaster = ForecasterConfig::Ewma { gain: 0.0 };
        let unfit = Config { forecaster, ..Config::default() }.check().unwrap_err();
        assert_eq!((&*unfit.field, &*unfit.value), ("forecaster.gain", "0"));
        assert_eq!(Config { beta: 0.5, ..Config::default() }.check().unwrap_err().field, "beta");
    }
}
