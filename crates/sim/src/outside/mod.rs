//! Flows whose two ends belong to the caller: their datagrams under way, and the fates of those that have arrived or were dropped.
//!
//! To the engine such a flow is one of UDP whose source never writes. Its packets are numbered in each direction; a
//! packet under way is as small as any other, and its datagram waits here under its number.

mod datagram;
pub(crate) mod ip;

use std::collections::VecDeque;

pub use datagram::{Content, Datagram, Ecn};

use crate::compile::FlowPlan;
use crate::network::Outcome;
use crate::packet::{ecn, Packet};
use crate::queue::Reason;
use crate::random::mix;
use crate::units::Time;

/// The protocol that a caller's flow counts as where estimators and series tell TCP from UDP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// UDP, which QUIC runs over.
    #[default]
    Udp,
    /// TCP.
    Tcp,
}

/// A flow whose two ends belong to the caller.
#[derive(Clone, Copy, Debug)]
pub struct OutsidePlan {
    /// The protocol that it counts as.
    pub protocol: Protocol,
    /// True if the scenario does not have it: a recording leaves it out if it is never used.
    pub added: bool,
}

/// The place where a datagram went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DropCause {
    /// The queue of a port had no room, or its algorithm dropped the packet.
    Queue,
    /// The queue of a port dropped the packet at random before it was full.
    Early,
    /// The conditioner of a port discarded it.
    Conditioner,
    /// It was lost on a link.
    Link,
    /// It was larger than the path MTU.
    PathMtu,
}

impl DropCause {
    pub(crate) fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Dropped(Reason::Conditioner) => DropCause::Conditioner,
            Outcome::Dropped(Reason::Early) => DropCause::Early,
            Outcome::Lost => DropCause::Link,
            Outcome::Dropped(_) | Outcome::Sent { .. } => DropCause::Queue,
        }
    }
}

/// A datagram that is on its way no longer.
#[derive(Clone, Debug)]
pub(crate) struct Fate {
    pub flow: u32,
    /// True on the way from the destination to the source.
    pub back: bool,
    pub sent: Time,
    pub at: Time,
    pub datagram: Datagram,
    /// None if it has arrived.
    pub dropped: Option<DropCause>,
}

/// All flows whose ends belong to the caller.
#[derive(Debug)]
pub(crate) struct Outside {
    /// One more than the place in `lanes` of each flow; 0 for a flow of the engine's.
    places: Vec<u32>,
    lanes: Vec<Lane>,
    fates: VecDeque<Fate>,
}

/// One flow: each direction by itself, that to the destination first.
#[derive(Debug, Default)]
struct Lane {
    directions: [Direction; 2],
    /// Datagrams that have arrived at the source since the warm-up.
    answers_received: u64,
    added: bool,
    used: bool,
}

#[derive(Debug, Default)]
struct Direction {
    /// Number of the first packet of `under_way`.
    first: u32,
    under_way: VecDeque<Option<UnderWay>>,
}

#[derive(Debug)]
struct UnderWay {
    sent: Time,
    datagram: Datagram,
}

impl Outside {
    /// The flows of a plan whose ends belong to the caller, if there are any.
    pub fn of(flows: &[FlowPlan]) -> Option<Box<Self>> {
        let mut lanes = Vec::new();
        let place = |flow: &FlowPlan| {
            flow.outside.map_or(0, |plan| {
                lanes.push(Lane { added: plan.added, ..Lane::default() });
                lanes.len() as u32
            })
        };
        let places = flows.iter().map(place).collect();
        (!lanes.is_empty()).then(|| Box::new(Outside { places, lanes, fates: VecDeque::new() }))
    }

    fn place(&self, flow: u32) -> Option<usize> {
        (self.places[flow as usize] as usize).checked_sub(1)
    }

    /// Takes a datagram in; returns its packet, on its way to nowhere yet.
    pub fn send(&mut self, flow: u32, back: bool, datagram: Datagram, now: Time) -> Packet {
        let place = self.place(flow).expect("only flows of the caller's are sent over");
        let lane = &mut self.lanes[place];
        lane.used = true;
        let direction = &mut lane.directions[usize::from(back)];
        let number = direction.first.wrapping_add(direction.under_way.len() as u32);
        let (size, flags) = (datagram.wire_bytes() as u16, flags(datagram.ecn()));
        let mut packet = match back {
            false => Packet::data(number, size, flags, now),
            // An ACK is known by the packet before the one that it expects.
            true => Packet::ack(number.wrapping_add(1), size, flags, now, now),
        };
        packet.remark(datagram.dscp());
        direction.under_way.push_back(Some(UnderWay { sent: now, datagram }));
        packet
    }

