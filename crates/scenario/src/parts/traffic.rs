//! Applications that do not hear back.

use crate::part::{parts, Kinds, EMPTY_LIST, NONE};
use crate::parts::{BARRIER, TELNET, TRANSFER_SEQUENCE, USER_APP, WEB};
use crate::read as checks;
use crate::takes::{
    Takes, COUNT, DURATION_RANGE, PART, PAYLOADS, PERIOD, RATE, RATE_RANGE, TAIL_EXPONENT, WRITES,
};

parts! {
    /// Always has data.
    BULK: "Bulk" as "bulk" {
    }

    /// A given number of packets, once.
    TRANSFER: "Transfer" as "transfer" {
        /// Packets to deliver.
        packets: COUNT,
    }

    /// One packet after each constant interval, which is given, or follows from a rate.
    CBR: "Cbr" as "cbr", checked by checks::rate_or_interval {
        /// Payload bits per second; either this or `interval`.
        rate: RATE => NONE,
        /// Time between packets; either this or `rate`.
        interval: PERIOD => NONE,
    }

    /// A rate that changes at random times (Zhao 2004, section II.C.6).
    VBR: "Vbr" as "vbr" {
        /// Each rate is drawn uniformly from this range, in payload bits per second.
        rates: RATE_RANGE,
        /// Range from which the duration of a rate is drawn uniformly.
        intervals: DURATION_RANGE,
    }

    /// Bursts and silences of random length. A source starts with a silence; a burst holds the nearest
    /// whole number of packets to its drawn length, at least one.
    ON_OFF: "OnOff" as "on-off" {
        /// Law of both durations.
        law: Takes::OneOf(&ANY_PERIODS),
        /// Payload bits per second during a burst.
        rate: RATE,
        /// Mean length of a burst.
        on: PERIOD,
        /// Mean length of a silence.
        off: PERIOD,
    }

    /// Exponentially distributed durations.
    EXPONENTIAL_PERIODS: "ExponentialPeriods" as "exponential" {
    }

    /// Pareto distributed durations: heavy tailed below a shape of 2.
    PARETO_PERIODS: "ParetoPeriods" as "pareto" {
        /// Tail exponent, above 1 so that there is a mean.
        shape: TAIL_EXPONENT,
    }

    /// A rate with long memory. In each interval it is `rate + sd x`, or 0 if that is less, where x is
    /// fractional Gaussian noise. Cutting at 0 lifts the mean to `rate Phi(rate / sd) + sd phi(rate / sd)`:
    /// by 0.01 % if `sd` is a third of `rate`, by 0.4 % if it is half, by 8 % if they are equal. The noise
    /// is drawn at once for the whole run, so a longer run has other noise from its start on.
    SELF_SIMILAR: "SelfSimilar" as "self-similar" {
        /// Payload bits per second around which the rate moves.
        rate: RATE,
        /// The Hurst parameter: above 1/2, memory is long.
        h: PART,
        /// Standard deviation of the noise, in payload bits per second.
        sd: RATE,
        /// Duration of a rate; at most 2^22 of them in a run.
        interval: PERIOD,
    }

    /// Packets at listed times.
    SCHEDULE: "Schedule" as "schedule" {
        /// Pairs of a time after the flow's start and a number of packets, in order of time.
        writes: WRITES,
        /// Over UDP: payloads of the packets in turn, in bytes, and from the first again; none is the
        /// transport's for all.
        payloads: PAYLOADS => EMPTY_LIST,
    }
}

/// The kinds of app.
pub static ANY_APP: Kinds = Kinds::new(
    "AnyApp",
    module_path!(),
    "application",
    &[
        &BULK,
        &TRANSFER,
        &CBR,
        &VBR,
        &ON_OFF,
        &SELF_SIMILAR,
        &SCHEDULE,
        &TRANSFER_SEQUENCE,
        &BARRIER,
        &TELNET,
        &WEB,
        &USER_APP,
    ],
);

/// The kinds of periods.
pub static ANY_PERIODS: Kinds =
    Kinds::new("AnyPeriods", module_path!(), "law", &[&EXPONENTIAL_PERIODS, &PARETO_PERIODS]);
