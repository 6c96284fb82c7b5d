//! Jacobson and Karels' estimator: exponentially weighted mean and mean deviation (RFC 6298, section 2).

use super::config::check_multiplier;
use super::RtoEstimator;
use crate::error::ConfigError;
use crate::ewma::{check_gain, deviation_toward, toward};
use crate::sample::is_rtt;

/// The estimator of RFC 6298, section 2, in floating point.
///
/// First sample `R`: `srtt = R`, `rttvar = R / 2`. Then, with the old srtt in both,
/// `rttvar += deviation_gain (|R - srtt| - rttvar)` and `srtt += gain (R - srtt)`.
///
/// V. Jacobson, "Congestion avoidance and control", SIGCOMM 1988.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Jacobson {
    gain: f64,
    deviation_gain: f64,
    multiplier: f64,
    /// Negative before the first sample.
    estimate: Estimate,
}

/// srtt and rttvar, which appear together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Estimate {
    pub srtt: f64,
    pub rttvar: f64,
}

impl Estimate {
    /// No sample yet.
    pub const NONE: Estimate = Estimate { srtt: -1.0, rttvar: -1.0 };

    /// The estimate, if there is one.
    #[inline]
    pub fn known(self) -> Option<Self> {
        (self.srtt >= 0.0).then_some(self)
    }

    /// State after the first sample (RFC 6298, section 2.2).
    #[inline]
    pub fn first(rtt_s: f64) -> Self {
        // [RFC 6298 2.2-a]
        Estimate { srtt: rtt_s, rttvar: rtt_s / 2.0 }
    }
}

impl Default for Jacobson {
    /// RFC 6298: gains of 1/8 and 1/4, four deviations.
    fn default() -> Self {
        // [RFC 6298 2.3-c]
        Jacobson { gain: 0.125, deviation_gain: 0.25, multiplier: 4.0, estimate: Estimate::NONE }
    }
}

impl Jacobson {
    /// Gains lie in (0, 1]; the multiplier is not negative.
    pub fn new(gain: f64, deviation_gain: f64, multiplier: f64) -> Result<Self, ConfigError> {
        Self::check(gain, deviation_gain, multiplier)?;
        Ok(Jacobson { gain, deviation_gain, multiplier, estimate: Estimate::NONE })
    }

    pub(super) fn check(gain: f64, deviation_gain: f64, multiplier: f64) -> Result<(), ConfigError> {
        check_gain("gain", gain)?;
        check_gain("deviation_gain", deviation_gain)?;
        check_multiplier(multiplier)
    }
}

impl RtoEstimator for Jacobson {
    #[inline]
    fn on_sample(&mut self, rtt_s: f64) {
        if !is_rtt(rtt_s) {
            return;
        }
        // [RFC 6298 2.3-a] [RFC 6298 2.3-b]
        self.estimate = self.estimate.known().map_or(Estimate::first(rtt_s), |old| Estimate {
            srtt: toward(old.srtt, rtt_s, self.gain),
            rttvar: deviation_toward(old.rttvar, (rtt_s - old.srtt).abs(), self.deviation_gain),
        });
    }

    #[inline]
    fn srtt(&self) -> Option<f64> {
        self.estimate.known().map(|e| e.srtt)
    }

    #[inline]
    fn rttvar(&self) -> Option<f64> {
        self.estimate.known().map(|e| e.rttvar)
    }

    #[inline]
    fn base_rto(&self) -> Option<f64> {
        // [RFC 6298 2.3-d]
        self.estimate.known().map(|e| e.srtt + self.multiplier * e.rttvar)
    }

    fn reset(&mut self) {
        self.estimate = Estimate::NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rfc() -> Jacobson {
        Jacobson::new(0.125, 0.25, 4.0).unwrap()
    }

    /// RFC 6298, sections 2.2 and 2.3, as printed.
    fn as_printed(rtts: &[f64]) -> (f64, f64) {
        let (alpha, beta) = (1.0 / 8.0, 1.0 / 4.0);
        let (mut srtt, mut rttvar) = (rtts[0], rtts[0] / 2.0);
        for r in &rtts[1..] {
            rttvar = (1.0 - beta) * rttvar + beta * (srtt - r).abs();
            srtt = (1.0 - alpha) * srtt + alpha * r;
        }
        (srtt, rttvar)
    }

    proptest! {
        #[test]
        fn equals_the_rfc_at_every_prefix(rtts in prop::collection::vec(0.0..10.0f64, 1..100)) {
            let mut filter = rfc();
            for n in 0..rtts.len() {
                filter.on_sample(rtts[n]);
                let (srtt, rttvar) = as_printed(&rtts[..=n]);
                prop_assert!((filter.srtt().unwrap() - srtt).abs() <= 1e-12);
                prop_assert!((filter.rttvar().unwrap() - rttvar).abs() <= 1e-12);
                prop_assert!((filter.base_rto().unwrap() - (srtt + 4.0 * rttvar)).abs() <= 1e-11);
            }
        }
    }

    #[test]
    // [RFC 6298 2.2-a] [RFC 6298 2.3-a] [RFC 6298 2.3-b] [RFC 6298 2.3-c] [RFC 6298 2.3-d]
    fn worked_by_hand() {
        let mut filter = rfc();
        assert_eq!((filter.srtt(), filter.rttvar(), filter.base_rto()), (None, None, None));
        filter.on_sample(1.0);
        assert_eq!((filter.srtt(), filter.rttvar(), filter.base_rto()), (Some(1.0), Some(0.5), Some(3.0)));
        // rttvar = 3/4 * 1/2 + 1/4 * |2 - 1| = 5/8, srtt = 7/8 * 1 + 1/8 * 2 = 9/8.
        filter.on_sample(2.0);
        assert_eq!((filter.srtt(), filter.rttvar()), (Some(1.125), Some(0.625)));
        assert_eq!(filter.base_rto(), Some(3.625));
        // rttvar = 3/4 * 5/8 + 1/4 * |1/2 - 9/8| = 5/8, srtt = 7/8 * 9/8 + 1/8 * 1/2 = 67/64.
        filter.on_sample(0.5);
        assert_eq!((filter.srtt(), filter.rttvar()), (Some(67.0 / 64.0), Some(0.625)));
    }

    #[test]
    fn settles_on_a_constant_from_above_and_below() {
        for start in [0.001, 0.5, 500.0] {
            let mut filter = rfc();
            filter.on_sample(start);
            (0..5_000).for_each(|_| filter.on_sample(0.1));
            // An update is lost when gain |R - srtt| is less than half a unit in the last place of srtt.
            let bound = 0.1 * f64::EPSILON / 0.125;
            assert!((filter.srtt().unwrap() - 0.1).abs() <= bound, "from {start}");
            assert!(filter.rttvar().unwrap() <= bound, "from {start}");
        }
    }

    #[test]
    fn leaves_out_what_is_no_round_trip_time() {
        let mut filter = rfc();
        filter.on_sample(0.25);
        let before = filter.clone();
        [f64::NAN, f64::INFINITY, -0.1].into_iter().for_each(|rtt| filter.on_sample(rtt));
        assert_eq!(filter, before);
        filter.reset();
        assert_eq!(filter, rfc());
    }

    #[test]
    fn huge_samples_leave_it_without_nan() {
        let mut filter = rfc();
        for rtt in [f64::MAX, 0.0, f64::MAX, f64::MAX] {
            filter.on_sample(rtt);
            assert!(filter.srtt().unwrap().is_finite() && filter.rttvar().unwrap().is_finite());
            assert!(filter.base_rto().unwrap() > 0.0);
        }
    }
}
