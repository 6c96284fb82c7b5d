//! Rounds: a delay-based control decides once per round trip.

use super::AckSample;

/// Collects round-trip times until everything that was in flight has been acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    /// The round ends when this packet is acknowledged.
    mark: i64,
    least: Option<f64>,
    sum: f64,
    samples: u32,
}

/// The round-trip times of a round that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundTrips {
    /// The smallest.
    pub least: f64,
    /// Their mean.
    pub mean: f64,
}

impl Round {
    /// Takes in an ACK. Returns the round-trip times of the round if it ends here.
    pub fn on_ack(&mut self, ack: &AckSample<'_>) -> Option<RoundTrips> {
        self.least = Some(self.least.map_or(ack.rtt(), |least| least.min(ack.rtt())));
        self.sum += ack.rtt();
        self.samples += 1;
        if ack.high_ack < self.mark {
            return None;
        }
        let round = RoundTrips { least: self.least?, mean: self.sum / f64::from(self.samples) };
        *self = Round { mark: ack.next_seq, ..Round::default() };
        Some(round)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn a_round_ends_with_what_was_in_flight_at_its_start() {
        let mut round = Round::default();
        let mut ack = |high_ack, next_seq, rtt| {
            round.on_ack(&AckSample { high_ack, next_seq, ..samples::ack(0.0, rtt) })
        };
        assert_eq!(ack(0, 2, 0.1), Some(RoundTrips { least: 0.1, mean: 0.1 }));
        assert_eq!(ack(1, 4, 0.2), None);
        assert_eq!(ack(2, 6, 0.4), Some(RoundTrips { least: 0.2, mean: (0.2 + 0.4) / 2.0 }));
    }
}
