//! Round trips of QUIC by its spin bit (RFC 9000, section 17.4): a client turns the bit over once a round trip, and its
//! server sends back what it last saw, so that the time between two changes in one direction is a round trip.

use crate::histogram::Histogram;

/// Port of HTTP/3: packets of it are QUIC's though no handshake passed.
const HTTPS: u16 = 443;

/// Changes in a hundred packets at most. A bit drawn at random, as RFC 9000 lets hosts do, changes with every second packet;
/// a client that only acknowledges has three packets a round trip.
const MOST_CHANGES: u64 = 40;

/// Part of the last round trip in which a second change is a packet that was overtaken.
const OVERTAKEN: i64 = 8;

/// Part of the path that a round trip went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Span {
    /// The whole path: from one change to the next.
    Path,
    /// From the point to the receiver of the flow and back: from a change to the one that answers it.
    Receiver,
}

impl Span {
    /// As tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Receiver => "receiver",
        }
    }
}

/// A round trip by the spin bit, with the time that hosts wait before they answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpinSample {
    /// Nanoseconds since 1970: when the packet that ends it passed.
    pub time: i64,
    /// Frame of that packet.
    pub frame: u64,
    /// Number of the flow of UDP, from 1.
    pub flow: u32,
    /// Part of the path.
    pub span: Span,
    /// Nanoseconds.
    pub rtt: i64,
}

/// One direction's spin bit.
#[derive(Clone, Debug, Default)]
pub struct Spun {
    /// A packet with a long header passed.
    opened: bool,
    /// Packets with short headers.
    shorts: u64,
    /// The bit of the last of these.
    last: Option<bool>,
    /// When it last changed.
    change: Option<i64>,
    /// Changes.
    edges: u64,
    /// Round trips over the whole path.
    path: Histogram,
    /// Round trips to the receiver of this direction.
    receiver: Histogram,
}

impl Spun {
    /// The bit tells round trips: it changes, and not at random.
    pub fn spins(&self) -> bool {
        self.edges >= 2 && self.edges * 100 <= self.shorts * MOST_CHANGES
    }

    /// Changes of the bit.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// Round trips over the whole path.
    pub fn path(&self) -> &Histogram {
        &self.path
    }

    /// Round trips from the point to the receiver of this direction and back.
    pub fn receiver(&self) -> &Histogram {
        &self.receiver
    }

    /// Takes in a bit; returns when it changed before, if this is a change.
    fn turn(&mut self, now: i64, bit: bool, usual: Option<i64>) -> Option<Option<i64>> {
        self.shorts += 1;
        let last = self.last.replace(bit);
        if last.is_none_or(|last| last == bit) {
            return None;
        }
        let overtaken = self.change.zip(usual).is_some_and(|(change, rtt)| now - change < rtt / OVERTAKEN);
        if overtaken {
            self.last = last;
            return None;
        }
        self.edges += 1;
        Some(self.change.replace(now))
    }
}

/// Both directions of a connection of QUIC.
#[derive(Clone, Debug, Default)]
pub struct Spin {
    /// The direction that the client sends in, once that is known.
    client: Option<usize>,
    ways: [Spun; 2],
    /// The last round trip over the whole path.
    usual: Option<i64>,
}

/// A packet of UDP as the spin bit needs it.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// When it passed, in nanoseconds.
    pub time: i64,
    /// First byte of its payload.
    pub first: u8,
    /// Its direction: 0 or 1.
    pub way: usize,
    /// Ports of source and destination.
    pub ports: (u16, u16),
}

/// A round trip of a direction, 0 or 1.
pub type Turned = (usize, Span, i64);

impl Spin {
    /// A direction.
    pub fn way(&self, way: usize) -> &Spun {
        &self.ways[way]
    }

    /// Ends a direction: its round trips. What follows in it is counted anew.
    pub fn end(&mut self, way: usize) -> Spun {
        let opened = self.ways[way].opened;
        std::mem::replace(&mut self.ways[way], Spun { opened, ..Spun::default() })
    }

