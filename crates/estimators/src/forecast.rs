//! Forecasters: what a series will be next, from what it was.
//!
//! Whatever takes a forecaster takes yours: implement [`Forecaster`]. To add one to the crate, do so in a file of its own beside
//! the others, give [`ForecasterConfig`] a variant with its parameters, and add its line to [`AnyForecaster`].

use alloc::boxed::Box;
use core::fmt::Debug;

use crate::own::Code;

mod adaptive_ewma;
mod arima;
mod arima_config;
mod arima_exact;
mod arima_recursive;
mod arima_refitted;
mod blend;
mod clip;
mod config;
mod constant;
mod evaluate;
mod ewma;
mod fractional;
mod holt;
mod interval;
mod last_value;
mod lmmse;
mod lms;
mod median;
mod mixture;
mod regressors;
mod rls;
mod sliding_mean;
#[cfg(test)]
mod test_noise;
mod young_mean;

pub use adaptive_ewma::AdaptiveEwma;
pub use arima::ArimaForecaster;
pub use arima_config::{ArimaConfig, Start};
pub use arima_exact::ExactArima;
pub use arima_recursive::RecursiveArima;
pub use arima_refitted::RefittedArima;
pub use blend::Blend;
pub use config::ForecasterConfig;
pub use constant::Constant;
pub use evaluate::{evaluate, ForecastErrors};
pub use ewma::EwmaForecaster;
pub use fractional::{Fractional, FractionalForecaster};
pub use holt::Holt;
pub use interval::PredictionInterval;
pub use last_value::LastValue;
pub use lmmse::LmmseForecaster;
pub use lms::Lms;
pub use median::MedianForecaster;
pub use mixture::{LossFunction, Mixture, ShiftDetector};
pub use rls::Rls;

/// A forecaster of a series, which comes one sample at a time. A finite series gives finite forecasts.
///
/// [`evaluate`] judges any of them, [`PredictionInterval`] says how far off the next sample may lie, [`Blend`] mixes several,
/// and [`ForecastRto`](crate::rto::ForecastRto) makes a retransmission timeout of one. A `Box<dyn Forecaster>` and a `&mut dyn
/// Forecaster` are forecasters, too.
///
/// # Examples
///
/// A forecaster of one's own, the middle of all that came, and how it does beside the last value:
///
/// ```
/// use parshall_estimators::forecast::{evaluate, Forecaster, LastValue};
///
/// #[derive(Default)]
/// struct Middle(Option<(f64, f64)>);
///
/// impl Forecaster for Middle {
///     fn update(&mut self, x: f64) {
///         if x.is_finite() {
///             self.0 = Some(self.0.map_or((x, x), |(least, most)| (least.min(x), most.max(x))));
///         }
///     }
///     fn forecast(&self) -> Option<f64> { self.0.map(|(least, most)| least / 2.0 + most / 2.0) }
///     fn reset(&mut self) { self.0 = None; }
/// }
///
/// let swings = [1.0, 5.0, 1.0, 5.0, 1.0, 5.0];
/// assert_eq!(evaluate(&mut Middle::default(), &swings, 2).mae(), Some(2.0));
/// assert_eq!(evaluate(&mut LastValue::default(), &swings, 2).mae(), Some(4.0));
/// ```
pub trait Forecaster {
    /// Takes in a sample; one that is not finite must be left out.
    fn update(&mut self, x: f64);

    /// The next sample, as far as can be told; `None` before that can be told at all. Asking changes nothing.
    fn forecast(&self) -> Option<f64>;

    /// The sample after `steps` more, where 1 is the next; that of 0 is that of 1. Unless written otherwise, the same is
    /// expected of each.
    fn forecast_ahead(&self, _steps: u32) -> Option<f64> {
        self.forecast()
    }

    /// Forgets every sample and keeps the parameters.
    fn reset(&mut self);
}

