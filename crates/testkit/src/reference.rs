//! A small transport without I/O, to try networks and assertions with: a window that grows by one datagram a round trip and is
//! halved on a loss or a mark, as Reno's is, over datagrams with numbers of their own, as QUIC's are.
//!
//! It is no example of how to do it well: it paces nothing, counts in datagrams, and sends no acknowledgement of ranges.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use parshall_sim::net::{Datagram, Ecn, Endpoint};
use parshall_sim::units::Time;

use crate::Marks;

/// Bytes on the wire of a datagram, which fit every path that QUIC fits.
const DATAGRAM: u32 = 1228;
/// Bytes of headers in it: IPv4, UDP, and the numbers of this transport.
const HEADERS: u32 = 44;
/// Bytes on the wire of an acknowledgement.
const ACK: u32 = 44;
/// The first window (RFC 9002, section 7.2).
const FIRST_WINDOW: f64 = 10.0;
/// The first timeout (RFC 9002, section 6.2.2), and the least one.
const FIRST_TIMEOUT: Time = Time::from_ps(1_000_000_000_000);
const LEAST_TIMEOUT: Time = Time::from_ps(200_000_000_000);
/// Bit of a tag that says that the datagram arrived with a mark.
const MARKED: u64 = 1 << 63;

/// The sending end.
#[derive(Clone, Debug)]
pub struct Sender {
    bytes: u32,
    ecn: Ecn,
    /// Datagrams that must arrive out of order before one is taken for lost.
    threshold: u32,
    /// Pieces of data, each as much as a datagram carries; without an end if there is none.
    pieces: Option<u32>,
    next_piece: u32,
    acknowledged: u32,
    lost: VecDeque<u32>,
    next_number: u32,
    in_flight: BTreeMap<u32, InFlight>,
    window: f64,
    threshold_of_slow_start: f64,
    /// Losses and marks of datagrams before this number have been answered.
    answered: u32,
    round_trip: Option<RoundTrip>,
    backoff: u32,
    progress: Time,
    marks: Marks,
}

#[derive(Clone, Copy, Debug)]
struct InFlight {
    piece: u32,
    at: Time,
}

/// Smoothed round-trip time and its variation, in seconds (RFC 6298).
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    smoothed: f64,
    variation: f64,
}

impl Sender {
    /// A sender that always has data.
    pub fn bulk() -> Self {
        Sender {
            bytes: DATAGRAM,
            ecn: Ecn::NotEct,
            threshold: 3,
            pieces: None,
            next_piece: 0,
            acknowledged: 0,
            lost: VecDeque::new(),
            next_number: 0,
            in_flight: BTreeMap::new(),
            window: FIRST_WINDOW,
            threshold_of_slow_start: f64::INFINITY,
            answered: 0,
            round_trip: None,
            backoff: 0,
            progress: Time::ZERO,
            marks: Marks::new(),
        }
    }

    /// A sender of so many bytes, rounded up to whole datagrams.
    pub fn transfer(bytes: u64) -> Self {
        let pieces = bytes.div_ceil(u64::from(DATAGRAM - HEADERS));
        Sender { pieces: Some(u32::try_from(pieces).unwrap_or(u32::MAX)), ..Sender::bulk() }
    }

    /// The sender with datagrams of so many bytes on the wire, headers included.
    #[must_use]
    pub fn with_datagram_bytes(mut self, bytes: u32) -> Self {
        self.bytes = bytes.max(HEADERS + 1);
        self
    }

    /// The sender with this code point of ECN on its datagrams. It answers a mark as it does a loss.
    #[must_use]
    pub fn with_ecn(mut self, ecn: Ecn) -> Self {
        self.ecn = ecn;
        self
    }

    /// The sender with another number of later datagrams that have to arrive before one is taken for lost. At first it is 3.
    #[must_use]
    pub fn with_reordering_threshold(mut self, datagrams: u32) -> Self {
        self.threshold = datagrams.max(1);
        self
    }

