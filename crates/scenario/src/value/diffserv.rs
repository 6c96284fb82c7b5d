//! DiffServ (RFC 2475): what conditions the aggregates of a link, and queues that tell classes apart.
//!
//! A class is a code point, six bits of each packet (RFC 2474).

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::defaults::{default_max_probability, default_payload, yes};
use super::{LossOf, Meter, RedWeight};
use parshall_control::units::{Rate, Time};

/// Edge of a domain: rules for packets before they join the queue of a link. The first rule that a packet
/// fits is followed; a packet that fits none passes as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditioner {
    /// In order.
    pub rules: Vec<Rule>,
    /// Source of the meters.
    #[serde(default)]
    pub profile: DiffServProfile,
    /// Where rules that go by round trips, timeouts or windows know them from.
    #[serde(default)]
    pub knowledge: Knowledge,
}

/// Where a conditioner knows round trips, timeouts and windows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Knowledge {
    /// Source of the knowledge.
    pub source: KnowledgeSource,
    /// Least timeout of the senders, of which packets tell nothing.
    pub min_rto: Time,
    /// Time between what it tells other conditioners of an aggregate.
    pub exchange_interval: Time,
    /// Delay of these reports.
    pub exchange_delay: Time,
}

impl Default for Knowledge {
    fn default() -> Self {
        Knowledge {
            source: KnowledgeSource::default(),
            min_rto: Time::from_secs(1.0),
            exchange_interval: Time::from_secs(0.1),
            exchange_delay: Time::from_secs(0.05),
        }
    }
}

/// See [`Knowledge::source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnowledgeSource {
    /// The packets that pass, data one way and ACKs the other.
    #[default]
    Packets,
    /// The senders, which put it into their packets.
    Senders,
}

/// Packets of connections with small windows that are made green (Feroz et al. 2000).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallWindow {
    /// Windows below so many packets are small.
    #[serde(default = "default_small_window")]
    pub below_packets: f64,
    /// True if tokens at the committed rate pay for all green packets, so that later ones are yellow or red.
    #[serde(default = "yes")]
    pub repay: bool,
}

fn default_small_window() -> f64 {
    3.0
}

/// An aggregate of packets, and what is done to them. All of an aggregate share its meter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Names of flows, in which `*` stands for any text; none is all.
    #[serde(default)]
    pub flows: Vec<String>,
    /// Hosts that a packet comes from; none is any.
    #[serde(default)]
    pub sources: Vec<SmolStr>,
    /// Hosts that it goes to; none is any.
    #[serde(default)]
    pub destinations: Vec<SmolStr>,
    /// Direction of the packets: data, ACKs or both.
    #[serde(default)]
    pub of: LossOf,
    /// Code points that a packet arrives with; none is any.
    #[serde(default)]
    pub dscp: Vec<u8>,
    /// Meter that colours packets; without one all are green.
    #[serde(default)]
    pub meter: Option<Meter>,
    /// Which bytes of a packet are metered.
    #[serde(default)]
    pub count: MeteredBytes,
    /// Flows with small windows, whose packets are green whatever the meter says.
    #[serde(default)]
    pub small_window: Option<SmallWindow>,
    /// Treatment of green packets; none leaves them as they are.
    #[serde(default)]
    pub if_green: Option<Treatment>,
    /// Treatment of yellow packets.
    #[serde(default)]
    pub if_yellow: Option<Treatment>,
    /// Treatment of red packets.
    #[serde(default)]
    pub if_red: Option<Treatment>,
}

/// Treatment of a packet by a conditioner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Treatment {
    /// Gives it this code point.
    Mark(u8),
    /// Something else.
    Other(OtherTreatment),
}

/// See [`Treatment::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherTreatment {
    /// Discards it.
    Drop,
}

/// Which bytes of a packet a meter counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeteredBytes {
    /// All on the wire.
    #[default]
    Wire,
    /// Those behind the headers.
    Payload,
}

/// Source of the rules where there are several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiffServProfile {
    /// Those of the RFCs, and of RED as in [`super::Red`].
    #[default]
    Rfc,
    /// Those of ns-2.35's module, its departures from the RFCs included.
    Ns2,
}

