//! Queues in front of links, and their settings.

use serde::{Deserialize, Serialize};

use super::defaults::{default_max_probability, default_payload, yes};
use super::{default_mtu, DiffServ, QueueMaker};
use parshall_control::units::Time;
use parshall_estimators::own;

/// A queue discipline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Queue {
    /// First in, first out; an arriving packet is dropped when the queue is full.
    Droptail(DropTail),
    /// Random early detection.
    Red(Red),
    /// Controlled delay.
    Codel(CoDel),
    /// Proportional integral controller enhanced.
    Pie(Pie),
    /// A queue for each flow, with controlled delay.
    FqCodel(FqCodel),
    /// Queues for classes, with drop precedences.
    Diffserv(DiffServ),
    /// One that the caller hands over.
    User(own::Config<dyn QueueMaker>),
}

impl Default for Queue {
    fn default() -> Self {
        Queue::Droptail(DropTail::default())
    }
}

/// Limits of a drop-tail queue. Both count the packet in transmission; with neither the queue is unlimited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DropTail {
    /// Most packets held.
    #[serde(default)]
    pub limit_packets: Option<u32>,
    /// Most bytes held.
    #[serde(default)]
    pub limit_bytes: Option<u64>,
}

/// Random early detection (Floyd and Jacobson 1993) with the options of ns-2. Lengths do not count the packet in
/// transmission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Red {
    /// Average queue below which nothing is dropped.
    pub min_threshold_packets: f64,
    /// Average queue at which the drop probability is `max_probability`.
    pub max_threshold_packets: f64,
    /// Most packets that wait.
    pub limit_packets: u32,
    /// Drop probability at the upper threshold.
    #[serde(default = "default_max_probability")]
    pub max_probability: f64,
    /// Weight of the current queue in its average.
    #[serde(default)]
    pub weight: RedWeight,
    /// Unit of the queue's length: packets, or bytes, with thresholds and limit in mean packets.
    #[serde(default)]
    pub unit: QueueUnit,
    /// Size of a mean packet.
    #[serde(default = "default_payload")]
    pub mean_packet_bytes: u32,
    /// True if a queue that is counted in bytes drops large packets more often, in proportion, as ns-2 does;
    /// Linux drops all alike, as RFC 7141 asks.
    #[serde(default = "yes")]
    pub by_size: bool,
    /// True if the probability rises on to 1 at twice the upper threshold; false if it jumps to 1 at the
    /// threshold.
    #[serde(default = "yes")]
    pub gentle: bool,
    /// True if drops are at least the inverse of the probability apart.
    #[serde(default = "yes")]
    pub wait: bool,
    /// True if packets that can be marked are marked instead of dropped.
    #[serde(default)]
    pub ecn: bool,
    /// True if an average beyond the thresholds drops packets that can be marked, too (RFC 3168, section 7).
    #[serde(default = "yes")]
    pub hard_drop: bool,
    /// True if `max_probability` adapts itself (Floyd, Gummadi and Shenker 2001).
    #[serde(default)]
    pub adaptive: bool,
    /// Estimator of the share of the load that does not respond; if there is one, both thresholds move
    /// towards `limit_packets` as that share grows beyond `tune_above`, and the queue becomes drop-tail.
    #[serde(default)]
    pub tune_by: Option<TuneBy>,
    /// Share of packets of flows that do not respond up to which the thresholds stay.
    #[serde(default = "default_tune_above")]
    pub tune_above: f64,
    /// Excess of the share over `tune_above` at which the thresholds have reached the limit. They move in proportion;
    /// with 0 they jump.
    #[serde(default = "default_tune_band")]
    pub tune_band: f64,
    /// Time between two estimates of the share.
    #[serde(default = "default_tune_interval")]
    pub tune_interval: Time,
    /// Round-trip time of responsive flows without the queue, which the estimator of [`TuneBy::Nonresponsive`] has to
    /// be told.
    #[serde(default)]
    pub tune_rtt: Option<Time>,
}

/// Estimator of the share of a queue's load that does not respond; see [`Red::tune_by`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuneBy {
    /// The estimator of [`Record::responsiveness`](super::Record::responsiveness), fed with what this queue drops and marks.
    Responsiveness,
    /// The modified algorithm of [`Record::nonresponsive`](super::Record::nonresponsive) with the printed gains, which
    /// looks at the queue alone and keeps nothing by flow.
    Nonresponsive,
}

fn default_tune_above() -> f64 {
    0.5
}

fn default_tune_band() -> f64 {
    0.1
}

fn default_tune_interval() -> Time {
    Time::from_ps(1_000_000_000_000)
}

/// Weight of the current queue in RED's average.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RedWeight {
    /// This number.
    Fixed {
        /// Between 0 and 1.
        value: f64,
    },
    /// 1 - exp(-1 / packets per second): a time constant of one second.
    FromRate {},
}

impl Default for RedWeight {
    fn default() -> Self {
        RedWeight::Fixed { value: 0.002 }
    }
}

/// CoDel (RFC 8289): packets that waited too long for too long are dropped when they leave the queue. The defaults
/// are the RFC's. Limits do not count the packet in transmission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoDel {
    /// Acceptable time in the queue.
    #[serde(default = "default_codel_target")]
    pub target: Time,
    /// Time for which packets may wait longer before one is dropped: about the longest round trip.
    #[serde(default = "default_codel_interval")]
    pub interval: Time,
    /// Most packets that wait.
    #[serde(default)]
    pub limit_packets: Option<u32>,
    /// Most bytes that wait.
    #[serde(default)]
    pub limit_bytes: Option<u64>,
    // [RFC 8289 5.3-a]
    /// Nothing is dropped while no more than this waits.
    #[serde(default = "default_mtu")]
    pub mtu_bytes: u32,
    /// True if packets that can be marked are marked instead of dropped.
    #[serde(default)]
    pub ecn: bool,
    /// Packets that can be marked are marked if they waited longer than this, whatever else is done.
    #[serde(default)]
    pub ce_threshold: Option<Time>,
    /// Arithmetic of the square root.
    #[serde(default)]
    pub variant: QueueVariant,
}

