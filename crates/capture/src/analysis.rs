//! The analysis of a capture: packets in, samples, events and connections out. Reads no file and no clock.

use std::collections::{TryReserveError, VecDeque};

use rustc_hash::FxHashMap;

use crate::connection::{Found, State};
use crate::packet::{Decoded, Endpoint, Packet, Tcp, Transport};
use crate::result::{Connection, Datagrams, Event, Kind, Sample, Summary};
use crate::spin::{Spin, SpinSample, Turn};
use crate::traffic::Traffic;

/// Packets that are held back so that neighbours in the wrong order are put right.
const HELD: usize = 8;

/// Round trips that a packet tells of at most.
const SAMPLES: usize = 4;

/// Time by which a packet may stand behind later ones and is still put right, in nanoseconds. More is a clock that stepped.
const JUMBLED: i64 = 1_000_000;

/// Settings of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Connections and flows that are open at most; the oldest of them is dropped for a new one.
    pub most_flows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { most_flows: 1_000_000 }
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

type Key = (Endpoint, Endpoint);

/// Two ends, the lower first, and the direction from one to the other between them: 0 from the lower one.
fn ordered(source: Endpoint, destination: Endpoint) -> (Key, usize) {
    if source <= destination {
        ((source, destination), 0)
    } else {
        ((destination, source), 1)
    }
}

/// The analysis of a capture.
#[derive(Debug, Default)]
pub struct Analysis {
    settings: Settings,
    totals: Totals,
    index: FxHashMap<Key, u32>,
    /// Connections that are open, in the order of their first packets; `None` where one has ended.
    open: Vec<Option<Box<State>>>,
    alive: usize,
    oldest: usize,
    ended: Vec<Connection>,
    datagrams: FxHashMap<Key, Datagrams>,
    /// Connections that may be QUIC's, by their ends, the lower first.
    spins: FxHashMap<Key, Spin>,
    spun: Vec<SpinSample>,
    traffic: Traffic,
    held: VecDeque<Packet>,
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
    pub fn try_reserve(&mut self, frames: usize) -> Result<(), TryReserveError> {
        // A frame opens a connection at most, which may take the place of one that ends.
        self.open.try_reserve(frames)?;
        self.ended.try_reserve(self.alive + frames)?;
        self.index.try_reserve(frames)?;
        self.datagrams.try_reserve(frames)?;
        self.found.events.try_reserve(frames)?;
        self.found.samples.try_reserve(SAMPLES * frames)
    }

    /// Takes in a frame.
    pub fn push(&mut self, frame: &Decoded) {
        self.totals.frames += 1;
        match frame {
            Decoded::Packet(packet) => self.hold(*packet),
            Decoded::Fragment => self.totals.fragments += 1,
            Decoded::OtherIp => self.totals.other_ip += 1,
            Decoded::NotIp => self.totals.not_ip += 1,
            Decoded::Damaged => self.totals.damaged += 1,
        }
    }

    /// Holds a packet back until none that is earlier can come.
    fn hold(&mut self, packet: Packet) {
        if packet.time < self.latest {
            if self.latest - packet.time < JUMBLED {
                self.totals.swapped += 1;
            } else {
                self.totals.steps_back += 1;
                while let Some(held) = self.held.pop_front() {
                    self.take(&held);
                }
                self.latest = i64::MIN;
            }
        }
        self.latest = self.latest.max(packet.time);
        let at = self.held.partition_point(|held| held.time <= packet.time);
        self.held.insert(at, packet);
        if self.held.len() > HELD {
            if let Some(first) = self.held.pop_front() {
                self.take(&first);
            }
        }
    }

    fn take(&mut self, packet: &Packet) {
        self.traffic.add(packet.time, packet.ip_length);
        match &packet.transport {
            Transport::Tcp(tcp) => {
                self.totals.tcp += 1;
                self.totals.options_cut += u64::from(tcp.options_cut);
                self.on_tcp(packet, tcp);
            }
            Transport::Udp(first) => {
                self.totals.udp += 1;
                self.on_udp(packet, *first);
            }
        }
    }

    fn on_udp(&mut self, packet: &Packet, first: Option<u8>) {
        let full = self.datagrams.len() >= self.settings.most_flows;
        let key = (packet.source, packet.destination);
        if full && !self.datagrams.contains_key(&key) {
            self.totals.dropped_flows += 1;
            return;
        }
        let number = self.datagrams.len() as u32 + 1;
        let flow = self.datagrams.entry(key).or_insert(Datagrams {
            number,
            source: packet.source,
            destination: packet.destination,
            packets: 0,
            bytes: 0,
            start: packet.time,
            end: packet.time,
            spin: None,
        });
        flow.packets += 1;
        flow.bytes += u64::from(packet.ip_length);
        flow.end = packet.time;
        // All packets of QUIC have this bit (RFC 9000, section 17).
        if let Some(first) = first.filter(|first| first & 0x40 != 0) {
            self.on_quic(packet, first);
        }
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
                samples.push(SpinSample { time, frame, flow: flow.number, span, rtt });
            }
        });
    }

    fn on_tcp(&mut self, packet: &Packet, tcp: &Tcp) {
        let (key, _) = ordered(packet.source, packet.destination);
        if let Some(&at) = self.index.get(&key) {
            let again = self.open[at as usize].as_ref().is_some_and(|state| !state.ended_by(packet, tcp));
            if again {
                if let Some(state) = &mut self.open[at as usize] {
                    state.on_packet(packet, tcp, &mut self.found);
                }
                return;
            }
            self.end(at as usize);
        }
        if self.alive >= self.settings.most_flows.max(1) {
            self.drop_oldest();
        }
        let number = self.open.len() as u32 + 1;
        let mut state = Box::new(State::new(number, packet, tcp));
        state.on_packet(packet, tcp, &mut self.found);
        self.index.insert(key, number - 1);
        self.open.push(Some(state));
        self.alive += 1;
    }

    fn drop_oldest(&mut self) {
        while self.oldest < self.open.len() && self.open[self.oldest].is_none() {
            self.oldest += 1;
        }
        if let Some(state) = self.open.get(self.oldest).and_then(Option::as_ref) {
            self.index.remove(&ordered(state.opener, state.answerer).0);
            self.totals.dropped_flows += 1;
            self.end(self.oldest);
        }
    }

    fn end(&mut self, at: usize) {
        let Some(state) = self.open[at].take() else { return };
        self.alive -= 1;
        let closed = state.reset || state.ways.iter().all(|way| way.finished);
        self.ended.push(Connection {
            number: state.number,
            opener: state.opener,
            answerer: state.answerer,
            start: state.start,
            end: state.end,
            handshake: state.handshake[0],
            handshake_back: state.handshake[1],
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

    /// What the capture has, so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Ends the analysis: nothing comes any more.
    pub fn finish(mut self) -> Finished {
        while let Some(held) = self.held.pop_front() {
            self.take(&held);
        }
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
            let counters = &mut self.ended[event.connection as usize - 1].ways[event.way as usize].counters;
            counters.needless += 1;
            counters.spurious_timeouts += u64::from(event.kind == Some(Kind::Timeout));
        }
        let mut datagrams: Vec<Datagrams> = self.datagrams.into_values().collect();
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
}

/// Nothing of a direction.
impl Summary {
    /// The direction carried data.
    pub fn has_data(&self) -> bool {
        self.counters.data_packets > 0
    }
}
