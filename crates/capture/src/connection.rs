//! A connection: two directions, each of which answers the other.

mod answers;

use crate::direction::{newer, Direction, Pending};
use crate::packet::{flag, Endpoint, Packet, Tcp};
use crate::recent::Again;
use crate::result::{Event, Kind, Sample, Way};
use crate::scoreboard::Segment;
use crate::sender::{Repeat, SHORTEST_TIMEOUT};

/// Round trip that is assumed while none is known, in nanoseconds.
const ASSUMED_RTT: i64 = 3_000_000;

/// Shortest least round trip by which retransmissions are judged: hosts take tens of microseconds to answer.
const SHORTEST_TOLD: i64 = 1_000_000;

/// Where samples and events go.
#[derive(Debug, Default)]
pub struct Found {
    /// Samples of round trips.
    pub samples: Vec<Sample>,
    /// Events of frames.
    pub events: Vec<Event>,
}

/// State of a connection.
#[derive(Debug)]
pub struct State {
    /// From 1.
    pub number: u32,
    /// Who opened it.
    pub opener: Endpoint,
    /// The other.
    pub answerer: Endpoint,
    /// First packet.
    pub start: i64,
    /// Last packet.
    pub end: i64,
    /// The SYN, or its answer, passed: who opened it is known.
    pub opened: bool,
    /// A reset passed.
    pub reset: bool,
    /// Round trips of the handshake: to who answers, and to who opened.
    pub handshake: [Option<i64>; 2],
    /// Both directions, forward first.
    pub ways: [Direction; 2],
}

/// Where the bytes of a packet stand among those that passed before.
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

