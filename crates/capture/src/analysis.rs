//! The analysis of a capture: packets in, samples, events and connections out. Reads no file and no clock.

use std::collections::VecDeque;
use std::fmt;

use crate::clocks::{Clocks, Order, WAIT};
use crate::connection::{Found, Opening};
use crate::datagrams::Flows;
use crate::filter::Filter;
use crate::fragments::Fragments;
use crate::index::hash;
use crate::packet::{flag, Decoded, Packet, Part, Tcp, Transport};
use crate::passing::{Flow, Passed};
use crate::recent::Again;
use crate::result::{Event, Finished, Rows, Totals, Way};
use crate::spin::SpinSample;
use crate::table::Table;
use crate::traffic::Traffic;
use crate::unread::Unreads;

/// Packets that are held back so that neighbours in the wrong order are put right.
const HELD: usize = 8;

/// Round trips that a packet tells of at most.
const SAMPLES: usize = 4;

/// Packets that are held back at most where several interfaces hand over theirs in turn.
const MOST_HELD: usize = 1 << 15;

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

/// The analysis of a capture.
#[derive(Debug, Default)]
pub struct Analysis {
    settings: Settings,
    totals: Totals,
    open: Table,
    flows: Flows,
    fragments: Fragments,
    traffic: Traffic,
    held: VecDeque<Held>,
    clocks: Clocks,
    unread: Unreads,
    found: Found,
    /// Findings that nobody has taken; samples and events are still in `found`.
    rows: Rows,
}

