//! Addresses, seed, duration and priority: all that a caller sets besides the scenario.

use std::net::SocketAddr;
use std::time::Duration;

/// The priority of the relay's thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// Real time where the system grants it.
    #[default]
    Tried,
    /// Real time, or the relay does not start.
    RealTime,
    /// The priority of any process.
    Normal,
}

/// Addresses, seed, duration and priority of a relay.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Where the relay takes datagrams in.
    pub listen: SocketAddr,
    /// Where it hands them over: the server.
    pub to: SocketAddr,
    /// Seed of the scenario's random numbers; 1 by default.
    pub seed: u64,
    /// Time from the first datagram to the end; the scenario's by default.
    pub duration: Option<Duration>,
    /// Priority of the thread that relays.
    pub priority: Priority,
}

impl Options {
    /// A relay between two addresses.
    pub fn new(listen: SocketAddr, to: SocketAddr) -> Self {
        Options { listen, to, seed: 1, duration: None, priority: Priority::default() }
    }

    /// Returns it with another seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Options { seed, ..self }
    }

    /// Returns it with a duration of its own.
    pub fn with_duration(self, duration: Duration) -> Self {
        Options { duration: Some(duration), ..self }
    }

    /// Returns it with another priority.
    pub fn with_priority(self, priority: Priority) -> Self {
        Options { priority, ..self }
    }
}