/// Physical queues for classes, each with drop precedences, and a scheduler between them. Lengths and limits do not count
/// the packet in transmission. A code point that no precedence names goes where 0 does, and that, unless it is named, to
/// the first precedence of the last queue (with the profile `ns2`, of the first one).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiffServ {
    /// In the order of their priority, if that matters.
    pub queues: Vec<ClassQueue>,
    /// Which queue the link serves next.
    #[serde(default)]
    pub scheduler: Scheduler,
    /// Size of a mean packet: idle times are counted in these.
    #[serde(default = "default_payload")]
    pub mean_packet_bytes: u32,
    /// Source of the averages, drops and schedulers.
    #[serde(default)]
    pub profile: DiffServProfile,
}

/// One first-in-first-out queue of a [`DiffServ`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassQueue {
    /// From the one that is dropped last to the one that is dropped first.
    pub precedences: Vec<Precedence>,
    /// Most packets that wait in this queue.
    pub limit_packets: u32,
    /// Average that early drops go by.
    #[serde(default)]
    pub dropper: DropperKind,
    /// True if the drop probability rises on to 1 at twice the upper threshold; false if it jumps to 1 at the
    /// threshold.
    #[serde(default)]
    pub gentle: bool,
    /// True if drops are at least the inverse of the probability apart.
    #[serde(default = "yes")]
    pub wait: bool,
    /// True if packets that can be marked are marked instead of dropped early.
    #[serde(default)]
    pub ecn: bool,
}

/// The packets of one drop precedence in a [`ClassQueue`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precedence {
    /// Its code points.
    pub dscp: Vec<u8>,
    /// Average below which none is dropped early; for `drop-tail` the number of packets of this precedence that wait at
    /// most.
    #[serde(default)]
    pub min_threshold_packets: Option<f64>,
    /// Average at which the drop probability is `max_probability`.
    #[serde(default)]
    pub max_threshold_packets: Option<f64>,
    /// Drop probability at the upper threshold.
    #[serde(default = "default_max_probability")]
    pub max_probability: f64,
    /// Weight of the current queue in its average.
    #[serde(default)]
    pub weight: RedWeight,
}

/// Average that early drops of a [`ClassQueue`] go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropperKind {
    /// There are none: packets are dropped when the queue is full, or holds enough of their precedence.
    #[default]
    DropTail,
    /// An average of the packets of each precedence and of those that are dropped later (Clark and Fang 1998).
    RioC,
    /// An average of the packets of each precedence alone.
    RioD,
    /// One average of all packets.
    Wred,
}

/// Which queue of a [`DiffServ`] is served next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Scheduler {
    /// The first that is not empty.
    Priority(Priority),
    /// In turn, one packet each.
    RoundRobin {},
    /// In turn, packets in proportion to weights.
    Wrr(Wrr),
    /// In turn, bytes in proportion to weights.
    Drr(Drr),
    /// In turn, one packet each, those with more weight more often; with the profile `ns2`.
    Wirr(Wirr),
}

impl Default for Scheduler {
    fn default() -> Self {
        Scheduler::Priority(Priority::default())
    }
}

/// See [`Scheduler::Priority`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Priority {
    /// With the profile `ns2`: rates in bit/s beyond which a queue gives way to those after it, one for each; 0 for none.
    #[serde(default)]
    pub max_rates: Vec<Rate>,
}

/// See [`Scheduler::Wrr`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrr {
    /// Packets that each queue sends in its turn.
    pub weights: Vec<u32>,
}

/// See [`Scheduler::Drr`] (Shreedhar and Varghese 1996).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drr {
    /// Weight of each queue.
    pub weights: Vec<u32>,
    /// Bytes that a queue of weight 1 gains in its turn.
    #[serde(default = "default_quantum")]
    pub quantum_bytes: u32,
}

fn default_quantum() -> u32 {
    1500
}

/// See [`Scheduler::Wirr`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wirr {
    /// Packets that each queue sends in a round.
    pub weights: Vec<u32>,
}
