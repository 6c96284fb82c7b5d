//! ARIMA with given coefficients, one step ahead, by the exact Kalman filter: the differenced series has been stationary for
//! ever, and nothing is assumed of the errors before the first sample.
//!
//! The gain begins high and settles down to that of the plain recursion ([`super::ArimaForecaster`]). With theta near -1
//! this takes as many samples as the plain recursion takes to forget its start, and the forecasts in between are better: they
//! are the conditional expectations.

use super::Forecaster;
use crate::arima::innovations::{Innovations, CONVERGED, STATES};
use crate::arima::{partial_autocorrelations, Coefficients};
use crate::error::ConfigError;
use crate::sample::is_finite;

/// Forecasts with an ARIMA model whose coefficients stay as they are, in O(p + q) a sample.
///
/// A series that is differenced d times begins with its first d samples: until there are as many, the last value and the
/// last change go on.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExactArima {
    first: Innovations<f64, STATES>,
    filter: Innovations<f64, STATES>,
    state: [f64; STATES],
    mean: f64,
    d: u32,
    /// The last value, and the last change.
    last: [f64; 2],
    /// Samples seen, as far as it matters.
    seen: u32,
}

impl ExactArima {
    /// The forecaster of a model that [`Coefficients::check`] accepts.
    ///
    /// # Errors
    /// What [`Coefficients::check`] refuses.
    pub fn new(model: &Coefficients) -> Result<Self, ConfigError> {
        model.check()?;
        let partial = partial_autocorrelations(&model.ar).expect("the model was found to be stationary");
        let first = Innovations::new(&model.ar, &model.ma, &partial[..model.ar.len()], CONVERGED);
        Ok(ExactArima {
            first,
            filter: first,
            state: [0.0; STATES],
            mean: model.mean,
            d: model.d,
            last: [0.0; 2],
            seen: 0,
        })
    }

    /// Variance of the next error over that of the noise: 1 once the start is forgotten.
    pub fn relative_variance(&self) -> f64 {
        self.filter.variance()
    }

    /// The differenced value that a sample gives, if there are samples enough before it.
    #[inline]
    fn differenced(&self, x: f64) -> Option<f64> {
        let value = match self.d {
            0 => x - self.mean,
            1 => x - self.last[0],
            _ => x - self.last[0] - self.last[1],
        };
        (self.seen >= self.d).then_some(value)
    }

    #[inline]
    fn begin(&mut self) {
        self.filter = self.first;
        self.state = [0.0; STATES];
        self.last = [0.0; 2];
        self.seen = 0;
    }

    #[inline]
    fn take(&mut self, x: f64) {
        if let Some(value) = self.differenced(x) {
            self.filter.update(&mut self.state, value);
            self.filter.advance();
        }
        self.last[1] = if self.seen > 0 { x - self.last[0] } else { 0.0 };
        self.last[0] = x;
        self.seen = (self.seen + 1).min(3);
    }

    /// A sample from what is expected of the differenced series, and the change that it is.
    #[inline]
    fn undifferenced(&self, expected: f64, last: [f64; 2]) -> f64 {
        match self.d {
            0 => self.mean + expected,
            1 => last[0] + expected,
            _ => last[0] + last[1] + expected,
        }
    }
}

impl Forecaster for ExactArima {
    #[inline]
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        self.take(x);
        if !self.undifferenced(self.state[0], self.last).is_finite() {
            // Samples near the limits of numbers overflow; the series then starts anew.
            self.begin();
            self.last[0] = x;
            self.seen = u32::from(self.d > 0);
        }
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        (self.seen > 0).then(|| self.undifferenced(self.state[0], self.last))
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        let mut next = self.forecast()?;
        let (mut state, mut last) = (self.state, self.last);
        for _ in 1..steps {
            last = [next, next - last[0]];
            state = self.filter.ahead(&state);
            let further = self.undifferenced(state[0], last);
            if !further.is_finite() {
                break;
            }
            next = further;
        }
        Some(next)
    }

    fn reset(&mut self) {
        self.begin();
    }
}

#[cfg(test)]
mod tests {
    use super::super::ArimaForecaster;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares both once they have forgotten the values that tell them apart.
        #[test]
        fn becomes_the_plain_recursion(
            xs in prop::collection::vec(-5.0..5.0f64, 300),
            d in 0u32..=2,
            ar in -0.8..0.8f64,
            ma in -0.8..0.8f64,
        ) {
            let mean = if d == 0 { 1.5 } else { 0.0 };
            let model = Coefficients { ar: vec![ar], d, ma: vec![ma], mean };
            let mut exact = ExactArima::new(&model).unwrap();
            let mut plain = ArimaForecaster::new(&model).unwrap();
            for &x in &xs {
                exact.update(x);
                plain.update(x);
            }
            prop_assert!((exact.relative_variance() - 1.0).abs() < 1e-9);
            for steps in [1, 2, 7] {
                let (e, p) = (exact.forecast_ahead(steps).unwrap(), plain.forecast_ahead(steps).unwrap());
                prop_assert!((e - p).abs() < 1e-8 * (1.0 + p.abs()), "{steps}: {e} {p}");
            }
        }
    }

    #[test]
    fn a_level_in_noise_is_forecast_by_the_mean_of_all_samples() {
        // Differenced noise has theta = -1; the best forecast is then the mean of what has come (nearly: -1 is refused).
        let model = Coefficients { d: 1, ma: vec![-1.0 + 1e-9], ..Coefficients::default() };
        let mut exact = ExactArima::new(&model).unwrap();
        let xs = [3.0, 5.0, 1.0, 4.0, 2.0, 9.0];
        for n in 1..=xs.len() {
            exact.update(xs[n - 1]);
            let mean = xs[..n].iter().sum::<f64>() / n as f64;
            assert!((exact.forecast().unwrap() - mean).abs() < 1e-6, "{n}");
        }
        exact.reset();
        assert_eq!(exact.forecast(), None);
    }

    #[test]
    fn finite_samples_give_finite_forecasts() {
        for d in 0..=2 {
            let model = Coefficients { ar: vec![0.9], d, ma: vec![0.9], mean: 0.0 };
            let mut arima = ExactArima::new(&model).unwrap();
            for x in [f64::MAX, -f64::MAX, f64::MAX, f64::NAN, 0.1, 0.2, 0.3] {
                arima.update(x);
                assert!(arima.forecast_ahead(100).is_none_or(f64::is_finite));
            }
            assert!(arima.forecast().is_some());
        }
    }
}