    /// A datagram that never becomes a packet: it is larger than its path takes.
    pub fn refuse(&mut self, flow: u32, back: bool, datagram: Datagram, now: Time) {
        if let Some(place) = self.place(flow) {
            self.lanes[place].used = true;
        }
        let dropped = Some(DropCause::PathMtu);
        self.fates.push_back(Fate { flow, back, sent: now, at: now, datagram, dropped });
    }

    /// A packet has arrived at its host. Returns the payload of its datagram in bytes.
    pub fn arrived(&mut self, flow: u32, packet: &Packet, now: Time, counts: bool) -> u32 {
        let Some((place, mut under_way)) = self.take(flow, packet) else { return 0 };
        let marked = packet.ecn & ecn::EXPERIENCED != 0;
        under_way.datagram.passed(marked, packet.dscp());
        let payload = under_way.datagram.payload_bytes();
        self.lanes[place].answers_received += u64::from(packet.is_ack() && counts);
        self.end(flow, packet, under_way, now, None);
        payload
    }

    /// A packet of a flow went no further. Returns whether that concerns the caller.
    pub fn dropped(&mut self, flow: u32, packet: &Packet, now: Time, cause: DropCause) -> bool {
        let Some((_, under_way)) = self.take(flow, packet) else { return false };
        self.end(flow, packet, under_way, now, Some(cause));
        true
    }

    fn end(&mut self, flow: u32, packet: &Packet, it: UnderWay, at: Time, dropped: Option<DropCause>) {
        let UnderWay { sent, datagram } = it;
        self.fates.push_back(Fate { flow, back: packet.is_ack(), sent, at, datagram, dropped });
    }

    /// Takes what is under way as this packet, with the place of its flow.
    fn take(&mut self, flow: u32, packet: &Packet) -> Option<(usize, UnderWay)> {
        let place = self.place(flow)?;
        let direction = &mut self.lanes[place].directions[usize::from(packet.is_ack())];
        let taken = direction.under_way.get_mut(offset(direction.first, packet))?.take();
        while let Some(None) = direction.under_way.front() {
            direction.under_way.pop_front();
            direction.first = direction.first.wrapping_add(1);
        }
        taken.map(|under_way| (place, under_way))
    }

    /// The datagram under way as this packet; none of a flow of the engine's.
    pub fn datagram(&self, flow: u32, packet: &Packet) -> Option<&Datagram> {
        let direction = &self.lanes[self.place(flow)?].directions[usize::from(packet.is_ack())];
        let under_way = direction.under_way.get(offset(direction.first, packet))?;
        under_way.as_ref().map(|it| &it.datagram)
    }

    /// The key by which queues tell this packet's flow from others; `own` is that of the whole flow and direction.
    pub fn key(&self, flow: u32, packet: &Packet, own: u64) -> u64 {
        let key = self.datagram(flow, packet).and_then(Datagram::key);
        key.map_or(own, |key| own ^ mix(key))
    }

    /// Takes the fate of the oldest datagram whose fate was not taken before.
    #[inline]
    pub fn next_fate(&mut self) -> Option<Fate> {
        self.fates.pop_front()
    }

    /// Datagrams that have arrived at the source of a flow since the warm-up.
    pub fn answers_received(&self, flow: usize) -> u64 {
        self.place(flow as u32).map_or(0, |place| self.lanes[place].answers_received)
    }

    /// Returns whether a flow was added to the scenario's and never used.
    pub fn leaves_no_trace(&self, flow: usize) -> bool {
        self.place(flow as u32).is_some_and(|place| self.lanes[place].added && !self.lanes[place].used)
    }

    /// Bytes of what is under way.
    pub fn bytes(&self) -> u64 {
        let directions = self.lanes.iter().flat_map(|lane| &lane.directions);
        let places: usize = directions.map(|direction| direction.under_way.capacity()).sum();
        (places * size_of::<Option<UnderWay>>() + self.fates.capacity() * size_of::<Fate>()) as u64
    }
}

/// The place of a packet among those under way.
fn offset(first: u32, packet: &Packet) -> usize {
    let number = packet.seq.wrapping_sub(u32::from(packet.is_ack()));
    number.wrapping_sub(first) as usize
}

/// The flags of a packet with this code point of ECN.
fn flags(point: Ecn) -> u8 {
    match point {
        Ecn::NotEct => 0,
        Ecn::Ect0 => ecn::CAPABLE,
        Ecn::Ect1 => ecn::CAPABLE | ecn::SCALABLE,
        Ecn::Ce => ecn::CAPABLE | ecn::EXPERIENCED,
    }
}
