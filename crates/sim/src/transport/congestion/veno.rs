//! Veno (Fu and Liew 2003): Reno that estimates its backlog as Vegas does, to tell random losses from congestion.

use super::{Congestion, Feedback, Round, Window};
use crate::scenario;
use crate::units::Time;

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
    pub fn new(config: &scenario::Veno) -> Self {
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
    fn on_ack(&mut self, window: &mut Window, feedback: &Feedback) {
        self.base_rtt = self.base_rtt.min(feedback.rtt);
        if let Some(round) = self.round.on_ack(feedback) {
            self.backlog = window.cwnd * (1.0 - self.base_rtt / round.mean);
        }
        if window.in_slow_start() {
            window.cwnd += 1.0;
            return;
        }
        self.skip = self.congested() && !self.skip;
        if !self.skip {
            window.cwnd += feedback.acked / window.cwnd;
        }
    }

    fn after_loss(&mut self, _: &Window, in_use: f64, _: Time) -> f64 {
        let factor = if self.congested() { 0.5 } else { RANDOM_LOSS_FACTOR };
        in_use * factor
    }

    fn after_timeout(&mut self, _: &Window, in_use: f64, _: Time) -> f64 {
        in_use / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn veno(backlog: f64) -> Veno {
        Veno { backlog, ..Veno::new(&scenario::Veno { beta: 3.0 }) }
    }

    #[test]
    fn a_loss_without_backlog_costs_a_fifth() {
        let window = Window { cwnd: 20.0, ssthresh: 10.0 };
        assert_eq!(veno(1.0).after_loss(&window, 20.0, Time::ZERO), 16.0);
        assert_eq!(veno(4.0).after_loss(&window, 20.0, Time::ZERO), 10.0);
        assert_eq!(veno(1.0).after_timeout(&window, 20.0, Time::ZERO), 10.0);
    }

    #[test]
    fn with_a_backlog_growth_is_half_as_fast() {
        let grown = |mut veno: Veno| {
            let mut window = Window { cwnd: 20.0, ssthresh: 10.0 };
            for high_ack in -20..0 {
                let feedback = Feedback { now: Time::ZERO, acked: 1.0, rtt: 0.1, high_ack, next_seq: 20 };
                veno.on_ack(&mut window, &feedback);
            }
            window.cwnd - 20.0
        };
        assert!((grown(veno(0.0)) - 1.0).abs() < 0.05);
        assert!((grown(veno(9.0)) - 0.5).abs() < 0.05);
    }
}
