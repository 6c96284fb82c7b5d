//! The exact innovations of a stationary ARMA in O(p + q) a sample: Kalman's filter, begun with the model's own
//! distribution, whose gain follows from Chandrasekhar's recursions (Morf, Sidhu and Kailath 1974; Pearlman 1980; Mélard
//! 1984) instead of a covariance matrix. Once the gain has converged, the plain recursion goes on.
//!
//! The state is Harvey's: element 0 is what is expected next, element i what the past says of i steps later. With
//! `R >= max(p, q + 1)` elements it moves by `a'[i] = phi[i] a[0] + a[i + 1] + gain[i] v`, where v is the innovation.

use super::scalar::Scalar;
use super::MAX_ORDER;
use crate::math::square;

/// Elements of the state, at most.
pub const STATES: usize = MAX_ORDER + 1;

/// The state of the filter: what is expected, the next value first.
pub type State<S, const R: usize> = [S; R];

/// Change per step in the variance of an innovation below which the gain counts as converged.
pub const CONVERGED: f64 = 1e-13;

/// The gain and the variance of the innovations at one time, over the variance of the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Innovations<S, const R: usize> {
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    phi: [S; R],
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    theta: [S; R],
    /// Covariance of the next state with the value.
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    covariance: [S; R],
    /// Remainder of the start; the change of the state's covariance matrix is a multiple of its square.
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    fading: [S; R],
    /// One over the square of the first variance.
    scale: S,
    variance: S,
    inverse: S,
    /// Change per step at which the plain recursion begins; 0 where it must not begin.
    settles_at: f64,
    steady: bool,
}

impl<S: Scalar, const R: usize> Innovations<S, R> {
    /// Before the first value. `partial` are the partial autocorrelations that `phi` has. The plain
    /// recursion begins when a step changes the variance by less than `settles_at`; where the model is not invertible, it
    /// must not, and that is 0.
    pub fn new(phi: &[S], theta: &[S], partial: &[S], settles_at: f64) -> Self {
        let zero = S::constant(0.0);
        let mut all_phi = [zero; R];
        all_phi[..phi.len()].copy_from_slice(phi);
        let mut all_theta = [zero; R];
        all_theta[..theta.len()].copy_from_slice(theta);
        let (variance, covariance) = stationary_start(phi, &all_theta, theta.len(), partial);
        let inverse = variance.recip();
        Innovations {
            phi: all_phi,
            theta: all_theta,
            covariance,
            fading: covariance,
            scale: inverse * inverse,
            variance,
            inverse,
            settles_at,
            steady: false,
        }
    }

    /// Where the plain recursion begins: errors before are 0, and `before` are the values before, the newest last.
    pub fn conditional(phi: &[S], theta: &[S], before: &[f64]) -> (Self, State<S, R>) {
        let mut plain = Innovations::new(&[], theta, &[], CONVERGED);
        plain.phi[..phi.len()].copy_from_slice(phi);
        plain.settle();
        let mut state = [S::constant(0.0); R];
        for (i, expected) in state.iter_mut().enumerate().take(phi.len()) {
            for (weight, &value) in phi[i..].iter().zip(before.iter().rev()) {
                *expected = *expected + weight.times(value);
            }
        }
        (plain, state)
    }

    /// Variance of the next innovation over that of the noise.
    #[inline]
    pub fn variance(&self) -> S {
        self.variance
    }

    /// One over [`Innovations::variance`].
    #[inline]
    pub fn inverse(&self) -> S {
        self.inverse
    }

    /// Returns whether the gain has converged, so that the variance stays 1.
    #[inline]
    pub fn is_steady(&self) -> bool {
        self.steady
    }

    /// Takes a value into a state; returns the innovation. Several series may share one gain.
    #[inline(always)]
    pub fn update(&self, state: &mut State<S, R>, value: f64) -> S {
        if self.steady {
            return self.update_steady(state, value);
        }
        let expected = state[0];
        let innovation = S::constant(value) - expected;
        let scaled = innovation * self.inverse;
        for i in 0..R {
            state[i] = self.phi[i] * expected + next(state, i) + self.covariance[i] * scaled;
        }
        innovation
    }

    /// Updates the state once the gain has converged.
    #[inline(always)]
    pub fn update_steady(&self, state: &mut State<S, R>, value: f64) -> S {
        let innovation = S::constant(value) - state[0];
        for i in 0..R {
            state[i] = next(state, i) + self.phi[i].times(value) + self.theta[i] * innovation;
        }
        innovation
    }

