//! A discrete Fourier transform of every length, small and without allocation after construction.
//!
//! Powers of 2 are transformed in place (Cooley and Tukey 1965); every other length becomes a convolution of a power of 2
//! (Bluestein 1970).

use alloc::vec::Vec;
use core::f64::consts::PI;
use core::ops::{Add, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    /// `exp(i angle)`.
    fn unit(angle: f64) -> Self {
        Complex { re: libm::cos(angle), im: libm::sin(angle) }
    }

    fn conjugate(self) -> Self {
        Complex { re: self.re, im: -self.im }
    }

    /// The squared modulus.
    pub(super) fn power(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// Transforms of every power of 2 up to a greatest one: `X[k] = sum x[t] exp(-2 pi i k t / n)`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct PowerOfTwo {
    /// `exp(-2 pi i k / n)` of the greatest n, for k < n/2.
    roots: Vec<Complex>,
}

impl PowerOfTwo {
    /// For lengths up to `longest`, itself a power of 2.
    pub(super) fn new(longest: usize) -> Self {
        let step = -2.0 * PI / longest as f64;
        PowerOfTwo { roots: (0..longest / 2).map(|k| Complex::unit(step * k as f64)).collect() }
    }

    /// Transforms in place a slice whose length is a power of 2.
    pub(super) fn transform(&self, xs: &mut [Complex]) {
        let n = xs.len();
        if n < 2 {
            return;
        }
        let unused = usize::BITS - n.trailing_zeros();
        for i in 0..n {
            let j = i.reverse_bits() >> unused;
            if i < j {
                xs.swap(i, j);
            }
        }
        let mut half = 1;
        while half < n {
            let stride = self.roots.len() / half;
            for block in xs.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                    let turned = *b * self.roots[k * stride];
                    (*a, *b) = (*a + turned, *a - turned);
                }
            }
            half *= 2;
        }
    }
}

/// Transforms of every length up to a greatest one. The length that was used last is ready for the next time.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Fft {
    powers: PowerOfTwo,
    work: Vec<Complex>,
    /// `exp(-pi i t^2 / n)` of the length that is ready.
    chirp: Vec<Complex>,
    /// The transform of the conjugate chirp, over the length of the convolution.
    kernel: Vec<Complex>,
}

impl Fft {
    pub(super) fn new(longest: usize) -> Self {
        let room = (2 * longest).next_power_of_two();
        Fft {
            powers: PowerOfTwo::new(room),
            work: Vec::with_capacity(room),
            chirp: Vec::with_capacity(longest),
            kernel: Vec::with_capacity(room),
        }
    }

    /// The transform of a real series of at most the greatest length.
    pub(super) fn of(&mut self, xs: &[f64]) -> &[Complex] {
        let real = |&re: &f64| Complex { re, im: 0.0 };
        self.work.clear();
        if xs.len().is_power_of_two() {
            self.work.extend(xs.iter().map(real));
            self.powers.transform(&mut self.work);
            return &self.work;
        }
        self.prepare(xs.len());
        self.work.extend(xs.iter().zip(&self.chirp).map(|(x, &c)| real(x) * c));
        self.work.resize(self.kernel.len(), Complex::default());
        self.powers.transform(&mut self.work);
        // The inverse transform is the conjugate of the transform of the conjugate.
        for (x, &k) in self.work.iter_mut().zip(&self.kernel) {
            *x = (*x * k).conjugate();
        }
        self.powers.transform(&mut self.work);
        let scale = 1.0 / self.kernel.len() as f64;
        for (x, &c) in self.work.iter_mut().zip(&self.chirp) {
            let turned = x.conjugate() * c;
            *x = Complex { re: scale * turned.re, im: scale * turned.im };
        }
        &self.work[..xs.len()]
    }

    fn prepare(&mut self, n: usize) {
        if self.chirp.len() == n {
            return;
        }
        // The square is reduced as a whole number, so that the angle of a great t is exact.
        let turn = |t: usize| ((t as u128 * t as u128) % (2 * n as u128)) as f64;
        self.chirp.clear();
        self.chirp.extend((0..n).map(|t| Complex::unit(-PI * turn(t) / n as f64)));
        let m = (2 * n - 1).next_power_of_two();
        self.kernel.clear();
        self.kernel.resize(m, Complex::default());
        for (t, c) in self.chirp.iter().enumerate() {
            self.kernel[t] = c.conjugate();
            self.kernel[(m - t) % m] = c.conjugate();
        }
        self.powers.transform(&mut self.kernel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(n: usize) -> Vec<f64> {
        (0..n).map(|t| ((t * t * 31 + t * 17) % 101) as f64 / 50.0 - 1.0).collect()
    }

    fn by_definition(xs: &[f64], k: usize) -> Complex {
        let n = xs.len();
        xs.iter().enumerate().fold(Complex::default(), |sum, (t, &x)| {
            let root = Complex::unit(-2.0 * PI * (k * t % n) as f64 / n as f64);
            sum + Complex { re: x * root.re, im: x * root.im }
        })
    }

    #[test]
    fn every_length_equals_the_definition() {
        let mut fft = Fft::new(130);
        for n in 1..=130 {
            let xs = series(n);
            let got = fft.of(&xs).to_vec();
            assert_eq!(got.len(), n);
            for (k, x) in got.iter().enumerate() {
                assert!((*x - by_definition(&xs, k)).power().sqrt() < 1e-11, "{n} {k}");
            }
        }
    }

    #[test]
    fn long_and_awkward_lengths_keep_their_digits() {
        for n in [65_537, 65_536, 30_030] {
            let xs = series(n);
            let mut fft = Fft::new(n);
            let got = fft.of(&xs);
            for k in [0, 1, 7, n / 2, n - 1] {
                assert!((got[k] - by_definition(&xs, k)).power().sqrt() < 1e-8, "{n} {k}");
            }
        }
    }
}
