//! Connections drawn from a seed, as a point between sender and receiver sees them, and the truth about them: a model
//! receiver keeps which bytes it has.

#![allow(dead_code)]

use std::collections::BTreeMap;

use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::counters::Counters;
use parshall_capture::decode::{decode, Frame};
use parshall_capture::result::Finished;

pub const MS: i64 = 1_000_000;
pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const ACK: u8 = 16;

/// Numbers drawn from a seed.
#[derive(Clone)]
pub struct Drawn(pub u64);

impl Drawn {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A packet of TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    pub time: i64,
    pub forward: bool,
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    pub window: u16,
    pub payload: u32,
    pub sack: Vec<(u32, u32)>,
    pub stamps: Option<(u32, u32)>,
    pub id: u16,
    pub ttl: u8,
    pub interface: u32,
    /// Number of a retransmission, in `Link::needless`.
    pub repeat: Option<usize>,
}

/// Properties of a connection.
#[derive(Clone, Debug)]
pub struct Link {
    pub six: bool,
    pub ids: bool,
    pub stamps: bool,
    pub sack: bool,
    pub scale: u8,
    /// Part of the path in front of the point, in percent.
    pub place: i64,
    pub delay: i64,
    pub loss: u64,
    pub jitter: i64,
    /// Chance of a retransmission that nobody asked for, of any bytes, in percent.
    pub spurious: u64,
    pub window: u32,
    pub segments: u64,
}

impl Link {
    pub fn drawn(drawn: &mut Drawn) -> Self {
        Self {
            six: drawn.chance(40),
            ids: drawn.chance(50),
            stamps: drawn.chance(50),
            sack: drawn.chance(70),
            scale: drawn.below(4) as u8 * 2,
            place: drawn.below(11) as i64 * 10,
            delay: (1 + drawn.below(40)) as i64 * MS,
            loss: drawn.below(3) * 3,
            jitter: drawn.below(2) as i64 * 3 * MS,
            spurious: 0,
            window: 20_000 + drawn.below(40_000) as u32,
            segments: 20 + drawn.below(60),
        }
    }

    pub fn calm(drawn: &mut Drawn) -> Self {
        Self { loss: 0, jitter: 0, ..Self::drawn(drawn) }
    }
}

/// Packets that passed, in order. A retransmission is needless if all of its bytes were on earlier packets that arrived.
pub struct Passed {
    pub link: Link,
    pub segments: Vec<Segment>,
    pub needless: Vec<bool>,
    pub first: (u32, u32),
}

/// Bytes that a receiver has, as ranges.
#[derive(Clone, Default)]
struct Bytes(BTreeMap<u64, u64>);

impl Bytes {
    fn add(&mut self, mut from: u64, mut until: u64) {
        let touching: Vec<u64> =
            self.0.range(..=until).filter(|(_, end)| **end >= from).map(|(start, _)| *start).collect();
        for start in touching {
            let end = self.0.remove(&start).unwrap();
            (from, until) = (from.min(start), until.max(end));
        }
        self.0.insert(from, until);
    }

    fn has(&self, from: u64, until: u64) -> bool {
        from >= until || self.0.range(..=from).next_back().is_some_and(|(_, end)| *end >= until)
    }

    /// Behind the bytes without a hole from 0 on.
    fn next(&self) -> u64 {
        self.0.get(&0).copied().unwrap_or(0)
    }

    /// The part of a range that is there, if any: the first one.
    fn common(&self, from: u64, until: u64) -> Option<(u64, u64)> {
        self.0.iter().map(|(start, end)| (from.max(*start), until.min(*end))).find(|(start, end)| start < end)
    }
}

enum Step {
    Data { from: u64, until: u64, stamp: u32 },
    Answer { ack: u64 },
    Tick,
}

