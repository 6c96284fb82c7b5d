//! The file of a capture, from its notes.
//!
//! What a queue drops was never on the link, so it is no packet of the file: Wireshark would take the packets that
//! wait in front of it for out of order. It is a comment of the next packet of its flow and direction with a higher
//! number, where Wireshark finds that something is missing, or of the last packet of the file if none comes.

use rustc_hash::FxHashMap;

use super::answers::Handshake;
use super::headers::{Connection, FlowFacts, Frame};
use super::notes::{Fate, Note};
use super::{opposite, pcap, pcapng, Called, Capture, CaptureOptions, CAPTURED};
use crate::queue::Reason;
use crate::room::{self, Room};
use crate::scenario::{CaptureFormat, CapturedHandshakes};
use crate::units::Time;

/// Bytes at most that a file has around a packet, its comments not included.
const FRAMING_BYTES: usize = 100;

/// About what the comment on a dropped packet takes.
const OBITUARY_BYTES: usize = 256;

const SECTION_COMMENT: &str =
    "Simulated by Parshall. Addresses, ports, initial sequence numbers and payload are made up.";
const MADE_HANDSHAKE: &str = "Not simulated: written for the options of the connection.";

/// Writes the file of a capture.
pub fn write(
    capture: Capture,
    options: CaptureOptions,
    flows: &FxHashMap<u32, FlowFacts>,
    called: Called<'_>,
) -> Vec<u8> {
    // What comes in comes before its answer, which a host sends at the same instant. Notes of one direction that are
    // of one instant stay in the order in which the port dealt with them.
    let notes = &capture.notes;
    room::ask::<usize>(2 * notes.len(), CAPTURED);
    let mut passed: Vec<usize> = (0..notes.len()).filter(|&place| notes[place].passed()).collect();
    passed.sort_by_key(|&place| (notes[place].at, !notes[place].inbound));
    let dropped = notes.len() - passed.len();
    room::ask::<u8>(
        if options.format == CaptureFormat::Pcapng { dropped * OBITUARY_BYTES } else { 0 },
        CAPTURED,
    );
    let mut file = File::begin(&capture, options, called);
    let drops = match options.format {
        CaptureFormat::Pcap => FxHashMap::default(),
        CaptureFormat::Pcapng => passed.last().map_or(FxHashMap::default(), |&last| drops(notes, last)),
    };
    let mut handshakes: FxHashMap<(u32, u32), Handshake> = FxHashMap::default();
    for place in passed {
        let note = &notes[place];
        let connection = Connection { flow: note.flow, number: note.connection, facts: flows[&note.flow] };
        let key = (note.flow, note.connection);
        let first = !handshakes.contains_key(&key);
        let handshake = handshakes.entry(key).or_default();
        let answers_syn = connection.facts.tcp.is_some_and(|tcp| handshake.answered_by(note, &tcp));
        if first && options.handshakes == CapturedHandshakes::All && connection.lacks_handshake() {
            file.make_handshake(&connection, note);
        }
        let frame = match capture.content(note) {
            Some(content) => connection.datagram(note, content),
            None => connection.frame(note, capture.blocks(note), answers_syn),
        };
        let mut comments = Vec::new();
        if options.format == CaptureFormat::Pcapng {
            if first {
                comments.push(format!("Flow {}", called.flow(note.flow)));
            }
            if note.marked() {
                comments.push(format!("Marked by the queue of {}", called.port(file.port_of(note))));
            }
            let dropped = drops.get(&place).into_iter().flatten();
            comments.extend(dropped.map(|&drop| file.obituary(&notes[drop], flows)));
        }
        file.add(note.at, &frame, note.inbound, &comments);
    }
    file.finish(notes)
}

/// By the place of the packet that has the comments: the places of what was dropped before it. The file ends with the
/// packet at `last`.
///
/// Notes are in the order in which packets came, or, where the queue decides at departure, in which they left.
fn drops(notes: &[Note], last: usize) -> FxHashMap<usize, Vec<usize>> {
    let mut waiting: FxHashMap<(u32, bool), Vec<usize>> = FxHashMap::default();
    let mut of: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (place, note) in notes.iter().enumerate() {
        let own = waiting.entry((note.flow, note.ack)).or_default();
        if !note.passed() {
            own.push(place);
        } else if !own.is_empty() {
            let all = std::mem::take(own).into_iter();
            let (missed, others): (Vec<_>, Vec<_>) = all.partition(|&drop| is_missed(&notes[drop], note));
            *own = others;
            if !missed.is_empty() {
                of.insert(place, missed);
            }
        }
    }
    let mut rest: Vec<usize> = waiting.into_values().flatten().collect();
    rest.sort_unstable();
    of.entry(last).or_default().extend(rest);
    of
}

