//! Fragments of IP packets: the first one has the ports, the others are of the same flow and carry on its bytes.

use std::collections::VecDeque;

use crate::packet::{Endpoint, Fragment, Packet, Part, Transport};
use crate::recent::TOGETHER;

/// Packets in fragments that are remembered.
const KEPT: usize = 256;

/// Later fragments of a packet that are remembered: of the largest packet there are some 120 of 576 bytes.
const MOST_PARTS: usize = 128;

const TCP: u8 = 6;
const UDP: u8 = 17;

/// Addresses, identification, protocol and network of a packet in fragments.
type Key = ((u128, u128), u32, u8, u32);

/// A record of a later fragment: where it begins, and by which interface and with which time to live it passed.
type Seen = (u32, (u32, u8));

/// A packet whose first fragment has passed.
#[derive(Debug)]
struct First {
    key: Key,
    time: i64,
    ports: (u16, u16),
    /// For TCP: the sequence number that the first byte above IP would have, and the TSval.
    tcp: Option<(u32, Option<u32>)>,
    seen: Vec<Seen>,
}

/// First fragments that have passed.
#[derive(Debug, Default)]
pub struct Fragments {
    first: VecDeque<First>,
}

impl Fragments {
    /// Takes in a packet, which may be a first fragment.
    pub fn on_packet(&mut self, packet: &Packet) {
        let Some(id) = packet.fragmented else { return };
        let (protocol, tcp) = match &packet.transport {
            Transport::Tcp(tcp) => {
                let zero = tcp.seq.wrapping_sub(tcp.header.into());
                (TCP, Some((zero, tcp.stamps.map(|stamps| stamps.0))))
            }
            Transport::Udp { .. } => (UDP, None),
            Transport::Part(_) => return,
        };
        let key = ((packet.source.address, packet.destination.address), id, protocol, packet.network);
        let known = self.first.iter().any(|first| {
            first.key == key && first.tcp == tcp && packet.time.abs_diff(first.time) < TOGETHER.unsigned_abs()
        });
        if known {
            return;
        }
        if self.first.len() == KEPT {
            self.first.pop_back();
        }
        let ports = (packet.source.port, packet.destination.port);
        self.first.push_front(First { key, time: packet.time, ports, tcp, seen: Vec::new() });
    }

    /// A later fragment as a packet of its flow, if the first one has passed.
    pub fn located(&mut self, part: &Fragment) -> Option<Packet> {
        let key = (part.addresses, part.id, part.protocol, part.network);
        let first = self.first.iter_mut().find(|first| first.key == key)?;
        let way = (part.interface, part.ttl);
        let again = first.seen.iter().any(|(offset, before)| *offset == part.offset && *before != way);
        if first.seen.len() < MOST_PARTS {
            first.seen.push((part.offset, way));
        }
        let own = first.tcp.map(|(zero, stamp)| (zero.wrapping_add(part.offset), stamp));
        Some(Packet {
            frame: part.frame,
            time: part.time,
            interface: part.interface,
            clock: part.clock,
            network: part.network,
            nested: part.nested,
            source: Endpoint { address: part.addresses.0, port: first.ports.0 },
            destination: Endpoint { address: part.addresses.1, port: first.ports.1 },
            ip_length: part.ip_length,
            payload: part.length,
            ttl: part.ttl,
            ecn: 0,
            id: None,
            fragmented: None,
            transport: Transport::Part(Part {
                seq: own.map(|(seq, _)| seq),
                stamp: own.and_then(|(_, stamp)| stamp),
                again,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Fragments;
    use crate::decode::{decode, Frame};
    use crate::packet::{Decoded, Part, Transport};

    /// UDP in IPv4: the first fragment with the ports, or a later one without.
    fn frame(id: u8, flags: u8, offset: u8) -> Decoded {
        let mut data = vec![0x45, 0, 0, 36, 0, id, flags, offset, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        data.extend([0, 7, 0, 9, 0, 16, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        decode(&Frame { number: 1, time: 0, interface: 0, link: 101, data: &data, wire: 36, lacks: None })
    }

    #[test]
    fn a_later_fragment_has_the_ports_of_the_first() {
        let mut fragments = Fragments::default();
        let Decoded::Packet(first) = frame(5, 0x20, 0) else { panic!("the first has ports") };
        fragments.on_packet(&first);
        for (id, found) in [(5, true), (6, false)] {
            let Decoded::Fragment(part) = frame(id, 0, 2) else { panic!("a later one has none") };
            let whose = fragments.located(&part);
            assert_eq!(whose.is_some(), found);
            if let Some(packet) = whose {
                assert_eq!((packet.source.port, packet.destination.port), (7, 9));
                assert_eq!(
                    (packet.ip_length, packet.transport),
                    (36, Transport::Part(Part { seq: None, stamp: None, again: false }))
                );
            }
        }
    }

    #[test]
    fn a_packet_that_is_whole_is_not_remembered() {
        let mut fragments = Fragments::default();
        let Decoded::Packet(whole) = frame(5, 0x40, 0) else { panic!("it has ports") };
        fragments.on_packet(&whole);
        let Decoded::Fragment(part) = frame(5, 0, 2) else { panic!("a later one has none") };
        assert!(fragments.located(&part).is_none());
    }
}
