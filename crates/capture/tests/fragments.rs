//! Segments in fragments: the bytes of later ones belong to the segment of the first, and what two interfaces captured
//! counts once.

use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::counters::Counters;
use parshall_capture::decode::{decode, Frame};

/// Bytes of payload of a segment.
const PAYLOAD: u32 = 3000;

/// Bytes above IP of a fragment.
const FRAGMENT: usize = 1480;

fn header(forward: bool, id: u8, place: u16, length: usize) -> Vec<u8> {
    let ends = [[10, 0, 0, 1], [10, 0, 0, 2]];
    let mut data = vec![0x45, 0];
    data.extend((20 + length as u16).to_be_bytes());
    data.extend([0, id]);
    data.extend(place.to_be_bytes());
    data.extend([64, 6, 0, 0]);
    data.extend(if forward { ends.concat() } else { [ends[1], ends[0]].concat() });
    data
}

/// Packets of IPv4 that carry a segment.
fn packets(forward: bool, id: u8, numbers: (u32, u32), flags: u8, payload: u32) -> Vec<Vec<u8>> {
    let mut above = if forward { vec![4, 0, 0, 80] } else { vec![0, 80, 4, 0] };
    above.extend(numbers.0.to_be_bytes());
    above.extend(numbers.1.to_be_bytes());
    above.extend([0x50, flags, 64, 0, 0, 0, 0, 0]);
    above.extend(vec![0; payload as usize]);
    let parts = above.chunks(FRAGMENT).enumerate();
    let more = |at: usize| if (at + 1) * FRAGMENT < above.len() { 0x2000 } else { 0 };
    parts
        .map(|(at, part)| {
            let place = (at * FRAGMENT / 8) as u16 | more(at);
            [header(forward, id, place, part.len()), part.to_vec()].concat()
        })
        .collect()
}

/// Counts of the direction of the data, and its round trips, where each packet passes so many interfaces.
fn exchange(interfaces: u8) -> (Counters, Vec<i64>) {
    let mut analysis = Analysis::new(Settings::default());
    let (mut time, mut number) = (0, 0);
    let mut push = |packet: &[u8]| {
        for hop in 0..interfaces {
            let mut data = packet.to_vec();
            data[8] -= hop;
            (time, number) = (time + 1_000_000, number + 1);
            let wire = data.len() as u32;
            let frame =
                Frame { number, time, interface: hop.into(), link: 101, data: &data, wire, lacks: None };
            analysis.push(&decode(&frame));
        }
    };
    let mut all = [packets(true, 1, (0, 0), 2, 0), packets(false, 1, (0, 1), 18, 0)].concat();
    for turn in 0..5 {
        let seq = 1 + turn * PAYLOAD;
        all.extend(packets(true, 2 + turn as u8, (seq, 1), 16, PAYLOAD));
        all.extend(packets(false, 2 + turn as u8, (1, seq + PAYLOAD), 16, 0));
    }
    for packet in &all {
        push(packet);
    }
    let rows = analysis.finish().rows;
    let rtts = rows.samples.iter().filter(|sample| sample.acked > 0).map(|sample| sample.rtt).collect();
    (rows.connections[0].ways[0].tally.counters(), rtts)
}

#[test]
fn bytes_of_later_fragments_belong_to_the_segment_of_the_first() {
    let (counts, rtts) = exchange(1);
    assert_eq!((counts.missing_bytes, counts.holes, counts.retransmissions), (0, 0, 0));
    assert_eq!((counts.packets, counts.data_packets), (1 + 15, 5));
    assert_eq!(counts.data_bytes, u64::from(5 * PAYLOAD));
    assert_eq!(counts.max_in_flight, u64::from(PAYLOAD));
    // From the last fragment to the answer.
    assert_eq!(rtts, [1_000_000; 5]);
}

#[test]
fn fragments_that_passed_two_interfaces_count_once() {
    let (counts, rtts) = exchange(2);
    let (once, _) = exchange(1);
    assert_eq!(counts.captured_again, counts.packets);
    assert_eq!(rtts.len(), 5);
    assert_eq!(Counters { captured_again: 0, ..counts }, once);
}
