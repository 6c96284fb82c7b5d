//! Meters of conditioners.

use crate::part::{parts, Kinds, B, F, I};
use crate::parts::USER_MARKER;
use crate::takes::{Takes, FLAG, NOT_NEGATIVE, PERIOD, RATE_OR_ZERO, SIZE_OR_ZERO};

parts! {
    /// One bucket of tokens: packets are green while there are tokens for them, and red otherwise.
    TOKEN_BUCKET_METER: "TokenBucketMeter" as "token-bucket" {
        /// Committed information rate, at which tokens come.
        cir: RATE_OR_ZERO,
        /// Committed burst size: most tokens; at least the aggregate's largest packet.
        cbs_bytes: SIZE_OR_ZERO,
    }

    /// Single rate three colour marker (RFC 2697). Tokens that the committed bucket has no room for go to
    /// the excess bucket; packets that the former covers are green, those that the latter covers yellow.
    SRTCM_METER: "SrtcmMeter" as "srtcm" {
        /// Committed information rate.
        cir: RATE_OR_ZERO,
        /// Committed burst size.
        cbs_bytes: SIZE_OR_ZERO,
        /// Excess burst size; one of the two may be 0.
        ebs_bytes: SIZE_OR_ZERO,
        /// True if the colour that a packet brings counts: none leaves with a better one.
        colour_aware: FLAG => B(false),
    }

    /// Two rate three colour marker (RFC 2698). Packets beyond the peak rate are red, those beyond the
    /// committed rate yellow.
    TRTCM_METER: "TrtcmMeter" as "trtcm" {
        /// Committed information rate.
        cir: RATE_OR_ZERO,
        /// Committed burst size.
        cbs_bytes: SIZE_OR_ZERO,
        /// Peak information rate, at least `cir`.
        pir: RATE_OR_ZERO,
        /// Peak burst size.
        pbs_bytes: SIZE_OR_ZERO,
        /// True if the colour that a packet brings counts: none leaves with a better one.
        colour_aware: FLAG => B(false),
    }

    /// Two rate three colour marker with efficient handling of in-profile traffic (RFC 4115). The excess
    /// rate stands beside the committed one instead of above it, so yellow packets take nothing from green
    /// ones.
    RFC4115_METER: "Rfc4115Meter" as "rfc4115" {
        /// Committed information rate.
        cir: RATE_OR_ZERO,
        /// Committed burst size.
        cbs_bytes: SIZE_OR_ZERO,
        /// Excess information rate.
        eir: RATE_OR_ZERO,
        /// Excess burst size.
        ebs_bytes: SIZE_OR_ZERO,
        /// True if the colour that a packet brings counts: none leaves with a better one.
        colour_aware: FLAG => B(false),
    }

    /// Time sliding window marker with two colours (Clark and Fang 1998): of a rate beyond the committed
    /// one, the part that exceeds it is red, packets being drawn at random.
    TSW2CM_METER: "Tsw2cmMeter" as "tsw2cm" {
        /// Committed information rate.
        cir: RATE_OR_ZERO,
        /// Averaging time of the rate.
        window: PERIOD => F(1.0),
        /// True if the colour that a packet brings counts: none leaves with a better one.
        colour_aware: FLAG => B(false),
    }

    /// Time sliding window three colour marker (RFC 2859): the part of the rate beyond the peak is red,
    /// that between both rates yellow, packets being drawn at random.
    TSW3CM_METER: "Tsw3cmMeter" as "tsw3cm" {
        /// Committed information rate (CTR in the RFC).
        cir: RATE_OR_ZERO,
        /// Peak information rate (PTR in the RFC), at least `cir`.
        pir: RATE_OR_ZERO,
        /// Averaging time of the rate (`AVG_INTERVAL`).
        window: PERIOD => F(1.0),
        /// True if the colour that a packet brings counts: none leaves with a better one.
        colour_aware: FLAG => B(false),
    }

    /// Marker that goes by round-trip times (Nandy, Seddigh, Pieda and Ethridge 2000). Of a rate beyond the
    /// committed one the part that exceeds it is marked, and of that the part `(RTTmin / RTT) ^ exponent`
    /// is red, RTTmin being the least of all aggregates whose conditioners exchange what they know.
    RTT_AWARE_METER: "RttAwareMeter" as "rtt-aware" {
        /// Committed information rate, the aggregate's target.
        cir: RATE_OR_ZERO,
        /// Averaging time of the rate.
        window: PERIOD => F(1.0),
        /// With 3 the rest of what is marked is yellow, with 2 green.
        colours: Takes::Numbers(&[2, 3]) => I(3),
        /// Exponent of the ratio of round-trip times.
        exponent: NOT_NEGATIVE => F(2.0),
    }

    /// Marker that goes by round-trip times and timeouts (Habib, Bhargava and Fahmy 2002, equation 9 and
    /// Figure 1). As `rtt-aware`, but the part that is red is `(RTTmin / RTT) ^ rtt_exponent (RTOmin / RTO)
    /// ^ rto_exponent`.
    RTT_RTO_METER: "RttRtoMeter" as "rtt-rto" {
        /// Committed information rate, the aggregate's target.
        cir: RATE_OR_ZERO,
        /// Averaging time of the rate.
        window: PERIOD => F(1.0),
        /// With 3 the rest of what is marked is yellow, with 2 green.
        colours: Takes::Numbers(&[2, 3]) => I(3),
        /// Exponent of the ratio of round-trip times.
        rtt_exponent: NOT_NEGATIVE => F(1.0),
        /// Exponent of the ratio of timeouts.
        rto_exponent: NOT_NEGATIVE => F(0.5),
        /// True if for the aggregate that has the least round-trip time the part is its own `RTT / RTO`;
        /// without, all that it sends beyond its target is red.
        own_timeout: FLAG => B(true),
    }

    /// Marker as `rtt-rto`, but the part that is red is the ratio of losses that makes `1 / (RTT sqrt(p) +
    /// RTO p)` the same for all aggregates: the exact solution of equation 6 of Habib, Bhargava and Fahmy
    /// 2002, with the loss of the aggregate that has the least round-trip time. With `full` it makes the
    /// rate of Padhye et al. 1998 the same, their equation 2, of which the former leaves terms out.
    TCP_MODEL_METER: "TcpModelMeter" as "tcp-model" {
        /// Committed information rate, the aggregate's target.
        cir: RATE_OR_ZERO,
        /// Averaging time of the rate.
        window: PERIOD => F(1.0),
        /// With 3 the rest of what is marked is yellow, with 2 green.
        colours: Takes::Numbers(&[2, 3]) => I(3),
        /// Leaves nothing out of the model.
        full: FLAG => B(false),
    }

    /// Marker that finds the part that is red by feedback: it grows while more of the aggregate is
    /// acknowledged beyond its target than is of the mean of all aggregates, and shrinks while less is.
    /// Below 0 it is the part of what exceeds the target that is green.
    FAIR_EXCESS_METER: "FairExcessMeter" as "fair-excess" {
        /// Committed information rate, the aggregate's target.
        cir: RATE_OR_ZERO,
        /// Averaging time of the rate.
        window: PERIOD => F(1.0),
    }
}

/// The kinds of meter.
pub static ANY_METER: Kinds = Kinds::new(
    "AnyMeter",
    module_path!(),
    "meter",
    &[
        &TOKEN_BUCKET_METER,
        &SRTCM_METER,
        &TRTCM_METER,
        &RFC4115_METER,
        &TSW2CM_METER,
        &TSW3CM_METER,
        &RTT_AWARE_METER,
        &RTT_RTO_METER,
        &TCP_MODEL_METER,
        &FAIR_EXCESS_METER,
        &USER_MARKER,
    ],
);
