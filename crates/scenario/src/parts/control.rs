//! Congestion controls.

use crate::part::{parts, Kinds, B, F, I, J, NONE, T};
use crate::parts::{ANY_FORECASTER, USER_CONTROL};
use crate::read as checks;
use crate::takes::{Takes, FLAG, NOT_NEGATIVE, PART, PART_OR_ZERO, POSITIVE, RATE, SHARE, WINDOW};

parts! {
    /// One packet a round trip up, half of the window down (RFC 5681).
    AIMD: "Aimd" as "aimd" {
    }

    /// CA-ARTT: Vegas that decides on a forecast of its next round trip. With `ARTT` for the forecast,
    /// `RTT` for the mean of the last round and `baseRTT` for the least, the backlog is `N = (cwnd / ARTT -
    /// cwnd / RTT) (ARTT - baseRTT)` packets (Jeyasekar et al. 2014, eq. 33). The last sample stands for a
    /// forecast that is not above 0. Slow start, of which they say nothing, is Vegas's, with N for the
    /// backlog or its own.
    ARIMA_VEGAS: "ArimaVegas" as "arima-vegas", checked by checks::ordered {
        /// Backlog below which the window grows by a packet a round trip.
        alpha: NOT_NEGATIVE => F(1.0),
        /// Backlog above which it shrinks by one; at least alpha.
        beta: NOT_NEGATIVE => F(3.0),
        /// Backlog above which slow start ends.
        gamma: NOT_NEGATIVE => F(1.0),
        /// Forecaster of the next round trip, in seconds, from that of each ACK of new data.
        forecaster: Takes::OneOf(&ANY_FORECASTER) => J(r#"{"ar":[-0.36251,0.17573],"d":1,"kind":"arima","ma":[-0.95108]}"#),
        /// When it decides: once a round trip, as Vegas does, or with each ACK of new data, as the
        /// document's algorithm reads.
        decide: Takes::Choice(&["round", "ack"]) => T("round"),
        /// Which backlog ends slow start: N, or that of stock Vegas.
        slow_start: Takes::Choice(&["forecast", "stock"]) => T("forecast"),
    }

    /// BBR, version 1: a model of the path, its rate at the bottleneck and its round trip without a queue,
    /// sets rate and window (Cardwell et al. 2016). Its packets are paced. Meant for the recovery `sack`.
    BBR: "Bbr" as "bbr" {
        /// True if losses and marks bound rate and window, as in version 3 (draft-ietf-ccwg-bbr).
        bounds: FLAG => B(false),
        /// Version 1 of the draft or of Linux, which also looks out for policers and makes room in the
        /// window for ACKs that come together. Left out it is `linux` with the profile of that name and
        /// without `bounds`, and `draft` otherwise.
        variant: Takes::Choice(&["draft", "linux"]) => NONE,
    }

    /// For a window `w`, `alpha / w^k` packets a round trip up and `beta w^l` down (Bansal and Balakrishnan
    /// 2001). IIAD has k = 1 and l = 0, SQRT 1/2 for both. A loss in slow start and a timeout take half of
    /// the window, or what `beta w^l` is if that is more.
    BINOMIAL: "Binomial" as "binomial" {
        /// Exponent of the increase.
        k: NOT_NEGATIVE,
        /// Exponent of the decrease.
        l: NOT_NEGATIVE,
        /// Factor of the increase.
        alpha: POSITIVE => F(1.0),
        /// Factor of the decrease.
        beta: POSITIVE => F(0.5),
    }

    /// Copa: steers towards a rate that falls with the queueing delay, so that each flow keeps `1 / delta`
    /// packets in the queue (Arun and Balakrishnan 2018). Its packets are paced. Meant for the recovery
    /// `sack`.
    COPA: "Copa" as "copa" {
        /// Weight of delay beside throughput.
        delta: POSITIVE => F(0.5),
        /// True if a flow that does not see the queue empty lowers delta, to hold its own beside flows that
        /// fill the buffer. Several flows of Copa may take each other for such ones.
        competitive: FLAG => B(true),
    }

    /// CUBIC: a window that grows with the cube of the time since the last loss (RFC 9438).
    CUBIC: "Cubic" as "cubic" {
        /// Steepness of the curve (RFC 9438, section 5.1).
        c: POSITIVE => F(0.4),
        /// Factor of the window at a loss (section 4.6).
        beta: PART => F(0.7),
        /// True if a flow that loses early makes room (section 4.7).
        fast_convergence: FLAG => B(true),
        /// Exit from slow start before a loss: none; by trains of ACKs and round trips that grow (Ha and Rhee
        /// 2011, as in Linux); or by such round trips, with a conservative slow start after them (RFC 9406).
        /// Left out it is `classic` with the profile `linux`, and `none` with others.
        hystart: Takes::Choice(&["none", "classic", "plus-plus"]) => NONE,
        /// Growth by the RFC or by Linux, which counts whole packets and ticks of 4 ms, aims ahead by the
        /// least round trip, which leaves queues out, grows by a twentieth a round trip at least before the
        /// first loss, and keeps up with a flow of Reno that grows by 0.53 packets a round trip for ever.
        /// Left out it is `linux` with the profile of that name, and `rfc` with others.
        variant: Takes::Choice(&["rfc", "linux"]) => NONE,
    }

    /// DCTCP: the window shrinks by as much as the share of packets that were marked asks for (RFC 8257).
    /// It takes `ecn` and a queue that marks, best each packet that finds K or more waiting: `Red` with
    /// both thresholds K, `weight=1`, `gentle=False`, `ecn=True` and `hard_drop=False`. Its receiver
    /// reports marks packet by packet.
    DCTCP: "Dctcp" as "dctcp" {
        /// Weight of the latest window in the share of marked packets (DCTCP.g).
        gain: PART => F(0.0625),
    }

    /// DUAL: AIMD that also backs off where it expects a round trip in the upper part of those it has seen
    /// (Wang and Crowcroft 1992), with any forecaster of the next one. Between `least` and `greatest`, the
    /// limit is `least + threshold (greatest - least)`. Slow start is that of AIMD: its overshoot is what
    /// shows how long round trips can be.
    DUAL: "Dual" as "dual" {
        /// Where the limit lies between the least and the greatest round trip, from 0 to below 1.
        threshold: PART_OR_ZERO => F(0.5),
        /// Factor of the window above it, or, in proportion, where the greatest round trip is expected.
        beta: PART => F(0.875),
        /// By how much the window shrinks: always by the same part, or by more the higher the expected
        /// round trip is above the limit.
        backoff: Takes::Choice(&["constant", "proportional"]) => T("constant"),
        /// It looks once in so many round trips.
        rounds: WINDOW => I(2),
        /// Forecaster of the mean of the next round trip, in seconds, from those of the last ones.
        forecaster: Takes::OneOf(&ANY_FORECASTER) => J(r#"{"kind":"last-value"}"#),
    }

    /// TCP-TP: jumps to the share of the link that a forecast of its own throughput `f` implies, for `N =
    /// ceil(C / f)` connections: `cwnd = C RTT / N` (He et al. 2002, eq. 10 and 11). Slow start and what a
    /// loss leaves are those of AIMD, and so is the increase while there is no forecast.
    TCP_TP: "TcpTp" as "tcp-tp" {
        /// C, the rate of the bottleneck with all headers; packet pairs measure it if it is not given.
        capacity: RATE => NONE,
        /// Measurement interval, in smoothed round-trip times.
        interval: POSITIVE => F(1.0),
        /// alpha, the weight of the newest interval in the sampled throughput.
        gain: SHARE => F(0.5),
        /// Number of intervals measured before the rule applies.
        samples: WINDOW => I(20),
        /// Forecaster of the throughput of the next interval, in packets a second.
        forecaster: Takes::OneOf(&ANY_FORECASTER) => J(r#"{"every":1,"kind":"lmmse","window":21}"#),
        /// Rounding of N: up as printed, to the nearest, or down to one at least.
        rounding: Takes::Choice(&["up", "nearest", "down"]) => T("up"),
        /// Which round trip the window is for: the smoothed one, or the least so far.
        rtt: Takes::Choice(&["smoothed", "least"]) => T("smoothed"),
        /// Times at which the window is set: with each new forecast, or with each ACK by the last one.
        decide: Takes::Choice(&["interval", "ack"]) => T("interval"),
        /// True if a window that is set below ssthresh opens by slow start again, as in a TCP whose increase
        /// alone is changed. If not, ssthresh comes down with it.
        slow_start_again: FLAG => B(true),
    }

    /// Vegas: keeps a number of packets in queues (Brakmo and Peterson 1995). This is its window alone; the
    /// recovery of the same name has its retransmissions as well.
    VEGAS_CONTROL: "VegasControl" as "vegas", checked by checks::ordered {
        /// Packets in queues below which the window grows.
        alpha: NOT_NEGATIVE => F(1.0),
        /// Packets in queues above which it shrinks; at least alpha.
        beta: NOT_NEGATIVE => F(3.0),
        /// Packets in queues above which slow start ends.
        gamma: NOT_NEGATIVE => F(1.0),
    }

    /// Veno: AIMD that backs off less when a loss does not look like congestion (Fu and Liew 2003).
    VENO: "Veno" as "veno" {
        /// Packets in queues from which on a loss counts as congestion.
        beta: POSITIVE => F(3.0),
        /// Estimate of these: from the mean of the last round trip and the least of the connection, or from
        /// the smoothed round trip of RFC 6298 and the least since the last loss (Jeyasekar et al. 2014,
        /// eq. 1 and 2).
        backlog: Takes::Choice(&["round", "smoothed"]) => T("round"),
    }
}

/// The kinds of control.
pub static ANY_CONTROL: Kinds = Kinds::new(
    "AnyControl",
    module_path!(),
    "control",
    &[
        &AIMD,
        &ARIMA_VEGAS,
        &BBR,
        &BINOMIAL,
        &COPA,
        &CUBIC,
        &DCTCP,
        &DUAL,
        &TCP_TP,
        &VEGAS_CONTROL,
        &VENO,
        &USER_CONTROL,
    ],
);
