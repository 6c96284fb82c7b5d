//! Recursive least squares with exponential forgetting.

use super::linear::{all_finite, all_sane, diagonal, dot, product, shrink, Matrix, Vector};

/// Minimises `sum of f^(n-i) (y[i] - w[i]^T beta)^2 + f^n (beta - start)^T P0^-1 (beta - start)`.
///
/// The start value is about 1; a parameter beyond 1e12 is a fault of the arithmetic, and all starts again.
///
/// The covariance `P` is in units of the noise's variance. With forgetting it would grow without bound in a
/// direction that no sample excites; so a step does not forget when that would take a parameter's variance above
/// its start value.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Rls<const D: usize> {
    forgetting: f64,
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    start: Vector<D>,
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    limit: Vector<D>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved"))]
    p: Matrix<D>,
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    pub beta: Vector<D>,
    /// Weighted sum of squared residuals.
    squares: f64,
    /// Sum of the weights.
    weight: f64,
}

impl<const D: usize> Rls<D> {
    /// `variances` of the start value are in units of the noise's variance.
    pub fn new(forgetting: f64, start: Vector<D>, variances: Vector<D>) -> Self {
        let p = diagonal(variances);
        Rls { forgetting, start, limit: variances, p, beta: start, squares: 0.0, weight: 0.0 }
    }

    /// Takes in the equation `y = w^T beta + noise`.
    #[inline]
    pub fn update(&mut self, w: &Vector<D>, y: f64) {
        let pw = product(&self.p, w);
        let along = dot(&pw, w).max(0.0);
        let (forgetting, per_variance) = self.weights(&pw, along);
        let error = y - dot(w, &self.beta);
        let step = error * per_variance;
        let next = core::array::from_fn(|i| self.beta[i] + pw[i] * step);
        if !all_sane(&next) || !all_finite(&pw) || !along.is_finite() {
            *self = Rls::new(self.forgetting, self.start, self.limit);
            return;
        }
        self.beta = next;
        // The residual before the step times the one after it: these sum to the minimum of the weighted sum.
        self.squares = forgetting * (self.squares + error * step);
        self.weight = forgetting * self.weight + 1.0;
        shrink(&mut self.p, &pw.map(|x| x * per_variance), &pw, 1.0 / forgetting);
    }

    /// The forgetting factor f of this step, and `1 / (f + w^T P w)`.
    #[inline]
    fn weights(&self, pw: &Vector<D>, along: f64) -> (f64, f64) {
        let per_variance = 1.0 / (self.forgetting + along);
        let left = |i: usize| self.p[i][i] - pw[i] * pw[i] * per_variance;
        if (0..D).all(|i| left(i) <= self.forgetting * self.limit[i]) {
            (self.forgetting, per_variance)
        } else {
            (1.0, 1.0 / (1.0 + along))
        }
    }

