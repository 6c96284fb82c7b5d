//! The network as the engine sees it: ports, and the hops of each flow's path.

mod dither;
mod lanes;
mod loss;
mod managed;
mod port;
mod recent;
mod routes;
mod service;

pub use lanes::{Lanes, Place};
pub use loss::Loss;
pub use managed::{Jitter, Managed};
pub use port::{Outcome, Port, PortCounters, PortKind};
pub use routes::{Router, Topology};
pub use service::Trace;

/// One step of the path of one direction of one flow: a port, and what comes after it. The hops of a path lie in a
/// row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Index of the port.
    pub port: u32,
    /// The lane that packets take from here.
    pub lane: u32,
    /// Index of the flow, and flags above it: there are many hops, and small ones stay in the cache.
    flow_and_flags: u32,
}

impl Hop {
    const LAST: u32 = 1 << 31;
    const FOLDS_NEXT: u32 = 1 << 30;
    const FEEDS: u32 = 1 << 29;
    const ALONE: u32 = 1 << 28;
    const FLOW: u32 = Hop::ALONE - 1;

    /// A hop of this flow.
    pub fn new(port: u32, lane: u32, flow: u32, last: bool, folds_next: bool) -> Self {
        debug_assert!(flow <= Hop::FLOW);
        let flags = if last { Hop::LAST } else { 0 } | if folds_next { Hop::FOLDS_NEXT } else { 0 };
        Hop { port, lane, flow_and_flags: flow | flags }
    }

    /// Index of the flow.
    #[inline]
    pub fn flow(&self) -> u32 {
        self.flow_and_flags & Hop::FLOW
    }

    /// Whether the path ends behind this port, at a host.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.flow_and_flags & Hop::LAST != 0
    }

    /// Whether the engine goes on to what comes next without an event: a port or the receiver.
    ///
    /// True where the next hop is a port that nobody else uses: what arrives there has passed this port in
    /// order, so its fate there is known as soon as it is known here. This is an optimisation that changes no
    /// recording; see `docs/architecture.md`, 'Folding'.
    #[inline]
    pub fn folds_next(&self) -> bool {
        self.flow_and_flags & Hop::FOLDS_NEXT != 0
    }

    /// Whether a packet that arrives from here lets its source write the next one; see
    /// [`crate::compile::FlowPlan::feeds`].
    #[inline]
    pub fn feeds(&self) -> bool {
        self.flow_and_flags & Hop::FEEDS != 0
    }

    /// Sets [`Hop::feeds`].
    pub fn set_feeds(&mut self) {
        self.flow_and_flags |= Hop::FEEDS;
    }

    /// Whether the lane is this path's own.
    pub fn is_alone(&self) -> bool {
        self.flow_and_flags & Hop::ALONE != 0
    }

    /// Gives the path a lane of its own from here.
    pub fn take_own_lane(&mut self, lane: u32) {
        self.lane = lane;
        self.flow_and_flags |= Hop::ALONE;
    }
}
