//! Packets with their times of arrival, as disciplines hold them that decide at departure.

use std::collections::VecDeque;

use super::Reason;
use crate::packet::{ecn, Packet};
use crate::room::Room;
use crate::units::Time;

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The packet.
    pub packet: Packet,
    /// When it arrived.
    pub arrived: Time,
    /// True if it was marked on arrival.
    pub marked: bool,
    /// Why it is dropped, if it is.
    pub reason: Reason,
}

impl Held {
    /// Returns whether the packet may be marked instead of dropped.
    pub fn ecn_capable(&self) -> bool {
        self.packet.ecn & ecn::CAPABLE != 0
    }
}

/// A packet that is about to leave.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// The packet.
    pub held: Held,
    /// True if the discipline marks it.
    pub marked: bool,
}

/// Packets in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    packets: VecDeque<Held>,
    bytes: u64,
}

impl Fifo {
    /// Adds a packet at the end.
    pub fn push(&mut self, held: Held) {
        self.bytes += u64::from(held.packet.size);
        self.packets.add(held, "packets at ports");
    }

    /// Takes the first packet.
    pub fn pop(&mut self) -> Option<Held> {
        let held = self.packets.pop_front()?;
        self.bytes -= u64::from(held.packet.size);
        Some(held)
    }

    /// Number of packets held.
    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The packets, first come first.
    pub fn iter(&self) -> impl Iterator<Item = &Held> {
        self.packets.iter()
    }
}