/// Behaviour where Linux differs from the RFC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueVariant {
    /// As the RFC says.
    #[default]
    Rfc,
    /// As Linux does.
    Linux,
}

fn default_codel_target() -> Time {
    // [RFC 8289 4.3-a] [RFC 8289 4.5-a]
    Time::from_ps(5_000_000_000)
}

fn default_codel_interval() -> Time {
    // [RFC 8289 4.2-a] [RFC 8289 4.5-a] [RFC 8290 5.2.1-a]
    Time::from_ps(100_000_000_000)
}

/// PIE (RFC 8033): arriving packets are dropped with a probability that a controller of the queueing delay sets.
/// The defaults are those of the RFC's basic scheme. Limits do not count the packet in transmission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pie {
    /// Queueing delay to hold (`QDELAY_REF`).
    #[serde(default = "default_pie_time")]
    pub target: Time,
    /// Time between updates of the probability (`T_UPDATE`).
    #[serde(default = "default_pie_time")]
    pub update: Time,
    /// Weight of the delay's distance from the target, in 1/s.
    #[serde(default = "default_pie_alpha")]
    pub alpha: f64,
    /// Weight of the delay's change, in 1/s.
    #[serde(default = "default_pie_beta")]
    pub beta: f64,
    /// Time for which a burst is let through (`MAX_BURST`).
    #[serde(default = "default_pie_burst")]
    pub max_burst: Time,
    /// Most packets that wait.
    #[serde(default)]
    pub limit_packets: Option<u32>,
    /// Most bytes that wait.
    #[serde(default)]
    pub limit_bytes: Option<u64>,
    /// Size of a mean packet (`MEAN_PKTSIZE`): nothing is dropped while two of them wait, or less.
    #[serde(default = "default_payload")]
    pub mean_packet_bytes: u32,
    /// Where the queueing delay comes from.
    #[serde(default)]
    pub delay: PieDelay,
    /// True if packets that can be marked are marked instead of dropped (section 5.1).
    #[serde(default)]
    pub ecn: bool,
    // [RFC 8033 5.1-a]
    /// From this probability on packets are dropped even if they can be marked.
    #[serde(default = "default_max_probability")]
    pub mark_below: f64,
    /// True if drops are kept from coming in clusters (section 5.4).
    #[serde(default)]
    pub derandomize: bool,
    /// True if an update raises a probability of 0.1 or more by 0.02 at most (section 5.5).
    #[serde(default)]
    pub cap_increase: bool,
    /// Behaviour where Linux differs from the RFC.
    #[serde(default)]
    pub variant: QueueVariant,
}

fn default_pie_time() -> Time {
    // [RFC 8033 4.2-a]
    Time::from_ps(15_000_000_000)
}

fn default_pie_burst() -> Time {
    // [RFC 8033 4.4-a]
    Time::from_ps(150_000_000_000)
}

fn default_pie_alpha() -> f64 {
    0.125
}

fn default_pie_beta() -> f64 {
    1.25
}

/// Where PIE takes the queueing delay from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PieDelay {
    /// The time that the packet waited which left last.
    #[default]
    Timestamps,
    /// Backlog, by an estimate of the rate at which it leaves (section 5.2).
    DepartureRate,
}

/// FQ-CoDel (RFC 8290): flows are hashed into queues that take turns, and each queue is a CoDel queue. The defaults
/// are the RFC's. Limits do not count the packet in transmission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FqCodel {
    /// Acceptable time in a queue.
    #[serde(default = "default_codel_target")]
    pub target: Time,
    /// Time for which packets may wait longer before one is dropped.
    #[serde(default = "default_codel_interval")]
    pub interval: Time,
    /// Number of queues.
    #[serde(default = "default_fq_queues")]
    pub queues: u32,
    /// Bytes that a queue may send in its turn.
    #[serde(default = "default_fq_quantum")]
    pub quantum_bytes: u32,
    /// Most packets that wait in all queues.
    #[serde(default = "default_fq_limit")]
    pub limit_packets: u32,
    /// Most bytes that wait in all queues.
    #[serde(default)]
    pub limit_bytes: Option<u64>,
    /// Most packets that are dropped at once from the longest queue when a limit is passed.
    #[serde(default = "default_fq_batch")]
    pub drop_batch: u32,
    /// Nothing is dropped by CoDel while no more than this waits in a queue.
    #[serde(default = "default_mtu")]
    pub mtu_bytes: u32,
    /// True if packets that can be marked are marked instead of dropped.
    #[serde(default = "yes")]
    pub ecn: bool,
    /// Packets that can be marked are marked if they waited longer than this, whatever else is done.
    #[serde(default)]
    pub ce_threshold: Option<Time>,
    /// Behaviour where Linux differs from the RFC.
    #[serde(default)]
    pub variant: QueueVariant,
}

fn default_fq_queues() -> u32 {
    1024
}

fn default_fq_quantum() -> u32 {
    1514
}

fn default_fq_limit() -> u32 {
    10_240
}

fn default_fq_batch() -> u32 {
    64
}

/// Unit of a queue's length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueUnit {
    /// Packets.
    #[default]
    Packets,
    /// Bytes.
    Bytes,
}
