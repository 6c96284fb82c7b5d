//! Transport protocols. They are told of ACKs, timers and data, and put what they send into an [`Outbox`];
//! they know nothing of the network.

use crate::units::Time;

mod ack_outcome;
mod clock;
mod core;
mod extra;
mod filled;
mod intervals;
mod losses;
mod pacer;
mod path;
pub mod profile;
mod receive_buffer;
mod receiver;
pub mod recovery;
mod sack_blocks;
mod sender;
mod sent_packets;
mod sent_times;
mod timer_wheel;

pub use self::core::{Core, SenderCounters};
pub use clock::Clock;
pub use filled::filled;
pub use intervals::Intervals;
pub use profile::TcpOptions;
pub use receiver::{Acknowledgement, TcpReceiver};
pub use sack_blocks::SackBlocks;
pub use sender::TcpSender;

/// An ACK as a sender sees it.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// Highest packet received in order, -1 for none.
    pub high: i64,
    /// Stamp of the packet that it answers.
    pub echo: Time,
    /// Blocks received beyond a gap.
    pub blocks: &'a SackBlocks,
    /// True if it reports a mark.
    pub ecn_echo: bool,
}

impl Ack<'_> {
    /// Returns whether the first block reports a packet that has come twice: it is acknowledged, or lies
    /// within the next block (RFC 2883, section 4).
    pub fn repeated(&self) -> bool {
        self.blocks.repeated((self.high + 1) as u32)
    }
}

/// Packets to be sent now, in order.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Their numbers and flags of [`crate::packet::ecn`].
    pub packets: Vec<(u32, u8)>,
}
