//! Parameters of an ARIMA model: its coefficients and how often the series is differenced.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::{ar_is_stationary, ma_is_invertible};
use crate::error::ConfigError;

/// Greatest p and q.
pub const MAX_ORDER: usize = 5;

/// Greatest d.
pub const MAX_DIFFERENCES: u32 = 2;

/// The coefficients of an ARIMA(p,d,q), where p and q are how many there are.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Coefficients {
    /// phi: what the last values count for, the newest first.
    pub ar: Vec<f64>,
    /// Number of times that the series is differenced, 0 to 2.
    pub d: u32,
    /// theta: what the last errors count for, the newest first.
    pub ma: Vec<f64>,
    /// Mean of the series; 0 if it is differenced.
    pub mean: f64,
}

impl Coefficients {
    /// The ARIMA(2,1,1) of Jeyasekar et al. 2014, below eq. 24.
    pub fn jeyasekar_2014() -> Self {
        Coefficients { ar: vec![-0.36251, 0.17573], d: 1, ma: vec![-0.95108], mean: 0.0 }
    }

    /// Checks that the model is stationary after differencing, invertible and small enough.
    ///
    /// # Errors
    /// The first coefficient, or the first set of them, that cannot be.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_polynomial("ar", &self.ar, ar_is_stationary(&self.ar), "coefficients of a stationary model")?;
        let d = self.d;
        ConfigError::unless(d <= MAX_DIFFERENCES, "d", d, "a whole number from 0 to 2")?;
        check_polynomial("ma", &self.ma, ma_is_invertible(&self.ma), "coefficients of an invertible model")?;
        let fits = if d == 0 { self.mean.is_finite() } else { self.mean == 0.0 };
        ConfigError::unless(fits, "mean", self.mean, "a finite number, and 0 where d is above 0")
    }

    /// Weights of the last `p + d` values in the next one: the coefficients of `1 - phi(B) (1-B)^d`, the
    /// newest value first.
    pub fn weights(&self) -> Vec<f64> {
        let mut polynomial = vec![1.0];
        polynomial.extend(self.ar.iter().map(|phi| -phi));
        for _ in 0..self.d {
            let before = polynomial.iter().copied().chain([0.0]);
            let shifted = core::iter::once(0.0).chain(polynomial.iter().copied());
            polynomial = before.zip(shifted).map(|(a, b)| a - b).collect();
        }
        polynomial[1..].iter().map(|c| -c).collect()
    }
}

fn check_polynomial(
    field: &'static str,
    coefficients: &[f64],
    stable: bool,
    expected: &'static str,
) -> Result<(), ConfigError> {
    if coefficients.len() <= MAX_ORDER && stable {
        return Ok(());
    }
    // Text is made only where something is wrong: a sound model allocates nothing.
    let as_text = || coefficients.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    ConfigError::unless(coefficients.len() <= MAX_ORDER, field, as_text(), "at most 5 coefficients")?;
    ConfigError::unless(stable, field, as_text(), expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_model_weighs_three_values_as_equation_24_does() {
        let model = Coefficients::jeyasekar_2014();
        model.check().unwrap();
        let (phi1, phi2) = (-0.36251, 0.17573);
        let expected = [1.0 + phi1, phi2 - phi1, -phi2];
        for (weight, expected) in model.weights().into_iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn a_random_walk_goes_on_from_its_last_value_and_its_integral_along_a_line() {
        assert_eq!(Coefficients { d: 1, ..Coefficients::default() }.weights(), [1.0]);
        assert_eq!(Coefficients { d: 2, ..Coefficients::default() }.weights(), [2.0, -1.0]);
    }

    #[test]
    fn what_cannot_be_is_named() {
        let refusal = |model: Coefficients| model.check().unwrap_err().to_string();
        let model = Coefficients::default();
        assert_eq!(
            refusal(Coefficients { ar: vec![1.2, 0.1], ..model.clone() }),
            "ar: got 1.2, 0.1, expected coefficients of a stationary model",
        );
        assert_eq!(
            refusal(Coefficients { ma: vec![-1.0], ..model.clone() }),
            "ma: got -1, expected coefficients of an invertible model",
        );
        assert_eq!(
            refusal(Coefficients { ar: vec![0.0; 6], ..model.clone() }),
            "ar: got 0, 0, 0, 0, 0, 0, expected at most 5 coefficients",
        );
        assert_eq!(
            refusal(Coefficients { d: 3, ..model.clone() }),
            "d: got 3, expected a whole number from 0 to 2"
        );
        assert_eq!(
            refusal(Coefficients { d: 1, mean: 2.0, ..model }),
            "mean: got 2, expected a finite number, and 0 where d is above 0",
        );
    }
}
