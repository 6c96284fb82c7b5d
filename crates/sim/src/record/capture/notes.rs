//! Record of a packet at a captured port, as small as it can be.

use super::Carried;
use crate::packet::Packet;
use crate::queue::Reason;
use crate::units::Time;

/// Fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It passed; the queue has marked it or not.
    Passed { marked: bool },
    /// The queue dropped it, or what conditions packets before it.
    Dropped(Reason),
    /// The link lost it.
    Lost,
}

/// In `blocks`, tells that the number is the place of what the packet carries.
pub const CONTENT: u32 = 1 << 31;

/// A packet at a captured port.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    /// Time at the port.
    pub at: Time,
    /// Sending time of it, or of the packet that it answers.
    pub stamp: Time,
    pub flow: u32,
    pub connection: u32,
    /// Number of the packet; for an ACK, of the next packet that is expected.
    pub seq: u32,
    /// One more than the place of its blocks, or, with [`CONTENT`], than that of what it carries; 0 for none.
    pub blocks: u32,
    pub size: u16,
    /// Its flags of [`crate::packet::ecn`], a mark of this queue not among them.
    pub ecn: u8,
    pub dscp: u8,
    pub fate: Fate,
    pub ack: bool,
    /// True if it comes from the other direction of the link.
    pub inbound: bool,
}

const _: () = assert!(std::mem::size_of::<Note>() <= 40);

impl Note {
    /// A note of a packet that was at the port at some time, met a fate, and came inbound or not.
    pub fn of(
        packet: &Packet,
        flow: u32,
        (at, fate, inbound): (Time, Fate, bool),
        carried: &Carried,
    ) -> Self {
        Note {
            at,
            stamp: carried.stamp,
            flow,
            connection: carried.connection,
            seq: packet.seq,
            blocks: 0,
            size: packet.size,
            ecn: packet.ecn,
            dscp: packet.dscp(),
            fate,
            ack: packet.is_ack(),
            inbound,
        }
    }

    /// Returns whether it passed the port.
    pub fn passed(&self) -> bool {
        matches!(self.fate, Fate::Passed { .. })
    }

    /// Returns whether the queue of this port marked it.
    pub fn marked(&self) -> bool {
        self.fate == Fate::Passed { marked: true }
    }
}
