//! Rounds: a delay-based control decides once per round trip.

use crate::units::Time;
use crate::AckSample;

/// Collects round-trip times until a packet is acknowledged that was sent since the round began. A default one ends with
/// the next ACK: so rounds begin anew after a timeout or a silence.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    began: Time,
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
        if ack.sent < self.began {
            return None;
        }
        let round = RoundTrips { least: self.least?, mean: self.sum / f64::from(self.samples) };
        *self = Round { began: ack.now, ..Round::default() };
        Some(round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_round_ends_with_the_first_packet_that_was_sent_in_it() {
        let mut round = Round::default();
        let mut ack = |now, rtt| {
            let rtts = round.on_ack(&samples::ack(now, rtt));
            rtts.map(|rtts| [rtts.least, rtts.mean].map(|rtt| (rtt * 1e6).round() / 1e6))
        };
        assert_eq!(ack(1.0, 0.1), Some([0.1, 0.1]));
        assert_eq!(ack(1.1, 0.2), None);
        assert_eq!(ack(1.4, 0.4), Some([0.2, 0.3]));
        // What was sent before that instant is of the round before.
        assert_eq!(ack(1.7, 0.301), None);
    }
}
