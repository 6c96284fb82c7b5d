//! From the bytes of a frame to the numbers in its headers. By hand: it takes a third of the time that etherparse's lax
//! slices take, and knows the lengths on the wire of frames that the snap length has cut.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::packet::{flag, Decoded, Endpoint, Fragment, MarkedBytes, Packet, Tcp, Transport};

/// Headers within headers that are followed before a frame counts as damaged.
const DEEPEST: u32 = 16;

const ETHERNET: u16 = 1;

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// A frame as its file has it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Number in the file, from 1.
    pub number: u64,
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Number of the interface in the file.
    pub interface: u32,
    /// Type of the link layer, as tcpdump.org lists them.
    pub link: u16,
    /// Captured bytes.
    pub data: &'a [u8],
    /// Length on the wire, in bytes.
    pub wire: u32,
}

/// The headers of a frame.
pub fn decode(frame: &Frame<'_>) -> Decoded {
    let mut walk = Walk { frame, interface: frame.interface, depth: 0 };
    walk.link(frame.link, 0).unwrap_or(Decoded::Damaged)
}

/// A way through headers, each of which says what the next one is. `None` is a header that is not all there.
struct Walk<'a> {
    frame: &'a Frame<'a>,
    interface: u32,
    depth: u32,
}

impl Walk<'_> {
    fn link(&mut self, link: u16, at: usize) -> Option<Decoded> {
        let data = self.frame.data;
        match link {
            ETHERNET => self.ether_type(be16(data, at + 12)?, at + 14),
            12 | 14 | 101 | 228 | 229 => self.ip(at),
            0 => self.family(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?), at + 4),
            108 => self.family(be32(data, at)?, at + 4),
            113 => self.ether_type(be16(data, at + 14)?, at + 16),
            276 => {
                self.interface = self.interface << 16 ^ be32(data, at + 4)?;
                self.ether_type(be16(data, at)?, at + 20)
            }
            9 | 50 | 51 => {
                let framed = data.get(at..at + 2)? == [0xff, 0x03];
                if link == 51 {
                    return self.ether_type(0x8864, at);
                }
                self.ppp(at + if framed { 2 } else { 0 })
            }
            105 => self.wireless(at),
            127 => {
                let length = usize::from(u16::from_le_bytes(data.get(at + 2..at + 4)?.try_into().ok()?));
                self.wireless(at + length)
            }
            239 => self.nflog(at + 4),
            242 => self.ether_type(be16(data, at + 40)?, at + 44),
            _ => Some(Decoded::NotIp),
        }
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    /// The family of a loopback header, whose numbers differ between systems.
    fn family(&mut self, family: u32, at: usize) -> Option<Decoded> {
        match if family > 0xffff { family.swap_bytes() } else { family } {
            2 | 10 | 24 | 28 | 30 => self.ip(at),
            _ => Some(Decoded::NotIp),
        }
    }

    fn ppp(&mut self, at: usize) -> Option<Decoded> {
        let first = *self.frame.data.get(at)?;
        let (protocol, at) =
            if first & 1 == 1 { (u16::from(first), at + 1) } else { (be16(self.frame.data, at)?, at + 2) };
        match protocol {
            0x21 | 0x57 => self.ip(at),
            0x281 => self.mpls(at),
            _ => Some(Decoded::NotIp),
        }
    }

    /// 802.11: data frames with LLC and SNAP.
    fn wireless(&mut self, at: usize) -> Option<Decoded> {
        let control = *self.frame.data.get(at)?;
        let directions = *self.frame.data.get(at + 1)?;
        if control & 0x0c != 0x08 || control & 0x40 != 0 || directions & 0x40 != 0 {
            return Some(Decoded::NotIp);
        }
        let four = if directions & 3 == 3 { 6 } else { 0 };
        let quality = if control & 0x80 != 0 { 2 } else { 0 };
        let at = at + 24 + four + quality;
        if self.frame.data.get(at..at + 3)? != [0xaa, 0xaa, 0x03] {
            return Some(Decoded::NotIp);
        }
        self.ether_type(be16(self.frame.data, at + 6)?, at + 8)
    }

    /// Netfilter's log: fields of type, length, value, of which number 9 is the packet.
    fn nflog(&mut self, mut at: usize) -> Option<Decoded> {
        loop {
            let field = self.frame.data.get(at..at + 4)?;
            let length = usize::from(u16::from_le_bytes([field[0], field[1]]));
            if u16::from_le_bytes([field[2], field[3]]) == 9 {
                return self.ip(at + 4);
            }
            at += length.max(4).next_multiple_of(4);
        }
    }

    fn ether_type(&mut self, kind: u16, at: usize) -> Option<Decoded> {
        self.deeper()?;
        match kind {
            0x0800 | 0x86dd => self.ip(at),
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => self.ether_type(be16(self.frame.data, at + 2)?, at + 4),
            0x8847 | 0x8848 => self.mpls(at),
            0x8864 => self.ppp(at + 6),
            0x6558 => self.link(ETHERNET, at),
            _ => Some(Decoded::NotIp),
        }
    }

    fn mpls(&mut self, mut at: usize) -> Option<Decoded> {
        while be32(self.frame.data, at)? & 0x100 == 0 {
            self.deeper()?;
            at += 4;
        }
        at += 4;
        match self.frame.data.get(at)? >> 4 {
            4 | 6 => self.ip(at),
            // A control word in front of Ethernet (RFC 4448).
            0 => self.link(ETHERNET, at + 4),
            _ => Some(Decoded::NotIp),
        }
    }

    fn ip(&mut self, at: usize) -> Option<Decoded> {
        self.deeper()?;
        match self.frame.data.get(at)? >> 4 {
            4 => self.ipv4(at),
            6 => self.ipv6(at),
            _ => Some(Decoded::NotIp),
        }
    }

    fn ipv4(&mut self, at: usize) -> Option<Decoded> {
        let head = self.frame.data.get(at..at + 20)?;
        let header = usize::from(head[0] & 15) * 4;
        if header < 20 {
            return None;
        }
        let said = u32::from(u16::from_be_bytes([head[2], head[3]]));
        // A length of 0 is a packet that the device is to cut (offload).
        let length = if said == 0 { self.frame.wire.saturating_sub(at as u32) } else { said };
        let fragment = u16::from_be_bytes([head[6], head[7]]);
        let mapped = |from: usize| 0xffff_0000_0000 | u128::from(be32(head, from).unwrap_or(0));
        let id = u16::from_be_bytes([head[4], head[5]]);
        if fragment & 0x1fff != 0 {
            let addresses = (mapped(12), mapped(16));
            let above = (u32::from(fragment & 0x1fff) * 8, length.saturating_sub(header as u32));
            return Some(self.fragment(addresses, id.into(), head[9], (length, head[8]), above));
        }
        let above = Above {
            source: mapped(12),
            destination: mapped(16),
            ip_length: length,
            rest: length.checked_sub(header as u32)?,
            ttl: head[8],
            ecn: head[1] & 3,
            id: Some(id),
            fragmented: (fragment & 0x2000 != 0).then_some(id.into()),
        };
        self.above(head[9], at + header, above)
    }

    fn ipv6(&mut self, at: usize) -> Option<Decoded> {
        let head = self.frame.data.get(at..at + 40)?;
        let said = u32::from(u16::from_be_bytes([head[4], head[5]]));
        let mut rest = if said == 0 { self.frame.wire.saturating_sub(at as u32 + 40) } else { said };
        let address =
            |from: usize| head[from..from + 16].iter().fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte));
        let (source, destination, ip_length) = (address(8), address(24), rest + 40);
        let (ttl, ecn) = (head[7], head[1] >> 4 & 3);
        let (mut next, mut at) = (head[6], at + 40);
        let mut fragmented = None;
        loop {
            let length = match next {
                0 | 43 | 60 | 135 => (usize::from(*self.frame.data.get(at + 1)?) + 1) * 8,
                51 => (usize::from(*self.frame.data.get(at + 1)?) + 2) * 4,
                44 => {
                    let (place, id) = (be16(self.frame.data, at + 2)?, be32(self.frame.data, at + 4)?);
                    if place & 0xfff8 != 0 {
                        let protocol = *self.frame.data.get(at)?;
                        let above = (u32::from(place & 0xfff8), rest.saturating_sub(8));
                        let ends = (source, destination);
                        return Some(self.fragment(ends, id, protocol, (ip_length, ttl), above));
                    }
                    fragmented = (place & 1 != 0).then_some(id);
                    8
                }
                _ => break,
            };
            self.deeper()?;
            next = *self.frame.data.get(at)?;
            at += length;
            rest = rest.checked_sub(length as u32)?;
        }
        let above = Above { source, destination, ip_length, rest, ttl, ecn, id: None, fragmented };
        self.above(next, at, above)
    }

    fn fragment(
        &self,
        addresses: (u128, u128),
        id: u32,
        protocol: u8,
        (ip_length, ttl): (u32, u8),
        (offset, length): (u32, u32),
    ) -> Decoded {
        // Others have no ports, in the first fragment neither.
        if !matches!(protocol, 6 | 17) {
            return Decoded::OtherIp;
        }
        let (frame, time, interface) = (self.frame.number, self.frame.time, self.interface);
        let above =
            Fragment { frame, time, interface, addresses, id, protocol, offset, length, ip_length, ttl };
        Decoded::Fragment(above)
    }

    fn above(&mut self, protocol: u8, at: usize, above: Above) -> Option<Decoded> {
        match protocol {
            6 => self.tcp(at, &above),
            17 => self.udp(at, &above),
            4 | 41 => self.ip(at),
            47 => self.gre(at),
            137 => self.mpls(at),
            _ => Some(Decoded::OtherIp),
        }
    }

    fn gre(&mut self, at: usize) -> Option<Decoded> {
        let flags = be16(self.frame.data, at)?;
        let kind = be16(self.frame.data, at + 2)?;
        let mut length = 4;
        for bit in [0x8000, 0x2000, 0x1000] {
            length += if flags & bit != 0 { 4 } else { 0 };
        }
        if flags & 7 == 1 {
            length += if flags & 0x80 != 0 { 4 } else { 0 };
            return self.ppp(at + length);
        }
        // ERSPAN of type II: a header of 8 bytes in front of Ethernet.
        if kind == 0x88be {
            return self.link(ETHERNET, at + length + if flags & 0x1000 != 0 { 8 } else { 0 });
        }
        self.ether_type(kind, at + length)
    }

    fn udp(&mut self, at: usize, above: &Above) -> Option<Decoded> {
        let (from, to) = (be16(self.frame.data, at)?, be16(self.frame.data, at + 2)?);
        let inner = match to {
            4789 | 8472 => self.link(ETHERNET, at + 16),
            6081 => self.geneve(at + 8),
            2152 => self.gtp(at + 8),
            _ => None,
        };
        if let Some(found @ (Decoded::Packet(_) | Decoded::Fragment(_))) = inner {
            return Some(found);
        }
        let digest = digest(self.frame.data.get(at + 6..).unwrap_or(&[]));
        let payload = above.rest.saturating_sub(8);
        let first = self.frame.data.get(at + 8).copied().filter(|_| payload > 0);
        Some(self.packet(above, (from, to), payload, Transport::Udp { first, digest }))
    }

    fn geneve(&mut self, at: usize) -> Option<Decoded> {
        let options = usize::from(*self.frame.data.get(at)? & 0x3f) * 4;
        self.ether_type(be16(self.frame.data, at + 2)?, at + 8 + options)
    }

    fn gtp(&mut self, at: usize) -> Option<Decoded> {
        let flags = *self.frame.data.get(at)?;
        if flags >> 4 != 3 || *self.frame.data.get(at + 1)? != 255 {
            return None;
        }
        let mut next = at + 8;
        if flags & 7 != 0 {
            next += 4;
            while flags & 4 != 0 && *self.frame.data.get(next - 1)? != 0 {
                self.deeper()?;
                next += usize::from(*self.frame.data.get(next)?).max(1) * 4;
            }
        }
        self.ip(next)
    }

    fn tcp(&mut self, at: usize, above: &Above) -> Option<Decoded> {
        // Enough of a header to know the flags: all else that is missing is said to be so.
        let head = self.frame.data.get(at..at + 14)?;
        let header = usize::from(head[12] >> 4) * 4;
        if header < 20 {
            return None;
        }
        let mut tcp = Tcp {
            seq: be32(head, 4)?,
            ack: be32(head, 8)?,
            flags: head[13],
            ae: head[12] & 1 != 0,
            header: header as u8,
            window: be16(self.frame.data, at + 14).unwrap_or(u16::MAX),
            ..Tcp::default()
        };
        let captured = self.frame.data.get(at + 20..).unwrap_or(&[]);
        tcp.options_cut = captured.len() < header - 20;
        options(&captured[..captured.len().min(header - 20)], &mut tcp);
        let payload = above.rest.checked_sub(header as u32)?;
        let ports = (be16(head, 0)?, be16(head, 2)?);
        Some(self.packet(above, ports, payload, Transport::Tcp(tcp)))
    }

    fn packet(&self, above: &Above, ports: (u16, u16), payload: u32, transport: Transport) -> Decoded {
        Decoded::Packet(Packet {
            frame: self.frame.number,
            time: self.frame.time,
            interface: self.interface,
            source: Endpoint { address: above.source, port: ports.0 },
            destination: Endpoint { address: above.destination, port: ports.1 },
            ip_length: above.ip_length,
            payload,
            ttl: above.ttl,
            ecn: above.ecn,
            id: above.id,
            fragmented: above.fragmented,
            transport,
        })
    }
}

