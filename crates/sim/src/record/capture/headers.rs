//! The headers of a packet: IPv4, and TCP or UDP, as real ends would write them.
//!
//! A flow's sender is 10.0.0.0 + its index, with port 10000 and one more for each further connection; its receiver is
//! 10.128.0.0 + its index with port 80. Packet numbers become byte numbers modulo 2^32, from 1 in both directions: 0 is
//! that of the SYN, simulated or not. Payload is zeros, which checksums take into account.

use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};

use super::notes::Note;
use crate::outside::{ip, Content};
use crate::packet::ecn;
use crate::transport::SackBlocks;

const SENDER_NET: u32 = 0x0a00_0000;
const RECEIVER_NET: u32 = 0x0a80_0000;
const SENDER_PORT: u16 = 10_000;
const RECEIVER_PORT: u16 = 80;
const IPV4_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
/// Largest payload of an IPv4 packet, in bytes.
const MAX_IP_PAYLOAD: usize = 65_535 - IPV4_BYTES;
/// Most that a window can be shifted (RFC 7323, section 2.3).
const MOST_SHIFT: u8 = 14;
static ZEROS: [u8; 65_535] = [0; 65_535];

/// Facts about a flow that headers need.
#[derive(Clone, Copy, Debug)]
pub struct FlowFacts {
    /// Payload of a full packet of data.
    pub payload_bytes: u32,
    /// Headers of a packet of data, as the scenario has them.
    pub header_bytes: u32,
    /// Facts about TCP, for a TCP flow.
    pub tcp: Option<TcpFacts>,
}

/// Facts about a TCP flow that headers need.
#[derive(Clone, Copy, Debug)]
pub struct TcpFacts {
    /// True if packet 0 is a SYN.
    pub handshake: bool,
    /// True if ACKs report blocks.
    pub sack: bool,
    /// True if packets can be marked.
    pub ecn: bool,
    /// True if packets carry time stamps.
    pub timestamps: bool,
    /// Bytes that the receiver offers to take at any time.
    pub window_bytes: u64,
}

/// One connection of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    /// Index of the flow.
    pub flow: u32,
    /// Its number, from 0.
    pub number: u32,
    /// Facts about the flow.
    pub facts: FlowFacts,
}

/// A packet for a file: what of it is stored, and how long it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Headers, and of UDP the payload as well: Wireshark takes it for cut off otherwise.
    pub stored: Vec<u8>,
    /// Bytes on the wire.
    pub length: u32,
}

/// A segment of TCP without what all of a connection have.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    from_receiver: bool,
    seq: u32,
    ack: Option<u32>,
    syn: bool,
    ece: bool,
    cwr: bool,
    payload: usize,
    /// TSval and TSecr.
    times: (u32, u32),
}

impl TcpFacts {
    /// By how many bits windows are shifted, and the window of any segment but a SYN.
    ///
    /// It is rounded up: a sender that uses all of it never seems to send more than it may.
    pub fn window(&self) -> (u8, u16) {
        let fits = |shift: &u8| self.window_bytes.div_ceil(1 << shift) <= u64::from(u16::MAX);
        let shift = (0..MOST_SHIFT).find(fits).unwrap_or(MOST_SHIFT);
        (shift, self.window_bytes.div_ceil(1 << shift).clamp(1, u64::from(u16::MAX)) as u16)
    }
}

impl Connection {
    /// The packet of a note, whose ACK reports these blocks, and answers a SYN or not.
    pub fn frame(&self, note: &Note, blocks: &SackBlocks, answers_syn: bool) -> Frame {
        match &self.facts.tcp {
            Some(tcp) => {
                let traffic_class = (note.dscp, network_ecn(note));
                let segment = self.segment(note, tcp, answers_syn);
                self.tcp_frame(tcp, &segment, blocks, traffic_class, note.size)
            }
            None => {
                let payload = usize::from(note.size).saturating_sub(self.facts.header_bytes as usize);
                self.udp_frame(note, &ZEROS[..payload])
            }
        }
    }

