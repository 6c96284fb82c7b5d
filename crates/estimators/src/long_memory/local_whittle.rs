//! Local Whittle estimation of H (Robinson 1995, "Gaussian semiparametric estimation of long range dependence").

use alloc::vec::Vec;

use super::periodogram::{frequencies, Periodogram};
use super::series::Series;
use super::{Hurst, SeriesError};
use crate::error::ConfigError;
use crate::math::{floor, sqrt, square};

/// Fewest frequencies that an estimate may rest on.
const LEAST_FREQUENCIES: usize = 6;

/// Fewest samples of a series: at the default bandwidth they have 9 frequencies, and the standard error of H is 0.25.
pub(super) const LEAST_SAMPLES: usize = 32;

/// Where H is looked for: -1/2 < d < 1 with d = H - 1/2, where the estimator is consistent (Velasco 1999).
const BOUNDS: (f64, f64) = (0.01, 1.49);

/// Number of the lowest Fourier frequencies that are used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bandwidth {
    /// `floor(n^power)` of a series of n samples. 0.65 is customary: less is noisier, more lets short memory in.
    Power(f64),
    /// This many, or all there are if the series has less.
    Frequencies(usize),
}

impl Default for Bandwidth {
    fn default() -> Self {
        Bandwidth::Power(0.65)
    }
}

impl Bandwidth {
    pub(super) fn check(self) -> Result<(), ConfigError> {
        match self {
            Bandwidth::Power(power) => {
                let holds = (0.5..=1.0).contains(&power);
                ConfigError::unless(holds, "bandwidth", power, "a power from 0.5 to 1")
            }
            Bandwidth::Frequencies(count) => {
                let holds = count >= LEAST_FREQUENCIES;
                ConfigError::unless(holds, "bandwidth", count, "at least 6 frequencies")
            }
        }
    }

    /// The number of frequencies of a series of `n` samples.
    pub(super) fn of(self, n: usize) -> usize {
        let count = match self {
            Bandwidth::Power(power) => floor(libm::pow(n as f64, power)) as usize,
            Bandwidth::Frequencies(count) => count,
        };
        count.min(frequencies(n))
    }
}

/// Local Whittle estimates of H, from the lowest frequencies alone, so that short memory does little harm.
///
/// It allocates only when it is made, and takes series of every length up to the one that it was made for: the whole of a
/// capture, or what a sliding window holds.
///
/// ```
/// use parshall_estimators::long_memory::LocalWhittle;
///
/// let mut whittle = LocalWhittle::new(256)?;
/// let xs: Vec<f64> = (0..256_u32).map(|t| f64::from(t * t * 97 % 251)).collect();
/// let hurst = whittle.estimate(&xs).unwrap();
/// assert_eq!(hurst.points, 36); // 256^0.65
/// assert!((hurst.h - 0.5).abs() < 3.0 * hurst.standard_error);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LocalWhittle {
    series: Series,
    periodogram: Periodogram,
    bandwidth: Bandwidth,
    log_frequencies: Vec<f64>,
}

impl LocalWhittle {
    /// For series of at most `longest` samples, with the default bandwidth.
    ///
    /// # Errors
    /// Less than [`least_samples`](Self::least_samples).
    pub fn new(longest: usize) -> Result<Self, ConfigError> {
        Self::with_bandwidth(longest, Bandwidth::default())
    }

    /// For series of at most `longest` samples.
    ///
    /// # Errors
    /// Less than [`least_samples`](Self::least_samples), a power outside [0.5, 1], or fewer than 6 frequencies.
    pub fn with_bandwidth(longest: usize, bandwidth: Bandwidth) -> Result<Self, ConfigError> {
        bandwidth.check()?;
        ConfigError::unless(longest >= LEAST_SAMPLES, "window", longest, "at least 32 samples")?;
        // The series are scaled, so that it does not matter in what unit a frequency is measured.
        let log_frequencies: Vec<f64> =
            (1..=bandwidth.of(longest)).map(|j| libm::log(j as f64 / longest as f64)).collect();
        Ok(LocalWhittle {
            series: Series::new(longest),
            periodogram: Periodogram::new(longest),
            bandwidth,
            log_frequencies,
        })
    }

    /// Fewest samples that an estimate is made of: 32.
    pub fn least_samples() -> usize {
        LEAST_SAMPLES
    }

    /// H of a series. Outside (0, 1), or at a bound of the search, it is flagged. The standard error is
    /// `1 / (2 sqrt(sum (ln j - mean)^2))` over the frequencies: Robinson's `1 / (2 sqrt(m))` is its limit, and too small at
    /// ordinary m (by 5 % at 222).
    ///
    /// # Errors
    /// Too few samples or more than there is room for, a sample that is not finite, or a series that does not vary.
    pub fn estimate(&mut self, xs: &[f64]) -> Result<Hurst, SeriesError> {
        self.estimate_parts(xs, &[])
    }

    /// Estimates H of a series in two parts, the older samples first, as a ring buffer holds them.
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate).
    pub fn estimate_parts(&mut self, older: &[f64], newer: &[f64]) -> Result<Hurst, SeriesError> {
        let xs = self.series.take([older, newer], LEAST_SAMPLES)?;
        let count = self.bandwidth.of(xs.len());
        let ordinates = &self.periodogram.of(xs)[..count];
        minimum(ordinates, &self.log_frequencies[..count]).ok_or(SeriesError::Constant)
    }
}

