//! An experiment on demand: does a group of flows send less when it meets more loss?
//!
//! [`Treatment`] is told of each packet of a group (flows, a prefix, a class) and says with which probability the router is
//! to drop or mark it besides what its queue does. Time goes in pairs of blocks. The group's keys are dealt into
//! 128 parts, and for each part and pair a coin decides in which of the two blocks it is treated. The outcome
//! is judged by assignment, whatever was dropped in the end (intention to treat): packets that came in the block without
//! treatment less those in the other. Nothing that flows do decides the coin, so that flows which do not respond leave
//! differences that are as often positive as negative, whatever their rhythm is and whatever else happens at the
//! port. The bounds rest on that alone (`bounds`).
//!
//! Its price is counted: the packets that it took, and those that treated flows sent less than spared ones. A budget holds
//! it: each pair asks as many parts as what is left of the budget pays for, even if those that are treated gave up as much
//! as the upper bound allows (all, before anything is known). Parts have their turns, so that heavy ones are asked as often
//! as light ones, and the effect is that of the group. The choice rests on pairs that are over and on draws that are
//! independent of the coins that decide blocks: bounds hold whatever is chosen. No pair begins once the group has a
//! label.

mod bounds;

use alloc::vec;
use alloc::vec::Vec;

use crate::math::floor;
use crate::seconds::Seconds;
use crate::ConfigError;
use bounds::Differences;

/// Parts into which keys are dealt.
const PARTS: usize = 128;

/// Part of a block after which packets count: before, flows answer to the block before.
const SETTLED: f64 = 0.25;

/// A pair with fewer counted packets tells nothing.
const FEWEST: f64 = 20.0;

/// The treatment takes one packet in three at most.
const MOST: f64 = 0.3;

/// The queue's own rate is a mean over about so many of its signals.
const SIGNALS: f64 = 16.0;

/// Part of its packets for which a part is still priced a pair later if it has fewer then. Sources that switch on and off
/// would else be asked while they are off, when they cost nothing.
const REMEMBERED: f64 = 0.8;

/// Rate below which the queue's own is not followed quickly.
const LEAST_RATE: f64 = 1e-3;

/// Later than any time that anybody means.
const LATEST_S: f64 = 1e12;

/// Settings of an experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Length of a block in seconds: ten to twenty round trips.
    pub block_s: f64,
    /// Probability of the treatment, as a multiple of the queue's own rate of drops and marks.
    pub times: f64,
    /// Its least probability.
    pub floor: f64,
    /// Part of the keys that a pair asks at most; the budget may allow less.
    pub part: f64,
    /// Price that may be paid, as a part of the group's packets: those that the treatment takes, and those that flows
    /// send less while they are treated. The first never exceed it. For the second, a pair asks no more keys than
    /// the budget pays for if they are as fast as in recent pairs and give up as much as the upper bound
    /// allows.
    pub budget: f64,
    /// Effect that parts groups that respond from those that do not.
    pub limit: f64,
    /// True to go on once the group has a label.
    pub goes_on: bool,
    /// Seed of all coins.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            block_s: 2.0,
            times: 2.0,
            floor: 0.01,
            part: 1.0,
            budget: 0.05,
            limit: 0.1,
            goes_on: false,
            seed: 0,
        }
    }
}

impl Settings {
    /// Checks that every field is in its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let block = self.block_s > 0.0 && self.block_s.is_finite();
        ConfigError::unless(block, "block_s", self.block_s, "a time above 0, in seconds")?;
        let times = self.times >= 0.0 && self.times.is_finite();
        ConfigError::unless(times, "times", self.times, "a number of at least 0")?;
        let shares = [("floor", self.floor), ("budget", self.budget)];
        for (field, value) in shares {
            ConfigError::unless((0.0..=1.0).contains(&value), field, value, "a number from 0 to 1")?;
        }
        let above = [("part", self.part), ("limit", self.limit)];
        for (field, value) in above {
            let holds = value > 0.0 && value <= 1.0;
            ConfigError::unless(holds, field, value, "a number above 0, at most 1")?;
        }
        Ok(())
    }
}

/// Verdict about a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Too little is known.
    Unknown,
    /// The effect is at least the limit.
    Responds,
    /// The effect is at most the limit.
    Deaf,
}

/// State of an experiment at the end of a pair of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// End of the pair, in seconds.
    pub end_s: f64,
    /// Part of their packets that flows give up under treatment, at least; from -1 to 1.
    pub lower: f64,
    /// Estimate of it; `None` before a pair has told something.
    pub effect: Option<f64>,
    /// Its upper bound.
    pub upper: f64,
    /// Pairs that have told something.
    pub pairs: u32,
    /// Price so far, as a part of the group's packets: those that the treatment took, and those that flows sent less in
    /// blocks with treatment than in those without. What a treatment still costs after its block is not in it.
    pub price: f64,
    /// Packets of the group so far.
    pub packets: u64,
    /// Packets that the treatment dropped or marked.
    pub signals: u64,
    /// Verdict that follows.
    pub label: Label,
}

