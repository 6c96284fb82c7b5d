//! The flows of UDP that are followed, and the round trips of those that are of QUIC.

use std::collections::VecDeque;

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use crate::identity::Networks;
use crate::index::Slot;
use crate::packet::{Endpoint, Packet, Tcp, Transport};
use crate::recent::{Again, Recent};
use crate::result::Datagrams;
use crate::spin::{Spin, SpinSample, Turn};

/// Silence after which a flow is over, in nanoseconds: the time after which translators of addresses forget one (RFC 4787,
/// section 4.3).
const QUIET: i64 = 300_000_000_000;

type Key = (Endpoint, Endpoint);

/// Two ends, the lower first, and the direction from one to the other between them: 0 from the lower one.
fn ordered(source: Endpoint, destination: Endpoint) -> (Key, usize) {
    if source <= destination {
        ((source, destination), 0)
    } else {
        ((destination, source), 1)
    }
}

/// Stands for the numbers of TCP.
fn numbers(digest: u32) -> Tcp {
    Tcp { ack: digest, ..Tcp::default() }
}

/// A flow that is followed.
#[derive(Debug)]
struct Flowing {
    datagrams: Datagrams,
    recent: Recent,
    hash: u32,
    networks: Networks,
    /// Number by which the two directions find each other where several networks have flows with the same ends.
    group: u32,
}

/// The flows that are followed.
#[derive(Debug, Default)]
pub struct Flows {
    index: HashTable<Slot>,
    places: Vec<Option<Flowing>>,
    free: Vec<u32>,
    begun: u32,
    alive: usize,
    /// All flows, and when they had last been active as this was noted; the one that has been silent longest is near the front.
    silent: VecDeque<(i64, u32)>,
    /// The next flow that is looked at for room that it does not need.
    hand: usize,
    /// Connections that may be QUIC's, by their ends, the lower first, and their group.
    spins: FxHashMap<(Key, u32), Spin>,
}

impl Flows {
    /// Makes room for so many more.
    pub fn try_reserve(&mut self, more: usize) -> Option<()> {
        self.places.try_reserve(more).ok()?;
        self.silent.try_reserve(more).ok()?;
        self.free.try_reserve(self.places.len() + more).ok()?;
        self.spins.try_reserve(more).ok()?;
        self.index.try_reserve(more, |slot| slot.spread()).ok()
    }

    /// Flows that are followed.
    pub fn alive(&self) -> usize {
        self.alive
    }

    /// Where the flow of a packet is, if it is followed: one of its network, or one of which the packet is a copy.
    pub fn place(&self, packet: &Packet, hash: u32) -> Option<usize> {
        let is_copy = |flow: &Flowing| match packet.transport {
            Transport::Udp { digest, .. } => flow.recent.has_alike(packet, &numbers(digest)),
            _ => false,
        };
        let flows = || between(&self.index, &self.places, (packet.source, packet.destination), hash);
        let own = flows().find(|(_, flow)| flow.networks.has(0, packet.network));
        own.or_else(|| flows().find(|(_, flow)| is_copy(flow))).map(|(at, _)| at)
    }

    /// A flow has the ends of this packet.
    pub fn has_ends(&self, packet: &Packet, hash: u32) -> bool {
        between(&self.index, &self.places, (packet.source, packet.destination), hash).next().is_some()
    }

    /// The group of a flow that begins: that of the other direction in the same network, or a new one if the ends are in use.
    fn group(&self, packet: &Packet, hash: u32) -> u32 {
        let mut back = between(&self.index, &self.places, (packet.destination, packet.source), hash);
        match back.find(|(_, flow)| flow.networks.has(0, packet.network)) {
            Some((_, flow)) => flow.group,
            None if self.has_ends(packet, hash) => packet.network,
            None => 0,
        }
    }

    /// Begins a flow with this packet, and tells where it is.
    pub fn begin(&mut self, packet: &Packet, hash: u32) -> usize {
        self.begun += 1;
        self.alive += 1;
        let datagrams = Datagrams::new(self.begun, packet);
        let (networks, group) = (Networks::default(), self.group(packet, hash));
        let flow = Some(Flowing { datagrams, recent: Recent::default(), hash, networks, group });
        let at = match self.free.pop() {
            Some(at) => {
                self.places[at as usize] = flow;
                at
            }
            None => {
                self.places.push(flow);
                self.places.len() as u32 - 1
            }
        };
        let slot = Slot { hash, at };
        self.index.insert_unique(slot.spread(), slot, |slot| slot.spread());
        self.silent.push_back((packet.time, at));
        at as usize
    }

