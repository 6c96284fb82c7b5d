//! When slow start ends before a loss ends it: HyStart, as Ha and Rhee (2011) describe it and Linux has it, and
//! HyStart++ (RFC 9406).

use crate::units::Time;
use crate::{AckSample, Window};

/// The rule by which slow start ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum HyStartRule {
    /// A loss or a mark ends it.
    #[default]
    None,
    /// Trains of ACKs as long as half the least round trip, or round trips that grow.
    Classic,
    /// Round trips that grow, with a conservative slow start to make sure (RFC 9406).
    PlusPlus,
}

/// Both rules: round-trip samples without which a round says nothing (RFC 9406: N_RTT_SAMPLE), the bounds of a growth
/// of the round trip that counts (MIN_RTT_THRESH, MAX_RTT_THRESH), and its share of the least one (MIN_RTT_DIVISOR).
const SAMPLES: u32 = 8;
// [RFC 9406 4.3-a]
const LEAST_GROWTH_S: f64 = 0.004;
const MOST_GROWTH_S: f64 = 0.016;
const GROWTH_DIVISOR: f64 = 8.0;
/// Classic: windows below this are not judged; ACKs no further apart make a train, and hosts may hold one back for so
/// long.
const LEAST_WINDOW: f64 = 16.0;
const TRAIN_GAP: Time = Time::from_ps(2_000_000_000);
const HELD_BACK_S: f64 = 0.001;
/// RFC 9406: a conservative slow start grows by this part (CSS_GROWTH_DIVISOR) for so many rounds (CSS_ROUNDS).
// [RFC 9406 4.3-a] [RFC 9406 4.3-e]
const CAUTIOUS_DIVISOR: f64 = 4.0;
const CAUTIOUS_ROUNDS: u32 = 5;

/// Observations of this round of slow start, and of the one before. Times are seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HyStart {
    rule: HyStartRule,
    /// The round ends when this packet is acknowledged.
    round_end: i64,
    round_start: Time,
    last_of_train: Time,
    least: f64,
    samples: u32,
    least_of_last: f64,
    least_of_all: f64,
    cautious: Option<Cautious>,
    /// Slow start is left to losses: it has been ended, or is not the first.
    off: bool,
}

/// A conservative slow start (RFC 9406, section 4.2).
#[derive(Clone, Copy, Debug)]
struct Cautious {
    baseline: f64,
    rounds: u32,
}

impl HyStart {
    /// At the start of a flow.
    pub fn new(rule: HyStartRule) -> Self {
        HyStart {
            rule,
            round_end: -1,
            round_start: Time::ZERO,
            last_of_train: Time::ZERO,
            least: f64::INFINITY,
            samples: 0,
            least_of_last: f64::INFINITY,
            least_of_all: f64::INFINITY,
            cautious: None,
            off: false,
        }
    }

    // [RFC 9406 4.3-g]
    /// A loss or a mark has ended slow start, if it was under way. HyStart++ is for the initial one (RFC 9406, section 4.3).
    pub fn on_loss(&mut self) {
        self.off |= self.rule == HyStartRule::PlusPlus;
    }

    /// The timer has expired. HyStart begins anew then, as in Linux's cubictcp_state().
    pub fn on_timeout(&mut self) {
        *self = HyStart { off: self.rule == HyStartRule::PlusPlus, ..HyStart::new(self.rule) };
    }

    /// Ends slow start if an ACK shows that the path is full, by the classic rule (`hystart_update()` of Linux).
    #[inline]
    pub fn observe(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        let looks = self.rule == HyStartRule::Classic && !self.off && window.in_slow_start();
        if looks && self.looks_full(window.cwnd, ack) {
            window.ssthresh = window.cwnd;
            self.off = true;
        }
    }

    /// Opens the window for an ACK in slow start, by as much as HyStart++ allows.
    #[inline]
    pub fn open(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if self.rule == HyStartRule::PlusPlus && !self.off {
            self.open_plus_plus(window, ack);
        } else {
            window.open(ack.slow_start);
        }
    }

    /// Starts a round if the last one has been acknowledged.
    fn update_round(&mut self, ack: &AckSample<'_>) {
        if ack.high_ack >= self.round_end {
            (self.round_end, self.round_start, self.last_of_train) = (ack.next_seq, ack.now, ack.now);
            self.least_of_last = self.least;
            (self.least, self.samples) = (f64::INFINITY, 0);
            if let Some(cautious) = &mut self.cautious {
                cautious.rounds += 1;
            }
        }
    }

    /// Adds the round-trip time of an ACK to those of the round.
    fn add_sample(&mut self, ack: &AckSample<'_>) {
        // [RFC 9406 4.3-c]
        self.least = self.least.min(ack.rtt());
        self.samples += 1;
    }

    /// Both tests of Ha and Rhee (2011). Rounds are counted from the first ACK on, as in Linux since 6.14; smaller
    /// windows than [`LEAST_WINDOW`] are not judged.
    fn looks_full(&mut self, cwnd: f64, ack: &AckSample<'_>) -> bool {
        self.update_round(ack);
        self.least_of_all = self.least_of_all.min(ack.rtt());
        if cwnd < LEAST_WINDOW {
            return false;
        }
        self.add_sample(ack);
        let mut long_train = false;
        if ack.now.since(self.last_of_train) <= TRAIN_GAP {
            self.last_of_train = ack.now;
            let train = ack.now.since(self.round_start).secs();
            long_train = train > (self.least_of_all + HELD_BACK_S) / 2.0;
        }
        long_train || (self.samples > SAMPLES && self.least > self.least_of_all + growth(self.least_of_all))
    }

