//! Retransmission timeouts: what an estimator is, and the ones there are.
//!
//! An estimator turns round-trip time samples into a base timeout. [`RtoTimer`] puts the rules around it that
//! are the same for all: initial value, minimum, maximum, clock granularity, backoff and Karn's rule.
//!
//! Whatever takes an estimator takes yours: implement [`RtoEstimator`]. To add one to the crate, do so in a file of its own
//! beside the others, give [`RtoConfig`] a variant with its parameters, and add its line to [`AnyRto`].

use alloc::boxed::Box;
use core::fmt::Debug;

use crate::own::Code;

mod arima;
mod centred;
mod config;
mod costs;
mod jacobson;
mod jacobson_ticks;
mod linux;
mod median;
mod median_mad;
mod quantile;
mod quic;
mod series;
mod timer;
mod weighted_median;

pub use arima::{ArimaRto, ForecastRto};
pub use config::{Deviation, RtoConfig};
pub use costs::{evaluate, RtoCosts};
pub use jacobson::Jacobson;
pub use jacobson_ticks::JacobsonTicks;
pub use linux::LinuxRto;
pub use median::MedianRto;
pub use median_mad::MedianMadRto;
pub use quantile::QuantileRto;
pub use quic::{PacketSpace, QuicPto, QuicRole, QuicSettings};
pub use series::{run, trace, RtoTrace};
pub use timer::{RtoRules, RtoTimer, MAX_BACKOFF};
pub use weighted_median::WeightedMedianRto;

/// A filter that turns round-trip time samples into a base retransmission timeout. All times are seconds.
///
/// [`RtoTimer`] puts the rules of the RFC around any of them, and [`run`], [`trace`] and [`evaluate`] judge it on a series. A
/// `Box<dyn RtoEstimator>` and a `&mut dyn RtoEstimator` are estimators, too.
///
/// # Examples
///
/// A filter of one's own: twice the greatest round trip so far, and how it does beside RFC 6298.
///
/// ```
/// use parshall_estimators::rto::{evaluate, Jacobson, RtoEstimator, RtoRules, RtoTimer};
///
/// #[derive(Default)]
/// struct TwiceTheGreatest(Option<f64>);
///
/// impl RtoEstimator for TwiceTheGreatest {
///     fn on_sample(&mut self, rtt_s: f64) {
///         self.0 = Some(self.0.map_or(rtt_s, |greatest| greatest.max(rtt_s)));
///     }
///     fn srtt(&self) -> Option<f64> { self.0 }
///     fn rttvar(&self) -> Option<f64> { self.0.map(|_| 0.0) }
///     fn base_rto(&self) -> Option<f64> { self.0.map(|greatest| 2.0 * greatest) }
///     fn reset(&mut self) { self.0 = None; }
/// }
///
/// let rtts = [0.1, 0.1, 0.24, 0.1, 0.1, 0.27, 0.1];
/// let rules = RtoRules { min_s: 0.0, ..RtoRules::default() };
/// let judged = |filter: Box<dyn RtoEstimator>| evaluate(&mut RtoTimer::new(filter, rules), &rtts, 1, false);
/// let (ours, rfc) = (judged(Box::<TwiceTheGreatest>::default()), judged(Box::<Jacobson>::default()));
/// assert_eq!((ours.spurious, rfc.spurious), (1, 0));
/// assert!(ours.mean_wait_s() < Some(0.5));
/// ```
pub trait RtoEstimator {
    /// Takes in the round-trip time of a packet that was sent once. A value that is not a finite number of at
    /// least 0 must be left out: [`RtoTimer`] passes on none, other callers may.
    fn on_sample(&mut self, rtt_s: f64);

    /// Takes in the round-trip time of a packet that was sent in the same round trip as the sample before: like any other,
    /// unless a filter counts round trips. A series of samples without a sender has one a round trip.
    #[inline]
    fn on_sample_amid_round(&mut self, rtt_s: f64) {
        self.on_sample(rtt_s);
    }

    /// The smoothed round-trip time, for display and for the granularity; `None` before the first sample, or if the filter has none.
    fn srtt(&self) -> Option<f64>;

    /// The deviation of the round-trip time, for display; `None` before the first sample, or if the filter has none.
    fn rttvar(&self) -> Option<f64>;

    /// The timeout before any rule, such as `srtt + K rttvar`: finite and not negative. `None` before the first sample, and then
    /// the timer takes its initial value.
    fn base_rto(&self) -> Option<f64>;

    /// The timeout of a sender whose clock has this granularity, `srtt + max(granularity, K rttvar)` (RFC 6298, sections 2.2
    /// and 2.3); `None` before the first sample. A filter without a srtt, or one that knows its clock, gives its base RTO.
    #[inline]
    fn granular_rto(&self, granularity_s: f64) -> Option<f64> {
        let base = self.base_rto()?;
        Some(self.srtt().map_or(base, |srtt| base.max(srtt + granularity_s)))
    }

    /// Learns that a timeout raised the backoff to `factor`, which the timer applies by itself.
    fn on_backoff(&mut self, _factor: u32) {}

    /// Learns that a timeout was early, or may have been, where the round-trip time of its packet is withheld: without
    /// timestamps Karn's rule leaves it out. Where the sample is taken in this is not called.
    fn on_early_timeout(&mut self) {}

