//! Linear prediction with least mean square error, from the sample autocovariances of a sliding window (Yule and Walker).
//!
//! The mean of the window is taken off before and added back afterwards. `a = Gamma^-1 r` is solved by Levinson-Durbin,
//! every so many samples. A window without variance predicts its mean.

mod autocovariance;
mod levinson;

use alloc::boxed::Box;
use alloc::vec;

use crate::error::ConfigError;
use crate::sample::is_finite;
use autocovariance::SlidingAutocovariance;
pub(crate) use levinson::levinson;

/// Largest order.
pub const MAX_LMMSE_ORDER: u32 = 100;

/// Largest window: 2^20 samples.
pub const MAX_LMMSE_WINDOW: u32 = 1 << 20;

/// Fewest samples for each coefficient that is estimated before the window is full.
const SAMPLES_PER_COEFFICIENT: usize = 4;

/// The predictor LMMSE(n) of a stream.
///
/// A sample costs O(n), and O(n^2) more each time the coefficients are solved for. No memory is allocated after
/// construction.
///
/// # Examples
///
/// ```
/// use parshall_estimators::lmmse::Lmmse;
/// let mut lmmse = Lmmse::new(2, 60, 1)?;
/// (0..100).for_each(|t| lmmse.update([1.0, 5.0, 3.0][t % 3]));
/// assert!((lmmse.prediction().unwrap() - 5.0).abs() < 0.2);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lmmse {
    covariance: SlidingAutocovariance,
    every: u32,
    until_solved: u32,
    r: Box<[f64]>,
    coefficients: Box<[f64]>,
    spare: Box<[f64]>,
    /// Number of coefficients in use: fewer than the order at the start.
    order: usize,
    error_variance: f64,
}

impl Lmmse {
    /// Predicts from the last `order` samples, with autocovariances over the last `window`, and solves for the
    /// coefficients every `every` samples.
    ///
    /// # Errors
    /// An order outside 1 to 100, a window that is not above the order or beyond 2^20, an `every` of 0.
    pub fn new(order: u32, window: u32, every: u32) -> Result<Self, ConfigError> {
        let orders = 1..=MAX_LMMSE_ORDER;
        ConfigError::unless(orders.contains(&order), "order", order, "a whole number from 1 to 100")?;
        let fits = window > order && window <= MAX_LMMSE_WINDOW;
        ConfigError::unless(fits, "window", window, "a whole number above the order and at most 1048576")?;
        ConfigError::unless(every >= 1, "every", every, "a whole number of at least 1")?;
        let zeros = |n: u32| vec![0.0; n as usize].into_boxed_slice();
        Ok(Lmmse {
            covariance: SlidingAutocovariance::new(order, window),
            every,
            until_solved: 0,
            r: zeros(order + 1),
            coefficients: zeros(order),
            spare: zeros(order),
            order: 0,
            error_variance: 0.0,
        })
    }

    /// Takes in a sample; one that is not finite is left out.
    #[inline]
    pub fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        self.covariance.push(x);
        if self.until_solved == 0 || self.covariance.len() < 8 * self.r.len() {
            self.solve();
        }
        self.until_solved = (self.until_solved + self.every - 1) % self.every;
    }

    /// Prediction of the next sample; `None` before the first.
    #[inline]
    pub fn prediction(&self) -> Option<f64> {
        let mean = self.covariance.mean()?;
        let past = self.covariance.newest();
        let deviation: f64 = self.coefficients[..self.order].iter().zip(past).map(|(a, x)| a * x).sum();
        Some(finite_or(mean + deviation, mean))
    }

    /// Prediction of the sample after `steps` more: predictions stand for the samples between.
    pub fn prediction_ahead(&self, steps: u32) -> Option<f64> {
        let mean = self.covariance.mean()?;
        let order = self.order;
        let mut past = [0.0; MAX_LMMSE_ORDER as usize];
        past.iter_mut().zip(self.covariance.newest()).take(order).for_each(|(place, x)| *place = x);
        let mut next = 0.0;
        for _ in 0..steps.max(1) {
            next = self.coefficients[..order].iter().zip(&past).map(|(a, x)| a * x).sum();
            past[..order].rotate_right(usize::from(order > 0));
            if order > 0 {
                past[0] = next;
            }
        }
        Some(finite_or(mean + next, mean))
    }

    /// The coefficients, that of the newest sample first. While the window fills, there are fewer than `order`.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients[..self.order]
    }

    /// The mean square error that the coefficients have on their window, by the autocovariances.
    pub fn error_variance(&self) -> f64 {
        self.error_variance
    }

    /// The mean of the window; `None` before the first sample.
    pub fn mean(&self) -> Option<f64> {
        self.covariance.mean()
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        self.covariance.clear();
        self.until_solved = 0;
        self.order = 0;
        self.error_variance = 0.0;
    }

    fn solve(&mut self) {
        let most = self.covariance.len() / SAMPLES_PER_COEFFICIENT;
        let full = self.covariance.is_full();
        let order = if full { self.coefficients.len() } else { most.min(self.coefficients.len()) };
        self.covariance.write(&mut self.r[..=order]);
        self.order = order;
        let (a, spare) = (&mut self.coefficients[..order], &mut self.spare[..order]);
        self.error_variance = levinson(&self.r[..=order], a, spare);
    }
}

