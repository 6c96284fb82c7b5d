//! Autocorrelations and partial autocorrelations of a series (Box and Jenkins 1976, sections 2.1.4 and 3.2.5; Jeyasekar et al.
//! 2014, eqs. 12 and 13).
//!
//! These look at a whole series at once, and give vectors of lags, lag 0 first.

use alloc::vec;
use alloc::vec::Vec;

use crate::math::{sqrt, square};

/// Sample autocorrelations of lags 0 to `lags`: the mean is removed, and every sum is divided by the number of samples.
/// `None` if the series does not vary, or has no more than `lags` samples.
pub fn autocorrelations(xs: &[f64], lags: usize) -> Option<Vec<f64>> {
    if xs.len() <= lags {
        return None;
    }
    let largest = xs.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if !largest.is_finite() || largest == 0.0 {
        return None;
    }
    // Scaled, so that squares neither overflow nor vanish; centred twice, because the first mean is rounded.
    let mut centred: Vec<f64> = xs.iter().map(|x| x / largest).collect();
    for _ in 0..2 {
        let mean = centred.iter().sum::<f64>() / xs.len() as f64;
        centred.iter_mut().for_each(|x| *x -= mean);
    }
    let covariance = |lag: usize| -> f64 { centred[lag..].iter().zip(&centred).map(|(a, b)| a * b).sum() };
    let variance = covariance(0);
    let rounding = xs.len() as f64 * square(8.0 * f64::EPSILON);
    (variance > rounding).then(|| (0..=lags).map(|lag| covariance(lag) / variance).collect())
}

/// Partial autocorrelations from autocorrelations, by Levinson and Durbin's recursion. Once a value is determined by those
/// before it, the rest are 0.
pub fn partial_autocorrelations(acf: &[f64]) -> Vec<f64> {
    let mut partial = vec![0.0; acf.len()];
    if let Some(first) = partial.first_mut() {
        *first = 1.0;
    }
    let mut error = 1.0;
    let mut a: Vec<f64> = Vec::with_capacity(acf.len());
    for k in 0..acf.len().saturating_sub(1) {
        if error <= 1e-12 {
            break;
        }
        let known: f64 = a.iter().enumerate().map(|(i, weight)| weight * acf[k - i]).sum();
        let last = (acf[k + 1] - known) / error;
        let below = a.clone();
        a.iter_mut().enumerate().for_each(|(i, weight)| *weight -= last * below[k - 1 - i]);
        a.push(last);
        error *= 1.0 - last * last;
        partial[k + 1] = last;
    }
    partial
}

/// Standard errors of autocorrelations if those of this lag and beyond are 0 (Bartlett 1946): lag 0 has 0, lag 1
/// `1/sqrt(n)`.
pub fn bartlett_errors(acf: &[f64], n: usize) -> Vec<f64> {
    let mut sum = 1.0;
    let error = |(lag, r): (usize, &f64)| {
        if lag == 0 {
            return 0.0;
        }
        let error = sqrt(sum / n as f64);
        sum += 2.0 * r * r;
        error
    };
    acf.iter().enumerate().map(error).collect()
}

/// Ljung and Box's statistics (1978) of the first 1, 2 ... lags: `n (n + 2) sum r^2 / (n - k)`.
pub fn ljung_box(acf: &[f64], n: usize) -> Vec<f64> {
    let n = n as f64;
    let mut sum = 0.0;
    let statistic = |(lag, r): (usize, &f64)| {
        sum += r * r / (n - lag as f64);
        n * (n + 2.0) * sum
    };
    acf.iter().enumerate().skip(1).map(statistic).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Partial autocorrelations make an autoregression whose own autocorrelations are those given.
        #[test]
        fn partial_autocorrelations_are_the_last_coefficients(xs in prop::collection::vec(-1.0..1.0f64, 30..60)) {
            let acf = autocorrelations(&xs, 5).unwrap();
            let partial = partial_autocorrelations(&acf);
            let a = crate::arima::step_up(&partial[1..]);
            for lag in 1..=5 {
                let expected: f64 = (0..5).map(|i| a[i] * acf[(lag as i32 - 1 - i as i32).unsigned_abs() as usize]).sum();
                prop_assert!((acf[lag] - expected).abs() < 1e-9, "{lag}");
            }
        }
    }

    #[test]
    fn a_short_series_by_hand() {
        // 1 2 4 less their mean 7/3: -4/3 -1/3 5/3, squares 42/9, products 4/9 - 5/9 = -1/9 and -20/9.
        let acf = autocorrelations(&[1.0, 2.0, 4.0], 2).unwrap();
        for (r, expected) in acf.iter().zip([1.0, -1.0 / 42.0, -20.0 / 42.0]) {
            assert!((r - expected).abs() < 1e-15);
        }
        let q = ljung_box(&acf, 3);
        assert!((q[0] - 15.0 * (1.0_f64 / 42.0).powi(2) / 2.0).abs() < 1e-15);
        assert!((bartlett_errors(&acf, 3)[2] - ((1.0 + 2.0 / 1764.0) / 3.0_f64).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn what_does_not_vary_has_none() {
        assert!(autocorrelations(&[0.3; 10], 2).is_none());
        assert!(autocorrelations(&[0.1 + 0.2, 0.3, 0.3, 0.3], 2).is_none());
        assert!(autocorrelations(&[1.0, 2.0], 2).is_none());
        assert!(autocorrelations(&[f64::NAN, 2.0, 1.0], 2).is_none());
        assert_eq!(partial_autocorrelations(&[1.0, 1.0, 1.0]), [1.0, 1.0, 0.0]);
    }
}
