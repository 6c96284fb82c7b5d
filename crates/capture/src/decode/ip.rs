//! IP, and TCP and UDP above it.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::bytes::{be16, be32};
use super::options::options;
use super::Walk;
use crate::packet::{Decoded, Endpoint, Fragment, Packet, Tcp, Transport};
use crate::unread::Unread;

const TCP: u8 = 6;
const UDP: u8 = 17;
const AUTHENTICATION: u8 = 51;

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

impl Walk<'_> {
    pub fn ip(&mut self, at: usize) -> Option<Decoded> {
        self.deeper()?;
        match self.frame.data.get(at)? >> 4 {
            4 => self.ipv4(at),
            6 => self.ipv6(at),
            version => Some(Decoded::Unread(Unread::Version(version))),
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
                AUTHENTICATION => (usize::from(*self.frame.data.get(at + 1)?) + 2) * 4,
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
            self.nested = true;
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
        if !matches!(protocol, TCP | UDP) {
            return Decoded::Unread(Unread::Protocol(protocol));
        }
        Decoded::Fragment(Fragment {
            frame: self.frame.number,
            time: self.frame.time,
            interface: self.interface,
            clock: self.frame.interface,
            network: self.network,
            nested: self.nested,
            addresses,
            id,
            protocol,
            offset,
            length,
            ip_length,
            ttl,
        })
    }

    fn above(&mut self, protocol: u8, at: usize, above: Above) -> Option<Decoded> {
        let ends = (above.source, above.destination);
        match protocol {
            TCP => self.tcp(at, &above),
            UDP => self.udp(at, &above),
            4 | 41 => {
                self.enter_tunnel(ends);
                self.ip(at)
            }
            47 => self.gre(at, ends),
            97 => {
                self.enter_tunnel(ends);
                self.ethernet(at + 2)
            }
            137 => {
                self.enter_tunnel(ends);
                self.mpls(at)
            }
            AUTHENTICATION => {
                self.deeper()?;
                self.nested = true;
                let length = (usize::from(*self.frame.data.get(at + 1)?) + 2) * 4;
                let rest = above.rest.checked_sub(length as u32)?;
                let next = *self.frame.data.get(at)?;
                self.above(next, at + length, Above { rest, ..above })
            }
            _ => Some(Decoded::Unread(Unread::Protocol(protocol))),
        }
    }

    fn udp(&mut self, at: usize, above: &Above) -> Option<Decoded> {
        let (from, to) = (be16(self.frame.data, at)?, be16(self.frame.data, at + 2)?);
        let mut inside = *self;
        let inner = inside.in_datagram(to, at + 8, (above.source, above.destination));
        if let Some(found @ (Decoded::Packet(_) | Decoded::Fragment(_))) = inner {
            return Some(found);
        }
        let digest = digest(self.frame.data.get(at + 6..).unwrap_or(&[]));
        let payload = above.rest.saturating_sub(8);
        let first = self.frame.data.get(at + 8).copied().filter(|_| payload > 0);
        Some(self.packet(above, (from, to), payload, Transport::Udp { first, digest }))
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
            clock: self.frame.interface,
            network: self.network,
            nested: self.nested,
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

/// A hash of the first bytes of what is behind the ports and the length of UDP: enough to tell datagrams of a flow apart.
fn digest(bytes: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(&bytes[..bytes.len().min(18)]);
    hasher.finish() as u32
}