/// Protocol and payload above IP.
struct Above {
    source: u128,
    destination: u128,
    ip_length: u32,
    rest: u32,
    ttl: u8,
    ecn: u8,
    id: Option<u16>,
    fragmented: Option<u32>,
}

/// Reads the options of TCP as far as they were captured.
fn options(mut bytes: &[u8], tcp: &mut Tcp) {
    // What nearly every packet has: two fillers and time stamps.
    if let [1, 1, 8, 10, stamps @ ..] = bytes {
        if let (Some(value), Some(echo)) = (be32(stamps, 0), be32(stamps, 4)) {
            tcp.stamps = Some((value, echo));
            bytes = &stamps[8..];
        }
    }
    while let [kind, rest @ ..] = bytes {
        match kind {
            0 => return,
            1 => {
                bytes = rest;
                continue;
            }
            _ => {}
        }
        let Some(length) = rest.first().map(|length| usize::from(*length)).filter(|length| *length >= 2)
        else {
            return;
        };
        let Some(value) = bytes.get(2..length) else { return };
        match (kind, value.len()) {
            (2, 2) if tcp.flags & flag::SYN != 0 => tcp.mss = be16(value, 0),
            (3, 1) if tcp.flags & flag::SYN != 0 => tcp.scale = Some(value[0].min(14)),
            (4, 0) => tcp.sack_permitted = true,
            (5, size) => {
                for at in (0..size / 8 * 8).step_by(8).take(4) {
                    if let (Some(from), Some(to)) = (be32(value, at), be32(value, at + 4)) {
                        tcp.sack[usize::from(tcp.blocks)] = (from, to);
                        tcp.blocks += 1;
                    }
                    if tcp.blocks == 4 {
                        break;
                    }
                }
            }
            (8, 8) => tcp.stamps = be32(value, 0).zip(be32(value, 4)),
            (172 | 174, _) => tcp.marked_bytes = marked_bytes(value, *kind == 174),
            _ => {}
        }
        bytes = &bytes[length..];
    }
}

/// Reads the counters of an Accurate ECN option: of kind 172 ECT(0) comes first, of kind 174 ECT(1). An option may end
/// after any of its counters.
fn marked_bytes(value: &[u8], ect1_first: bool) -> MarkedBytes {
    let counter = |at: usize| match value.get(3 * at..3 * at + 3) {
        Some([high, middle, low]) => Some(u32::from_be_bytes([0, *high, *middle, *low])),
        _ => None,
    };
    let (first, ce, last) = (counter(0), counter(1), counter(2));
    if ect1_first {
        MarkedBytes { ect0: last, ce, ect1: first }
    } else {
        MarkedBytes { ect0: first, ce, ect1: last }
    }
}

/// A hash of the first bytes of what is behind the ports and the length of UDP: enough to tell datagrams of a flow apart.
fn digest(bytes: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(&bytes[..bytes.len().min(18)]);
    hasher.finish() as u32
}
