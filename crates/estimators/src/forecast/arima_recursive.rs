//! ARIMA whose coefficients are estimated anew with each sample: recursive maximum likelihood (Ljung and Soederstrom 1983,
//! section 2.2.3), with a memory that fades.
//!
//! For `y = (1-B)^d x` less its mean: the error e of the forecast moves the coefficients by `P psi e`, where psi is the
//! gradient of the forecast, which is the regressors passed through 1 / theta(B). An error counts for at most
//! [`CLIP`] times the usual one, so that one outlier does not undo what was learnt. A step that would leave the region of
//! stationary and invertible models is cut in half until it does not.

use super::young_mean::YoungMean;
use super::Forecaster;
use crate::arima::{ar_is_stationary, ma_is_invertible, MAX_DIFFERENCES, MAX_ORDER};
use crate::error::ConfigError;
use crate::sample::is_finite;

/// Most coefficients.
const MOST: usize = 2 * MAX_ORDER;

/// Samples that set the scale before anything is estimated; until then no change is expected.
const WARM_UP: u32 = 8;

/// Largest error that counts in full, in mean absolute errors.
const CLIP: f64 = 6.0;

/// Largest variance of a coefficient, in units of that of the start, above which nothing more is forgotten: a series that
/// stands still teaches nothing.
const UNCERTAIN: f64 = 10.0;

/// Weight of the newest error in the mean absolute error.
const SIZE_GAIN: f64 = 0.02;

/// Forecasts with an ARIMA(p,d,q) that follows the series, in O((p+q)^2) a sample.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RecursiveArima {
    p: usize,
    q: usize,
    d: usize,
    keep: f64,
    coefficients: [f64; MOST],
    covariance: [[f64; MOST]; MOST],
    /// The last p values and the last q errors, each the newest first.
    regressors: [f64; MOST],
    /// Gradients of the last q forecasts, the newest first.
    gradients: [[f64; MOST]; MAX_ORDER],
    /// x, and its differences up to the order d - 1.
    last: [f64; MAX_DIFFERENCES as usize],
    seen: u32,
    mean: YoungMean,
    size: f64,
    next: Option<f64>,
}

impl RecursiveArima {
    /// An ARIMA(p,d,q) that remembers about the last `memory` samples.
    ///
    /// # Errors
    /// p or q above 5 or both 0, d above 2, a memory of fewer than 10 samples.
    pub fn new(p: u32, d: u32, q: u32, memory: u32) -> Result<Self, ConfigError> {
        let most = MAX_ORDER as u32;
        ConfigError::unless(p <= most, "p", p, "a whole number from 0 to 5")?;
        ConfigError::unless(d <= MAX_DIFFERENCES, "d", d, "a whole number from 0 to 2")?;
        ConfigError::unless(q <= most, "q", q, "a whole number from 0 to 5")?;
        ConfigError::unless(p + q > 0, "p", p, "p or q above 0")?;
        ConfigError::unless(memory >= 10, "memory", memory, "a whole number of at least 10")?;
        Ok(RecursiveArima {
            p: p as usize,
            q: q as usize,
            d: d as usize,
            keep: 1.0 - 1.0 / f64::from(memory),
            coefficients: [0.0; MOST],
            covariance: [[0.0; MOST]; MOST],
            regressors: [0.0; MOST],
            gradients: [[0.0; MOST]; MAX_ORDER],
            last: [0.0; MAX_DIFFERENCES as usize],
            seen: 0,
            mean: YoungMean::new(1.0 / f64::from(memory)),
            size: 0.0,
            next: None,
        })
    }

    /// phi and theta, as they are now.
    pub fn coefficients(&self) -> (&[f64], &[f64]) {
        self.coefficients[..self.p + self.q].split_at(self.p)
    }

    /// The next value of the differenced series less its mean.
    #[inline]
    fn expected(&self, regressors: &[f64; MOST]) -> f64 {
        let n = self.p + self.q;
        self.coefficients[..n].iter().zip(&regressors[..n]).map(|(c, r)| c * r).sum()
    }

