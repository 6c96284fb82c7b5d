//! Warnings about fitted coefficients: roots near the unit circle, and roots that cancel.

use super::{ar_is_stationary, ma_is_invertible, MAX_ORDER};
use crate::math::{powi, sqrt};

/// Roots within this share of the unit circle are flagged.
const NEAR: f64 = 1.002;

/// A root of phi and one of theta, both turned inside the unit circle, nearly cancel if they are closer than this over the
/// square root of the number of samples, which is about what can be told apart ...
const CANCELLING: f64 = 2.0;

/// ... and closer than this.
const CANCELLING_AT_MOST: f64 = 0.1;

/// Warnings of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FitFlags {
    /// phi has a root within 0.2 % of the unit circle: the series wants to be differenced once more.
    pub ar_near_unit_root: bool,
    /// theta has a root within 0.2 % of the unit circle: the series was differenced once too often, or is nearly constant
    /// but for noise. A recursion that begins with an error of 0 never forgets it.
    pub ma_near_unit_root: bool,
    /// A root of phi and one of theta nearly cancel: other coefficients fit as well, and one less of each would do.
    pub nearly_cancelling: bool,
}

impl FitFlags {
    /// The flags of a model that was fitted to so many samples.
    pub fn of(ar: &[f64], ma: &[f64], count: usize) -> Self {
        FitFlags {
            ar_near_unit_root: !ar_is_stationary(&stretched(ar)[..ar.len()]),
            ma_near_unit_root: !ma_is_invertible(&stretched(ma)[..ma.len()]),
            nearly_cancelling: nearly_cancel(
                ar,
                ma,
                (CANCELLING / sqrt(count as f64)).min(CANCELLING_AT_MOST),
            ),
        }
    }
}

/// The polynomial whose roots are the same but nearer to 0 by [`NEAR`].
fn stretched(coefficients: &[f64]) -> [f64; MAX_ORDER] {
    let mut all = [0.0; MAX_ORDER];
    for (i, &coefficient) in coefficients.iter().enumerate() {
        all[i] = coefficient * powi(NEAR, i as i32 + 1);
    }
    all
}

fn nearly_cancel(ar: &[f64], ma: &[f64], distance: f64) -> bool {
    let mut turned = [0.0; MAX_ORDER];
    turned.iter_mut().zip(ma).for_each(|(place, theta)| *place = -theta);
    let (ours, theirs) = (inverse_roots(ar), inverse_roots(&turned[..ma.len()]));
    let close = |a: &Complex| theirs[..ma.len()].iter().any(|b| a.minus(*b).size() < distance);
    ours[..ar.len()].iter().any(close)
}

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn minus(self, other: Self) -> Self {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }

    fn times(self, other: Self) -> Self {
        let re = self.re * other.re - self.im * other.im;
        Complex { re, im: self.re * other.im + self.im * other.re }
    }

    fn over(self, other: Self) -> Self {
        let square = other.re * other.re + other.im * other.im;
        let product = self.times(Complex { re: other.re, im: -other.im });
        Complex { re: product.re / square, im: product.im / square }
    }

    fn size(self) -> f64 {
        libm::hypot(self.re, self.im)
    }
}

/// The roots of `z^n - a1 z^(n-1) - ... - an`, which are one over those of `1 - a1 z - ... - an z^n`, by Durand and Kerner's
/// simultaneous iteration.
fn inverse_roots(coefficients: &[f64]) -> [Complex; MAX_ORDER] {
    let n = coefficients.len();
    let mut roots = [Complex { re: 1.0, im: 0.0 }; MAX_ORDER];
    let spiral = Complex { re: 0.4, im: 0.9 };
    for i in 1..n {
        roots[i] = roots[i - 1].times(spiral);
    }
    for _ in 0..200 {
        let mut moved: f64 = 0.0;
        for i in 0..n {
            let mut value = Complex { re: 1.0, im: 0.0 };
            for &coefficient in coefficients {
                value = value.times(roots[i]);
                value.re -= coefficient;
            }
            let mut others = Complex { re: 1.0, im: 0.0 };
            for j in (0..n).filter(|&j| j != i) {
                others = others.times(roots[i].minus(roots[j]));
            }
            let step = value.over(others);
            if step.size().is_finite() {
                roots[i] = roots[i].minus(step);
                moved = moved.max(step.size());
            }
        }
        if moved < 1e-12 {
            break;
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_factors_has_their_roots() {
        // (z - 0.9)(z - 0.3)(z^2 + 0.25) = z^4 - 1.2 z^3 + 0.52 z^2 - 0.3 z + 0.0675
        let roots = inverse_roots(&[1.2, -0.52, 0.3, -0.0675]);
        for expected in [(0.9, 0.0), (0.3, 0.0), (0.0, 0.5), (0.0, -0.5)] {
            let expected = Complex { re: expected.0, im: expected.1 };
            assert!(roots[..4].iter().any(|root| root.minus(expected).size() < 1e-9), "{expected:?}");
        }
    }

    #[test]
    fn flags_name_what_is_near() {
        assert_eq!(FitFlags::of(&[0.5], &[0.3], 500), FitFlags::default());
        assert!(FitFlags::of(&[0.999], &[], 500).ar_near_unit_root);
        assert!(!FitFlags::of(&[0.99], &[], 500).ar_near_unit_root);
        assert!(FitFlags::of(&[], &[-0.9999], 500).ma_near_unit_root);
        assert!(FitFlags::of(&[0.5], &[-0.45], 500).nearly_cancelling);
        assert!(!FitFlags::of(&[0.5], &[-0.45], 50_000).nearly_cancelling);
        assert!(!FitFlags::of(&[0.5], &[0.45], 500).nearly_cancelling);
    }
}
