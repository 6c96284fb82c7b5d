//! Where a search begins. Likelihoods of (p,1,2) and (2,1,q) have several maxima, so it begins more than once.

use super::likelihood::{Likelihood, Matrix, Vector, MAX_COEFFICIENTS};
use super::linear::{cholesky, solve};
use super::partial::{free_of, step_down};
use super::{Order, MAX_ORDER};
use crate::math::powi;

/// Free parameters that are begun with whatever the data: the first two of phi, and the first two of minus theta. The
/// others are 0. The last of them are models whose roots cancel, or lie near the unit circle, where maxima hide.
pub const FIXED: [[f64; 4]; 13] = [
    [0.0, 0.0, 0.0, 0.0],
    [0.5, 0.5, 0.5, 0.5],
    [-0.5, -0.5, -0.5, -0.5],
    [0.5, 0.5, -0.5, -0.5],
    [-0.5, -0.5, 0.5, 0.5],
    [1.5, 1.5, 1.5, 1.5],
    [-1.2, -1.2, -1.2, -1.2],
    [2.0, 0.0, 2.5, 0.0],
    [-2.0, 0.0, -2.5, 0.0],
    [1.2, 0.0, 3.0, -1.2],
    [0.5, 0.0, 4.0, -3.0],
    [0.3, -2.0, 0.3, -2.2],
    [-0.3, -2.0, -0.3, -2.2],
];

/// The start that one of [`FIXED`] stands for.
pub fn fixed(order: Order, parameters: &[f64; 4]) -> Vector {
    let mut start = [0.0; MAX_COEFFICIENTS];
    let (ar, ma) = start.split_at_mut(order.p);
    ar.iter_mut().zip(&parameters[..2]).for_each(|(place, free)| *place = *free);
    ma.iter_mut().take(order.q).zip(&parameters[2..]).for_each(|(place, free)| *place = *free);
    start
}

/// The free parameters of coefficients; those of a model that is not stationary or invertible are brought inside.
pub fn free_from(order: Order, ar: &[f64], ma: &[f64]) -> Vector {
    let mut start = [0.0; MAX_COEFFICIENTS];
    let mut turned = [0.0; MAX_ORDER];
    turned.iter_mut().zip(ma).for_each(|(place, theta)| *place = -theta);
    place_inside(ar, &mut start[..order.p]);
    place_inside(&turned[..order.q], &mut start[order.p..order.coefficients()]);
    start
}

/// Coefficients with the roots drawn together towards 0 until all are inside, as free parameters.
fn place_inside(coefficients: &[f64], free: &mut [f64]) {
    let mut shrink = 1.0_f64;
    for _ in 0..60 {
        let mut inside = [0.0; MAX_ORDER];
        for (i, &coefficient) in coefficients.iter().enumerate() {
            inside[i] = coefficient * powi(shrink, i as i32 + 1);
        }
        let partial = step_down(&inside[..coefficients.len()]);
        if let Some(partial) = partial.filter(|all| all.iter().all(|r| r.abs() < 0.9999)) {
            free.iter_mut().zip(partial).for_each(|(place, r)| *place = free_of(r));
            return;
        }
        shrink *= 0.95;
    }
    free.fill(0.0);
}

/// Hannan and Rissanen's estimate (1982): a long autoregression for the errors, then a regression on values and errors.
/// `errors` is room for as many numbers as there are values. `None` if the equations have no solution.
pub fn hannan_rissanen(likelihood: &Likelihood<'_>, mean: f64, errors: &mut [f64]) -> Option<Vector> {
    let (values, order) = (likelihood.values, likelihood.order);
    let lags = (order.coefficients() + 3).min(values.len() / 4).min(LONGEST);
    let long = autoregression(values, mean, lags)?;
    for t in 0..values.len() {
        let known = t.min(lags);
        let expected: f64 = (0..known).map(|i| long[i] * (values[t - 1 - i] - mean)).sum();
        errors[t] = if t < lags { 0.0 } else { values[t] - mean - expected };
    }
    let k = order.coefficients();
    let mut normal: Matrix = [[0.0; MAX_COEFFICIENTS]; MAX_COEFFICIENTS];
    let mut right: Vector = [0.0; MAX_COEFFICIENTS];
    for t in lags + order.q.max(order.p)..values.len() {
        let mut row = [0.0; MAX_COEFFICIENTS];
        (0..order.p).for_each(|i| row[i] = values[t - 1 - i] - mean);
        (0..order.q).for_each(|j| row[order.p + j] = errors[t - 1 - j]);
        for i in 0..k {
            right[i] += row[i] * (values[t] - mean);
            for j in 0..=i {
                normal[i][j] += row[i] * row[j];
            }
        }
    }
    let factor = cholesky(&normal, k)?;
    let found = solve(&factor, &right, k);
    found.iter().all(|c| c.is_finite()).then(|| free_from(order, &found[..order.p], &found[order.p..k]))
}

/// Longest autoregression that stands for an ARMA.
const LONGEST: usize = 13;

/// Yule and Walker's autoregression by Levinson and Durbin's recursion.
fn autoregression(values: &[f64], mean: f64, lags: usize) -> Option<[f64; LONGEST]> {
    let covariance = |lag: usize| -> f64 {
        values[lag..].iter().zip(values).map(|(later, earlier)| (later - mean) * (earlier - mean)).sum()
    };
    let mut covariances = [0.0; LONGEST + 1];
    (0..=lags).for_each(|lag| covariances[lag] = covariance(lag));
    let mut error = covariances[0];
    let mut a = [0.0; LONGEST];
    for k in 0..lags {
        if error <= 1e-12 * covariances[0] {
            return None;
        }
        let sum: f64 = (0..k).map(|i| a[i] * covariances[k - i]).sum();
        let last = (covariances[k + 1] - sum) / error;
        let below = a;
        (0..k).for_each(|i| a[i] = below[i] - last * below[k - 1 - i]);
        a[k] = last;
        error *= 1.0 - last * last;
    }
    Some(a)
}
