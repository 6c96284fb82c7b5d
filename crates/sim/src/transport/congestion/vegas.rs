//! Vegas as a window alone, for any recovery: it holds the number of its own packets that wait in queues between
//! two bounds (Brakmo and Peterson 1995, section 3.2 and 3.3).

use super::{Congestion, Feedback, Round, Window};
use crate::scenario;
use crate::units::Time;

/// Vegas's window.
#[derive(Clone, Debug)]
pub struct Vegas {
    config: scenario::Vegas,
    base_rtt: f64,
    round: Round,
    /// Whether slow start doubles the window in this round; it does in every other one.
    grows: bool,
}

impl Vegas {
    /// The control that a scenario asks for.
    pub fn new(config: &scenario::Vegas) -> Self {
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
                window.cwnd = (window.cwnd * self.base_rtt / rtt + 1.0).min(window.cwnd);
                window.ssthresh = window.cwnd.min(window.ssthresh);
            }
        } else if queued > self.config.beta {
            window.cwnd = (window.cwnd - 1.0).max(2.0);
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else if queued < self.config.alpha {
            window.cwnd += 1.0;
        }
    }
}

impl Congestion for Vegas {
    fn on_ack(&mut self, window: &mut Window, feedback: &Feedback) {
        self.base_rtt = self.base_rtt.min(feedback.rtt);
        if window.in_slow_start() && self.grows {
            window.cwnd += 1.0;
        }
        if let Some(round) = self.round.on_ack(feedback) {
            self.decide(window, round.least);
        }
    }

    fn after_loss(&mut self, _: &Window, in_use: f64, _: Time) -> f64 {
        in_use / 2.0
    }
}
