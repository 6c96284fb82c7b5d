//! A connection: two directions, each of which answers the other.

mod again;
mod answers;
mod ecn;
mod parts;
mod placing;
mod probes;
mod strays;

pub use strays::Opening;

use std::collections::VecDeque;

use crate::direction::Direction;
use crate::events::Events;
use crate::identity::Networks;
use crate::packet::{flag, Endpoint, Packet, Tcp};
use crate::pending::Pending;
use crate::recent::Again;
use crate::result::{Connection, Event, Kind, Sample, Summary, Way};
use crate::scoreboard::Segment;
use crate::sender::Repeat;
use crate::slim::Maybe;

/// Round trip that is assumed while none is known, in nanoseconds.
const ASSUMED_RTT: i64 = 3_000_000;

/// Where samples and events go.
#[derive(Debug, Default)]
pub struct Found {
    /// Samples of round trips.
    pub samples: Vec<Sample>,
    /// Events of frames.
    pub events: Events,
}

/// State of a connection.
#[derive(Debug)]
pub struct State {
    /// Number of the connection, from 1.
    pub number: u32,
    /// Endpoint that opened the connection.
    pub opener: Endpoint,
    /// Endpoint that answered.
    pub answerer: Endpoint,
    /// First packet.
    pub start: i64,
    /// Last packet.
    pub end: i64,
    /// The SYN, or its answer, passed: who opened it is known.
    pub opened: bool,
    /// A reset passed.
    pub reset: bool,
    /// It is among those that were closed and end when they have been silent for long.
    pub closing: bool,
    /// Round trips of the handshake: to who answers, and to who opened.
    pub handshake: [Maybe<i64>; 2],
    /// Networks in which its directions pass.
    pub networks: Networks,
    /// Both directions, forward first.
    pub ways: [Direction; 2],
    /// Accurate ECN, if there is any.
    ecn: Option<Box<ecn::AccurateEcn>>,
    /// Segments that are held back, if there are any.
    strays: Option<Box<strays::Strays>>,
}

/// Where the bytes of a packet stand among those that passed before.
#[derive(Default)]
struct Passing {
    start: u64,
    end: u64,
    /// Overtaken by a packet that was sent later.
    late: bool,
    /// Sent again.
    repeat: bool,
    /// None of its bytes passed before.
    fresh: bool,
    /// Bytes that its sender had sent and that never passed, as the numbers of IP tell.
    unseen: u64,
}

/// Packets with data of a direction after which waits for its receiver's window are looked for.
const LEAST_LIMITED: u32 = 16;

impl State {
    /// A connection that begins with this packet.
    pub fn new(number: u32, packet: &Packet, tcp: &Tcp) -> Self {
        let syn = tcp.flags & flag::SYN != 0;
        let answer = tcp.flags & flag::ACK != 0;
        // Without a SYN the side with the higher port is likely to have opened it.
        let forward = if syn { !answer } else { packet.source.port >= packet.destination.port };
        let (opener, answerer) =
            if forward { (packet.source, packet.destination) } else { (packet.destination, packet.source) };
        Self {
            number,
            opener,
            answerer,
            start: packet.time,
            end: packet.time,
            opened: syn,
            reset: false,
            closing: false,
            handshake: [Maybe::<i64>::NONE; 2],
            networks: Networks::default(),
            // Who missed the SYNs takes it that both sides have SACK, as nearly all do.
            ways: [Direction::new(!syn), Direction::new(!syn)],
            ecn: None,
            strays: None,
        }
    }

    /// The packet passed between the two ends of this connection.
    pub fn is_of(&self, packet: &Packet) -> bool {
        let ends = (packet.source, packet.destination);
        ends == (self.opener, self.answerer) || ends == (self.answerer, self.opener)
    }

    /// Direction of a packet between its two ends: 0 is forward.
    pub fn way(&self, packet: &Packet) -> usize {
        usize::from(packet.source != self.opener)
    }

    /// The packet is of this connection, and both directions pass in its network.
    pub fn is_alike(&self, packet: &Packet) -> bool {
        self.is_of(packet) && self.networks.are(packet.network)
    }

