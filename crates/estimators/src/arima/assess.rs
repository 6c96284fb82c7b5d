//! Diagnostics of a fit: standard errors, errors of the forecasts, and the exact likelihood.

use alloc::vec::Vec;

use super::fit::Fitter;
use super::innovations::{Innovations, CONVERGED, STATES};
use super::likelihood::{Likelihood, Matrix, Method, Space, Vector, MAX_COEFFICIENTS};
use super::linear::inverse;
use super::partial_autocorrelations;
use super::summary::{log_likelihood, FitSummary};
use super::MAX_ORDER;
use crate::math::{powi, sqrt};

/// Steps of the difference quotients, the largest that stays in the region of stationary models.
const STEPS: [f64; 4] = [1e-4, 1e-5, 1e-6, 1e-7];

/// Standard errors of the coefficients, from the second derivatives of the likelihood at its maximum. Beside a root near
/// the unit circle, and where roots cancel, they mean little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandardErrors {
    coefficients: Vector,
    p: usize,
    q: usize,
    /// Standard error of the mean; `None` without one.
    pub mean: Option<f64>,
}

impl StandardErrors {
    /// Standard errors of phi.
    pub fn ar(&self) -> &[f64] {
        &self.coefficients[..self.p]
    }

    /// Standard errors of theta.
    pub fn ma(&self) -> &[f64] {
        &self.coefficients[self.p..self.p + self.q]
    }
}

impl Fitter {
    /// Standard errors of what [`Fitter::fit`] found last. `None` where the likelihood is not curved like that of a maximum,
    /// as on the border of stationary models.
    pub fn standard_errors(&self, fit: &FitSummary) -> Option<StandardErrors> {
        let likelihood = self.likelihood(fit.method);
        let at = point(fit);
        let value = likelihood.value(Space::Coefficients, &at);
        let k = fit.order.coefficients();
        let mut curvature: Matrix = [[0.0; MAX_COEFFICIENTS]; MAX_COEFFICIENTS];
        let mut mean_slope: Vector = [0.0; MAX_COEFFICIENTS];
        for i in 0..k {
            let (row, slope) = STEPS.iter().find_map(|&step| quotients(&likelihood, &at, i, step))?;
            curvature[i] = row;
            mean_slope[i] = slope;
        }
        let copy = curvature;
        for i in 0..k {
            (0..k).for_each(|j| curvature[i][j] = 0.5 * (copy[i][j] + copy[j][i]));
        }
        let covariance = inverse(&curvature, k)?;
        let mut coefficients = [0.0; MAX_COEFFICIENTS];
        (0..k).for_each(|i| coefficients[i] = sqrt(covariance[i][i]));
        let through_coefficients: f64 = (0..k)
            .map(|i| (0..k).map(|j| mean_slope[i] * covariance[i][j] * mean_slope[j]).sum::<f64>())
            .sum();
        let sigma2 = value.squares / likelihood.count() as f64;
        let of_mean = sqrt(sigma2 / value.mean_weight + through_coefficients) * self.series.scale();
        let mean = fit.order.has_mean().then_some(of_mean);
        Some(StandardErrors { coefficients, p: fit.order.p, q: fit.order.q, mean })
    }

    /// Errors of the one-step forecasts of what [`Fitter::fit`] took last, oldest first, in the units of the series: of the
    /// n - d differenced values, less the first p after [`Method::Css`].
    pub fn residuals(&self, fit: &FitSummary) -> Vec<f64> {
        let likelihood = self.likelihood(fit.method);
        let mean = likelihood.value(Space::Coefficients, &point(fit)).mean;
        let centred: Vec<f64> = likelihood.values.iter().map(|value| value - mean).collect();
        let (before, values) = centred.split_at(likelihood.skipped());
        let (mut filter, mut state): (Innovations<f64, STATES>, _) = match fit.method {
            Method::Css => Innovations::conditional(fit.ar(), fit.ma(), before),
            Method::Ml => {
                let partial = partial_autocorrelations(fit.ar()).unwrap_or([0.0; MAX_ORDER]);
                let filter = Innovations::new(fit.ar(), fit.ma(), &partial[..fit.order.p], CONVERGED);
                (filter, [0.0; STATES])
            }
        };
        let scale = self.series.scale();
        let error = |&value: &f64| {
            let error = filter.update(&mut state, value);
            filter.advance();
            scale * error
        };
        values.iter().map(error).collect()
    }

    /// The exact log-likelihood at the coefficients of a fit, however they were found, with mean and variance at their
    /// best. Least squares may end so near the border of stationary models that rounding leaves nothing of it; it is then
    /// that of a model a little further inside.
    pub fn exact_log_likelihood(&self, fit: &FitSummary) -> f64 {
        let likelihood = self.likelihood(Method::Ml);
        let count = likelihood.count();
        let mut at = point(fit);
        let mut value = likelihood.value(Space::Coefficients, &at);
        let mut shrink: f64 = 1e-9;
        while !value.objective.is_finite() && shrink < 0.5 {
            let (ar, ma) = at.split_at_mut(fit.order.p);
            for coefficients in [ar, ma] {
                let towards_zero = |(i, c): (usize, &mut f64)| *c *= powi(1.0 - shrink, i as i32 + 1);
                coefficients.iter_mut().enumerate().for_each(towards_zero);
            }
            value = likelihood.value(Space::Coefficients, &at);
            shrink *= 4.0;
        }
        let sigma2 = value.squares / count as f64;
        log_likelihood(count, sigma2, value.log_variances) - count as f64 * libm::log(self.series.scale())
    }
}

fn point(fit: &FitSummary) -> Vector {
    let mut point = [0.0; MAX_COEFFICIENTS];
    let all = fit.ar().iter().chain(fit.ma());
    point.iter_mut().zip(all).for_each(|(place, coefficient)| *place = *coefficient);
    point
}

/// Derivatives of the gradient and of the best mean by coefficient `i`; `None` if the step leaves the region.
fn quotients(likelihood: &Likelihood<'_>, at: &Vector, i: usize, step: f64) -> Option<(Vector, f64)> {
    let beside = |direction: f64| {
        let mut point = *at;
        point[i] += direction * step;
        let mean = likelihood.value(Space::Coefficients, &point).mean;
        Some((likelihood.gradient(Space::Coefficients, &point, mean)?.slope, mean))
    };
    let ((above, mean_above), (below, mean_below)) = (beside(1.0)?, beside(-1.0)?);
    let mut row = [0.0; MAX_COEFFICIENTS];
    for (place, (a, b)) in row.iter_mut().zip(above.iter().zip(&below)) {
        *place = (a - b) / (2.0 * step);
    }
    Some((row, (mean_above - mean_below) / (2.0 * step)))
}
