//! A packet on its way.

use crate::units::Time;

/// A packet: small, copied by value, without heap data.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// When it reaches the place that `hop` names.
    pub at: Time,
    /// For data, when it was sent; for an ACK, the stamp of the packet that it answers.
    pub stamp: Time,
    /// Number of the packet; for an ACK, the number of the next packet that is expected.
    pub seq: u32,
    /// Index of the hop that it reaches next, or one more than that of the last hop of its path; see
    /// [`crate::network::Hop`].
    pub hop: u32,
    /// Where the engine keeps what an ACK reports beyond a gap; 0 for nothing.
    pub blocks: u32,
    /// Bytes on the wire.
    pub size: u16,
    /// Whether it travels from the receiver to the sender.
    pub ack: bool,
    /// Explicit congestion notification: a set of [`ecn`] flags.
    pub ecn: u8,
}

/// Flags of explicit congestion notification (RFC 3168).
pub mod ecn {
    /// The transport understands marks.
    pub const CAPABLE: u8 = 1;
    /// A router marked the packet.
    pub const EXPERIENCED: u8 = 2;
    /// An ACK reports a mark.
    pub const ECHO: u8 = 4;
    /// The sender has reduced its window.
    pub const REDUCED: u8 = 8;
}

const _: () = assert!(std::mem::size_of::<Packet>() == 32);