/// Packets of a part of the keys.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Part {
    /// Those that count in each block of the pair under way.
    blocks: [f64; 2],
    /// All of that pair.
    all: f64,
    /// Those of recent pairs at most, as they would have been without treatment: older ones count less.
    before: f64,
    /// True if the pair under way asks this part.
    asked: bool,
}

/// An experiment with one group of flows.
///
/// ```
/// use parshall_estimators::treatment::{Label, Settings, Treatment};
///
/// let mut experiment = Treatment::new(Settings::default()).unwrap();
/// let mut last = None;
/// // Twenty flows that send ten packets a second each, whatever happens.
/// for i in 0..40_000_u32 {
///     let now = f64::from(i) * 0.005;
///     last = experiment.close(now).or(last);
///     let probability = experiment.packet(now, u64::from(i % 20));
///     if probability > 0.0 && f64::from(i * 7919 % 1000) < 1000.0 * probability {
///         experiment.signal();
///     }
/// }
/// assert_eq!(last.unwrap().label, Label::Deaf);
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Treatment {
    settings: Settings,
    parts: Vec<Part>,
    differences: Differences,
    /// The queue's own rate of drops and marks among the group's packets.
    rate: f64,
    seen: f64,
    now_s: f64,
    /// Number of the pair under way, which ends at so many times its length; 0 before the first packet.
    pair: u64,
    /// The part whose turn is next.
    next: usize,
    /// Bounds after the pairs that are over.
    bounds: (f64, f64),
    label: u8,
    packets: u64,
    signals: u64,
    gave_up: f64,
}

