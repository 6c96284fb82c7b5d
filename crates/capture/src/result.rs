//! Results of the analysis: samples of round trips, events of frames, and a line for each connection.

use crate::counters::Tally;
use crate::histogram::Histogram;
use crate::packet::{Endpoint, Packet};
use crate::passing::Passed;
use crate::spin::{SpinSample, Spun};
use crate::traffic::Traffic;
use crate::unread::Unreads;

/// Counts over a capture: its frames by kind, and what it lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Frames.
    pub frames: u64,
    /// Packets of TCP.
    pub tcp: u64,
    /// Packets of UDP.
    pub udp: u64,
    /// Later fragments.
    pub fragments: u64,
    /// Those of them whose first one did not pass before, so that their flow is unknown.
    pub lone_fragments: u64,
    /// Packets and later fragments that the filter did not choose.
    pub filtered: u64,
    /// Packets that the filter chose by headers in which tcpdump's filters do not look: behind tags, in tunnels.
    pub nested: u64,
    /// Frames whose headers are cut or damaged.
    pub damaged: u64,
    /// TCP packets whose options the snap length cut.
    pub options_cut: u64,
    /// Packets in the wrong order by their times, which were put right.
    pub swapped: u64,
    /// Packets that stood behind later ones of another interface, and were put in order by their times.
    pub overtaken: u64,
    /// Packets that stood behind later ones of another interface by more time than is waited for.
    pub far_behind: u64,
    /// Steps back of an interface's clock.
    pub steps_back: u64,
    /// Connections and flows that were ended to make room for new ones.
    pub dropped_flows: u64,
    /// Connections and flows that began while others had the same addresses and ports in another network.
    pub shared_ends: u64,
}

/// Direction of a packet within its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// From the opener.
    Forward,
    /// Back to the opener.
    Back,
}

impl Way {
    /// As tables have it.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Forward => "f",
            Self::Back => "b",
        }
    }
}

/// Kind of a retransmission, by the state of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Retransmission of a SYN.
    Syn,
    /// Retransmission of a SYN that answers one.
    SynAck,
    /// After duplicate or selective ACKs.
    Fast,
    /// By the timer.
    Timeout,
    /// Retransmission by the ACKs after a timeout.
    AfterTimeout,
    /// A tail loss probe (RFC 8985, section 7).
    Probe,
    /// Unknown: what the sender heard is not in the capture.
    Unknown,
}

impl Kind {
    /// As tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syn => "syn",
            Self::SynAck => "synack",
            Self::Fast => "fast",
            Self::Timeout => "rto",
            Self::AfterTimeout => "rto_next",
            Self::Probe => "tlp",
            Self::Unknown => "retransmission",
        }
    }
}

/// A frame that is more than a first transmission in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Number of the frame, from 1.
    pub frame: u64,
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Number of the connection, from 1.
    pub connection: u32,
    /// Direction of the frame.
    pub way: Way,
    /// Kind of the retransmission, if it is one.
    pub kind: Option<Kind>,
    /// The bytes had arrived already. `None` where the capture cannot tell.
    pub needless: Option<bool>,
    /// The network has made a second packet of one.
    pub network_copy: bool,
    /// A packet that was sent later came before.
    pub late: bool,
    /// A second record of a packet that the capture has already.
    pub captured_again: bool,
    /// First byte, from the first of the connection that was seen.
    pub seq: u64,
    /// Bytes of payload.
    pub payload: u32,
    /// When the copy before it passed, in nanoseconds since 1970, of a retransmission whose first copy did.
    pub copy_before: Option<i64>,
}

/// Evidence for a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Data and its ACK.
    Seq,
    /// A time stamp and its echo.
    Stamps,
    /// The handshake.
    Handshake,
}

impl Method {
    /// As tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seq => "seq",
            Self::Stamps => "ts",
            Self::Handshake => "handshake",
        }
    }
}

/// Half of the path that a round trip went over, from the capture's point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// To the receiver of the direction's data and back.
    Receiver,
    /// To its sender and back.
    Sender,
}

impl Half {
    /// As tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Receiver => "receiver",
            Self::Sender => "sender",
        }
    }
}