    /// Reads each part of it, so that all come into the cache at once. The result is of no use.
    pub fn approach(&self) -> u64 {
        let ways = self.ways.each_ref().map(Direction::approach);
        ways[0] ^ ways[1] ^ u64::from(self.number) ^ self.end as u64
    }

    /// Reads the lists of its directions likewise.
    pub fn approach_lists(&self) -> u64 {
        let ways = self.ways.each_ref().map(Direction::approach_lists);
        ways[0] ^ ways[1]
    }

    /// It was closed from both sides, or reset.
    pub fn closed(&self) -> bool {
        self.reset || self.ways.iter().all(|way| way.finished)
    }

    /// Ends it: no verdict on its retransmissions comes any more.
    pub fn end(mut self: Box<Self>, found: &mut Found) -> Connection {
        let closed = self.closed();
        self.end_strays();
        for way in &mut self.ways {
            way.settle(usize::MAX, &mut found.events);
        }
        Connection {
            number: self.number,
            opener: self.opener,
            answerer: self.answerer,
            start: self.start,
            end: self.end,
            handshake: self.handshake[0].get(),
            handshake_back: self.handshake[1].get(),
            opened: self.opened,
            closed,
            ways: self.ways.map(|way| Summary {
                window_limited: way.limit.map_or(0, |limit| limit.waited()),
                ..way.summary
            }),
        }
    }

    /// Gives back room that nothing needs any more.
    pub fn relax(&mut self, now: i64, found: &mut Found) {
        for way in &mut self.ways {
            way.settle_old(now, &mut found.events);
            way.recent.relax(now);
            way.board.relax();
            if way.stamps.is_empty() {
                way.stamps = VecDeque::new();
            }
        }
    }

    /// Takes in a packet. Tells whether it has come before, or is outside of every window.
    pub fn on_packet(&mut self, packet: &Packet, tcp: &Tcp, found: &mut Found) -> Again {
        let way = if packet.source == self.opener { Way::Forward } else { Way::Back };
        let again = self.again(packet, tcp, way as usize);
        if again == Again::No {
            if self.is_stray(packet, tcp, way as usize) {
                return self.on_stray(packet, tcp, way, found);
            }
            if self.strays.is_some() {
                self.on_sound(packet, tcp, way, found);
            }
        }
        self.take(packet, tcp, way, again, found);
        again
    }

    fn again(&mut self, packet: &Packet, tcp: &Tcp, at: usize) -> Again {
        let [forward, back] = &mut self.ways;
        let (own, other) = if at == 0 { (forward, back) } else { (back, forward) };
        own.recent.again(packet, tcp, Some(&other.recent))
    }

    /// Takes in a packet that belongs to the connection.
    fn take(&mut self, packet: &Packet, tcp: &Tcp, way: Way, again: Again, found: &mut Found) {
        let at = way as usize;
        self.end = self.end.max(packet.time);
        self.networks.add(at, packet.network);
        self.reset |= tcp.flags & flag::RST != 0;
        if again != Again::No {
            self.on_again(packet, tcp, way, again, found);
            if matches!(again, Again::Captured(_)) {
                return;
            }
        }
        self.ways[at].on_packet(packet, tcp);
        let event = if again == Again::No { self.on_bytes(packet, tcp, way, found) } else { None };
        if again == Again::No {
            let late = event.is_some_and(|event| found.events.get(event).is_some_and(|event| event.late));
            self.ways[at].recent.add(packet, tcp, event.is_some(), late);
        }
        let sampled = packet.payload > 0 || tcp.flags & (flag::SYN | flag::FIN) != 0;
        self.ways[at].on_stamp(packet.time, tcp, sampled && again == Again::No);
        self.on_ecn(packet, tcp, way);
        if tcp.flags & flag::ACK != 0 && tcp.flags & flag::RST == 0 {
            self.on_ack(packet, tcp, way, found);
            self.on_window(packet.time, tcp, way);
        }
        self.ways[at].window = Some(tcp.window);
    }

