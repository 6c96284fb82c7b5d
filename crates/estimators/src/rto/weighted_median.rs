//! Recursive weighted median.
//!
//! L. Ma, G. R. Arce and K. E. Barner, "TCP retransmission timeout algorithm using weighted medians", IEEE
//! Signal Processing Letters 11(6), 2004, DOI 10.1109/LSP.2004.827957. Equation numbers are the letter's.

use alloc::vec::Vec;

use super::config::check_multiplier;
use super::RtoEstimator;
use crate::error::ConfigError;
use crate::ewma::{deviation_toward, toward};
use crate::math::powi;
use crate::sample::is_rtt;
use crate::weighted_median::{RecursiveWeightedMedian, MAX_WEIGHTS};

/// srtt is a recursive weighted median; the RTO is srtt times a factor that grows with the relative deviation.
///
/// The weight of the `j`-th newest sample is `decay^(j-1)`, that of the last estimate `feedback` (4, 6). With the
/// mean `E[m]` of the samples and `zeta = E|m - E[m]| / E[m]` (8), the base RTO is
/// `(1 + multiplier zeta) srtt` (9, 10). In the terms of the other estimators rttvar is `zeta srtt`.
///
/// The letter leaves three points open. Ours are:
///
/// - "Accumulated statistics": the mean and the mean distance from the mean of the moment, over all samples, or
///   with `memory` = n exponentially fading with a gain of 1/n once n samples are in.
/// - "Set heuristically" before `window` samples exist: the median weighs those that do, and zeta is at least
///   1/2, which after the first sample is RFC 6298's `rttvar = R / 2`.
/// - Weights that tie: the mean of the middle two, as for any median.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WeightedMedianRto {
    filter: RecursiveWeightedMedian,
    multiplier: f64,
    window: u32,
    /// Samples so far, up to the most that change a gain.
    samples: u32,
    memory: u32,
    mean: f64,
    deviation: f64,
}

/// Relative deviation until the window is full.
const EARLY_ZETA: f64 = 0.5;

impl WeightedMedianRto {
    /// See [`super::RtoConfig::WeightedMedian`]. No weight may exceed the sum of all others once the window is
    /// full, or the filter would return its sample and nothing else.
    pub fn new(
        window: u32,
        decay: f64,
        feedback: f64,
        multiplier: f64,
        memory: Option<u32>,
    ) -> Result<Self, ConfigError> {
        Self::check(window, decay, feedback, multiplier, memory)?;
        Ok(WeightedMedianRto {
            filter: RecursiveWeightedMedian::new(feedback, &fading(window, decay))?,
            multiplier,
            window,
            samples: 0,
            memory: memory.unwrap_or(u32::MAX),
            mean: 0.0,
            deviation: 0.0,
        })
    }

    pub(super) fn check(
        window: u32,
        decay: f64,
        feedback: f64,
        multiplier: f64,
        memory: Option<u32>,
    ) -> Result<(), ConfigError> {
        ConfigError::unless(
            (1..=MAX_WEIGHTS as u32).contains(&window),
            "window",
            window,
            "a whole number from 1 to 63",
        )?;
        ConfigError::unless(decay > 0.0 && decay <= 1.0, "decay", decay, "a number above 0 and at most 1")?;
        check_multiplier(multiplier)?;
        ConfigError::unless(memory != Some(0), "memory", 0, "at least 1 sample, or none for all")?;
        check_no_majority(feedback, &fading(window, decay))
    }

    /// Updates `E[m]` and `E|m - E[m]|`.
    #[inline]
    fn accumulate(&mut self, rtt_s: f64) {
        self.samples = self.samples.saturating_add(1);
        let gain = 1.0 / f64::from(self.samples.min(self.memory));
        self.mean = toward(self.mean, rtt_s, gain);
        self.deviation = deviation_toward(self.deviation, (rtt_s - self.mean).abs(), gain);
    }

    /// Relative deviation of the samples.
    #[inline]
    fn zeta(&self) -> f64 {
        let zeta = if self.mean > 0.0 { self.deviation / self.mean } else { 0.0 };
        if self.samples < self.window {
            zeta.max(EARLY_ZETA)
        } else {
            zeta
        }
    }
}

