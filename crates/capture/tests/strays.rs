//! A segment whose numbers are outside of every window changes no row, wherever it passes.

mod drawn;

use drawn::{analysed, counters, draw, told, Drawn, Link, Passed, Segment, ACK, FIN, RST, SYN};

/// A segment with numbers that its receiver cannot take. Where the handshake did not pass (`whole` is false), a window may be
/// as large as 1 GiB.
fn stray(passed: &Passed, drawn: &mut Drawn, time: i64, whole: bool) -> (Segment, bool) {
    let forward = drawn.chance(50);
    let like = passed.segments.iter().rfind(|each| each.forward == forward && each.time <= time);
    let (first, other) = if forward { passed.first } else { (passed.first.1, passed.first.0) };
    // All numbers of the connection are less than 2^17 behind its first.
    let far = |drawn: &mut Drawn, number: u32| {
        let least = if whole { 1 << 17 } else { (1 << 30) + (1 << 17) };
        number.wrapping_add((least + drawn.below((1 << 32) - 2 * least)) as u32)
    };
    let mut segment = Segment {
        time,
        forward,
        seq: like.map_or(first, |like| like.seq),
        ack: like.map_or(other.wrapping_add(1), |like| like.ack),
        flags: [ACK, ACK, SYN, SYN | ACK, RST, RST | ACK, FIN | ACK][drawn.below(7) as usize],
        payload: [0, 0, 1, 1000][drawn.below(4) as usize],
        sack: Vec::new(),
        id: drawn.below(1 << 16) as u16,
        window: drawn.below(1 << 16) as u16,
        ..passed.segments[0].clone()
    };
    // A reset without an acceptable number is none, whatever it acknowledges; a SYN tells nothing but its number.
    let far_seq = segment.flags & ACK == 0 || segment.flags & RST != 0 || drawn.chance(70);
    if far_seq {
        segment.seq = far(drawn, first);
    } else {
        segment.ack = far(drawn, other);
    }
    (segment, far_seq)
}

/// Nothing that passed before tells that the numbers of a segment are wrong.
fn is_plausible(before: &[Segment], odd: &Segment, far_seq: bool) -> bool {
    let known = |forward: bool| before.iter().any(|each| each.forward == forward);
    let opened = before[0].flags == SYN;
    let finished = |forward: bool| before.iter().any(|each| each.forward == forward && each.flags & FIN != 0);
    if odd.flags == SYN && finished(true) && finished(false) {
        return true;
    }
    match (known(odd.forward), known(!odd.forward)) {
        (true, true) => false,
        // The number that it acknowledges is the first word of those of the other side, unless its own is wrong.
        (true, false) => !far_seq && before.iter().all(|each| each.flags & ACK == 0),
        // An answer to a SYN may have any number.
        _ => far_seq && opened && (odd.flags & SYN != 0 || odd.flags == RST | ACK),
    }
}

#[test]
fn a_stray_segment_changes_no_row() {
    let (mut tried, mut drawn) = (0, Drawn(1));
    for round in 0..1000 {
        let link = Link { spurious: drawn.below(2) * 2, ..Link::drawn(&mut drawn) };
        let passed = draw(&link, &mut drawn);
        let begin = if drawn.chance(30) { drawn.below(passed.segments.len() as u64 / 2) as usize } else { 0 };
        let segments = &passed.segments[begin..];
        let at = 1 + if drawn.chance(20) { drawn.below(4) } else { drawn.below(segments.len() as u64 - 1) }
            as usize;
        let between = (segments[at - 1].time + segments[at].time) / 2;
        let (odd, far_seq) = stray(&passed, &mut drawn, between, begin == 0);
        if is_plausible(&segments[..at], &odd, far_seq) {
            continue;
        }
        tried += 1;
        let mut with = segments.to_vec();
        with.insert(at, odd.clone());
        let (one, other) = (analysed(&link, segments), analysed(&link, &with));
        let case = || format!("{round}: at {at} from {begin}: {odd:?} {link:?} {:?}", passed.first);
        let strays: u64 = counters(&other).iter().map(|counts| counts.strays).sum();
        assert_eq!(strays, 1, "{}", case());
        let (one, other) = (told(&one), told(&other).replace("strays: 1", "strays: 0"));
        assert!(one == other, "{}\n{}", case(), difference(&one, &other));
    }
    assert!(tried > 900, "{tried}");
}

fn difference(one: &str, other: &str) -> String {
    let lines = one.lines().zip(other.lines()).filter(|(one, other)| one != other).take(12);
    lines.map(|(one, other)| format!("{one} | {other}\n")).collect()
}
