//! Packets held at a port, as a ring of departure times.

use std::collections::VecDeque;

use crate::room::Room;
use crate::units::Time;

/// The packets of a first-in-first-out port that have not left it, the one in transmission included.
///
/// Departures are known at arrival, so the backlog at any instant follows from the ring: what departs at or
/// before that instant is gone. The ring is brought up to date when it is asked.
#[derive(Clone, Debug, Default)]
pub struct Backlog {
    ring: VecDeque<(Time, u16)>,
    bytes: u64,
    /// When the last packet that is forgotten departed, and its size.
    last_gone: (Time, u16),
}

impl Backlog {
    /// Forgets what has departed by `now`.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while let Some(&(departure, size)) = self.ring.front() {
            if departure > now {
                break;
            }
            self.bytes -= u64::from(size);
            self.ring.pop_front();
            self.last_gone = (departure, size);
        }
    }

    /// The size of the packet that departs at `now`, if one does. The backlog must be up to date.
    #[inline]
    pub fn leaving(&self, now: Time) -> Option<u16> {
        (self.last_gone.0 == now && self.last_gone.1 > 0).then_some(self.last_gone.1)
    }

    /// Holds the packet again that departs now, for the rest of this instant.
    #[cold]
    pub fn hold_leaving(&mut self) {
        self.bytes += u64::from(self.last_gone.1);
        self.ring.push_front(std::mem::take(&mut self.last_gone));
    }

    /// Adds a packet that departs after all others.
    #[inline]
    pub fn push(&mut self, departure: Time, size: u16) {
        debug_assert!(self.ring.back().is_none_or(|&(last, _)| last < departure));
        self.ring.add((departure, size), "packets at ports");
        self.bytes += u64::from(size);
    }

    /// Packets held, but for the one in transmission. The backlog must be up to date.
    #[inline]
    pub fn waiting_packets(&self) -> u64 {
        (self.ring.len() as u64).saturating_sub(1)
    }

    /// Bytes held, but for the packet in transmission. The backlog must be up to date.
    #[inline]
    pub fn waiting_bytes(&self) -> u64 {
        self.bytes - self.ring.front().map_or(0, |&(_, size)| u64::from(size))
    }

    /// Packets held.
    #[inline]
    pub fn packets(&self) -> usize {
        self.ring.len()
    }

    /// Bytes held.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
