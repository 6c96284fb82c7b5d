//! Packet captures: what passes a port, written so that Wireshark's own analysis sees what happened.
//!
//! While a run is under way a captured port only notes packets and what became of them. The file is made at the end,
//! when all notes can be put in order: ports decide ahead of time, and a capture of both directions has two sources.
//! It is taken at the near end of the port: what leaves is there when its transmission starts, what comes from the
//! other direction when it arrives.

mod answers;
mod files;
mod headers;
mod notes;
mod pcap;
mod pcapng;

use rustc_hash::FxHashMap;

pub use headers::{FlowFacts, TcpFacts};
use notes::{Fate, Note, CONTENT};

use crate::names::NameList;
use crate::network::Outcome;
use crate::outside::Content;
use crate::packet::Packet;
use crate::room::Room;
use crate::scenario::{CaptureFormat, CapturedHandshakes};
use crate::transport::SackBlocks;
use crate::units::Time;

/// The name in messages of what grows here.
const CAPTURED: &str = "captured packets";

/// Options of captures.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureOptions {
    /// Format of the files.
    pub format: CaptureFormat,
    /// True if packets from the other direction of the link are captured too.
    pub both_directions: bool,
    /// Handling of connections that were simulated without a handshake.
    pub handshakes: CapturedHandshakes,
}

/// Contents of a packet that are kept beside the packets.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Sending time of this packet, or of the one that it answers.
    pub stamp: Time,
    /// Number of its connection in the flow, from 0.
    pub connection: u32,
    /// Blocks that it reports.
    pub blocks: SackBlocks,
    /// The bytes of a caller's datagram.
    pub content: Option<Content>,
}

/// Names of flows and ports.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// Flows of the scenario.
    pub flows: &'a NameList,
    /// The flow of the scenario that each flow belongs to; empty if there are no others.
    pub owners: &'a [u32],
    /// Ports.
    pub ports: &'a NameList,
}

impl Called<'_> {
    fn flow(&self, index: u32) -> &str {
        let owner = self.owners.get(index as usize).copied().unwrap_or(index);
        &self.flows[owner as usize]
    }

    fn port(&self, index: u32) -> &str {
        &self.ports[index as usize]
    }
}

/// The other direction of a port's link: both lie side by side.
pub(super) fn opposite(port: u32) -> u32 {
    port ^ 1
}

/// A capture while the run is under way.
#[derive(Clone, Debug, Default)]
struct Capture {
    port: u32,
    notes: Vec<Note>,
    /// Blocks that ACKs in `notes` report.
    blocks: Vec<SackBlocks>,
    /// Contents of the caller's datagrams in `notes`.
    contents: Vec<Content>,
    content_bytes: usize,
}

/// All captures of a run.
#[derive(Clone, Debug, Default)]
pub struct Captures {
    options: CaptureOptions,
    /// End of the capture: events at or after this instant are left out.
    end: Time,
    captures: Vec<Capture>,
    flows: FxHashMap<u32, FlowFacts>,
}

impl Captures {
    /// Captures of these ports.
    pub fn new(ports: &[u32], options: CaptureOptions, end: Time) -> Self {
        let captures = ports.iter().map(|&port| Capture { port, ..Capture::default() }).collect();
        Captures { options, end, captures, flows: FxHashMap::default() }
    }

    /// Returns whether the facts about a flow are known.
    pub fn knows(&self, flow: u32) -> bool {
        self.flows.contains_key(&flow)
    }

    /// Takes in what there is to know of a flow.
    pub fn learn(&mut self, flow: u32, facts: FlowFacts) {
        self.flows.insert(flow, facts);
    }

    /// A port decided at `now` what becomes of a packet of `flow`.
    #[cold]
    pub fn left_port(
        &mut self,
        now: Time,
        port: u32,
        flow: u32,
        packet: &Packet,
        outcome: Outcome,
        carried: &Carried,
    ) {
        let (at, fate) = match outcome {
            Outcome::Sent { start, marked, .. } => (start, Fate::Passed { marked }),
            Outcome::Dropped(reason) => (now, Fate::Dropped(reason)),
            Outcome::Lost => (now, Fate::Lost),
        };
        let both = self.options.both_directions;
        for capture in &mut self.captures {
            let near = capture.port == port;
            // Of the other direction, what passes is there when it arrives.
            let far = both && capture.port == opposite(port) && !matches!(fate, Fate::Passed { .. });
            if (near || far) && at < self.end {
                capture.push(Note::of(packet, flow, (at, fate, !near), carried), carried);
            }
        }
    }

    /// A packet that this port sent arrives at the far end of the link at `at`.
    #[cold]
    pub fn arrives(
        &mut self,
        at: Time,
        port: u32,
        flow: u32,
        packet: &Packet,
        marked: bool,
        carried: &Carried,
    ) {
        if !self.options.both_directions || at >= self.end {
            return;
        }
        let there = self.captures.iter_mut().filter(|capture| capture.port == opposite(port));
        for capture in there {
            let fate = Fate::Passed { marked };
            capture.push(Note::of(packet, flow, (at, fate, true), carried), carried);
        }
    }

    /// Ends the captures at `end`, if that is before they would have ended.
    pub fn cut(&mut self, end: Time) {
        self.end = self.end.min(end);
        self.captures.iter_mut().for_each(|capture| capture.notes.retain(|note| note.at < end));
    }

    /// Bytes that making the files takes besides the notes, which move to twice the room when they are full.
    pub fn bytes_to_finish(&self) -> u64 {
        const WRITTEN: usize = 100;
        let bytes = |capture: &Capture| {
            capture.notes.len() * WRITTEN
                + capture.notes.capacity() * size_of::<Note>()
                + capture.content_bytes
        };
        self.captures.iter().map(bytes).sum::<usize>() as u64
    }

    /// Bytes of what has been noted.
    pub fn bytes(&self) -> u64 {
        let bytes = |capture: &Capture| capture.notes.capacity() * size_of::<Note>() + capture.content_bytes;
        self.captures.iter().map(bytes).sum::<usize>() as u64
    }

    /// The files, with the indices of their ports.
    pub fn into_files(self, called: Called<'_>) -> Vec<(u32, Vec<u8>)> {
        let Captures { options, captures, flows, .. } = self;
        let file = |capture: Capture| (capture.port, files::write(capture, options, &flows, called));
        captures.into_iter().map(file).collect()
    }
}

impl Capture {
    fn push(&mut self, mut note: Note, carried: &Carried) {
        if !carried.blocks.is_empty() {
            self.blocks.add(carried.blocks, CAPTURED);
            note.blocks = self.blocks.len() as u32;
        } else if let Some(content) = &carried.content {
            self.content_bytes += content.bytes().len() + size_of::<Content>();
            self.contents.add(content.clone(), CAPTURED);
            note.blocks = self.contents.len() as u32 | CONTENT;
        }
        self.notes.add(note, CAPTURED);
    }

    /// Blocks that the ACK of a note reports.
    fn blocks(&self, note: &Note) -> &SackBlocks {
        let place = note.blocks.checked_sub(1).filter(|_| note.blocks & CONTENT == 0);
        place.map_or(&SackBlocks::EMPTY, |place| &self.blocks[place as usize])
    }

    /// The content of a note's datagram, if it is the caller's.
    fn content(&self, note: &Note) -> Option<&Content> {
        let place = (note.blocks & CONTENT != 0).then(|| (note.blocks & !CONTENT) as usize - 1);
        place.map(|place| &self.contents[place])
    }
}