    /// The packet of a note of the caller's datagram, with what it carries.
    pub fn datagram(&self, note: &Note, content: &Content) -> Frame {
        match content {
            Content::Size => self.frame(note, &SackBlocks::EMPTY, false),
            Content::Udp(payload) => self.udp_frame(note, payload),
            Content::Ip(packet) => {
                let mut stored = packet.clone();
                ip::set_traffic_class(&mut stored, note.dscp << 2 | network_ecn(note));
                Frame { length: stored.len() as u32, stored }
            }
        }
    }

    /// The SYN, or the answer to it, of a connection that was simulated without one.
    pub fn made_handshake(&self, from_receiver: bool) -> Option<Frame> {
        let tcp = self.facts.tcp.as_ref()?;
        let segment = if from_receiver { answer_to_syn(tcp, 0) } else { syn(tcp, 0) };
        Some(self.tcp_frame(tcp, &segment, &SackBlocks::EMPTY, (0, 0), 0))
    }

    /// Returns whether a connection lacks a handshake.
    pub fn lacks_handshake(&self) -> bool {
        self.facts.tcp.is_some_and(|tcp| !tcp.handshake)
    }

    /// The number of the first byte of a packet, modulo 2^32.
    pub fn byte_number(&self, seq: u32) -> u32 {
        let of_syn = u32::from(self.facts.tcp.is_some_and(|tcp| tcp.handshake));
        match (of_syn, seq) {
            (1, 0) => 0,
            _ => 1u32.wrapping_add(seq.wrapping_sub(of_syn).wrapping_mul(self.facts.payload_bytes)),
        }
    }

    fn segment(&self, note: &Note, tcp: &TcpFacts, answers_syn: bool) -> Segment {
        let millis = (note.stamp.ps() / 1_000_000_000) as u32;
        if note.ack {
            if answers_syn {
                return answer_to_syn(tcp, millis);
            }
            return Segment {
                from_receiver: true,
                seq: 1,
                ack: Some(self.byte_number(note.seq)),
                ece: note.ecn & ecn::ECHO != 0,
                times: (millis, millis),
                ..Segment::default()
            };
        }
        if tcp.handshake && note.seq == 0 {
            return syn(tcp, millis);
        }
        Segment {
            seq: self.byte_number(note.seq),
            ack: Some(1),
            cwr: note.ecn & ecn::REDUCED != 0,
            payload: self.facts.payload_bytes as usize,
            times: (millis, 0),
            ..Segment::default()
        }
    }

    fn tcp_frame(
        &self,
        tcp: &TcpFacts,
        segment: &Segment,
        blocks: &SackBlocks,
        traffic_class: (u8, u8),
        size: u16,
    ) -> Frame {
        let (from, to) = self.ports(segment.from_receiver);
        let (shift, window) = tcp.window();
        let window = match (segment.syn, segment.from_receiver) {
            (false, true) => window,
            // A SYN's is not shifted; a sender's is not used.
            (true, true) => tcp.window_bytes.clamp(1, u64::from(u16::MAX)) as u16,
            (_, false) => u16::MAX,
        };
        let mut header = TcpHeader::new(from, to, segment.seq, window);
        header.ack = segment.ack.is_some();
        header.acknowledgment_number = segment.ack.unwrap_or(0);
        (header.syn, header.ece, header.cwr) = (segment.syn, segment.ece, segment.cwr);
        let options = self.options(tcp, segment, blocks, if segment.from_receiver { shift } else { 0 });
        header.set_options(&options).expect("the options of a segment fit into 40 bytes");
        let payload = segment.payload.min(MAX_IP_PAYLOAD - header.header_len());
        let ip = self.ip(segment.from_receiver, header.header_len() + payload, IpNumber::TCP, traffic_class);
        header.checksum = header
            .calc_checksum_ipv4(&ip, &ZEROS[..payload])
            .expect("the payload is within what TCP can count");
        let mut stored = Vec::with_capacity(IPV4_BYTES + header.header_len());
        ip.write(&mut stored).expect("a vector takes all bytes");
        header.write(&mut stored).expect("a vector takes all bytes");
        Frame { length: u32::from(ip.total_len.max(size)), stored }
    }

