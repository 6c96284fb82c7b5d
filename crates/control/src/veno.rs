//! Veno (Fu and Liew 2003): Reno that estimates its backlog as Vegas does, to tell random losses from congestion.

use crate::parameters::positive;
use crate::round::Round;
use crate::{AckSample, Congestion, InvalidParameter, Loss, Parameters, Silence, Start, Window};

/// Veno's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Packets in queues from which on a loss counts as congestion.
    pub beta: f64,
    /// Round trips that the backlog is estimated from.
    pub backlog: Estimate,
}

/// Round trips that a backlog is estimated from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Estimate {
    /// The mean of the last round trip, and the least of the connection.
    #[default]
    Round,
    /// The smoothed round trip of RFC 6298, and the least since the last loss (Jeyasekar et al. 2014, eq. 1 and 2).
    Smoothed,
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        positive("beta", self.beta)
    }
}

impl Default for Config {
    fn default() -> Self {
        Config { beta: 3.0, backlog: Estimate::Round }
    }
}

/// Part of the window that is left after a loss taken to be random.
const RANDOM_LOSS_FACTOR: f64 = 0.8;
/// Weight of the latest sample in the smoothed round trip.
const GAIN: f64 = 0.125;

/// Veno's window.
#[derive(Clone, Debug)]
pub struct Veno {
    beta: f64,
    estimate: Estimate,
    base_rtt: f64,
    /// In seconds; NaN before the first sample.
    srtt: f64,
    round: Round,
    /// Packets that the flow has in queues.
    backlog: f64,
    /// With a backlog of `beta` or more the window grows on every other ACK.
    skip: bool,
}

impl Veno {
    /// The control at the start of a connection, by parameters that were checked.
    pub fn new(config: &Config, _: &Start<'_>) -> Self {
        Veno {
            beta: config.beta,
            estimate: config.backlog,
            base_rtt: f64::INFINITY,
            srtt: f64::NAN,
            round: Round::default(),
            backlog: 0.0,
            skip: false,
        }
    }

    fn congested(&self) -> bool {
        self.backlog >= self.beta
    }

    /// Takes in the round trip of an ACK.
    fn update(&mut self, window: &Window, ack: &AckSample<'_>) {
        let rtt = ack.rtt();
        self.base_rtt = self.base_rtt.min(rtt);
        self.srtt = if self.srtt.is_nan() { rtt } else { self.srtt + GAIN * (rtt - self.srtt) };
        let round = self.round.on_ack(ack);
        let rtt = match self.estimate {
            Estimate::Round => round.map(|round| round.mean),
            Estimate::Smoothed => Some(self.srtt),
        };
        if let Some(rtt) = rtt {
            self.backlog = window.cwnd * (1.0 - self.base_rtt / rtt);
        }
    }

    /// A packet is lost: how much a queue holds is found out anew.
    fn on_loss(&mut self) {
        if self.estimate == Estimate::Smoothed {
            self.base_rtt = f64::INFINITY;
        }
    }
}

impl Congestion for Veno {
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if !ack.may_grow {
            return;
        }
        self.update(window, ack);
        if window.in_slow_start() {
            window.open(ack.slow_start);
            return;
        }
        self.skip = self.congested() && !self.skip;
        if !self.skip {
            window.cwnd += ack.growth / window.cwnd;
        }
    }

    fn after_loss(&mut self, _: &Window, loss: &Loss) -> f64 {
        let factor = if self.congested() { 0.5 } else { RANDOM_LOSS_FACTOR };
        self.on_loss();
        loss.in_use * factor
    }

    fn after_timeout(&mut self, _: &Window, loss: &Loss) -> f64 {
        loss.in_use / 2.0
    }

    fn on_timeout(&mut self, _: &Loss) {
        self.on_loss();
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

    fn veno(backlog: f64) -> Veno {
        Veno { backlog, ..Veno::new(&Config::default(), &start()) }
    }

    #[test]
    fn a_loss_without_backlog_costs_a_fifth() {
        let window = Window { cwnd: 20.0, ssthresh: 10.0 };
        assert_eq!(veno(1.0).after_loss(&window, &loss(20.0)), 16.0);
        assert_eq!(veno(4.0).after_loss(&window, &loss(20.0)), 10.0);
        assert_eq!(veno(1.0).after_timeout(&window, &loss(20.0)), 10.0);
    }

    #[test]
    fn with_a_backlog_growth_is_half_as_fast() {
        let grown = |base_rtt: f64| {
            let mut veno = Veno { base_rtt, ..veno(0.0) };
            let mut window = Window { cwnd: 20.0, ssthresh: 10.0 };
            (0..20).for_each(|_| veno.on_ack(&mut window, &ack(0.0, 0.1)));
            window.cwnd - 20.0
        };
        assert!((grown(0.1) - 1.0).abs() < 0.05);
        // 20 (1 - 55 / 100) packets wait.
        assert!((grown(0.055) - 0.5).abs() < 0.05);
    }

    #[test]
    fn a_smoothed_backlog_follows_slowly_and_forgets_the_least_at_a_loss() {
        let config = Config { backlog: Estimate::Smoothed, ..Config::default() };
        let mut veno = Veno::new(&config, &start());
        let mut window = Window { cwnd: 20.0, ssthresh: 10.0 };
        veno.on_ack(&mut window, &ack(0.0, 0.1));
        veno.on_ack(&mut window, &ack(0.1, 0.2));
        // SRTT = 0.1 + (0.2 - 0.1) / 8.
        assert!((veno.backlog - 20.05 * (1.0 - 0.1 / 0.1125)).abs() < 1e-6, "{}", veno.backlog);
        (2..40).for_each(|n| veno.on_ack(&mut window, &ack(0.1 * f64::from(n), 0.2)));
        assert!(veno.congested());
        assert_eq!(veno.after_loss(&window, &loss(20.0)), 10.0);
        veno.on_ack(&mut window, &ack(4.0, 0.2));
        assert!(veno.backlog < 0.1, "{}", veno.backlog);
    }
}
