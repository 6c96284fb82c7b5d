//! Descriptions of what a field takes. They are data, so that reading, messages, JSON Schema and the reference follow
//! from one place.

use crate::part::{Kinds, Part};

/// Values that a field takes.
#[derive(Clone, Copy)]
pub enum Takes {
    /// A rate; zero or not.
    Rate {
        /// Zero is a rate, too.
        zero: bool,
    },
    /// A duration.
    Duration {
        /// Zero is a duration, too.
        zero: bool,
    },
    /// A number of bytes.
    Size {
        /// Zero is a size, too.
        zero: bool,
        /// The most.
        most: Most,
    },
    /// A whole number.
    Whole {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// Any number in a range.
    Real(Range),
    /// A number of whatever unit, or a duration as text.
    Level(Range),
    /// True or false.
    Flag,
    /// Text on one line.
    Text,
    /// Printable text that is not empty.
    Name,
    /// A code point of DiffServ.
    CodePoint,
    /// A code point, or `drop`.
    Treatment,
    /// A table of plain values.
    Values,
    /// A list; `bare` if one item may stand without brackets.
    List {
        /// Values that its items take.
        of: &'static Takes,
        /// Least number of items.
        least: usize,
        /// Greatest number of items.
        most: usize,
        /// One item may stand without brackets.
        bare: bool,
    },
    /// A least and a greatest value.
    Span(&'static Takes),
    /// Times in ascending order.
    Instants,
    /// One duration, or a list of them.
    DurationOrList,
    /// Pairs of a time and a number of packets, in order of time.
    Writes,
    /// One of some names.
    Choice(&'static [&'static str]),
    /// One of some whole numbers.
    Numbers(&'static [i64]),
    /// A table.
    Table(&'static Part),
    /// A list of tables.
    Tables(&'static Part),
    /// A table of one of several kinds, or the name of a kind that needs no more.
    OneOf(&'static Kinds),
    /// A list of such tables.
    EachOf(&'static Kinds),
    /// Law of a random time; a time alone is a constant.
    TimeLaw,
    /// Law of a random number; a number alone is a constant.
    NumberLaw,
    /// Weight of the queue in its average; a number alone is that.
    Weight,
    /// A congestion control, which may be the user's own.
    Control,
    /// A recorded capacity, or the file that has one.
    Capacity,
}

/// The most bytes that a size may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Most {
    /// As many as there are.
    Any,
    /// As many as IPv4 can carry.
    Packet,
    /// As many as 32 bits can count.
    Bits32,
}

/// A range of numbers, and its words.
#[derive(Clone, Copy)]
pub struct Range {
    /// The least number.
    pub least: f64,
    /// The least number itself belongs to it.
    pub with_least: bool,
    /// The greatest number.
    pub most: f64,
    /// The greatest number itself belongs to it.
    pub with_most: bool,
    /// The range in words, as a message expects it.
    pub description: &'static str,
}

impl Range {
    /// True for a number that lies in it.
    pub fn holds(&self, x: f64) -> bool {
        x.is_finite()
            && (x > self.least || self.with_least && x == self.least)
            && (x < self.most || self.with_most && x == self.most)
    }
}

const INFINITY: f64 = f64::INFINITY;
const U32: u64 = u32::MAX as u64;
/// The most that an integer of TOML can be.
const I64: u64 = i64::MAX as u64;

const fn range(least: f64, with_least: bool, most: f64, with_most: bool, description: &'static str) -> Range {
    Range { least, with_least, most, with_most, description }
}

const ANY: Range = range(-INFINITY, false, INFINITY, false, "a finite number");
const AT_LEAST_0: Range = range(0.0, true, INFINITY, false, "a number of at least 0");
/// Weights of a queue in its average.
pub(crate) const WEIGHT: Range =
    range(0.0, false, 1.0, true, "a number above 0, at most 1, or \"from-rate\"");

/// Most samples that a sliding median looks back on.
const MOST_SAMPLES: u64 = 1 << 24;
/// Most values or weights of a choice.
const MOST_CHOICES: usize = 10_000;
/// Most coefficients of each kind of an ARIMA model.
const MOST_COEFFICIENTS: usize = 5;
const ENDLESS: usize = usize::MAX;

const fn list(of: &'static Takes, least: usize, most: usize) -> Takes {
    Takes::List { of, least, most, bare: false }
}

const fn whole(least: u64, most: u64) -> Takes {
    Takes::Whole { least, most }
}

pub(crate) const RATE: Takes = Takes::Rate { zero: false };
pub(crate) const RATE_OR_ZERO: Takes = Takes::Rate { zero: true };
pub(crate) const RATES_OR_ZERO: Takes = list(&RATE_OR_ZERO, 0, ENDLESS);
pub(crate) const RATE_RANGE: Takes = Takes::Span(&RATE);
pub(crate) const DURATION: Takes = Takes::Duration { zero: true };
pub(crate) const PERIOD: Takes = Takes::Duration { zero: false };
pub(crate) const DURATION_RANGE: Takes = Takes::Span(&PERIOD);
pub(crate) const DURATION_OR_LIST: Takes = Takes::DurationOrList;
pub(crate) const INSTANTS: Takes = Takes::Instants;
pub(crate) const SIZE: Takes = Takes::Size { zero: false, most: Most::Any };
pub(crate) const SIZE_OR_ZERO: Takes = Takes::Size { zero: true, most: Most::Any };
pub(crate) const PACKET_SIZE: Takes = Takes::Size { zero: false, most: Most::Packet };
pub(crate) const HEADER_SIZE: Takes = Takes::Size { zero: true, most: Most::Packet };
pub(crate) const BURST_SIZE: Takes = Takes::Size { zero: false, most: Most::Bits32 };
pub(crate) const PAYLOADS: Takes = list(&PACKET_SIZE, 0, ENDLESS);
pub(crate) const CODE_POINT: Takes = Takes::CodePoint;
pub(crate) const CODE_POINTS: Takes = Takes::List { of: &CODE_POINT, least: 0, most: ENDLESS, bare: true };
pub(crate) const TREATMENT: Takes = Takes::Treatment;
pub(crate) const COUNT: Takes = whole(1, U32);
pub(crate) const COUNT_OR_NONE: Takes = whole(0, U32);
pub(crate) const COUNTS: Takes = list(&whole(1, I64), 0, ENDLESS);
pub(crate) const TURN_WEIGHTS: Takes = list(&COUNT, 1, ENDLESS);
pub(crate) const FLOW_COUNT: Takes = whole(1, 1 << 22);
pub(crate) const QUEUE_COUNT: Takes = whole(1, 1 << 16);
pub(crate) const WINDOW: Takes = whole(1, MOST_SAMPLES);
pub(crate) const WEIGHTS: Takes = whole(1, 63);
pub(crate) const DIFFERENCES: Takes = whole(0, 2);
pub(crate) const ORDER_OF: Takes = whole(0, MOST_COEFFICIENTS as u64);
pub(crate) const LEVEL: Takes = Takes::Level(ANY);
pub(crate) const AMOUNT: Takes = Takes::Level(AT_LEAST_0);
pub(crate) const AMOUNTS: Takes = list(&AMOUNT, 1, MOST_CHOICES);
pub(crate) const CHOICE_WEIGHTS: Takes = list(&NOT_NEGATIVE, 1, MOST_CHOICES);
pub(crate) const NUMBERS: Takes = list(&REAL, 0, MOST_COEFFICIENTS);
pub(crate) const REAL: Takes = Takes::Real(ANY);
pub(crate) const POSITIVE: Takes = Takes::Real(range(0.0, false, INFINITY, false, "a number above 0"));
pub(crate) const NOT_NEGATIVE: Takes = Takes::Real(AT_LEAST_0);
pub(crate) const PROBABILITY: Takes = Takes::Real(range(0.0, true, 1.0, true, "a number from 0 to 1"));
pub(crate) const SHARE: Takes = Takes::Real(range(0.0, false, 1.0, true, "a number above 0, at most 1"));
pub(crate) const RISK: Takes = Takes::Real(range(1e-6, true, 0.2, true, "a share from 0.000001 to 0.2"));
pub(crate) const PART: Takes = Takes::Real(range(0.0, false, 1.0, false, "a number between 0 and 1"));
pub(crate) const PART_OR_ZERO: Takes =
    Takes::Real(range(0.0, true, 1.0, false, "a number from 0 to below 1"));
pub(crate) const TAIL_EXPONENT: Takes = Takes::Real(range(1.0, false, INFINITY, false, "a number above 1"));
pub(crate) const FLAG: Takes = Takes::Flag;
pub(crate) const TEXT: Takes = Takes::Text;
pub(crate) const NAME: Takes = Takes::Name;
pub(crate) const NAME_PAIR: Takes = list(&NAME, 2, 2);
pub(crate) const NAMES: Takes = Takes::List { of: &NAME, least: 0, most: ENDLESS, bare: true };
pub(crate) const VALUES: Takes = Takes::Values;
pub(crate) const WRITES: Takes = Takes::Writes;