/// Returns whether a passing packet shows that an earlier one of its flow and direction was dropped.
fn is_missed(dropped: &Note, passed: &Note) -> bool {
    passed.ack || passed.seq > dropped.seq || passed.connection != dropped.connection
}

struct File<'a> {
    bytes: Vec<u8>,
    port: u32,
    options: CaptureOptions,
    called: Called<'a>,
}

impl<'a> File<'a> {
    fn begin(capture: &Capture, options: CaptureOptions, called: Called<'a>) -> Self {
        let bytes = match options.format {
            CaptureFormat::Pcap => pcap::begin(),
            CaptureFormat::Pcapng => pcapng::begin(called.port(capture.port), SECTION_COMMENT),
        };
        File { bytes, port: capture.port, options, called }
    }

    /// The port that a packet has left.
    fn port_of(&self, note: &Note) -> u32 {
        if note.inbound {
            opposite(self.port)
        } else {
            self.port
        }
    }

    /// Writes what a handshake would have been, as far as it would have passed here, at the instant of the first packet.
    fn make_handshake(&mut self, connection: &Connection, note: &Note) {
        for from_receiver in [false, true] {
            let own_direction = from_receiver == note.ack;
            if !own_direction && !self.options.both_directions {
                continue;
            }
            if let Some(frame) = connection.made_handshake(from_receiver) {
                let inbound = note.inbound == own_direction;
                self.add(note.at, &frame, inbound, &[MADE_HANDSHAKE.to_string()]);
            }
        }
    }

    fn add(&mut self, at: Time, frame: &Frame, inbound: bool, comments: &[String]) {
        let said: usize = comments.iter().map(String::len).sum();
        self.bytes.make_room(frame.stored.len() + said + FRAMING_BYTES, CAPTURED);
        match self.options.format {
            CaptureFormat::Pcap => pcap::add(&mut self.bytes, at, frame),
            CaptureFormat::Pcapng => pcapng::add(&mut self.bytes, at, frame, inbound, comments),
        }
    }

    /// Comment on a packet that went no further.
    fn obituary(&self, note: &Note, flows: &FxHashMap<u32, FlowFacts>) -> String {
        let port = self.called.port(self.port_of(note));
        let what = match note.fate {
            Fate::Lost => format!("Lost on the link {port}"),
            Fate::Dropped(Reason::Conditioner) => format!("Dropped by the conditioner of {port}"),
            Fate::Dropped(Reason::Precedence) => {
                format!("Dropped by the queue of {port}, whose precedence is full,")
            }
            Fate::Dropped(Reason::Average) => {
                format!("Dropped by the queue of {port}, whose average is too long,")
            }
            Fate::Dropped(Reason::Early) => format!("Dropped early by the queue of {port}"),
            Fate::Dropped(Reason::Full) | Fate::Passed { .. } => format!("Dropped by the queue of {port}"),
        };
        let (seconds, nanoseconds) =
            (note.at.ps() / 1_000_000_000_000, note.at.ps() % 1_000_000_000_000 / 1000);
        let connection = Connection { flow: note.flow, number: note.connection, facts: flows[&note.flow] };
        let number = match (connection.facts.tcp, note.ack) {
            (None, ack) => format!("packet {}", note.seq - u32::from(ack)),
            (Some(_), false) => format!("sequence number {}", connection.byte_number(note.seq)),
            (Some(_), true) => format!("acknowledgment number {}", connection.byte_number(note.seq)),
        };
        let (flow, size) = (self.called.flow(note.flow), note.size);
        format!("{what} at {seconds}.{nanoseconds:09} s: {flow}, {number}, {size} bytes")
    }

    fn finish(mut self, notes: &[Note]) -> Vec<u8> {
        if self.options.format == CaptureFormat::Pcapng {
            let dropped = notes.iter().filter(|note| !note.passed()).count();
            let at = notes.iter().map(|note| note.at).max().unwrap_or(Time::ZERO);
            pcapng::finish(&mut self.bytes, at, notes.len() as u64, dropped as u64);
        }
        self.bytes
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
