//! Quantiles of durations in little memory: counts in buckets whose bounds grow by 1 %, so that each duration is known
//! within 0.5 %. The least and the largest one are kept exactly.

/// Growth of the buckets' bounds.
const GROWTH: f64 = 1.01;

/// Its natural logarithm.
const LOG_GROWTH: f64 = 0.009_950_330_853_168_092;

/// A bucket's number and, in its lower bits, how many durations it holds. A full bucket has in front of it another of
/// its number.
#[derive(Clone, Copy, Debug)]
struct Bucket(u32);

/// Bits of a count.
const COUNT: u32 = 19;

impl Bucket {
    fn number(self) -> u32 {
        self.0 >> COUNT
    }

    fn count(self) -> u32 {
        self.0 & ((1 << COUNT) - 1)
    }
}

#[derive(Clone, Debug)]
struct Counts {
    /// Buckets that hold something, in order.
    buckets: Vec<Bucket>,
    count: u64,
    least: i64,
    most: i64,
}

/// Counts of durations. Takes no room before the first.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Option<Box<Counts>>,
}

impl Histogram {
    /// Takes in a duration, in nanoseconds.
    pub fn add(&mut self, duration: i64) {
        let number = (libm::log(duration.max(1) as f64) / LOG_GROWTH).floor() as u32;
        let counts = self.counts.get_or_insert_with(|| {
            Box::new(Counts { buckets: Vec::with_capacity(2), count: 0, least: duration, most: duration })
        });
        let at = counts.buckets.partition_point(|each| each.number() < number);
        match counts.buckets.get_mut(at) {
            Some(bucket) if bucket.number() == number && bucket.count() + 1 < 1 << COUNT => bucket.0 += 1,
            _ => counts.buckets.insert(at, Bucket(number << COUNT | 1)),
        }
        counts.least = counts.least.min(duration);
        counts.most = counts.most.max(duration);
        counts.count += 1;
    }

    /// Number of durations.
    pub fn count(&self) -> u64 {
        self.counts.as_ref().map_or(0, |counts| counts.count)
    }

    /// The least one.
    pub fn least(&self) -> Option<i64> {
        self.counts.as_ref().map(|counts| counts.least)
    }

    /// The largest one.
    pub fn most(&self) -> Option<i64> {
        self.counts.as_ref().map(|counts| counts.most)
    }

    /// The quantile `at`, between 0 and 1: of `n` durations in order, the one at `(n - 1) * at`, counted from 0, and between
    /// two neighbours on the line from one to the other. This is type 7 of Hyndman and Fan (1996), the default of NumPy and
    /// R. It is within 0.5 % of the quantile of the durations themselves.
    pub fn quantile(&self, at: f64) -> Option<f64> {
        let counts = self.counts.as_ref()?;
        let place = at.clamp(0.0, 1.0) * (counts.count - 1) as f64;
        let below = place.floor();
        let (lower, upper) = (counts.ordered(below as u64), counts.ordered(place.ceil() as u64));
        Some(lower + (place - below) * (upper - lower))
    }
}

impl Counts {
    /// The duration at a rank, counted from 0.
    fn ordered(&self, rank: u64) -> f64 {
        if rank == 0 {
            return self.least as f64;
        }
        if rank >= self.count - 1 {
            return self.most as f64;
        }
        let mut below = 0;
        for bucket in &self.buckets {
            below += u64::from(bucket.count());
            if below > rank {
                let middle = libm::pow(GROWTH, f64::from(bucket.number()) + 0.5);
                return middle.clamp(self.least as f64, self.most as f64);
            }
        }
        self.most as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{Histogram, COUNT, GROWTH, LOG_GROWTH};

    #[test]
    fn a_quantile_is_within_half_a_percent() {
        let mut histogram = Histogram::default();
        for millis in 1..=1000_i64 {
            histogram.add(millis * 1_000_000);
        }
        for (at, exact) in [(0.5, 500.5e6), (0.95, 950.05e6)] {
            let found = histogram.quantile(at).unwrap();
            assert!((found / exact - 1.0).abs() < 0.0051, "{at}: {found}");
        }
        assert_eq!(histogram.least(), Some(1_000_000));
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    #[test]
    fn quantiles_of_few_follow_the_rule_of_many() {
        for (number, at, exact) in [
            (1, 0.5, 10e6),
            (2, 0.5, 55e6),
            (2, 0.95, 95.5e6),
            (3, 0.5, 100e6),
            (3, 0.25, 55e6),
            (4, 0.5, 550e6),
            (4, 1.0, 10_000e6),
            (4, 0.0, 10e6),
        ] {
            let mut histogram = Histogram::default();
            for power in 0..number {
                histogram.add(10_i64.pow(7 + power));
            }
            let found = histogram.quantile(at).unwrap();
            assert!((found / exact - 1.0).abs() < 0.0051, "{at} of {number}: {found}");
        }
    }

    #[test]
    fn a_bucket_that_is_full_goes_on_in_another() {
        let mut histogram = Histogram::default();
        for _ in 0..3 << COUNT {
            histogram.add(1_000_000);
        }
        histogram.add(2_000_000);
        histogram.add(i64::MAX);
        histogram.add(i64::MIN);
        assert_eq!(histogram.count(), (3 << COUNT) + 3);
        assert!((histogram.quantile(0.9).unwrap() / 1e6 - 1.0).abs() < 0.005);
        assert_eq!((histogram.least(), histogram.most()), (Some(i64::MIN), Some(i64::MAX)));
    }

    #[test]
    fn the_logarithm_is_that_of_the_growth() {
        assert_eq!(LOG_GROWTH.to_bits(), libm::log(GROWTH).to_bits());
    }
}
