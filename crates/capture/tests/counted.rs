//! Every frame is understood or counted under a name, whatever its link type, its headers and its length; and so is every
//! frame of a file, whatever its blocks.

use std::io::Cursor;

use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::decode::{decode, Frame};
use parshall_capture::filter::Filter;
use parshall_capture::result::Finished;
use parshall_capture::source::Source;

/// Numbers drawn from a seed.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.below(256) as u8).collect()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// IP with a protocol drawn, and what may be above it.
fn ip(drawn: &mut Drawn, deep: usize) -> Vec<u8> {
    let protocol = drawn.one(&[6, 6, 6, 17, 17, 1, 2, 4, 41, 47, 50, 51, 58, 97, 132, 137, 255]);
    let above = match protocol {
        4 | 41 if deep > 0 => ip(drawn, deep - 1),
        17 => {
            let port = drawn.one(&[53_u16, 443, 4789, 6081, 2152, 37008, 6635, 4790]);
            let mut above = vec![0x30, 0x39];
            above.extend(port.to_be_bytes());
            above.extend([0, 40, 0, 0]);
            let length = drawn.below(40);
            above.extend(drawn.bytes(length));
            above
        }
        6 => {
            let mut above = drawn.bytes(12);
            above.extend([0x50 | drawn.below(3) as u8, drawn.below(64) as u8, 1, 0, 0, 0, 0, 0]);
            let length = drawn.below(40);
            above.extend(drawn.bytes(length));
            above
        }
        _ => drawn.bytes(30),
    };
    let length = above.len() as u16;
    let mut data = if drawn.below(3) > 0 {
        let fragment = drawn.one(&[0_u16, 0, 0, 0x2000, 0x2005, 7]);
        let mut data = vec![0x45, 0];
        data.extend((length + 20).to_be_bytes());
        data.extend([0, drawn.below(4) as u8]);
        data.extend(fragment.to_be_bytes());
        data.extend([64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        data
    } else {
        let mut data = vec![0x60, 0, 0, 0];
        data.extend(length.to_be_bytes());
        data.extend([drawn.one(&[protocol, protocol, 0, 44, 60]), 64]);
        data.extend([0x20; 32]);
        data
    };
    data.extend(above);
    data
}

const ETHER_TYPES: [u16; 22] = [
    0x0800, 0x86dd, 0x8100, 0x88a8, 0x8847, 0x8864, 0x8863, 0x0806, 0x88cc, 0x6558, 0x88e7, 0x894f, 0x8926,
    0x892f, 0x893f, 0x8909, 0x88e5, 0x0004, 0x0100, 0x2000, 0xfefe, 0xffff,
];

/// A frame with headers of a kind drawn in front of IP, cut somewhere.
fn frame(drawn: &mut Drawn) -> (u16, Vec<u8>) {
    let link = if drawn.below(2) == 0 { 1 } else { drawn.below(320) as u16 };
    let length = drawn.one(&[0, 2, 4, 8, 10, 14, 16, 20, 44, 64]);
    let mut data = drawn.bytes(length);
    if link == 1 {
        data = drawn.bytes(12);
        for _ in 0..drawn.below(3) {
            data.extend([0x81, 0, 0, drawn.below(4) as u8]);
        }
        data.extend(drawn.one(&ETHER_TYPES).to_be_bytes());
    }
    data.extend(ip(drawn, 2));
    let kept = if drawn.below(3) == 0 { drawn.below(data.len() + 1) } else { data.len() };
    data.truncate(kept);
    (link, data)
}

/// Frames that were counted, under whatever name.
fn counted(found: &Finished) -> u64 {
    let totals = &found.totals;
    totals.tcp + totals.udp + totals.fragments + totals.filtered + totals.damaged + found.unread.total()
}

fn check(found: &Finished, frames: u64, what: &str) {
    assert_eq!(found.totals.frames, frames, "{what}");
    assert_eq!(counted(found), frames, "{what}: {:?} {:?}", found.totals, found.unread);
    let totals = &found.totals;
    let told = totals.filtered + totals.damaged + totals.lone_fragments + found.unread.total();
    let rows = found.rows.connections.len() + found.rows.datagrams.len();
    assert!(frames == 0 || rows > 0 || told > 0, "{what}: nothing is said");
    assert!(rows > 0 || totals.tcp + totals.udp == 0, "{what}: packets without a connection or flow");
}

#[test]
fn every_frame_is_understood_or_named() {
    let mut drawn = Drawn(1);
    for round in 0..3000 {
        let text = drawn.one(&["", "tcp", "udp and not port 53", "host 10.0.0.9", "not ip or port 443"]);
        let filter = (!text.is_empty()).then(|| Filter::parse(text).unwrap());
        let mut analysis = Analysis::new(Settings { filter, ..Settings::default() });
        let frames = 1 + drawn.below(12) as u64;
        for number in 1..=frames {
            let (link, data) = frame(&mut drawn);
            let time = drawn.below(3_000_000_000) as i64;
            let interface = drawn.below(2) as u32;
            let wire = data.len() as u32 + drawn.below(2) as u32 * 100;
            let frame = Frame { number, time, interface, link, data: &data, wire, lacks: None };
            analysis.push(&decode(&frame));
        }
        check(&analysis.finish(), frames, &format!("round {round}"));
    }
}

#[test]
fn every_link_type_is_read_or_named() {
    for link in 0..=u16::MAX {
        let mut analysis = Analysis::new(Settings::default());
        let data = [0_u8; 120];
        let frame = Frame { number: 1, time: 0, interface: 0, link, data: &data, wire: 120, lacks: None };
        analysis.push(&decode(&frame));
        let found = analysis.finish();
        check(&found, 1, &format!("link type {link}"));
        for (reason, _) in found.unread.iter() {
            assert!(!reason.to_string().is_empty());
        }
    }
}

/// A block of pcapng.
fn block(big: bool, kind: u32, body: &[u8]) -> Vec<u8> {
    let word = |number: u32| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let padding = vec![0; body.len().next_multiple_of(4) - body.len()];
    let length = word((12 + body.len() + padding.len()) as u32);
    [&word(kind), &length, body, &padding, &length].map(<[u8]>::to_vec).concat()
}

/// A section of drawn blocks; how many of them hold frames.
fn section(drawn: &mut Drawn) -> (Vec<u8>, u64) {
    let big = drawn.below(2) == 0;
    let half = |number: u16| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let word = |number: u32| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let head = [word(0x1a2b_3c4d).to_vec(), half(1).to_vec(), half(0).to_vec(), vec![0xff; 8]].concat();
    let mut file = block(big, 0x0a0d_0d0a, &head);
    for _ in 0..drawn.below(3) {
        let link = drawn.one(&[1_u16, 101, 147, 117]);
        file.extend(block(big, 1, &[half(link).to_vec(), half(0).to_vec(), word(0).to_vec()].concat()));
    }
    let mut frames = 0;
    for _ in 0..drawn.below(8) {
        let (_, data) = frame(drawn);
        let length = word(data.len() as u32).to_vec();
        let interface = drawn.below(3) as u16;
        let (high, low) = (word(0x0006_0000).to_vec(), word(drawn.below(1 << 30) as u32).to_vec());
        let (kind, body) = match drawn.below(5) {
            0 => (
                2,
                [half(interface).to_vec(), half(0xffff).to_vec(), high, low, length.clone(), length, data]
                    .concat(),
            ),
            1 => (3, [length, data].concat()),
            2 => (0x0bad_0001, data),
            _ => (6, [word(interface.into()).to_vec(), high, low, length.clone(), length, data].concat()),
        };
        frames += u64::from(kind <= 6);
        file.extend(block(big, kind, &body));
    }
    (file, frames)
}

#[test]
fn every_frame_of_a_file_is_understood_or_named() {
    let mut drawn = Drawn(2);
    for round in 0..2000 {
        let (mut file, mut frames) = section(&mut drawn);
        for _ in 0..drawn.below(3) {
            let (more, number) = section(&mut drawn);
            file.extend(more);
            frames += number;
        }
        let mut source = Source::new(Cursor::new(file), false).unwrap();
        let mut analysis = Analysis::new(Settings::default());
        while source.next(&mut |frame| analysis.push(&decode(frame))) {}
        assert_eq!(source.frames(), frames);
        check(&analysis.finish(), frames, &format!("file {round}"));
    }
}
