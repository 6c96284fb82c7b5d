//! The median of the last samples as a forecast: least absolute error where outliers are many.

use super::Forecaster;
use crate::error::ConfigError;
use crate::median::SlidingMedian;

/// Forecasts the median of the newest samples; see [`SlidingMedian`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MedianForecaster {
    median: SlidingMedian,
}

impl MedianForecaster {
    /// `window` is how many samples: at least 1, at most [`crate::MAX_WINDOW`].
    pub fn new(window: u32) -> Result<Self, ConfigError> {
        Ok(MedianForecaster { median: SlidingMedian::new(window)? })
    }
}

impl Forecaster for MedianForecaster {
    #[inline]
    fn update(&mut self, x: f64) {
        self.median.update(x);
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.median.value()
    }

    fn reset(&mut self) {
        self.median.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forecasts_the_median() {
        let mut median = MedianForecaster::new(3).unwrap();
        [1.0, 9.0, 2.0].into_iter().for_each(|x| median.update(x));
        assert_eq!(median.forecast(), Some(2.0));
    }
}