    /// Differences x d times, and remembers what the next difference needs; `None` while there are too few samples.
    fn difference(&mut self, x: f64) -> Option<f64> {
        let mut value = x;
        for (order, last) in self.last[..self.d].iter_mut().enumerate() {
            let before = core::mem::replace(last, value);
            if self.seen <= order as u32 {
                return None;
            }
            value -= before;
        }
        Some(value)
    }

    fn learn(&mut self, y: f64) {
        let n = self.p + self.q;
        let warm = self.seen >= WARM_UP + self.d as u32;
        let error = y - self.expected(&self.regressors);
        if warm {
            let clipped = error.clamp(-CLIP * self.size, CLIP * self.size);
            self.step(clipped);
        }
        self.size += (error.abs() - self.size) * (1.0 / f64::from(self.seen)).max(SIZE_GAIN);
        let rest = y - self.expected(&self.regressors);
        self.regressors[..self.p].rotate_right(usize::from(self.p > 0));
        self.regressors[self.p..n].rotate_right(usize::from(self.q > 0));
        if self.p > 0 {
            self.regressors[0] = y;
        }
        if self.q > 0 {
            self.regressors[self.p] = rest;
        }
        if !warm && self.size > 0.0 {
            let variance = 1.0 / (self.size * self.size);
            for i in 0..n {
                self.covariance[i] = [0.0; MOST];
                self.covariance[i][i] = variance;
            }
        }
    }

    /// The gradient of the forecast in the coefficients: `psi = regressors - theta1 psi(-1) - ...`.
    fn gradient(&mut self) -> [f64; MOST] {
        let n = self.p + self.q;
        let mut psi = self.regressors;
        for (theta, before) in self.coefficients[self.p..n].iter().zip(&self.gradients) {
            psi.iter_mut().zip(before).for_each(|(psi, before)| *psi -= theta * before);
        }
        self.gradients[..self.q].rotate_right(usize::from(self.q > 0));
        if self.q > 0 {
            self.gradients[0] = psi;
        }
        psi
    }

    /// One step of recursive least squares along the gradient.
    fn step(&mut self, error: f64) {
        let n = self.p + self.q;
        let psi = self.gradient();
        let mut gain = [0.0; MOST];
        for (gain, row) in gain[..n].iter_mut().zip(&self.covariance) {
            *gain = row[..n].iter().zip(&psi).map(|(c, psi)| c * psi).sum();
        }
        let divisor = self.keep + psi[..n].iter().zip(&gain).map(|(psi, g)| psi * g).sum::<f64>();
        self.move_by(&gain, error / divisor);
        let most = UNCERTAIN / (self.size * self.size);
        let fades = (0..n).all(|i| self.covariance[i][i] < most);
        let growth = if fades { 1.0 / self.keep } else { 1.0 };
        for i in 0..n {
            for j in 0..=i {
                let reduced = (self.covariance[i][j] - gain[i] * gain[j] / divisor) * growth;
                self.covariance[i][j] = reduced;
                self.covariance[j][i] = reduced;
            }
        }
    }

    /// The coefficients plus `gain * by`, or as much of it as leaves the model stationary and invertible.
    fn move_by(&mut self, gain: &[f64; MOST], by: f64) {
        let before = self.coefficients;
        let mut part = by;
        for _ in 0..5 {
            for (c, (before, gain)) in self.coefficients.iter_mut().zip(before.iter().zip(gain)) {
                *c = before + gain * part;
            }
            let (ar, ma) = self.coefficients();
            if ar_is_stationary(ar) && ma_is_invertible(ma) {
                return;
            }
            part /= 2.0;
        }
        self.coefficients = before;
    }

    /// Forecast of the series itself, given that of its differences.
    fn integrated(&self, last: &mut [f64; MAX_DIFFERENCES as usize], expected: f64) -> f64 {
        let mut value = expected + if self.d == 0 { self.mean.value() } else { 0.0 };
        for last in last[..self.d].iter_mut().rev() {
            value += *last;
            *last = value;
        }
        value
    }

    /// The last sample itself, whether or not the series is differenced.
    fn newest(&self) -> f64 {
        if self.d > 0 {
            self.last[0]
        } else {
            self.mean.value()
        }
    }
}

