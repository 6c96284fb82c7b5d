//! Median filter: the median of the last samples takes the place of their exponentially weighted mean.

use super::centred::{self, Centre, Centred};
use crate::error::ConfigError;
use crate::median::SlidingMedian;
use crate::sorted_window::check_window;

/// srtt is the median of the last samples; rttvar stays an exponentially weighted mean deviation.
///
/// A. F. Chan and J. Leis, "Median filtering simulation of bursty traffic", which leaves the deviation open: this
/// is the first of two readings, [`super::MedianMadRto`] the second. As in Jacobson's filter a sample is
/// compared with the srtt before it: `rttvar += deviation_gain (|R - srtt| - rttvar)`. The first sample `R` gives
/// `srtt = R`, `rttvar = R / 2`; until the window is full, the median of what it holds counts.
pub type MedianRto = Centred<SlidingMedian>;

impl MedianRto {
    /// A window of at least 1 sample, a gain in (0, 1], a multiplier that is not negative.
    pub fn new(window: u32, deviation_gain: f64, multiplier: f64) -> Result<Self, ConfigError> {
        Self::check(window, deviation_gain, multiplier)?;
        Centred::around(SlidingMedian::new(window)?, deviation_gain, multiplier)
    }

    pub(super) fn check(window: u32, deviation_gain: f64, multiplier: f64) -> Result<(), ConfigError> {
        check_window("window", window)?;
        centred::check(deviation_gain, multiplier)
    }
}

impl Centre for SlidingMedian {
    #[inline]
    fn take(&mut self, rtt_s: f64) -> f64 {
        self.update(rtt_s);
        self.value().unwrap_or(rtt_s)
    }

    fn reset(&mut self) {
        SlidingMedian::reset(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::RtoEstimator;
    use proptest::prelude::*;

    /// srtt and rttvar from the definition, the whole series at a time.
    fn by_definition(k: usize, gain: f64, rtts: &[f64]) -> (f64, f64) {
        let median_of_last = |n: usize| {
            let mut window = rtts[n.saturating_sub(k)..n].to_vec();
            window.sort_by(f64::total_cmp);
            (window[(window.len() - 1) / 2] + window[window.len() / 2]) / 2.0
        };
        let step =
            |deviation: f64, n: usize| (1.0 - gain) * deviation + gain * (rtts[n] - median_of_last(n)).abs();
        (median_of_last(rtts.len()), (1..rtts.len()).fold(rtts[0] / 2.0, step))
    }

    proptest! {
        #[test]
        fn equals_its_definition_at_every_prefix(
            k in 1u32..12,
            gain in prop::sample::select(vec![0.05, 0.25, 1.0]),
            multiplier in 0.0..8.0f64,
            rtts in prop::collection::vec(0.0..10.0f64, 1..80),
        ) {
            let mut filter = MedianRto::new(k, gain, multiplier).unwrap();
            for n in 0..rtts.len() {
                filter.on_sample(rtts[n]);
                let (srtt, rttvar) = by_definition(k as usize, gain, &rtts[..=n]);
                prop_assert_eq!(filter.srtt(), Some(srtt));
                prop_assert!((filter.rttvar().unwrap() - rttvar).abs() <= 1e-12);
                let base = srtt + multiplier * rttvar;
                prop_assert!((filter.base_rto().unwrap() - base).abs() <= 1e-11);
            }
        }
    }

    #[test]
    fn worked_by_hand() {
        let mut filter = MedianRto::new(3, 0.25, 4.0).unwrap();
        assert_eq!((filter.srtt(), filter.rttvar(), filter.base_rto()), (None, None, None));
        let mut after = |rtt| {
            filter.on_sample(rtt);
            (filter.srtt().unwrap(), filter.rttvar().unwrap(), filter.base_rto().unwrap())
        };
        assert_eq!(after(1.0), (1.0, 0.5, 3.0));
        // 3/4 * 1/2 + 1/4 * |3 - 1|; median of 1 and 3.
        assert_eq!(after(3.0), (2.0, 0.875, 5.5));
        // 3/4 * 7/8 + 1/4 * |1 - 2|; median of 1, 3 and 1.
        assert_eq!(after(1.0), (1.0, 0.90625, 4.625));
        // An impulse does not move the median, but the deviation: 3/4 * 29/32 + 1/4 * 8.
        assert_eq!(after(9.0), (3.0, 2.6796875, 13.71875));
    }

    #[test]
    fn settles_on_a_constant_from_above_and_below() {
        for start in [0.001, 500.0] {
            let mut filter = MedianRto::new(5, 0.25, 4.0).unwrap();
            filter.on_sample(start);
            (0..3).for_each(|_| filter.on_sample(0.1));
            // The median has no memory beyond its window, and the deviation decays to nothing.
            assert_eq!(filter.srtt(), Some(0.1), "from {start}");
            (0..5_000).for_each(|_| filter.on_sample(0.1));
            assert_eq!((filter.srtt(), filter.rttvar()), (Some(0.1), Some(0.0)), "from {start}");
        }
    }
}
