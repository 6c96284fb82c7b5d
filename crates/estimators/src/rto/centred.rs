//! Common parts of the filters that put another srtt in place of Jacobson's mean and keep his mean deviation.

use super::config::check_multiplier;
use super::jacobson::Estimate;
use super::RtoEstimator;
use crate::error::ConfigError;
use crate::ewma::{check_gain, deviation_toward};
use crate::sample::is_rtt;

/// Estimator of srtt.
pub trait Centre {
    /// Takes in a round-trip time and returns srtt after it.
    fn take(&mut self, rtt_s: f64) -> f64;

    /// Forgets everything but the parameters.
    fn reset(&mut self);
}

/// srtt of any kind; rttvar is `rttvar += deviation_gain (|R - srtt| - rttvar)` with the srtt before the sample `R`, and
/// `R / 2` after the first.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Centred<C> {
    pub(super) centre: C,
    deviation_gain: f64,
    multiplier: f64,
    estimate: Option<Estimate>,
}

impl<C> Centred<C> {
    pub(super) fn around(centre: C, deviation_gain: f64, multiplier: f64) -> Result<Self, ConfigError> {
        check(deviation_gain, multiplier)?;
        Ok(Centred { centre, deviation_gain, multiplier, estimate: None })
    }
}

/// A gain in (0, 1], a multiplier that is not negative.
pub(super) fn check(deviation_gain: f64, multiplier: f64) -> Result<(), ConfigError> {
    check_gain("deviation_gain", deviation_gain)?;
    check_multiplier(multiplier)
}

impl<C: Centre> RtoEstimator for Centred<C> {
    #[inline]
    fn on_sample(&mut self, rtt_s: f64) {
        if !is_rtt(rtt_s) {
            return;
        }
        let srtt = self.centre.take(rtt_s);
        let rttvar = match self.estimate {
            None => Estimate::first(rtt_s).rttvar,
            Some(old) => deviation_toward(old.rttvar, (rtt_s - old.srtt).abs(), self.deviation_gain),
        };
        self.estimate = Some(Estimate { srtt, rttvar });
    }

    #[inline]
    fn srtt(&self) -> Option<f64> {
        self.estimate.map(|e| e.srtt)
    }

    #[inline]
    fn rttvar(&self) -> Option<f64> {
        self.estimate.map(|e| e.rttvar)
    }

    #[inline]
    fn base_rto(&self) -> Option<f64> {
        self.estimate.map(|e| e.srtt + self.multiplier * e.rttvar)
    }

    fn reset(&mut self) {
        self.centre.reset();
        self.estimate = None;
    }
}
