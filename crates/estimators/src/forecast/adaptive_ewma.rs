//! An exponentially weighted mean whose gain follows how one-sided its errors are (Trigg and Leach 1967).
//!
//! With e the error of the forecast, E its exponentially weighted mean and M that of |e|, the gain is |E / M|: near 0 while
//! errors fall on either side, near 1 after a shift. As Shone (1967) proposes, the gain is that of the sample before, so that
//! a single outlier does not carry itself in.

use super::Forecaster;
use crate::error::ConfigError;
use crate::ewma::check_gain;
use crate::sample::is_finite;

/// Least gain, so that a series that was constant for long is still followed.
const LEAST_GAIN: f64 = 1.0 / 1024.0;

/// Forecasts a mean whose memory shortens when the series moves away.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AdaptiveEwma {
    smoothing: f64,
    level: Option<f64>,
    gain: f64,
    error: f64,
    size: f64,
}

impl AdaptiveEwma {
    /// `smoothing` is the weight of the newest error in E and M: above 0, at most 1. Trigg and Leach use 0.1 and 0.2.
    pub fn new(smoothing: f64) -> Result<Self, ConfigError> {
        check_gain("smoothing", smoothing)?;
        Ok(AdaptiveEwma { smoothing, level: None, gain: smoothing, error: 0.0, size: 0.0 })
    }

    /// The weight that the next sample will have.
    pub fn gain(&self) -> f64 {
        self.gain
    }
}

impl Forecaster for AdaptiveEwma {
    #[inline]
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        let Some(level) = self.level else {
            self.level = Some(x);
            return;
        };
        let error = x - level;
        let next = level + self.gain * error;
        self.error += self.smoothing * (error - self.error);
        self.size += self.smoothing * (error.abs() - self.size);
        // Samples near the limits of numbers overflow; the mean then starts anew.
        if !(next.is_finite() && self.error.is_finite() && self.size.is_finite()) {
            self.reset();
            self.level = Some(x);
            return;
        }
        self.level = Some(next);
        if self.size > f64::MIN_POSITIVE {
            self.gain = (self.error / self.size).abs().clamp(LEAST_GAIN, 1.0);
        }
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.level
    }

    fn reset(&mut self) {
        self.level = None;
        self.gain = self.smoothing;
        self.error = 0.0;
        self.size = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_shift_it_follows_within_ten_samples() {
        let mut adaptive = AdaptiveEwma::new(0.1).unwrap();
        (0..500).for_each(|t| adaptive.update(if t % 2 == 0 { 1.0 } else { 2.0 }));
        assert!(adaptive.gain() < 0.3, "{}", adaptive.gain());
        (0..4).for_each(|_| adaptive.update(20.0));
        assert!(adaptive.gain() > 0.8, "{}", adaptive.gain());
        (0..6).for_each(|_| adaptive.update(20.0));
        assert!((adaptive.forecast().unwrap() - 20.0).abs() < 1.0, "{:?}", adaptive.forecast());
    }

    #[test]
    fn the_gain_of_a_sample_is_known_before_it() {
        // By hand: level 0, then e = 1 with the gain 0.5, which makes E = M = 0.5 and the next gain 1.
        let mut adaptive = AdaptiveEwma::new(0.5).unwrap();
        adaptive.update(0.0);
        adaptive.update(1.0);
        assert_eq!((adaptive.forecast(), adaptive.gain()), (Some(0.5), 1.0));
        adaptive.update(-0.5);
        // e = -1: E = 0.5 + 0.5 (-1 - 0.5) = -0.25, M = 0.5 + 0.5 (1 - 0.5) = 0.75.
        assert_eq!((adaptive.forecast(), adaptive.gain()), (Some(-0.5), 0.25 / 0.75));
    }

    #[test]
    fn finite_samples_give_finite_forecasts() {
        let mut adaptive = AdaptiveEwma::new(0.2).unwrap();
        for x in [f64::MAX, -f64::MAX, f64::NAN, 0.0, f64::MAX, 1e-320, 0.0, 0.0] {
            adaptive.update(x);
            assert!(adaptive.forecast().unwrap().is_finite());
        }
    }
}