/// Samples near the limits of numbers overflow.
fn finite_or(x: f64, instead: f64) -> f64 {
    if x.is_finite() {
        x
    } else {
        instead
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Autocovariances as they are defined, and the equations solved by elimination.
    fn by_definition(xs: &[f64], n: usize) -> f64 {
        let mean = xs.iter().sum::<f64>() / xs.len() as f64;
        let c: Vec<f64> = xs.iter().map(|x| x - mean).collect();
        let r: Vec<f64> = (0..=n)
            .map(|k| c[k..].iter().zip(&c).map(|(a, b)| a * b).sum::<f64>() / c.len() as f64)
            .collect();
        let mut m: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| r[i.abs_diff(j)]).chain([r[i + 1]]).collect()).collect();
        for i in 0..n {
            let pivot = m[i].clone();
            for (j, row) in m.iter_mut().enumerate() {
                let factor = if j == i { 0.0 } else { row[i] / pivot[i] };
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
        mean + (0..n).map(|i| m[i][n] / m[i][i] * c[c.len() - 1 - i]).sum::<f64>()
    }

    proptest! {
        #[test]
        fn equals_its_definition_on_every_full_window(
            order in 1u32..6,
            offset in -1e4..1e4f64,
            xs in prop::collection::vec(-1.0..1.0f64, 60..200),
        ) {
            let xs: Vec<f64> = xs.iter().map(|x| x + offset).collect();
            let mut lmmse = Lmmse::new(order, 50, 1).unwrap();
            for n in 1..=xs.len() {
                lmmse.update(xs[n - 1]);
                if n >= 50 {
                    let expected = by_definition(&xs[n - 50..n], order as usize);
                    prop_assert!((lmmse.prediction().unwrap() - expected).abs() < 1e-6, "after {}", n);
                }
            }
            prop_assert_eq!(lmmse.prediction(), lmmse.prediction_ahead(1));
        }
    }

    #[test]
    fn a_window_without_variance_predicts_its_value() {
        let mut lmmse = Lmmse::new(20, 100, 10).unwrap();
        assert_eq!(lmmse.prediction(), None);
        for _ in 0..300 {
            lmmse.update(7.0);
            assert_eq!(lmmse.prediction_ahead(9), Some(7.0));
        }
        assert_eq!(lmmse.error_variance(), 0.0);
    }

    #[test]
    fn stays_finite_whatever_comes() {
        let mut lmmse = Lmmse::new(3, 20, 2).unwrap();
        for t in 0..500 {
            lmmse.update(
                [f64::MAX, -f64::MAX, 1.0, f64::NAN, 0.0, 1e-300][t % 6] * if t > 300 { 1e-305 } else { 1.0 },
            );
            assert!(lmmse.prediction().unwrap().is_finite(), "after {t}");
            assert!(lmmse.prediction_ahead(50).unwrap().is_finite(), "after {t}");
        }
    }

    #[test]
    fn further_ahead_it_returns_to_the_mean() {
        let mut lmmse = Lmmse::new(1, 400, 1).unwrap();
        let mut x = 0.0;
        for t in 0..400u32 {
            x = 0.8 * x + f64::from(t.wrapping_mul(2_654_435_761) >> 16) / 65536.0 - 0.5;
            lmmse.update(10.0 + x);
        }
        let (mean, a) = (lmmse.mean().unwrap(), lmmse.coefficients()[0]);
        let next = lmmse.prediction().unwrap() - mean;
        assert!((lmmse.prediction_ahead(3).unwrap() - mean - a * a * next).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_is_named() {
        assert_eq!(Lmmse::new(0, 10, 1).unwrap_err().field, "order");
        assert_eq!(Lmmse::new(20, 20, 1).unwrap_err().field, "window");
        assert_eq!(Lmmse::new(20, 200, 0).unwrap_err().field, "every");
    }
}
