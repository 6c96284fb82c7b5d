//! The scenario as a plain value: what a user asks for, before names become indices.
//!
//! This is the one schema of the project. The Python classes in `parshall.scenario` have the same fields and
//! write the JSON that is read here; a test compares the two. Times are seconds, rates bit/s, sizes bytes
//! unless a field's name says packets. Every name is checked by [`crate::compile`], not here.

mod alike;
mod apps;
mod diffserv;

use std::sync::Arc;

pub use crate::control::Control;
pub use alike::{push_alike, Alike};
pub use apps::*;
pub use diffserv::*;
use parshall_estimators::nonresponsive::Form;
use parshall_estimators::rto::RtoConfig;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::control::user;
use crate::units::{Rate, Time};

/// A network, the flows that cross it, how long it runs and what is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Simulated time; the run covers `[0, duration)`.
    pub duration: Time,
    /// Counters count from this instant on.
    #[serde(default)]
    pub warm_up: Time,
    /// Nodes where flows start and end. A host forwards nothing.
    pub hosts: Vec<SmolStr>,
    /// Nodes that forward.
    #[serde(default)]
    pub routers: Vec<SmolStr>,
    /// Full-duplex links; at most one between two nodes.
    #[serde(deserialize_with = "alike::list")]
    pub links: Vec<Link>,
    /// Traffic.
    #[serde(deserialize_with = "alike::list")]
    pub flows: Vec<Flow>,
    /// What is recorded besides the counters.
    #[serde(default)]
    pub record: Record,
}

/// A full-duplex link. Its two directions are the ports `a->b` and `b->a` for `between = ["a", "b"]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two nodes; the first is where the forward direction starts.
    pub between: (SmolStr, SmolStr),
    /// A short name for the forward direction.
    #[serde(default)]
    pub name: Option<SmolStr>,
    /// Bits per second.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Time,
    /// Queue in front of the link.
    #[serde(default)]
    pub queue: Arc<Queue>,
    /// Instants at which packets may leave, in place of the rate, which then only tells RED, and the observers of
    /// `record.nonresponsive`, what to expect.
    #[serde(default)]
    pub capacity: Option<Arc<Capacity>>,
    /// Random delay on top of the propagation delay.
    #[serde(default)]
    pub jitter: Option<Jitter>,
    /// Packets lost on arrival at the port, before the queue.
    #[serde(default)]
    pub loss: Option<Arc<Loss>>,
    /// What is done to arriving packets before all else.
    #[serde(default)]
    pub conditioner: Option<Arc<Conditioner>>,
    /// What differs in the direction from the second node to the first. A field left out is as above,
    /// except `loss`, `jitter`, `capacity` and `conditioner`, which are none.
    #[serde(default)]
    pub reverse: Arc<Reverse>,
}

/// The reverse direction of a [`Link`], where it differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Bits per second.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Propagation delay.
    #[serde(default)]
    pub delay: Option<Time>,
    /// Queue in front of the link.
    #[serde(default)]
    pub queue: Option<Arc<Queue>>,
    /// Instants at which packets may leave.
    #[serde(default)]
    pub capacity: Option<Arc<Capacity>>,
    /// Random delay.
    #[serde(default)]
    pub jitter: Option<Jitter>,
    /// Packets lost on arrival at the port.
    #[serde(default)]
    pub loss: Option<Arc<Loss>>,
    /// What is done to arriving packets before all else.
    #[serde(default)]
    pub conditioner: Option<Arc<Conditioner>>,
}

/// A recorded capacity: at each of `times` a number of bytes may leave; after `period` all repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// In ascending order, equal ones allowed.
    pub times: Vec<Time>,
    /// At least the last of `times`, and above 0.
    pub period: Time,
    /// Bytes that may leave at one of the times.
    #[serde(default = "default_mtu")]
    pub bytes: u32,
}

fn default_mtu() -> u32 {
    1500
}

