//! The last sample as the forecast of the next: best for a random walk.

use super::Forecaster;
use crate::sample::is_finite;

/// Forecasts that nothing changes.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LastValue {
    last: Option<f64>,
}

impl Forecaster for LastValue {
    #[inline]
    fn update(&mut self, x: f64) {
        if is_finite(x) {
            self.last = Some(x);
        }
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.last
    }

    fn reset(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_the_last_finite_sample() {
        let mut last = LastValue::default();
        assert_eq!(last.forecast(), None);
        last.update(2.0);
        last.update(f64::NAN);
        assert_eq!(last.forecast_ahead(9), Some(2.0));
        last.reset();
        assert_eq!(last.forecast(), None);
    }
}
