//! Losses on a link that are not the queue's doing, and their changes at given times.

use parshall_estimators::responsiveness::Dither as Draw;

use super::dither::Dither;
use super::treated::Treated;
use crate::random::Stream;
use crate::scenario::{self, LinkEvent, LossChange, LossOf};
use crate::units::Time;

/// Fate of a packet before it meets the queue.
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
pub struct LossProcess {
    of: LossOf,
    law: Law,
    /// Those to come, the next one last.
    changes: Vec<LossChange>,
    /// Draw for the last packet, if one was made.
    draw: Draw,
    /// Experiments that a change of the losses has ended.
    ended: Option<Box<Treated>>,
}

#[derive(Clone, Debug)]
enum Law {
    /// None, with what will draw the losses after a change.
    Nothing(Stream),
    /// Listed arrival numbers; the last entry comes next.
    Listed { seen: u64, left: Vec<u64>, stream: Stream },
    /// Independent losses.
    Bernoulli { probability: f64, stream: Stream },
    /// Two states, each with its own probability; the state may change before each packet.
    GilbertElliott { config: scenario::GilbertElliottLoss, bad: bool, stream: Stream },
    /// Random drops or marks when the queue itself signals too rarely.
    Dither(Dither),
    /// Experiments with groups of flows.
    Treated(Box<Treated>),
}

impl LossProcess {
    /// The losses of a link whose events may change them; none if there are none.
    pub fn new(
        config: Option<&scenario::Loss>,
        events: &[LinkEvent],
        stream: impl Fn() -> Stream,
    ) -> Option<Self> {
        let changes = events.iter().rev().filter_map(|event| match event {
            LinkEvent::Loss(change) => Some(*change),
            _ => None,
        });
        let changes: Vec<_> = changes.collect();
        let (of, law) = match config {
            None if changes.is_empty() => return None,
            None => (LossOf::All, Law::Nothing(stream())),
            Some(config) => Law::new(config, stream),
        };
        Some(LossProcess { of, law, changes, draw: Draw::NONE, ended: None })
    }

