//! The exponentially weighted mean as a forecast: TCP's srtt, and best for a random walk seen through noise.

use super::Forecaster;
use crate::error::ConfigError;
use crate::ewma::Ewma;

/// Forecasts the mean with exponentially fading memory; see [`Ewma`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EwmaForecaster {
    mean: Ewma,
}

impl EwmaForecaster {
    /// `gain` is the weight of the newest sample: above 0, at most 1.
    pub fn new(gain: f64) -> Result<Self, ConfigError> {
        Ok(EwmaForecaster { mean: Ewma::new(gain)? })
    }
}

impl Forecaster for EwmaForecaster {
    #[inline]
    fn update(&mut self, x: f64) {
        self.mean.update(x);
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.mean.value()
    }

    fn reset(&mut self) {
        self.mean.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forecasts_the_mean() {
        let mut ewma = EwmaForecaster::new(0.5).unwrap();
        [0.0, 1.0].into_iter().for_each(|x| ewma.update(x));
        assert_eq!(ewma.forecast(), Some(0.5));
    }
}