    /// RFC 9406, section 4.2.
    fn open_plus_plus(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        self.update_round(ack);
        self.add_sample(ack);
        // [RFC 9406 4.3-d]
        let enough = self.samples >= SAMPLES;
        match self.cautious {
            None => {
                window.open(ack.slow_start);
                let known = enough && self.least_of_last.is_finite();
                if known && self.least >= self.least_of_last + growth(self.least_of_last) {
                    self.cautious = Some(Cautious { baseline: self.least, rounds: 0 });
                }
            }
            Some(cautious) => {
                window.open(ack.slow_start / CAUTIOUS_DIVISOR);
                if enough && self.least < cautious.baseline {
                    self.cautious = None;
                } else if cautious.rounds >= CAUTIOUS_ROUNDS {
                    window.ssthresh = window.cwnd;
                    self.off = true;
                }
            }
        }
    }
}

/// By how much a round trip has to grow.
fn growth(least: f64) -> f64 {
    (least / GROWTH_DIVISOR).clamp(LEAST_GROWTH_S, MOST_GROWTH_S)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::ack;

    /// Rounds of so many ACKs `gap` seconds apart, whose round-trip times are `rtt` of the round, until slow start ends
    /// or the rounds do. Returns the rounds begun and the window.
    fn rounds(rule: HyStartRule, gap: f64, rtts: &[f64]) -> (usize, f64) {
        let mut hystart = HyStart::new(rule);
        let mut window = Window { cwnd: 20.0, ssthresh: f64::INFINITY };
        let mut high_ack = 0;
        let mut now = 0.0;
        for (round, &rtt) in rtts.iter().enumerate() {
            let packets = window.cwnd as i64;
            for n in 0..packets {
                let sample = AckSample {
                    high_ack,
                    next_seq: high_ack + packets - n,
                    ..ack(now + gap * n as f64, rtt)
                };
                hystart.observe(&mut window, &sample);
                if window.in_slow_start() {
                    hystart.open(&mut window, &sample);
                }
                high_ack += 1;
                if !window.in_slow_start() {
                    return (round, window.cwnd);
                }
            }
            now += rtt.max(gap * packets as f64);
        }
        (rtts.len(), window.cwnd)
    }

    #[test]
    fn without_a_rule_only_a_loss_ends_slow_start() {
        assert_eq!(rounds(HyStartRule::None, 0.001, &[0.1, 0.2, 0.4]), (3, 160.0));
    }

    #[test]
    fn a_train_of_acks_as_long_as_half_the_round_trip_ends_it() {
        // 51 ACKs a millisecond apart take half of the 100 ms and of the millisecond.
        let (round, cwnd) = rounds(HyStartRule::Classic, 0.001, &[0.1; 8]);
        assert_eq!(round, 2);
        assert!((130.0..135.0).contains(&cwnd), "{cwnd}");
        // ACKs 3 ms apart are no train.
        assert_eq!(rounds(HyStartRule::Classic, 0.003, &[0.1; 3]).0, 3);
    }

    #[test]
    // [RFC 9406 4.3-a] [RFC 9406 4.3-d]
    fn a_round_trip_that_grows_by_an_eighth_ends_it_after_eight_samples() {
        let (round, cwnd) = rounds(HyStartRule::Classic, 0.0, &[0.1, 0.1, 0.113]);
        assert_eq!((round, cwnd), (2, 88.0));
        assert_eq!(rounds(HyStartRule::Classic, 0.0, &[0.1, 0.1, 0.112]).0, 3);
        // At least 4 ms, at most 16 ms.
        assert_eq!(rounds(HyStartRule::Classic, 0.0, &[0.01, 0.0139]).0, 2);
        assert_eq!(rounds(HyStartRule::Classic, 0.0, &[0.3, 0.317]).0, 1);
    }

    #[test]
    // [RFC 9406 4.3-a] [RFC 9406 4.3-c] [RFC 9406 4.3-e]
    fn plus_plus_grows_by_a_quarter_for_five_rounds_first() {
        let rtts = [0.1, 0.1, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12];
        let (round, cwnd) = rounds(HyStartRule::PlusPlus, 0.0, &rtts);
        assert_eq!(round, 7);
        // 80, eight packets more and a quarter of the rest, then five rounds by a quarter.
        let expected = (80.0 + 8.0 + 72.0 / 4.0) * 1.25f64.powi(4);
        assert!((cwnd / expected - 1.0).abs() < 0.02, "{cwnd} {expected}");
    }

    #[test]
    fn plus_plus_goes_on_when_the_round_trip_shrinks_again() {
        let (round, cwnd) = rounds(HyStartRule::PlusPlus, 0.0, &[0.1, 0.12, 0.1, 0.1, 0.1]);
        assert_eq!(round, 5);
        assert!(cwnd > 300.0, "{cwnd}");
    }
}