/// Random delay on a link, uniform from 0 to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jitter {
    /// Longest delay.
    pub most: Time,
    /// Whether a packet may overtake another; otherwise it waits for it.
    #[serde(default)]
    pub reorder: bool,
}

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
    /// Whether the queue is counted in packets, or in bytes with thresholds and limit in mean packets.
    #[serde(default)]
    pub unit: QueueUnit,
    /// Size of a mean packet.
    #[serde(default = "default_payload")]
    pub mean_packet_bytes: u32,
    /// Whether a queue that is counted in bytes drops large packets more often, in proportion, as ns-2 does;
    /// Linux drops all alike, as RFC 7141 asks.
    #[serde(default = "yes")]
    pub by_size: bool,
    /// Whether the probability rises to 1 at twice the upper threshold, or jumps to 1 there.
    #[serde(default = "yes")]
    pub gentle: bool,
    /// Whether drops are at least the inverse of the probability apart.
    #[serde(default = "yes")]
    pub wait: bool,
    /// Whether packets that can be marked are marked instead of dropped.
    #[serde(default)]
    pub ecn: bool,
    /// Whether `max_probability` adapts itself (Floyd, Gummadi and Shenker 2001).
    #[serde(default)]
    pub adaptive: bool,
    /// What tells the queue how much of its load does not respond; if anything does, both thresholds move towards
    /// `limit_packets` as that share grows beyond `tune_above`, and the queue becomes drop-tail.
    #[serde(default)]
    pub tune_by: Option<TuneBy>,
    /// Share of packets of flows that do not respond up to which the thresholds stay.
    #[serde(default = "default_tune_above")]
    pub tune_above: f64,
    /// How far beyond `tune_above` the share is when the thresholds have reached the limit. They move in proportion;
    /// with 0 they jump.
    #[serde(default = "default_tune_band")]
    pub tune_band: f64,
    /// Time between two estimates of the share.
    #[serde(default = "default_tune_interval")]
    pub tune_interval: Time,
}

/// What tells a queue how much of its load does not respond; see [`Red::tune_by`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuneBy {
    /// The estimator of [`Record::responsiveness`], fed with what this queue drops and marks.
    Responsiveness,
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

fn default_max_probability() -> f64 {
    0.1
}

fn yes() -> bool {
    true
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
    /// How long packets may wait longer before one is dropped: about the longest round trip.
    #[serde(default = "default_codel_interval")]
    pub interval: Time,
    /// Most packets that wait.
    #[serde(default)]
    pub limit_packets: Option<u32>,
    /// Most bytes that wait.
    #[serde(default)]
    pub limit_bytes: Option<u64>,
    /// Nothing is dropped while no more than this waits.
    #[serde(default = "default_mtu")]
    pub mtu_bytes: u32,
    /// Whether packets that can be marked are marked instead of dropped.
    #[serde(default)]
    pub ecn: bool,
    /// Packets that can be marked are marked if they waited longer than this, whatever else is done.
    #[serde(default)]
    pub ce_threshold: Option<Time>,
    /// Whose arithmetic it is.
    #[serde(default)]
    pub variant: QueueVariant,
}

/// Whether a queue does what its RFC says, or what Linux does where the two differ.
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
    Time::from_ps(5_000_000_000)
}

fn default_codel_interval() -> Time {
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
    /// How long a burst is let through (`MAX_BURST`).
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
    /// Whether packets that can be marked are marked instead of dropped (section 5.1).
    #[serde(default)]
    pub ecn: bool,
    /// From this probability on packets are dropped even if they can be marked.
    #[serde(default = "default_max_probability")]
    pub mark_below: f64,
    /// Whether drops are kept from coming in clusters (section 5.4).
    #[serde(default)]
    pub derandomize: bool,
    /// Whether an update raises a probability of 0.1 or more by 0.02 at most (section 5.5).
    #[serde(default)]
    pub cap_increase: bool,
    /// Whose rules they are.
    #[serde(default)]
    pub variant: QueueVariant,
}

fn default_pie_time() -> Time {
    Time::from_ps(15_000_000_000)
}

fn default_pie_burst() -> Time {
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
    /// What waits, by an estimate of the rate at which it leaves (section 5.2).
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
    /// How long packets may wait longer before one is dropped.
    #[serde(default = "default_codel_interval")]
    pub interval: Time,
    /// How many queues there are.
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
    /// Whether packets that can be marked are marked instead of dropped.
    #[serde(default = "yes")]
    pub ecn: bool,
    /// Packets that can be marked are marked if they waited longer than this, whatever else is done.
    #[serde(default)]
    pub ce_threshold: Option<Time>,
    /// Whose rules they are.
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

/// What a queue is counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueUnit {
    /// Packets.
    #[default]
    Packets,
    /// Bytes.
    Bytes,
}