/// A round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Nanoseconds since 1970: when the answer passed.
    pub time: i64,
    /// The frame that answers.
    pub frame: u64,
    /// Number of the connection, from 1.
    pub connection: u32,
    /// Direction of the data.
    pub way: Way,
    /// Half of the path.
    pub half: Half,
    /// Its evidence.
    pub method: Method,
    /// Nanoseconds.
    pub rtt: i64,
    /// Bytes that the answer acknowledged, of a sample by data and ACK; 0 of others.
    pub acked: u32,
    /// Byte up to which it acknowledged, from the first of the connection that was seen.
    pub until: u64,
    /// Bytes in flight before the answer.
    pub flight: u32,
}

/// One direction of a connection.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Counters.
    pub tally: Tally,
    /// Round trips by data and ACK.
    pub seq: Histogram,
    /// Round trips by time stamps.
    pub stamps: Histogram,
    /// Time for which its sender waited for the window of its receiver, in nanoseconds.
    pub window_limited: i64,
}

impl Summary {
    /// Reads its histograms, so that they come into the cache. The result is of no use.
    pub(crate) fn approach(&self) -> u64 {
        self.seq.count() ^ self.stamps.count()
    }
}

/// A connection of TCP.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Number from 1, in the order of first packets.
    pub number: u32,
    /// Endpoint that opened the connection, as far as that is known.
    pub opener: Endpoint,
    /// Endpoint that answered.
    pub answerer: Endpoint,
    /// Time of its first packet, in nanoseconds since 1970.
    pub start: i64,
    /// Time of its last packet, in nanoseconds since 1970.
    pub end: i64,
    /// Handshake's round trip to the answerer, in nanoseconds.
    pub handshake: Option<i64>,
    /// Handshake's round trip to the opener, in nanoseconds.
    pub handshake_back: Option<i64>,
    /// True if the SYN of the opener was seen.
    pub opened: bool,
    /// True if it was seen to be closed or reset.
    pub closed: bool,
    /// Both directions, forward first.
    pub ways: [Summary; 2],
}

impl Datagrams {
    /// A flow that begins with this packet.
    pub(crate) fn new(number: u32, packet: &Packet) -> Self {
        Self {
            number,
            source: packet.source,
            destination: packet.destination,
            packets: 0,
            bytes: 0,
            start: packet.time,
            end: packet.time,
            spin: None,
        }
    }

    /// Takes in a packet, or a later fragment of one.
    pub(crate) fn count(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.ip_length);
        self.end = packet.time;
    }
}

/// A flow of UDP, one direction.
#[derive(Clone, Debug)]
pub struct Datagrams {
    /// Number from 1, in the order of first packets.
    pub number: u32,
    /// Sender.
    pub source: Endpoint,
    /// Receiver.
    pub destination: Endpoint,
    /// Packets.
    pub packets: u64,
    /// Bytes of IP packets.
    pub bytes: u64,
    /// Time of its first packet, in nanoseconds since 1970.
    pub start: i64,
    /// Time of its last packet, in nanoseconds since 1970.
    pub end: i64,
    /// Round trips by the spin bit, if it is of QUIC and spins.
    pub spin: Option<Box<Spun>>,
}

/// Rows that nothing can change any more.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Connections that have ended.
    pub connections: Vec<Connection>,
    /// Events.
    pub events: Vec<Event>,
    /// Samples of round trips, in the order in which they became known.
    pub samples: Vec<Sample>,
    /// Flows of UDP that have ended.
    pub datagrams: Vec<Datagrams>,
    /// Changes of spin bits. Those of a flow are round trips if it spins, as its row says when it ends.
    pub spun: Vec<SpinSample>,
    /// Packets with payload, if they are kept.
    pub passed: Vec<Passed>,
}

impl Rows {
    /// Sorts connections and flows by number, and events by frame.
    pub fn sort(&mut self) {
        self.connections.sort_by_key(|connection| connection.number);
        self.datagrams.sort_by_key(|flow| flow.number);
        self.events.sort_by_key(|event| event.frame);
    }
}

/// All that an analysis says in the end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Counts over the capture.
    pub totals: Totals,
    /// Frames that were not read, by their reasons.
    pub unread: Unreads,
    /// Packets and bytes over time.
    pub traffic: Traffic,
    /// Rows that were not taken before: connections and flows by number, events by frame.
    pub rows: Rows,
}
