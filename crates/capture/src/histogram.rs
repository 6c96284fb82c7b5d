//! Quantiles of round trips in little memory: counts in buckets whose bounds grow by 1 %, so that a quantile is within
//! 0.5 % of the true one.

/// Growth of the buckets' bounds.
const GROWTH: f64 = 1.01;

/// Counts of durations.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// Buckets that hold something, in order.
    buckets: Vec<(u16, u32)>,
    count: u64,
    sum: i128,
    least: i64,
    most: i64,
}

impl Histogram {
    /// Takes in a duration, in nanoseconds.
    pub fn add(&mut self, duration: i64) {
        let bucket = (libm::log(duration.max(1) as f64) / libm::log(GROWTH)).floor() as u16;
        match self.buckets.binary_search_by_key(&bucket, |each| each.0) {
            Ok(at) => self.buckets[at].1 = self.buckets[at].1.saturating_add(1),
            Err(at) => self.buckets.insert(at, (bucket, 1)),
        }
        self.least = if self.count == 0 { duration } else { self.least.min(duration) };
        self.most = if self.count == 0 { duration } else { self.most.max(duration) };
        self.count += 1;
        self.sum += i128::from(duration);
    }

    /// Number of durations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The least one.
    pub fn least(&self) -> Option<i64> {
        (self.count > 0).then_some(self.least)
    }

    /// The largest one.
    pub fn most(&self) -> Option<i64> {
        (self.count > 0).then_some(self.most)
    }

    /// Their mean.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The quantile `at`, between 0 and 1.
    pub fn quantile(&self, at: f64) -> Option<f64> {
        let rank = ((at * self.count as f64) as u64).min(self.count.checked_sub(1)?);
        let mut below = 0;
        for (bucket, count) in &self.buckets {
            below += u64::from(*count);
            if below > rank {
                let middle = libm::pow(GROWTH, f64::from(*bucket) + 0.5);
                return Some(middle.clamp(self.least as f64, self.most as f64));
            }
        }
        Some(self.most as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    #[test]
    fn a_quantile_is_within_half_a_percent() {
        let mut histogram = Histogram::default();
        for millis in 1..=1000_i64 {
            histogram.add(millis * 1_000_000);
        }
        for (at, exact) in [(0.5, 501e6), (0.95, 951e6)] {
            let found = histogram.quantile(at).unwrap();
            assert!((found / exact - 1.0).abs() < 0.006, "{at}: {found}");
        }
        assert_eq!(histogram.least(), Some(1_000_000));
        assert_eq!(Histogram::default().quantile(0.5), None);
    }
}
