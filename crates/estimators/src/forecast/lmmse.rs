//! The best linear predictor from the last samples as a forecast: LMMSE(20) of He et al.

use super::Forecaster;
use crate::error::ConfigError;
use crate::lmmse::Lmmse;
use crate::sample::is_finite;

/// Forecasts by linear prediction over a sliding window; see [`Lmmse`]. Differenced, it predicts the next change, and
/// so follows walks and trends.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LmmseForecaster {
    predictor: Lmmse,
    differenced: bool,
    last: Option<f64>,
}

impl LmmseForecaster {
    /// `order` samples predict the next one, by autocovariances over `window` samples, solved every `every` samples; see
    /// [`Lmmse::new`].
    pub fn new(order: u32, window: u32, every: u32, differenced: bool) -> Result<Self, ConfigError> {
        Ok(LmmseForecaster { predictor: Lmmse::new(order, window, every)?, differenced, last: None })
    }
}

impl Forecaster for LmmseForecaster {
    #[inline]
    fn update(&mut self, x: f64) {
        if !self.differenced {
            return self.predictor.update(x);
        }
        if is_finite(x) {
            if let Some(last) = self.last {
                self.predictor.update(x - last);
            }
            self.last = Some(x);
        }
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        if !self.differenced {
            return self.predictor.prediction();
        }
        let last = self.last?;
        Some(finite_or(last + self.predictor.prediction().unwrap_or(0.0), last))
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        if !self.differenced {
            return self.predictor.prediction_ahead(steps);
        }
        let last = self.last?;
        let changes = (1..=steps.max(1)).map(|step| self.predictor.prediction_ahead(step).unwrap_or(0.0));
        Some(finite_or(last + changes.sum::<f64>(), last))
    }

    fn reset(&mut self) {
        self.predictor.reset();
        self.last = None;
    }
}

/// Samples near the limits of numbers overflow.
fn finite_or(x: f64, instead: f64) -> f64 {
    if x.is_finite() {
        x
    } else {
        instead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_to_alternate() {
        let mut lmmse = LmmseForecaster::new(2, 200, 1, false).unwrap();
        (0..400).for_each(|t| lmmse.update(if t % 2 == 0 { 1.0 } else { 3.0 }));
        assert!((lmmse.forecast().unwrap() - 1.0).abs() < 0.02);
        assert!((lmmse.forecast_ahead(2).unwrap() - 3.0).abs() < 0.04);
        lmmse.reset();
        assert_eq!(lmmse.forecast(), None);
    }

    #[test]
    fn differenced_it_goes_on_along_a_line() {
        let mut lmmse = LmmseForecaster::new(4, 100, 5, true).unwrap();
        assert_eq!(lmmse.forecast(), None);
        (0..300).for_each(|t| lmmse.update(2.0 * f64::from(t)));
        assert_eq!((lmmse.forecast(), lmmse.forecast_ahead(5)), (Some(600.0), Some(608.0)));
    }
}
