//! Losses on a link that are not the queue's doing.

use crate::random::Stream;
use crate::scenario;

/// Decides which packets that arrive at a port are lost before its queue.
#[derive(Clone, Debug)]
pub enum Loss {
    /// Listed arrival numbers, in ascending order; the last entry comes next.
    Listed {
        /// Arrivals seen.
        seen: u64,
        /// What is still to be lost, latest first.
        left: Vec<u64>,
    },
    /// Independent losses.
    Bernoulli {
        /// Of each packet.
        probability: f64,
        /// Draws of this port.
        stream: Stream,
    },
}

impl Loss {
    /// The losses that a scenario asks for at the port called `port`.
    pub fn new(config: &scenario::Loss, seed: u64, port: &str) -> Self {
        match config {
            scenario::Loss::Listed(listed) => {
                let mut left = listed.arrivals.clone();
                left.sort_unstable_by(|a, b| b.cmp(a));
                left.dedup();
                Loss::Listed { seen: 0, left }
            }
            scenario::Loss::Bernoulli(config) => Loss::Bernoulli {
                probability: config.probability,
                stream: Stream::new(seed, &format!("link/{port}/loss")),
            },
        }
    }

    /// Whether the packet that arrives now is lost.
    pub fn takes_next(&mut self) -> bool {
        match self {
            Loss::Listed { seen, left } => {
                *seen += 1;
                left.pop_if(|next| *next == *seen).is_some()
            }
            Loss::Bernoulli { probability, stream } => stream.chance(*probability),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_arrivals_are_lost_and_no_others() {
        let config = scenario::Loss::Listed(scenario::ListedLoss { arrivals: vec![4, 2, 4] });
        let mut loss = Loss::new(&config, 1, "p");
        let lost: Vec<bool> = (0..6).map(|_| loss.takes_next()).collect();
        assert_eq!(lost, [false, true, false, true, false, false]);
    }

    #[test]
    fn bernoulli_losses_have_their_probability() {
        let config = scenario::Loss::Bernoulli(scenario::BernoulliLoss { probability: 0.1 });
        let mut loss = Loss::new(&config, 1, "p");
        let n = 100_000;
        let lost = (0..n).filter(|_| loss.takes_next()).count() as f64;
        // Standard deviation of the count: sqrt(n p (1 - p)) = 95.
        assert!((lost - 0.1 * f64::from(n)).abs() < 4.0 * 95.0, "{lost}");
    }
}
