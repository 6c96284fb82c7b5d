//! A packet as the analysis sees it: numbers out of its headers, none of its payload.

use crate::unread::Unread;

/// The flags of a TCP header that the analysis looks at.
pub mod flag {
    /// The sender has no more data.
    pub const FIN: u8 = 1;
    /// Opens a connection.
    pub const SYN: u8 = 2;
    /// Ends a connection at once.
    pub const RST: u8 = 4;
    /// The acknowledgment number counts.
    pub const ACK: u8 = 16;
    /// Echo of a congestion mark.
    pub const ECE: u8 = 64;
    /// The sender has reduced its window because of a mark.
    pub const CWR: u8 = 128;
}

/// An address and a port. IPv4 is there as an IPv4-mapped IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Endpoint {
    /// The address, in network order.
    pub address: u128,
    /// The port of TCP or UDP.
    pub port: u16,
}

/// TCP's part of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tcp {
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number; counts if the flag ACK is set.
    pub ack: u32,
    /// See [`flag`].
    pub flags: u8,
    /// Length of the header, in bytes.
    pub header: u8,
    /// Window as it stands in the header, not scaled.
    pub window: u16,
    /// TSval and TSecr of RFC 7323.
    pub stamps: Option<(u32, u32)>,
    /// SACK blocks, of which `blocks` are there.
    pub sack: [(u32, u32); 4],
    /// Number of SACK blocks.
    pub blocks: u8,
    /// A SYN that permits SACK.
    pub sack_permitted: bool,
    /// Maximum segment size of a SYN.
    pub mss: Option<u16>,
    /// Window scale of a SYN.
    pub scale: Option<u8>,
    /// The snap length has cut options off.
    pub options_cut: bool,
    /// The flag AE of Accurate ECN (RFC 9768), which stands above those in `flags`.
    pub ae: bool,
    /// Byte counters of an Accurate ECN option.
    pub marked_bytes: MarkedBytes,
}

/// Byte counters of an Accurate ECN option (RFC 9768, section 3.2.3): 24 bits each, as far as the option has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkedBytes {
    /// Payload that arrived with ECT(0), from 1.
    pub ect0: Option<u32>,
    /// Payload that arrived with CE, from 0.
    pub ce: Option<u32>,
    /// Payload that arrived with ECT(1), from 1.
    pub ect1: Option<u32>,
}

/// Payload above IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp(Tcp),
    /// UDP.
    Udp {
        /// First byte of its payload, where it was captured.
        first: Option<u8>,
        /// Hash of its checksum and the first bytes of its payload.
        digest: u32,
    },
    /// A later fragment of a packet of TCP, or of UDP, whose ports the first one had.
    Part(Part),
}

/// Bytes that a later fragment carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Sequence number of its first byte, of TCP; none of UDP.
    pub seq: Option<u32>,
    /// TSval of its packet.
    pub stamp: Option<u32>,
    /// The capture has it already: it passed two interfaces.
    pub again: bool,
}

/// A packet's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Number of the frame in its file, from 1.
    pub frame: u64,
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Interface that captured it, with the kernel's number of the device where the link layer says it.
    pub interface: u32,
    /// Number of the interface in the file, whose clock gave the time.
    pub clock: u32,
    /// Hash of the VLAN tags, labels and tunnels around the packet; 0 where there are none.
    pub network: u32,
    /// Its IP header is behind a tag or tunnel, or has extension headers, where tcpdump's filters do not look.
    pub nested: bool,
    /// Sender.
    pub source: Endpoint,
    /// Receiver.
    pub destination: Endpoint,
    /// Length of the IP packet on the wire, in bytes.
    pub ip_length: u32,
    /// Length of the payload of TCP or UDP on the wire, in bytes.
    pub payload: u32,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// ECN field of the IP header; 3 is a mark.
    pub ecn: u8,
    /// Identification of an IPv4 packet.
    pub id: Option<u16>,
    /// Identification that later fragments share, in a first fragment.
    pub fragmented: Option<u32>,
    /// Payload above IP.
    pub transport: Transport,
}

/// A later fragment of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Number of the frame in its file, from 1.
    pub frame: u64,
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Interface, as in [`Packet`].
    pub interface: u32,
    /// Interface in the file, as in [`Packet`].
    pub clock: u32,
    /// Network, as in [`Packet`].
    pub network: u32,
    /// Behind tags, as in [`Packet`].
    pub nested: bool,
    /// Addresses of source and destination, as in [`Endpoint`].
    pub addresses: (u128, u128),
    /// Identification that all fragments of its packet share.
    pub id: u32,
    /// Protocol above IP.
    pub protocol: u8,
    /// Where it begins in what is above IP, in bytes.
    pub offset: u32,
    /// Bytes that it carries of what is above IP.
    pub length: u32,
    /// Length of the IP packet on the wire, in bytes.
    pub ip_length: u32,
    /// Time to live, or hop limit.
    pub ttl: u8,
}

/// Kind of a decoded frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// TCP or UDP.
    Packet(Packet),
    /// A later fragment of an IP packet, which has no ports.
    Fragment(Fragment),
    /// Something else.
    Unread(Unread),
    /// Its headers are cut or damaged.
    Damaged,
}
