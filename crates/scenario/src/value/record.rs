//! Quantities to record besides the counters.

use parshall_estimators::nonresponsive::Form;
use serde::{Deserialize, Serialize};

use super::defaults::default_payload;
use parshall_control::units::Time;

/// Quantities to record besides the counters. Flows are named, or `*` for all; ports are named `a->b`, or by
/// the name of their link (its forward direction), or `*` for all.
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
    /// True if a port's capture also has the packets of the link's other direction.
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
    /// As simulated.
    Simulated,
}

/// Flows or ports to sample, and the interval.
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
    /// Events that flows are expected to respond to.
    #[serde(default)]
    pub signals: Signals,
    /// Flows whose packets are counted apart, as those that do not respond.
    #[serde(default)]
    pub deaf: Vec<String>,
    /// Estimates from one row of evidence of a flow to the next.
    #[serde(default)]
    pub evidence_every: Option<u32>,
}

/// Events that count as a signal to flows; see [`ShareSeries`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signals {
    /// Drops and marks of the queue.
    #[default]
    Queue,
    /// Losses before the queue: the port's `loss` is then a dither, packets that the router drops at random
    /// to see who responds. Drops of the queue are no signal.
    Losses,
    /// Both: for a `loss` that tops up what the queue drops or marks ([`Loss::Dither`](super::Loss::Dither)).
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
    /// Method that follows the unknowns.
    #[serde(default)]
    pub method: ShareMethod,
    /// The unknowns.
    #[serde(default)]
    pub form: Form,
    /// A constant in place of the round-trip time that follows the queue.
    #[serde(default)]
    pub rtt: Option<Time>,
    /// True if drops are counted in the queue's equation.
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

/// Method that follows the unknowns of a queue's model; see [`QueueShareSeries`].
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
