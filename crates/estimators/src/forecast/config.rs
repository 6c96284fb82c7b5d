//! The forecasters and their parameters as a plain value, as a scenario holds it.

use alloc::boxed::Box;

use super::{
    AdaptiveEwma, AnyForecaster, ArimaConfig, Constant, EwmaForecaster, ForecasterMaker, Fractional,
    FractionalForecaster, Holt, LastValue, LmmseForecaster, Lms, LossFunction, MedianForecaster, Mixture,
    RecursiveArima, RefittedArima, Rls,
};
use crate::arima::{Coefficients, Order};
use crate::error::ConfigError;
use crate::own;

/// Which forecaster, and its parameters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub enum ForecasterConfig {
    /// One number, whatever comes: see [`Constant`].
    Constant {
        /// Forecast.
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
        /// Number of samples.
        window: u32,
    },
    /// ARIMA with given coefficients: see [`ArimaConfig`].
    Arima(ArimaConfig),
    /// Linear prediction over a sliding window: see [`LmmseForecaster`].
    Lmmse {
        /// Number of samples that predict the next.
        #[cfg_attr(feature = "serde", serde(default = "defaults::order"))]
        order: u32,
        /// Number of samples that the autocovariances are taken over.
        #[cfg_attr(feature = "serde", serde(default = "defaults::window"))]
        window: u32,
        /// The coefficients are solved for every so many samples.
        #[cfg_attr(feature = "serde", serde(default = "defaults::every"))]
        every: u32,
        /// True to predict the changes instead of the samples.
        #[cfg_attr(feature = "serde", serde(default))]
        differenced: bool,
    },
    /// Linear prediction whose weights follow the gradient of the error: see [`Lms::new`].
    Lms {
        /// Number of samples that predict the next.
        #[cfg_attr(feature = "serde", serde(default = "defaults::order"))]
        order: u32,
        /// Step size of the weights, in units of 1 / x^2.
        step: f64,
        /// Level around which the samples vary; a running mean if it is not given.
        #[cfg_attr(feature = "serde", serde(default))]
        centre: Option<f64>,
        /// About how many samples the running mean remembers.
        #[cfg_attr(feature = "serde", serde(default = "defaults::remembered"))]
        memory: u32,
        /// Largest error that counts, in usual errors.
        #[cfg_attr(feature = "serde", serde(default = "defaults::clip"))]
        clip: f64,
    },
    /// LMS filter with a normalised step: see [`Lms::normalised`].
    Nlms {
        /// Number of samples that predict the next.
        #[cfg_attr(feature = "serde", serde(default = "defaults::order"))]
        order: u32,
        /// Step size of the weights, above 0 and below 2.
        #[cfg_attr(feature = "serde", serde(default = "defaults::step"))]
        step: f64,
        /// Constant added to u.u, in units of x^2; a tenth of its mean if it is not given.
        #[cfg_attr(feature = "serde", serde(default))]
        eps: Option<f64>,
        /// Level around which the samples vary; a running mean if it is not given.
        #[cfg_attr(feature = "serde", serde(default))]
        centre: Option<f64>,
        /// About how many samples the running mean remembers.
        #[cfg_attr(feature = "serde", serde(default = "defaults::remembered"))]
        memory: u32,
        /// Largest error that counts, in usual errors.
        #[cfg_attr(feature = "serde", serde(default = "defaults::clip"))]
        clip: f64,
    },
    /// Linear prediction by recursive least squares: see [`Rls`].
    Rls {
        /// Number of samples that predict the next.
        #[cfg_attr(feature = "serde", serde(default = "defaults::order"))]
        order: u32,
        /// About how many samples are remembered, at least 10.
        #[cfg_attr(feature = "serde", serde(default = "defaults::memory"))]
        memory: u32,
        /// Level around which the samples vary; a running mean if it is not given.
        #[cfg_attr(feature = "serde", serde(default))]
        centre: Option<f64>,
        /// Largest error that counts, in usual errors.
        #[cfg_attr(feature = "serde", serde(default = "defaults::clip"))]
        clip: f64,
    },
    /// The weights of fractional Brownian motion: see [`FractionalForecaster`].
    Fbm {
        /// Number of samples that predict the next.
        #[cfg_attr(feature = "serde", serde(default = "defaults::order"))]
        order: u32,
        /// Number of samples that the mean, and H, are estimated from.
        #[cfg_attr(feature = "serde", serde(default = "defaults::fitted"))]
        window: u32,
        /// The Hurst parameter; estimated if it is not given.
        #[cfg_attr(feature = "serde", serde(default))]
        h: Option<f64>,
        /// H is estimated every so many samples.
        #[cfg_attr(feature = "serde", serde(default = "defaults::estimated"))]
        every: u32,
    },
    /// The weights of fractionally differenced noise: see [`FractionalForecaster`].
    Farima {
        /// Number of samples that predict the next.
        #[cfg_attr(feature = "serde", serde(default = "defaults::order"))]
        order: u32,
        /// Number of samples that the mean, and H, are estimated from.
        #[cfg_attr(feature = "serde", serde(default = "defaults::fitted"))]
        window: u32,
        /// The Hurst parameter; estimated if it is not given.
        #[cfg_attr(feature = "serde", serde(default))]
        h: Option<f64>,
        /// H is estimated every so many samples.
        #[cfg_attr(feature = "serde", serde(default = "defaults::estimated"))]
        every: u32,
    },
    /// ARIMA whose coefficients follow the series: see [`RecursiveArima`].
    ArimaRecursive {
        /// Number of the last values that count, at most 5.
        #[cfg_attr(feature = "serde", serde(default = "defaults::p"))]
        p: u32,
        /// Number of times that the series is differenced, at most 2.
        #[cfg_attr(feature = "serde", serde(default = "defaults::d"))]
        d: u32,
        /// Number of the last errors that count, at most 5.
        #[cfg_attr(feature = "serde", serde(default = "defaults::q"))]
        q: u32,
        /// About how many samples are remembered, at least 10.
        #[cfg_attr(feature = "serde", serde(default = "defaults::memory"))]
        memory: u32,
    },
    /// ARIMA that is fitted anew every so often: see [`RefittedArima`].
    ArimaRefitted {
        /// Number of the last values that count, at most 5.
        #[cfg_attr(feature = "serde", serde(default = "defaults::p"))]
        p: u32,
        /// Number of times that the series is differenced, at most 2.
        #[cfg_attr(feature = "serde", serde(default = "defaults::d"))]
        d: u32,
        /// Number of the last errors that count, at most 5.
        #[cfg_attr(feature = "serde", serde(default = "defaults::q"))]
        q: u32,
        /// Number of samples that the model is fitted to.
        #[cfg_attr(feature = "serde", serde(default = "defaults::fitted"))]
        window: u32,
        /// Number of samples between two fits.
        #[cfg_attr(feature = "serde", serde(default = "defaults::refit"))]
        every: u32,
    },
    /// One forecaster that needs no choice: see [`Mixture`].
    Mixture {
        /// Loss whose sum over the series is to be least.
        #[cfg_attr(feature = "serde", serde(default))]
        loss: LossFunction,
    },
    /// One that somebody else wrote, and that the caller hands over.
    User(own::Config<dyn ForecasterMaker>),
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

    /// Checks that every parameter is in its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match self {
            ForecasterConfig::User(own) => own.found().map(drop),
            known => known.try_build().map(drop),
        }
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
            ForecasterConfig::Lms { order, step, centre, memory, clip } => {
                AnyForecaster::Lms(Box::new(Lms::new(order, step, centre, memory, clip)?))
            }
            ForecasterConfig::Nlms { order, step, eps, centre, memory, clip } => {
                AnyForecaster::Lms(Box::new(Lms::normalised(order, step, eps, centre, memory, clip)?))
            }
            ForecasterConfig::Rls { order, memory, centre, clip } => {
                AnyForecaster::Rls(Box::new(Rls::new(order, memory, centre, clip)?))
            }
            ForecasterConfig::Fbm { order, window, h, every } => {
                fractional(Fractional::Fbm, order, window, h, every)?
            }
            ForecasterConfig::Farima { order, window, h, every } => {
                fractional(Fractional::Farima, order, window, h, every)?
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
            ForecasterConfig::User(ref own) => AnyForecaster::User(own.found()?.make()),
        })
    }
}

fn fractional(
    process: Fractional,
    order: u32,
    window: u32,
    h: Option<f64>,
    every: u32,
) -> Result<AnyForecaster, ConfigError> {
    FractionalForecaster::new(process, order, window, h, every)
        .map(|forecaster| AnyForecaster::Fractional(Box::new(forecaster)))
}

/// Defaults of fields.
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
        step: f64 = 0.1;
        clip: f64 = 6.0;
        remembered: u32 = 500;
        estimated: u32 = 100;
    }
}

#[cfg(test)]
mod tests;
