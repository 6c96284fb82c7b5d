//! The analysis of a capture: packets in, samples, events and connections out. Reads no file and no clock.

use std::collections::VecDeque;
use std::fmt;
use std::hint::black_box;

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use crate::connection::{Found, State};
use crate::filter::Filter;
use crate::fragments::Fragments;
use crate::index::{hash, Slot};
use crate::packet::{Decoded, Endpoint, Packet, Tcp, Transport};
use crate::passing::{Flow, Passed};
use crate::recent::{Again, Recent};
use crate::result::{Connection, Datagrams, Event, Kind, Sample, Way};
use crate::spin::{Spin, SpinSample, Turn};
use crate::traffic::Traffic;

/// Packets that are held back so that neighbours in the wrong order are put right.
const HELD: usize = 8;

/// Round trips that a packet tells of at most.
const SAMPLES: usize = 4;

/// Time by which a packet may stand behind later ones and is still put right, in nanoseconds. More is a clock that stepped.
const JUMBLED: i64 = 1_000_000;

/// Settings of an analysis.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Connections and flows that are open at most; the oldest of them is dropped for a new one.
    pub most_flows: usize,
    /// Packets with payload are kept: see [`Passed`].
    pub keep_passed: bool,
    /// Chooses packets; all of them are looked at where there is none.
    pub filter: Option<Filter>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { most_flows: 1_000_000, keep_passed: false, filter: None }
    }
}

/// What a capture has, and what it lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Frames.
    pub frames: u64,
    /// Packets of TCP.
    pub tcp: u64,
    /// Packets of UDP.
    pub udp: u64,
    /// Later fragments.
    pub fragments: u64,
    /// Those of them whose first one did not pass before, so that their flow is unknown.
    pub lone_fragments: u64,
    /// IP with something else above it.
    pub other_ip: u64,
    /// Frames without IP.
    pub not_ip: u64,
    /// Frames whose headers are cut or damaged.
    pub damaged: u64,
    /// TCP packets whose options the snap length cut.
    pub options_cut: u64,
    /// Packets in the wrong order by their times, which were put right.
    pub swapped: u64,
    /// Steps of the clock to before what came before.
    pub steps_back: u64,
    /// Connections that were dropped for new ones.
    pub dropped_flows: u64,
}

/// There is no memory for what the next frames may add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

impl fmt::Display for NoRoom {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "memory allocation failed")
    }
}

impl std::error::Error for NoRoom {}

/// A packet that is held back.
#[derive(Debug)]
struct Held {
    packet: Packet,
    hash: u32,
    /// Where its connection seems to be, if there is one.
    at: Option<u32>,
}

/// Packets that are taken at once. With tens of thousands of connections nothing of one is in the processor's caches, and
/// to wait for all that several packets need at once takes less than to wait for each.
const BATCH: usize = 16;

type Key = (Endpoint, Endpoint);

/// Two ends, the lower first, and the direction from one to the other between them: 0 from the lower one.
fn ordered(source: Endpoint, destination: Endpoint) -> (Key, usize) {
    if source <= destination {
        ((source, destination), 0)
    } else {
        ((destination, source), 1)
    }
}

/// A flow of UDP that is followed.
#[derive(Debug)]
struct Flowing {
    datagrams: Datagrams,
    recent: Recent,
}

/// The analysis of a capture.
#[derive(Debug, Default)]
pub struct Analysis {
    settings: Settings,
    totals: Totals,
    index: HashTable<Slot>,
    /// Connections that are open, in the order of their first packets; `None` where one has ended.
    open: Vec<Option<Box<State>>>,
    alive: usize,
    oldest: usize,
    /// The next connection that is looked at for room that it does not need.
    hand: usize,
    ended: Vec<Connection>,
    datagrams: FxHashMap<Key, Flowing>,
    fragments: Fragments,
    passed: Vec<Passed>,
    /// Connections that may be QUIC's, by their ends, the lower first.
    spins: FxHashMap<Key, Spin>,
    spun: Vec<SpinSample>,
    traffic: Traffic,
    held: VecDeque<Held>,
    latest: i64,
    found: Found,
}

impl Analysis {
    /// An analysis that has seen nothing.
    pub fn new(settings: Settings) -> Self {
        Self { settings, latest: i64::MIN, ..Self::default() }
    }

