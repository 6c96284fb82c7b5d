//! Findings of drawn connections, against what a model receiver had and against the same packets captured otherwise.

mod drawn;

use drawn::{analysed, counters, draw, told, Drawn, Link, Passed, Segment, ACK, MS};
use parshall_capture::counters::Counters;
use parshall_capture::result::{Method, Way};

fn difference(one: &str, other: &str) -> String {
    let lines = one.lines().zip(other.lines()).filter(|(one, other)| one != other).take(12);
    lines.map(|(one, other)| format!("{one} | {other}\n")).collect()
}

#[test]
fn a_retransmission_is_needless_only_if_all_of_its_bytes_arrived() {
    let mut drawn = Drawn(1);
    let (mut said, mut needed) = (0, 0);
    for round in 0..400 {
        let link = Link { spurious: 6, jitter: 0, ..Link::drawn(&mut drawn) };
        let passed = draw(&link, &mut drawn);
        let found = analysed(&link, &passed.segments);
        for event in found.rows.events.iter().filter(|event| event.kind.is_some()) {
            let segment = &passed.segments[event.frame as usize - 1];
            let Some(repeat) = segment.repeat else { continue };
            let truth = passed.needless[repeat];
            if event.needless == Some(true) {
                said += 1;
                assert!(truth, "{round}: {segment:?} {link:?} {:?}", passed.first);
            } else if !truth {
                needed += 1;
            }
        }
    }
    assert!(said > 500 && needed > 500, "{said} {needed}");
}

/// Captures each packet twice: so long after the first, elsewhere or not.
fn doubled(segments: &[Segment], after: i64, interface: u32, ttl: u8) -> Vec<Segment> {
    let again = |each: &Segment| Segment {
        time: each.time + after,
        interface: each.interface + interface,
        ttl: each.ttl - ttl,
        ..each.clone()
    };
    let mut all: Vec<Segment> = segments.iter().flat_map(|each| [each.clone(), again(each)]).collect();
    all.sort_by_key(|each| each.time);
    all
}

/// All but what counts copies.
fn without_copies(counts: &Counters) -> Counters {
    Counters { captured_again: 0, network_copies: 0, ..*counts }
}

#[test]
fn packets_that_are_captured_twice_count_once() {
    let mut drawn = Drawn(2);
    for round in 0..400 {
        // Without numbers of IP nothing tells a copy from a retransmission within a millisecond, which no sender makes.
        let link = Link::drawn(&mut drawn);
        let link = Link { spurious: if link.ids && !link.six { drawn.below(2) * 4 } else { 0 }, ..link };
        let passed = draw(&link, &mut drawn);
        let after = [1_000, 3_000, 100_000, 700_000, 2_000_000][drawn.below(5) as usize];
        let (interface, ttl) = (drawn.below(2) as u32, drawn.below(2) as u8);
        let twice = doubled(&passed.segments, after, interface, ttl);
        let (one, two) = (analysed(&link, &passed.segments), analysed(&link, &twice));
        let case = format!("{round}: {after} {interface} {ttl} {link:?}");
        let ([data, acks], [data_twice, acks_twice]) = (counters(&one), counters(&two));
        let again = data_twice.captured_again + acks_twice.captured_again;
        let off = again.abs_diff(data.packets + acks.packets);
        if link.ids && !link.six {
            assert_eq!(off, 0, "{case}");
            assert_eq!(acks, without_copies(&acks_twice), "{case}");
            assert_eq!(data, without_copies(&data_twice), "{case}");
        } else {
            // Duplicate ACKs without a number may change places with copies of one another.
            assert!(off <= 1 + acks.packets / 8, "{off} {case}");
            assert_eq!(totals(&data), totals(&data_twice), "{case}");
        }
    }
}

/// Counts that do not go by duplicate ACKs.
fn totals(counts: &Counters) -> [u64; 6] {
    let [one, two, three] = [counts.packets, counts.bytes, counts.data_packets];
    [one, two, three, counts.data_bytes, counts.acked_bytes, counts.retransmissions]
}

#[test]
fn frames_spread_over_interfaces_change_no_row() {
    let mut drawn = Drawn(3);
    for round in 0..400 {
        // Without numbers of IP nothing tells a copy from a retransmission within a millisecond, which no sender makes.
        let link = Link::drawn(&mut drawn);
        let link = Link { spurious: if link.ids && !link.six { drawn.below(2) * 4 } else { 0 }, ..link };
        let passed = draw(&link, &mut drawn);
        let sections = drawn.chance(50).then(|| 1 + drawn.below(50));
        let mut spread = passed.segments.clone();
        for (at, each) in spread.iter_mut().enumerate() {
            each.interface = sections.map_or_else(|| drawn.below(2), |length| at as u64 / length) as u32;
        }
        let (one, other) = (told(&analysed(&link, &passed.segments)), told(&analysed(&link, &spread)));
        assert!(one == other, "{round}: {sections:?} {link:?}\n{}", difference(&one, &other));
    }
}

