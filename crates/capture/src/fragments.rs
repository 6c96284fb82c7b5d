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
    pub fn whose(&self, part: &Fragment) -> Option<Packet> {
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