    fn options(
        &self,
        tcp: &TcpFacts,
        segment: &Segment,
        blocks: &SackBlocks,
        shift: u8,
    ) -> Vec<TcpOptionElement> {
        use TcpOptionElement::{
            MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, Timestamp,
            WindowScale,
        };
        let mut options = Vec::new();
        if segment.syn {
            options.push(MaximumSegmentSize(self.facts.payload_bytes.min(u32::from(u16::MAX)) as u16));
            options.extend([Noop, WindowScale(shift)]);
            if tcp.sack {
                options.extend([Noop, Noop, SelectiveAcknowledgementPermitted]);
            }
        }
        if tcp.timestamps {
            options.extend([Noop, Noop, Timestamp(segment.times.0, segment.times.1)]);
        }
        let mut bytes = blocks.iter().map(|(low, high)| (self.byte_number(low), self.byte_number(high)));
        if let Some(first) = bytes.next() {
            options.extend([Noop, Noop, SelectiveAcknowledgement(first, [bytes.next(), bytes.next(), None])]);
        }
        options
    }

    fn udp_frame(&self, note: &Note, payload: &[u8]) -> Frame {
        // More of it fits into IPv6, over which a real datagram may have come.
        let payload = &payload[..payload.len().min(MAX_IP_PAYLOAD - UDP_BYTES)];
        let traffic_class = (note.dscp, network_ecn(note));
        let ip = self.ip(note.ack, UDP_BYTES + payload.len(), IpNumber::UDP, traffic_class);
        let (from, to) = self.ports(note.ack);
        let header = UdpHeader::with_ipv4_checksum(from, to, &ip, payload)
            .expect("the payload is within what UDP can count");
        // What the simulated headers have beyond real ones follows the datagram, as padding of a link layer does.
        let length = usize::from(ip.total_len.max(note.size));
        let mut stored = Vec::with_capacity(length);
        ip.write(&mut stored).expect("a vector takes all bytes");
        header.write(&mut stored).expect("a vector takes all bytes");
        stored.extend_from_slice(payload);
        stored.resize(length, 0);
        Frame { length: length as u32, stored }
    }

    fn ip(
        &self,
        from_receiver: bool,
        payload: usize,
        protocol: IpNumber,
        (dscp, ecn): (u8, u8),
    ) -> Ipv4Header {
        let [mut from, mut to] = [SENDER_NET + self.flow, RECEIVER_NET + self.flow].map(u32::to_be_bytes);
        if from_receiver {
            std::mem::swap(&mut from, &mut to);
        }
        let mut ip = Ipv4Header::new(payload as u16, 64, protocol, from, to)
            .expect("the payload is within what IPv4 can count");
        ip.dscp = IpDscp::try_new(dscp).expect("a code point has 6 bits");
        ip.ecn = IpEcn::try_new(ecn).expect("ECN has 2 bits");
        ip.header_checksum = ip.calc_header_checksum();
        ip
    }

    fn ports(&self, from_receiver: bool) -> (u16, u16) {
        let places = u32::from(u16::MAX - SENDER_PORT) + 1;
        let own = SENDER_PORT + (self.number % places) as u16;
        if from_receiver {
            (RECEIVER_PORT, own)
        } else {
            (own, RECEIVER_PORT)
        }
    }
}

/// A SYN; one that can use ECN says so (RFC 3168, section 6.1.1).
fn syn(tcp: &TcpFacts, millis: u32) -> Segment {
    Segment { syn: true, ece: tcp.ecn, cwr: tcp.ecn, times: (millis, 0), ..Segment::default() }
}

fn answer_to_syn(tcp: &TcpFacts, millis: u32) -> Segment {
    Segment {
        from_receiver: true,
        syn: true,
        ack: Some(1),
        ece: tcp.ecn,
        times: (millis, millis),
        ..Segment::default()
    }
}

/// The bits of ECN in the IP header.
fn network_ecn(note: &Note) -> u8 {
    if note.marked() || note.ecn & ecn::EXPERIENCED != 0 {
        3
    } else if note.ecn & ecn::SCALABLE != 0 {
        1
    } else if note.ecn & ecn::CAPABLE != 0 {
        2
    } else {
        0
    }
}

#[cfg(test)]
#[path = "headers_tests.rs"]
mod tests;