/// Losses that are not the queue's doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Loss {
    /// The packets with these arrival numbers at the port (counted from 1, lost packets included) are lost.
    Listed(ListedLoss),
    /// Each packet is lost with the same probability, independently.
    Bernoulli(BernoulliLoss),
    /// Losses come in bursts: two states with a loss probability each (Gilbert 1960, Elliott 1963).
    GilbertElliott(GilbertElliottLoss),
    /// The router drops, or marks, a few packets itself where its queue asks nobody to slow down.
    Dither(DitherLoss),
}

/// See [`Loss::Listed`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedLoss {
    /// Arrival numbers, counted from 1.
    pub arrivals: Vec<u64>,
    /// Which packets are counted and lost.
    #[serde(default)]
    pub of: LossOf,
}

/// See [`Loss::Bernoulli`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BernoulliLoss {
    /// Between 0 and 1.
    pub probability: f64,
    /// Which packets can be lost.
    #[serde(default)]
    pub of: LossOf,
}

/// See [`Loss::GilbertElliott`]. The state may change before each packet; it starts good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliottLoss {
    /// Probability of a change from good to bad.
    pub good_to_bad: f64,
    /// Probability of a change from bad to good.
    pub bad_to_good: f64,
    /// Loss probability in the good state.
    #[serde(default)]
    pub loss_good: f64,
    /// Loss probability in the bad state.
    #[serde(default = "one")]
    pub loss_bad: f64,
    /// Which packets can be lost.
    #[serde(default)]
    pub of: LossOf,
}

/// See [`Loss::Dither`]. A packet is lost with the probability that the queue's own drops and marks lately fell short of
/// `floor`; one that may carry a mark (ECN) is marked instead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DitherLoss {
    /// Least share of packets that are dropped or marked, between 0 and 1.
    #[serde(default = "default_floor")]
    pub floor: f64,
    /// Which packets can be lost, and are counted.
    #[serde(default)]
    pub of: LossOf,
}

fn default_floor() -> f64 {
    0.001
}

/// Which packets a loss concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossOf {
    /// All.
    #[default]
    All,
    /// All but ACKs.
    Data,
    /// ACKs.
    Acks,
}

/// One flow: an application over a transport between two hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Unique. Random draws of the flow depend on the seed and on this name only.
    pub name: SmolStr,
    /// Host that sends data.
    pub source: SmolStr,
    /// Host that receives it.
    pub destination: SmolStr,
    /// How data travels.
    pub transport: Transport,
    /// When there is data to send.
    pub app: App,
    /// Earliest start.
    #[serde(default)]
    pub start: Time,
    /// The start is drawn uniformly from `[start, start + start_spread)`.
    #[serde(default)]
    pub start_spread: Time,
    /// From this instant on the application hands nothing more to the transport.
    #[serde(default)]
    pub stop: Option<Time>,
    /// Code point of the packets that both ends send.
    #[serde(default)]
    pub dscp: u8,
}

/// A transport protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Transport {
    /// Reliable, congestion controlled.
    Tcp(Arc<Tcp>),
    /// Neither.
    Udp(Udp),
}

impl Scenario {
    /// Finds what makes each control that this crate does not have.
    ///
    /// # Errors
    /// The first error of `find`.
    pub fn hand_over<E>(
        &mut self,
        mut find: impl FnMut(&user::Config) -> Result<Arc<dyn user::Maker>, E>,
    ) -> Result<(), E> {
        // Neighbours share a transport, and go on doing so.
        let mut last: Option<[Arc<Tcp>; 2]> = None;
        for flow in &mut self.flows {
            let Transport::Tcp(tcp) = &mut flow.transport else { continue };
            if let Some([_, done]) = last.as_ref().filter(|[asked, _]| Arc::ptr_eq(asked, tcp)) {
                *tcp = done.clone();
            } else if matches!(tcp.control, Control::User(_)) {
                let asked = tcp.clone();
                if let Control::User(config) = &mut Arc::make_mut(tcp).control {
                    config.maker = user::Found(Some(find(config)?));
                }
                last = Some([asked, tcp.clone()]);
            }
        }
        Ok(())
    }
}

