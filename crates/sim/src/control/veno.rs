//! Veno (Fu and Liew 2003): Reno that estimates its backlog as Vegas does, to tell random losses from congestion.

use serde::{Deserialize, Serialize};

use super::{positive, AckSample, Congestion, Loss, Parameters, Round, Silence, Start, Unfit, Window};

/// Veno's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Packets in queues from which on a loss counts as congestion.
    pub beta: f64,
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), Unfit> {
        positive("beta", self.beta)
    }
}

impl Default for Config {
    fn default() -> Self {
        Config { beta: 3.0 }
    }
}

/// What is left of the window after a loss that is taken to be random.
const RANDOM_LOSS_FACTOR: f64 = 0.8;

/// Veno's window.
#[derive(Clone, Debug)]
pub struct Veno {
    beta: f64,
    base_rtt: f64,
    round: Round,
    /// Packets that the flow has in queues.
    backlog: f64,
    /// With a backlog of `beta` or more the window grows on every other ACK.
    skip: bool,
}

impl Veno {
    /// The control that a scenario asks for.
    pub fn new(config: &Config, _: &Start<'_>) -> Self {
        Veno {
            beta: config.beta,
            base_rtt: f64::INFINITY,
            round: Round::default(),
            backlog: 0.0,
            skip: false,
        }
    }

    fn congested(&self) -> bool {
        self.backlog >= self.beta
    }
}

impl Congestion for Veno {
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if !ack.may_grow {
            return;
        }
        self.base_rtt = self.base_rtt.min(ack.rtt());
        if let Some(round) = self.round.on_ack(ack) {
            self.backlog = window.cwnd * (1.0 - self.base_rtt / round.mean);
        }
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
        loss.in_use * factor
    }

    fn after_timeout(&mut self, _: &Window, loss: &Loss) -> f64 {
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
    use super::super::samples::{ack, loss, start};
    use super::*;

    fn veno(backlog: f64) -> Veno {
        Veno { backlog, ..Veno::new(&Config { beta: 3.0 }, &start()) }
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
}
