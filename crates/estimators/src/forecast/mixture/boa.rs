//! BOA, Bernstein online aggregation, with a rate of its own for each expert (Wintenberger 2017).
//!
//! With r how much less an expert lost than the mixture and `eta = min(1 / (2 max |r|), sqrt(ln N / (2 sum r^2)))`, an
//! expert's weight is in proportion to `eta exp(eta sum r (1 - eta r))`.

use super::normalise;
use crate::math::sqrt;

/// Exponents that are this much below the greatest count for nothing.
const NEGLIGIBLE: f64 = -16.0;

/// Weights for N experts, from what they lost.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Boa<const N: usize> {
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    gained: [f64; N],
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    squares: [f64; N],
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    greatest: [f64; N],
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    rates: [f64; N],
}

impl<const N: usize> Boa<N> {
    pub fn new() -> Self {
        Boa { gained: [0.0; N], squares: [0.0; N], greatest: [0.0; N], rates: [0.0; N] }
    }

    /// Takes in how much less each expert lost than the mixture; what is not finite says nothing.
    #[inline]
    pub fn learn(&mut self, less: &[f64; N]) {
        let most = less.iter().fold(0.0, |most: f64, r| most + r * r);
        if !most.is_finite() {
            return;
        }
        let half_log = libm::log(N as f64) / 2.0;
        for (i, &r) in less.iter().enumerate() {
            let size = r.abs();
            self.greatest[i] = if size > self.greatest[i] { size } else { self.greatest[i] };
            self.squares[i] += r * r;
            let (first, second) = (0.5 / self.greatest[i], sqrt(half_log / self.squares[i]));
            let rate = if first < second { first } else { second };
            // An expert that never differed from the mixture has no rate yet.
            self.rates[i] = if rate < f64::MAX { rate } else { 0.0 };
            self.gained[i] += r * (1.0 - self.rates[i] * r);
        }
    }

    /// Writes weights that add up to 1. Before anything is known, the first expert has it all.
    #[inline]
    pub fn weigh(&self, weights: &mut [f64; N]) {
        let mut greatest = f64::NEG_INFINITY;
        for (i, exponent) in weights.iter_mut().enumerate() {
            *exponent = self.rates[i] * self.gained[i];
            let counts = self.rates[i] > 0.0 && *exponent > greatest;
            greatest = if counts { *exponent } else { greatest };
        }
        let mut sum = 0.0;
        for (weight, rate) in weights.iter_mut().zip(&self.rates) {
            let below = *weight - greatest;
            *weight = if below > NEGLIGIBLE { rate * libm::exp(below) } else { 0.0 };
            sum += *weight;
        }
        normalise(weights, sum);
    }

    pub fn reset(&mut self) {
        *self = Boa::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expert_that_loses_less_gets_it_all_in_time() {
        let mut boa = Boa::<3>::new();
        let mut weights = [0.0; 3];
        boa.weigh(&mut weights);
        assert_eq!(weights, [1.0, 0.0, 0.0]);
        (0..200).for_each(|_| boa.learn(&[-1.0, 0.5, -0.5]));
        boa.weigh(&mut weights);
        assert!(weights[1] > 0.999 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{weights:?}");
    }

    #[test]
    fn one_step_follows_by_hand() {
        let mut boa = Boa::<2>::new();
        boa.learn(&[1.0, -2.0]);
        // The rates are 1/2 and 1/4, the gains 1/2 and -2 (1 + 1/2) = -3.
        let (a, b) = (0.5 * libm::exp(0.25), 0.25 * libm::exp(-0.75));
        let mut weights = [0.0; 2];
        boa.weigh(&mut weights);
        assert!((weights[0] - a / (a + b)).abs() < 1e-12, "{weights:?}");
    }
}