impl Transport {
    /// Payload of a data packet, in bytes.
    pub fn payload_bytes(&self) -> u32 {
        match self {
            Transport::Tcp(tcp) => tcp.payload_bytes,
            Transport::Udp(udp) => udp.payload_bytes,
        }
    }

    /// A data packet on the wire, in bytes.
    pub fn data_bytes(&self) -> u32 {
        let header_bytes = match self {
            Transport::Tcp(tcp) => tcp.header_bytes,
            Transport::Udp(udp) => udp.header_bytes,
        };
        self.payload_bytes() + header_bytes
    }
}

/// TCP: recovery, retransmission timeout, window and receiver options compose. An option that is left out
/// takes the profile's value; see [`crate::transport::profile`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// The set of defaults.
    #[serde(default)]
    pub profile: ProfileName,
    /// What is sent after a loss.
    #[serde(default)]
    pub recovery: RecoveryName,
    /// How the window grows and shrinks. The recovery `vegas` has a window of its own, and takes its rule from the controls
    /// `vegas` and `arima-vegas`.
    #[serde(default)]
    pub control: Control,
    /// Whether packets can be marked instead of dropped (RFC 3168).
    #[serde(default)]
    pub ecn: bool,
    /// Whether packets are spread over the round trip instead of sent as ACKs let them go.
    #[serde(default)]
    pub pacing: bool,
    /// How the retransmission timeout is estimated.
    #[serde(default)]
    pub rto: Option<RtoConfig>,
    /// Payload of a full segment.
    #[serde(default = "default_payload")]
    pub payload_bytes: u32,
    /// Headers of a data packet. With a handshake, packet 0 is a SYN of this size.
    #[serde(default = "default_header")]
    pub header_bytes: u32,
    /// An acknowledgement on the wire.
    #[serde(default = "default_header")]
    pub ack_bytes: u32,
    /// Acknowledge every second packet, or when the timer expires.
    #[serde(default)]
    pub delayed_ack: Option<bool>,
    /// How long an acknowledgement may wait.
    #[serde(default)]
    pub delayed_ack_timer: Option<Time>,
    /// The first packets of data, so many, are acknowledged each at once (Linux's quick ACKs).
    #[serde(default)]
    pub quick_acks: Option<u32>,
    /// Packets sent before the first acknowledgement.
    #[serde(default)]
    pub initial_window_packets: Option<f64>,
    /// The receiver's window.
    #[serde(default)]
    pub max_window_packets: Option<u32>,
    /// Where slow start first ends; none means at the receiver's window.
    #[serde(default)]
    pub initial_ssthresh_packets: Option<f64>,
    /// Whether packet 0 is a SYN, and data waits for its acknowledgement.
    #[serde(default)]
    pub handshake: Option<bool>,
    /// RFC 3042: a new packet on each of the first two duplicate ACKs.
    #[serde(default)]
    pub limited_transmit: Option<bool>,
    /// Duplicate ACKs that mean a loss.
    #[serde(default)]
    pub dupack_threshold: Option<u32>,
    /// RTO before the first sample.
    #[serde(default)]
    pub initial_rto: Option<Time>,
    /// Least RTO, before backoff.
    #[serde(default)]
    pub min_rto: Option<Time>,
    /// Greatest RTO, after backoff.
    #[serde(default)]
    pub max_rto: Option<Time>,
    /// Granularity of the sender's clock; 0 is an exact clock.
    #[serde(default)]
    pub clock_tick: Option<Time>,
    /// Where in a tick the run starts; none draws it at random.
    #[serde(default)]
    pub clock_phase: Option<Time>,
    /// SACK: proportional rate reduction (RFC 9937): the window comes down evenly over the recovery.
    #[serde(default)]
    pub prr: Option<bool>,
    /// SACK: losses are told by time, and a probe finds those at the end (RACK-TLP, RFC 8985).
    #[serde(default)]
    pub rack: Option<bool>,
    /// What is halved on a loss.
    #[serde(default)]
    pub reduce_from: Option<ReduceFrom>,
    /// Whether ssthresh loses its fraction.
    #[serde(default)]
    pub integer_ssthresh: Option<bool>,
    /// Which packets are timed.
    #[serde(default)]
    pub rtt_sampling: Option<RttSampling>,
    /// What ends exponential backoff.
    #[serde(default)]
    pub backoff_reset: Option<BackoffReset>,
    /// What happens to the window when a sender has been idle.
    #[serde(default)]
    pub idle_restart: Option<IdleRestart>,
    /// When a second fast retransmit is allowed.
    #[serde(default)]
    pub fast_retransmit_guard: Option<FastRetransmitGuard>,
    /// NewReno: which partial ACKs restart the timer.
    #[serde(default)]
    pub partial_ack_timer: Option<PartialAckTimer>,
    /// Whether cwnd grows while the window is not used up.
    #[serde(default)]
    pub grow_when_limited: Option<bool>,
    /// Whether an ACK for two packets grows cwnd as two ACKs do (RFC 5681, section 3.1) or as one.
    #[serde(default)]
    pub count_acked_packets: Option<bool>,
    /// Whether an ACK for two packets opens cwnd by two in slow start (Linux), or by one (RFC 5681, section 3.1).
    #[serde(default)]
    pub slow_start_counts_packets: Option<bool>,
    /// Whether leaving recovery sets cwnd to ssthresh (RFC) or keeps it and lets that ACK grow it (ns-2).
    #[serde(default)]
    pub deflate_to_ssthresh: Option<bool>,
    /// Whether a timeout forgets the duplicate ACKs counted so far; ns-2's Tahoe does not.
    #[serde(default)]
    pub timeout_clears_dupacks: Option<bool>,
}

