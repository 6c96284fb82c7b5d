//! From a port's cumulative counters to samples.

use core::fmt;

use super::sample::Sample;

/// Cumulative counts of packets, and the queue length, as read from a port.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CounterReading {
    /// Queue length, as in [`Sample`].
    pub backlog: f64,
    /// Packets that have arrived so far.
    pub arrivals: u64,
    /// Packets that the queue has dropped so far.
    pub drops: u64,
    /// Packets that the queue has marked so far.
    pub marks: u64,
}

/// Number of bits of a counter, after which it starts again from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 0 to 2^32 - 1.
    Bits32,
    /// 0 to 2^64 - 1.
    Bits64,
}

/// A counter that did not count up: it was reset, or the reading is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterFault {
    /// Name of the counter.
    pub field: &'static str,
    /// Earlier reading.
    pub before: u64,
    /// Present reading.
    pub now: u64,
}

/// Differences of consecutive readings.
///
/// A counter that wrapped is told from one that went back by what it would have counted: nothing counts more than
/// `most` packets between two readings, so a greater difference modulo the counter's range is a fault. After a
/// fault the next difference is from the faulty reading on: a counter that was reset costs one sample.
///
/// # Examples
///
/// ```
/// use parshall_estimators::nonresponsive::{CounterReading, Counters, Width};
///
/// let mut counters = Counters::new(Width::Bits32, 1_000_000);
/// let reading = |arrivals| CounterReading { backlog: 3.0, arrivals, ..CounterReading::default() };
/// assert_eq!(counters.read(&reading(u64::from(u32::MAX) - 9)), Ok(None));
/// assert_eq!(counters.read(&reading(90)).unwrap().unwrap().arrivals, 100.0);
/// assert_eq!(counters.read(&reading(10)).unwrap_err().field, "arrivals");
/// ```
#[derive(Clone, Debug)]
pub struct Counters {
    width: Width,
    most: u64,
    before: Option<CounterReading>,
}

impl Counters {
    /// Counters of `width` that count at most `most` packets between two readings. Less than half of the range
    /// is taken for `most` in any case.
    pub fn new(width: Width, most: u64) -> Counters {
        let half = match width {
            Width::Bits32 => 1 << 31,
            Width::Bits64 => 1 << 63,
        };
        Counters { width, most: most.min(half - 1), before: None }
    }

    /// The sample between the reading before and this one; `None` at the first reading.
    pub fn read(&mut self, reading: &CounterReading) -> Result<Option<Sample>, CounterFault> {
        let Some(before) = self.before.replace(*reading) else { return Ok(None) };
        Ok(Some(Sample {
            backlog: reading.backlog,
            arrivals: self.difference("arrivals", before.arrivals, reading.arrivals)?,
            drops: self.difference("drops", before.drops, reading.drops)?,
            marks: self.difference("marks", before.marks, reading.marks)?,
        }))
    }

    fn difference(&self, field: &'static str, before: u64, now: u64) -> Result<f64, CounterFault> {
        let counted = match self.width {
            Width::Bits32 => u32::try_from(before)
                .and_then(|before| Ok(u64::from(u32::try_from(now)?.wrapping_sub(before))))
                .unwrap_or(u64::MAX),
            Width::Bits64 => now.wrapping_sub(before),
        };
        if counted <= self.most {
            Ok(counted as f64)
        } else {
            Err(CounterFault { field, before, now })
        }
    }
}

impl fmt::Display for CounterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: got {} after {}, expected a counter that counts up", self.field, self.now, self.before)
    }
}

impl core::error::Error for CounterFault {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reading(arrivals: u64, drops: u64, marks: u64) -> CounterReading {
        CounterReading { backlog: 2.5, arrivals, drops, marks }
    }

    proptest! {
        #[test]
        fn differences_are_the_counts_across_any_wrap(
            start in any::<u32>(), counts in prop::collection::vec((0u32..1000, 0u32..10), 1..50),
        ) {
            for (width, base) in [(Width::Bits32, 0), (Width::Bits64, u64::MAX - 5000)] {
                let mut counters = Counters::new(width, 1_000_000);
                let wrap = |x: u64| if width == Width::Bits32 { x & 0xFFFF_FFFF } else { x };
                let mut arrivals = base.wrapping_add(u64::from(start));
                prop_assert_eq!(counters.read(&reading(wrap(arrivals), 0, 0)), Ok(None));
                for (count, _) in &counts {
                    arrivals = arrivals.wrapping_add(u64::from(*count));
                    let sample = counters.read(&reading(wrap(arrivals), 0, 0)).unwrap().unwrap();
                    prop_assert_eq!(sample.arrivals, f64::from(*count));
                    prop_assert_eq!((sample.backlog, sample.drops), (2.5, 0.0));
                }
            }
        }
    }

    #[test]
    fn a_counter_that_went_back_costs_one_sample() {
        let mut counters = Counters::new(Width::Bits64, u64::MAX);
        counters.read(&reading(100, 10, 1)).unwrap();
        let fault = counters.read(&reading(200, 5, 2)).unwrap_err();
        assert_eq!(fault.to_string(), "drops: got 5 after 10, expected a counter that counts up");
        let sample = counters.read(&reading(300, 6, 4)).unwrap().unwrap();
        assert_eq!((sample.arrivals, sample.drops, sample.marks), (100.0, 1.0, 2.0));
    }

    #[test]
    fn a_reset_of_a_large_counter_is_no_wrap() {
        let mut counters = Counters::new(Width::Bits32, 100_000);
        counters.read(&reading(4_000_000_000, 0, 0)).unwrap();
        assert_eq!(counters.read(&reading(3, 0, 0)).unwrap_err().field, "arrivals");
        // A reading that does not fit into the counter cannot be one of its values.
        assert_eq!(counters.read(&reading(1 << 40, 0, 0)).unwrap_err().now, 1 << 40);
    }
}
