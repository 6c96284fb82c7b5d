//! H of a series by any of the methods, with a look for level shifts.

use alloc::vec::Vec;

use super::level_shift::{LevelShifts, ShiftTest};
use super::local_whittle::{self, Bandwidth};
use super::periodogram::Periodogram;
use super::series::Series;
use super::tables::{AGGREGATED_VARIANCE, ANIS_LLOYD, RESCALED_RANGE};
use super::{aggregated_variance, rescaled_range, wavelet, whittle, Family, Flags, Hurst, SeriesError};
use crate::error::ConfigError;

/// The first octave of a wavelet estimate, if none is given: the second is bent by what is not long memory, also in fGn.
const FIRST_OCTAVE: u32 = 3;

/// The last octave that an estimate may begin with.
const LAST_OCTAVE: u32 = 20;

/// Method that estimates H.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// [`LocalWhittle`](super::LocalWhittle).
    LocalWhittle(Bandwidth),
    /// The wavelets of Abry and Veitch, from this octave on; 1 is the first.
    Wavelet {
        /// The first octave.
        first_octave: u32,
    },
    /// Whittle's likelihood of a family over all frequencies.
    Whittle(Family),
    /// The variance of block means.
    AggregatedVariance,
    /// The rescaled range.
    RescaledRange {
        /// True if the expectation in white noise is taken off (Anis and Lloyd 1976).
        corrected: bool,
    },
}

impl Method {
    /// Wavelets from the third octave on.
    pub fn wavelet() -> Self {
        Method::Wavelet { first_octave: FIRST_OCTAVE }
    }

    /// Fewest samples that it needs.
    pub fn least_samples(self) -> usize {
        match self {
            Method::LocalWhittle(_) | Method::Whittle(_) => local_whittle::LEAST_SAMPLES,
            Method::Wavelet { first_octave } => wavelet::least_samples(first_octave),
            Method::AggregatedVariance => aggregated_variance::LEAST_SAMPLES,
            Method::RescaledRange { .. } => rescaled_range::LEAST_SAMPLES,
        }
    }

    fn check(self) -> Result<(), ConfigError> {
        match self {
            Method::LocalWhittle(bandwidth) => bandwidth.check(),
            Method::Wavelet { first_octave } => {
                let holds = (1..=LAST_OCTAVE).contains(&first_octave);
                ConfigError::unless(holds, "first_octave", first_octave, "an octave from 1 to 20")
            }
            _ => Ok(()),
        }
    }
}

/// A point of the diagram that a line was drawn through, or a spectrum fitted to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Logarithm to base 2 of the block size or the frequency in cycles a sample, or the octave.
    pub x: f64,
    /// Logarithm to base 2 of what depends on it.
    pub y: f64,
    /// Its weight in the line: the inverse of its variance, or 1.
    pub weight: f64,
}

/// Estimates of H by one method, from series of every length up to the one that it was made for. It allocates only when it is
/// made.
///
/// ```
/// use parshall_estimators::long_memory::{HurstEstimator, Method};
///
/// let mut estimator = HurstEstimator::new(Method::wavelet(), 1000)?;
/// let xs: Vec<f64> = (0..1000_u32).map(|t| f64::from(t * t * 97 % 1009)).collect();
/// let hurst = estimator.estimate(&xs).unwrap();
/// assert!((hurst.h - 0.5).abs() < 3.0 * hurst.standard_error);
/// assert_eq!(estimator.diagram().len(), hurst.points);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HurstEstimator {
    method: Method,
    series: Series,
    periodogram: Periodogram,
    shifts: ShiftTest,
    /// Scratch space: logarithms of frequencies, or the pyramid of wavelets.
    work: Vec<f64>,
    diagram: Vec<Point>,
}

impl HurstEstimator {
    /// For series of at most `longest` samples.
    ///
    /// # Errors
    /// A length that is less than the method needs, or settings outside their range.
    pub fn new(method: Method, longest: usize) -> Result<Self, ConfigError> {
        method.check()?;
        let enough = longest >= method.least_samples();
        ConfigError::unless(enough, "window", longest, "as many samples as the method needs")?;
        Ok(HurstEstimator {
            method,
            series: Series::new(longest),
            periodogram: Periodogram::new(longest),
            shifts: ShiftTest::new(longest),
            work: Vec::with_capacity(longest),
            diagram: Vec::with_capacity(longest),
        })
    }

    /// H of a series, and where its level shifts, if it does; from 128 samples on, shifts are looked for.
    ///
    /// # Errors
    /// Too few samples or more than there is room for, a sample that is not finite, or a series that does not vary, or not on the
    /// scales that the method looks at.
    pub fn estimate(&mut self, xs: &[f64]) -> Result<Hurst, SeriesError> {
        let xs = self.series.take([xs, &[]], self.method.least_samples())?;
        self.diagram.clear();
        let n = xs.len();
        let (diagram, work) = (&mut self.diagram, &mut self.work);
        let found = match self.method {
            Method::LocalWhittle(bandwidth) => {
                let ordinates = &self.periodogram.of(xs)[..bandwidth.of(n)];
                work.clear();
                work.extend((1..=ordinates.len()).map(|j| libm::log(j as f64)));
                spectrum(ordinates, n, diagram);
                local_whittle::minimum(ordinates, work)
            }
            Method::Whittle(family) => {
                let ordinates = self.periodogram.of(xs);
                spectrum(ordinates, n, diagram);
                whittle::estimate(family, ordinates, n)
            }
            Method::Wavelet { first_octave } => {
                work.clear();
                work.extend_from_slice(xs);
                let line = wavelet::estimate(work, first_octave, diagram);
                line.map(|(h, error)| Hurst::of(h, error, Flags::NONE, diagram.len()))
            }
            Method::AggregatedVariance => aggregated_variance::estimate(xs, diagram)
                .map(|h| Hurst::of(h, AGGREGATED_VARIANCE.at(n, h), Flags::NONE, diagram.len())),
            Method::RescaledRange { corrected } => {
                let table = if corrected { &ANIS_LLOYD } else { &RESCALED_RANGE };
                rescaled_range::estimate(xs, corrected, diagram).map(|found| {
                    let flags = Flags::CONSTANT_BLOCKS.when(found.left_out);
                    Hurst::of(found.h, table.at(n, found.h), flags, diagram.len())
                })
            }
        };
        let mut hurst = found.ok_or(SeriesError::Constant)?;
        if n >= LevelShifts::least_samples() {
            hurst.shift_at = self.shifts.of(xs).and_then(|shifts| shifts.at().first().copied());
            hurst.flags |= Flags::LEVEL_SHIFT.when(hurst.shift_at.is_some());
        }
        Ok(hurst)
    }

    /// The points of the last estimate: octaves, block sizes, or frequencies with their periodogram. Units do not show: the series is
    /// centred and scaled to a greatest deviation of 1.
    pub fn diagram(&self) -> &[Point] {
        &self.diagram
    }
}

/// The periodogram as a diagram.
fn spectrum(ordinates: &[f64], n: usize, diagram: &mut Vec<Point>) {
    let point = |(j, i): (usize, &f64)| Point {
        x: libm::log2((j + 1) as f64 / n as f64),
        y: libm::log2(i.max(f64::MIN_POSITIVE)),
        weight: 1.0,
    };
    diagram.extend(ordinates.iter().enumerate().map(point));
}