/// Least silence in front of a retransmission of which no copy passed, in nanoseconds: it looks like new data.
const HIDDEN_SILENCE: i64 = 30_000_000;

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
            handshake: [None; 2],
            // Who missed the SYNs takes it that both sides have SACK, as nearly all do.
            ways: [Direction::new(!syn), Direction::new(!syn)],
        }
    }

    /// A SYN that cannot belong to this connection: it begins another.
    pub fn ended_by(&self, packet: &Packet, tcp: &Tcp) -> bool {
        if tcp.flags & (flag::SYN | flag::ACK) != flag::SYN {
            return false;
        }
        let way = usize::from(packet.source != self.opener);
        match self.ways[way].first {
            Some(first) => first != tcp.seq,
            None => self.ways[way].high.is_some() || self.ways[1 - way].first.is_none(),
        }
    }

    /// Takes in a packet.
    pub fn on_packet(&mut self, packet: &Packet, tcp: &Tcp, found: &mut Found) {
        let way = if packet.source == self.opener { Way::Forward } else { Way::Back };
        let at = way as usize;
        self.end = self.end.max(packet.time);
        self.reset |= tcp.flags & flag::RST != 0;
        let again = self.ways[at].recent.again(packet, tcp);
        if again != Again::No {
            self.on_again(packet, tcp, way, again, found);
            if matches!(again, Again::Captured(_)) {
                return;
            }
        }
        self.ways[at].on_packet(packet, tcp);
        let event = if again == Again::No { self.on_bytes(packet, tcp, way, found) } else { None };
        if again == Again::No {
            let late = event.is_some_and(|event| found.events[event].late);
            let sent = if late { 0 } else { self.ways[at].high.unwrap_or(0).max(self.ways[at].told) };
            self.ways[at].recent.add(packet, tcp, sent, event);
        }
        let sampled = packet.payload > 0 || tcp.flags & (flag::SYN | flag::FIN) != 0;
        self.ways[at].on_stamp(packet.time, tcp, sampled && again == Again::No);
        if tcp.flags & flag::ACK != 0 && tcp.flags & flag::RST == 0 {
            self.on_ack(packet, tcp, way, found);
        }
        self.ways[at].window = Some(tcp.window);
    }

    /// A packet that was here before.
    fn on_again(&mut self, packet: &Packet, tcp: &Tcp, way: Way, again: Again, found: &mut Found) {
        let (twin, copied) = match again {
            Again::Copied(twin) => (twin, true),
            Again::Captured(twin) => (twin, false),
            Again::No => return,
        };
        let counters = self.ways[way as usize].count();
        if copied {
            counters.network_copies += 1;
        } else {
            counters.captured_again += 1;
            if twin.is_none() {
                return;
            }
        }
        let first = twin.map(|twin| found.events[twin]);
        found.events.push(Event {
            frame: packet.frame,
            time: packet.time,
            connection: self.number,
            way,
            kind: first.and_then(|first| first.kind),
            needless: None,
            network_copy: copied || first.is_some_and(|first| first.network_copy),
            late: !copied && first.is_some_and(|first| first.late),
            captured_again: !copied,
            seq: self.relative(tcp.seq, way),
            payload: packet.payload,
            twin,
        });
    }

    pub(super) fn relative(&self, seq: u32, way: Way) -> u64 {
        let direction = &self.ways[way as usize];
        u64::from(direction.first.map_or(0, |first| seq.wrapping_sub(first)))
    }

    /// Takes in the bytes of a packet, and tells its event if it is one.
    fn on_bytes(&mut self, packet: &Packet, tcp: &Tcp, way: Way, found: &mut Found) -> Option<usize> {
        let passing = self.place(packet, tcp, way);
        let at = way as usize;
        let now = packet.time;
        let length = passing.end - passing.start;
        if tcp.flags & flag::SYN != 0 {
            self.ways[at].first.get_or_insert(tcp.seq);
            self.ways[at].syns.push((now, tcp.stamps.map(|stamps| stamps.0)));
        }
        let high = self.ways[at].high;
        let other_window = self.ways[1 - at].window;
        if self.is_probe(packet, tcp, &passing, high, other_window) {
            self.ways[at].count().keep_alives += 1;
            return None;
        }
        let counts = length > 0 && tcp.flags & flag::RST == 0;
        let mut kind = None;
        if counts && passing.repeat {
            kind = Some(self.kind(packet, tcp, way, &passing));
        }
        let needless = (kind.is_some() && self.arrived(way, &passing)).then_some(true);
        if counts {
            self.note(now, tcp, at, &passing);
        }
        if kind.is_none() && !passing.late {
            return None;
        }
        let event = found.events.len();
        found.events.push(Event {
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
            twin: None,
        });
        self.count_event(at, kind, &passing, high);
        if kind.is_some() {
            let stamp = tcp.stamps.map(|stamps| stamps.0);
            let (start, end) = (passing.start, passing.end);
            let decided = needless.is_some();
            self.ways[at].wait(Pending { event, start, end, time: now, stamp, decided, reported: false });
        }
        Some(event)
    }

    fn is_probe(
        &self,
        packet: &Packet,
        tcp: &Tcp,
        passing: &Passing,
        high: Option<u64>,
        window: Option<u16>,
    ) -> bool {
        let Some(high) = high else { return false };
        if tcp.flags & (flag::SYN | flag::FIN | flag::RST) != 0 || tcp.flags & flag::ACK == 0 {
            return false;
        }
        let before = passing.start + 1 == high;
        (packet.payload == 0 && before) || (packet.payload == 1 && before && window == Some(0))
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

    /// Finds out where the bytes of a packet belong.
    fn place(&mut self, packet: &Packet, tcp: &Tcp, way: Way) -> Passing {
        let direction = &mut self.ways[way as usize];
        let start = direction.advance(tcp.seq);
        let ends = u64::from(tcp.flags & flag::SYN != 0) + u64::from(tcp.flags & flag::FIN != 0);
        let end = start + u64::from(packet.payload) + ends;
        let Some(high) = direction.high else {
            let repeat = self.answers_again(tcp, way);
            return Passing { start, end, late: false, repeat, fresh: true, unseen: 0 };
        };
        let ahead = direction.recent.ahead(packet.id);
        let late = ahead.is_some_and(|ahead| ahead < 0);
        if end > start && start >= high && start < direction.told && !late {
            let unseen = direction.told - start;
            return Passing { start, end, late, repeat: true, fresh: true, unseen };
        }
        if start >= high || end == start {
            if end == start && tcp.flags & (flag::SYN | flag::RST) == 0 {
                direction.told = direction.told.max(start);
            }
            let unseen = if end > start { self.hidden(packet, tcp, way, start - high) } else { 0 };
            return Passing { start, end, late, repeat: unseen > 0, fresh: true, unseen };
        }
        let direction = &self.ways[way as usize];
        let known = direction.acked.is_some_and(|acked| start < acked)
            || direction.board.touches(start, end.min(high));
        let (late, repeat) = match ahead {
            Some(ahead) if ahead < 0 => {
                let before = direction.recent.sent_before(packet.id.unwrap_or(0));
                (true, before.is_some_and(|before| before > start))
            }
            Some(_) => (false, true),
            None => {
                let late = self.late_by_time(packet, tcp, way, start, known);
                (late, !late)
            }
        };
        Passing { start, end, late, repeat, fresh: !known, unseen: 0 }
    }

    /// A SYN with ACK whose first copy did not pass: it answers a SYN before the last one.
    fn answers_again(&self, tcp: &Tcp, way: Way) -> bool {
        let syns = &self.ways[1 - way as usize].syns;
        let (Some((_, echo)), [.., (_, Some(last))]) = (tcp.stamps, syns.as_slice()) else { return false };
        let answer = tcp.flags & (flag::SYN | flag::ACK) == flag::SYN | flag::ACK;
        answer && syns.len() > 1 && newer(*last, echo)
    }

    /// Bytes that were sent and did not pass in front of a packet that looks new and is a retransmission: its sender was
    /// silent for long, and more packets are missing than the bytes that are missing can fill. Zero if it is new.
    fn hidden(&self, packet: &Packet, tcp: &Tcp, way: Way, hole: u64) -> u64 {
        let direction = &self.ways[way as usize];
        let missing = direction.recent.ahead(packet.id).map_or(0, |ahead| i64::from(ahead) - 1);
        let size = u64::from(direction.largest.max(packet.payload).max(1));
        if missing <= hole.div_ceil(size) as i64 || !direction.recent.counts() || direction.joined() {
            return 0;
        }
        let heard = self.ways[1 - way as usize].recent.last_time().unwrap_or(packet.time);
        let sender_half = self.ways[1 - way as usize].least.unwrap_or(0);
        let path = direction.least.unwrap_or(0) + sender_half;
        let unheard = packet.time - heard - sender_half;
        let silence = direction.silence(tcp).map_or(unheard, |silence| silence.min(unheard));
        // A sender with a single segment on its way waits for a delayed ACK, too.
        let single = hole == 0 && direction.acked == direction.high;
        let least = if single { SHORTEST_TIMEOUT } else { HIDDEN_SILENCE.max(path + path / 3) };
        if silence < least {
            return 0;
        }
        missing as u64 * size
    }

    /// Tells a late packet from a retransmission where numbers of IP do not: by time stamps, and by time itself.
    fn late_by_time(&self, packet: &Packet, tcp: &Tcp, way: Way, start: u64, known: bool) -> bool {
        let direction = &self.ways[way as usize];
        let Some(above) = direction.board.above(start) else { return false };
        if let (Some((value, _)), Some(first)) = (tcp.stamps, above.last_stamp) {
            if value != first {
                return newer(first, value);
            }
        }
        !known && packet.time - above.first < self.least_path(way) * 6 / 10
    }

    /// Least round trip over the whole path, of a direction's data.
    fn least_path(&self, way: Way) -> i64 {
        let [receiver, sender] = [way as usize, 1 - way as usize].map(|at| self.ways[at].least);
        match (receiver, sender) {
            (None, None) => ASSUMED_RTT,
            (receiver, sender) => receiver.unwrap_or(0) + sender.unwrap_or(0),
        }
    }

    /// The receiver has said already that it has these bytes.
    fn arrived(&self, way: Way, passing: &Passing) -> bool {
        let direction = &self.ways[way as usize];
        direction.acked.is_some_and(|acked| passing.end <= acked)
            || direction.board.sacked(passing.start, passing.end)
    }

    fn kind(&mut self, packet: &Packet, tcp: &Tcp, way: Way, passing: &Passing) -> Kind {
        if tcp.flags & flag::SYN != 0 {
            return if tcp.flags & flag::ACK != 0 { Kind::SynAck } else { Kind::Syn };
        }
        let at = way as usize;
        let sender_half = self.ways[1 - at].least.unwrap_or(0);
        let direction = &self.ways[at];
        let high = direction.high.unwrap_or(passing.end).max(passing.start + passing.unseen);
        let acked = direction.acked.unwrap_or(passing.start);
        let evidence = direction.board.any_sacked(acked) || direction.sender.duplicates > 0;
        let repeat = Repeat {
            now: packet.time,
            start: passing.start,
            end: passing.end,
            high,
            acked,
            silence: direction.silence(tcp),
            sender_half,
            rtt: direction.least.unwrap_or(0) + sender_half,
            sack: self.ways.iter().all(|way| way.sack_permitted),
            age: direction.board.repeated(passing.start).map(|time| packet.time - time),
            smoothed: direction.smoothed.unwrap_or(0) + sender_half,
            evidence,
            acks_pass: direction.acked.is_some(),
            hidden: passing.unseen > 0,
            near_receiver: direction.least.is_some_and(|least| least < sender_half),
        };
        self.ways[at].sender.on_repeat(&repeat)
    }

    /// Puts the bytes on the scoreboard.
    fn note(&mut self, now: i64, tcp: &Tcp, at: usize, passing: &Passing) {
        let direction = &mut self.ways[at];
        let stamp = tcp.stamps.map(|stamps| stamps.0);
        let segment = Segment {
            start: passing.start,
            end: passing.end,
            first: now,
            last: now,
            first_stamp: stamp,
            last_stamp: stamp,
            repeated: false,
            filled: false,
            sacked: false,
            syn: tcp.flags & flag::SYN != 0,
        };
        let high = direction.high.unwrap_or(passing.start);
        if passing.start >= high {
            direction.summary.counters.holes += u64::from(passing.start > high);
            direction.board.push(segment);
        } else {
            let start = passing.start.max(direction.acked.unwrap_or(0));
            if start < passing.end.min(high) {
                direction.board.pass(Segment { start, end: passing.end.min(high), filled: true, ..segment });
            }
            if passing.end > high {
                direction.board.push(Segment { start: high, repeated: true, ..segment });
            }
        }
        direction.high = Some(high.max(passing.end));
        direction.finished |= tcp.flags & flag::FIN != 0;
        if !passing.repeat {
            direction.sender.on_sent(now);
        }
        if let Some(acked) = direction.acked {
            let flight = direction.high.unwrap_or(0).saturating_sub(acked);
            let counters = &mut direction.summary.counters;
            counters.max_in_flight = counters.max_in_flight.max(flight);
        }
    }
}