fn default_payload() -> u32 {
    1000
}

fn default_header() -> u32 {
    40
}

/// Named sets of TCP defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileName {
    /// What the RFCs say today.
    #[default]
    Rfc,
    /// What Linux 6 does.
    Linux,
    /// What ns-2.35 does.
    Ns2,
}

/// What is sent after a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryName {
    /// Fast retransmit, then slow start from one packet.
    Tahoe,
    /// Fast recovery that the first new ACK ends (RFC 2581).
    Reno,
    /// Fast recovery that lasts until all is repaired (RFC 6582).
    #[default]
    Newreno,
    /// Selective acknowledgements (RFC 2018, RFC 6675).
    Sack,
    /// Vegas: its window and its retransmissions (Brakmo and Peterson 1995).
    Vegas,
}

fn one() -> f64 {
    1.0
}

/// What a loss halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReduceFrom {
    /// Packets in flight (RFC 5681, equation 4).
    Flight,
    /// The smaller of cwnd and the receiver's window (ns-2).
    Window,
}

/// Which packets yield RTT samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RttSampling {
    /// One packet at a time, never a retransmitted one (RFC 6298, section 3).
    OnePacket,
    /// Every ACK of new data, by the time stamp that it echoes (RFC 7323).
    Timestamps,
}

/// What ends exponential backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackoffReset {
    /// An RTT sample (Karn; RFC 6298, section 5).
    Sample,
    /// Any ACK of new data.
    NewAck,
}

/// What happens to the window of a sender that has been idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdleRestart {
    /// Sending after more than an RTO of silence starts from the initial window (RFC 5681, section 4.1).
    OnSend,
    /// The timer is left running with nothing in flight; its expiry sets cwnd to 1 (ns-2).
    OnTimer,
    /// Nothing.
    Never,
}

/// When duplicate ACKs may start another fast retransmit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FastRetransmitGuard {
    /// Only when everything sent before the last reduction has been acknowledged (RFC 6582, section 3.2).
    Recover,
    /// The same, with ns-2's exception for the first packet.
    RecoverOrFirst,
    /// Always.
    None,
}

/// Which partial ACKs restart the retransmission timer (RFC 6582, section 3.2, step 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAckTimer {
    /// The first of a recovery ("impatient").
    First,
    /// Each ("slow but steady").
    Every,
}

/// UDP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Udp {
    /// Payload of a packet.
    #[serde(default = "default_payload")]
    pub payload_bytes: u32,
    /// IP and UDP headers.
    #[serde(default = "default_udp_header")]
    pub header_bytes: u32,
}

fn default_udp_header() -> u32 {
    28
}

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
    /// Sessions of single packets.
    Telnet(Box<Telnet>),
    /// Pages of objects that a client asks a server for.
    Web(Box<Web>),
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
    /// How long it lasts is drawn uniformly from this range.
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
    /// How long a rate lasts.
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

