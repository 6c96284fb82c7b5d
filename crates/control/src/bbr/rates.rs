//! The greatest delivery rate of late, by which BBR goes (section 4.1.1 of draft-cardwell-iccrg-bbr-congestion-control-00).

use std::collections::VecDeque;

/// Section 4.1.1.2: rounds over which the greatest delivery rate counts.
const RATE_ROUNDS: u64 = 10;

/// The greatest value of late rounds.
#[derive(Clone, Debug, Default)]
pub struct RateFilter(VecDeque<(u64, f64)>);

impl RateFilter {
    /// The greatest rate; 0 before there is one.
    pub fn max(&self) -> f64 {
        self.0.front().map_or(0.0, |&(_, rate)| rate)
    }

    /// Takes a rate of a round.
    pub fn update(&mut self, round: u64, rate: f64) {
        while self.0.back().is_some_and(|&(_, older)| older <= rate) {
            self.0.pop_back();
        }
        self.0.push_back((round, rate));
        while self.0.front().is_some_and(|&(old, _)| old + RATE_ROUNDS <= round) {
            self.0.pop_front();
        }
    }
}
