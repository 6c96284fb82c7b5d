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
    /// Index of the flow.
    pub flow: u32,
    /// Whether the engine goes on to the next hop without an event. The next hop may be the receiver.
    ///
    /// True where the next hop is a port that nobody else uses: what arrives there has passed this port in
    /// order, so its fate there is known as soon as it is known here. This is an optimisation that changes no
    /// recording; see `docs/architecture.md`, 'Folding'.
    pub fold_next: bool,
    /// The lane that packets take from here to the next hop.
    pub lane: u32,
    /// Whether a packet that gets here lets its source write the next one; see [`crate::compile::FlowPlan::feeds`].
    pub fed: bool,
    /// Whether the lane is this path's own.
    pub alone: bool,
}

impl Hop {
    /// In `port`: the packet has reached its host.
    pub const END: u32 = u32::MAX;
}
