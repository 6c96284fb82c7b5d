//! The best linear predictor from the last samples as a forecast: LMMSE(20) of He et al.

use super::Forecaster;
use crate::error::ConfigError;
use crate::lmmse::Lmmse;

/// Forecasts by linear prediction over a sliding window; see [`Lmmse`].
#[derive(Clone, Debug)]
pub struct LmmseForecaster {
    predictor: Lmmse,
}

impl LmmseForecaster {
    /// `order` samples predict the next one, by autocovariances over `window` samples, solved every `every` samples; see
    /// [`Lmmse::new`].
    pub fn new(order: u32, window: u32, every: u32) -> Result<Self, ConfigError> {
        Ok(LmmseForecaster { predictor: Lmmse::new(order, window, every)? })
    }
}

impl Forecaster for LmmseForecaster {
    #[inline]
    fn update(&mut self, x: f64) {
        self.predictor.update(x);
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.predictor.prediction()
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        self.predictor.prediction_ahead(steps)
    }

    fn reset(&mut self) {
        self.predictor.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_to_alternate() {
        let mut lmmse = LmmseForecaster::new(2, 200, 1).unwrap();
        (0..400).for_each(|t| lmmse.update(if t % 2 == 0 { 1.0 } else { 3.0 }));
        assert!((lmmse.forecast().unwrap() - 1.0).abs() < 0.02);
        assert!((lmmse.forecast_ahead(2).unwrap() - 3.0).abs() < 0.04);
        lmmse.reset();
        assert_eq!(lmmse.forecast(), None);
    }
}
