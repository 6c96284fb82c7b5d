//! A log of the datagrams that endpoints sent and received, for comparing runs and for looking at a fault.

use std::fmt;

use super::EndpointId;
use crate::outside::{DropCause, Ecn};
use crate::random::fnv1a_bytes;
use crate::units::Time;

/// All that endpoints sent and received, in order. Equal scenario, seed and endpoints give an equal trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    entries: Vec<TraceEntry>,
}

/// One datagram at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// Simulated time.
    pub at: Time,
    /// The endpoint that sent or received it.
    pub endpoint: EndpointId,
    /// Sent, received or dropped.
    pub event: TraceEvent,
    /// When it was sent.
    pub sent_at: Time,
    /// Bytes on the wire.
    pub wire_bytes: u32,
    /// Bytes of it that count as delivered when it arrives.
    pub payload_bytes: u32,
    /// Its ECN code point at that instant.
    pub ecn: Ecn,
}

/// An event in the life of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// The endpoint sent it.
    Sent,
    /// The endpoint received it.
    Received,
    /// It went no further; the endpoint is the one that had sent it.
    Dropped(DropCause),
}

impl Trace {
    /// All entries, the oldest first.
    pub fn entries(&self) -> &[TraceEntry] {
        &self.entries
    }

    /// A hash of times, sizes, endpoints and ECN bits: equal traces have equal digests.
    pub fn digest(&self) -> u64 {
        fnv1a_bytes(self.entries.iter().flat_map(TraceEntry::bytes))
    }

    /// The entries from one instant up to another, for a message.
    pub fn between(&self, from: Time, to: Time) -> impl Iterator<Item = &TraceEntry> {
        self.entries.iter().filter(move |entry| (from..to).contains(&entry.at))
    }

    pub(super) fn add(&mut self, entry: TraceEntry) {
        self.entries.push(entry);
    }
}

impl TraceEntry {
    fn bytes(&self) -> [u8; 18] {
        let event = match self.event {
            TraceEvent::Sent => 0,
            TraceEvent::Received => 1,
            TraceEvent::Dropped(cause) => 2 + cause as u8,
        };
        let mut bytes = [0; 18];
        bytes[..8].copy_from_slice(&self.at.ps().to_le_bytes());
        bytes[8..12].copy_from_slice(&self.endpoint.number().to_le_bytes());
        bytes[12..16].copy_from_slice(&self.wire_bytes.to_le_bytes());
        bytes[16..].copy_from_slice(&[event, self.ecn.bits()]);
        bytes
    }
}

/// One line: time in seconds, endpoint, event, bytes and ECN bits.
impl fmt::Display for TraceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TraceEntry { at, endpoint, event, wire_bytes, ecn, .. } = self;
        let number = endpoint.number();
        write!(f, "{:.9} s endpoint {number} {event:?} {wire_bytes} bytes {ecn:?}", at.secs())
    }
}
