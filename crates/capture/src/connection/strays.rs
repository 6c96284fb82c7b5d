//! Segments that no receiver would accept: their numbers lie outside of every window that was offered. They are held back
//! and change nothing, until other packets show that the capture lacks what came between.

use super::{Found, State};
use crate::direction::Direction;
use crate::packet::{flag, Packet, Tcp};
use crate::recent::Again;
use crate::result::Way;

/// Segments that are held at most.
const MOST: usize = 4;

/// Segments in a row, of one direction and near to each other, after which the capture lacks what came between.
const RUN: usize = 3;

/// Window that is assumed where nothing tells one, in bytes.
const ASSUMED: u64 = 1 << 24;

/// Largest window of a SYN, in bytes: it has no scale.
const UNSCALED: u64 = 65_535;

/// Time after which a SYN that comes again is another copy of its sender's, in nanoseconds.
const SENT_AGAIN: i64 = 100_000_000;

/// Time after which a SYN that was not answered is given up, in nanoseconds (RFC 6298, section 2.1).
const UNANSWERED: i64 = 1_000_000_000;

/// Segments that are held back.
#[derive(Debug, Default)]
pub struct Strays {
    held: Vec<(Packet, Tcp)>,
    /// Those at the end of `held` with no acceptable packet of their direction behind them, by direction.
    run: [usize; 2],
    /// A SYN that may begin another connection between the same ends.
    syn: Option<(Packet, Tcp)>,
}

/// Verdict on a SYN, or on a packet behind one that is held back.
#[derive(Clone, Debug)]
pub enum Opening {
    /// It belongs to the connection.
    Own,
    /// It begins another connection.
    Another,
    /// It is held back.
    Held,
    /// It shows that the SYN that was held back has begun another connection.
    Confirmed(Box<(Packet, Tcp)>),
}

/// The sum of a number of TCP's and bytes behind it.
fn behind(packet: &Packet, tcp: &Tcp) -> u32 {
    let ends = u32::from(tcp.flags & flag::SYN != 0) + u32::from(tcp.flags & flag::FIN != 0);
    tcp.seq.wrapping_add(packet.payload).wrapping_add(ends)
}

/// A number is at most so far from another, both modulo 2^32.
fn near(one: u32, other: u32, most: u64) -> bool {
    u64::from((one.wrapping_sub(other) as i32).unsigned_abs()) <= most
}

impl Direction {
    /// Bytes by which numbers of this direction may lie apart.
    fn span(&self) -> u64 {
        if self.widest > 0 {
            self.widest.into()
        } else {
            ASSUMED
        }
    }

    /// A segment of this direction is outside of every window that was offered. One that begins where the last one ended is
    /// accepted in any case: the capture may lack the ACK that offered more.
    pub(super) fn is_outside(&self, seq: u32, length: u64) -> bool {
        let Some(start) = self.place(seq) else { return false };
        // What nearly every segment is: within the window.
        if self.acked.get().is_some_and(|acked| acked <= start)
            && self.edge.get().is_some_and(|edge| start + length <= edge)
        {
            return false;
        }
        let newest = self.reached();
        let begun = self.first.and(self.base.get());
        let unknown = if begun.is_some() { UNSCALED } else { ASSUMED };
        // A probe of a closed window, or a FIN, may be one byte beyond it.
        let above = self.edge.get().unwrap_or(newest + unknown) + 1;
        (start + length > above && start > newest) || start < self.floor().min(newest).max(begun.unwrap_or(0))
    }

    /// An ACK of this direction's data names bytes that its receiver cannot have.
    /// The `first` packet of the receiver can answer nothing but a SYN that passed.
    fn is_ack_outside(&self, ack: u32, first: bool) -> bool {
        let Some(place) = self.place(ack) else {
            return self.expected.is_some_and(|expected| !near(expected, ack, ASSUMED));
        };
        let (ack, newest) = (place, self.reached());
        if ack <= newest && self.acked.get().is_some_and(|acked| acked <= ack) {
            return false;
        }
        let begun = self.first.and(self.base.get());
        let unknown = if begun.is_some() && first { 0 } else { ASSUMED };
        let above = self.edge.get().unwrap_or(newest + unknown).max(newest) + 1;
        ack > above || ack < self.floor() || begun.is_some_and(|begun| ack <= begun)
    }

    /// The lowest byte that a packet can be about: a window below what is acknowledged.
    fn floor(&self) -> u64 {
        match self.acked.get() {
            Some(acked) => acked.saturating_sub(self.span() + 1),
            None => self.reached().saturating_sub(ASSUMED),
        }
    }

