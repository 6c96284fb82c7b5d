//! ML-Poly: the polynomially weighted average with a rate of its own for each expert (Gaillard, Stoltz and van Erven 2014).
//!
//! With R the sum of how much less an expert lost than the mixture and V that of the squares, its weight is in proportion
//! to `max(0, R) / (V + greatest square)`. Scaling every loss changes nothing.

use super::normalise;

/// Weights for N experts, from what they lost.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::forecast) struct Polynomial<const N: usize> {
    /// Factor of a sum with each sample: 1 remembers all.
    keep: f64,
    /// Factor of the greatest square, which fades faster.
    keep_greatest: f64,
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    regret: [f64; N],
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    squares: [f64; N],
    greatest: f64,
}

impl<const N: usize> Polynomial<N> {
    /// Weights that remember all (1, 1), or that leave `keep` of a sum after a sample and `keep_greatest` of the greatest square.
    pub fn new(keep: f64, keep_greatest: f64) -> Self {
        Polynomial { keep, keep_greatest, regret: [0.0; N], squares: [0.0; N], greatest: 0.0 }
    }

    /// Takes in how much less each expert lost than the mixture; what is not finite says nothing.
    #[inline]
    pub fn learn(&mut self, less: &[f64; N]) {
        let most = less.iter().fold(0.0, |most: f64, r| most + r * r);
        if !most.is_finite() {
            return;
        }
        let mut greatest = self.greatest * self.keep_greatest;
        for (i, &r) in less.iter().enumerate() {
            let square = r * r;
            self.regret[i] = self.regret[i] * self.keep + r;
            self.squares[i] = self.squares[i] * self.keep + square;
            greatest = if square > greatest { square } else { greatest };
        }
        // Numbers that fade for ever would become subnormal, which is slow.
        self.greatest = if greatest < f64::MIN_POSITIVE { 0.0 } else { greatest };
    }

    /// Writes weights that add up to 1. While nobody is better than the mixture, the first expert has it all.
    #[inline]
    pub fn weigh(&self, weights: &mut [f64; N]) {
        let mut sum = 0.0;
        for (i, weight) in weights.iter_mut().enumerate() {
            let better = if self.regret[i] > 0.0 { self.regret[i] } else { 0.0 };
            *weight = better / (self.squares[i] + self.greatest + f64::MIN_POSITIVE);
            sum += *weight;
        }
        normalise(weights, sum);
    }

    pub fn reset(&mut self) {
        *self = Polynomial::new(self.keep, self.keep_greatest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_follow_by_hand() {
        let mut rule = Polynomial::<3>::new(1.0, 1.0);
        let mut weights = [0.0; 3];
        rule.weigh(&mut weights);
        assert_eq!(weights, [1.0, 0.0, 0.0]);
        rule.learn(&[2.0, -1.0, 1.0]);
        // R = (2, -1, 1), V = (4, 1, 1), greatest 4: 2/8, 0, 1/5.
        rule.weigh(&mut weights);
        assert!((weights[0] - 0.25 / 0.45).abs() < 1e-15 && weights[1] == 0.0);
    }

    #[test]
    fn scale_does_not_matter() {
        let (mut small, mut large) = (Polynomial::<2>::new(0.99, 0.9801), Polynomial::<2>::new(0.99, 0.9801));
        for i in 0..50 {
            let less = [f64::from(i % 7) - 2.0, f64::from(i % 5) - 2.0];
            small.learn(&less);
            large.learn(&less.map(|r| r * 1024.0));
        }
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        small.weigh(&mut a);
        large.weigh(&mut b);
        assert!((a[0] - b[0]).abs() < 1e-12, "{a:?} {b:?}");
    }

    #[test]
    fn what_is_not_finite_teaches_nothing() {
        let mut rule = Polynomial::<2>::new(1.0, 1.0);
        rule.learn(&[f64::NAN, 1.0]);
        rule.learn(&[1e300, 1.0]);
        let mut weights = [0.0; 2];
        rule.weigh(&mut weights);
        assert_eq!(weights, [1.0, 0.0]);
    }
}