/// Draws a connection: a handshake, data in one direction with losses and retransmissions, and its end.
pub fn draw(link: &Link, drawn: &mut Drawn) -> Passed {
    let first = (
        drawn.below(1 << 32) as u32 | if drawn.chance(30) { 0xffff_8000 } else { 0 },
        drawn.below(1 << 32) as u32,
    );
    let mut out: Vec<Segment> = Vec::new();
    let clock = drawn.below(1 << 32) as u32;
    let stamp_at = move |time: i64| clock.wrapping_add((time / MS) as u32);
    let mut ids = [drawn.below(60_000) as u16, drawn.below(60_000) as u16];
    let link = link.clone();
    let path = 2 * link.delay;
    let before = link.delay * link.place / 100;
    let base = Segment {
        time: 0,
        forward: true,
        seq: first.0,
        ack: 0,
        flags: SYN,
        window: 64_000,
        payload: 0,
        sack: Vec::new(),
        stamps: None,
        id: 0,
        ttl: 60,
        interface: 0,
        repeat: None,
    };
    let mut next_id = |forward: bool| {
        let id = &mut ids[usize::from(!forward)];
        *id = (*id).wrapping_add(1).max(1);
        if link.ids {
            *id
        } else {
            0
        }
    };
    let stamps = |time: i64, echo: u32| link.stamps.then(|| (stamp_at(time), echo));
    out.push(Segment { time: before, id: next_id(true), stamps: stamps(0, 0), ..base.clone() });
    let answer = path - before;
    let offered = |free: u32| (free >> link.scale) as u16;
    out.push(Segment {
        time: answer,
        forward: false,
        seq: first.1,
        ack: first.0.wrapping_add(1),
        flags: SYN | ACK,
        window: link.window.min(65_000) as u16,
        id: next_id(false),
        stamps: stamps(link.delay, stamp_at(0)),
        ..base.clone()
    });
    let start = path;
    out.push(Segment {
        time: start + before,
        seq: first.0.wrapping_add(1),
        ack: first.1.wrapping_add(1),
        flags: ACK,
        id: next_id(true),
        stamps: stamps(start, stamp_at(link.delay)),
        ..base.clone()
    });
    let number = |at: u64| first.0.wrapping_add(1).wrapping_add(at as u32);
    let mss = 1000;
    let all = link.segments * mss;
    let mut queue: BTreeMap<(i64, u64), Step> = BTreeMap::new();
    let mut order = 0;
    let mut push = |queue: &mut BTreeMap<(i64, u64), Step>, time: i64, step: Step| {
        order += 1;
        queue.insert((time, order), step);
    };
    push(&mut queue, start + MS, Step::Tick);
    let (mut una, mut high, mut moved) = (0_u64, 0_u64, start);
    // What arrives, at once (`will`) and in time (`has`).
    let (mut will, mut has) = (Bytes::default(), Bytes::default());
    let mut needless = Vec::new();
    let (mut last_stamp, mut sent_ends) = (0_u32, start);
    while let Some(((now, _), step)) = queue.pop_first() {
        match step {
            Step::Tick => {
                if una >= all {
                    sent_ends = now;
                    continue;
                }
                let room = (una + u64::from(link.window)).min(una + 20 * mss);
                let repeat = if now - moved > path + 250 * MS {
                    moved = now;
                    Some((una, (una + 500 + drawn.below(1500)).min(high)))
                } else if high > 0 && drawn.chance(link.spurious) {
                    let from = una + drawn.below((high - una).max(1));
                    let from = if drawn.chance(30) { una } else { from };
                    Some((from, (from + 1 + drawn.below(2500)).min(high)))
                } else {
                    None
                };
                let (from, until) = match repeat {
                    Some((from, until)) if from < until => (from, until),
                    _ if high < all && high + mss <= room => (high, high + mss),
                    _ => {
                        push(&mut queue, now + 2 * MS, Step::Tick);
                        continue;
                    }
                };
                let again = from < high;
                let lost = drawn.chance(link.loss);
                let late = if link.jitter > 0 && drawn.chance(10) {
                    drawn.below(link.jitter as u64) as i64
                } else {
                    0
                };
                let lost_before = lost && drawn.chance(50);
                let index = again.then_some(needless.len());
                if again {
                    needless.push(will.has(from, until));
                }
                if !lost {
                    will.add(from, until);
                }
                let id = next_id(true);
                if !lost_before {
                    out.push(Segment {
                        time: now + before + late * link.place / 100,
                        seq: number(from),
                        ack: first.1.wrapping_add(1),
                        flags: ACK,
                        payload: (until - from) as u32,
                        id,
                        stamps: stamps(now, stamp_at(link.delay)),
                        repeat: index,
                        ..base.clone()
                    });
                }
                if !lost {
                    push(
                        &mut queue,
                        now + link.delay + late,
                        Step::Data { from, until, stamp: stamp_at(now) },
                    );
                }
                high = high.max(until);
                push(&mut queue, now + 20_000 + drawn.below(2 * MS as u64) as i64, Step::Tick);
            }
            Step::Data { from, until, stamp } => {
                let duplicate = has.common(from, until);
                let expected = has.next();
                has.add(from, until);
                let next = has.next();
                if from <= expected && next > expected || last_stamp == 0 {
                    last_stamp = stamp;
                }
                let mut sack = Vec::new();
                if link.sack {
                    sack.extend(duplicate.map(|(from, until)| (number(from), number(until))));
                    let above: Vec<(u64, u64)> =
                        has.0.iter().map(|(a, b)| (*a, *b)).filter(|(a, _)| *a > next).collect();
                    let mine = above.iter().filter(|(a, b)| *a <= from && until <= *b);
                    let others = above.iter().filter(|(a, b)| !(*a <= from && until <= *b));
                    sack.extend(
                        mine.chain(others).take(3 - sack.len()).map(|(a, b)| (number(*a), number(*b))),
                    );
                }
                out.push(Segment {
                    time: now + link.delay - before,
                    forward: false,
                    seq: first.1.wrapping_add(1),
                    ack: number(next),
                    flags: ACK,
                    window: offered(link.window),
                    id: next_id(false),
                    sack,
                    stamps: stamps(now, last_stamp),
                    ..base.clone()
                });
                push(&mut queue, now + link.delay, Step::Answer { ack: next });
            }
            Step::Answer { ack } => {
                if ack > una {
                    (una, moved) = (ack, now);
                }
            }
        }
    }
    for (forward, flags, seq, ack, later) in [
        (true, FIN | ACK, number(all), first.1.wrapping_add(1), before),
        (false, FIN | ACK, first.1.wrapping_add(1), number(all + 1), path - before),
        (true, ACK, number(all + 1), first.1.wrapping_add(2), path + before),
    ] {
        let window = if forward { 64_000 } else { offered(link.window) };
        let time = sent_ends + path + later;
        out.push(Segment {
            time,
            forward,
            seq,
            ack,
            flags,
            window,
            id: next_id(forward),
            stamps: stamps(time, 0),
            ..base.clone()
        });
    }
    out.sort_by_key(|each| each.time);
    Passed { link, segments: out, needless, first }
}

