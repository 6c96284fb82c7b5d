//! The last packets of a direction: finds packets that come twice, and the order in which they were sent.

use crate::packet::{Packet, Tcp};

/// Packets that are remembered.
const KEPT: usize = 32;

/// Longest time between two records of one packet, in nanoseconds.
const TOGETHER: i64 = 1_000_000_000;

/// The same between those of packets whose only mark is what they carry: shorter than a retransmission can be.
const TOGETHER_UNMARKED: i64 = 500_000;

/// Numbers by which a packet may be late.
const FARTHEST: i16 = 2048;

/// What is remembered of a packet.
#[derive(Clone, Copy, Debug)]
struct Seen {
    time: i64,
    /// Highest byte that its sender had sent with it.
    sent: u64,
    seq: u32,
    ack: u32,
    stamp: u32,
    payload: u32,
    interface: u32,
    event: u32,
    id: u16,
    flags: u8,
    ttl: u8,
}

/// No event belongs to the packet.
const NONE: u32 = u32::MAX;

/// How a packet relates to one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It does not.
    No,
    /// The network doubled it; the event of the first copy.
    Copied(Option<usize>),
    /// The capture has it twice: it passed two interfaces.
    Captured(Option<usize>),
}

/// The last packets of a direction.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// A ring, once it is full.
    seen: Vec<Seen>,
    /// Where the next one goes.
    next: usize,
    /// Numbers of IP of what is in the ring, apart so that a look at one line of the cache finds a number.
    ids: [u16; KEPT],
    highest: Option<u16>,
    up: u32,
    down: u32,
    steps: u32,
}

impl Recent {
    /// Looks whether this packet was here before.
    pub fn again(&self, packet: &Packet, tcp: &Tcp) -> Again {
        let id = packet.id.unwrap_or(0);
        let stamp = tcp.stamps.map_or(0, |stamps| stamps.0);
        let most = if id != 0 { TOGETHER } else { TOGETHER_UNMARKED };
        // Duplicate ACKs are alike; only another interface shows that one was captured twice.
        let bare = id == 0 && packet.payload == 0 && tcp.flags & crate::packet::flag::SYN == 0;
        let most = if bare { TOGETHER } else { most };
        if !self.ids.contains(&id) {
            return Again::No;
        }
        let alike = self.seen.iter().filter(|seen| {
            seen.seq == tcp.seq
                && seen.id == id
                && seen.ack == tcp.ack
                && seen.stamp == stamp
                && seen.payload == packet.payload
                && seen.flags == tcp.flags
                && packet.time - seen.time < most
        });
        let Some(found) = alike.max_by_key(|seen| seen.time) else { return Again::No };
        let event = (found.event != NONE).then_some(found.event as usize);
        if found.ttl != packet.ttl || found.interface != packet.interface {
            Again::Captured(event)
        } else if bare {
            Again::No
        } else {
            Again::Copied(event)
        }
    }

    /// The numbers of IP count packets of this direction, so that they tell the order of sending.
    pub fn ordered(&self) -> bool {
        // A counter that all connections of a host share comes round between two packets of one.
        let steady = self.up >= 3 && self.up > 4 * self.down && self.steps < 32 * self.up;
        let exact = self.up >= 1 && self.down == 0 && self.steps <= 4 * self.up;
        steady || exact
    }

    /// Number of packets between the newest and this one, by their numbers; negative for one that was overtaken.
    /// `None` where numbers do not tell.
    pub fn ahead(&self, id: Option<u16>) -> Option<i16> {
        let id = id.filter(|id| *id != 0)?;
        let step = id.wrapping_sub(self.highest?) as i16;
        // Numbers drawn at random are hardly ever so near to each other.
        let near = self.up == 0 && self.down == 0 && (1..=4).contains(&step);
        (near || (self.ordered() && step > -FARTHEST)).then_some(step)
    }

    /// The numbers count the packets of this direction alone, so that they tell how many are missing.
    pub fn counts(&self) -> bool {
        self.steps <= 8 * self.up.max(1)
    }

    /// When the last packet passed.
    pub fn last_time(&self) -> Option<i64> {
        let last = (self.next + KEPT - 1) % KEPT;
        self.seen.get(last).map(|seen| seen.time)
    }

    /// Highest byte that was sent before the packet with this number, as far as packets are remembered.
    pub fn sent_before(&self, id: u16) -> Option<u64> {
        self.seen
            .iter()
            .filter(|seen| seen.id != 0 && (seen.id.wrapping_sub(id) as i16) < 0)
            .map(|seen| seen.sent)
            .max()
    }

    /// Takes in a packet. `sent` is the highest byte that was sent with it.
    pub fn add(&mut self, packet: &Packet, tcp: &Tcp, sent: u64, event: Option<usize>) {
        let id = packet.id.unwrap_or(0);
        let seen = Seen {
            time: packet.time,
            sent,
            seq: tcp.seq,
            ack: tcp.ack,
            stamp: tcp.stamps.map_or(0, |stamps| stamps.0),
            payload: packet.payload,
            interface: packet.interface,
            event: event.map_or(NONE, |event| event as u32),
            id,
            flags: tcp.flags,
            ttl: packet.ttl,
        };
        self.ids[self.next] = id;
        match self.seen.get_mut(self.next) {
            Some(place) => *place = seen,
            None => self.seen.push(seen),
        }
        self.next = (self.next + 1) % KEPT;
        self.count(id);
    }

    fn count(&mut self, id: u16) {
        if id == 0 {
            return;
        }
        let Some(highest) = self.highest else {
            self.highest = Some(id);
            return;
        };
        let step = id.wrapping_sub(highest) as i16;
        if step > 0 {
            self.highest = Some(id);
            self.up += 1;
            self.steps = self.steps.saturating_add(step.unsigned_abs().into());
        } else if step < 0 {
            self.down += 1;
            if step <= -FARTHEST {
                self.highest = Some(id);
            }
        }
    }
}