impl Treatment {
    /// An experiment that has not begun. Fails when a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, ConfigError> {
        settings.validate()?;
        Ok(Treatment {
            settings,
            parts: vec![Part::default(); PARTS],
            differences: Differences::default(),
            rate: 0.0,
            seen: SIGNALS,
            now_s: f64::NEG_INFINITY,
            pair: 0,
            next: 0,
            bounds: (-1.0, 1.0),
            label: 0,
            packets: 0,
            signals: 0,
            gave_up: 0.0,
        })
    }

    /// Settings that it was built with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Takes a packet of the group that arrives at `now` and belongs to the flow with this key: the probability with which
    /// the router is to drop or mark it. A time that is not finite, 1e12 s or later, or before the last one, is not
    /// counted, and not treated. Ask [`close`](Self::close) first.
    pub fn packet(&mut self, now: impl Into<Seconds>, key: u64) -> f64 {
        let now_s = now.into().get();
        if !(now_s >= self.now_s && (0.0..LATEST_S).contains(&now_s)) {
            return 0.0;
        }
        self.now_s = now_s;
        if self.pair == 0 {
            self.pair = self.pair_at(now_s);
        }
        self.packets += 1;
        let place = (mixed(self.settings.seed ^ mixed(key)) % PARTS as u64) as usize;
        let blocks = now_s / self.settings.block_s;
        let second = self.pair as f64 * 2.0 - blocks <= 1.0;
        let part = &mut self.parts[place];
        part.all += 1.0;
        if blocks - floor(blocks) >= SETTLED {
            part.blocks[usize::from(second)] += 1.0;
        }
        if !part.asked {
            return 0.0;
        }
        let treated = second == self.second_is_treated(place);
        self.gave_up += if treated { -1.0 } else { 1.0 };
        let within = (self.signals + 1) as f64 <= self.settings.budget * self.packets as f64;
        if treated && within {
            self.dose()
        } else {
            0.0
        }
    }

    /// The last packet was dropped or marked because the experiment asked for it.
    pub fn signal(&mut self) {
        self.signals += 1;
    }

    /// A packet of the group met the queue, which dropped or marked it (`signalled`), or neither.
    pub fn queue(&mut self, signalled: bool) {
        self.seen += 1.0;
        let gain = (self.rate.max(LEAST_RATE) / SIGNALS).max(1.0 / self.seen);
        self.rate += (f64::from(u8::from(signalled)) - self.rate) * gain;
    }

    /// The outcome so far, if a pair of blocks is over at `now` that asked; the next one begins. Pairs that do not ask end
    /// without one.
    pub fn close(&mut self, now: impl Into<Seconds>) -> Option<Outcome> {
        let now_s = now.into().get();
        let end_s = self.pair as f64 * 2.0 * self.settings.block_s;
        if self.pair == 0 || now_s < end_s || now_s.is_nan() || now_s >= LATEST_S {
            return None;
        }
        let pair = self.pair_at(now_s);
        if pair <= self.pair {
            return None;
        }
        let asked = self.parts.iter().any(|part| part.asked && part.all > 0.0);
        if asked {
            self.count();
        }
        self.end_pair();
        self.pair = pair;
        self.choose();
        asked.then(|| self.outcome(end_s))
    }

    /// Drops the pair under way, which will have no outcome: nobody is asked until the next one begins. To be called when
    /// packets stop coming here in the middle of a pair.
    pub fn abandon(&mut self) {
        for part in &mut self.parts {
            part.asked = false;
        }
    }

    /// State of the experiment.
    pub fn outcome(&self, end_s: f64) -> Outcome {
        let (lower, upper) = self.bounds;
        Outcome {
            end_s,
            lower,
            effect: self.differences.effect(),
            upper,
            pairs: self.differences.pairs(),
            price: self.price() / (self.packets.max(1)) as f64,
            packets: self.packets,
            signals: self.signals,
            label: self.label(),
        }
    }

    /// The group's label.
    pub fn label(&self) -> Label {
        [Label::Unknown, Label::Responds, Label::Deaf][usize::from(self.label)]
    }

    /// Counts the pair that is over. Each part weighs as much as it has of the group's packets.
    fn count(&mut self) {
        let all: f64 = self.parts.iter().map(|part| part.blocks[0] + part.blocks[1]).sum();
        if all >= FEWEST {
            let mut told = false;
            for place in 0..PARTS {
                if self.parts[place].asked {
                    let [first, second] = self.parts[place].blocks.map(|packets| packets / all);
                    let less = if self.second_is_treated(place) { first - second } else { second - first };
                    self.differences.add(less, first + second);
                    told |= first + second > 0.0;
                }
            }
            self.differences.count(told);
        }
        self.bounds = self.differences.bounds();
        if self.label == 0 {
            let (lower, upper) = self.bounds;
            self.label =
                if lower >= self.settings.limit { 1 } else { 2 * u8::from(upper <= self.settings.limit) };
        }
    }

    /// Forgets the pair that is over but for how fast flows were.
    fn end_pair(&mut self) {
        if self.parts.iter().all(|part| part.all == 0.0) {
            return;
        }
        for place in 0..PARTS {
            let Part { blocks, all, before, asked } = self.parts[place];
            let spared = blocks[usize::from(!self.second_is_treated(place))] / (1.0 - SETTLED);
            let now = if asked { all.max(2.0 * spared) } else { all };
            self.parts[place] = Part { before: now.max(REMEMBERED * before), ..Part::default() };
        }
    }

    /// Chooses which parts the next pair asks: in turn, as many as what is left of the budget pays for if they are as fast
    /// as in recent pairs and give up as much as the upper bound allows. A part that is too dear ends the choice and keeps its
    /// turn: nobody is asked until the budget has grown enough, which takes half of its share of the packets
    /// divided by the budget, in pairs. Keys are dealt into parts at random, which makes any order random.
    fn choose(&mut self) {
        self.abandon();
        let left = self.settings.budget * self.packets as f64 - self.price();
        if left <= 0.0 || (self.label != 0 && !self.settings.goes_on) {
            return;
        }
        let upper = self.bounds.1.clamp(0.0, 1.0);
        // Each packet is treated in one of the two blocks.
        let each = 0.5 * (upper + self.dose() * (1.0 - upper));
        let most = ((self.settings.part * PARTS as f64) as usize).max(1);
        let mut cost = 0.0;
        for _ in 0..most {
            let part = &mut self.parts[self.next];
            cost += each * part.before;
            if cost > left {
                return;
            }
            part.asked = true;
            self.next = (self.next + 1) % PARTS;
        }
    }

    /// Packets that the experiment has cost.
    fn price(&self) -> f64 {
        self.signals as f64 + self.gave_up.max(0.0)
    }

    fn dose(&self) -> f64 {
        (self.settings.times * self.rate).max(self.settings.floor).min(MOST)
    }

    /// Number of the pair at this time. The quotient may round an end down into the pair that it ends.
    fn pair_at(&self, now_s: f64) -> u64 {
        let length = 2.0 * self.settings.block_s;
        let before = (now_s / length).max(0.0) as u64;
        let rounded = (before as f64 + 1.0) * length <= now_s;
        before.saturating_add(1 + u64::from(rounded))
    }

    fn coin(&self, place: usize) -> u64 {
        mixed(
            self.settings.seed.wrapping_add(1)
                ^ mixed(self.pair.wrapping_mul(PARTS as u64).wrapping_add(place as u64)),
        )
    }

    fn second_is_treated(&self, place: usize) -> bool {
        self.coin(place) >> 63 == 1
    }
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests;
