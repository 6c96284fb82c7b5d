//! Named random streams.
//!
//! Every draw comes from a stream that the run's seed and a name determine, so adding a flow or a link leaves
//! all other draws as they were, and two variants of a scenario with one seed see the same traffic.
//! Variates are inverse distribution functions of one uniform each, normal ones but for: a stream stays in step
//! whatever law it serves. `libm` gives the same bits on every platform.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::units::Time;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream called `name` of the run with this seed.
    pub fn new(seed: u64, name: &str) -> Self {
        Stream(Xoshiro256PlusPlus::seed_from_u64(mix(mix(seed) ^ fnv1a(name))))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform on `[0, 1)`, a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform on `[low, high)`.
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform on `[low, high)`.
    #[inline]
    pub fn time_between(&mut self, low: Time, high: Time) -> Time {
        Time::from_secs(self.between(low.secs(), high.secs()))
    }

    /// Exponential with this mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log1p(-self.uniform())
    }

    /// Two independent standard normal variates, from two uniforms (Box and Muller 1958).
    pub fn normals(&mut self) -> [f64; 2] {
        let radius = (-2.0 * libm::log1p(-self.uniform())).sqrt();
        let angle = std::f64::consts::TAU * self.uniform();
        [radius * libm::cos(angle), radius * libm::sin(angle)]
    }

    /// Pareto with this mean and a shape above 1: P(X > x) = (scale / x)^shape, scale = mean (shape - 1) / shape.
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        let scale = mean * (shape - 1.0) / shape;
        scale / libm::pow(1.0 - self.uniform(), 1.0 / shape)
    }

    /// Pareto of the second kind (Lomax 1954) with this mean and a shape above 1: P(X > x) = (1 + x / scale)^-shape,
    /// scale = mean (shape - 1).
    pub fn lomax(&mut self, mean: f64, shape: f64) -> f64 {
        mean * (shape - 1.0) * (1.0 / libm::pow(1.0 - self.uniform(), 1.0 / shape) - 1.0)
    }

    /// Lognormal with this mean, and this standard deviation of the logarithm.
    pub fn lognormal(&mut self, mean: f64, sigma: f64) -> f64 {
        mean * libm::exp(sigma * self.normals()[0] - 0.5 * sigma * sigma)
    }

    /// One of `0..n`, all equally likely to within a part in 2⁵³ / n.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        (self.uniform() * n as f64) as u64
    }

    /// True with this probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }
}

/// FNV-1a, 64 bits: spreads names over the seed space.
#[inline]
pub fn fnv1a(name: &str) -> u64 {
    fnv1a_bytes(name.bytes())
}

/// The hash of these bytes, as [`fnv1a`].
#[inline]
pub fn fnv1a_bytes(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The finaliser of SplitMix64: neighbouring seeds become unrelated.
#[inline]
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64, name: &str, n: usize) -> Vec<f64> {
        let mut stream = Stream::new(seed, name);
        (0..n).map(|_| stream.uniform()).collect()
    }

    fn mean(xs: &[f64]) -> f64 {
        xs.iter().sum::<f64>() / xs.len() as f64
    }

    fn correlation(xs: &[f64], ys: &[f64]) -> f64 {
        let (mx, my) = (mean(xs), mean(ys));
        let cov = |a: &[f64], ma: f64, b: &[f64], mb: f64| -> f64 {
            a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).sum()
        };
        cov(xs, mx, ys, my) / (cov(xs, mx, xs, mx) * cov(ys, my, ys, my)).sqrt()
    }

    #[test]
    fn a_stream_depends_on_seed_and_name_only() {
        assert_eq!(draws(7, "a", 5), draws(7, "a", 5));
        assert_ne!(draws(7, "a", 5), draws(7, "b", 5));
        assert_ne!(draws(7, "a", 5), draws(8, "a", 5));
    }

    #[test]
    fn seeds_in_a_row_are_not_correlated() {
        // ns-2's plain seeds 1 and 2 are, with coefficient 0.5.
        const N: usize = 20_000;
        let bound = 4.0 / (N as f64).sqrt();
        for (a, b) in [(0, 1), (1, 2), (1, 3), (2, 4), (5, 10)] {
            let r = correlation(&draws(a, "x", N), &draws(b, "x", N));
            assert!(r.abs() < bound, "seeds {a} and {b}: {r}");
        }
    }

    #[test]
    fn variates_have_the_mean_they_are_asked_for() {
        let mut stream = Stream::new(3, "m");
        let n = 200_000;
        let exponential: f64 = (0..n).map(|_| stream.exponential(2.0)).sum::<f64>() / f64::from(n);
        let pareto: f64 = (0..n).map(|_| stream.pareto(2.0, 2.5)).sum::<f64>() / f64::from(n);
        // Standard errors are 2/sqrt(n) = 0.0045 and 1.79/sqrt(n) = 0.004.
        assert!((exponential - 2.0).abs() < 0.02, "{exponential}");
        assert!((pareto - 2.0).abs() < 0.02, "{pareto}");
    }

    #[test]
    fn normals_have_the_moments_of_the_normal_distribution() {
        let mut stream = Stream::new(3, "n");
        let n = 100_000;
        let pairs: Vec<[f64; 2]> = (0..n).map(|_| stream.normals()).collect();
        let mean = |f: fn(&[f64; 2]) -> f64| pairs.iter().map(f).sum::<f64>() / f64::from(n);
        // Four standard errors: of the mean, the product, the square and the fourth power.
        let error = 4.0 / f64::from(n).sqrt();
        assert!(mean(|p| p[0]).abs() < error && mean(|p| p[1]).abs() < error);
        assert!(mean(|p| p[0] * p[1]).abs() < error);
        assert!((mean(|p| p[0] * p[0]) - 1.0).abs() < error * 2_f64.sqrt());
        assert!((mean(|p| p[1].powi(4)) - 3.0).abs() < error * 96_f64.sqrt());
    }

    #[test]
    fn pareto_has_the_tail_of_its_shape() {
        let mut stream = Stream::new(4, "tail");
        let (n, shape, mean) = (100_000, 2.5, 1.0);
        let scale = mean * (shape - 1.0) / shape;
        let beyond = (0..n).filter(|_| stream.pareto(mean, shape) > 4.0 * scale).count();
        let expected = libm::pow(4.0, -shape);
        let error = (expected / f64::from(n)).sqrt();
        assert!((beyond as f64 / f64::from(n) - expected).abs() < 4.0 * error);
    }
}