/// The H that minimises `ln mean(w^(2H-1) I) - (2H-1) mean ln w` (Robinson 1995, eq. 3.2); `None` if no ordinate is greater
/// than rounding.
///
/// The function is convex, being the logarithm of a sum of exponentials less a line, so that bisection on its slope finds the
/// minimum. The unit of the frequencies drops out.
pub(super) fn minimum(ordinates: &[f64], log_frequencies: &[f64]) -> Option<Hurst> {
    let count = ordinates.len();
    let rounding = 1e-25;
    if !ordinates.iter().any(|&i| i > rounding) {
        return None;
    }
    let mean = log_frequencies.iter().sum::<f64>() / count as f64;
    let spread: f64 = log_frequencies.iter().map(|l| square(l - mean)).sum();
    let slope = |h: f64| -> f64 {
        let weigh = |(i, l): (&f64, &f64)| {
            let weight = libm::exp((2.0 * h - 1.0) * (l - mean)) * i;
            (weight, weight * (l - mean))
        };
        let sums = ordinates.iter().zip(log_frequencies).map(weigh);
        let (total, moment) = sums.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
        moment / total
    };
    let h = root_of_rising(slope, BOUNDS);
    Some(Hurst::found(h, BOUNDS, 0.5 / sqrt(spread), count))
}

/// Where a function that rises crosses 0 between two bounds; the bound, if it does not.
fn root_of_rising(f: impl Fn(f64) -> f64, (mut low, mut high): (f64, f64)) -> f64 {
    if f(low) >= 0.0 {
        return low;
    }
    if f(high) <= 0.0 {
        return high;
    }
    while high - low > 1e-12 {
        let middle = low.midpoint(high);
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.midpoint(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A series whose spectrum is exactly that of H at every frequency but 0: cosines with fixed phases.
    fn pure(h: f64, n: usize) -> Vec<f64> {
        let amplitude = |j: usize| libm::pow(j as f64, 0.5 - h);
        let wave = |t: usize, j: usize| {
            libm::cos(std::f64::consts::TAU * (j * t % n) as f64 / n as f64 + (j * j) as f64)
        };
        (0..n).map(|t| (1..n.div_ceil(2)).map(|j| amplitude(j) * wave(t, j)).sum()).collect()
    }

    #[test]
    fn finds_the_exponent_of_an_exact_power_law() {
        for (h, n) in [(0.1, 128), (0.5, 200), (0.8, 301), (1.2, 256)] {
            let hurst = LocalWhittle::new(400).unwrap().estimate(&pure(h, n)).unwrap();
            assert!((hurst.h - h).abs() < 1e-9, "{h} {n}: {hurst:?}");
            assert_eq!(hurst.flags.contains(super::super::Flags::OUT_OF_RANGE), h > 1.0);
        }
    }

    #[test]
    fn a_line_is_flagged_at_the_bound_and_never_silent() {
        let cubic: Vec<f64> = (0..500).map(|t| f64::from(t).powi(3)).collect();
        let hurst = LocalWhittle::new(500).unwrap().estimate(&cubic).unwrap();
        assert!(hurst.flags.contains(super::super::Flags::OUT_OF_RANGE), "{hurst:?}");
        let alternating: Vec<f64> = (0..500_u32).map(|t| f64::from(t % 2)).collect();
        let nothing_below_nyquist = LocalWhittle::new(500).unwrap().estimate(&alternating);
        assert_eq!(nothing_below_nyquist, Err(SeriesError::Constant));
    }

    #[test]
    fn too_little_is_an_error() {
        let mut whittle = LocalWhittle::new(100).unwrap();
        assert_eq!(whittle.estimate(&[1.0; 31]), Err(SeriesError::TooFew { samples: 31, least: 32 }));
        assert_eq!(whittle.estimate(&[1.0; 101]), Err(SeriesError::TooMany { samples: 101, longest: 100 }));
        assert_eq!(whittle.estimate(&[1.0; 50]), Err(SeriesError::Constant));
        let error = |bandwidth| LocalWhittle::with_bandwidth(100, bandwidth).unwrap_err().to_string();
        assert_eq!(error(Bandwidth::Power(1.2)), "bandwidth: got 1.2, expected a power from 0.5 to 1");
        assert_eq!(error(Bandwidth::Power(f64::NAN)), "bandwidth: got NaN, expected a power from 0.5 to 1");
        assert_eq!(error(Bandwidth::Frequencies(5)), "bandwidth: got 5, expected at least 6 frequencies");
        assert!(LocalWhittle::new(31).is_err());
    }

    proptest! {
        #[test]
        fn neither_units_nor_the_split_nor_the_room_matter(
            xs in prop::collection::vec(-1.0..1.0f64, 32..200),
            split in 0.0..1.0f64,
            scale in prop_oneof![Just(1e-200), Just(1.0), Just(1e200)],
        ) {
            let alone = LocalWhittle::new(xs.len()).unwrap().estimate(&xs).unwrap();
            let moved: Vec<f64> = xs.iter().map(|x| scale * (3.0 - x)).collect();
            let (older, newer) = moved.split_at((split * xs.len() as f64) as usize);
            let mut roomy = LocalWhittle::new(200).unwrap();
            roomy.estimate(&pure(0.7, 64)).unwrap();
            let other = roomy.estimate_parts(older, newer).unwrap();
            prop_assert!((alone.h - other.h).abs() < 1e-9);
            prop_assert_eq!((alone.points, alone.flags), (other.points, other.flags));
            prop_assert!(alone.h.is_finite() && alone.standard_error > 0.0);
        }
    }
}
