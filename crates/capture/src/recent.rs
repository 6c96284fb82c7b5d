//! The last packets of a direction: finds packets that come twice, and the order in which they were sent.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::packet::{Packet, Tcp};
use crate::slim::Maybe;

/// Packets that are remembered at most.
const KEPT: usize = 32;

/// Longest time between two records of one packet, in nanoseconds.
pub const TOGETHER: i64 = 1_000_000_000;

/// Time between copies of packets whose only mark is their payload: shorter than a retransmission can be.
const TOGETHER_UNMARKED: i64 = 500_000;

/// Numbers by which a packet may be late.
const FARTHEST: i16 = 2048;

/// A frame of this packet is an event.
const EVENT: u32 = 1;

/// It was late.
const LATE: u32 = 2;

/// Memory of a packet.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// When it passed, in ticks of 4.096 us, which come round after more than an hour; below them two marks.
    when: u32,
    /// Byte behind its last.
    end: u32,
    /// Hash of acknowledgment, time stamp, payload and flags.
    digest: u32,
    id: u16,
    /// Interface and time to live.
    place: u16,
}

/// A time in ticks, above two bits for marks.
fn ticks(time: i64) -> u32 {
    ((time >> 12) as u32) << 2
}

impl Seen {
    fn new(packet: &Packet, tcp: &Tcp) -> Self {
        let mut hasher = FxHasher::default();
        let stamp = tcp.stamps.map_or(0, |stamps| stamps.0);
        hasher.write_u64(u64::from(tcp.ack) << 32 | u64::from(stamp));
        hasher.write_u64(u64::from(packet.payload) << 8 | u64::from(tcp.flags));
        let [one, two, three, four] = packet.interface.to_le_bytes();
        Self {
            when: ticks(packet.time),
            end: tcp.seq.wrapping_add(packet.payload),
            digest: hasher.finish() as u32,
            id: packet.id.unwrap_or(0),
            place: u16::from_le_bytes([one ^ two ^ three ^ four, packet.ttl]),
        }
    }

    /// Time from this packet to one at these ticks, in nanoseconds.
    fn until(&self, when: u32) -> i64 {
        i64::from((when & !3).wrapping_sub(self.when & !3) as i32 >> 2) << 12
    }
}

/// Relation of a packet to one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It does not.
    No,
    /// The network doubled it. Tells whether the first copy is an event.
    Copied(bool),
    /// The capture has it twice: it passed two interfaces.
    Captured(bool),
    /// Not told: its numbers are outside of every window of its connection.
    Outside,
}

/// The last packets of a direction: as many as have passed within the time that two records of one packet may lie apart.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// A ring, once it is full.
    seen: Vec<Seen>,
    /// Where the oldest one is.
    oldest: u8,
    /// Highest number of IP; 0 before there is one.
    highest: u16,
    up: u32,
    down: u32,
    steps: u32,
    last: Maybe<i64>,
}

impl Recent {
    /// Looks at where it is.
    pub fn place(&self) -> u64 {
        self.seen.len() as u64 ^ u64::from(self.up)
    }

    /// Looks at each packet.
    pub fn approach(&self) -> u64 {
        self.seen.iter().step_by(4).fold(0, |all, seen| all ^ u64::from(seen.end))
    }

    /// Looks whether this packet was here before.
    pub fn again(&self, packet: &Packet, tcp: &Tcp) -> Again {
        // Times of the ring come round; that of the last packet does not.
        if self.last.get().is_none_or(|last| packet.time - last > TOGETHER) {
            return Again::No;
        }
        let (id, end) = (packet.id.unwrap_or(0), tcp.seq.wrapping_add(packet.payload));
        if !self.seen.iter().any(|seen| seen.id == id && seen.end == end) {
            return Again::No;
        }
        let most = if id != 0 { TOGETHER } else { TOGETHER_UNMARKED };
        // Duplicate ACKs are alike; only another interface shows that one was captured twice.
        let bare = id == 0 && packet.payload == 0 && tcp.flags & crate::packet::flag::SYN == 0;
        let most = if bare { TOGETHER } else { most };
        let now = Seen::new(packet, tcp);
        let (newer, older) = self.seen.split_at(usize::from(self.oldest).min(self.seen.len()));
        let found = newer.iter().rev().chain(older.iter().rev()).find(|seen| {
            (seen.id, seen.end, seen.digest) == (id, end, now.digest) && seen.until(now.when).abs() < most
        });
        let Some(found) = found else { return Again::No };
        let event = found.when & EVENT != 0;
        if found.place != now.place {
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
        let step = id.wrapping_sub(Some(self.highest).filter(|highest| *highest != 0)?) as i16;
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
        self.last.get()
    }

    /// Highest byte that was sent before the packet with this number, which passed at `time`, by packets of the last second.
    /// `high` is the highest byte that was sent.
    pub fn sent_before(&self, id: u16, time: i64, high: u64) -> Option<u64> {
        self.seen
            .iter()
            .filter(|seen| seen.until(ticks(time)) <= TOGETHER)
            .filter(|seen| seen.id != 0 && (seen.id.wrapping_sub(id) as i16) < 0)
            .filter(|seen| seen.when & LATE == 0)
            .map(|seen| high.saturating_add_signed(i64::from(seen.end.wrapping_sub(high as u32) as i32)))
            .max()
    }

    /// Takes in a packet, which may be an event, and late.
    pub fn add(&mut self, packet: &Packet, tcp: &Tcp, event: bool, late: bool) {
        let marks = if event { EVENT } else { 0 } | if late { LATE } else { 0 };
        let seen = Seen::new(packet, tcp);
        self.keep(Seen { when: seen.when | marks, ..seen });
        self.last = Maybe::<i64>::new(packet.time);
        self.count(packet.id.unwrap_or(0));
    }

    /// Gives back its room if it remembers nothing that can come again.
    pub fn relax(&mut self, now: i64) {
        if self.last.get().is_none_or(|last| now - last > 2 * TOGETHER) {
            self.seen = Vec::new();
            self.oldest = 0;
        }
    }

    fn keep(&mut self, seen: Seen) {
        let oldest = usize::from(self.oldest);
        let number = self.seen.len();
        if number == self.seen.capacity() {
            // One that is too old to be the same packet makes room; otherwise there is more room.
            let old =
                self.seen.get(oldest).is_some_and(|old| number == KEPT || old.until(seen.when) >= TOGETHER);
            if old {
                self.seen[oldest] = seen;
                self.oldest = ((oldest + 1) % number) as u8;
                return;
            }
            self.seen.rotate_left(oldest);
            self.oldest = 0;
            self.seen.reserve_exact(if number < 16 { 4 } else { KEPT / 4 });
        }
        self.seen.push(seen);
    }

    fn count(&mut self, id: u16) {
        if id == 0 {
            return;
        }
        if self.highest == 0 {
            self.highest = id;
            return;
        }
        let step = id.wrapping_sub(self.highest) as i16;
        if step > 0 {
            self.highest = id;
            self.up += 1;
            self.steps = self.steps.saturating_add(step.unsigned_abs().into());
        } else if step < 0 {
            self.down += 1;
            if step <= -FARTHEST {
                self.highest = id;
            }
        }
    }
}
