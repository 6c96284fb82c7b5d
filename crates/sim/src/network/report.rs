//! Reports of a port: the outcome of a packet, counters, and the state of its queue.

use crate::queue::{DiffServ, Reason, Red};
use crate::units::Time;

/// Counters of a port since the start of counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Packets that arrived, whatever became of them.
    pub packets_arrived: u64,
    /// Their bytes.
    pub bytes_arrived: u64,
    /// Packets that the queue dropped.
    pub packets_dropped: u64,
    /// Their bytes.
    pub bytes_dropped: u64,
    /// Packets that the queue marked.
    pub packets_marked: u64,
    /// Packets that the link lost.
    pub packets_lost: u64,
    /// Their bytes.
    pub bytes_lost: u64,
    /// Most packets held after an arrival.
    pub max_backlog_packets: u64,
    /// Packets whose time from arrival to the end of transmission is known: those that were accepted, or, where the
    /// queue decides at departure, transmitted. [`super::Port::mean_delay`] makes one of both.
    pub packets_delayed: u64,
    /// Sum over those packets of that time, in picoseconds.
    pub total_delay_ps: u128,
}

/// Decision of a port about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is transmitted in this span of time.
    Sent {
        /// Start of transmission.
        start: Time,
        /// End of transmission.
        departure: Time,
        /// True if the queue marked it.
        marked: bool,
    },
    /// The queue dropped it, or what conditions packets before it.
    Dropped(Reason),
    /// The link lost it.
    Lost,
}

/// Read-only view of a queue at work.
#[derive(Debug)]
pub enum Probe<'a> {
    /// Nothing but its counters.
    Nothing,
    /// A RED that moves its thresholds.
    TunedRed(&'a mut Red),
    /// Queues for classes.
    DiffServ(&'a DiffServ),
}