/// What is recorded besides the counters. Flows are named, or `*` for all; ports are named `a->b`, or by the
/// name of their link (its forward direction), or `*` for all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Flows of which every RTT sample is kept, with srtt, rttvar and RTO.
    #[serde(default)]
    pub rtt: Vec<String>,
    /// Flows of which every change of the sender's variables is kept.
    #[serde(default)]
    pub window: Vec<String>,
    /// Flows of which the state is sampled at intervals.
    #[serde(default)]
    pub flow_series: Option<Series>,
    /// Ports of which the state is sampled at intervals.
    #[serde(default)]
    pub port_series: Option<Series>,
    /// Ports of which the share of non-responsive traffic is estimated at intervals.
    #[serde(default)]
    pub responsiveness: Option<ShareSeries>,
    /// Ports of which the share of non-responsive traffic is estimated from what the queue alone shows.
    #[serde(default)]
    pub nonresponsive: Option<QueueShareSeries>,
    /// Ports of which every packet event is kept.
    #[serde(default)]
    pub packets: Vec<String>,
    /// Flows of which every packet that reaches a host is kept.
    #[serde(default)]
    pub deliveries: Vec<String>,
    /// Ports of which a packet capture is written.
    #[serde(default)]
    pub pcap: Vec<String>,
    /// The format of captures.
    #[serde(default)]
    pub pcap_format: CaptureFormat,
    /// Whether a port's capture also has what the other direction of its link brings.
    #[serde(default)]
    pub pcap_both_directions: bool,
    /// Which handshakes captures have.
    #[serde(default)]
    pub pcap_handshakes: CapturedHandshakes,
    /// Ports of which the state of conditioner and class queues is kept after each arrival.
    #[serde(default)]
    pub class_state: Vec<String>,
    /// Ports of whose conditioners what they know of TCP connections is kept at intervals.
    #[serde(default)]
    pub edges: Option<Series>,
    /// Flows of which every transfer is kept.
    #[serde(default)]
    pub transfers: Vec<String>,
}

/// The format of captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaptureFormat {
    /// The classic one, with nanoseconds.
    #[default]
    Pcap,
    /// The one that has room for comments: on marks, and on drops.
    Pcapng,
}

/// Which handshakes captures have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapturedHandshakes {
    /// Every connection has one: if it was simulated without, one that is made up.
    #[default]
    All,
    /// What was simulated.
    Simulated,
}

/// What is sampled, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Names.
    pub of: Vec<String>,
    /// Time between samples.
    pub interval: Time,
}

/// Estimates of the share of non-responsive traffic: of which ports, how often, and what counts as a signal to flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareSeries {
    /// Names.
    pub of: Vec<String>,
    /// Time between estimates.
    pub interval: Time,
    /// What flows are expected to respond to.
    #[serde(default)]
    pub signals: Signals,
}

/// What counts as a signal to flows; see [`ShareSeries`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signals {
    /// What the queue drops or marks.
    #[default]
    Queue,
    /// What is lost before the queue: the port's `loss` is then a dither, packets that the router drops at random to
    /// see who responds. What the queue drops is no signal.
    Losses,
    /// Both: for a `loss` that tops up what the queue drops or marks ([`Loss::Dither`]).
    Both,
}

