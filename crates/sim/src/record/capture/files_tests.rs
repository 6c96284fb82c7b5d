use super::*;
use crate::names::NameList;
use crate::packet::Packet;
use crate::record::capture::headers::TcpFacts;
use crate::record::Carried;
use crate::transport::SackBlocks;

fn names(list: &[&str]) -> NameList {
    let mut names = NameList::with_capacity(list.len(), 0);
    list.iter().for_each(|name| names.push(&[name]));
    names
}

fn note(at_ms: u64, seq: u32, fate: Fate) -> Note {
    let carried = Carried { stamp: Time::ZERO, connection: 0, blocks: SackBlocks::EMPTY, content: None };
    let packet = Packet::data(seq, 1040, 0, Time::ZERO);
    Note::of(&packet, 0, (Time::from_ps(at_ms * 1_000_000_000), fate, false), &carried)
}

const PASSED: Fate = Fate::Passed { marked: false };
const FULL: Fate = Fate::Dropped(Reason::Full);

/// Places of passed packets with those of what was dropped before them.
fn dropped(notes: &[Note], last: usize) -> Vec<(usize, Vec<usize>)> {
    let mut all: Vec<_> = drops(notes, last).into_iter().filter(|(_, drops)| !drops.is_empty()).collect();
    all.sort();
    all
}

#[test]
fn drops_are_told_where_they_are_missed() {
    let notes = [
        note(5, 1, PASSED),
        note(1, 2, FULL),
        note(1, 3, FULL),
        // A retransmission shows nothing of what was dropped; the next new packet does.
        note(6, 1, PASSED),
        note(7, 4, PASSED),
        note(8, 5, Fate::Lost),
    ];
    assert_eq!(dropped(&notes, 4), [(4, vec![1, 2, 5])]);
}

#[test]
fn acks_and_other_flows_show_nothing_of_it() {
    let ack = Note { ack: true, ..note(3, 9, PASSED) };
    let other = Note { flow: 1, ..note(4, 9, PASSED) };
    let notes = [note(1, 1, PASSED), note(2, 2, FULL), ack, other, note(5, 3, PASSED), note(6, 4, PASSED)];
    assert_eq!(dropped(&notes, 5), [(4, vec![1])]);
    let again = Note { connection: 1, ..note(5, 0, PASSED) };
    assert_eq!(dropped(&[note(2, 2, FULL), ack, again], 2), [(2, vec![0])]);
}

fn written(notes: Vec<Note>, options: CaptureOptions, handshake: bool) -> String {
    let (flows, ports) = (names(&["tcp1"]), names(&["a->b", "b->a"]));
    let called = Called { flows: &flows, owners: &[], ports: &ports };
    let tcp = TcpFacts { handshake, sack: false, ecn: false, timestamps: false, window_bytes: 9000 };
    let facts = FlowFacts { payload_bytes: 1000, header_bytes: 40, tcp: Some(tcp) };
    let known = [(0, facts)].into_iter().collect();
    let capture = Capture { notes, ..Capture::default() };
    String::from_utf8_lossy(&write(capture, options, &known, called)).into_owned()
}

#[test]
fn comments_name_flow_port_number_and_time() {
    let options = CaptureOptions { format: CaptureFormat::Pcapng, ..CaptureOptions::default() };
    let marked = note(5, 3, Fate::Passed { marked: true });
    let text = written(vec![note(1, 2, FULL), marked], options, true);
    assert!(text.contains("Flow tcp1"));
    assert!(text.contains("Marked by the queue of a->b"));
    assert!(text
        .contains("Dropped by the queue of a->b at 0.001000000 s: tcp1, sequence number 1001, 1040 bytes"));
    assert!(!text.contains("Not simulated"));
}

#[test]
fn handshakes_are_made_where_there_are_none() {
    let made = |handshakes, both_directions| {
        let options = CaptureOptions { format: CaptureFormat::Pcapng, both_directions, handshakes };
        written(vec![note(1, 0, PASSED), note(2, 1, PASSED)], options, false).matches("Not simulated").count()
    };
    assert_eq!(made(CapturedHandshakes::All, false), 1);
    assert_eq!(made(CapturedHandshakes::All, true), 2);
    assert_eq!(made(CapturedHandshakes::Simulated, true), 0);
}

#[test]
fn packets_are_in_the_order_of_time_and_what_comes_in_is_first() {
    let options = CaptureOptions { both_directions: true, ..CaptureOptions::default() };
    let answer = Note { ack: true, inbound: true, ..note(2, 2, PASSED) };
    let notes = vec![note(3, 3, PASSED), note(2, 2, PASSED), answer];
    let capture = Capture { notes, ..Capture::default() };
    let facts = FlowFacts {
        payload_bytes: 1000,
        header_bytes: 40,
        tcp: Some(TcpFacts {
            handshake: true,
            sack: false,
            ecn: false,
            timestamps: false,
            window_bytes: 9000,
        }),
    };
    let (flows, ports) = (names(&["f"]), names(&["a->b", "b->a"]));
    let called = Called { flows: &flows, owners: &[], ports: &ports };
    let bytes = write(capture, options, &[(0, facts)].into_iter().collect(), called);
    // Behind the header of 24 bytes: packets of 16 + 40 bytes, whose TCP ports begin 36 bytes in.
    let sources: Vec<u16> = bytes[24..].chunks(56).map(|p| u16::from_be_bytes([p[36], p[37]])).collect();
    assert_eq!(sources, [80, 10_000, 10_000]);
}
