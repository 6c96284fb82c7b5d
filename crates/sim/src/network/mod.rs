//! The network as the engine sees it: ports, and the hops of each flow's path.

mod arrival_port;
mod calendar;
mod conditioner;
mod delays;
mod departure_port;
mod dither;
mod ecmp;
mod events;
mod jitter;
mod lead;
mod loss;
mod port;
mod port_kind;
mod rates;
mod recent;
mod report;
mod routes;
mod service;
mod treated;

pub use arrival_port::ArrivalPort;
pub use calendar::{Calendar, PacketId};
pub use conditioner::{Conditioner, ConditionerPlan, Exchange, FlowSet, SenderHistory, SenderState};
pub use departure_port::{DeparturePort, Next, Transmission};
pub use events::Events;
pub use jitter::Jitter;
pub use lead::Lead;
pub use loss::LossProcess;
pub use port::Port;
pub use port_kind::{PortKind, Transmissions};
pub use rates::Rates;
pub use report::{Outcome, Probe};
pub use routes::{Router, Topology};
pub use service::{Service, Trace};
pub use treated::treatment_settings;

/// Number by which a port knows one direction of a flow. To a router, data and ACKs of a flow are two flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowId(u32);

impl FlowId {
    /// The data of a flow of this index, or its ACKs.
    pub fn new(flow: u32, ack: bool) -> Self {
        FlowId(flow << 1 | u32::from(ack))
    }

    /// The one with this number.
    pub fn numbered(number: u64) -> Self {
        FlowId(number as u32)
    }

    /// Index of the flow.
    pub fn flow(self) -> u32 {
        self.0 >> 1
    }

    /// Returns whether it is the direction of ACKs.
    pub fn is_ack(self) -> bool {
        self.0 & 1 == 1
    }

    /// Numbers without gaps.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// One step of the path of one direction of one flow: a port, and what comes after it. The hops of a path lie in a
/// row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Index of the port.
    pub port: u32,
    /// Index of the flow, and flags above it: there are many hops, and small ones stay in the cache.
    flow_and_flags: u32,
}

impl Hop {
    const LAST: u32 = 1 << 31;
    const FOLDS_NEXT: u32 = 1 << 30;
    const FEEDS: u32 = 1 << 29;
    const FLOW: u32 = Hop::FEEDS - 1;

    /// A hop of this flow.
    pub fn new(port: u32, flow: u32, last: bool, folds_next: bool) -> Self {
        debug_assert!(flow <= Hop::FLOW);
        let flags = if last { Hop::LAST } else { 0 } | if folds_next { Hop::FOLDS_NEXT } else { 0 };
        Hop { port, flow_and_flags: flow | flags }
    }

    /// Index of the flow.
    #[inline]
    pub fn flow(&self) -> u32 {
        self.flow_and_flags & Hop::FLOW
    }

    /// Returns whether the path ends behind this port, at a host.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.flow_and_flags & Hop::LAST != 0
    }

    /// Returns whether the engine goes on to what comes next without an event: a port or a host.
    ///
    /// True where the next hop is a port that nobody else uses: what arrives there has passed this port in
    /// order, so its fate there is known as soon as it is known here. This is an optimisation that changes no
    /// recording; see `docs/architecture.md`, 'Private hops are folded'.
    #[inline]
    pub fn folds_next(&self) -> bool {
        self.flow_and_flags & Hop::FOLDS_NEXT != 0
    }

    /// Returns whether a packet that arrives from here lets its source write the next one; see
    /// [`crate::compile::FlowPlan::writes_ahead`].
    #[inline]
    pub fn writes_ahead(&self) -> bool {
        self.flow_and_flags & Hop::FEEDS != 0
    }

    /// Sets [`Hop::folds_next`].
    pub fn set_folds_next(&mut self) {
        self.flow_and_flags |= Hop::FOLDS_NEXT;
    }

    /// Sets [`Hop::writes_ahead`].
    pub fn set_feeds(&mut self) {
        self.flow_and_flags |= Hop::FEEDS;
    }
}
