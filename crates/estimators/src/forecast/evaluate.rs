//! Errors of a forecaster on a series: their mean, their mean size and the root of their mean square.

use super::Forecaster;
use crate::math::sqrt;
use crate::sample::is_finite;

/// Sums over the judged samples of a series. Forecasters that were fed the same series are comparable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ForecastErrors {
    /// Samples that were compared with a forecast.
    pub samples: u64,
    /// Sum of what came less what was forecast.
    pub total: f64,
    /// Sum of the sizes of the errors.
    pub total_absolute: f64,
    /// Sum of the squares of the errors.
    pub total_squared: f64,
}

impl ForecastErrors {
    /// Mean error, positive where forecasts were too low; `None` if nothing was judged.
    pub fn bias(&self) -> Option<f64> {
        self.mean(self.total)
    }

    /// Mean absolute error; `None` if nothing was judged.
    pub fn mae(&self) -> Option<f64> {
        self.mean(self.total_absolute)
    }

    /// Root of the mean squared error; `None` if nothing was judged.
    pub fn rmse(&self) -> Option<f64> {
        self.mean(self.total_squared).map(sqrt)
    }

    fn mean(&self, total: f64) -> Option<f64> {
        (self.samples > 0).then(|| total / self.samples as f64)
    }
}

/// Judges a forecaster on a series, each sample by the forecast that was made before it came.
///
/// The first `warm_up` samples are fed to the forecaster and not judged, as are those before its first forecast. A sample that
/// is not finite is left out.
///
/// ```
/// use parshall_estimators::forecast::{evaluate, LastValue};
///
/// let errors = evaluate(&mut LastValue::default(), &[1.0, 3.0, 2.0], 0);
/// // Errors of 2 and of -1; nothing forecast the first sample.
/// assert_eq!((errors.samples, errors.bias(), errors.mae()), (2, Some(0.5), Some(1.5)));
/// ```
pub fn evaluate<F: Forecaster + ?Sized>(forecaster: &mut F, xs: &[f64], warm_up: usize) -> ForecastErrors {
    let mut errors = ForecastErrors::default();
    for (n, &x) in xs.iter().enumerate() {
        if !is_finite(x) {
            continue;
        }
        if let Some(forecast) = forecaster.forecast().filter(|_| n >= warm_up) {
            let error = x - forecast;
            errors.samples += 1;
            errors.total += error;
            errors.total_absolute += error.abs();
            errors.total_squared += error * error;
        }
        forecaster.update(x);
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::{Constant, EwmaForecaster};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_errors_of_a_constant_are_its_distances(
            xs in prop::collection::vec(-10.0..10.0f64, 0..50),
            warm_up in 0usize..60,
        ) {
            let errors = evaluate(&mut Constant::new(1.0).unwrap(), &xs, warm_up);
            let judged = &xs[warm_up.min(xs.len())..];
            prop_assert_eq!(errors.samples, judged.len() as u64);
            let sum = |of: fn(f64) -> f64| judged.iter().map(|x| of(x - 1.0)).sum::<f64>();
            prop_assert!((errors.total - sum(|e| e)).abs() < 1e-9);
            prop_assert!((errors.total_absolute - sum(f64::abs)).abs() < 1e-9);
            prop_assert!((errors.total_squared - sum(|e| e * e)).abs() < 1e-9);
        }
    }

    #[test]
    fn worked_by_hand() {
        // Forecasts 4, then 4 + (2 - 4) / 2 = 3: errors of -2 and of 1.
        let xs = [4.0, f64::NAN, 2.0, 4.0];
        let errors = evaluate(&mut EwmaForecaster::new(0.5).unwrap(), &xs, 0);
        assert_eq!((errors.samples, errors.bias(), errors.mae()), (2, Some(-0.5), Some(1.5)));
        assert_eq!(errors.rmse(), Some(2.5_f64.sqrt()));
        let nothing = evaluate(&mut EwmaForecaster::new(0.5).unwrap(), &xs[..1], 0);
        assert_eq!((nothing.bias(), nothing.mae(), nothing.rmse()), (None, None, None));
    }
}
