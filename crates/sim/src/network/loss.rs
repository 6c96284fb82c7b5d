//! Losses on a link that are not the queue's doing.

use parshall_estimators::responsiveness::Dither as Draw;

use super::dither::Dither;
use crate::random::Stream;
use crate::scenario::{self, LossOf};

/// What becomes of a packet before it meets the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes on to the queue.
    Passes,
    /// It goes on with a mark that says congestion.
    Marked,
    /// It is lost.
    Lost,
}

/// Decides which packets that arrive at a port are lost before its queue.
#[derive(Clone, Debug)]
pub struct Loss {
    of: LossOf,
    law: Law,
    /// What was done about the last packet, if that was drawn at random.
    draw: Draw,
}

#[derive(Clone, Debug)]
enum Law {
    /// Listed arrival numbers; the last entry comes next.
    Listed { seen: u64, left: Vec<u64> },
    /// Independent losses.
    Bernoulli { probability: f64, stream: Stream },
    /// Two states, each with its own probability; the state may change before each packet.
    GilbertElliott { config: scenario::GilbertElliottLoss, bad: bool, stream: Stream },
    /// What the queue's own drops and marks fall short of a floor.
    Dither(Dither),
}

impl Loss {
    /// The losses that a scenario asks for at the port called `port`.
    pub fn new(config: &scenario::Loss, seed: u64, port: &str) -> Self {
        let stream = || Stream::new(seed, &format!("link/{port}/loss"));
        let (of, law) = match config {
            scenario::Loss::Listed(listed) => {
                let mut left = listed.arrivals.clone();
                left.sort_unstable_by(|a, b| b.cmp(a));
                left.dedup();
                (listed.of, Law::Listed { seen: 0, left })
            }
            scenario::Loss::Bernoulli(config) => {
                (config.of, Law::Bernoulli { probability: config.probability, stream: stream() })
            }
            scenario::Loss::GilbertElliott(config) => {
                (config.of, Law::GilbertElliott { config: *config, bad: false, stream: stream() })
            }
            scenario::Loss::Dither(config) => (config.of, Law::Dither(Dither::new(*config, stream()))),
        };
        Loss { of, law, draw: Draw::NONE }
    }

    /// What becomes of the packet that arrives now, an ACK or not. Packets of the other kind do not count.
    /// The queue holds `backlog` bytes.
    pub fn fate(&mut self, ack: bool, ecn_capable: bool, backlog: u64) -> Fate {
        self.draw = Draw::NONE;
        match self.concerns(ack) && self.takes_next(backlog) {
            true if ecn_capable && matches!(self.law, Law::Dither(_)) => Fate::Marked,
            true => Fate::Lost,
            false => Fate::Passes,
        }
    }

    /// The draw about the last packet: none, where losses are not drawn one by one.
    pub fn draw(&self) -> Draw {
        self.draw
    }

    fn takes_next(&mut self, backlog: u64) -> bool {
        let (probability, chosen) = self.law.takes_next(backlog);
        self.draw = Draw { probability, chosen: chosen && probability > 0.0 };
        chosen
    }

    /// The queue took in a packet that was not lost, or dropped or marked it (`signalled`), while it held `backlog`
    /// bytes.
    pub fn note(&mut self, ack: bool, signalled: bool, backlog: u64) {
        let concerned = self.concerns(ack);
        if let (Law::Dither(dither), true) = (&mut self.law, concerned) {
            dither.note(signalled, backlog);
        }
    }

    fn concerns(&self, ack: bool) -> bool {
        match self.of {
            LossOf::All => true,
            LossOf::Data => !ack,
            LossOf::Acks => ack,
        }
    }
}

impl Law {
    /// The probability of a loss, 0 where losses are not drawn one by one, and whether the next packet is lost.
    fn takes_next(&mut self, backlog: u64) -> (f64, bool) {
        match self {
            Law::Listed { seen, left } => {
                *seen += 1;
                (0.0, left.pop_if(|next| *next == *seen).is_some())
            }
            Law::Bernoulli { probability, stream } => (*probability, stream.chance(*probability)),
            Law::GilbertElliott { config, bad, stream } => {
                let change = if *bad { config.bad_to_good } else { config.good_to_bad };
                *bad ^= stream.chance(change);
                (0.0, stream.chance(if *bad { config.loss_bad } else { config.loss_good }))
            }
            Law::Dither(dither) => dither.asks(backlog),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(json: &str) -> Loss {
        Loss::new(&serde_json::from_str(json).expect("a loss"), 1, "p")
    }

    fn takes(loss: &mut Loss, ack: bool) -> bool {
        // Only a dither looks at whether a packet may be marked.
        loss.fate(ack, true, 0) == Fate::Lost
    }

    #[test]
    fn listed_arrivals_are_lost_and_no_others() {
        let mut loss = loss(r#"{"kind": "listed", "arrivals": [4, 2, 4]}"#);
        let lost: Vec<bool> = (0..6).map(|_| takes(&mut loss, false)).collect();
        assert_eq!(lost, [false, true, false, true, false, false]);
    }

    #[test]
    fn only_the_chosen_kind_is_lost_and_counted() {
        let mut loss = loss(r#"{"kind": "listed", "arrivals": [2], "of": "acks"}"#);
        let lost: Vec<bool> = [true, false, false, true].map(|ack| takes(&mut loss, ack)).to_vec();
        assert_eq!(lost, [false, false, false, true]);
    }

    #[test]
    fn bernoulli_losses_have_their_probability() {
        let mut loss = loss(r#"{"kind": "bernoulli", "probability": 0.1}"#);
        let n = 100_000;
        let lost = (0..n).filter(|_| takes(&mut loss, false)).count() as f64;
        // Standard deviation of the count: sqrt(n p (1 - p)) = 95.
        assert!((lost - 0.1 * f64::from(n)).abs() < 4.0 * 95.0, "{lost}");
    }

    #[test]
    fn gilbert_elliott_losses_come_in_bursts() {
        let mut loss = loss(
            r#"{"kind": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.25,
                "loss_good": 0.0, "loss_bad": 1.0}"#,
        );
        let n = 400_000;
        let lost: Vec<bool> = (0..n).map(|_| takes(&mut loss, false)).collect();
        let rate = lost.iter().filter(|&&l| l).count() as f64 / f64::from(n);
        let bursts = lost.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
        // The bad state holds 0.01 / (0.01 + 0.25) of the time, for 4 packets on average.
        assert!((rate - 0.01 / 0.26).abs() < 0.002, "{rate}");
        assert!((rate * f64::from(n) / bursts - 4.0).abs() < 0.15);
    }

    #[test]
    fn a_dither_marks_what_may_carry_a_mark() {
        let mut loss = loss(r#"{"kind": "dither", "floor": 1.0, "of": "data"}"#);
        assert_eq!(loss.fate(false, true, 0), Fate::Marked);
        assert_eq!(loss.fate(false, false, 0), Fate::Lost);
        assert_eq!(loss.fate(true, false, 0), Fate::Passes);
        for _ in 0..10_000 {
            loss.note(true, true, 0); // an ACK, which it does not count
        }
        assert_eq!(loss.fate(false, false, 0), Fate::Lost);
        for _ in 0..10_000 {
            loss.note(false, true, 0);
        }
        assert_eq!(loss.fate(false, false, 0), Fate::Passes);
    }
}