    /// Decides the fate of the packet that arrives now on this hop, an ACK or not. Packets of the other kind do not
    /// count. The queue holds `backlog` bytes. Calls must be in order of time.
    pub fn fate(&mut self, now: Time, hop: u32, ack: bool, ecn_capable: bool, backlog: u64) -> Fate {
        while let Some(change) = self.changes.pop_if(|change| change.at <= now) {
            self.change(change);
        }
        self.draw = Draw::NONE;
        let taken = match &mut self.law {
            Law::Treated(treated) => !ack && treated.asks(now, hop),
            _ => self.concerns(ack) && self.takes_next(backlog),
        };
        match taken {
            true if ecn_capable && matches!(self.law, Law::Dither(_) | Law::Treated(_)) => Fate::Marked,
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
    pub fn observe_queue(&mut self, hop: u32, ack: bool, signalled: bool, backlog: u64) {
        let concerned = self.concerns(ack);
        match &mut self.law {
            Law::Dither(dither) if concerned => dither.update(signalled, backlog),
            Law::Treated(treated) if !ack => treated.observe_queue(hop, signalled),
            _ => {}
        }
    }

    /// Makes losses independent, with this probability; the stream goes on where it was. Experiments end, and the pair that
    /// is under way tells nothing.
    fn change(&mut self, change: LossChange) {
        self.of = change.of;
        let law = Law::Bernoulli { probability: change.probability, stream: self.law.stream().clone() };
        if let Law::Treated(mut treated) = std::mem::replace(&mut self.law, law) {
            treated.end();
            self.ended = Some(treated);
        }
    }

    /// The experiments that it makes or has made, to look at.
    pub fn treated_ref(&self) -> Option<&Treated> {
        match &self.law {
            Law::Treated(treated) => Some(treated),
            _ => self.ended.as_deref(),
        }
    }

    /// The experiments that it makes or has made.
    pub fn treated(&mut self) -> Option<&mut Treated> {
        match &mut self.law {
            Law::Treated(treated) => Some(treated),
            _ => self.ended.as_deref_mut(),
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
    /// The law of a scenario, and which packets it is about.
    fn new(config: &scenario::Loss, stream: impl Fn() -> Stream) -> (LossOf, Self) {
        match config {
            scenario::Loss::Listed(listed) => {
                let mut left = listed.arrivals.clone();
                left.sort_unstable_by(|a, b| b.cmp(a));
                left.dedup();
                (listed.of, Law::Listed { seen: 0, left, stream: stream() })
            }
            scenario::Loss::Bernoulli(config) => {
                (config.of, Law::Bernoulli { probability: config.probability, stream: stream() })
            }
            scenario::Loss::GilbertElliott(config) => {
                (config.of, Law::GilbertElliott { config: *config, bad: false, stream: stream() })
            }
            scenario::Loss::Dither(config) => (config.of, Law::Dither(Dither::new(*config, stream()))),
            scenario::Loss::Treatment(config) => {
                (LossOf::Data, Law::Treated(Box::new(Treated::new(config, stream()))))
            }
        }
    }

    fn stream(&self) -> &Stream {
        match self {
            Law::Nothing(stream) | Law::Listed { stream, .. } => stream,
            Law::Bernoulli { stream, .. } | Law::GilbertElliott { stream, .. } => stream,
            Law::Dither(dither) => dither.stream(),
            Law::Treated(treated) => treated.stream(),
        }
    }

    /// The probability of a loss, 0 where losses are not drawn one by one, and whether the next packet is lost.
    fn takes_next(&mut self, backlog: u64) -> (f64, bool) {
        match self {
            Law::Nothing(_) => (0.0, false),
            Law::Listed { seen, left, .. } => {
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
            Law::Treated(_) => (0.0, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(json: &str) -> LossProcess {
        changing(Some(json), "[]")
    }

    fn changing(json: Option<&str>, events: &str) -> LossProcess {
        let config: Option<scenario::Loss> = json.map(|json| serde_json::from_str(json).expect("a loss"));
        let events: Vec<LinkEvent> = serde_json::from_str(events).expect("events");
        LossProcess::new(config.as_ref(), &events, || Stream::new(1, "link/p/loss")).expect("losses")
    }

    fn takes(loss: &mut LossProcess, ack: bool) -> bool {
        // Only a dither looks at whether a packet may be marked.
        loss.fate(Time::ZERO, 0, ack, true, 0) == Fate::Lost
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

    /// Losses among so many packets, of which one comes each millisecond from 0 on.
    fn lost(loss: &mut LossProcess, n: u32) -> Vec<bool> {
        let at = |ms: u32| Time::from_secs(f64::from(ms) * 0.001);
        (0..n).map(|ms| loss.fate(at(ms), 0, false, true, 0) == Fate::Lost).collect()
    }

    const BERNOULLI: &str = r#"{"kind": "bernoulli", "probability": 0.3}"#;

    #[test]
    fn a_change_at_the_start_is_as_a_link_that_has_these_losses() {
        let change = r#"[{"kind": "loss-change", "at": 0, "probability": 0.3}]"#;
        let fixed = lost(&mut loss(BERNOULLI), 500);
        for before in [
            None,
            Some(r#"{"kind": "listed", "arrivals": [1]}"#),
            Some(r#"{"kind": "bernoulli", "probability": 0.9, "of": "acks"}"#),
            Some(r#"{"kind": "gilbert-elliott", "good_to_bad": 0.5, "bad_to_good": 0.5}"#),
            Some(r#"{"kind": "dither", "floor": 0.1}"#),
        ] {
            assert_eq!(lost(&mut changing(before, change), 500), fixed, "{before:?}");
        }
    }

    #[test]
    fn changes_come_at_their_times_and_leave_the_draws() {
        let changes = r#"[{"kind": "loss-change", "at": 0.1, "probability": 0.0},
                          {"kind": "loss-change", "at": 0.2, "probability": 1.0},
                          {"kind": "loss-change", "at": 0.3, "probability": 0.3, "of": "data"}]"#;
        let found = lost(&mut changing(Some(BERNOULLI), changes), 500);
        let fixed = lost(&mut loss(BERNOULLI), 500);
        assert_eq!((&found[..100], &found[300..]), (&fixed[..100], &fixed[300..]));
        assert!(!found[100..200].contains(&true) && !found[200..300].contains(&false));
    }

    #[test]
    fn what_comes_later_is_lost_with_its_probability() {
        let change = r#"[{"kind": "loss-change", "at": 5, "probability": 0.1}]"#;
        let found = lost(&mut changing(None, change), 105_000);
        assert!(!found[..5000].contains(&true));
        let count = found.iter().filter(|&&lost| lost).count() as f64;
        // Standard deviation of the count: sqrt(n p (1 - p)) = 95.
        assert!((count - 10_000.0).abs() < 4.0 * 95.0, "{count}");
    }

    #[test]
    fn what_experiments_have_found_outlives_a_change_of_the_losses() {
        let treatment = r#"{"kind": "treatment", "groups": [{}], "budget": 1.0}"#;
        let mut loss =
            changing(Some(treatment), r#"[{"kind": "loss-change", "at": 9.0, "probability": 1.0}]"#);
        loss.treated().expect("experiments").enrol(0, 0, 7);
        let lost = lost(&mut loss, 10_000);
        assert!(lost[..9000].iter().any(|lost| !lost) && lost[9000..].iter().all(|&lost| lost));
        let rows = loss.treated().expect("experiments").take(Time::from_secs(20.0));
        let ends: Vec<f64> = rows.iter().map(|row| row.outcome.end_s).collect();
        assert_eq!(ends, [8.0]);
        assert!(rows.iter().all(|row| row.outcome.packets <= 9000));
    }

    #[test]
    fn a_dither_marks_what_may_carry_a_mark() {
        let mut loss = loss(r#"{"kind": "dither", "floor": 1.0, "of": "data"}"#);
        assert_eq!(loss.fate(Time::ZERO, 0, false, true, 0), Fate::Marked);
        assert_eq!(loss.fate(Time::ZERO, 0, false, false, 0), Fate::Lost);
        assert_eq!(loss.fate(Time::ZERO, 0, true, false, 0), Fate::Passes);
        for _ in 0..10_000 {
            loss.observe_queue(0, true, true, 0); // an ACK, which it does not count
        }
        assert_eq!(loss.fate(Time::ZERO, 0, false, false, 0), Fate::Lost);
        for _ in 0..10_000 {
            loss.observe_queue(0, false, true, 0);
        }
        assert_eq!(loss.fate(Time::ZERO, 0, false, false, 0), Fate::Passes);
    }
}