    /// Statements of the sender about itself: what it sent again.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    fn payload(&self) -> u32 {
        self.bytes - HEADERS
    }

    /// The next piece to send, and whether it was sent before.
    fn piece(&mut self) -> Option<(u32, bool)> {
        if let Some(piece) = self.lost.pop_front() {
            return Some((piece, true));
        }
        let piece = self.next_piece;
        if self.pieces.is_some_and(|pieces| piece >= pieces) {
            return None;
        }
        self.next_piece += 1;
        Some((piece, false))
    }

    /// A datagram has arrived at the other end.
    fn acknowledge(&mut self, now: Time, number: u32, marked: bool) {
        let Some(InFlight { at, .. }) = self.in_flight.remove(&number) else { return };
        self.acknowledged += 1;
        (self.backoff, self.progress) = (0, now);
        self.sample(now.since(at).secs());
        if marked {
            self.reduce(number);
        } else if self.window < self.threshold_of_slow_start {
            self.window += 1.0;
        } else {
            self.window += 1.0 / self.window;
        }
        let late = number.saturating_sub(self.threshold - 1);
        let lost: Vec<u32> = self.in_flight.range(..late).map(|(&number, _)| number).collect();
        for number in lost {
            self.lose(number);
            self.reduce(number);
        }
    }

    fn lose(&mut self, number: u32) {
        if let Some(InFlight { piece, .. }) = self.in_flight.remove(&number) {
            self.lost.push_back(piece);
        }
    }

    /// Halves the window, once for each window of datagrams.
    fn reduce(&mut self, number: u32) {
        if number >= self.answered {
            self.answered = self.next_number;
            self.window = (self.window / 2.0).max(2.0);
            self.threshold_of_slow_start = self.window;
        }
    }

    fn sample(&mut self, seconds: f64) {
        let RoundTrip { smoothed, variation } =
            self.round_trip.unwrap_or(RoundTrip { smoothed: seconds, variation: seconds / 2.0 });
        let variation = 0.75 * variation + 0.25 * (smoothed - seconds).abs();
        self.round_trip = Some(RoundTrip { smoothed: 0.875 * smoothed + 0.125 * seconds, variation });
    }

    fn timeout(&self) -> Time {
        let timeout = self
            .round_trip
            .map_or(FIRST_TIMEOUT, |it| Time::from_secs(it.smoothed + 4.0 * it.variation).max(LEAST_TIMEOUT));
        Time::from_ps(timeout.ps().saturating_mul(1 << self.backoff.min(6)))
    }
}

impl Endpoint for Sender {
    fn receive(&mut self, now: Time, datagram: Datagram) {
        let tag = datagram.tag();
        self.acknowledge(now, tag as u32, tag & MARKED != 0);
    }

    fn expire(&mut self, now: Time) {
        if self.timer().is_none_or(|timer| timer > now) {
            return;
        }
        (self.backoff, self.progress) = (self.backoff + 1, now);
        self.threshold_of_slow_start = (self.window / 2.0).max(2.0);
        self.window = 1.0;
        self.answered = self.next_number;
        let all: Vec<u32> = self.in_flight.keys().copied().collect();
        all.into_iter().for_each(|number| self.lose(number));
    }

    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        if self.in_flight.len() >= self.window as usize {
            return None;
        }
        let (piece, again) = self.piece()?;
        if self.in_flight.is_empty() {
            self.progress = now;
        }
        if again {
            self.marks.note_sent_again(now, u64::from(self.payload()));
        }
        let number = self.next_number;
        self.next_number += 1;
        self.in_flight.insert(number, InFlight { piece, at: now });
        let datagram = Datagram::sized(self.bytes).with_payload_bytes(self.payload()).with_ecn(self.ecn);
        Some(datagram.with_tag(u64::from(piece) << 32 | u64::from(number)))
    }

    fn timer(&mut self) -> Option<Time> {
        (!self.in_flight.is_empty()).then(|| self.progress + self.timeout())
    }

    fn is_done(&self) -> bool {
        let all_sent = self.pieces.is_some_and(|pieces| self.next_piece >= pieces);
        all_sent && self.in_flight.is_empty() && self.lost.is_empty()
    }
}

/// The receiving end, which acknowledges each datagram and delivers in order.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    next_piece: u32,
    waiting: BTreeSet<u32>,
    acks: VecDeque<u64>,
    marks: Marks,
}

impl Receiver {
    /// A receiver.
    pub fn new() -> Self {
        Receiver::default()
    }

    /// Statements of the receiver about itself: what it delivered.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }
}

impl Endpoint for Receiver {
    fn receive(&mut self, now: Time, datagram: Datagram) {
        let tag = datagram.tag();
        let marked = if datagram.ecn() == Ecn::Ce { MARKED } else { 0 };
        self.acks.push_back(u64::from(tag as u32) | marked);
        let piece = (tag >> 32) as u32;
        if piece >= self.next_piece {
            self.waiting.insert(piece);
        }
        while self.waiting.remove(&self.next_piece) {
            self.next_piece += 1;
            self.marks.note_delivered(now, u64::from(datagram.payload_bytes()));
        }
    }

    fn expire(&mut self, _: Time) {}

    fn transmit(&mut self, _: Time) -> Option<Datagram> {
        Some(Datagram::sized(ACK).with_tag(self.acks.pop_front()?))
    }

    fn timer(&mut self) -> Option<Time> {
        None
    }

    fn is_done(&self) -> bool {
        true
    }
}