/// Hands each call on to the forecaster that is pointed at.
macro_rules! pointed_at {
    ($pointer:ty) => {
        impl<F: Forecaster + ?Sized> Forecaster for $pointer {
            #[inline]
            fn update(&mut self, x: f64) {
                (**self).update(x);
            }

            #[inline]
            fn forecast(&self) -> Option<f64> {
                (**self).forecast()
            }

            #[inline]
            fn forecast_ahead(&self, steps: u32) -> Option<f64> {
                (**self).forecast_ahead(steps)
            }

            #[inline]
            fn reset(&mut self) {
                (**self).reset();
            }
        }
    };
}

pointed_at!(Box<F>);
pointed_at!(&mut F);

/// A forecaster that somebody else wrote; see [`own`](crate::own).
pub trait OwnForecaster: Forecaster + Debug + Send + Sync {
    /// A copy in the same state.
    fn copy(&self) -> Box<dyn OwnForecaster>;
}

impl Clone for Box<dyn OwnForecaster> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

/// Makes a forecaster for each series that asks for it.
pub trait ForecasterMaker: Code {
    /// A forecaster that has taken in nothing.
    fn make(&self) -> Box<dyn OwnForecaster>;
}

/// Defines [`AnyForecaster`] and hands each call on to the forecaster inside.
macro_rules! any_forecaster {
    ($($(#[$doc:meta])* $name:ident($forecaster:ty),)*) => {
        /// Any of the forecasters, as a value of one type. A call costs a branch, not an indirect call.
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum AnyForecaster {
            $($(#[$doc])* $name($forecaster),)*
            /// One that somebody else wrote. Its state is nothing that can be written.
            #[cfg_attr(feature = "serde", serde(skip))]
            User(Box<dyn OwnForecaster>),
        }

        impl Forecaster for AnyForecaster {
            #[inline]
            fn update(&mut self, x: f64) {
                match self { $(AnyForecaster::$name(f) => f.update(x),)* AnyForecaster::User(f) => f.update(x) }
            }

            #[inline]
            fn forecast(&self) -> Option<f64> {
                match self { $(AnyForecaster::$name(f) => f.forecast(),)* AnyForecaster::User(f) => f.forecast() }
            }

            fn forecast_ahead(&self, steps: u32) -> Option<f64> {
                match self { $(AnyForecaster::$name(f) => f.forecast_ahead(steps),)* AnyForecaster::User(f) => f.forecast_ahead(steps) }
            }

            fn reset(&mut self) {
                match self { $(AnyForecaster::$name(f) => f.reset(),)* AnyForecaster::User(f) => f.reset() }
            }
        }
    };
}

any_forecaster! {
    /// One number, whatever comes.
    Constant(Constant),
    /// The last sample.
    LastValue(LastValue),
    /// Exponentially weighted mean.
    Ewma(EwmaForecaster),
    /// Exponentially weighted level and trend.
    Holt(Holt),
    /// Exponentially weighted mean whose gain adapts.
    AdaptiveEwma(AdaptiveEwma),
    /// Median of the last samples.
    Median(Box<MedianForecaster>),
    /// ARIMA with given coefficients.
    Arima(Box<ArimaForecaster>),
    /// Linear prediction over a sliding window.
    Lmmse(Box<LmmseForecaster>),
    /// Linear prediction whose weights follow the gradient of the error.
    Lms(Box<Lms>),
    /// Linear prediction by recursive least squares.
    Rls(Box<Rls>),
    /// The weights of a process with the Hurst parameter of the series.
    Fractional(Box<FractionalForecaster>),
    /// ARIMA whose coefficients follow the series.
    ArimaRecursive(Box<RecursiveArima>),
    /// ARIMA that is fitted anew every so often.
    ArimaRefitted(Box<RefittedArima>),
    /// A mixture of all of these.
    Mixture(Box<Mixture>),
    /// ARIMA with given coefficients, by the exact filter.
    ExactArima(Box<ExactArima>),
}
