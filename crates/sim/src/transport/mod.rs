//! Transport protocols. They are told of ACKs, timers and data, and put what they send into an [`Outbox`];
//! they know nothing of the network.

mod aimd;
mod clock;
mod core;
pub mod profile;
mod receiver;
pub mod recovery;
mod sender;

pub use self::core::{Core, SenderCounters};
pub use aimd::Aimd;
pub use clock::Clock;
pub use profile::TcpOptions;
pub use receiver::{Acknowledgement, TcpReceiver};
pub use sender::TcpSender;

/// Packets to be sent now, in order.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Their numbers.
    pub packets: Vec<u32>,
}
