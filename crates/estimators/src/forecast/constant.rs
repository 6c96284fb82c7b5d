//! One number as the forecast of everything: what any other forecaster has to do better than.

use super::Forecaster;
use crate::error::ConfigError;

/// Forecasts the same number whatever comes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Constant {
    value: f64,
}

impl Constant {
    /// Forecasts `value`, a finite number.
    pub fn new(value: f64) -> Result<Self, ConfigError> {
        ConfigError::unless(value.is_finite(), "value", value, "a finite number")?;
        Ok(Constant { value })
    }
}

impl Forecaster for Constant {
    fn update(&mut self, _: f64) {}

    fn forecast(&self) -> Option<f64> {
        Some(self.value)
    }

    fn reset(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_it() {
        let mut constant = Constant::new(0.1).unwrap();
        constant.update(7.0);
        assert_eq!(constant.forecast(), Some(0.1));
        assert_eq!(Constant::new(f64::NAN).unwrap_err().field, "value");
    }
}
