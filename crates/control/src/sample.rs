//! Values that a transport tells a control: of a start, an ACK, the path, a loss, a silence.

use crate::random::Stream;
use crate::units::Time;

/// The start of a connection, for the control that is made for it.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Packets that may be sent before the first ACK.
    pub initial_window: f64,
    /// Seed of the control's random numbers, together with `flow`. Only BBR draws any.
    pub seed: u64,
    /// Name of the connection: with one seed, connections with different names draw different numbers.
    pub flow: &'a str,
    /// Size of a data packet on the wire, in bytes. TCP-TP computes packets a second from a capacity in bits a second.
    pub packet_bytes: u16,
}

impl Start<'_> {
    /// The random numbers of this connection's control alone.
    pub fn stream(&self) -> Stream {
        Stream::new(self.seed, &format!("flow/{}/control", self.flow))
    }
}

/// The meaning of an ACK for the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckKind {
    /// Acknowledges new data, outside of recovery, or all that was in flight when recovery began.
    New,
    /// Acknowledges new data during recovery, but not all that was in flight when it began.
    Partial,
    /// Acknowledges nothing new.
    Duplicate,
    /// Acknowledges less than an ACK that came before: others have overtaken it.
    Old,
}

/// An ACK, once recovery has dealt with it. Packets are numbered from 0.
///
/// [`AckSample::new`] makes one of the most common kind; other fields can be set on it with struct update syntax:
/// `AckSample { ecn_echo: true, may_grow: false, ..AckSample::new(now, sent, 1, high_ack, next_seq) }`.
#[derive(Clone, Copy, Debug)]
pub struct AckSample<'a> {
    /// Arrival of the ACK.
    pub now: Time,
    /// Departure of the first packet that it answers. Only controls that are handed over ([`crate::user`]) look at it.
    pub echo: Time,
    /// Departure of the last packet that it answers: the first may have waited for that one at the receiver. For controls that
    /// do not ask for it with [`Parameters::timed`](crate::Parameters::timed), `echo` will do.
    pub sent: Time,
    /// Meaning of the ACK for the sender.
    pub kind: AckKind,
    /// Packets acknowledged for the first time; where ACKs are cumulative, by the cumulative part.
    pub acked: u32,
    /// Packets that count for growth in congestion avoidance: `acked`, or 1 where a sender grows by ACKs (RFC 5681,
    /// section 3.1).
    pub growth: f64,
    /// Packets that count for growth in slow start: `growth`, or less where packets beyond a gap were counted before.
    pub slow_start: f64,
    /// Highest packet acknowledged, this ACK included; -1 before the first.
    pub high_ack: i64,
    /// Number of the next new packet.
    pub next_seq: i64,
    /// Tells if the ACK reports a mark (ECN).
    pub ecn_echo: bool,
    /// Tells if cwnd was what limited the sender, and not the application or the receiver. CUBIC's clock stands while
    /// it was not.
    pub window_limited: bool,
    /// Tells if the window may grow: an ACK of kind [`AckKind::New`] that reports no mark, and a window that was used, if
    /// the transport asks for that.
    pub may_grow: bool,
    /// The path, for controls that ask for it with [`Congestion::PACED`](crate::Congestion::PACED).
    pub path: Option<&'a PathSample>,
}

impl AckSample<'static> {
    /// An ACK at `now` of `acked` new packets, outside of recovery, without a mark, from a sender that used its window and
    /// counts all of them for growth. The last of them left at `sent`; `high_ack` is the highest packet acknowledged, and
    /// `next_seq` the next new one.
    #[must_use]
    pub fn new(now: Time, sent: Time, acked: u32, high_ack: i64, next_seq: i64) -> Self {
        AckSample {
            now,
            echo: sent,
            sent,
            kind: AckKind::New,
            acked,
            growth: f64::from(acked),
            slow_start: f64::from(acked),
            high_ack,
            next_seq,
            ecn_echo: false,
            window_limited: true,
            may_grow: true,
            path: None,
        }
    }
}

impl AckSample<'_> {
    /// The round trip of the last packet that the ACK answers, in seconds.
    #[inline]
    pub fn rtt(&self) -> f64 {
        self.now.since(self.sent).secs()
    }
}

/// The path as a sender has measured it when an ACK came: what paced controls go by (draft-ietf-ccwg-bbr, section 4.1).
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
    /// Value of `delivered` when the latest of the packets that this ACK reports was sent; 0 if it is not known which
    /// it reports.
    pub prior_delivered: u64,
    /// Packets delivered since then, per second; NaN if that cannot be told.
    pub delivery_rate: f64,
    /// Tells if that rate was limited by what the application gave to send, or the receiver to its window.
    pub app_limited: bool,
    /// Tells if the sender repairs losses, after this ACK.
    pub in_recovery: bool,
    /// Time until pacing lets the next packet leave, in seconds; 0 if one may leave now.
    pub held_for: f64,
}

/// A loss, a mark or a timeout.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Time at which it was noticed.
    pub now: Time,
    /// Packets in use, from which a reduction is computed: those in flight (RFC 5681, equation 4), or the window.
    pub in_use: f64,
}

/// A time with nothing in flight that ends.
#[derive(Clone, Copy, Debug)]
pub struct Silence {
    /// Its end.
    pub now: Time,
    /// Departure of the last packet before it.
    pub last_sent: Time,
}