    /// Makes room for what so many frames may add.
    ///
    /// # Errors
    /// If there is no memory for it: what has been found so far is still there.
    pub fn try_reserve(&mut self, frames: usize) -> Result<(), NoRoom> {
        let frames = frames + self.held.len();
        // A frame opens a connection at most, which may take the place of one that ends.
        self.open.try_reserve(frames).map_err(|_| NoRoom)?;
        self.ended.try_reserve(self.alive + frames).map_err(|_| NoRoom)?;
        self.index.try_reserve(frames, |slot| slot.spread()).map_err(|_| NoRoom)?;
        self.datagrams.try_reserve(frames).map_err(|_| NoRoom)?;
        self.found.events.try_reserve(frames).map_err(|_| NoRoom)?;
        self.passed.try_reserve(if self.settings.keep_passed { frames } else { 0 }).map_err(|_| NoRoom)?;
        self.found.samples.try_reserve(SAMPLES * frames).map_err(|_| NoRoom)
    }

    /// Takes in a frame.
    pub fn push(&mut self, frame: &Decoded) {
        self.totals.frames += 1;
        match frame {
            Decoded::Packet(packet) => {
                self.fragments.on_packet(packet);
                self.choose(*packet);
            }
            Decoded::Fragment(part) => {
                self.totals.fragments += 1;
                match self.fragments.located(part) {
                    Some(packet) => self.choose(packet),
                    None => self.totals.lone_fragments += 1,
                }
            }
            Decoded::OtherIp => self.totals.other_ip += 1,
            Decoded::NotIp => self.totals.not_ip += 1,
            Decoded::Damaged => self.totals.damaged += 1,
        }
    }

    /// Holds a packet if the filter takes it.
    fn choose(&mut self, packet: Packet) {
        if self.settings.filter.as_ref().is_none_or(|filter| filter.takes(&packet)) {
            self.hold(packet);
        }
    }

    /// Holds a packet back until none that is earlier can come.
    fn hold(&mut self, packet: Packet) {
        if packet.time < self.latest {
            if self.latest - packet.time < JUMBLED {
                self.totals.swapped += 1;
            } else {
                self.totals.steps_back += 1;
                self.release(self.held.len());
                self.latest = i64::MIN;
            }
        }
        self.latest = self.latest.max(packet.time);
        let hash = hash(&packet.source, &packet.destination);
        let held = Held { packet, hash, at: None };
        if self.held.back().is_none_or(|last| last.packet.time <= held.packet.time) {
            self.held.push_back(held);
        } else {
            let place = self.held.partition_point(|each| each.packet.time <= held.packet.time);
            self.held.insert(place, held);
        }
        if self.held.len() == HELD + BATCH {
            self.release(BATCH);
        }
    }

    /// Takes the first packets that are held, so many.
    fn release(&mut self, number: usize) {
        for held in self.held.iter_mut().take(number) {
            let slot = Slot { hash: held.hash, at: 0 };
            held.at = self.index.find(slot.spread(), |slot| slot.hash == held.hash).map(|slot| slot.at);
        }
        let places = self.held.iter().take(number).filter_map(|held| held.at);
        let states = || places.clone().filter_map(|at| self.open[at as usize].as_deref());
        black_box(states().count());
        for state in states() {
            black_box(state.approach());
        }
        for state in states() {
            black_box(state.approach_lists());
        }
        self.relax();
        for _ in 0..number {
            if let Some(first) = self.held.pop_front() {
                self.take(&first);
            }
        }
    }

    /// Lets a connection that has been silent give back room. Each gets its turn.
    fn relax(&mut self) {
        self.hand = if self.hand < self.open.len() { self.hand + 1 } else { self.oldest };
        // Those that are held are still to come, and may be copies of the last.
        let Some(now) = self.held.front().map(|first| first.packet.time) else { return };
        if let Some(Some(state)) = self.open.get_mut(self.hand) {
            state.relax(now);
        }
    }

    fn take(&mut self, held: &Held) {
        let packet = &held.packet;
        let again = match &packet.transport {
            Transport::Tcp(tcp) => {
                self.totals.tcp += 1;
                self.totals.options_cut += u64::from(tcp.options_cut);
                self.on_tcp(held, tcp)
            }
            Transport::Udp(first) => {
                self.totals.udp += 1;
                self.on_udp(packet, *first)
            }
            Transport::Part { tcp } => {
                self.on_part(held, *tcp);
                Again::No
            }
        };
        if !matches!(again, Again::Captured(_)) {
            self.traffic.add(packet.time, packet.ip_length);
        }
    }

