//! Kinds of events, and the order of events at one instant.

/// Kind of an event that is no arrival: the upper bits of its target, above an index.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(super) enum EventKind {
    /// A receiver's delayed-ACK timer.
    Receiver,
    /// A sender's retransmission timer.
    Sender,
    /// Pacing lets a packet go.
    Pace,
    /// A source wants to write.
    Source,
    /// Ports are sampled.
    PortSeries,
    /// Ports are sampled for the observers of their queues.
    QueueObservers,
    /// Counting starts.
    WarmUp,
    /// A link is free for the next packet of a queue that decides at departure.
    Link,
    /// An application that hears back wants to do something.
    App,
}

pub(super) const INDEX_BITS: u32 = 28;
pub(super) const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;

impl EventKind {
    pub(super) fn target(self, index: usize) -> u32 {
        debug_assert!(index <= INDEX_MASK as usize);
        ((self as u32) << INDEX_BITS) | index as u32
    }
}

/// First rank of each sort of event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranks {
    pub(super) links: u32,
    pub(super) sources: u32,
    pub(super) receivers: u32,
    pub(super) senders: u32,
    pub(super) paces: u32,
    pub(super) arrivals: u32,
    pub(super) late_links: u32,
    pub(super) series: u32,
}

impl Ranks {
    /// Comes first at its instant.
    pub(super) const FIRST: u32 = 0;

    pub(super) fn new(hops: usize, flows: usize, ports: usize) -> Self {
        let (hops, flows, ports) = (hops as u32, flows as u32, ports as u32);
        let links = Self::FIRST + 1;
        let sources = links + ports;
        let receivers = sources + flows;
        let senders = receivers + flows;
        let paces = senders + flows;
        let arrivals = paces + flows;
        let late_links = arrivals + hops;
        let series = late_links + ports;
        Ranks { links, sources, receivers, senders, paces, arrivals, late_links, series }
    }

    pub(super) fn arrival(self, hop: u32) -> u32 {
        self.arrivals + hop
    }
}
