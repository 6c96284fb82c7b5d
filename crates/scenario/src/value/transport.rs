//! Transports: TCP with all its choices, and UDP.

use std::sync::Arc;

use parshall_estimators::rto::RtoConfig;
use serde::{Deserialize, Serialize};

use super::defaults::default_payload;
use parshall_control::units::Time;
use parshall_control::Control;

/// A transport protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Transport {
    /// Reliable, congestion controlled.
    Tcp(Arc<Tcp>),
    /// Neither.
    Udp(Udp),
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
/// takes the profile's value; see `transport::profile`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// The set of defaults.
    #[serde(default)]
    pub profile: ProfileName,
    /// Recovery from losses.
    #[serde(default)]
    pub recovery: Option<RecoveryName>,
    /// Congestion control; none is CUBIC in the profile `linux`, AIMD in the others. The recovery `vegas` has a
    /// window of its own, and takes its rule from the controls `vegas` and `arima-vegas`.
    #[serde(default)]
    pub control: Option<Control>,
    /// True if packets can be marked instead of dropped (RFC 3168).
    #[serde(default)]
    pub ecn: bool,
    /// True if packets are spread over the round trip instead of sent as ACKs let them go.
    #[serde(default)]
    pub pacing: bool,
    /// Estimator of the retransmission timeout.
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
    /// Longest wait of an acknowledgement.
    #[serde(default)]
    pub delayed_ack_timer: Option<Time>,
    /// The first packets of data, so many, are acknowledged each at once (Linux's quick ACKs).
    #[serde(default)]
    pub quick_acks: Option<u32>,
    /// Bytes of the receive buffer at the start, in place of `quick_acks` (Linux's `tcp_rmem`).
    #[serde(default)]
    pub receive_buffer: Option<u32>,
    /// Packets sent before the first acknowledgement.
    #[serde(default)]
    pub initial_window_packets: Option<f64>,
    /// The receiver's window.
    #[serde(default)]
    pub max_window_packets: Option<u32>,
    /// Where slow start first ends; none means at the receiver's window.
    #[serde(default)]
    pub initial_ssthresh_packets: Option<f64>,
    /// True if packet 0 is a SYN, and data waits for its acknowledgement.
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
    /// True if timers expire as late as those of Linux.
    #[serde(default)]
    pub timer_wheel: Option<bool>,
    /// SACK: proportional rate reduction (RFC 9937): the window comes down evenly over the recovery.
    #[serde(default)]
    pub prr: Option<bool>,
    /// SACK: losses are told by time, and a probe finds those at the end (RACK-TLP, RFC 8985).
    #[serde(default)]
    pub rack: Option<bool>,
    /// True if a reduction of the window is undone when an ACK answers what was sent before anything was sent
    /// again (Eifel).
    #[serde(default)]
    pub eifel: Option<bool>,
    /// New data goes on the first ACK after a timeout, and a timeout is undone if packets are acknowledged then that were
    /// sent before it, and once (F-RTO).
    #[serde(default)]
    pub frto: Option<bool>,
    /// SACK: receivers report what has come twice (RFC 2883), and a reduction for it is undone (RFC 3708).
    #[serde(default)]
    pub dsack: Option<bool>,
    /// Quantity that a loss halves.
    #[serde(default)]
    pub reduce_from: Option<ReduceFrom>,
    /// True if ssthresh is rounded down to a whole number.
    #[serde(default)]
    pub integer_ssthresh: Option<bool>,
    /// Which packets are timed.
    #[serde(default)]
    pub rtt_sampling: Option<RttSampling>,
    /// Event that ends exponential backoff.
    #[serde(default)]
    pub backoff_reset: Option<BackoffReset>,
    /// Effect of idleness on the window.
    #[serde(default)]
    pub idle_restart: Option<IdleRestart>,
    /// When a second fast retransmit is allowed.
    #[serde(default)]
    pub fast_retransmit_guard: Option<FastRetransmitGuard>,
    /// NewReno: which partial ACKs restart the timer.
    #[serde(default)]
    pub partial_ack_timer: Option<PartialAckTimer>,
    /// True if cwnd grows while the window is not used up.
    #[serde(default)]
    pub grow_when_limited: Option<bool>,
    /// True if an ACK for two packets grows cwnd as two ACKs do (RFC 5681, section 3.1), and not as one.
    #[serde(default)]
    pub count_acked_packets: Option<bool>,
    /// True if an ACK for two packets opens cwnd by two in slow start (Linux), and not by one (RFC 5681,
    /// section 3.1).
    #[serde(default)]
    pub slow_start_counts_packets: Option<bool>,
    /// True if leaving recovery sets cwnd to ssthresh (RFC); false if it keeps cwnd and lets that ACK grow it
    /// (ns-2).
    #[serde(default)]
    pub deflate_to_ssthresh: Option<bool>,
    /// True if a timeout forgets the duplicate ACKs counted so far; ns-2's Tahoe does not.
    #[serde(default)]
    pub timeout_clears_dupacks: Option<bool>,
}

fn default_header() -> u32 {
    40
}

/// Named sets of TCP defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileName {
    /// Behaviour of the RFCs today.
    #[default]
    Rfc,
    /// Behaviour of the newest Linux that is known, which is 7.3.
    Linux,
    /// Behaviour of Linux 6.1.
    #[serde(rename = "linux-6.1")]
    Linux61,
    /// Behaviour of Linux 6.12.
    #[serde(rename = "linux-6.12")]
    Linux612,
    /// Behaviour of Linux 7.3.
    #[serde(rename = "linux-7.3")]
    Linux73,
    /// Behaviour of ns-2.35.
    Ns2,
}

impl ProfileName {
    /// True for the profiles of Linux.
    pub fn is_linux(self) -> bool {
        matches!(self, Self::Linux | Self::Linux61 | Self::Linux612 | Self::Linux73)
    }
}

/// Recovery from losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryName {
    /// Fast retransmit, then slow start from one packet.
    Tahoe,
    /// Fast recovery that the first new ACK ends (RFC 2581).
    Reno,
    /// Fast recovery that lasts until all is repaired (RFC 6582).
    Newreno,
    /// Selective acknowledgements (RFC 2018, RFC 6675).
    Sack,
    /// Vegas: its window and its retransmissions (Brakmo and Peterson 1995).
    Vegas,
}

/// Quantity that a loss halves.
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

/// Event that ends exponential backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackoffReset {
    /// An RTT sample (Karn; RFC 6298, section 5).
    Sample,
    /// Any ACK of new data.
    NewAck,
}

/// Effect of idleness on a sender's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdleRestart {
    /// Sending after more than an RTO of silence starts from the initial window (RFC 5681, section 4.1).
    OnSend,
    /// Sending after more than an RTO of silence halves the window once for each RTO, down to the initial window, and
    /// raises ssthresh to three quarters of what it was (Linux; after RFC 2861).
    Halving,
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
    /// Until the recovery point, with ns-2's exception for the first packet.
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
