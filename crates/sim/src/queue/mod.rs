//! Queue disciplines. One file each; [`AnyArrivalQueue`] and [`AnyDepartureQueue`] are where a new one is registered.
//!
//! A [`ArrivalQueue`] decides at arrival and serves first in, first out, so a port knows the departure of a packet the moment
//! it arrives and needs no event at the end of a transmission. A [`DepartureQueue`] decides when a packet is about to
//! leave, which takes an event for each packet that has waited.

mod backlog;
mod codel;
mod diffserv;
mod droptail;
mod fq_codel;
mod held;
mod own;
mod pie;
mod red;
mod tuning;

pub use backlog::Backlog;
pub use codel::Codel;
pub use diffserv::{DiffServ, CODE_POINTS};
pub use droptail::DropTail;
pub use fq_codel::FqCodel;
pub use held::{Held, Leaving};
pub use own::OwnQueue;
pub use pie::Pie;
pub use red::Red;
pub use tuning::{queue_settings, Tuning};

use crate::random::Stream;
use crate::scenario;
use crate::units::{Rate, Time};

/// Decision about an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the queue.
    Accept,
    /// It joins the queue with a mark that says congestion (RFC 3168).
    Mark,
    /// It is discarded.
    Drop,
}

/// Why a packet is dropped at a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// Its queue decided so: mostly it is full.
    #[default]
    Full = 0,
    /// As many packets of its precedence wait as may.
    Precedence = 1,
    /// The average queue is above what is tolerated.
    Average = 2,
    /// At random, before that.
    Early = 3,
    /// A conditioner discards it.
    Conditioner = 4,
}

/// A packet that arrives at a queue.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When.
    pub now: Time,
    /// Its bytes.
    pub size: u16,
    /// True if it may be marked instead of dropped.
    pub ecn_capable: bool,
    /// When the port fell idle, if it is.
    pub idle_since: Time,
    /// Tells packets of one direction of a flow from others at this port.
    pub flow: u64,
}

/// A first-in-first-out discipline that decides at arrival.
pub trait ArrivalQueue {
    /// Decides about a packet that finds `backlog` in front of it.
    fn arrive(&mut self, arrival: &Arrival, backlog: &Backlog) -> Verdict;
}

/// A discipline that decides about a packet when the link is free for it.
pub trait DepartureQueue {
    /// Takes a packet of the flow with this key in. Packets that this has no room for go to `dropped`; they need not
    /// be this one.
    fn push(&mut self, held: Held, flow: u64, dropped: &mut Vec<Held>);

    /// Takes out the packet that is transmitted from `now` on; those that are dropped on the way go to `dropped`.
    fn pop(&mut self, now: Time, dropped: &mut Vec<Held>) -> Option<Leaving>;

    /// Packets and bytes that wait.
    fn waiting(&self) -> (u64, u64);

    /// The packets that wait.
    fn packets(&self) -> Box<dyn Iterator<Item = &Held> + '_>;
}

/// The disciplines that decide at departure.
#[derive(Debug)]
pub enum AnyDepartureQueue {
    /// See `Codel`.
    Codel(Codel),
    /// See `FqCodel`.
    FqCodel(FqCodel),
    /// See `DiffServ`.
    DiffServ(Box<DiffServ>),
    /// See `OwnQueue`.
    Own(Box<OwnQueue>),
}

impl AnyDepartureQueue {
    /// The discipline that a scenario asks for in front of a link of this rate, if it is one that decides at departure;
    /// `stream` makes its draws. What it counts itself counts from `count_from` on.
    pub fn new(
        config: &scenario::Queue,
        rate: Rate,
        count_from: Time,
        stream: impl FnOnce() -> Stream,
    ) -> Option<Self> {
        match config {
            scenario::Queue::Diffserv(config) => {
                let queue = DiffServ::new(config, rate, stream(), count_from);
                Some(AnyDepartureQueue::DiffServ(Box::new(queue)))
            }
            scenario::Queue::Codel(config) => Some(AnyDepartureQueue::Codel(Codel::new(config))),
            scenario::Queue::FqCodel(config) => {
                Some(AnyDepartureQueue::FqCodel(FqCodel::new(config, stream())))
            }
            scenario::Queue::User(config) => {
                let maker = config.maker.0.as_ref()?;
                let start = scenario::QueueStart::new(stream(), rate);
                Some(AnyDepartureQueue::Own(Box::new(OwnQueue::new(maker, start))))
            }
            scenario::Queue::Droptail(_) | scenario::Queue::Red(_) | scenario::Queue::Pie(_) => None,
        }
    }
}

