//! Weights of increments in the best prediction of fractional Brownian motion from a finite past (Gripenberg and Norros 1996).
//!
//! With Z the motion on [-T, 0] and b = H - 1/2, the best prediction of Z(a) - Z(0) is the integral of g(t) dZ(-t) over t from 0
//! to T with (theorem 3.1; He et al. 2002 print it in section III.A)
//!
//! ```text
//! g(t) = sin(pi b) / pi  (t (T - t))^-b  integral from 0 to a of (s (s + T))^b / (s + t) ds
//! ```
//!
//! A forecaster has the n increments over intervals of length 1, so T = n and a = 1. Where Z is known at whole instants only,
//! it is taken to be straight between them: the weight of increment j, the newest first, is the mean of g over [j-1, j]. That
//! is not the best weight for the increments alone, which Levinson and Durbin's recursion finds, but near to it.
//!
//! g is infinite, though integrable, at both ends. In the first interval g has the kernel 1 / (s + t), which is infinite in the
//! corner where s and t are 0: `s = t v` below the diagonal and `t = s v` above it take it out. Nuzman and Poor (2000) show that
//! the formula holds for H below 1/2 as well.

use super::quadrature::{ends, smooth, END_NODES};

/// Writes the weights of the last `weights.len()` increments, at least 2, in the prediction of the next.
///
/// # Panics
/// If there are fewer than 2 weights.
pub fn fbm_weights(h: f64, weights: &mut [f64]) {
    let n = weights.len();
    assert!(n >= 2, "the past has at least two increments");
    let b = h - 0.5;
    let scale = libm::sin(core::f64::consts::PI * b) / core::f64::consts::PI;
    let past =
        Past { b, length: n as f64, inner: ends().map(|(s, w)| (s, w * libm::pow(s * (s + n as f64), b))) };
    weights[0] = scale * past.first();
    for (j, weight) in weights.iter_mut().enumerate().take(n - 1).skip(1) {
        *weight = scale * past.between(j as f64);
    }
    weights[n - 1] = scale * past.last();
}

struct Past {
    b: f64,
    length: f64,
    /// Nodes s of the inner integral, and their weights with `(s (s + T))^b`.
    inner: [(f64, f64); END_NODES],
}

impl Past {
    /// `(s (s + T))^b / (s + t)` integrated over s, for t not near 0.
    fn inner(&self, t: f64) -> f64 {
        self.inner.iter().map(|(s, w)| w / (s + t)).sum()
    }

    /// g, but for its constant, integrated over [j, j + 1] inside the past.
    fn between(&self, j: f64) -> f64 {
        let g = |t: f64| libm::pow(t * (self.length - t), -self.b) * self.inner(t);
        smooth().iter().map(|(x, w)| w * g(j + x)).sum()
    }

    /// Integral of g over the oldest interval, where `T - t` goes to 0.
    fn last(&self) -> f64 {
        let g = |rest: f64| libm::pow((self.length - rest) * rest, -self.b) * self.inner(self.length - rest);
        ends().iter().map(|&(x, w)| w * g(x)).sum()
    }

    /// Integral of g over the newest interval: `(s / t)^b ((s + T) / (T - t))^b / (s + t)` over the unit square, in
    /// two triangles.
    fn first(&self) -> f64 {
        let (b, length) = (self.b, self.length);
        let rest = |s: f64, t: f64| libm::pow((s + length) / (length - t), b);
        let nodes = smooth();
        let along = |f: &dyn Fn(f64) -> f64| nodes.iter().map(|&(x, w)| w * f(x)).sum::<f64>();
        let square = |(v, w): (f64, f64)| {
            let below = libm::pow(v, b) * along(&|t| rest(t * v, t));
            let above = libm::pow(v, -b) * along(&|s| rest(s, s * v));
            w * (below + above) / (1.0 + v)
        };
        ends().into_iter().map(square).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fgn_autocovariance;
    use super::*;
    use crate::lmmse::levinson;

    /// The mean square error of weights on fractional Gaussian noise of variance 1.
    fn error(h: f64, weights: &[f64]) -> f64 {
        let n = weights.len();
        let r: Vec<f64> = (0..=n as u32).map(|k| fgn_autocovariance(h, k)).collect();
        let mut sum = 1.0;
        for i in 0..n {
            sum -= 2.0 * weights[i] * r[i + 1];
            sum += (0..n).map(|j| weights[i] * weights[j] * r[i.abs_diff(j)]).sum::<f64>();
        }
        sum
    }

    #[test]
    fn is_nearly_the_best_predictor_from_increments_and_never_better() {
        for h in [0.1, 0.3, 0.45, 0.55, 0.7, 0.8, 0.9, 0.95] {
            for n in [2, 5, 20, 100] {
                let r: Vec<f64> = (0..=n as u32).map(|k| fgn_autocovariance(h, k)).collect();
                let (mut best, mut spare, mut found) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
                let least = levinson(&r, &mut best, &mut spare);
                fbm_weights(h, &mut found);
                let excess = error(h, &found) / least - 1.0;
                assert!(excess > -1e-9, "H = {h}, n = {n}: {excess}");
                assert!(excess < if h > 0.25 { 0.003 } else { 0.03 }, "H = {h}, n = {n}: {excess}");
            }
        }
    }

    #[test]
    fn without_memory_there_is_nothing_to_weigh() {
        let mut weights = [9.0; 5];
        fbm_weights(0.5, &mut weights);
        assert_eq!(weights, [0.0; 5]);
    }
}