    /// Goes on to the next time.
    #[inline(always)]
    pub fn advance(&mut self) {
        if self.steady {
            return;
        }
        let first = self.fading[0];
        let change = first * self.scale;
        let multiplier = S::constant(0.0) - self.variance * change;
        self.variance = self.variance - self.variance * change * first;
        self.inverse = self.variance.recip();
        let back = first * self.inverse;
        let mut left = 0.0;
        for i in 0..R {
            let moved = self.phi[i] * first + next(&self.fading, i);
            self.covariance[i] = self.covariance[i] + moved * multiplier;
            self.fading[i] = moved - self.covariance[i] * back;
            left += square(self.fading[i].value());
        }
        if left * self.scale.value() < self.settles_at {
            self.settle();
        }
    }

    /// State expected after one more step without a value.
    pub fn ahead(&self, state: &State<S, R>) -> State<S, R> {
        core::array::from_fn(|i| self.phi[i] * state[0] + next(state, i))
    }

    fn settle(&mut self) {
        self.steady = true;
        self.variance = S::constant(1.0);
        self.inverse = S::constant(1.0);
    }
}

#[inline(always)]
fn next<S: Scalar, const R: usize>(state: &State<S, R>, i: usize) -> S {
    if i + 1 < R {
        state[i + 1]
    } else {
        S::constant(0.0)
    }
}

/// Variance of the process over that of the noise, and the covariance of the next state with the value.
fn stationary_start<S: Scalar, const R: usize>(
    phi: &[S],
    theta: &[S; R],
    q: usize,
    partial: &[S],
) -> (S, State<S, R>) {
    let (zero, one) = (S::constant(0.0), S::constant(1.0));
    let of_ar = autoregressive_covariances(phi, partial);
    let weight = |j: usize| if j == 0 { one } else { theta[j - 1] };
    let mut covariances = [zero; STATES + 1];
    for (lag, covariance) in covariances.iter_mut().enumerate().take(phi.len() + 1) {
        for i in 0..=q {
            for j in 0..=q {
                *covariance = *covariance + weight(i) * weight(j) * of_ar[(lag + i).abs_diff(j)];
            }
        }
    }
    let responses = responses(phi, theta);
    let mut with_value = [zero; R];
    for (i, covariance) in with_value.iter_mut().enumerate() {
        for (later, &coefficient) in phi.iter().skip(i).enumerate() {
            *covariance = *covariance + coefficient * covariances[later];
        }
        for j in i + 1..=q {
            *covariance = *covariance + weight(j) * responses[j - i - 1];
        }
    }
    (covariances[0], with_value)
}

/// Autocovariances of the autoregression alone, from its partial autocorrelations by Levinson and Durbin's recursion
/// read backwards, which is exact however close a root is to the unit circle.
fn autoregressive_covariances<S: Scalar>(phi: &[S], partial: &[S]) -> [S; 2 * STATES] {
    let (zero, one) = (S::constant(0.0), S::constant(1.0));
    let mut left = one;
    for &r in partial {
        left = left * (one - r) * (one + r);
    }
    let variance = left.recip();
    let mut covariances = [zero; 2 * STATES];
    covariances[0] = variance;
    let mut error = variance;
    let mut below = [zero; MAX_ORDER];
    for (k, &r) in partial.iter().enumerate() {
        let mut covariance = r * error;
        for i in 0..k {
            covariance = covariance + below[i] * covariances[k - i];
        }
        covariances[k + 1] = covariance;
        error = error * (one - r) * (one + r);
        let before = below;
        for i in 0..k {
            below[i] = before[i] - r * before[k - 1 - i];
        }
        below[k] = r;
    }
    for lag in phi.len() + 1..2 * STATES {
        for (i, &coefficient) in phi.iter().enumerate() {
            covariances[lag] = covariances[lag] + coefficient * covariances[lag - 1 - i];
        }
    }
    covariances
}

/// Response to an impulse of the noise after 0, 1, 2 ... steps.
fn responses<S: Scalar, const R: usize>(phi: &[S], theta: &[S; R]) -> [S; R] {
    let mut responses = [S::constant(0.0); R];
    responses[0] = S::constant(1.0);
    for k in 1..R {
        responses[k] = theta[k - 1];
        for (i, &coefficient) in phi.iter().enumerate().take(k) {
            responses[k] = responses[k] + coefficient * responses[k - 1 - i];
        }
    }
    responses
}
