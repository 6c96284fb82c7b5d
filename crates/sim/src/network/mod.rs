//! The network as the engine sees it: ports, and the hops of each flow's path.

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

/// One step of the path of one direction of one flow. The hops of a path lie in a row; the last one is the
/// end host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Index of the port that a packet reaches, or [`Hop::END`].
    pub port: u32,
    /// The lane that packets take from here to the next hop.
    pub lane: u32,
    /// Index of the flow, and flags above it: there are many hops, and small ones stay in the cache.
    flow_and_flags: u32,
}

impl Hop {
    /// In `port`: the packet has reached its host.
    pub const END: u32 = u32::MAX;

    const FOLD_NEXT: u32 = 1 << 31;
    const FED: u32 = 1 << 30;
    const ALONE: u32 = 1 << 29;
    const FLOW: u32 = Hop::ALONE - 1;

    /// A hop of this flow, with no flag set.
    pub fn new(port: u32, lane: u32, flow: u32) -> Self {
        debug_assert!(flow <= Hop::FLOW);
        Hop { port, lane, flow_and_flags: flow }
    }

    /// The last hop of a path of this flow.
    pub fn end(flow: u32) -> Self {
        Hop::new(Hop::END, 0, flow)
    }

    /// Index of the flow.
    #[inline]
    pub fn flow(&self) -> u32 {
        self.flow_and_flags & Hop::FLOW
    }

    /// Whether the engine goes on to the next hop without an event. The next hop may be the receiver.
    ///
    /// True where the next hop is a port that nobody else uses: what arrives there has passed this port in
    /// order, so its fate there is known as soon as it is known here. This is an optimisation that changes no
    /// recording; see `docs/architecture.md`, 'Folding'.
    #[inline]
    pub fn folds_next(&self) -> bool {
        self.flow_and_flags & Hop::FOLD_NEXT != 0
    }

    /// Sets [`Hop::folds_next`].
    pub fn fold_next(&mut self) {
        self.flow_and_flags |= Hop::FOLD_NEXT;
    }

    /// Whether a packet that gets here lets its source write the next one; see [`crate::compile::FlowPlan::feeds`].
    #[inline]
    pub fn is_fed(&self) -> bool {
        self.flow_and_flags & Hop::FED != 0
    }

    /// Sets [`Hop::is_fed`].
    pub fn mark_fed(&mut self) {
        self.flow_and_flags |= Hop::FED;
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