impl Forecaster for RecursiveArima {
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        if self.d == 0 {
            self.mean.update(x);
        }
        let y = self.difference(x);
        self.seen = self.seen.saturating_add(1);
        if let Some(y) = y {
            self.learn(if self.d == 0 { y - self.mean.value() } else { y });
        }
        let sound = self.expected(&self.regressors).is_finite() && self.size.is_finite();
        if !sound {
            // Samples near the limits of numbers overflow; the model then starts anew.
            self.reset();
            self.mean.update(x);
            self.difference(x);
            self.seen = 1;
        }
        self.next = self.forecast_ahead(1);
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.next
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        if self.seen == 0 {
            return None;
        }
        if self.seen <= self.d as u32 {
            return Some(self.newest());
        }
        let (mut regressors, mut last) = (self.regressors, self.last);
        let n = self.p + self.q;
        let mut forecast = self.newest();
        for _ in 0..steps.max(1) {
            let expected = self.expected(&regressors);
            let next = self.integrated(&mut last, expected);
            if !next.is_finite() {
                break;
            }
            forecast = next;
            if steps <= 1 {
                break;
            }
            regressors[..self.p].rotate_right(usize::from(self.p > 0));
            regressors[self.p..n].rotate_right(usize::from(self.q > 0));
            if self.p > 0 {
                regressors[0] = expected;
            }
            if self.q > 0 {
                regressors[self.p] = 0.0;
            }
        }
        Some(forecast)
    }

    fn reset(&mut self) {
        self.coefficients = [0.0; MOST];
        self.covariance = [[0.0; MOST]; MOST];
        self.regressors = [0.0; MOST];
        self.gradients = [[0.0; MOST]; MAX_ORDER];
        self.last = [0.0; MAX_DIFFERENCES as usize];
        self.seen = 0;
        self.mean.reset();
        self.size = 0.0;
        self.next = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between -0.5 and 0.5 that look drawn.
    fn noise(n: u32) -> impl Iterator<Item = f64> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        (0..n).map(move |_| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        })
    }

    #[test]
    fn finds_the_coefficients_of_an_arma_process() {
        let mut arima = RecursiveArima::new(1, 0, 1, 100_000).unwrap();
        let (mut x, mut before) = (0.0, 0.0);
        for e in noise(20_000) {
            x = 0.8 * x + e - 0.4 * before;
            before = e;
            arima.update(50.0 + x);
        }
        let (ar, ma) = arima.coefficients();
        assert!((ar[0] - 0.8).abs() < 0.03 && (ma[0] + 0.4).abs() < 0.05, "{ar:?} {ma:?}");
        let ahead = arima.forecast_ahead(1000).unwrap();
        assert!((ahead - 50.0).abs() < 0.1, "{ahead}");
    }

    #[test]
    fn follows_coefficients_that_change() {
        let mut arima = RecursiveArima::new(1, 1, 0, 500).unwrap();
        let (mut x, mut y) = (0.0, 0.0);
        for (t, e) in noise(10_000).enumerate() {
            y = if t < 5000 { 0.7 } else { -0.5 } * y + e;
            x += y;
            arima.update(x);
        }
        assert!((arima.coefficients().0[0] + 0.5).abs() < 0.15, "{:?}", arima.coefficients());
    }

    #[test]
    fn goes_on_along_a_line_where_it_is_differenced_twice() {
        let mut arima = RecursiveArima::new(1, 2, 1, 500).unwrap();
        (0..300).for_each(|t| arima.update(5.0 + 2.0 * f64::from(t)));
        assert!((arima.forecast_ahead(10).unwrap() - (5.0 + 2.0 * 309.0)).abs() < 1e-6);
    }

    #[test]
    fn finite_samples_give_finite_forecasts() {
        for d in 0..=2 {
            let mut arima = RecursiveArima::new(2, d, 2, 100).unwrap();
            let samples = [0.0, 0.0, f64::MAX, -f64::MAX, f64::NAN, 1e-300, 7.0, 7.0, f64::MAX];
            for t in 0..3000 {
                arima.update(if t < 1500 { samples[t % 9] } else { 7.0 });
                assert!(arima.forecast_ahead(20).unwrap().is_finite(), "d = {d}, after {t}");
            }
        }
    }
}
