//! Values that a control is told: of a start, an ACK, the path, a loss, a silence.

use crate::random::Stream;
use crate::units::Time;

/// What a control knows when its flow begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Packets that may be sent before the first ACK.
    pub initial_window: f64,
    /// The seed of the run.
    pub seed: u64,
    /// The flow's name.
    pub flow: &'a str,
    /// Bytes of a data packet on the wire.
    pub packet_bytes: u16,
}

impl Start<'_> {
    /// Random numbers of this flow's control alone.
    pub fn stream(&self) -> Stream {
        Stream::new(self.seed, &format!("flow/{}/control", self.flow))
    }
}

/// What an ACK is to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckKind {
    /// It acknowledges new data.
    New,
    /// It acknowledges new data during recovery, but not all that was in flight at its start.
    Partial,
    /// It acknowledges what is acknowledged already.
    Duplicate,
    /// It acknowledges less than that: an ACK that others have overtaken.
    Old,
}

/// What a control is told of an ACK. Packets are numbered from 0.
#[derive(Clone, Copy, Debug)]
pub struct AckSample<'a> {
    /// When it came.
    pub now: Time,
    /// When the first packet that it answers was sent.
    pub echo: Time,
    /// When the last was sent: the first may have waited for it at the receiver. The same as `echo` for controls that do not
    /// ask for it with [`Parameters::timed`].
    pub sent: Time,
    /// What it is to the sender.
    pub kind: AckKind,
    /// Packets that it acknowledges for the first time, cumulatively.
    pub acked: u32,
    /// What of them counts for growth: all, or one an ACK.
    pub growth: f64,
    /// The same in slow start, where what was reported beyond a gap before does not count again.
    pub slow_start: f64,
    /// Highest packet acknowledged.
    pub high_ack: i64,
    /// Next packet to be sent.
    pub next_seq: i64,
    /// Whether it reports a mark.
    pub ecn_echo: bool,
    /// Whether cwnd was what limited the sender.
    pub window_limited: bool,
    /// Whether the window may grow: new data outside recovery, no mark, and a window that is used, if the options
    /// ask for that.
    pub may_grow: bool,
    /// What is measured for controls that ask for it with [`Congestion::PACED`].
    pub path: Option<&'a PathSample>,
}

impl AckSample<'_> {
    /// Seconds since the last packet that it answers was sent.
    #[inline]
    pub fn rtt(&self) -> f64 {
        self.now.since(self.sent).secs()
    }
}

/// What a sender has measured of its path when an ACK came. Rates are in packets a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSample {
    /// Smoothed round-trip time, in seconds; NaN before the first sample.
    pub srtt: f64,
    /// Least round-trip time so far, in seconds; NaN before the first sample.
    pub min_rtt: f64,
    /// Packets sent that have neither left the network nor are thought to be lost, after this ACK.
    pub in_flight: i64,
    /// Packets delivered so far, this ACK's included.
    pub delivered: u64,
    /// Packets that this ACK newly reports, cumulatively or beyond a gap.
    pub newly_delivered: u32,
    /// Packets that this ACK makes the sender think lost.
    pub newly_lost: u32,
    /// How many had been delivered when the latest of the packets that this ACK reports was sent; 0 if it is not known
    /// which it reports.
    pub prior_delivered: u64,
    /// At what rate packets have been delivered since; NaN if that cannot be told.
    pub delivery_rate: f64,
    /// Whether that rate was limited by what the application gave to send, or the receiver to its window.
    pub app_limited: bool,
    /// Whether the sender repairs losses, after this ACK.
    pub in_recovery: bool,
}

/// What a control is told of a loss, a mark or a timeout.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// When it was noticed.
    pub now: Time,
    /// Packets in use: in flight, or the window, as the options have it.
    pub in_use: f64,
}

/// What a control is told of a time with nothing in flight that ends.
#[derive(Clone, Copy, Debug)]
pub struct Silence {
    /// When it ends.
    pub now: Time,
    /// When the last packet was sent before it.
    pub last_sent: Time,
}