/// The weights of the samples by lag (6).
fn fading(window: u32, decay: f64) -> Vec<f64> {
    (0..window as i32).map(|lag| powi(decay, lag)).collect()
}

/// The newest sample, whose weight of 1 is the greatest of the samples', and the estimate fed back must each
/// weigh no more than all the rest.
fn check_no_majority(feedback: f64, weights: &[f64]) -> Result<(), ConfigError> {
    let samples: f64 = weights.iter().sum();
    ConfigError::unless(
        feedback >= 0.0 && feedback <= samples,
        "feedback",
        feedback,
        "a weight of at least 0, and no more than all samples weigh together",
    )?;
    ConfigError::unless(
        weights[0] <= feedback + samples - weights[0],
        "feedback",
        feedback,
        "enough weight, with that of the older samples, to balance the newest sample's 1",
    )
}

impl RtoEstimator for WeightedMedianRto {
    #[inline]
    fn on_sample(&mut self, rtt_s: f64) {
        if is_rtt(rtt_s) {
            self.filter.update(rtt_s);
            self.accumulate(rtt_s);
        }
    }

    #[inline]
    fn srtt(&self) -> Option<f64> {
        self.filter.value()
    }

    #[inline]
    fn rttvar(&self) -> Option<f64> {
        self.srtt().map(|srtt| self.zeta() * srtt)
    }

    #[inline]
    fn base_rto(&self) -> Option<f64> {
        self.srtt().map(|srtt| (1.0 + self.multiplier * self.zeta()) * srtt)
    }