    /// Forgets everything but the parameters.
    fn reset(&mut self);
}

/// Hands each call on to the estimator that is pointed at.
macro_rules! pointed_at {
    ($pointer:ty) => {
        impl<E: RtoEstimator + ?Sized> RtoEstimator for $pointer {
            #[inline]
            fn on_sample(&mut self, rtt_s: f64) {
                (**self).on_sample(rtt_s);
            }

            #[inline]
            fn on_sample_amid_round(&mut self, rtt_s: f64) {
                (**self).on_sample_amid_round(rtt_s);
            }

            #[inline]
            fn srtt(&self) -> Option<f64> {
                (**self).srtt()
            }

            #[inline]
            fn rttvar(&self) -> Option<f64> {
                (**self).rttvar()
            }

            #[inline]
            fn base_rto(&self) -> Option<f64> {
                (**self).base_rto()
            }

            #[inline]
            fn granular_rto(&self, granularity_s: f64) -> Option<f64> {
                (**self).granular_rto(granularity_s)
            }

            #[inline]
            fn on_backoff(&mut self, factor: u32) {
                (**self).on_backoff(factor);
            }

            #[inline]
            fn on_early_timeout(&mut self) {
                (**self).on_early_timeout();
            }

            #[inline]
            fn reset(&mut self) {
                (**self).reset();
            }
        }
    };
}

pointed_at!(Box<E>);
pointed_at!(&mut E);

/// An estimator that somebody else wrote; see [`own`](crate::own).
pub trait OwnRto: RtoEstimator + Debug + Send + Sync {
    /// A copy in the same state.
    fn copy(&self) -> Box<dyn OwnRto>;
}

impl Clone for Box<dyn OwnRto> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

/// Makes an estimator for each sender that asks for it.
pub trait RtoMaker: Code {
    /// An estimator that has taken in nothing.
    fn make(&self) -> Box<dyn OwnRto>;
}

/// Defines [`AnyRto`] and hands each call on to the estimator inside.
macro_rules! any_rto {
    ($($(#[$doc:meta])* $name:ident($estimator:ty),)*) => {
        /// Any of the estimators, as a value of one type. A call costs a branch, not an indirect call.
        ///
        /// The large ones are boxed, so that a flow that uses none of them stays small.
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum AnyRto {
            $($(#[$doc])* $name($estimator),)*
            /// One that somebody else wrote. Its state is nothing that can be written.
            #[cfg_attr(feature = "serde", serde(skip))]
            User(Box<dyn OwnRto>),
        }

        impl RtoEstimator for AnyRto {
            #[inline]
            fn on_sample(&mut self, rtt_s: f64) {
                match self { $(AnyRto::$name(e) => e.on_sample(rtt_s),)* AnyRto::User(e) => e.on_sample(rtt_s) }
            }

            #[inline]
            fn on_sample_amid_round(&mut self, rtt_s: f64) {
                match self { $(AnyRto::$name(e) => e.on_sample_amid_round(rtt_s),)* AnyRto::User(e) => e.on_sample_amid_round(rtt_s) }
            }

            #[inline]
            fn srtt(&self) -> Option<f64> {
                match self { $(AnyRto::$name(e) => e.srtt(),)* AnyRto::User(e) => e.srtt() }
            }

            #[inline]
            fn rttvar(&self) -> Option<f64> {
                match self { $(AnyRto::$name(e) => e.rttvar(),)* AnyRto::User(e) => e.rttvar() }
            }

            #[inline]
            fn base_rto(&self) -> Option<f64> {
                match self { $(AnyRto::$name(e) => e.base_rto(),)* AnyRto::User(e) => e.base_rto() }
            }

            #[inline]
            fn granular_rto(&self, granularity_s: f64) -> Option<f64> {
                match self { $(AnyRto::$name(e) => e.granular_rto(granularity_s),)* AnyRto::User(e) => e.granular_rto(granularity_s) }
            }

            fn on_backoff(&mut self, factor: u32) {
                match self { $(AnyRto::$name(e) => e.on_backoff(factor),)* AnyRto::User(e) => e.on_backoff(factor) }
            }

            fn on_early_timeout(&mut self) {
                match self { $(AnyRto::$name(e) => e.on_early_timeout(),)* AnyRto::User(e) => e.on_early_timeout() }
            }

            fn reset(&mut self) {
                match self { $(AnyRto::$name(e) => e.reset(),)* AnyRto::User(e) => e.reset() }
            }
        }
    };
}

any_rto! {
    /// Exponentially weighted mean and deviation.
    Jacobson(Jacobson),
    /// Jacobson's filter in whole clock ticks.
    JacobsonTicks(JacobsonTicks),
    /// As Linux has it.
    Linux(LinuxRto),
    /// Sliding median, with an exponentially weighted deviation.
    Median(Box<MedianRto>),
    /// Sliding median and median absolute deviation.
    MedianMad(Box<MedianMadRto>),
    /// An upper quantile of the next sample, at a given risk.
    Quantile(Box<QuantileRto>),
    /// Recursive weighted median.
    WeightedMedian(Box<WeightedMedianRto>),
    /// The forecast of the next round trip.
    Arima(Box<ArimaRto>),
}
