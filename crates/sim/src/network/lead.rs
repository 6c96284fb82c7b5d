//! Lead of a packet: the time for which it was on its way to a port, which decides ties as in ns-2.
//!
//! Of two events at one instant ns-2 executes the one first that was scheduled first. It schedules an arrival when the
//! packet starts its transmission on the link before, and an end of transmission when that transmission starts. So an
//! arrival at the end of a transmission finds the packet still there if its way was longer than the transmission.

use crate::units::{Rate, Time};

/// The way of packets to one hop, from the start of their transmission on the link before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    ps_per_byte: f64,
    delay: Time,
    /// Bytes of what travels, if it is not the packet itself but the one that it answers.
    answered: Option<u16>,
}

impl Lead {
    /// No time: every end of a transmission comes before an arrival at its instant.
    pub const NONE: Lead = Lead { ps_per_byte: 0.0, delay: Time::ZERO, answered: None };

    /// The way over a link.
    pub fn over(rate: Rate, delay: Time) -> Self {
        Lead { ps_per_byte: rate.ps_per_byte(), delay, answered: None }
    }

    /// The way over a link of packets of this size, each of which a host answers at once.
    pub fn answering(self, bytes: u16) -> Self {
        Lead { answered: Some(bytes), ..self }
    }

    /// Time that a packet of this size was on its way.
    pub fn of(&self, bytes: u16) -> Time {
        let bytes = f64::from(self.answered.unwrap_or(bytes));
        self.delay + Time::from_ps((bytes * self.ps_per_byte + 0.5) as u64)
    }
}