    fn reset(&mut self) {
        self.filter.reset();
        self.samples = 0;
        self.mean = 0.0;
        self.deviation = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn letter() -> WeightedMedianRto {
        WeightedMedianRto::new(5, 0.875, 0.5, 4.5, None).unwrap()
    }

    /// The estimates of the letter's equations (4) and (6) with its parameters, as medians of copies: 2 * 8^4
    /// copies stand for a weight of 1.
    fn estimates(rtts: &[f64]) -> Vec<f64> {
        const COPIES: [usize; 5] = [8192, 7168, 6272, 5488, 4802];
        let mut estimates = vec![rtts[0]];
        for n in 1..rtts.len() {
            let mut all = vec![estimates[n - 1]; 4096];
            for (rtt, copies) in rtts[..=n].iter().rev().zip(COPIES) {
                all.extend(std::iter::repeat_n(*rtt, copies));
            }
            all.sort_by(f64::total_cmp);
            estimates.push((all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0);
        }
        estimates
    }

    /// Mean, and mean distance of each sample from the mean up to and including it.
    fn statistics(rtts: &[f64]) -> (f64, f64) {
        let mean_to = |n: usize| rtts[..n].iter().sum::<f64>() / n as f64;
        let distances = (1..=rtts.len()).map(|n| (rtts[n - 1] - mean_to(n)).abs());
        (mean_to(rtts.len()), distances.sum::<f64>() / rtts.len() as f64)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn equals_the_letter_at_every_prefix(rtts in prop::collection::vec(0.01..10.0f64, 1..30)) {
            let mut filter = letter();
            for (n, srtt) in estimates(&rtts).into_iter().enumerate() {
                filter.on_sample(rtts[n]);
                prop_assert_eq!(filter.srtt(), Some(srtt), "after {}", n + 1);
                let (mean, distance) = statistics(&rtts[..=n]);
                let early = if n + 1 < 5 { 0.5 } else { 0.0 };
                let zeta = f64::max(distance / mean, early);
                let rto = (1.0 + 4.5 * zeta) * srtt;
                prop_assert!((filter.base_rto().unwrap() - rto).abs() <= 1e-9 * rto);
                prop_assert!((filter.rttvar().unwrap() - zeta * srtt).abs() <= 1e-9 * rto);
            }
        }
    }

    #[test]
    fn worked_by_hand() {
        let mut filter = letter();
        assert_eq!((filter.srtt(), filter.rttvar(), filter.base_rto()), (None, None, None));
        filter.on_sample(2.0);
        assert_eq!((filter.srtt(), filter.rttvar(), filter.base_rto()), (Some(2.0), Some(1.0), Some(6.5)));
        // 4 with weight 1; 2 with 7/8 and, fed back, 1/2: more than half of 19/8 is at 2.
        filter.on_sample(4.0);
        assert_eq!(filter.srtt(), Some(2.0));
        // 4 with 1 and 7/8; 2 with 49/64 and 1/2: more than half is at 4.
        filter.on_sample(4.0);
        assert_eq!(filter.srtt(), Some(4.0));
    }

    #[test]
    fn an_impulse_does_not_show_in_the_estimate() {
        let mut filter = letter();
        (0..20).for_each(|_| filter.on_sample(0.25));
        assert_eq!((filter.srtt(), filter.rttvar()), (Some(0.25), Some(0.0)));
        for rtt in [5.0, 5.0, 0.25, 0.25, 0.25] {
            filter.on_sample(rtt);
            assert_eq!(filter.srtt(), Some(0.25));
            assert!(filter.rttvar().unwrap() > 0.0);
        }
    }

    #[test]
    fn memory_lets_the_deviation_fade() {
        let rttvar_after_calm = |memory| {
            let mut filter = WeightedMedianRto::new(5, 0.875, 0.5, 4.5, memory).unwrap();
            (0..100).for_each(|i| filter.on_sample(if i % 2 == 0 { 0.1 } else { 0.3 }));
            (0..1000).for_each(|_| filter.on_sample(0.1));
            filter.rttvar().unwrap()
        };
        assert!(rttvar_after_calm(None) > 0.005);
        assert!(rttvar_after_calm(Some(20)) < 1e-9);
        assert_eq!(rttvar_after_calm(Some(2000)), rttvar_after_calm(None));
    }

    #[test]
    fn settles_on_a_constant_from_above_and_below() {
        for start in [0.001, 500.0] {
            let mut filter = WeightedMedianRto::new(5, 0.875, 0.5, 4.5, Some(100)).unwrap();
            filter.on_sample(start);
            (0..200_000).for_each(|_| filter.on_sample(0.1));
            assert_eq!(filter.srtt(), Some(0.1));
            // The mean stops within half a unit in its last place over the gain of 1/100.
            assert!(filter.rttvar().unwrap() <= 0.1 * f64::EPSILON * 100.0, "from {start}");
        }
    }

    #[test]
    fn a_reset_filter_is_a_fresh_one() {
        let (mut used, mut fresh) = (letter(), letter());
        [3.0, 1.0, f64::NAN, -2.0, 4.0].into_iter().for_each(|rtt| used.on_sample(rtt));
        used.reset();
        for rtt in [1.0, 5.0, 2.0, 0.0, 0.0, 0.0, 7.0] {
            assert_eq!(used.base_rto(), fresh.base_rto());
            used.on_sample(rtt);
            fresh.on_sample(rtt);
        }
    }

    #[test]
    fn zeros_are_round_trip_times() {
        let mut filter = letter();
        (0..9).for_each(|_| filter.on_sample(0.0));
        assert_eq!((filter.srtt(), filter.rttvar(), filter.base_rto()), (Some(0.0), Some(0.0), Some(0.0)));
    }

    #[test]
    fn refuses_parameters_that_make_no_median() {
        let field = |window, decay, feedback, multiplier, memory| {
            WeightedMedianRto::new(window, decay, feedback, multiplier, memory).unwrap_err().field
        };
        assert_eq!(field(0, 0.875, 0.5, 4.5, None), "window");
        assert_eq!(field(64, 0.875, 0.5, 4.5, None), "window");
        assert_eq!(field(5, 0.0, 0.5, 4.5, None), "decay");
        assert_eq!(field(5, 1.1, 0.5, 4.5, None), "decay");
        assert_eq!(field(5, 0.875, -0.5, 4.5, None), "feedback");
        assert_eq!(field(5, 0.875, f64::NAN, 4.5, None), "feedback");
        // More than all samples together, 1 + 1/2; less than it takes to balance the newest.
        assert_eq!(field(2, 0.5, 1.6, 4.5, None), "feedback");
        assert_eq!(field(2, 0.5, 0.4, 4.5, None), "feedback");
        assert_eq!(field(5, 0.875, 0.5, -1.0, None), "multiplier");
        assert_eq!(field(5, 0.875, 0.5, 4.5, Some(0)), "memory");
    }
}
