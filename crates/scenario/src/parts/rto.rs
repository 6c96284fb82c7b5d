//! Estimators of the retransmission timeout.

use crate::part::{parts, Kinds, F, I, J, NONE, T};
use crate::parts::{ANY_FORECASTER, USER_RTO};
use crate::takes::{Takes, DURATION, NOT_NEGATIVE, PERIOD, RISK, SHARE, WEIGHTS, WINDOW};

parts! {
    /// Exponentially weighted mean and mean deviation (Jacobson and Karels; RFC 6298).
    JACOBSON_RTO_CONFIG: "JacobsonRtoConfig" as "jacobson" {
        /// Weight of a sample in srtt (RFC 6298, section 2.3: alpha).
        gain: SHARE => F(0.125),
        /// Weight of a sample in rttvar (RFC 6298, section 2.3: beta).
        deviation_gain: SHARE => F(0.25),
        /// Factor of rttvar in the timeout (RFC 6298, section 2: K).
        multiplier: NOT_NEGATIVE => F(4.0),
    }

    /// Jacobson's filter in whole clock ticks, as ns-2 and BSD run it.
    JACOBSON_TICKS_RTO_CONFIG: "JacobsonTicksRtoConfig" as "jacobson-ticks" {
        /// Length of a tick (ns-2.35: tcpTick_).
        tick: PERIOD => F(0.01),
    }

    /// Estimator of Linux: quick to rise, slow to fall (tcp_rtt_estimator).
    LINUX_RTO_CONFIG: "LinuxRtoConfig" as "linux" {
        /// Least that is added to srtt (TCP_RTO_MIN).
        least_margin: DURATION => F(0.2),
    }

    /// Median of the last samples in place of the mean (Chan and Leis).
    MEDIAN_RTO_CONFIG: "MedianRtoConfig" as "median" {
        /// Number of samples.
        window: WINDOW => I(5),
        /// Kind of rttvar: the exponentially weighted distance of a sample from the median before it, or the
        /// median absolute deviation of the window.
        deviation: Takes::Choice(&["ewma", "mad"]) => T("ewma"),
        /// Weight of a sample in an exponentially weighted rttvar; unused with `mad`.
        deviation_gain: SHARE => F(0.25),
        /// Factor of rttvar in the timeout.
        multiplier: NOT_NEGATIVE => F(4.0),
    }

    /// Upper quantile of the next sample, at the risk that is accepted; a `min_rto` only lowers it.
    QUANTILE_RTO_CONFIG: "QuantileRtoConfig" as "quantile" {
        /// Share of timeouts that may be early, from 0.000001 to 0.2.
        risk: RISK => F(0.01),
    }

    /// Recursive weighted median (Ma, Arce and Barner 2004).
    WEIGHTED_MEDIAN_RTO_CONFIG: "WeightedMedianRtoConfig" as "weighted-median" {
        /// Number of samples that are weighed (the letter's M), at most 63.
        window: WEIGHTS => I(5),
        /// Weight of a sample relative to the one after it (the letter's alpha).
        decay: SHARE => F(0.875),
        /// Weight of the last estimate, where the newest sample has 1 (the letter's beta).
        feedback: NOT_NEGATIVE => F(0.5),
        /// Factor of the mean deviation in the timeout (the letter's mu).
        multiplier: NOT_NEGATIVE => F(4.5),
        /// Samples that the mean and the mean deviation look back on; none is all of them.
        memory: WINDOW => NONE,
    }

    /// Forecast of the next round trip in place of the mean: ARTT, of which Jeyasekar et al. 2014 say that
    /// the timeout may use it in future. Any forecaster may stand in place of ARIMA. The sample stands for
    /// a forecast that is negative.
    ARIMA_RTO_CONFIG: "ArimaRtoConfig" as "arima" {
        /// Forecaster of the next round trip, in seconds.
        forecaster: Takes::OneOf(&ANY_FORECASTER) => J(r#"{"ar":[-0.36251,0.17573],"d":1,"kind":"arima","ma":[-0.95108]}"#),
        /// Weight of a forecast's error in rttvar.
        deviation_gain: SHARE => F(0.25),
        /// Factor of rttvar in the timeout.
        multiplier: NOT_NEGATIVE => F(4.0),
    }
}

/// The kinds of rto.
pub static ANY_RTO: Kinds = Kinds::new(
    "RtoConfig",
    module_path!(),
    "estimator",
    &[
        &JACOBSON_RTO_CONFIG,
        &JACOBSON_TICKS_RTO_CONFIG,
        &LINUX_RTO_CONFIG,
        &MEDIAN_RTO_CONFIG,
        &QUANTILE_RTO_CONFIG,
        &WEIGHTED_MEDIAN_RTO_CONFIG,
        &ARIMA_RTO_CONFIG,
        &USER_RTO,
    ],
);