    /// Takes in a packet of the flow at a place. Tells whether it has come before, and the number of the flow.
    pub fn on_packet(&mut self, at: usize, packet: &Packet) -> (Again, u32) {
        let Some(flow) = &mut self.places[at] else { return (Again::No, 0) };
        flow.networks.add(0, packet.network);
        let Transport::Udp { digest, .. } = packet.transport else {
            return (Again::No, flow.datagrams.number);
        };
        let again = flow.recent.again(packet, &numbers(digest), None);
        if !matches!(again, Again::Captured(_)) {
            flow.recent.add(packet, &numbers(digest), false, false);
            flow.datagrams.count(packet);
        }
        (again, flow.datagrams.number)
    }

    /// Takes in a later fragment. False if its flow is not followed.
    pub fn on_part(&mut self, packet: &Packet, hash: u32) -> bool {
        let flow = self.place(packet, hash).and_then(|at| self.places[at].as_mut());
        flow.map(|flow| flow.datagrams.count(packet)).is_some()
    }

    /// Takes in a packet of the flow at a place that may be of QUIC, with the first byte of its payload.
    pub fn on_quic(&mut self, at: usize, packet: &Packet, first: u8, samples: &mut Vec<SpinSample>) {
        let Some(Flowing { hash, group, .. }) = self.places[at] else { return };
        let (ends, way) = ordered(packet.source, packet.destination);
        let ports = (packet.source.port, packet.destination.port);
        let turn = Turn { time: packet.time, first, way, ports };
        let (index, places) = (&self.index, &self.places);
        let numbered = |key| {
            let flow = between(index, places, key, hash).find(|(_, flow)| flow.group == group);
            flow.map(|(_, flow)| flow.datagrams.number)
        };
        self.spins.entry((ends, group)).or_default().on_packet(&turn, |(way, span, rtt)| {
            let key = if way == 0 { ends } else { (ends.1, ends.0) };
            if let Some(flow) = numbered(key) {
                let (time, frame) = (packet.time, packet.frame);
                samples.push(SpinSample { time, frame, flow, span, rtt });
            }
        });
    }

    /// Lets a flow that has been silent give back room. Each gets its turn.
    pub fn relax(&mut self, now: i64) {
        self.hand = if self.hand + 1 < self.places.len() { self.hand + 1 } else { 0 };
        if let Some(Some(flow)) = self.places.get_mut(self.hand) {
            flow.recent.relax(now);
        }
    }

    /// Ends a flow that has been silent for long, if there is one.
    pub fn end_quiet(&mut self, now: i64) -> Option<Datagrams> {
        while self.silent.front().is_some_and(|(seen, _)| now.saturating_sub(*seen) > QUIET) {
            let (_, at) = self.silent.pop_front()?;
            let last = self.places[at as usize].as_ref().map_or(now, |flow| flow.datagrams.end);
            if now.saturating_sub(last) > QUIET {
                return self.end(at);
            }
            self.silent.push_back((last, at));
        }
        None
    }

    /// Ends a flow: one of those that have been silent longest.
    pub fn end_one(&mut self) -> Option<Datagrams> {
        while let Some((seen, at)) = self.silent.pop_front() {
            let last = self.places[at as usize].as_ref().map_or(seen, |flow| flow.datagrams.end);
            if last <= seen {
                return self.end(at);
            }
            self.silent.push_back((last, at));
        }
        None
    }

    fn end(&mut self, at: u32) -> Option<Datagrams> {
        let flow = self.places[at as usize].take()?;
        self.alive -= 1;
        self.free.push(at);
        if let Ok(entry) = self.index.find_entry(Slot { hash: flow.hash, at }.spread(), |each| each.at == at)
        {
            entry.remove();
        }
        let mut datagrams = flow.datagrams;
        let (ends, way) = ordered(datagrams.source, datagrams.destination);
        if let Some(spin) = self.spins.get_mut(&(ends, flow.group)) {
            let spun = spin.end(way);
            datagrams.spin = spun.spins().then(|| Box::new(spun));
            let back = (datagrams.destination, datagrams.source);
            let mut back = between(&self.index, &self.places, back, flow.hash);
            if !back.any(|(_, each)| each.group == flow.group) {
                self.spins.remove(&(ends, flow.group));
            }
        }
        Some(datagrams)
    }
}

/// The flows from one end to another.
fn between<'a>(
    index: &'a HashTable<Slot>,
    places: &'a [Option<Flowing>],
    key: Key,
    hash: u32,
) -> impl Iterator<Item = (usize, &'a Flowing)> {
    let slots = index.iter_hash(Slot { hash, at: 0 }.spread()).filter(move |slot| slot.hash == hash);
    let flows = slots.filter_map(|slot| Some((slot.at as usize, places[slot.at as usize].as_ref()?)));
    flows.filter(move |(_, flow)| (flow.datagrams.source, flow.datagrams.destination) == key)
}
