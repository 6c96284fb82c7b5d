//! Median filter with the median absolute deviation.

use super::config::check_multiplier;
use super::RtoEstimator;
use crate::error::ConfigError;
use crate::mad::SlidingMad;
use crate::sample::is_rtt;

/// srtt is the median of the last samples, rttvar the median of their distances from it.
///
/// The second reading of Chan and Leis; see [`super::MedianRto`]. One sample has no deviation, so after the
/// first, `R`, rttvar is `R / 2` as in RFC 6298, section 2.2. From the second on nothing outlives the window.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MedianMadRto {
    window: SlidingMad,
    multiplier: f64,
    rttvar: Option<f64>,
}

impl MedianMadRto {
    /// A window of at least 1 sample, a multiplier that is not negative.
    pub fn new(window: u32, multiplier: f64) -> Result<Self, ConfigError> {
        check_multiplier(multiplier)?;
        Ok(MedianMadRto { window: SlidingMad::new(window)?, multiplier, rttvar: None })
    }
}

impl RtoEstimator for MedianMadRto {
    #[inline]
    fn on_sample(&mut self, rtt_s: f64) {
        if !is_rtt(rtt_s) {
            return;
        }
        self.window.update(rtt_s);
        self.rttvar = match self.rttvar {
            None => Some(rtt_s / 2.0),
            Some(_) => self.window.value(),
        };
    }

    #[inline]
    fn srtt(&self) -> Option<f64> {
        self.window.median()
    }

    #[inline]
    fn rttvar(&self) -> Option<f64> {
        self.rttvar
    }

    #[inline]
    fn base_rto(&self) -> Option<f64> {
        Some(self.srtt()? + self.multiplier * self.rttvar?)
    }

    fn reset(&mut self) {
        self.window.reset();
        self.rttvar = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn median(xs: &[f64]) -> f64 {
        let mut sorted = xs.to_vec();
        sorted.sort_by(f64::total_cmp);
        (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
    }

    proptest! {
        #[test]
        fn equals_its_definition_at_every_prefix(
            k in 1u32..12,
            multiplier in 0.0..8.0f64,
            rtts in prop::collection::vec(0.0..10.0f64, 2..80),
        ) {
            let mut filter = MedianMadRto::new(k, multiplier).unwrap();
            filter.on_sample(rtts[0]);
            prop_assert_eq!((filter.srtt(), filter.rttvar()), (Some(rtts[0]), Some(rtts[0] / 2.0)));
            for n in 2..=rtts.len() {
                filter.on_sample(rtts[n - 1]);
                let window = &rtts[n.saturating_sub(k as usize)..n];
                let srtt = median(window);
                let rttvar = median(&window.iter().map(|rtt| (rtt - srtt).abs()).collect::<Vec<_>>());
                prop_assert_eq!((filter.srtt(), filter.rttvar()), (Some(srtt), Some(rttvar)));
                prop_assert_eq!(filter.base_rto(), Some(srtt + multiplier * rttvar));
            }
        }
    }

    #[test]
    fn worked_by_hand() {
        let mut filter = MedianMadRto::new(3, 4.0).unwrap();
        assert_eq!((filter.srtt(), filter.rttvar(), filter.base_rto()), (None, None, None));
        let mut after = |rtt| {
            filter.on_sample(rtt);
            (filter.srtt().unwrap(), filter.rttvar().unwrap(), filter.base_rto().unwrap())
        };
        assert_eq!(after(1.0), (1.0, 0.5, 3.0));
        assert_eq!(after(3.0), (2.0, 1.0, 6.0));
        // Distances of 1, 3, 1 from 1: 0, 2, 0.
        assert_eq!(after(1.0), (1.0, 0.0, 1.0));
        // Distances of 3, 1, 9 from 3: 0, 2, 6.
        assert_eq!(after(9.0), (3.0, 2.0, 11.0));
        // From a full window on, an impulse is gone once the window is: 1, 9, 1 and then 9, 1, 1.
        assert_eq!(after(1.0), (1.0, 0.0, 1.0));
    }

    #[test]
    fn a_reset_filter_gives_the_first_sample_its_rule_again() {
        let mut filter = MedianMadRto::new(3, 4.0).unwrap();
        [1.0, 2.0, f64::NAN, -1.0].into_iter().for_each(|rtt| filter.on_sample(rtt));
        assert_eq!(filter.srtt(), Some(1.5));
        filter.reset();
        assert_eq!((filter.srtt(), filter.rttvar()), (None, None));
        filter.on_sample(8.0);
        assert_eq!(filter.base_rto(), Some(24.0));
    }
}
