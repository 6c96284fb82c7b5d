//! Capture files, whole and damaged, are read to their end: no panic, no loop without end, no memory without bound.

use std::io::Cursor;

use bolero::check;
use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::decode::{decode, Frame};
use parshall_capture::source::Source;

/// Frames that bytes can hold at most: a record has a header of 16 bytes, a packet with time one of more.
fn read(bytes: Vec<u8>) {
    let most = bytes.len() as u64 / 8 + 1;
    let Ok(mut source) = Source::new(Cursor::new(bytes), true) else { return };
    let mut analysis = Analysis::new(Settings { most_flows: 4, keep_passed: true, ..Settings::default() });
    while source.next(&mut |frame| analysis.push(&decode(frame))) {}
    assert!(source.ending().is_some());
    assert!(source.frames() <= most);
    analysis.finish();
}

#[test]
fn any_bytes_behind_a_header_are_read_to_the_end() {
    check!().with_type::<(bool, u8, Vec<u8>)>().for_each(|(nanoseconds, link, rest)| {
        let magic: u32 = if *nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
        let mut bytes = magic.to_le_bytes().to_vec();
        bytes.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0]);
        bytes.extend(u32::from(*link).to_le_bytes());
        bytes.extend(rest);
        read(bytes);
    });
}

#[test]
fn any_bytes_are_read_to_the_end() {
    check!().with_type::<Vec<u8>>().for_each(|bytes| read(bytes.clone()));
}

/// Segments between two hosts whose numbers are drawn: the analysis sees everything that a connection can do, and more.
#[test]
fn any_packets_are_followed() {
    type Drawn = (bool, u8, u32, u32, u8, u16, Vec<u8>);
    check!().with_type::<Vec<Drawn>>().for_each(|packets| {
        let mut analysis =
            Analysis::new(Settings { most_flows: 2, keep_passed: true, ..Settings::default() });
        let mut time = 0;
        for (number, (forward, port, seq, ack, flags, length, options)) in packets.iter().enumerate() {
            time += i64::from(*port) * 1_000_000;
            let data = segment(*forward, *port % 3, *seq % 8000, *ack % 8000, *flags, options);
            let wire = data.len() as u32 + u32::from(length % 3000);
            let frame = Frame {
                number: number as u64 + 1,
                time,
                interface: 0,
                link: 101,
                data: &data,
                wire,
                lacks: None,
            };
            analysis.push(&decode(&frame));
        }
        let found = analysis.finish();
        assert_eq!(found.totals.frames, packets.len() as u64);
        for connection in &found.rows.connections {
            for way in &connection.ways {
                let counts = way.tally.counters();
                assert!(counts.needless <= counts.retransmissions);
            }
        }
    });
}

fn segment(forward: bool, port: u8, seq: u32, ack: u32, flags: u8, options: &[u8]) -> Vec<u8> {
    let options = &options[..options.len().min(40) / 4 * 4];
    let header = 20 + options.len();
    let mut data = vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0];
    let (from, to) = if forward { (1, 2) } else { (2, 1) };
    data.extend([10, 0, 0, from, 10, 0, 0, to, from, port, to, port]);
    data.extend(seq.to_be_bytes());
    data.extend(ack.to_be_bytes());
    data.extend([(header as u8 / 4) << 4, flags, 1, 0, 0, 0, 0, 0]);
    data.extend(options);
    data
}
