//! Exponentially weighted moving average.

use crate::error::ConfigError;
use crate::sample::is_finite;

/// The mean with exponentially fading memory: `v += gain * (x - v)`, and the first sample as it is.
///
/// After samples `x[0] ..= x[n]` the value is `(1-g)^n x[0] + sum over i = 1 ..= n of g (1-g)^(n-i) x[i]`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ewma {
    gain: f64,
    value: Option<f64>,
}

impl Ewma {
    /// `gain` is the weight of the newest sample: above 0, at most 1.
    pub fn new(gain: f64) -> Result<Self, ConfigError> {
        check_gain("gain", gain)?;
        Ok(Ewma { gain, value: None })
    }

    /// Takes in a sample; one that is not finite is left out.
    #[inline]
    pub fn update(&mut self, x: f64) {
        if is_finite(x) {
            self.value = Some(self.value.map_or(x, |v| average(v, x, self.gain)));
        }
    }

    /// The average so far; `None` before the first sample.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        self.value
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        self.value = None;
    }
}

/// One step of the filter from `v` to `x`, for any finite numbers.
#[inline]
fn average(v: f64, x: f64, gain: f64) -> f64 {
    let next = toward(v, x, gain);
    if next.is_finite() {
        next
    } else {
        // The difference of two huge numbers of opposite sign overflows; their weighted sum does not.
        (1.0 - gain) * v + gain * x
    }
}

/// One step of the filter from `v` to `x`, both round-trip times or both deviations.
#[inline]
pub(crate) fn toward(v: f64, x: f64, gain: f64) -> f64 {
    v + gain * (x - v)
}

/// One step of the filter for a deviation, which is never negative.
///
/// When the samples stop varying the deviation halves every few steps until it is subnormal, where some
/// processors need a hundred cycles an operation. There it becomes 0 instead.
#[inline]
pub(crate) fn deviation_toward(v: f64, deviation: f64, gain: f64) -> f64 {
    let next = toward(v, deviation, gain);
    if next < f64::MIN_POSITIVE {
        0.0
    } else {
        next
    }
}

/// A gain lies in (0, 1].
pub(crate) fn check_gain(field: &'static str, gain: f64) -> Result<(), ConfigError> {
    ConfigError::unless(gain > 0.0 && gain <= 1.0, field, gain, "a number above 0 and at most 1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sum in the documentation of [`Ewma`].
    fn closed_form(gain: f64, xs: &[f64]) -> f64 {
        let keep = 1.0 - gain;
        let n = xs.len() - 1;
        let first = keep.powi(n as i32) * xs[0];
        first + (1..=n).map(|i| gain * keep.powi((n - i) as i32) * xs[i]).sum::<f64>()
    }

    proptest! {
        #[test]
        fn equals_its_closed_form_at_every_prefix(
            gain in 0.01..=1.0f64,
            xs in prop::collection::vec(-1e3..1e3f64, 1..80),
        ) {
            let mut ewma = Ewma::new(gain).unwrap();
            for n in 0..xs.len() {
                ewma.update(xs[n]);
                let expected = closed_form(gain, &xs[..=n]);
                prop_assert!((ewma.value().unwrap() - expected).abs() <= 1e-9);
            }
        }
    }

    #[test]
    fn settles_on_a_constant_from_above_and_below() {
        for gain in [1.0 / 64.0, 0.125, 0.25, 1.0] {
            for start in [0.001, 500.0] {
                let mut ewma = Ewma::new(gain).unwrap();
                ewma.update(start);
                (0..20_000).for_each(|_| ewma.update(0.1));
                // A step is lost when gain * |x - v| is below half a unit in the last place of v.
                let bound = 0.1 * f64::EPSILON / gain;
                assert!((ewma.value().unwrap() - 0.1).abs() <= bound, "gain {gain} from {start}");
            }
        }
    }

    #[test]
    fn a_deviation_never_ends_up_subnormal() {
        let mut deviation = 1.0;
        (0..10_000).for_each(|_| deviation = deviation_toward(deviation, 0.0, 0.25));
        assert_eq!(deviation, 0.0);
    }

    #[test]
    fn no_value_before_the_first_sample_and_zeros_are_values() {
        let mut ewma = Ewma::new(0.5).unwrap();
        assert_eq!(ewma.value(), None);
        ewma.update(f64::NAN);
        ewma.update(f64::NEG_INFINITY);
        assert_eq!(ewma.value(), None);
        ewma.update(0.0);
        assert_eq!(ewma.value(), Some(0.0));
        ewma.update(1.0);
        assert_eq!(ewma.value(), Some(0.5));
        ewma.reset();
        assert_eq!(ewma, Ewma::new(0.5).unwrap());
    }

    #[test]
    fn huge_samples_of_opposite_sign_leave_it_finite() {
        for gain in [0.1, 0.5, 1.0] {
            let mut ewma = Ewma::new(gain).unwrap();
            for x in [f64::MAX, -f64::MAX, f64::MAX] {
                ewma.update(x);
                assert!(ewma.value().unwrap().is_finite());
            }
        }
    }

    #[test]
    fn refuses_a_gain_outside_its_range() {
        for gain in [0.0, -0.1, 1.1, f64::NAN] {
            assert_eq!(Ewma::new(gain).unwrap_err().field, "gain");
        }
    }
}
