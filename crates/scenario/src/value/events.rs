//! Events of a link at given times: its rate, delay or losses change, packets are lost for a while, held, or overtaken.

use serde::{Deserialize, Serialize};

use super::LossOf;
use parshall_control::units::{Rate, Time};

/// An event of one direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LinkEvent {
    /// From an instant on the link has another rate; at 0 it stands, and what waits for it goes on waiting.
    #[serde(rename = "rate-change")]
    Rate(RateChange),
    /// From an instant on packets are under way for another time.
    #[serde(rename = "delay-change")]
    Delay(DelayChange),
    /// From an instant on packets are lost with another probability.
    #[serde(rename = "loss-change")]
    Loss(LossChange),
    /// Packets that arrive at the port for a while are lost.
    Outage(Outage),
    /// Packets that would reach the far end during a while reach it at its end, in order.
    Stall(Stall),
    /// Chosen packets take longer, and others overtake them.
    Reordering(Reordering),
}

/// See [`LinkEvent::Rate`]. A packet in transmission goes on at the new rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    /// When the rate changes.
    pub at: Time,
    /// Bits per second from then on; 0 for a link that stands.
    pub rate: Rate,
}

/// See [`LinkEvent::Delay`]. A packet has the delay of the instant at which its transmission ends; where that is so much
/// shorter than before that it would overtake, it waits for those before it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayChange {
    /// When the delay changes.
    pub at: Time,
    /// Propagation delay from then on.
    pub delay: Time,
}

/// See [`LinkEvent::Loss`]. It takes the place of the link's losses until then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossChange {
    /// When the losses change.
    pub at: Time,
    /// Each packet is lost with this probability from then on, independently.
    pub probability: f64,
    /// Which packets can be lost.
    #[serde(default)]
    pub of: LossOf,
}

/// See [`LinkEvent::Outage`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// Its first instant.
    pub start: Time,
    /// The first instant after it.
    pub end: Time,
    /// Which packets are lost.
    #[serde(default)]
    pub of: LossOf,
}

/// See [`LinkEvent::Stall`]. The queue goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// Its first instant.
    pub start: Time,
    /// When what was held is handed over.
    pub end: Time,
}

/// See [`LinkEvent::Reordering`]. Packets are chosen by one of `every`, `probability` and `packets`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reordering {
    /// Packets whose transmission ends from this instant on are counted and delayed.
    #[serde(default)]
    pub start: Time,
    /// The first instant at which none is any more; none is never.
    #[serde(default)]
    pub end: Option<Time>,
    /// Additional delay of a chosen packet.
    pub delay: Time,
    /// The last of so many is chosen.
    #[serde(default)]
    pub every: Option<u32>,
    /// Each is chosen with this probability, independently.
    #[serde(default)]
    pub probability: Option<f64>,
    /// The packets with these numbers, counted from 1, are chosen.
    #[serde(default)]
    pub packets: Vec<u64>,
    /// Which packets are counted and chosen.
    #[serde(default)]
    pub of: LossOf,
}