impl Analysis {
    /// An analysis that has seen nothing.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Makes room for what so many frames may add.
    ///
    /// # Errors
    /// If there is no memory for it: what has been found so far is still there.
    pub fn try_reserve(&mut self, frames: usize) -> Result<(), NoRoom> {
        let frames = frames + self.held.len();
        // A frame opens a connection or flow at most, which may take the place of one that ends, beside one that was closed.
        self.open.try_reserve(frames).ok_or(NoRoom)?;
        self.flows.try_reserve(frames).ok_or(NoRoom)?;
        self.found.events.try_reserve(frames).ok_or(NoRoom)?;
        self.rows.connections.try_reserve(2 * frames).map_err(|_| NoRoom)?;
        self.rows.datagrams.try_reserve(2 * frames).map_err(|_| NoRoom)?;
        self.rows
            .passed
            .try_reserve(if self.settings.keep_passed { frames } else { 0 })
            .map_err(|_| NoRoom)?;
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
            Decoded::Fragment(part) => match self.fragments.located(part) {
                Some(packet) => self.choose(packet),
                None => {
                    self.totals.fragments += 1;
                    self.totals.lone_fragments += 1;
                }
            },
            Decoded::Unread(reason) => self.unread.add(*reason),
            Decoded::Damaged => self.totals.damaged += 1,
        }
    }

    /// Holds a packet if the filter takes it.
    fn choose(&mut self, packet: Packet) {
        if let Some(filter) = &self.settings.filter {
            if !filter.takes(&packet) {
                self.totals.filtered += 1;
                return;
            }
            self.totals.nested += u64::from(packet.nested);
        }
        self.hold(packet);
    }

    /// Holds a packet back until none that is earlier can come.
    fn hold(&mut self, packet: Packet) {
        let order = self.clocks.on_packet(&packet);
        match order {
            Order::Last => {}
            Order::Swapped => self.totals.swapped += 1,
            Order::Overtaken => self.totals.overtaken += 1,
            Order::FarBehind => self.totals.far_behind += 1,
            Order::SteppedBack => self.totals.steps_back += 1,
        }
        if matches!(order, Order::FarBehind | Order::SteppedBack) {
            self.release(self.held.len());
        }
        let hash = hash(&packet.source, &packet.destination);
        let held = Held { packet, hash, at: None };
        if self.clocks.are_several() {
            self.hold_long(held);
            return;
        }
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

    /// Holds a packet of one of several interfaces until the others have handed over theirs.
    fn hold_long(&mut self, held: Held) {
        self.held.push_back(held);
        if self.held.len() < MOST_HELD {
            return;
        }
        self.sort();
        let until = self.clocks.latest().saturating_sub(WAIT);
        let past = self.held.partition_point(|each| each.packet.time < until);
        self.release(past.max(MOST_HELD / 2));
    }

    /// Puts the packets that are held in the order of their times.
    fn sort(&mut self) {
        self.held.make_contiguous().sort_by_key(|each| each.packet.time);
    }

    /// Takes the first packets that are held, so many.
    fn release(&mut self, number: usize) {
        if self.clocks.are_several() {
            self.sort();
        }
        for at in (0..number).step_by(BATCH) {
            self.release_batch(BATCH.min(number - at));
        }
    }

    fn release_batch(&mut self, number: usize) {
        for held in self.held.iter_mut().take(number) {
            held.at = self.open.guess(held.hash);
        }
        self.open.approach(self.held.iter().take(number).filter_map(|held| held.at));
        self.tidy();
        for _ in 0..number {
            if let Some(first) = self.held.pop_front() {
                self.take(&first);
            }
        }
    }

    /// Gives back room, and ends what has been silent for long.
    fn tidy(&mut self) {
        // Those that are held are still to come, and may be copies of the last.
        let Some(now) = self.held.front().map(|first| first.packet.time) else { return };
        self.open.relax(now, &mut self.found);
        self.flows.relax(now);
        while let Some(ended) = self.open.end_quiet(now, &mut self.found) {
            self.rows.connections.push(ended);
        }
        while let Some(ended) = self.flows.end_quiet(now) {
            self.rows.datagrams.push(ended);
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
            Transport::Udp { first, .. } => {
                self.totals.udp += 1;
                self.on_udp(held, *first)
            }
            Transport::Part(part) => self.on_part(held, part),
        };
        if !matches!(again, Again::Captured(_)) {
            self.traffic.add(packet.time, packet.ip_length);
        }
    }

    /// A later fragment: more bytes of its flow.
    fn on_part(&mut self, held: &Held, part: &Part) -> Again {
        self.totals.fragments += 1;
        let has_flow = if part.seq.is_some() {
            let at = self.place(held, None);
            let state = at.and_then(|at| self.open.get_mut(at));
            state.map(|state| state.on_part(&held.packet, part)).is_some()
        } else {
            part.again || self.flows.on_part(&held.packet, held.hash)
        };
        self.totals.lone_fragments += u64::from(!has_flow);
        if part.again {
            Again::Captured(false)
        } else {
            Again::No
        }
    }

    fn on_udp(&mut self, held: &Held, first: Option<u8>) -> Again {
        let packet = &held.packet;
        let at = self.flows.place(packet, held.hash).unwrap_or_else(|| {
            if self.flows.alive() >= self.settings.most_flows.max(1) {
                self.totals.dropped_flows += 1;
                self.rows.datagrams.extend(self.flows.end_one());
            }
            self.totals.shared_ends += u64::from(self.flows.has_ends(packet, held.hash));
            self.flows.begin(packet, held.hash)
        });
        let (again, number) = self.flows.on_packet(at, packet);
        if matches!(again, Again::Captured(_)) {
            return again;
        }
        if self.settings.keep_passed && packet.payload > 0 && again == Again::No {
            let (time, frame, flow) = (packet.time, packet.frame, Flow::Udp(number));
            self.rows.passed.push(Passed { time, frame, flow, marked: packet.ecn == 3 });
        }
        // All packets of QUIC have this bit (RFC 9000, section 17).
        if let Some(first) = first.filter(|first| first & 0x40 != 0) {
            self.flows.on_quic(at, packet, first, &mut self.rows.spun);
        }
        Again::No
    }

    fn on_tcp(&mut self, held: &Held, tcp: &Tcp) -> Again {
        let packet = &held.packet;
        let at = match self.place(held, Some(tcp)) {
            Some(at) => match self.open.get_mut(at).map(|state| state.opening(packet, tcp)) {
                None | Some(Opening::Own) => at,
                Some(Opening::Held) => return Again::Outside,
                Some(Opening::Another) => {
                    self.rows.connections.extend(self.open.end(at, &mut self.found));
                    self.begin(held, tcp)
                }
                Some(Opening::Confirmed(held_back)) => {
                    let (packet, tcp) = *held_back;
                    self.rows.connections.extend(self.open.end(at, &mut self.found));
                    let at = self.begin(&Held { packet, ..*held }, &tcp);
                    if let Some(state) = self.open.get_mut(at) {
                        state.on_packet(&packet, &tcp, &mut self.found);
                    }
                    at
                }
            },
            None => self.begin(held, tcp),
        };
        let Some(state) = self.open.get_mut(at) else { return Again::No };
        let again = state.on_packet(packet, tcp, &mut self.found);
        if self.settings.keep_passed && packet.payload > 0 && again == Again::No {
            let way = if packet.source == state.opener { Way::Forward } else { Way::Back };
            let (time, frame, flow) = (packet.time, packet.frame, Flow::Tcp(state.number, way));
            self.rows.passed.push(Passed { time, frame, flow, marked: packet.ecn == 3 });
        }
        if tcp.flags & (flag::FIN | flag::RST) != 0 && state.closed() {
            self.open.close(at, packet.time);
        }
        again
    }

    /// A connection that begins with this packet.
    fn begin(&mut self, held: &Held, tcp: &Tcp) -> usize {
        if self.open.alive() >= self.settings.most_flows.max(1) {
            self.totals.dropped_flows += 1;
            self.rows.connections.extend(self.open.end_oldest(&mut self.found));
        }
        self.totals.shared_ends += u64::from(self.open.has_ends(&held.packet, held.hash));
        self.open.begin(&held.packet, tcp, held.hash)
    }

    /// Where the connection of a packet is among those that are open.
    fn place(&self, held: &Held, tcp: Option<&Tcp>) -> Option<usize> {
        self.open.place(&held.packet, tcp, held.hash, held.at)
    }

    /// Connections, retransmissions and timeouts so far.
    pub fn glance(&self) -> (usize, usize, usize) {
        let (repeats, timeouts) = self.found.events.glance();
        (self.open.begun() as usize, repeats, timeouts)
    }

    /// Counts of the capture so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Frames that were not read so far.
    pub fn unread(&self) -> &Unreads {
        &self.unread
    }

    /// Takes the rows that nothing can change any more, so that they need no memory here.
    pub fn rows(&mut self) -> Rows {
        let held = if self.clocks.are_several() { WAIT } else { 0 };
        self.found.events.forget(self.clocks.latest().saturating_sub(held));
        let events = self.found.events.take();
        self.taken(events)
    }

    fn taken(&mut self, events: Vec<Event>) -> Rows {
        let samples = std::mem::take(&mut self.found.samples);
        Rows { samples, events, ..std::mem::take(&mut self.rows) }
    }

    /// Ends connections and flows, so many at most: no packet comes any more. False when all have ended.
    pub fn end(&mut self, most: usize) -> bool {
        self.release(self.held.len());
        for _ in 0..most {
            if let Some(ended) = self.open.end_oldest(&mut self.found) {
                self.rows.connections.push(ended);
            } else if let Some(ended) = self.flows.end_one() {
                self.rows.datagrams.push(ended);
            } else {
                return false;
            }
        }
        true
    }

    /// Ends the analysis: no packet comes any more. Rows that were taken before are not in it.
    pub fn finish(mut self) -> Finished {
        while self.end(usize::MAX) {}
        let events = self.found.events.take_all();
        let mut rows = self.taken(events);
        rows.sort();
        let silent = |sample: &SpinSample| {
            let flow = rows.datagrams.binary_search_by_key(&sample.flow, |flow| flow.number);
            flow.is_ok_and(|at| rows.datagrams[at].spin.is_none())
        };
        rows.spun.retain(|sample| !silent(sample));
        Finished { totals: self.totals, unread: self.unread, traffic: self.traffic, rows }
    }
}