/// Estimates of the share of non-responsive traffic from what a queue shows: its length, arrivals, drops and marks
/// (Zhao 2004, chapters II and III and appendix A). A value that is left out has the estimator's default.
///
/// See [`parshall_estimators::nonresponsive::Settings`]. The link's rate stands for the capacity, also where the
/// scenario has recorded instants in its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueShareSeries {
    /// Names.
    pub of: Vec<String>,
    /// Time between samples, at most a round trip.
    pub sampling: Time,
    /// Round-trip time of responsive flows without the port's queue.
    pub propagation: Time,
    /// Size of a packet, which makes packets/s of the link's rate.
    #[serde(default = "default_payload")]
    pub mean_packet_bytes: u32,
    /// How the unknowns are followed.
    #[serde(default)]
    pub method: ShareMethod,
    /// The unknowns.
    #[serde(default)]
    pub form: Form,
    /// A constant in the place of the round-trip time that follows the queue.
    #[serde(default)]
    pub rtt: Option<Time>,
    /// Whether drops are counted in the queue's equation.
    #[serde(default)]
    pub count_drops: bool,
    /// After how many samples in a row without a drop or mark the responsive load is extrapolated.
    #[serde(default)]
    pub zero_drops_after: Option<u32>,
    /// Samples in an estimation interval.
    #[serde(default = "default_estimation_samples")]
    pub estimation_samples: u32,
    /// Forgetting factor of the queue length.
    #[serde(default = "default_backlog_alpha")]
    pub backlog_alpha: f64,
    /// Forgetting factor of the probability of a drop or mark.
    #[serde(default = "default_signal_alpha")]
    pub signal_alpha: f64,
    /// Forgetting factor of the drops.
    #[serde(default = "default_signal_alpha")]
    pub drop_alpha: f64,
    /// Forgetting factor of the differences of the queue length.
    #[serde(default)]
    pub derivative_alpha: f64,
    /// Start value of the number of responsive flows.
    #[serde(default)]
    pub start_n_s: Option<f64>,
    /// Start value of the packets of responsive flows in a round trip.
    #[serde(default)]
    pub start_z0: Option<f64>,
    /// Start value of the drop probability at other hops.
    #[serde(default = "default_elsewhere")]
    pub start_elsewhere: f64,
    /// Start value of the rate of the constant-rate flows, in packets/s.
    #[serde(default)]
    pub start_cbr: Option<f64>,
}

fn default_estimation_samples() -> u32 {
    20
}

fn default_backlog_alpha() -> f64 {
    0.4
}

fn default_signal_alpha() -> f64 {
    0.6
}

fn default_elsewhere() -> f64 {
    0.01
}

/// How the unknowns of a queue's model are followed; see [`QueueShareSeries`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ShareMethod {
    /// Normalised Kaczmarz projection (Zhao 2004, eq. 2.16).
    Kaczmarz(KaczmarzMethod),
    /// Recursive least squares with exponential forgetting.
    Rls(RlsMethod),
    /// Kalman filter of parameters that walk at random.
    Kalman(KalmanMethod),
    /// Kaczmarz projection in whole numbers, as a kernel can run it (Zhao 2004, III.A.2).
    FixedPoint(FixedPointMethod),
}

impl Default for ShareMethod {
    fn default() -> Self {
        ShareMethod::Kaczmarz(KaczmarzMethod::default())
    }
}

/// See [`ShareMethod::Kaczmarz`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KaczmarzMethod {
    /// Keeps a step finite.
    pub gamma1: f64,
    /// Length of a step.
    pub gamma2: f64,
}

impl Default for KaczmarzMethod {
    fn default() -> Self {
        KaczmarzMethod { gamma1: 5.0, gamma2: 0.45 }
    }
}

/// See [`ShareMethod::Rls`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RlsMethod {
    /// Weight of a sample relative to the next one.
    pub forgetting: f64,
    /// Variance of the start values, relative to their squares and the variance of the noise.
    pub initial: f64,
}

impl Default for RlsMethod {
    fn default() -> Self {
        RlsMethod { forgetting: 0.999, initial: 1.0 }
    }
}

/// See [`ShareMethod::Kalman`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KalmanMethod {
    /// Standard deviation of the start values, relative to them.
    pub initial: f64,
    /// Standard deviation that each parameter gains in a second, relative to its start value.
    pub drift: f64,
    /// Standard deviation of the noise in packets/s; none is the root mean square innovation.
    pub noise: Option<f64>,
}

impl Default for KalmanMethod {
    fn default() -> Self {
        KalmanMethod { initial: 1.0, drift: 0.03, noise: None }
    }
}

/// See [`ShareMethod::FixedPoint`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FixedPointMethod {
    /// As in [`KaczmarzMethod`].
    pub gamma1: f64,
    /// As in [`KaczmarzMethod`].
    pub gamma2: f64,
    /// Time between two looks at the queue, a whole number of milliseconds.
    pub tick: Time,
}

impl Default for FixedPointMethod {
    fn default() -> Self {
        FixedPointMethod { gamma1: 5.0, gamma2: 0.45, tick: Time::from_secs(0.01) }
    }
}
