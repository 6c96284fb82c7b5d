//! ARIMA with given coefficients as a plain value: the model, and what is assumed before the first sample.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{AnyForecaster, ArimaForecaster, ExactArima};
use crate::arima::Coefficients;
use crate::error::ConfigError;

/// Assumption before the first sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Start {
    /// Every value before the first is that value, and every error 0, as Jeyasekar et al. 2014 have it: see
    /// [`ArimaForecaster`].
    #[default]
    Repeated,
    /// The differenced series has been stationary for ever: see [`ExactArima`].
    Exact,
}

/// Coefficients and start of an ARIMA. Where p and q are how many coefficients there are.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct ArimaConfig {
    /// phi: what the last values count for, the newest first.
    pub ar: Vec<f64>,
    /// Number of times that the series is differenced, 0 to 2.
    pub d: u32,
    /// theta: what the last errors count for, the newest first.
    pub ma: Vec<f64>,
    /// Mean of the series; 0 if it is differenced.
    pub mean: f64,
    /// Assumption before the first sample.
    pub start: Start,
}

impl From<Coefficients> for ArimaConfig {
    fn from(model: Coefficients) -> Self {
        let Coefficients { ar, d, ma, mean } = model;
        ArimaConfig { ar, d, ma, mean, start: Start::default() }
    }
}

impl ArimaConfig {
    /// The model alone.
    pub fn coefficients(&self) -> Coefficients {
        Coefficients { ar: self.ar.clone(), d: self.d, ma: self.ma.clone(), mean: self.mean }
    }

    /// The forecaster, or what is wrong with the model.
    pub(super) fn try_build(&self) -> Result<AnyForecaster, ConfigError> {
        let model = self.coefficients();
        Ok(match self.start {
            Start::Repeated => AnyForecaster::Arima(Box::new(ArimaForecaster::new(&model)?)),
            Start::Exact => AnyForecaster::ExactArima(Box::new(ExactArima::new(&model)?)),
        })
    }
}