    /// Takes in a packet. Calls `sample` for each round trip that it ends.
    pub fn on_packet(&mut self, turn: &Turn, mut sample: impl FnMut(Turned)) {
        let Turn { time, first, way, ports } = *turn;
        if first & 0xc0 == 0xc0 {
            self.client.get_or_insert(way);
            self.ways[way].opened = true;
            return;
        }
        if first & 0xc0 != 0x40 {
            return;
        }
        if ports.0 == HTTPS || ports.1 == HTTPS {
            self.client.get_or_insert(if ports.1 == HTTPS { way } else { 1 - way });
        } else if !self.ways.iter().all(|way| way.opened) {
            return;
        }
        let bit = first & 0x20 != 0;
        let Some(before) = self.ways[way].turn(time, bit, self.usual) else { return };
        if let Some(before) = before {
            self.usual = Some(time - before);
            self.ways[way].path.add(time - before);
            sample((way, Span::Path, time - before));
        }
        let other = &self.ways[1 - way];
        // A server sends back the bit that it saw; its client the other one.
        let answers = other.last.is_some_and(|last| (last == bit) == (self.client != Some(way)));
        if let Some(asked) = other.change.filter(|_| answers) {
            self.ways[1 - way].receiver.add(time - asked);
            sample((1 - way, Span::Receiver, time - asked));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Span, Spin, Turn, Turned};

    const MS: i64 = 1_000_000;

    /// A point 10 ms before the server and 20 ms behind the client; packets each 5 ms in both directions.
    fn exchange(bits: impl Fn(i64) -> (bool, bool)) -> (Spin, Vec<Turned>) {
        let mut spin = Spin::default();
        let mut found = Vec::new();
        let mut push = |time: i64, first: u8, way: usize, spin: &mut Spin| {
            let ports = if way == 0 { (5000, 4433) } else { (4433, 5000) };
            spin.on_packet(&Turn { time, first, way, ports }, |turned| found.push(turned));
        };
        push(0, 0xc3, 0, &mut spin);
        push(10 * MS, 0xc3, 1, &mut spin);
        for step in 10..400 {
            let (client, server) = bits(step);
            push(step * 5 * MS, 0x40 | u8::from(client) << 5, 0, &mut spin);
            push(step * 5 * MS + MS, 0x40 | u8::from(server) << 5, 1, &mut spin);
        }
        (spin, found)
    }

    fn spinning(step: i64) -> (bool, bool) {
        // 60 ms for the whole path; the server's bit passes 20 ms after the client's.
        (step / 12 % 2 == 0, (step - 4).div_euclid(12) % 2 == 0)
    }

    #[test]
    fn changes_tell_the_whole_path_and_answers_its_halves() {
        let (spin, found) = exchange(spinning);
        assert!(spin.way(0).spins() && spin.way(1).spins());
        let of =
            |way, span| found.iter().filter(move |each| (each.0, each.1) == (way, span)).map(|each| each.2);
        for way in [0, 1] {
            assert!(of(way, Span::Path).count() > 20);
            assert!(of(way, Span::Path).all(|rtt| rtt == 60 * MS));
        }
        assert!(of(0, Span::Receiver).skip(1).all(|rtt| rtt == 21 * MS));
        assert!(of(1, Span::Receiver).skip(1).all(|rtt| rtt == 39 * MS));
    }

    #[test]
    fn a_packet_that_was_overtaken_is_no_change() {
        let late = |step: i64| if step == 121 { (false, false) } else { spinning(step) };
        assert_eq!(exchange(late).1, exchange(spinning).1);
    }

    #[test]
    fn a_bit_drawn_at_random_or_fixed_tells_nothing() {
        let bit = |seed: i64| ((seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).count_ones() % 2 == 0;
        let drawn = |step: i64| (bit(step), bit(step + 1000));
        assert!(!exchange(drawn).0.way(0).spins());
        assert!(!exchange(|_| (false, false)).0.way(0).spins());
    }

    #[test]
    fn other_datagrams_are_not_taken_for_it() {
        let mut spin = Spin::default();
        for step in 0..100 {
            let first = if step % 20 < 10 { 0x40 } else { 0x60 };
            let turn = Turn { time: step * MS, first, way: 0, ports: (5004, 5004) };
            spin.on_packet(&turn, |turned| panic!("{turned:?}"));
        }
        assert_eq!(spin.way(0).edges(), 0);
    }
}
