//! Vegas as a window alone, for any recovery: it holds the number of its own packets that wait in queues between
//! two bounds (Brakmo and Peterson 1995, section 3.2 and 3.3).

use crate::parameters::{not_negative, require};
use crate::round::Round;
use crate::{AckSample, Congestion, InvalidParameter, Loss, Parameters, Silence, Start, Window};

/// Least window (ns-2's VegasTcpAgent, Linux's tcp_vegas_cong_avoid()): with one packet a round trip, each ACK waits for the
/// receiver's timer, which looks like a queue for ever.
pub(super) const LEAST: f64 = 2.0;

/// Vegas's parameters: packets that a flow keeps in queues.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Backlog below which the window grows.
    pub alpha: f64,
    /// Backlog above which it shrinks; at least `alpha`.
    pub beta: f64,
    /// Backlog above which slow start ends.
    pub gamma: f64,
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        not_negative("alpha", self.alpha)?;
        let beta = self.beta;
        require("beta", beta, beta >= self.alpha && beta.is_finite(), "at least alpha")?;
        not_negative("gamma", self.gamma)
    }
}

impl Default for Config {
    fn default() -> Self {
        Config { alpha: 1.0, beta: 3.0, gamma: 1.0 }
    }
}

/// Vegas's window.
#[derive(Clone, Debug)]
pub struct Vegas {
    config: Config,
    base_rtt: f64,
    round: Round,
    /// True if slow start doubles the window in this round; it does in every other one.
    grows: bool,
}

impl Vegas {
    /// The control at the start of a connection, by parameters that were checked.
    pub fn new(config: &Config, _: &Start<'_>) -> Self {
        Vegas { config: *config, base_rtt: f64::INFINITY, round: Round::default(), grows: true }
    }

    /// Decides once per round trip.
    fn decide(&mut self, window: &mut Window, rtt: f64) {
        // Packets in the queue: the rate difference of equation 3.1, times the base round trip.
        let queued = window.cwnd * (1.0 - self.base_rtt / rtt);
        if window.in_slow_start() {
            self.grows = !self.grows;
            if queued > self.config.gamma {
                // The window that would just fill the path.
                let filling = (window.cwnd * self.base_rtt / rtt + 1.0).min(window.cwnd);
                window.cwnd = filling.max(LEAST);
                window.ssthresh = window.cwnd.min(window.ssthresh);
            }
        } else if queued > self.config.beta {
            window.cwnd = (window.cwnd - 1.0).max(LEAST);
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else if queued < self.config.alpha {
            window.cwnd += 1.0;
        }
    }
}

impl Congestion for Vegas {
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if !ack.may_grow {
            return;
        }
        self.base_rtt = self.base_rtt.min(ack.rtt());
        if window.in_slow_start() && self.grows {
            window.open(ack.slow_start);
        }
        if let Some(round) = self.round.on_ack(ack) {
            self.decide(window, round.least);
        }
    }

    fn after_loss(&mut self, _: &Window, loss: &Loss) -> f64 {
        loss.in_use / 2.0
    }

    /// As in Linux's tcp_vegas_state(): rounds begin anew, and the window grows in the next.
    fn on_timeout(&mut self, _: &Loss) {
        (self.round, self.grows) = (Round::default(), true);
    }

    fn on_restart(&mut self, _: &mut Window, _: &Silence) {
        self.round = Round::default();
    }
}
