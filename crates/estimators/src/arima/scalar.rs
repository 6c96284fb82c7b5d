//! Numbers that carry derivatives: what a filter computes from its parameters, and how that changes with each of them.
//!
//! The likelihood is written once, for any [`Scalar`]. With `f64` it gives values; with [`Dual`] it gives values and
//! exact gradients (forward differentiation, Wengert 1964), which no difference quotient can spoil.

use core::ops::{Add, Mul, Sub};

/// Number type of the likelihood.
pub trait Scalar: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A number that depends on no parameter.
    fn constant(value: f64) -> Self;
    /// The number without its derivatives.
    fn value(self) -> f64;
    /// `c` times the number.
    fn times(self, c: f64) -> Self;
    /// One over the number.
    fn recip(self) -> Self;
}

impl Scalar for f64 {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self
    }

    #[inline(always)]
    fn times(self, c: f64) -> Self {
        self * c
    }

    #[inline(always)]
    fn recip(self) -> Self {
        1.0 / self
    }
}

/// A number and its derivatives by `K` parameters.
#[derive(Clone, Copy, Debug)]
pub struct Dual<const K: usize> {
    pub value: f64,
    pub slope: [f64; K],
}

impl<const K: usize> Dual<K> {
    /// The parameter in place `k`, whose derivative by itself is `slope`.
    pub fn parameter(value: f64, k: usize, slope: f64) -> Self {
        let mut dual = Dual { value, slope: [0.0; K] };
        dual.slope[k] = slope;
        dual
    }

    /// The value replaced, the derivatives multiplied: the chain rule.
    #[inline(always)]
    fn chained(self, value: f64, slope: f64) -> Self {
        Dual { value, slope: self.slope.map(|s| s * slope) }
    }
}

impl<const K: usize> Scalar for Dual<K> {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Dual { value, slope: [0.0; K] }
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.value
    }

    #[inline(always)]
    fn times(self, c: f64) -> Self {
        self.chained(self.value * c, c)
    }

    #[inline(always)]
    fn recip(self) -> Self {
        let inverse = 1.0 / self.value;
        self.chained(inverse, -inverse * inverse)
    }
}

impl<const K: usize> Add for Dual<K> {
    type Output = Self;

    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        self.value += other.value;
        for (mine, its) in self.slope.iter_mut().zip(other.slope) {
            *mine += its;
        }
        self
    }
}

impl<const K: usize> Sub for Dual<K> {
    type Output = Self;

    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        self.value -= other.value;
        for (mine, its) in self.slope.iter_mut().zip(other.slope) {
            *mine -= its;
        }
        self
    }
}

impl<const K: usize> Mul for Dual<K> {
    type Output = Self;

    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for (mine, its) in self.slope.iter_mut().zip(other.slope) {
            *mine = *mine * other.value + self.value * its;
        }
        self.value *= other.value;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 x y / (x + 2) - x at (1.5, 0.7), with both derivatives by hand.
    #[test]
    fn derivatives_follow_the_rules_of_calculus() {
        let (x, y) = (1.5_f64, 0.7);
        let (dx, dy) = (Dual::<2>::parameter(x, 0, 1.0), Dual::<2>::parameter(y, 1, 1.0));
        let z = (dx * dy).times(3.0) * (dx + Dual::constant(2.0)).recip() - dx;
        let l = x + 2.0;
        assert!((z.value() - (3.0 * x * y / l - x)).abs() < 1e-15);
        assert!((z.slope[0] - (3.0 * y / l - 3.0 * x * y / (l * l) - 1.0)).abs() < 1e-14);
        assert!((z.slope[1] - 3.0 * x / l).abs() < 1e-14);
    }
}
