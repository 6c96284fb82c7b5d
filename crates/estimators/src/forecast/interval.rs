//! Where the next sample will lie, for any forecaster: quantiles of its last errors, kept honest online by adaptive conformal
//! inference (Gibbs and Candes 2021).
//!
//! Each side has a level alpha of its own, at first half of what may lie outside. Its bound is the conformal quantile of the
//! last errors at that level, and `alpha += step (wanted - missed)` after each sample. Whatever the series does, the share
//! that lies beyond a bound differs from what is wanted by at most about `1 / (STEP n)` of it after n samples.

use super::Forecaster;
use crate::error::ConfigError;
use crate::math::ceil;
use crate::sample::is_finite;
use crate::sorted_window::SortedWindow;

/// Errors that the quantiles are taken of.
const WINDOW: u32 = 500;

/// Step of a level, in units of its target.
const STEP: f64 = 0.1;

/// Range of a level. Below 0 a bound lies beyond all errors that were seen.
const LEVELS: (f64, f64) = (-1.0, 0.5);

/// A forecaster, and the interval in which the next sample lies with a given probability.
///
/// An update costs what that of the forecaster costs, and O(log n) with a move of memory for the window of errors.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PredictionInterval<F> {
    forecaster: F,
    errors: SortedWindow,
    wanted: f64,
    above: f64,
    below: f64,
}

impl<F: Forecaster> PredictionInterval<F> {
    /// Intervals that hold the share `coverage` of the samples, between 0 and 1, and miss as many above as below.
    pub fn new(forecaster: F, coverage: f64) -> Result<Self, ConfigError> {
        let inside = coverage > 0.0 && coverage < 1.0;
        ConfigError::unless(inside, "coverage", coverage, "a number above 0 and below 1")?;
        let wanted = (1.0 - coverage) / 2.0;
        Ok(PredictionInterval {
            forecaster,
            errors: SortedWindow::new(WINDOW)?,
            wanted,
            above: wanted,
            below: wanted,
        })
    }

    /// Lower and upper bound of the next sample; `None` before the first error is known. While there are fewer errors than
    /// the coverage asks for (19 for 0.9), the greatest of them stand for what cannot be known.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let forecast = self.forecaster.forecast()?;
        let sorted = self.errors.sorted();
        let (&first, &last) = (sorted.first()?, sorted.last()?);
        let n = sorted.len();
        let middle = sorted[n / 2];
        let upper = match rank(self.above, n) {
            Ok(rank) => sorted[rank - 1],
            Err(beyond) => last + beyond * (last - middle),
        };
        let lower = match rank(self.below, n) {
            Ok(rank) => sorted[n - rank],
            Err(beyond) => first - beyond * (middle - first),
        };
        let finite = |bound: f64| (forecast + bound).clamp(-f64::MAX, f64::MAX);
        Some((finite(lower.min(upper)), finite(upper.max(lower))))
    }

    /// The forecaster inside.
    pub fn forecaster(&self) -> &F {
        &self.forecaster
    }

    fn adapt(&mut self, x: f64) {
        let Some((lower, upper)) = self.interval() else { return };
        let step = STEP * self.wanted;
        let moved = |level: f64, missed: bool| {
            (level + step * (self.wanted - f64::from(u8::from(missed)))).clamp(LEVELS.0, LEVELS.1)
        };
        (self.above, self.below) = (moved(self.above, x > upper), moved(self.below, x < lower));
    }
}

/// The rank of the conformal quantile, from 1 to n; or how far beyond the greatest error it lies.
fn rank(level: f64, n: usize) -> Result<usize, f64> {
    let wanted = (n as f64 + 1.0) * (1.0 - level);
    if wanted <= n as f64 {
        Ok((ceil(wanted) as usize).max(1))
    } else if level > 0.0 {
        Ok(n)
    } else {
        Err(-level / (level.abs() + 1.0) * n as f64 / 10.0)
    }
}

