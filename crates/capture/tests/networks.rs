//! Connections with the same addresses and ports are told apart by the networks that their packets belong to, however these are
//! marked; and one connection stays one, however its directions are.

use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::decode::{decode, Frame};
use parshall_capture::result::Finished;

/// Numbers drawn from a seed.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

type Step = (bool, Vec<u8>);

/// A connection of a handshake and six segments with their ACKs: whether each packet goes forward, and its bytes.
fn connection(first: (u32, u32), mut id: u16, opens: bool) -> Vec<Step> {
    let (mine, theirs) = (first.0.wrapping_add(1), first.1.wrapping_add(1));
    let mut steps = Vec::new();
    let mut push = |forward: bool, seq: u32, ack: u32, flags: u8, payload: usize| {
        id = id.wrapping_add(1);
        let (ends, ports) = ([[10, 0, 0, 1], [10, 0, 0, 2]], [[0x9c, 0x40], [0, 80]]);
        let (from, to) = if forward { (0, 1) } else { (1, 0) };
        let length = (40 + payload as u16).to_be_bytes();
        let [high, low] = id.to_be_bytes();
        let mut data = vec![0x45, 0, length[0], length[1], high, low, 0x40, 0, 64, 6, 0, 0];
        data.extend(ends[from].iter().chain(&ends[to]).chain(&ports[from]).chain(&ports[to]));
        data.extend(seq.to_be_bytes().iter().chain(&ack.to_be_bytes()));
        data.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
        data.extend(vec![0; payload]);
        steps.push((forward, data));
    };
    if opens {
        push(true, mine.wrapping_sub(1), 0, 2, 0);
        push(false, theirs.wrapping_sub(1), mine, 18, 0);
        push(true, mine, theirs, 16, 0);
    }
    for at in 0..6 {
        let seq = mine.wrapping_add(1000 * at);
        push(true, seq, theirs, 16, 1000);
        push(false, theirs, seq.wrapping_add(1000), 16, 0);
    }
    steps
}

fn ethernet(kind: u16, rest: &[u8]) -> Vec<u8> {
    [&[2; 12], &kind.to_be_bytes()[..], rest].concat()
}

fn vlan(number: u16, rest: &[u8]) -> Vec<u8> {
    ethernet(0x8100, &[&number.to_be_bytes()[..], &[8, 0], rest].concat())
}

/// A frame of an outer packet between two routers.
fn outer(protocol: u8, routers: (u8, u8), rest: &[u8]) -> Vec<u8> {
    let length = (20 + rest.len() as u16).to_be_bytes();
    let mut head = vec![0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0];
    head.extend([192, 0, 2, routers.0, 192, 0, 2, routers.1]);
    ethernet(0x0800, &[&head[..], rest].concat())
}

fn datagram(port: u16, rest: &[u8]) -> Vec<u8> {
    let length = (8 + rest.len() as u16).to_be_bytes();
    [&[0xc0, 0, (port >> 8) as u8, port as u8][..], &length, &[0, 0], rest].concat()
}

/// A mark of a network: the frame of a packet in network `number`, 1 to 9, that goes forward or back.
type Mark = fn(number: u8, forward: bool, packet: &[u8]) -> Vec<u8>;

/// Outer addresses of a tunnel, which change places between directions.
fn routers(forward: bool, other: u8) -> (u8, u8) {
    if forward {
        (100, other)
    } else {
        (other, 100)
    }
}

const MARKS: [(&str, Mark); 12] = [
    ("VLAN", |number, _, packet| vlan(number.into(), packet)),
    ("inner VLAN of two", |number, _, packet| {
        let inner = vlan(number.into(), packet);
        ethernet(0x88a8, &[&[0, 7][..], &inner[12..]].concat())
    }),
    ("outer VLAN of two", |number, _, packet| {
        let inner = vlan(7, packet);
        ethernet(0x88a8, &[&[0, number][..], &inner[12..]].concat())
    }),
    ("MPLS", |number, _, packet| ethernet(0x8847, &[&[0, number, 1, 64][..], packet].concat())),
    ("outer label of two", |number, _, packet| {
        ethernet(0x8847, &[&[0, number, 0, 64, 0, 0x10, 1, 64][..], packet].concat())
    }),
    ("VXLAN", |number, forward, packet| {
        let header = [8, 0, 0, 0, 0, 0, number, 0];
        let inner = ethernet(0x0800, packet);
        outer(17, routers(forward, 1), &datagram(4789, &[&header[..], &inner].concat()))
    }),
    ("Geneve", |number, forward, packet| {
        let header = [0, 0, 8, 0, 0, 0, number, 0];
        outer(17, routers(forward, 1), &datagram(6081, &[&header[..], packet].concat()))
    }),
    ("GRE key", |number, forward, packet| {
        outer(47, routers(forward, 1), &[&[0x20, 0, 8, 0, 0, 0, 0, number][..], packet].concat())
    }),
    ("ends of GRE", |number, forward, packet| {
        outer(47, routers(forward, number), &[&[0, 0, 8, 0][..], packet].concat())
    }),
    ("IP in IP", |number, forward, packet| outer(4, routers(forward, number), packet)),
    ("PPPoE", |number, _, packet| {
        ethernet(0x8864, &[&[0x11, 0, 0, number, 0, 60, 0, 0x21][..], packet].concat())
    }),
    ("VLAN in ERSPAN", |number, forward, packet| {
        let inner = ethernet(0x0800, packet);
        let header = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, number, 0, 1, 0, 0, 0, 0];
        outer(47, routers(forward, 1), &[&header[..], &inner].concat())
    }),
];