    /// The highest number that it has told.
    fn reached(&self) -> u64 {
        self.newest().max(self.base.get().unwrap_or(0))
    }

    /// Goes on at a number that is far from the last. Numbers without end never go back.
    fn jump(&mut self, seq: u32) {
        let newest = self.reached();
        let Some(at) = self.place(seq) else { return };
        let at = if at < newest { at + (1 << 32) } else { at };
        self.continue_at(at, self.span());
    }
}

impl State {
    /// Numbers of a packet are outside of what the connection has offered.
    pub(super) fn is_stray(&self, packet: &Packet, tcp: &Tcp, at: usize) -> bool {
        let (own, other) = (&self.ways[at], &self.ways[1 - at]);
        let (syn, reset) = (tcp.flags & flag::SYN != 0, tcp.flags & flag::RST != 0);
        let first = syn && own.last_is_unknown();
        if own.last_is_unknown() && !(syn && other.first.is_some()) {
            // ACKs of the other side name its numbers; after a SYN nothing but its answer, or a reset that names it, does.
            let answers = reset && tcp.flags & flag::ACK != 0 && !other.is_ack_outside(tcp.ack, true);
            let sound = match own.expected {
                Some(expected) => near(expected, tcp.seq, ASSUMED),
                None => other.first.is_none() || answers,
            };
            if !sound {
                return true;
            }
        }
        let length = u64::from(packet.payload) + u64::from(tcp.flags & flag::FIN != 0);
        if !first && own.is_outside(tcp.seq, length) {
            return true;
        }
        tcp.flags & flag::ACK != 0 && !reset && other.is_ack_outside(tcp.ack, own.last_is_unknown())
    }

    /// Holds a stray back, or takes it with others that agree with it.
    pub(super) fn on_stray(&mut self, packet: &Packet, tcp: &Tcp, way: Way, found: &mut Found) -> Again {
        let at = way as usize;
        let spans = self.ways.each_ref().map(|way| way.span().max(UNSCALED));
        let strays = self.strays.get_or_insert_with(Box::default);
        let same = |other: &(Packet, Tcp)| {
            let numbers = |packet: &Packet, tcp: &Tcp| (tcp.seq, tcp.ack, tcp.flags, packet.payload);
            other.0.source == packet.source && numbers(&other.0, &other.1) == numbers(packet, tcp)
        };
        if strays.held.iter().any(same) {
            self.ways[at].count().strays += 1;
            return Again::Outside;
        }
        let own = strays.held.iter().rev().filter(|(other, _)| other.source == packet.source);
        let run = own.take(strays.run[at]).filter(|(_, numbers)| {
            near(numbers.seq, tcp.seq, spans[at]) && near(numbers.ack, tcp.ack, spans[1 - at])
        });
        let answered = strays.held.iter().any(|(other, numbers)| {
            let acked = tcp.ack.wrapping_sub(numbers.seq) <= behind(other, numbers).wrapping_sub(numbers.seq);
            other.source != packet.source && acked && near(numbers.ack, tcp.seq, spans[at])
        });
        let needed = if self.ways[at].last_is_unknown() { RUN - 1 } else { RUN };
        if run.count() + 1 >= needed || answered {
            strays.held.push((*packet, *tcp));
            self.take_held(found);
            return Again::No;
        }
        if strays.held.len() == MOST {
            let (dropped, _) = strays.held.remove(0);
            let from = usize::from(dropped.source != self.opener);
            self.ways[from].count().strays += 1;
        }
        if let Some(strays) = &mut self.strays {
            strays.held.push((*packet, *tcp));
            strays.run[at] += 1;
        }
        Again::Outside
    }

    /// Takes all that is held: the numbers went on where the capture has a gap.
    fn take_held(&mut self, found: &mut Found) {
        let Some(strays) = &mut self.strays else { return };
        strays.run = [0; 2];
        let held = std::mem::take(&mut strays.held);
        for (packet, tcp) in held {
            let at = usize::from(packet.source != self.opener);
            // A direction of which a single packet passed has no better numbers than this one.
            if self.ways[at].is_lone() && self.ways[at].is_outside(tcp.seq, packet.payload.into()) {
                let passed = self.ways[at].packets();
                if self.ways[1 - at].packets() == 0 {
                    self.start = packet.time;
                }
                self.ways[at] = Direction::new(self.ways[at].sack_permitted);
                self.ways[at].count().strays += passed;
            }
            if self.ways[at].is_outside(tcp.seq, packet.payload.into()) {
                self.ways[at].jump(tcp.seq);
            }
            if tcp.flags & flag::ACK != 0 && self.ways[1 - at].is_ack_outside(tcp.ack, false) {
                self.ways[1 - at].jump(tcp.ack);
            }
            self.take(&packet, &tcp, if at == 0 { Way::Forward } else { Way::Back }, Again::No, found);
        }
    }

