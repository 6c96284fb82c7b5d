//! Queues of the caller's own: the packets they see, their answers, and their makers.

use std::fmt::Debug;

use parshall_control::random::Stream;
use parshall_control::units::{Rate, Time};
use parshall_control::user::{Code, Failure};

/// A packet at a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueuedPacket {
    /// Time at which the queue is asked.
    pub now: Time,
    /// Time at which the packet arrived.
    pub arrived: Time,
    /// Its bytes.
    pub size: u16,
    /// Number of its flow, with another one for the ACKs; it depends on the flow's name alone.
    pub flow: u64,
    /// Its code point (RFC 2474).
    pub dscp: u8,
    /// Class in which it waits; 0 for one that arrives.
    pub class: u16,
    /// True if it may be marked in place of a drop (RFC 3168).
    pub ecn_capable: bool,
    /// True if it carries a mark.
    pub marked: bool,
    /// True for an ACK.
    pub is_ack: bool,
    /// Other packets that wait, in all classes; the one in transmission does not.
    pub packets: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Bytes of the packet in transmission; 0 while the link is free, as it is at each departure.
    pub on_link: u16,
}

/// Answer of a queue about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueAnswer {
    /// It goes on.
    Pass,
    /// It goes on with a mark that says congestion (RFC 3168).
    Mark,
    /// It is dropped.
    Drop,
    /// The first packet of the class that was named is dropped, and the queue is asked again. Of arrivals alone.
    PushOut,
}

/// Classes that a queue may have.
pub const QUEUE_CLASSES: u16 = 1024;

/// A queue as somebody else writes it. The engine holds the packets; those of one class leave in the order of their arrival.
///
/// # Errors
/// Every method may return a [`Failure`], which ends what its caller is doing.
pub trait UserQueue: Debug + Send + Sync {
    /// Decides about a packet that arrives, and names the class that it joins, or that a packet is pushed out of.
    fn on_arrival(&mut self, packet: &QueuedPacket) -> Result<(QueueAnswer, u16), Failure>;

    /// Names the class whose turn it is, as the link is free and packets wait; `None` for the first in which some wait. It is
    /// not asked while no packet has been in a class but 0.
    fn next_class(&mut self, now: Time) -> Result<Option<u16>, Failure>;

    /// Decides about the first packet of that class, which is about to leave. If it is dropped, the next one is looked for.
    fn on_departure(&mut self, packet: &QueuedPacket) -> Result<QueueAnswer, Failure>;

    /// Hears that the link is free and nothing waits.
    fn on_idle(&mut self, now: Time) -> Result<(), Failure>;
}

/// Beginning of a queue.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QueueStart {
    /// Random numbers of its own, the same in each run with the same seed.
    pub stream: Stream,
    /// Rate of its link at first; nominal, where a recorded capacity takes its place.
    pub rate: Rate,
}

impl QueueStart {
    /// A beginning in front of a link of this rate.
    pub fn new(stream: Stream, rate: Rate) -> Self {
        QueueStart { stream, rate }
    }
}

/// Makes a queue for each port that asks for it.
pub trait QueueMaker: Code {
    /// An empty queue.
    ///
    /// # Errors
    /// If there is none.
    fn make(&self, start: QueueStart) -> Result<Box<dyn UserQueue>, Failure>;
}
