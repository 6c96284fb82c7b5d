//! Rows may be taken as packets come: together they are those of an analysis that kept them all. What is over ends by itself.

use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::decode::{decode, Frame};
use parshall_capture::result::{Finished, Rows};

const MS: i64 = 1_000_000;

/// Numbers drawn from a seed.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A packet of IPv4 between two hosts, to port 80 of the second.
fn packet(protocol: u8, forward: bool, port: u8, rest: &[u8]) -> Vec<u8> {
    let mut data = vec![0x45, 0, 0, 20 + 4 + rest.len() as u8, 0, 0, 0x40, 0, 64, protocol, 0, 0];
    let ends = [[10, 0, 0, 1], [10, 0, 0, 2]];
    let ports = [[4, port], [0, 80]];
    let (from, to) = if forward { (0, 1) } else { (1, 0) };
    data.extend(ends[from].iter().chain(&ends[to]).chain(&ports[from]).chain(&ports[to]));
    data.extend(rest);
    data
}

fn segment(forward: bool, port: u8, numbers: (u32, u32), flags: u8, payload: usize) -> Vec<u8> {
    let mut rest = numbers.0.to_be_bytes().to_vec();
    rest.extend(numbers.1.to_be_bytes());
    rest.extend([0x50, flags, 1, 0, 0, 0, 0, 0]);
    rest.extend(vec![0; payload]);
    packet(6, forward, port, &rest)
}

struct Fed {
    analysis: Analysis,
    frames: u64,
}

impl Fed {
    fn new(most_flows: usize) -> Self {
        Self { analysis: Analysis::new(Settings { most_flows, ..Settings::default() }), frames: 0 }
    }

    fn push(&mut self, time: i64, data: &[u8]) {
        self.frames += 1;
        let (number, wire) = (self.frames, data.len() as u32);
        self.analysis.push(&decode(&Frame {
            number,
            time,
            interface: 0,
            link: 101,
            data,
            wire,
            lacks: None,
        }));
    }

    fn finish(self) -> Finished {
        self.analysis.finish()
    }
}

/// Segments, of which many repeat bytes, and datagrams, of few hosts; `between` is called after each.
fn feed(fed: &mut Fed, mut between: impl FnMut(&mut Analysis)) {
    let mut drawn = Drawn(7);
    let mut time = 0;
    for _ in 0..20_000 {
        time += drawn.below(40) as i64 * MS;
        let (port, forward) = (drawn.below(9) as u8, drawn.below(3) > 0);
        let numbers = (drawn.below(40) as u32 * 10, drawn.below(40) as u32 * 10);
        let data = match drawn.below(40) {
            0 => segment(forward, port, numbers, 2, 0),
            1 => segment(forward, port, numbers, 17, 0),
            2..=5 => packet(17, forward, port, &[0, 12, 0, 0, 0x40, 1, 2, 3]),
            _ => segment(forward, port, numbers, 16, 10),
        };
        fed.push(time, &data);
        between(&mut fed.analysis);
    }
}

fn said(rows: &Rows) -> [String; 5] {
    [
        format!("{:?}", rows.connections),
        format!("{:?}", rows.events),
        format!("{:?}", rows.samples),
        format!("{:?}", rows.datagrams),
        format!("{:?}", rows.spun),
    ]
}

fn join(to: &mut Rows, rows: Rows) {
    to.connections.extend(rows.connections);
    to.events.extend(rows.events);
    to.samples.extend(rows.samples);
    to.datagrams.extend(rows.datagrams);
    to.spun.extend(rows.spun);
}

#[test]
fn rows_taken_early_are_those_of_the_end() {
    for most_flows in [4, 1000] {
        let mut whole = Fed::new(most_flows);
        feed(&mut whole, |_| {});
        let whole = whole.finish();
        assert!(whole.rows.events.iter().any(|event| event.needless == Some(true)));
        assert!(whole.rows.connections.len() > 20 && whole.rows.samples.len() > 100);
        for every in [1, 97, 5000] {
            let (mut fed, mut found, mut count, mut early) = (Fed::new(most_flows), Rows::default(), 0, 0);
            feed(&mut fed, |analysis| {
                count += 1;
                if count % every == 0 {
                    join(&mut found, analysis.rows());
                    early = found.events.len();
                }
            });
            assert!(early > whole.rows.events.len() / 2);
            while fed.analysis.end(3) {
                join(&mut found, fed.analysis.rows());
            }
            let rest = fed.finish();
            assert_eq!(rest.totals, whole.totals);
            join(&mut found, rest.rows);
            found.sort();
            assert!(said(&found) == said(&whole.rows), "{most_flows} {every}");
        }
    }
}

#[test]
fn a_connection_that_was_closed_ends_after_long_silence_and_an_open_one_does_not() {
    for (closed, numbers) in [(true, vec![1, 2]), (false, vec![1])] {
        let mut fed = Fed::new(1000);
        let mut time = 0;
        let flags = if closed { 17 } else { 16 };
        for (forward, flags) in [(true, 2), (false, 18), (true, flags), (false, flags)] {
            time += 10 * MS;
            let start = if flags & 2 == 0 { 1 } else { 0 };
            fed.push(time, &segment(forward, 1, (start, 1), flags, 0));
        }
        for port in 0..200 {
            // Others, so that time goes on.
            time += 2000 * MS;
            fed.push(time, &segment(true, 2 + port % 2, (1 + u32::from(port) * 10, 1), 16, 10));
        }
        let ended = fed.analysis.rows().connections;
        assert_eq!(
            ended.iter().map(|ended| (ended.number, ended.closed)).collect::<Vec<_>>(),
            if closed { vec![(1, true)] } else { vec![] }
        );
        fed.push(time, &segment(true, 1, (2, 2), 16, 10));
        let rows = fed.finish().rows;
        let own = ended.iter().chain(&rows.connections).filter(|each| each.opener.port == 4 * 256 + 1);
        assert_eq!(own.count(), numbers.len());
    }
}

#[test]
fn of_too_many_flows_the_oldest_connection_and_the_most_silent_datagrams_go() {
    let mut fed = Fed::new(2);
    for (at, port) in [1_u8, 2, 1, 3].into_iter().enumerate() {
        fed.push(at as i64 * MS, &packet(17, true, port, &[0, 12, 0, 0, 1, 2, 3, 4]));
    }
    let found = fed.finish();
    assert_eq!(found.totals.dropped_flows, 1);
    let packets: Vec<(u16, u64)> =
        found.rows.datagrams.iter().map(|flow| (flow.source.port & 255, flow.packets)).collect();
    assert_eq!(packets, [(1, 2), (2, 1), (3, 1)]);
}