    /// An acceptable packet passed. What was held of its direction, and is acknowledged now though no other packet brought
    /// it, was no stray; what agrees with it gives the numbers of the other side.
    pub(super) fn on_sound(&mut self, packet: &Packet, tcp: &Tcp, way: Way, found: &mut Found) {
        let at = way as usize;
        let data = &self.ways[1 - at];
        let (unknown, high, ack) = (data.last_is_unknown(), data.high.get(), data.place(tcp.ack));
        let acks = tcp.flags & (flag::ACK | flag::RST) == flag::ACK;
        let Some(strays) = &mut self.strays else { return };
        strays.run[at] = 0;
        let brought = |(other, numbers): &(Packet, Tcp)| {
            if other.source == packet.source {
                return false;
            }
            if unknown {
                let agrees = numbers.flags & flag::ACK == 0 || near(numbers.ack, tcp.seq, UNSCALED);
                return agrees && near(behind(other, numbers), tcp.ack, UNSCALED);
            }
            let (Some(ack), Some(high)) = (ack, high) else { return false };
            let start = high.saturating_add_signed(i64::from(numbers.seq.wrapping_sub(high as u32) as i32));
            let end = start + u64::from(other.payload);
            other.payload > 0 && start >= high && end <= ack
        };
        if acks && strays.held.iter().any(brought) {
            let (taken, kept) = std::mem::take(&mut strays.held).into_iter().partition(brought);
            strays.held = taken;
            self.take_held(found);
            if let Some(strays) = &mut self.strays {
                strays.held = kept;
            }
        }
    }

    /// Ends the wait of what is held.
    pub(super) fn end_strays(&mut self) {
        let Some(strays) = self.strays.take() else { return };
        for (packet, _) in strays.held.iter().chain(&strays.syn) {
            self.ways[usize::from(packet.source != self.opener)].count().strays += 1;
        }
    }

    /// Decides whether a packet belongs to this connection, which another between the same ends may follow.
    pub fn opening(&mut self, packet: &Packet, tcp: &Tcp) -> Opening {
        if let Some((syn, numbers)) = self.strays.as_ref().and_then(|strays| strays.syn) {
            if self.confirms((&syn, &numbers), packet, tcp) {
                if let Some(strays) = &mut self.strays {
                    strays.syn = None;
                }
                return Opening::Confirmed(Box::new((syn, numbers)));
            }
        }
        if tcp.flags & (flag::SYN | flag::ACK) != flag::SYN {
            return Opening::Own;
        }
        let at = usize::from(packet.source != self.opener);
        let own = match self.ways[at].first {
            Some(first) => first == tcp.seq,
            None => self.ways[at].high.get().is_none() && self.ways[1 - at].first.is_some(),
        };
        if own {
            return Opening::Own;
        }
        let unanswered = self.ways.iter().all(|way| way.acked.get().is_none());
        if self.closed() || (unanswered && packet.time - self.end > UNANSWERED) {
            return Opening::Another;
        }
        let strays = self.strays.get_or_insert_with(Box::default);
        if strays.syn.replace((*packet, *tcp)).is_some() {
            self.ways[at].count().strays += 1;
        }
        Opening::Held
    }

    /// A packet agrees with a SYN that is held back, and not with this connection: its answer, what follows it, or another
    /// copy.
    fn confirms(&self, (syn, numbers): (&Packet, &Tcp), packet: &Packet, tcp: &Tcp) -> bool {
        let next = numbers.seq.wrapping_add(1);
        if packet.source != syn.source {
            return tcp.flags & flag::ACK != 0 && tcp.ack == next;
        }
        let again = tcp.flags & (flag::SYN | flag::ACK) == flag::SYN && tcp.seq == numbers.seq;
        let at = usize::from(packet.source != self.opener);
        let follows = tcp.flags & flag::SYN == 0 && tcp.seq == next && self.is_stray(packet, tcp, at);
        follows || (again && packet.time - syn.time > SENT_AGAIN)
    }
}
