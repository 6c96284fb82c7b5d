//! Retransmission timeouts: what an estimator is, and the ones there are.
//!
//! An estimator turns round-trip time samples into a base timeout. [`RtoTimer`] puts the rules around it that
//! are the same for all: initial value, minimum, maximum, clock granularity, backoff and Karn's rule.
//!
//! To add an estimator: implement [`RtoEstimator`] in a file of its own beside the others, give [`RtoConfig`] a
//! variant with its parameters, and add its line to [`AnyRto`].

use alloc::boxed::Box;

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

pub use arima::ArimaRto;
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

/// What turns round-trip time samples into a base retransmission timeout. All times are seconds.
pub trait RtoEstimator {
    /// Takes in the round-trip time of a packet that was sent once. A value that is not a finite number of at
    /// least 0 is left out.
    fn on_sample(&mut self, rtt_s: f64);

    /// The same for a packet that was sent in the same round trip as the sample before, where that matters: a series of
    /// samples without a sender has one a round trip.
    #[inline]
    fn on_sample_amid_round(&mut self, rtt_s: f64) {
        self.on_sample(rtt_s);
    }

    /// The smoothed round-trip time; `None` before the first sample.
    fn srtt(&self) -> Option<f64>;

    /// The deviation of the round-trip time; `None` before the first sample.
    fn rttvar(&self) -> Option<f64>;

    /// `srtt + K rttvar`, before any rule; `None` before the first sample.
    fn base_rto(&self) -> Option<f64>;

    /// `srtt + max(granularity, K rttvar)` (RFC 6298, sections 2.2 and 2.3); `None` before the first sample.
    #[inline]
    fn granular_rto(&self, granularity_s: f64) -> Option<f64> {
        let base = self.base_rto()?;
        Some(self.srtt().map_or(base, |srtt| base.max(srtt + granularity_s)))
    }

    /// Learns that a timeout raised the backoff to `factor`.
    fn on_backoff(&mut self, _factor: u32) {}

    /// Learns that a timeout was early, or may have been, where the round-trip time of its packet is withheld: without
    /// timestamps Karn's rule leaves it out. Where the sample is taken in this is not called.
    fn on_early_timeout(&mut self) {}

    /// Forgets everything but the parameters.
    fn reset(&mut self);
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
        }

        impl RtoEstimator for AnyRto {
            #[inline]
            fn on_sample(&mut self, rtt_s: f64) {
                match self { $(AnyRto::$name(e) => e.on_sample(rtt_s),)* }
            }

            #[inline]
            fn on_sample_amid_round(&mut self, rtt_s: f64) {
                match self { $(AnyRto::$name(e) => e.on_sample_amid_round(rtt_s),)* }
            }

            #[inline]
            fn srtt(&self) -> Option<f64> {
                match self { $(AnyRto::$name(e) => e.srtt(),)* }
            }

            #[inline]
            fn rttvar(&self) -> Option<f64> {
                match self { $(AnyRto::$name(e) => e.rttvar(),)* }
            }

            #[inline]
            fn base_rto(&self) -> Option<f64> {
                match self { $(AnyRto::$name(e) => e.base_rto(),)* }
            }

            #[inline]
            fn granular_rto(&self, granularity_s: f64) -> Option<f64> {
                match self { $(AnyRto::$name(e) => e.granular_rto(granularity_s),)* }
            }

            fn on_backoff(&mut self, factor: u32) {
                match self { $(AnyRto::$name(e) => e.on_backoff(factor),)* }
            }

            fn on_early_timeout(&mut self) {
                match self { $(AnyRto::$name(e) => e.on_early_timeout(),)* }
            }

            fn reset(&mut self) {
                match self { $(AnyRto::$name(e) => e.reset(),)* }
            }
        }
    };
}

any_rto! {
    /// Exponentially weighted mean and deviation.
    Jacobson(Jacobson),
    /// The same in whole clock ticks.
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