const PLAIN: Mark = |_, _, packet| ethernet(0x0800, packet);

/// Frames of several connections in turn, drawn so that those of each stay in order.
fn read(drawn: &mut Drawn, connections: Vec<Vec<Vec<u8>>>) -> Finished {
    let mut left: Vec<_> = connections.into_iter().map(Vec::into_iter).collect();
    let mut analysis = Analysis::new(Settings::default());
    let mut number = 0;
    while !left.is_empty() {
        let at = drawn.below(left.len());
        let Some(data) = left[at].next() else {
            left.remove(at);
            continue;
        };
        number += 1;
        let (time, wire) = (number as i64 * 7_000_000, data.len() as u32);
        analysis.push(&decode(&Frame {
            number,
            time,
            interface: 0,
            link: 1,
            data: &data,
            wire,
            lacks: None,
        }));
    }
    analysis.finish()
}

fn check(found: &Finished, connections: usize, what: &str) {
    let rows: Vec<_> = found
        .rows
        .connections
        .iter()
        .map(|row| row.ways.each_ref().map(|way| way.tally.counters()))
        .collect();
    assert_eq!(rows.len(), connections, "{what}");
    for [forward, back] in rows {
        assert_eq!((forward.data_bytes, forward.retransmissions), (6000, 0), "{what}");
        assert_eq!((forward.missing_bytes, back.missing_bytes), (0, 0), "{what}");
        assert_eq!((back.data_bytes, back.packets >= 6), (0, true), "{what}");
    }
    assert_eq!(found.totals.shared_ends, connections as u64 - 1, "{what}");
}

fn marked(steps: &[Step], mark: Mark, number: u8) -> Vec<Vec<u8>> {
    steps.iter().map(|(forward, packet)| mark(number, *forward, packet)).collect()
}

fn first(drawn: &mut Drawn) -> (u32, u32) {
    (drawn.below(1 << 32) as u32, drawn.below(1 << 32) as u32)
}

#[test]
fn networks_with_the_same_addresses_are_told_apart() {
    let mut drawn = Drawn(3);
    for (name, mark) in MARKS {
        for round in 0..20 {
            let number = 2 + drawn.below(2);
            // Numbers of the first may be near to those of the next, as in captures that are made by hand.
            let near = first(&mut drawn);
            let connections = (0..number).map(|at| {
                let opens = round % 2 == 0;
                let numbers =
                    if opens { (near.0.wrapping_add(at as u32 * 77_777), near.1) } else { first(&mut drawn) };
                marked(&connection(numbers, 1000 * at as u16, opens), mark, at as u8 + 1)
            });
            let connections = connections.collect();
            check(&read(&mut drawn, connections), number, &format!("{name}, round {round}"));
        }
    }
}

#[test]
fn a_connection_whose_directions_are_marked_differently_is_one() {
    let mut drawn = Drawn(4);
    for (name, mark) in MARKS {
        for round in 0..10 {
            let steps = connection(first(&mut drawn), 1, round % 2 == 0);
            let differ = |numbers: [u8; 2]| -> Vec<Vec<u8>> {
                let frame = |(forward, packet): &Step| match numbers[usize::from(*forward)] {
                    0 => PLAIN(0, *forward, packet),
                    number => mark(number, *forward, packet),
                };
                steps.iter().map(frame).collect()
            };
            for numbers in [[1, 2], [0, 1], [1, 0]] {
                let found = read(&mut drawn, vec![differ(numbers)]);
                check(&found, 1, &format!("{name} {numbers:?}, round {round}"));
            }
        }
    }
}

#[test]
fn two_connections_whose_directions_are_marked_differently_are_two() {
    let mut drawn = Drawn(5);
    for (name, mark) in MARKS {
        for round in 0..20 {
            let connections: Vec<Vec<Vec<u8>>> = (0..2_u8)
                .map(|at| {
                    let steps = connection(first(&mut drawn), 5000 * u16::from(at), true);
                    // Forward in network 1 and 2; back in 3 and 4, or without a mark.
                    let frame = |(forward, packet): &Step| match (*forward, round % 2) {
                        (true, _) => mark(1 + at, true, packet),
                        (false, 0) => mark(3 + at, false, packet),
                        (false, _) => PLAIN(0, false, packet),
                    };
                    steps.iter().map(frame).collect()
                })
                .collect();
            check(&read(&mut drawn, connections), 2, &format!("{name}, round {round}"));
        }
    }
}

#[test]
fn a_packet_that_is_seen_in_two_networks_is_one() {
    let mut drawn = Drawn(6);
    for (name, mark) in MARKS {
        let steps = connection(first(&mut drawn), 1, true);
        let mut analysis = Analysis::new(Settings::default());
        for (at, (forward, packet)) in steps.iter().enumerate() {
            for (copy, data) in [PLAIN(0, *forward, packet), mark(1, *forward, packet)].iter().enumerate() {
                let (number, time) =
                    (2 * at as u64 + copy as u64 + 1, at as i64 * 10_000_000 + copy as i64 * 3000);
                let wire = data.len() as u32;
                analysis.push(&decode(&Frame {
                    number,
                    time,
                    interface: 0,
                    link: 1,
                    data,
                    wire,
                    lacks: None,
                }));
            }
        }
        let found = analysis.finish();
        assert_eq!(found.rows.connections.len(), 1, "{name}");
        assert_eq!(found.totals.shared_ends, 0, "{name}");
    }
}
