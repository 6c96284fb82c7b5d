//! Packet captures: a link's packets in the pcap format with nanoseconds, IPv4 without a link layer.
//!
//! Only headers are stored; the length of each packet is its length on the wire. Payload is taken to be zeros
//! in checksums. A flow's sender is 10.0.0.0 + its index with port 10000, its receiver 10.128.0.0 + its index
//! with port 80.

use etherparse::{IpNumber, Ipv4Header, TcpHeader, UdpHeader};

use crate::packet::Packet;
use crate::units::Time;

const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
const LINKTYPE_RAW: u32 = 101;
const SNAPLEN: u32 = 65_535;
const SENDER_NET: u32 = 0x0a00_0000;
const RECEIVER_NET: u32 = 0x0a80_0000;
const SENDER_PORT: u16 = 10_000;
const RECEIVER_PORT: u16 = 80;
const IPV4_BYTES: usize = 20;
const TCP_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
/// What an IPv4 header can count besides itself.
const MAX_IP_PAYLOAD: usize = 65_535 - IPV4_BYTES;

/// What a capture must know of the flow that a packet belongs to.
#[derive(Clone, Copy, Debug)]
pub struct FlowFrame {
    /// Index of the flow.
    pub index: u32,
    /// Whether it is a TCP flow.
    pub tcp: bool,
    /// Whether packet 0 is a SYN.
    pub handshake: bool,
    /// Payload of a data packet.
    pub payload_bytes: u32,
}

/// A capture in memory.
#[derive(Clone, Debug)]
pub struct Capture {
    bytes: Vec<u8>,
}

impl Default for Capture {
    fn default() -> Self {
        let mut bytes = Vec::new();
        bytes.extend(MAGIC_NANOSECONDS.to_le_bytes());
        bytes.extend(2u16.to_le_bytes());
        bytes.extend(4u16.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(SNAPLEN.to_le_bytes());
        bytes.extend(LINKTYPE_RAW.to_le_bytes());
        Capture { bytes }
    }
}

impl Capture {
    /// Adds a packet whose transmission starts at `at`.
    pub fn add(&mut self, at: Time, packet: &Packet, flow: FlowFrame) {
        let headers = headers(packet, flow);
        let seconds = at.ps() / 1_000_000_000_000;
        let nanoseconds = at.ps() % 1_000_000_000_000 / 1000;
        // A simulated packet can be smaller than real headers are.
        let length = u32::from(packet.size).max(headers.len() as u32);
        for field in [seconds as u32, nanoseconds as u32, headers.len() as u32, length] {
            self.bytes.extend(field.to_le_bytes());
        }
        self.bytes.extend(headers);
    }

    /// Bytes that it has room for.
    pub fn room(&self) -> usize {
        self.bytes.capacity()
    }

