//! The forecasters and their parameters as a plain value, as a scenario holds it.

use super::{AnyForecaster, ArimaConfig, Constant, EwmaForecaster, Holt, LastValue, MedianForecaster};
use crate::arima::Coefficients;
use crate::error::ConfigError;

/// Which forecaster, and its parameters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum ForecasterConfig {
    /// One number, whatever comes: see [`Constant`].
    Constant {
        /// That number.
        value: f64,
    },
    /// The last sample: see [`LastValue`].
    LastValue {},
    /// Exponentially weighted mean: see [`EwmaForecaster`].
    Ewma {
        /// Weight of the newest sample, in (0, 1].
        gain: f64,
    },
    /// Exponentially weighted level and trend: see [`Holt`].
    Holt {
        /// Weight of a sample in the level, in (0, 1].
        gain: f64,
        /// Weight of a step of the level in the trend, in (0, 1].
        trend_gain: f64,
    },
    /// Median of the last samples: see [`MedianForecaster`].
    Median {
        /// How many samples.
        window: u32,
    },
    /// ARIMA with given coefficients: see [`ArimaConfig`].
    Arima(ArimaConfig),
}

impl ForecasterConfig {
    /// The ARIMA(2,1,1) of Jeyasekar et al. 2014.
    pub fn jeyasekar_2014() -> Self {
        ForecasterConfig::Arima(Coefficients::jeyasekar_2014().into())
    }

    /// Whether every parameter is in its range; the first that is not.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.try_build().map(drop)
    }

    /// The forecaster, before its first sample.
    ///
    /// # Panics
    ///
    /// If [`ForecasterConfig::validate`] refuses the parameters.
    pub fn build(&self) -> AnyForecaster {
        self.try_build().unwrap_or_else(|error| panic!("a forecaster was not validated: {error}"))
    }

    /// The forecaster, or what is wrong with its parameters.
    pub fn try_build(&self) -> Result<AnyForecaster, ConfigError> {
        Ok(match *self {
            ForecasterConfig::Constant { value } => AnyForecaster::Constant(Constant::new(value)?),
            ForecasterConfig::LastValue {} => AnyForecaster::LastValue(LastValue::default()),
            ForecasterConfig::Ewma { gain } => AnyForecaster::Ewma(EwmaForecaster::new(gain)?),
            ForecasterConfig::Holt { gain, trend_gain } => AnyForecaster::Holt(Holt::new(gain, trend_gain)?),
            ForecasterConfig::Median { window } => {
                AnyForecaster::Median(Box::new(MedianForecaster::new(window)?))
            }
            ForecasterConfig::Arima(ref model) => model.try_build()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_outside_their_ranges_are_named() {
        let refusal = |config: ForecasterConfig| config.validate().unwrap_err().to_string();
        assert_eq!(
            refusal(ForecasterConfig::Holt { gain: 0.1, trend_gain: 2.0 }),
            "trend_gain: got 2, expected a number above 0 and at most 1",
        );
        assert_eq!(refusal(ForecasterConfig::Median { window: 0 }).split(':').next(), Some("window"));
        ForecasterConfig::jeyasekar_2014().validate().unwrap();
    }

    #[cfg(feature = "serde")]
    #[test]
    fn writing_and_reading_gives_the_same() {
        let all = [
            ForecasterConfig::Constant { value: 0.1 },
            ForecasterConfig::LastValue {},
            ForecasterConfig::Ewma { gain: 0.125 },
            ForecasterConfig::Holt { gain: 0.125, trend_gain: 0.5 },
            ForecasterConfig::Median { window: 21 },
            ForecasterConfig::jeyasekar_2014(),
        ];
        for config in all {
            let json = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<ForecasterConfig>(&json).unwrap(), config, "{json}");
        }
        let arima = serde_json::to_string(&ForecasterConfig::jeyasekar_2014()).unwrap();
        assert!(!arima.contains("start"), "what is not said stays unsaid: {arima}");
        let exact =
            serde_json::from_str::<ForecasterConfig>(r#"{"kind": "arima", "ar": [0.1], "start": "exact"}"#);
        assert!(matches!(exact.unwrap().build(), AnyForecaster::ExactArima(_)));
        let unknown = serde_json::from_str::<ForecasterConfig>(r#"{"kind": "arima", "phi": [0.1]}"#);
        assert!(unknown.unwrap_err().to_string().contains("unknown field `phi`"));
    }
}
