//! Packets with payload, in the order in which they passed: what an estimator of traffic that does not respond needs of a
//! capture. They are kept only where they are asked for.

use crate::result::Way;

/// A flow: a direction of a connection of TCP, or a flow of UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// A connection's number, and the direction.
    Tcp(u32, Way),
    /// The number of a flow of UDP.
    Udp(u32),
}

/// A packet with payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Number of the frame, from 1.
    pub frame: u64,
    /// Its flow.
    pub flow: Flow,
    /// It has a congestion mark.
    pub marked: bool,
}