    /// The file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

fn headers(packet: &Packet, flow: FlowFrame) -> Vec<u8> {
    let sender = (SENDER_NET + flow.index).to_be_bytes();
    let receiver = (RECEIVER_NET + flow.index).to_be_bytes();
    let (source, destination) = if packet.is_ack() { (receiver, sender) } else { (sender, receiver) };
    let transport_bytes = if flow.tcp { TCP_BYTES } else { UDP_BYTES };
    let payload = usize::from(packet.size)
        .saturating_sub(IPV4_BYTES + transport_bytes)
        .min(MAX_IP_PAYLOAD - transport_bytes);
    let zeros = vec![0; payload];
    let protocol = if flow.tcp { IpNumber::TCP } else { IpNumber::UDP };
    let ip_payload = (transport_bytes + payload) as u16;
    let ip = Ipv4Header::new(ip_payload, 64, protocol, source, destination)
        .expect("the payload is within what IPv4 can count");
    let mut bytes = Vec::with_capacity(IPV4_BYTES + transport_bytes);
    ip.write(&mut bytes).expect("a vector takes all bytes");
    if flow.tcp {
        let mut tcp = tcp_header(packet, flow);
        tcp.checksum = tcp.calc_checksum_ipv4(&ip, &zeros).expect("the payload is within what TCP can count");
        tcp.write(&mut bytes).expect("a vector takes all bytes");
    } else {
        let udp = UdpHeader::with_ipv4_checksum(SENDER_PORT, RECEIVER_PORT, &ip, &zeros)
            .expect("the payload is within what UDP can count");
        udp.write(&mut bytes).expect("a vector takes all bytes");
    }
    bytes
}

/// Packet numbers become byte numbers: with a handshake packet 0 takes one number, every other its payload.
fn byte_number(seq: u32, flow: FlowFrame) -> u32 {
    if flow.handshake {
        match seq {
            0 => 0,
            n => 1u32.wrapping_add((n - 1).wrapping_mul(flow.payload_bytes)),
        }
    } else {
        seq.wrapping_mul(flow.payload_bytes)
    }
}

fn tcp_header(packet: &Packet, flow: FlowFrame) -> TcpHeader {
    let number = byte_number(packet.seq, flow);
    let syn = flow.handshake;
    if packet.is_ack() {
        let syn_ack = syn && packet.seq <= 1;
        let mut tcp = TcpHeader::new(RECEIVER_PORT, SENDER_PORT, u32::from(syn && !syn_ack), u16::MAX);
        tcp.ack = true;
        tcp.syn = syn_ack;
        tcp.acknowledgment_number = number;
        tcp
    } else {
        let mut tcp = TcpHeader::new(SENDER_PORT, RECEIVER_PORT, number, u16::MAX);
        tcp.syn = syn && packet.seq == 0;
        tcp.ack = !tcp.syn;
        tcp.acknowledgment_number = u32::from(syn && !tcp.syn);
        tcp
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::SlicedPacket;

    fn packet(seq: u32, size: u16, ack: bool) -> Packet {
        match ack {
            true => Packet::ack(seq, size, 0, Time::ZERO, Time::ZERO),
            false => Packet::data(seq, size, 0, Time::ZERO),
        }
    }

    fn tcp_flow() -> FlowFrame {
        FlowFrame { index: 3, tcp: true, handshake: true, payload_bytes: 1000 }
    }

    #[test]
    fn records_follow_the_file_header() {
        let mut capture = Capture::default();
        capture.add(Time::from_secs(1.5), &packet(2, 1040, false), tcp_flow());
        let bytes = capture.into_bytes();
        assert_eq!(bytes.len(), 24 + 16 + 40);
        let field = |i: usize| u32::from_le_bytes(bytes[i..i + 4].try_into().unwrap());
        assert_eq!((field(24), field(28)), (1, 500_000_000));
        assert_eq!((field(32), field(36)), (40, 1040));
    }

    #[test]
    fn headers_are_those_of_the_packet() {
        let bytes = headers(&packet(2, 1040, false), tcp_flow());
        // The checksum covers the payload, which the capture leaves out.
        let whole = [bytes, vec![0; 1000]].concat();
        let sliced = SlicedPacket::from_ip(&whole).unwrap();
        let Some(etherparse::TransportSlice::Tcp(tcp)) = sliced.transport else {
            panic!("no TCP header");
        };
        assert_eq!(tcp.sequence_number(), 1001);
        assert!(tcp.ack() && !tcp.syn());
        assert_eq!(tcp.destination_port(), RECEIVER_PORT);
    }

    #[test]
    fn the_first_packet_of_a_handshake_is_a_syn() {
        let syn = tcp_header(&packet(0, 40, false), tcp_flow());
        assert!(syn.syn && !syn.ack);
        let answer = tcp_header(&packet(1, 40, true), tcp_flow());
        assert!(answer.syn && answer.ack);
        assert_eq!(answer.acknowledgment_number, 1);
    }

    #[test]
    fn any_packet_size_can_be_written() {
        for (size, tcp) in [(1, true), (1, false), (u16::MAX, true), (u16::MAX, false)] {
            headers(&packet(1, size, false), FlowFrame { tcp, ..tcp_flow() });
        }
    }
}
