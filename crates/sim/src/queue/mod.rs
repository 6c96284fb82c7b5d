//! Queue disciplines. One file each; [`Discipline`] is where a new one is registered.
//!
//! The disciplines here decide at arrival and serve first in, first out, so a port knows the departure of a
//! packet the moment it arrives and needs no event at the end of a transmission.

mod backlog;
mod droptail;
mod red;

pub use backlog::Backlog;
pub use droptail::DropTail;
pub use red::Red;

use crate::random::Stream;
use crate::scenario;
use crate::units::{Rate, Time};

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the queue.
    Accept,
    /// It joins the queue with a mark that says congestion (RFC 3168).
    Mark,
    /// It is discarded.
    Drop,
}

/// A packet that arrives at a queue.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When.
    pub now: Time,
    /// Its bytes.
    pub size: u16,
    /// Whether it may be marked instead of dropped.
    pub ecn_capable: bool,
    /// When the port fell idle, if it is.
    pub idle_since: Time,
}

/// A first-in-first-out discipline that decides at arrival.
pub trait Queue {
    /// Decides about a packet that finds `backlog` in front of it.
    fn arrive(&mut self, arrival: &Arrival, backlog: &Backlog) -> Verdict;
}

/// The disciplines a port can have.
#[derive(Clone, Debug)]
pub enum Discipline {
    /// See [`DropTail`].
    DropTail(DropTail),
    /// See [`Red`].
    Red(Box<Red>),
}

impl Discipline {
    /// The discipline that a scenario asks for, in front of a link of this rate; `stream` makes its draws.
    pub fn new(config: &scenario::Queue, rate: Rate, stream: impl FnOnce() -> Stream) -> Self {
        match config {
            scenario::Queue::Red(config) => Discipline::Red(Box::new(Red::new(config, rate, stream()))),
            scenario::Queue::Droptail(limits) => Discipline::DropTail(DropTail::new(limits)),
        }
    }
}

impl Queue for Discipline {
    #[inline]
    fn arrive(&mut self, arrival: &Arrival, backlog: &Backlog) -> Verdict {
        match self {
            Discipline::DropTail(queue) => queue.arrive(arrival, backlog),
            Discipline::Red(queue) => queue.arrive(arrival, backlog),
        }
    }
}