/// Round trips of data, by the byte that was acknowledged.
fn round_trips(link: &Link, segments: &[Segment], method: Method) -> Vec<(u64, i64)> {
    let found = analysed(link, segments);
    let own = found.rows.samples.iter().filter(|each| each.method == method && each.way == Way::Forward);
    own.map(|each| (each.until, each.rtt)).collect()
}

#[test]
fn a_clock_that_is_off_in_one_direction_moves_round_trips_or_drops_them() {
    let mut drawn = Drawn(4);
    let mut kept = 0;
    for round in 0..300 {
        let link = Link::calm(&mut drawn);
        let passed = draw(&link, &mut drawn);
        let off = drawn.below(60 * MS as u64) as i64 - 50 * MS;
        let mut shifted = passed.segments.clone();
        for each in shifted.iter_mut().filter(|each| !each.forward) {
            each.time += off;
        }
        shifted.sort_by_key(|each| each.time);
        let true_ones = round_trips(&link, &passed.segments, Method::Seq);
        for (until, rtt) in round_trips(&link, &shifted, Method::Seq) {
            let known = true_ones.iter().any(|(byte, own)| *byte == until && own + off == rtt);
            assert!(known && rtt >= 0, "{round}: {until} {rtt} {off} {link:?}");
            kept += 1;
        }
        // Of packets whose time stamps are alike, the first is answered.
        let least = 2 * link.delay * (100 - link.place) / 100 + off;
        for (_, rtt) in round_trips(&link, &shifted, Method::Stamps) {
            assert!(rtt >= 0 && rtt <= least.max(0) + 30 * MS, "{round}: {rtt} {least} {link:?}");
        }
        let counts = counters(&analysed(&link, &shifted))[0];
        assert_eq!(
            (counts.missing_bytes, counts.acked_bytes),
            (0, counts.data_bytes),
            "{round}: {off} {link:?}"
        );
    }
    assert!(kept > 1000, "{kept}");
}

#[test]
fn acknowledged_bytes_are_those_of_the_data_wherever_a_capture_begins() {
    let mut drawn = Drawn(5);
    for round in 0..400 {
        let link = Link::calm(&mut drawn);
        let Passed { segments, .. } = draw(&link, &mut drawn);
        let begin = drawn.below(segments.len() as u64 - 6) as usize;
        let [counts, _] = counters(&analysed(&link, &segments[begin..]));
        let expected = (counts.data_bytes, 0, 0);
        let said = (counts.acked_bytes, counts.missing_bytes, counts.retransmissions);
        assert_eq!(said, expected, "{round}: from {begin} {link:?}");
    }
}

#[test]
fn keep_alives_and_probes_are_no_data() {
    let mut drawn = Drawn(6);
    for round in 0..200 {
        let link = Link::calm(&mut drawn);
        let Passed { segments, .. } = draw(&link, &mut drawn);
        let at = segments.len() - 3;
        let data = segments[..at].iter().rfind(|each| each.payload > 0).unwrap().clone();
        let answer = segments[at - 1].clone();
        let (bytes, closed) = (drawn.below(2) as u32, drawn.chance(30));
        let mut with = segments[..at].to_vec();
        let mut time = segments[at - 1].time;
        if closed {
            with.push(Segment {
                time: time + MS,
                window: 0,
                id: answer.id + 1,
                sack: Vec::new(),
                ..answer.clone()
            });
        }
        // A probe of a closed window has the byte that comes next, a keep-alive the last one.
        let ahead = u32::from(closed && bytes == 1);
        for number in 0..5_u16 {
            time += (2 + drawn.below(30) as i64) * 1000 * MS;
            let seq = data.seq.wrapping_add(data.payload).wrapping_sub(1).wrapping_add(ahead);
            let ids = if link.ids { 2000 + number } else { 0 };
            let stamps = data.stamps.map(|(value, echo)| (value.wrapping_add((time / MS) as u32), echo));
            with.push(Segment {
                time,
                seq,
                payload: bytes,
                id: data.id.wrapping_add(ids),
                stamps,
                repeat: None,
                ..data.clone()
            });
            let window = if closed { 0 } else { answer.window };
            with.push(Segment {
                time: time + 2 * link.delay,
                window,
                id: answer.id.wrapping_add(ids),
                sack: Vec::new(),
                stamps: None,
                flags: ACK,
                ..answer.clone()
            });
        }
        let [one, _] = counters(&analysed(&link, &segments[..at]));
        let [two, _] = counters(&analysed(&link, &with));
        let expected = Counters { keep_alives: 5, packets: two.packets, bytes: two.bytes, ..one };
        assert_eq!(two, expected, "{round}: {bytes} {closed} {link:?}");
    }
}