    pub(super) fn relative(&self, seq: u32, way: Way) -> u64 {
        let direction = &self.ways[way as usize];
        u64::from(direction.first.map_or(0, |first| seq.wrapping_sub(first)))
    }

    /// Takes in the bytes of a packet, and tells its event if it is one.
    fn on_bytes(&mut self, packet: &Packet, tcp: &Tcp, way: Way, found: &mut Found) -> Option<u64> {
        let passing = self.place(packet, tcp, way);
        let at = way as usize;
        let now = packet.time;
        let length = passing.end - passing.start;
        if tcp.flags & flag::SYN != 0 {
            self.ways[at].on_syn(now, tcp);
        }
        self.ways[at].on_first(passing.start);
        let high = self.ways[at].high.get();
        if self.is_probe(packet, tcp, &passing, at) {
            self.on_probe(packet, &passing, at);
            return None;
        }
        let counts = length > 0 && tcp.flags & flag::RST == 0;
        let mut kind = None;
        if counts && passing.repeat {
            kind = Some(self.kind(packet, tcp, way, &passing));
        }
        let needless = (kind.is_some() && self.arrived(way, &passing)).then_some(true);
        let copy_before = kind.and_then(|_| self.ways[at].board.passed(passing.start));
        if counts {
            self.push_segment(now, tcp, at, &passing);
        }
        if kind.is_none() && !passing.late {
            return None;
        }
        let event = Event {
            frame: packet.frame,
            time: now,
            connection: self.number,
            way,
            kind,
            needless,
            network_copy: false,
            late: passing.late,
            captured_again: false,
            seq: self.relative(tcp.seq, way),
            payload: packet.payload,
            copy_before,
        };
        let event = found.events.push(event, kind.is_some());
        self.count_event(at, kind, &passing, high);
        if kind.is_some() {
            let stamp = tcp.stamps.map(|stamps| stamps.0);
            let (start, end) = (passing.start, passing.end);
            let decided = needless.is_some();
            let pending = Pending {
                event,
                start,
                end,
                time: now,
                stamp,
                decided,
                reported: false,
                duplicate: (start, start),
            };
            self.ways[at].wait(pending, &mut found.events);
        }
        Some(event)
    }

    fn count_event(&mut self, at: usize, kind: Option<Kind>, passing: &Passing, high: Option<u64>) {
        let counters = self.ways[at].count();
        if passing.late {
            counters.late += 1;
            counters.late_by_bytes =
                counters.late_by_bytes.max(high.unwrap_or(0).saturating_sub(passing.start));
        }
        let Some(kind) = kind else { return };
        counters.retransmissions += 1;
        counters.gap_fills += u64::from(passing.fresh);
        *match kind {
            Kind::Syn => &mut counters.syns,
            Kind::SynAck => &mut counters.synacks,
            Kind::Fast => &mut counters.fast,
            Kind::Timeout => &mut counters.timeouts,
            Kind::AfterTimeout => &mut counters.after_timeouts,
            Kind::Probe => &mut counters.probes,
            Kind::Unknown => &mut counters.unknown,
        } += 1;
    }

    /// Least round trip over the whole path, of a direction's data.
    fn least_path(&self, way: Way) -> i64 {
        let [receiver, sender] = [way as usize, 1 - way as usize].map(|at| self.ways[at].least.get());
        match (receiver, sender) {
            (None, None) => ASSUMED_RTT,
            (receiver, sender) => receiver.unwrap_or(0) + sender.unwrap_or(0),
        }
    }

    /// The receiver has said already that it has these bytes.
    fn arrived(&self, way: Way, passing: &Passing) -> bool {
        let direction = &self.ways[way as usize];
        let acked = direction.acked.get().unwrap_or(passing.start).max(passing.start);
        passing.end <= acked || direction.board.sacked(acked, passing.end)
    }

