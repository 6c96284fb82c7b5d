//! When there is data to send: applications that do not hear back, and the laws of their times.

use serde::{Deserialize, Serialize};

use super::{AppMaker, Barrier, Telnet, TransferSequence, Web};
use parshall_control::units::{Rate, Time};
use parshall_estimators::own::Config;

/// When an application has data. Rates count payload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum App {
    /// Always.
    Bulk {},
    /// A given number of packets, once.
    Transfer(Transfer),
    /// One packet after each constant interval.
    Cbr(Cbr),
    /// A rate that changes at random times.
    Vbr(Vbr),
    /// Bursts and silences.
    OnOff(OnOff),
    /// A rate with long memory.
    SelfSimilar(SelfSimilar),
    /// Packets at listed times.
    Schedule(Schedule),
    /// One transfer after the other.
    TransferSequence(Box<TransferSequence>),
    /// Rounds of requests to many at once, each when all answers to the one before are there.
    Barrier(Box<Barrier>),
    /// Sessions of single packets.
    Telnet(Box<Telnet>),
    /// Pages of objects that a client asks a server for.
    Web(Box<Web>),
    /// One of the caller's own, which hears back over TCP.
    User(Box<Config<dyn AppMaker>>),
}

/// See [`App::Transfer`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Packets to deliver.
    pub packets: u32,
}

/// See [`App::Cbr`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cbr {
    /// Payload bits per second.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Time between packets, in place of a rate.
    #[serde(default)]
    pub interval: Option<Time>,
}

/// See [`App::Vbr`] (Zhao 2004, II.C.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vbr {
    /// Each rate is drawn uniformly from this range, in payload bits per second.
    pub rates: (Rate, Rate),
    /// Range from which its duration is drawn uniformly.
    pub intervals: (Time, Time),
}

/// See [`App::OnOff`]. A source starts with a silence; a burst holds the nearest whole number of packets to
/// its drawn length, at least one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Law of both durations.
    pub law: Law,
    /// Payload bits per second during a burst.
    pub rate: Rate,
    /// Mean length of a burst.
    pub on: Time,
    /// Mean length of a silence.
    pub off: Time,
}

/// Law of a random duration with a given mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Law {
    /// Exponential.
    Exponential,
    /// Pareto with this shape, above 1.
    Pareto {
        /// Tail exponent.
        shape: f64,
    },
}

/// See [`App::SelfSimilar`]. In each interval the rate is `rate + sd x`, or 0 if that is less, where x is fractional
/// Gaussian noise. The mean rate is then `rate Phi(rate / sd) + sd phi(rate / sd)`, a little above `rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfSimilar {
    /// Payload bits per second around which the rate moves.
    pub rate: Rate,
    /// The Hurst parameter of the noise.
    pub h: f64,
    /// Its standard deviation, in payload bits per second.
    pub sd: Rate,
    /// Duration of a rate.
    pub interval: Time,
}

/// See [`App::Schedule`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// `(time after the flow's start, packets)`, in order of time.
    pub writes: Vec<(Time, u32)>,
    /// Over UDP: payloads of the packets in turn, and from the first again; none is the transport's for all.
    #[serde(default)]
    pub payloads: Vec<u32>,
}