    /// Covariance of beta, for independent noise: `P` times the mean squared residual. `None` until there are
    /// more equations than unknowns.
    pub fn covariance(&self) -> Option<Matrix<D>> {
        let freedom = self.weight - D as f64;
        (freedom > 0.0).then(|| {
            let variance = self.squares / freedom;
            self.p.map(|row| row.map(|x| x * variance))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::linear::variance_along;
    use super::*;
    use proptest::prelude::*;

    /// Gaussian elimination with pivots, of `m x = b`.
    fn solve<const D: usize>(mut m: Matrix<D>, mut b: Vector<D>) -> Vector<D> {
        for col in 0..D {
            let pivot = (col..D).max_by(|&a, &c| m[a][col].abs().total_cmp(&m[c][col].abs())).unwrap();
            m.swap(col, pivot);
            b.swap(col, pivot);
            for row in (0..D).filter(|&row| row != col) {
                let pivot = m[col];
                let factor = m[row][col] / pivot[col];
                m[row].iter_mut().zip(pivot).for_each(|(x, p)| *x -= factor * p);
                b[row] -= factor * b[col];
            }
        }
        std::array::from_fn(|i| b[i] / m[i][i])
    }

    struct Batch<const D: usize> {
        information: Matrix<D>,
        beta: Vector<D>,
        squares: f64,
        weight: f64,
    }

    /// The weighted sum in the documentation of [`Rls`], minimised through its normal equations.
    fn batch<const D: usize>(
        forgetting: f64,
        start: Vector<D>,
        prior: f64,
        data: &[(Vector<D>, f64)],
    ) -> Batch<D> {
        let n = data.len();
        let weight_of = |i: usize| forgetting.powi((n - 1 - i) as i32);
        let fade = forgetting.powi(n as i32) / prior;
        let mut information = diagonal([fade; D]);
        let mut right = start.map(|b| b * fade);
        for (i, (w, y)) in data.iter().enumerate() {
            for r in 0..D {
                right[r] += weight_of(i) * w[r] * y;
                for c in 0..D {
                    information[r][c] += weight_of(i) * w[r] * w[c];
                }
            }
        }
        let beta = solve(information, right);
        let from_start: f64 = (0..D).map(|i| (beta[i] - start[i]).powi(2) * fade).sum();
        let residuals = data.iter().enumerate().map(|(i, (w, y))| weight_of(i) * (y - dot(w, &beta)).powi(2));
        let squares = residuals.sum::<f64>() + from_start;
        Batch { information, beta, squares, weight: (0..n).map(weight_of).sum() }
    }

    fn equations() -> impl Strategy<Value = Vec<([f64; 3], f64)>> {
        let w = prop::array::uniform3(-3.0..3.0f64);
        prop::collection::vec((w, -10.0..10.0f64), 1..60)
    }

    proptest! {
        #[test]
        fn equals_the_batch_solution_at_every_prefix(
            data in equations(), start in prop::array::uniform3(-5.0..5.0f64), forgetting in 0.9..=1.0f64,
        ) {
            // A start so uncertain that forgetting never meets its limit.
            let prior = 1e3;
            let mut rls = Rls::new(forgetting, start, [prior; 3]);
            rls.limit = [f64::INFINITY; 3];
            for n in 1..=data.len() {
                let (w, y) = data[n - 1];
                rls.update(&w, y);
                let batch = batch(forgetting, start, prior, &data[..n]);
                for i in 0..3 {
                    prop_assert!((rls.beta[i] - batch.beta[i]).abs() < 1e-5 * (1.0 + batch.beta[i].abs()));
                }
                prop_assert!((rls.weight - batch.weight).abs() < 1e-9);
                prop_assert!((rls.squares - batch.squares).abs() < 1e-5 * (1.0 + batch.squares));
                let identity = product(&batch.information, &product(&rls.p, &[1.0, -2.0, 3.0]));
                for (got, expected) in identity.iter().zip([1.0, -2.0, 3.0]) {
                    prop_assert!((got - expected).abs() < 1e-4, "{got} {expected}");
                }
            }
        }

        #[test]
        fn its_covariance_stays_one(data in equations(), forgetting in 0.5..=1.0f64) {
            let mut rls = Rls::new(forgetting, [0.0; 3], [100.0; 3]);
            for (w, y) in data {
                rls.update(&w, y);
                for i in 0..3 {
                    prop_assert!(rls.p[i][i] >= 0.0 && rls.p[i][i] <= 100.0 * (1.0 + 1e-9));
                    prop_assert!((0..3).all(|j| rls.p[i][j] == rls.p[j][i]));
                }
                prop_assert!(variance_along(&rls.p, &w) >= 0.0);
            }
        }
    }

    #[test]
    fn does_not_wind_up_where_nothing_excites() {
        let mut rls = Rls::new(0.9, [0.0, 0.0], [10.0, 10.0]);
        (0..10_000).for_each(|_| rls.update(&[1.0, 0.0], 2.0));
        assert!((rls.beta[0] - 2.0).abs() < 1e-2, "{:?}", rls.beta);
        assert_eq!(rls.p[1][1], 10.0);
    }

    #[test]
    fn starts_again_when_its_arithmetic_broke_down() {
        let mut rls = Rls::new(0.9, [1.0, 2.0], [1e6, 1e6]);
        rls.update(&[1e-9, 1e-9], 1e17);
        assert_eq!((rls.beta, rls.p), ([1.0, 2.0], diagonal([1e6, 1e6])));
        rls.update(&[1e200, 1.0], 1.0);
        assert_eq!((rls.beta, rls.p), ([1.0, 2.0], diagonal([1e6, 1e6])));
        assert_eq!(rls.covariance(), None);
    }

    #[test]
    fn its_standard_error_is_that_of_the_spread() {
        // y = 3 + noise of variance 1/12: a mean of n numbers.
        let mut rls = Rls::new(1.0, [0.0], [1e9]);
        let n = 5000;
        (0..n).for_each(|i| rls.update(&[1.0], 3.0 + (f64::from(i) * 0.618_033_988_749_894_9).fract() - 0.5));
        let variance = rls.covariance().unwrap()[0][0];
        assert!((variance * f64::from(n) * 12.0 - 1.0).abs() < 0.01, "{variance}");
    }
}