impl<F: Forecaster> Forecaster for PredictionInterval<F> {
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        if let Some(forecast) = self.forecaster.forecast() {
            self.adapt(x);
            let error = x - forecast;
            if error.is_finite() {
                self.errors.push(error);
            }
        }
        self.forecaster.update(x);
    }

    fn forecast(&self) -> Option<f64> {
        self.forecaster.forecast()
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        self.forecaster.forecast_ahead(steps)
    }

    fn reset(&mut self) {
        self.forecaster.reset();
        self.errors.clear();
        self.above = self.wanted;
        self.below = self.wanted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::{Constant, EwmaForecaster, LastValue};

    fn noise(n: usize) -> impl Iterator<Item = f64> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        (0..n).map(move |_| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
        })
    }

    /// Shares of samples inside, above and below.
    fn shares<F: Forecaster>(forecaster: F, coverage: f64, xs: impl Iterator<Item = f64>) -> (f64, f64, f64) {
        let mut interval = PredictionInterval::new(forecaster, coverage).unwrap();
        let (mut above, mut below, mut all) = (0.0, 0.0, 0.0);
        for x in xs {
            if let Some((lower, upper)) = interval.interval() {
                assert!(lower <= upper);
                above += f64::from(u8::from(x > upper));
                below += f64::from(u8::from(x < lower));
                all += 1.0;
            }
            interval.update(x);
        }
        (1.0 - (above + below) / all, above / all, below / all)
    }

    #[test]
    fn covers_what_it_says_on_noise_shifts_and_walks() {
        let walk = || {
            noise(6000).scan(5.0, |x, u| {
                *x += u - 0.5;
                Some(*x)
            })
        };
        let shifts = || noise(6000).enumerate().map(|(t, u)| u + [0.0, 40.0, 3.0][t / 700 % 3]);
        for coverage in [0.5, 0.9, 0.98] {
            for (name, (inside, above, below)) in [
                ("noise", shares(EwmaForecaster::new(0.1).unwrap(), coverage, noise(6000))),
                ("walk", shares(LastValue::default(), coverage, walk())),
                ("shifts", shares(EwmaForecaster::new(0.05).unwrap(), coverage, shifts())),
            ] {
                assert!((inside - coverage).abs() < 0.03, "{name} {coverage}: {inside}");
                assert!((above - below).abs() < 0.03, "{name} {coverage}: {above} {below}");
            }
        }
    }

    #[test]
    fn the_bounds_of_uniform_noise_are_its_quantiles() {
        let mut interval = PredictionInterval::new(Constant::new(0.0).unwrap(), 0.8).unwrap();
        noise(5000).for_each(|x| interval.update(x));
        let (lower, upper) = interval.interval().unwrap();
        assert!((lower - 0.1).abs() < 0.08 && (upper - 0.9).abs() < 0.08, "{lower} {upper}");
    }

    #[test]
    fn a_constant_series_has_no_width_and_a_first_sample_no_interval() {
        let mut interval = PredictionInterval::new(LastValue::default(), 0.9).unwrap();
        interval.update(3.0);
        assert_eq!(interval.interval(), None);
        (0..100).for_each(|_| interval.update(3.0));
        assert_eq!(interval.interval(), Some((3.0, 3.0)));
        interval.reset();
        assert_eq!((interval.forecast(), interval.interval()), (None, None));
    }

    #[test]
    fn finite_samples_give_finite_bounds() {
        let mut interval = PredictionInterval::new(LastValue::default(), 0.9).unwrap();
        for t in 0..2000 {
            interval.update([f64::MAX, -f64::MAX, 0.0, f64::NAN, 1e300][t % 5]);
            let (lower, upper) = interval.interval().unwrap_or((0.0, 0.0));
            assert!(lower.is_finite() && upper.is_finite() && lower <= upper, "after {t}");
        }
        assert_eq!(PredictionInterval::new(LastValue::default(), 1.0).unwrap_err().field, "coverage");
    }
}
