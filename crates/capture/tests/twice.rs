//! Copies are known whatever the pauses between packets: a silent connection remembers its packets as long as copies may be
//! held back.

use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::decode::{decode, Frame};

/// A segment of ten bytes.
fn segment(number: u16) -> Vec<u8> {
    let mut data = vec![0x45, 0, 0, 50, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    data[4..6].copy_from_slice(&(number + 1).to_be_bytes());
    data.extend([0x10, 0, 0, 80]);
    data.extend((1000 + u32::from(number) * 10).to_be_bytes());
    data.extend([0, 0, 0, 1, 0x50, 16, 1, 0, 0, 0, 0, 0]);
    data.extend([0; 10]);
    data
}

#[test]
fn packets_that_come_twice_are_known_whatever_the_pauses() {
    for pause in [1_000_000, 300_000_000, 3_000_000_000_i64] {
        let mut analysis = Analysis::new(Settings::default());
        for number in 0..400_u16 {
            // Copies of one packet fall into two of the steps in which packets are taken.
            let packet = (number + 2) / 4;
            let data = segment(packet);
            let (time, wire) = (i64::from(packet) * pause, data.len() as u32);
            let frame = Frame {
                number: number.into(),
                time,
                interface: 0,
                link: 101,
                data: &data,
                wire,
                lacks: None,
            };
            analysis.push(&decode(&frame));
        }
        let counts = analysis.finish().rows.connections[0].ways.each_ref().map(|way| way.tally.counters());
        // What passes four times all the while is doubled by the capture and not by the network.
        let copies: u64 = counts.iter().map(|counts| counts.captured_again).sum();
        assert_eq!(copies, 299, "{pause}");
    }
}

#[test]
fn a_segment_that_is_repeated_after_most_of_an_hour_is_no_copy() {
    // Times of packets are kept modulo 73 minutes; without a number of IP nothing but time tells a copy.
    for pause in [1_500_000_000_000, 2_800_000_000_000, (1_i64 << 30) << 12] {
        let mut analysis = Analysis::new(Settings::default());
        for number in 0..2 {
            let mut data = segment(0);
            data[4..6].copy_from_slice(&[0, 0]);
            let (time, wire) = (number * pause, data.len() as u32);
            let frame = Frame {
                number: number as u64,
                time,
                interface: 0,
                link: 101,
                data: &data,
                wire,
                lacks: None,
            };
            analysis.push(&decode(&frame));
        }
        let counts = analysis.finish().rows.connections[0].ways.each_ref().map(|way| way.tally.counters());
        assert_eq!(counts.iter().map(|counts| counts.network_copies).sum::<u64>(), 0, "{pause}");
    }
}
