//! Fragments of IP packets: the first one has the ports, the others are of the same flow.

use std::collections::VecDeque;

use crate::packet::{Endpoint, Fragment, Packet, Transport};

/// Packets in fragments that are remembered.
const KEPT: usize = 256;

const TCP: u8 = 6;
const UDP: u8 = 17;

/// Addresses, identification and protocol of a packet in fragments.
type Key = ((u128, u128), u32, u8);

/// First fragments that have passed.
#[derive(Debug, Default)]
pub struct Fragments {
    first: VecDeque<(Key, (u16, u16))>,
}

impl Fragments {
    /// Takes in a packet, which may be a first fragment.
    pub fn on_packet(&mut self, packet: &Packet) {
        let Some(id) = packet.fragmented else { return };
        let protocol = match packet.transport {
            Transport::Tcp(_) => TCP,
            Transport::Udp(_) => UDP,
            Transport::Part { .. } => return,
        };
        if self.first.len() == KEPT {
            self.first.pop_back();
        }
        let addresses = (packet.source.address, packet.destination.address);
        let ports = (packet.source.port, packet.destination.port);
        self.first.push_front(((addresses, id, protocol), ports));
    }

    /// A later fragment as a packet of its flow, if the first one has passed.
    pub fn located(&self, part: &Fragment) -> Option<Packet> {
        let key = (part.addresses, part.id, part.protocol);
        let (_, ports) = self.first.iter().find(|(first, _)| *first == key)?;
        Some(Packet {
            frame: part.frame,
            time: part.time,
            interface: part.interface,
            source: Endpoint { address: part.addresses.0, port: ports.0 },
            destination: Endpoint { address: part.addresses.1, port: ports.1 },
            ip_length: part.ip_length,
            payload: 0,
            ttl: part.ttl,
            ecn: 0,
            id: None,
            fragmented: None,
            transport: Transport::Part { tcp: part.protocol == TCP },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Fragments;
    use crate::decode::{decode, Frame};
    use crate::packet::{Decoded, Transport};

    /// UDP in IPv4: the first fragment with the ports, or a later one without.
    fn frame(id: u8, flags: u8, offset: u8) -> Decoded {
        let mut data = vec![0x45, 0, 0, 36, 0, id, flags, offset, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        data.extend([0, 7, 0, 9, 0, 16, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        decode(&Frame { number: 1, time: 0, interface: 0, link: 101, data: &data, wire: 36 })
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
                assert_eq!((packet.ip_length, packet.transport), (36, Transport::Part { tcp: false }));
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
