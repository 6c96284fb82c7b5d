//! A relay on a thread of its own, and what is left of it.

use std::net::SocketAddr;
use std::time::Duration;

use parshall_sim::scenario::Scenario;
use parshall_sim::Recording;

use crate::{Lateness, LinkError, Options};

/// Results of a relay that has ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Relayed {
    /// The tables and captures of a run of the scenario that ended when the relay did. Columns that only a transport knows are 0, and
    /// tables that only it can fill, such as that of round-trip times, are not there. A datagram is a packet, and those on
    /// the way back are ACKs. Sizes include the headers of UDP and IP.
    pub recording: Recording,
    /// Time from the first datagram to the end, whose counters the recording has; 0 if none came.
    pub elapsed: Duration,
    /// Lateness of datagrams.
    pub lateness: Lateness,
    /// True if the relay had real-time priority.
    pub realtime: bool,
    /// Addresses that sent datagrams; one that was forgotten and came back is counted again.
    pub peers: usize,
    /// Datagrams that the kernel dropped since the relay did not take them in time. Simulated queues do not know of them.
    pub overflowed: u64,
    /// Datagrams that the relay dropped as too many were under way, or as all of its 500 peers had some under way.
    pub refused: u64,
    /// Datagrams that did not get where they were to go: the system did not take them, or the network sent a report.
    pub undeliverable: u64,
}

/// A relay at work. It ends when its duration is over, by [`Relay::finish`], or when it is dropped.
#[derive(Debug)]
pub struct Relay {
    #[cfg(target_os = "linux")]
    running: crate::run::Running,
    #[cfg(not(target_os = "linux"))]
    none: std::convert::Infallible,
}

#[cfg(target_os = "linux")]
impl Relay {
    /// Starts a relay.
    ///
    /// # Errors
    /// If the scenario cannot be run; if an address cannot be used; if priority is required and not granted.
    pub fn start(scenario: Scenario, options: &Options) -> Result<Self, LinkError> {
        Ok(Relay { running: crate::run::Running::start(scenario, options)? })
    }

    /// The address at which it takes datagrams in, with the port that the system chose if port 0 was asked for.
    pub fn listening(&self) -> SocketAddr {
        self.running.listening
    }

    /// True if its thread has real-time priority.
    pub fn is_realtime(&self) -> bool {
        self.running.realtime
    }

    /// Time since the first datagram; none before it.
    pub fn elapsed(&self) -> Option<Duration> {
        self.running.shared.elapsed()
    }

    /// Waits until it has ended, for at most `timeout`; returns true if it has.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        self.running.wait(timeout)
    }

    /// Ends it, if it has not ended yet.
    ///
    /// # Errors
    /// If it failed on its way.
    pub fn finish(self) -> Result<Relayed, LinkError> {
        self.running.finish()
    }
}

#[cfg(not(target_os = "linux"))]
impl Relay {
    /// Starts a relay: here, none.
    ///
    /// # Errors
    /// Always, as this is not Linux.
    pub fn start(_: Scenario, _: &Options) -> Result<Self, LinkError> {
        let reason = std::io::Error::new(std::io::ErrorKind::Unsupported, "it needs Linux");
        Err(LinkError::System(reason))
    }

    /// The address at which it takes datagrams in.
    pub fn listening(&self) -> SocketAddr {
        match self.none {}
    }

    /// True if its thread has real-time priority.
    pub fn is_realtime(&self) -> bool {
        match self.none {}
    }

    /// Time since the first datagram; none before it.
    pub fn elapsed(&self) -> Option<Duration> {
        match self.none {}
    }

    /// Waits until it has ended, for at most `timeout`; returns true if it has.
    pub fn wait(&mut self, _: Duration) -> bool {
        match self.none {}
    }

    /// Ends it, if it has not ended yet.
    ///
    /// # Errors
    /// If it failed on its way.
    pub fn finish(self) -> Result<Relayed, LinkError> {
        match self.none {}
    }
}