    /// A later fragment: more bytes of its flow.
    fn on_part(&mut self, held: &Held, tcp: bool) {
        let packet = &held.packet;
        if !tcp {
            if let Some(flow) = self.datagrams.get_mut(&(packet.source, packet.destination)) {
                flow.datagrams.count(packet);
            }
        } else if let Some(at) = self.place(held) {
            if let Some(state) = &mut self.open[at] {
                state.on_part(packet);
            }
        }
    }

    fn on_udp(&mut self, packet: &Packet, first: Option<u8>) -> Again {
        let full = self.datagrams.len() >= self.settings.most_flows;
        let key = (packet.source, packet.destination);
        if full && !self.datagrams.contains_key(&key) {
            self.totals.dropped_flows += 1;
            return Again::No;
        }
        let number = self.datagrams.len() as u32 + 1;
        let flow = self.datagrams.entry(key).or_insert_with(|| Flowing {
            datagrams: Datagrams::new(number, packet),
            recent: Recent::default(),
        });
        let bare = Tcp::default();
        let again = flow.recent.again(packet, &bare);
        if matches!(again, Again::Captured(_)) {
            return again;
        }
        flow.recent.add(packet, &bare, false, false);
        flow.datagrams.count(packet);
        if self.settings.keep_passed && packet.payload > 0 && again == Again::No {
            let (time, frame, flow) = (packet.time, packet.frame, Flow::Udp(flow.datagrams.number));
            self.passed.push(Passed { time, frame, flow, marked: packet.ecn == 3 });
        }
        // All packets of QUIC have this bit (RFC 9000, section 17).
        if let Some(first) = first.filter(|first| first & 0x40 != 0) {
            self.on_quic(packet, first);
        }
        Again::No
    }

    fn on_quic(&mut self, packet: &Packet, first: u8) {
        let (ends, way) = ordered(packet.source, packet.destination);
        let ports = (packet.source.port, packet.destination.port);
        let turn = Turn { time: packet.time, first, way, ports };
        let (datagrams, samples) = (&self.datagrams, &mut self.spun);
        self.spins.entry(ends).or_default().on_packet(&turn, |(way, span, rtt)| {
            let key = if way == 0 { ends } else { (ends.1, ends.0) };
            if let Some(flow) = datagrams.get(&key) {
                let (time, frame) = (packet.time, packet.frame);
                let flow = flow.datagrams.number;
                samples.push(SpinSample { time, frame, flow, span, rtt });
            }
        });
    }

    fn on_tcp(&mut self, held: &Held, tcp: &Tcp) -> Again {
        let at = match self.place(held) {
            Some(at) if !self.open[at].as_ref().is_some_and(|state| state.ended_by(&held.packet, tcp)) => at,
            Some(at) => {
                self.end(at);
                self.begin(held, tcp)
            }
            None => self.begin(held, tcp),
        };
        let Some(state) = &mut self.open[at] else { return Again::No };
        let packet = &held.packet;
        let again = state.on_packet(packet, tcp, &mut self.found);
        if self.settings.keep_passed && packet.payload > 0 && again == Again::No {
            let way = if packet.source == state.opener { Way::Forward } else { Way::Back };
            let (time, frame, flow) = (packet.time, packet.frame, Flow::Tcp(state.number, way));
            self.passed.push(Passed { time, frame, flow, marked: packet.ecn == 3 });
        }
        again
    }

    /// A connection that begins with this packet.
    fn begin(&mut self, held: &Held, tcp: &Tcp) -> usize {
        if self.alive >= self.settings.most_flows.max(1) {
            self.end_oldest();
        }
        let at = self.open.len();
        let slot = Slot { hash: held.hash, at: at as u32 };
        self.index.insert_unique(slot.spread(), slot, |slot| slot.spread());
        self.open.push(Some(Box::new(State::new(at as u32 + 1, &held.packet, tcp))));
        self.alive += 1;
        at
    }