impl DepartureQueue for AnyDepartureQueue {
    fn push(&mut self, held: Held, flow: u64, dropped: &mut Vec<Held>) {
        match self {
            AnyDepartureQueue::Codel(queue) => queue.push(held, flow, dropped),
            AnyDepartureQueue::FqCodel(queue) => queue.push(held, flow, dropped),
            AnyDepartureQueue::DiffServ(queue) => queue.push(held, flow, dropped),
            AnyDepartureQueue::Own(queue) => queue.push(held, flow, dropped),
        }
    }

    fn pop(&mut self, now: Time, dropped: &mut Vec<Held>) -> Option<Leaving> {
        match self {
            AnyDepartureQueue::Codel(queue) => queue.pop(now, dropped),
            AnyDepartureQueue::FqCodel(queue) => queue.pop(now, dropped),
            AnyDepartureQueue::DiffServ(queue) => queue.pop(now, dropped),
            AnyDepartureQueue::Own(queue) => queue.pop(now, dropped),
        }
    }

    fn waiting(&self) -> (u64, u64) {
        match self {
            AnyDepartureQueue::Codel(queue) => queue.waiting(),
            AnyDepartureQueue::FqCodel(queue) => queue.waiting(),
            AnyDepartureQueue::DiffServ(queue) => queue.waiting(),
            AnyDepartureQueue::Own(queue) => queue.waiting(),
        }
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Held> + '_> {
        match self {
            AnyDepartureQueue::Codel(queue) => queue.packets(),
            AnyDepartureQueue::FqCodel(queue) => queue.packets(),
            AnyDepartureQueue::DiffServ(queue) => queue.packets(),
            AnyDepartureQueue::Own(queue) => queue.packets(),
        }
    }
}

/// Returns whether a queue decides at departure.
pub fn decides_at_departure(config: &scenario::Queue) -> bool {
    use scenario::Queue::{Codel, Diffserv, FqCodel, User};
    matches!(config, Codel(_) | FqCodel(_) | Diffserv(_) | User(_))
}

/// The disciplines that decide at arrival.
#[derive(Clone, Debug)]
pub enum AnyArrivalQueue {
    /// See [`DropTail`].
    DropTail(DropTail),
    /// See [`Red`].
    Red(Box<Red>),
    /// See [`Pie`].
    Pie(Box<Pie>),
}

impl AnyArrivalQueue {
    /// The discipline that a scenario asks for, in front of a link of this rate, if it is one that decides at arrival;
    /// `stream` makes its draws.
    pub fn new(config: &scenario::Queue, rate: Rate, stream: impl FnOnce() -> Stream) -> Option<Self> {
        match config {
            scenario::Queue::Red(config) => {
                Some(AnyArrivalQueue::Red(Box::new(Red::new(config, rate, stream()))))
            }
            scenario::Queue::Pie(config) => Some(AnyArrivalQueue::Pie(Box::new(Pie::new(config, stream())))),
            scenario::Queue::Droptail(limits) => Some(AnyArrivalQueue::DropTail(DropTail::new(limits))),
            scenario::Queue::Codel(_)
            | scenario::Queue::FqCodel(_)
            | scenario::Queue::Diffserv(_)
            | scenario::Queue::User(_) => None,
        }
    }

    /// A packet was accepted that arrived at `now` and is transmitted from `start` on.
    #[inline]
    pub fn accepted(&mut self, now: Time, start: Time, size: u16) {
        if let AnyArrivalQueue::Pie(queue) = self {
            queue.accepted(now, start, size);
        }
    }
}

impl ArrivalQueue for AnyArrivalQueue {
    #[inline]
    fn arrive(&mut self, arrival: &Arrival, backlog: &Backlog) -> Verdict {
        match self {
            AnyArrivalQueue::DropTail(queue) => queue.arrive(arrival, backlog),
            AnyArrivalQueue::Red(queue) => queue.arrive(arrival, backlog),
            AnyArrivalQueue::Pie(queue) => queue.arrive(arrival, backlog),
        }
    }
}
