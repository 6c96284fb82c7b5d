//! Queue disciplines. One file each; [`Discipline`] is where a new one is registered.
//!
//! The disciplines here decide at arrival and serve first in, first out, so a port knows the departure of a
//! packet the moment it arrives and needs no event at the end of a transmission.

mod backlog;
mod droptail;

pub use backlog::Backlog;
pub use droptail::DropTail;

use crate::scenario;

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the queue.
    Accept,
    /// It is discarded.
    Drop,
}

/// A first-in-first-out discipline that decides at arrival.
pub trait Queue {
    /// Decides about a packet of `size` bytes that finds `backlog` in front of it.
    fn arrive(&mut self, backlog: &Backlog, size: u16) -> Verdict;
}

/// The disciplines a port can have.
#[derive(Clone, Debug)]
pub enum Discipline {
    /// See [`DropTail`].
    DropTail(DropTail),
}

impl Discipline {
    /// The discipline that a scenario asks for.
    pub fn new(config: &scenario::Queue) -> Self {
        match config {
            scenario::Queue::Droptail(limits) => Discipline::DropTail(DropTail::new(limits)),
        }
    }
}

impl Queue for Discipline {
    #[inline]
    fn arrive(&mut self, backlog: &Backlog, size: u16) -> Verdict {
        match self {
            Discipline::DropTail(queue) => queue.arrive(backlog, size),
        }
    }
}
