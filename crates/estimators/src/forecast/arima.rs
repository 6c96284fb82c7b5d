//! ARIMA with given coefficients, one step ahead, by the recursion that Jeyasekar et al. 2014 print as eq. 24.
//!
//! With X the samples and `e(t) = X(t) - X^(t)` the errors of the forecasts, for d = 1, p = 2, q = 1:
//! `X^(t+1) = (1 + phi1) X(t) + (phi2 - phi1) X(t-1) - phi2 X(t-2) + theta1 e(t)`. (The print mixes up its indices.)
//! Every value before the first sample is that sample (the document's RTT1 = RTT2 = RTT3), and errors start at 0.

use super::Forecaster;
use crate::arima::{Coefficients, MAX_DIFFERENCES, MAX_ORDER};
use crate::error::ConfigError;
use crate::sample::is_finite;

/// Values that a forecast looks back on at most.
const VALUES: usize = MAX_ORDER + MAX_DIFFERENCES as usize;

/// Forecasts with an ARIMA model whose coefficients stay as they are.
///
/// An error at the start is forgotten as fast as the powers of the moving average's roots fade: with theta near -1 that
/// takes long, and with -1 for ever.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ArimaForecaster {
    weights: [f64; VALUES],
    ma: [f64; MAX_ORDER],
    mean: f64,
    /// Samples less the mean, the newest first.
    values: [f64; VALUES],
    errors: [f64; MAX_ORDER],
    next: Option<f64>,
}

impl ArimaForecaster {
    /// The forecaster of a model that [`Coefficients::check`] accepts.
    ///
    /// # Errors
    /// What [`Coefficients::check`] refuses.
    pub fn new(model: &Coefficients) -> Result<Self, ConfigError> {
        model.check()?;
        let mut weights = [0.0; VALUES];
        weights.iter_mut().zip(model.weights()).for_each(|(place, weight)| *place = weight);
        let mut ma = [0.0; MAX_ORDER];
        ma[..model.ma.len()].copy_from_slice(&model.ma);
        Ok(ArimaForecaster {
            weights,
            ma,
            mean: model.mean,
            values: [0.0; VALUES],
            errors: [0.0; MAX_ORDER],
            next: None,
        })
    }

    /// Prediction of the model from known values and errors.
    #[inline]
    fn combine(&self, values: &[f64; VALUES], errors: &[f64; MAX_ORDER]) -> f64 {
        dot(&self.weights, values) + dot(&self.ma, errors)
    }
}

impl Forecaster for ArimaForecaster {
    #[inline]
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        let value = x - self.mean;
        match self.next {
            None => self.values = [value; VALUES],
            Some(next) => {
                self.values = pushed(self.values, value);
                self.errors = pushed(self.errors, value - next);
            }
        }
        let next = self.combine(&self.values, &self.errors);
        if (next + self.mean).is_finite() {
            self.next = Some(next);
        } else {
            // Samples near the limits of numbers overflow; the series then starts anew.
            self.errors = [0.0; MAX_ORDER];
            self.values = [value; VALUES];
            self.next = Some(value);
        }
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.next.map(|next| next + self.mean)
    }

    /// The recursion goes on with its own forecasts for values, and no errors (Box and Jenkins 1976, section 5.1).
    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        let mut next = self.next?;
        let (mut values, mut errors) = (self.values, self.errors);
        for _ in 1..steps {
            values = pushed(values, next);
            errors = pushed(errors, 0.0);
            let further = self.combine(&values, &errors);
            if !(further + self.mean).is_finite() {
                break;
            }
            next = further;
        }
        Some(next + self.mean)
    }

    fn reset(&mut self) {
        self.errors = [0.0; MAX_ORDER];
        self.next = None;
    }
}

#[inline]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The array with a new first element and without its last.
#[inline]
fn pushed<const N: usize>(mut array: [f64; N], x: f64) -> [f64; N] {
    array.copy_within(0..N - 1, 1);
    array[0] = x;
    array
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Equation 24 as the derivation has it, written out for ARIMA(2,1,1).
    fn written_out(xs: &[f64]) -> f64 {
        let (phi1, phi2, theta) = (-0.36251, 0.17573, -0.95108);
        let at = |t: i64| xs[t.max(0) as usize];
        let mut forecast = xs[0];
        for t in 0..xs.len() as i64 {
            let e = if t == 0 { 0.0 } else { at(t) - forecast };
            forecast = (1.0 + phi1) * at(t) + (phi2 - phi1) * at(t - 1) - phi2 * at(t - 2) + theta * e;
        }
        forecast
    }

    proptest! {
        #[test]
        fn equals_equation_24_at_every_prefix(xs in prop::collection::vec(0.01..2.0f64, 1..60)) {
            let mut arima = ArimaForecaster::new(&Coefficients::jeyasekar_2014()).unwrap();
            for n in 1..=xs.len() {
                arima.update(xs[n - 1]);
                prop_assert!((arima.forecast().unwrap() - written_out(&xs[..n])).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn an_integrated_moving_average_is_an_ewma() {
        // ARIMA(0,1,1) with theta = g - 1 forecasts as an average of gain g does (Muth 1960).
        let model = Coefficients { d: 1, ma: vec![-0.875], ..Coefficients::default() };
        let mut arima = ArimaForecaster::new(&model).unwrap();
        let mut ewma = crate::ewma::Ewma::new(0.125).unwrap();
        for t in 0..500 {
            let x = f64::from(t % 7) + 0.5;
            arima.update(x);
            ewma.update(x);
            assert!((arima.forecast().unwrap() - ewma.value().unwrap()).abs() < 1e-9);
        }
    }

    #[test]
    fn further_ahead_an_autoregression_returns_to_its_mean() {
        let model = Coefficients { ar: vec![0.5], mean: 10.0, ..Coefficients::default() };
        let mut arima = ArimaForecaster::new(&model).unwrap();
        arima.update(18.0);
        let ahead = |steps| arima.forecast_ahead(steps).unwrap();
        assert_eq!([ahead(1), ahead(2), ahead(3)], [14.0, 12.0, 11.0]);
    }

    #[test]
    fn finite_samples_give_finite_forecasts() {
        let mut arima = ArimaForecaster::new(&Coefficients::jeyasekar_2014()).unwrap();
        for x in [f64::MAX, -f64::MAX, f64::MAX, f64::NAN, 0.1] {
            arima.update(x);
            assert!(arima.forecast_ahead(100).unwrap().is_finite());
        }
    }
}