    fn kind(&mut self, packet: &Packet, tcp: &Tcp, way: Way, passing: &Passing) -> Kind {
        if tcp.flags & flag::SYN != 0 {
            return if tcp.flags & flag::ACK != 0 { Kind::SynAck } else { Kind::Syn };
        }
        let at = way as usize;
        let sender_half = self.ways[1 - at].least.get().unwrap_or(0);
        let direction = &self.ways[at];
        let high = direction.high.get().unwrap_or(passing.end).max(passing.start + passing.unseen);
        let acked = direction.acked.get().unwrap_or(passing.start);
        let evidence = direction.board.any_sacked(acked) || direction.sender.duplicates > 0;
        let repeat = Repeat {
            now: packet.time,
            start: passing.start,
            end: passing.end,
            high,
            acked,
            silence: direction.silence(tcp),
            sender_half,
            rtt: direction.least.get().unwrap_or(0) + sender_half,
            sack: self.ways.iter().all(|way| way.sack_permitted),
            age: direction.board.repeated(passing.start).map(|time| packet.time - time),
            smoothed: direction.smoothed.get().unwrap_or(0) + sender_half,
            evidence,
            acks_pass: direction.acked.get().is_some(),
            hidden: passing.unseen > 0,
            near_receiver: direction.least.get().is_some_and(|least| least < sender_half),
        };
        self.ways[at].sender.on_repeat(&repeat)
    }

    /// Takes in the window that a packet offers for the other direction's data.
    fn on_window(&mut self, now: i64, tcp: &Tcp, way: Way) {
        let (own, other) = (self.ways[way as usize].scale, self.ways[1 - way as usize].scale);
        let shift = if tcp.flags & flag::SYN != 0 { 0 } else { own.shift(other) };
        let data = 1 - way as usize;
        self.ways[data].on_window(tcp.ack, u32::from(tcp.window) << shift);
        if own.is_known(other) && self.ways[data].summary.tally.data_packets() >= LEAST_LIMITED {
            let (half, path) = self.halves(data);
            let direction = &mut self.ways[data];
            if let Some(edge) = direction.edge.get() {
                direction.limit.get_or_insert_with(Box::default).on_window(now, edge, half, path);
            }
        }
    }

    /// Least round trips of a direction's data: between the point and its sender, and over the whole path.
    fn halves(&self, data: usize) -> (i64, i64) {
        let half = self.ways[1 - data].least.get().unwrap_or(0);
        (half, half + self.ways[data].least.get().unwrap_or(0))
    }

    /// Puts the bytes on the scoreboard, but for those that were acknowledged before they passed.
    fn push_segment(&mut self, now: i64, tcp: &Tcp, at: usize, passing: &Passing) {
        let (half, path) = self.halves(at);
        let direction = &mut self.ways[at];
        let stamp = tcp.stamps.map(|stamps| stamps.0);
        let (start, end) = (passing.start, passing.end);
        let segment = Segment::new(start, end, now, stamp, tcp.flags & flag::SYN != 0);
        let high = direction.high.get().unwrap_or(start);
        let acked = direction.acked.get().unwrap_or(0);
        if start >= high {
            if start > high {
                direction.count().holes += 1;
            }
            if start >= acked {
                direction.board.push(segment);
            } else {
                direction.on_early_ack(segment, acked, tcp.flags & flag::FIN != 0);
            }
        } else {
            let unacked = start.max(acked);
            if unacked < end.min(high) {
                direction.board.pass(segment.part(unacked, end.min(high)).filling());
            }
            if end > high {
                direction.board.push(segment.part(high, end).again());
            }
        }
        if end > high {
            if let Some(limit) = &mut direction.limit {
                limit.on_data(now, end, half, path);
            }
            direction.tail = (end - start) as u32;
        }
        let high = high.max(end);
        direction.high = Maybe::<u64>::new(high);
        direction.finished |= tcp.flags & flag::FIN != 0;
        if !passing.repeat {
            direction.sender.on_sent(now);
        }
        if let Some(acked) = direction.acked.get() {
            let flight = high.saturating_sub(acked);
            let offered = if direction.widest > 0 { u64::from(direction.widest) } else { u64::MAX };
            direction.summary.tally.in_flight(flight.min(offered));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn a_connection_is_small() {
        let size = std::mem::size_of::<State>();
        assert!(size <= 928, "{size}");
    }
}
