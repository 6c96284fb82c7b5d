//! The forecasters and their parameters as a plain value, as a scenario holds it.

use super::{
    AdaptiveEwma, AnyForecaster, ArimaConfig, Constant, EwmaForecaster, Holt, LastValue, LmmseForecaster,
    Loss, MedianForecaster, Mixture, RecursiveArima, RefittedArima,
};
use crate::arima::{Coefficients, Order};
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
    /// Exponentially weighted mean whose gain adapts: see [`AdaptiveEwma`].
    AdaptiveEwma {
        /// Weight of the newest error in what sets the gain, in (0, 1].
        #[cfg_attr(feature = "serde", serde(default = "defaults::smoothing"))]
        smoothing: f64,
    },
    /// Median of the last samples: see [`MedianForecaster`].
    Median {
        /// How many samples.
        window: u32,
    },
    /// ARIMA with given coefficients: see [`ArimaConfig`].
    Arima(ArimaConfig),
    /// Linear prediction over a sliding window: see [`LmmseForecaster`].
    Lmmse {
        /// How many samples predict the next.
        #[cfg_attr(feature = "serde", serde(default = "defaults::order"))]
        order: u32,
        /// How many samples the autocovariances are taken over.
        #[cfg_attr(feature = "serde", serde(default = "defaults::window"))]
        window: u32,
        /// The coefficients are solved for every so many samples.
        #[cfg_attr(feature = "serde", serde(default = "defaults::every"))]
        every: u32,
        /// Whether the changes are predicted instead of the samples.
        #[cfg_attr(feature = "serde", serde(default))]
        differenced: bool,
    },
    /// ARIMA whose coefficients follow the series: see [`RecursiveArima`].
    ArimaRecursive {
        /// How many of the last values count, at most 5.
        #[cfg_attr(feature = "serde", serde(default = "defaults::p"))]
        p: u32,
        /// How often the series is differenced, at most 2.
        #[cfg_attr(feature = "serde", serde(default = "defaults::d"))]
        d: u32,
        /// How many of the last errors count, at most 5.
        #[cfg_attr(feature = "serde", serde(default = "defaults::q"))]
        q: u32,
        /// About how many samples are remembered, at least 10.
        #[cfg_attr(feature = "serde", serde(default = "defaults::memory"))]
        memory: u32,
    },
    /// ARIMA that is fitted anew every so often: see [`RefittedArima`].
    ArimaRefitted {
        /// How many of the last values count, at most 5.
        #[cfg_attr(feature = "serde", serde(default = "defaults::p"))]
        p: u32,
        /// How often the series is differenced, at most 2.
        #[cfg_attr(feature = "serde", serde(default = "defaults::d"))]
        d: u32,
        /// How many of the last errors count, at most 5.
        #[cfg_attr(feature = "serde", serde(default = "defaults::q"))]
        q: u32,
        /// How many samples the model is fitted to.
        #[cfg_attr(feature = "serde", serde(default = "defaults::fitted"))]
        window: u32,
        /// How many samples lie between two fits.
        #[cfg_attr(feature = "serde", serde(default = "defaults::refit"))]
        every: u32,
    },
    /// One forecaster that needs no choice: see [`Mixture`].
    Mixture {
        /// Whose sum over the series is to be least.
        #[cfg_attr(feature = "serde", serde(default))]
        loss: Loss,
    },
}

impl ForecasterConfig {
    /// The ARIMA(2,1,1) of Jeyasekar et al. 2014.
    pub fn jeyasekar_2014() -> Self {
        ForecasterConfig::Arima(Coefficients::jeyasekar_2014().into())
    }

    /// The LMMSE predictor of He, Gao, Hou and Park 2002 (equations 4 to 6): the last 20 samples predict the next one, by
    /// autocovariances over as few samples as that takes, solved with each.
    pub fn he_2002() -> Self {
        ForecasterConfig::Lmmse { order: 20, window: 21, every: 1, differenced: false }
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
            ForecasterConfig::AdaptiveEwma { smoothing } => {
                AnyForecaster::AdaptiveEwma(AdaptiveEwma::new(smoothing)?)
            }
            ForecasterConfig::Lmmse { order, window, every, differenced } => {
                AnyForecaster::Lmmse(Box::new(LmmseForecaster::new(order, window, every, differenced)?))
            }
            ForecasterConfig::ArimaRecursive { p, d, q, memory } => {
                AnyForecaster::ArimaRecursive(Box::new(RecursiveArima::new(p, d, q, memory)?))
            }
            ForecasterConfig::ArimaRefitted { p, d, q, window, every } => {
                let order = Order::new(p as usize, d, q as usize);
                AnyForecaster::ArimaRefitted(Box::new(RefittedArima::new(order, window, every)?))
            }
            ForecasterConfig::Mixture { loss } => AnyForecaster::Mixture(Box::new(Mixture::new(loss))),
            ForecasterConfig::Median { window } => {
                AnyForecaster::Median(Box::new(MedianForecaster::new(window)?))
            }
            ForecasterConfig::Arima(ref model) => model.try_build()?,
        })
    }
}

/// What a field has that is left out.
#[cfg(feature = "serde")]
mod defaults {
    macro_rules! defaults {
        ($($name:ident: $type:ty = $value:expr;)*) => { $(pub fn $name() -> $type { $value })* };
    }
    defaults! {
        smoothing: f64 = 0.1;
        order: u32 = 20;
        window: u32 = 500;
        every: u32 = 10;
        p: u32 = 2;
        d: u32 = 1;
        q: u32 = 1;
        memory: u32 = 1000;
        fitted: u32 = 1000;
        refit: u32 = 2000;
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
            ForecasterConfig::AdaptiveEwma { smoothing: 0.1 },
            ForecasterConfig::Lmmse { order: 20, window: 500, every: 10, differenced: false },
            ForecasterConfig::ArimaRecursive { p: 2, d: 1, q: 1, memory: 1000 },
            ForecasterConfig::ArimaRefitted { p: 2, d: 1, q: 1, window: 1000, every: 500 },
            ForecasterConfig::Mixture { loss: Loss::Absolute },
            ForecasterConfig::jeyasekar_2014(),
        ];
        for config in all {
            let json = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<ForecasterConfig>(&json).unwrap(), config, "{json}");
        }
        let exact =
            serde_json::from_str::<ForecasterConfig>(r#"{"kind": "arima", "ar": [0.1], "start": "exact"}"#);
        assert!(matches!(exact.unwrap().build(), AnyForecaster::ExactArima(_)));
        let unknown = serde_json::from_str::<ForecasterConfig>(r#"{"kind": "arima", "phi": [0.1]}"#);
        assert!(unknown.unwrap_err().to_string().contains("unknown field `phi`"));
    }
}