/// The bytes of a packet of IP.
pub fn bytes(link: &Link, segment: &Segment) -> Vec<u8> {
    let mut options: Vec<u8> = Vec::new();
    if segment.flags & SYN != 0 {
        options.extend([2, 4, 3, 232, 1, 3, 3, link.scale]);
        if link.sack {
            options.extend([1, 1, 4, 2]);
        }
    }
    if let Some((value, echo)) = segment.stamps {
        options.extend([1, 1, 8, 10]);
        options.extend(value.to_be_bytes());
        options.extend(echo.to_be_bytes());
    }
    if !segment.sack.is_empty() {
        options.extend([1, 1, 5, 2 + 8 * segment.sack.len() as u8]);
        for (from, until) in &segment.sack {
            options.extend(from.to_be_bytes());
            options.extend(until.to_be_bytes());
        }
    }
    let mut tcp = if segment.forward { vec![0x9c, 0x40, 0, 80] } else { vec![0, 80, 0x9c, 0x40] };
    tcp.extend(segment.seq.to_be_bytes());
    tcp.extend(segment.ack.to_be_bytes());
    tcp.extend([((20 + options.len()) / 4 * 16) as u8, segment.flags]);
    tcp.extend(segment.window.to_be_bytes());
    tcp.extend([0; 4]);
    tcp.extend(options);
    let wire = tcp.len() + segment.payload as usize;
    let (from, to) = if segment.forward { (1, 2) } else { (2, 1) };
    let mut data = if link.six {
        let mut head = vec![0x60, 0, 0, 0];
        head.extend((wire as u16).to_be_bytes());
        head.extend([6, segment.ttl]);
        for end in [from, to] {
            head.extend([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, end]);
        }
        head
    } else {
        let mut head = vec![0x45, 0];
        head.extend((20 + wire as u16).to_be_bytes());
        head.extend(segment.id.to_be_bytes());
        head.extend([0x40, 0, segment.ttl, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, to]);
        head
    };
    data.extend(tcp);
    data
}

/// The analysis of what passed.
pub fn analysed(link: &Link, segments: &[Segment]) -> Finished {
    let mut analysis = Analysis::new(Settings::default());
    for (at, segment) in segments.iter().enumerate() {
        let data = bytes(link, segment);
        let frame = Frame {
            number: at as u64 + 1,
            time: segment.time,
            interface: segment.interface,
            link: 101,
            data: &data,
            wire: data.len() as u32 + segment.payload,
            lacks: None,
        };
        analysis.push(&decode(&frame));
    }
    analysis.finish()
}

/// Counters of both directions of the only connection.
pub fn counters(found: &Finished) -> [Counters; 2] {
    assert_eq!(found.rows.connections.len(), 1);
    found.rows.connections[0].ways.each_ref().map(|way| way.tally.counters())
}

/// Samples and events by their times, without the numbers of frames, which are others where frames are added.
pub fn told(found: &Finished) -> String {
    let connections = found.rows.connections.iter().map(|each| {
        let ways = each.ways.each_ref().map(|way| way.tally.counters());
        (each.start, each.end, each.handshake, each.handshake_back, each.opened, each.closed, ways)
    });
    let samples = found
        .rows
        .samples
        .iter()
        .map(|each| (each.time, each.way, each.half, each.method, each.rtt, each.until));
    let events = found.rows.events.iter().filter(|each| each.kind.is_some() || each.late);
    let events =
        events.map(|each| (each.time, each.way, each.kind, each.needless, each.late, each.seq, each.payload));
    format!(
        "{:#?}\n{:#?}\n{:#?}",
        connections.collect::<Vec<_>>(),
        samples.collect::<Vec<_>>(),
        events.collect::<Vec<_>>()
    )
}
