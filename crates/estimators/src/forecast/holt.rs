//! Holt's method: a level and a trend, each with exponentially fading memory (Holt 1957).

use super::Forecaster;
use crate::error::ConfigError;
use crate::ewma::check_gain;
use crate::sample::is_finite;

/// Forecasts along a straight line: `level + trend`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Holt {
    gain: f64,
    trend_gain: f64,
    state: Option<(f64, f64)>,
}

impl Holt {
    /// `gain` is the weight of a sample in the level, `trend_gain` that of a step of the level in the trend: both above 0, at
    /// most 1.
    pub fn new(gain: f64, trend_gain: f64) -> Result<Self, ConfigError> {
        check_gain("gain", gain)?;
        check_gain("trend_gain", trend_gain)?;
        Ok(Holt { gain, trend_gain, state: None })
    }
}

impl Forecaster for Holt {
    #[inline]
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        let Some((level, trend)) = self.state else {
            self.state = Some((x, 0.0));
            return;
        };
        let expected = level + trend;
        let next = expected + self.gain * (x - expected);
        let next_trend = trend + self.trend_gain * (next - level - trend);
        // Samples near the limits of numbers overflow; the line then starts anew.
        let finite = next.is_finite() && next_trend.is_finite() && (next + next_trend).is_finite();
        self.state = Some(if finite { (next, next_trend) } else { (x, 0.0) });
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.forecast_ahead(1)
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        let (level, trend) = self.state?;
        let ahead = level + f64::from(steps.max(1)) * trend;
        Some(if ahead.is_finite() { ahead } else { level })
    }

    fn reset(&mut self) {
        self.state = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_a_line_and_goes_on_along_it() {
        let mut holt = Holt::new(0.5, 0.5).unwrap();
        (0..200).for_each(|t| holt.update(3.0 + 0.25 * f64::from(t)));
        assert!((holt.forecast().unwrap() - (3.0 + 0.25 * 200.0)).abs() < 1e-9);
        assert!((holt.forecast_ahead(5).unwrap() - (3.0 + 0.25 * 204.0)).abs() < 1e-9);
    }

    #[test]
    fn huge_samples_leave_it_finite() {
        let mut holt = Holt::new(0.5, 0.5).unwrap();
        for x in [f64::MAX, -f64::MAX, f64::MAX, f64::MAX] {
            holt.update(x);
            assert!(holt.forecast_ahead(1000).unwrap().is_finite());
        }
    }
}