    /// Where the connection of a packet is among those that are open.
    fn place(&self, held: &Held) -> Option<usize> {
        let is_of = |at: u32| self.open[at as usize].as_ref().is_some_and(|state| state.is_of(&held.packet));
        if let Some(at) = held.at.filter(|at| is_of(*at)) {
            return Some(at as usize);
        }
        let wanted = Slot { hash: held.hash, at: 0 };
        let found = self.index.find(wanted.spread(), |slot| slot.hash == held.hash && is_of(slot.at));
        found.map(|slot| slot.at as usize)
    }

    fn end_oldest(&mut self) {
        while self.oldest < self.open.len() && self.open[self.oldest].is_none() {
            self.oldest += 1;
        }
        if self.oldest < self.open.len() {
            self.totals.dropped_flows += 1;
            self.end(self.oldest);
        }
    }

    fn end(&mut self, at: usize) {
        let Some(state) = self.open[at].take() else { return };
        self.alive -= 1;
        let slot = Slot { hash: hash(&state.opener, &state.answerer), at: at as u32 };
        if let Ok(entry) = self.index.find_entry(slot.spread(), |each| each.at == slot.at) {
            entry.remove();
        }
        let closed = state.reset || state.ways.iter().all(|way| way.finished);
        self.ended.push(Connection {
            number: state.number,
            opener: state.opener,
            answerer: state.answerer,
            start: state.start,
            end: state.end,
            handshake: state.handshake[0].get(),
            handshake_back: state.handshake[1].get(),
            opened: state.opened,
            closed,
            ways: state.ways.map(|way| way.summary),
        });
    }

    /// Connections, retransmissions and timeouts so far.
    pub fn glance(&self) -> (usize, usize, usize) {
        let repeats = self.found.events.iter().filter(|event| event.kind.is_some() && event.twin.is_none());
        let timeouts = repeats.clone().filter(|event| event.kind == Some(Kind::Timeout));
        (self.open.len(), repeats.count(), timeouts.count())
    }

    /// Samples since the last call.
    pub fn samples(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.found.samples)
    }

    /// Packets with payload since the last call, if they are kept.
    pub fn passed(&mut self) -> Vec<Passed> {
        std::mem::take(&mut self.passed)
    }

    /// What the capture has, so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Ends the analysis: nothing comes any more.
    pub fn finish(mut self) -> Finished {
        self.release(self.held.len());
        for at in 0..self.open.len() {
            self.end(at);
        }
        self.ended.sort_by_key(|connection| connection.number);
        let mut events = self.found.events;
        for at in 0..events.len() {
            if let Some(twin) = events[at].twin {
                events[at].needless = events[twin].needless;
            }
        }
        for event in events.iter().filter(|event| event.needless == Some(true) && event.twin.is_none()) {
            let counters =
                &mut self.ended[event.connection as usize - 1].ways[event.way as usize].tally.more();
            counters.needless += 1;
            counters.spurious_timeouts += u64::from(event.kind == Some(Kind::Timeout));
        }
        let mut datagrams: Vec<Datagrams> = self.datagrams.into_values().map(|flow| flow.datagrams).collect();
        datagrams.sort_by_key(|flow| flow.number);
        for flow in &mut datagrams {
            let (ends, way) = ordered(flow.source, flow.destination);
            let spun = self.spins.get(&ends).map(|spin| spin.way(way)).filter(|spun| spun.spins());
            flow.spin = spun.cloned().map(Box::new);
        }
        let spins = |sample: &SpinSample| datagrams[sample.flow as usize - 1].spin.is_some();
        let spun = self.spun.into_iter().filter(spins).collect();
        Finished {
            totals: self.totals,
            connections: self.ended,
            events,
            samples: self.found.samples,
            datagrams,
            spun,
            traffic: self.traffic,
            passed: self.passed,
        }
    }
}

/// All that an analysis says in the end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What the capture has.
    pub totals: Totals,
    /// Connections, by number.
    pub connections: Vec<Connection>,
    /// Events, in the order of frames as far as they are in order.
    pub events: Vec<Event>,
    /// Samples that were not asked for before.
    pub samples: Vec<Sample>,
    /// Flows of UDP, by number.
    pub datagrams: Vec<Datagrams>,
    /// Round trips by the spin bit.
    pub spun: Vec<SpinSample>,
    /// Packets and bytes over time.
    pub traffic: Traffic,
    /// Packets with payload that were not asked for before.
    pub passed: Vec<Passed>,
}
