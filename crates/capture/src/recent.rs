//! The last packets of a direction: finds packets that come twice, and the order in which they were sent.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::packet::{flag, Packet, Tcp};
use crate::slim::Maybe;

/// Packets that are remembered at most.
const KEPT: usize = 32;

/// Packets that are remembered at most where each passes twice.
const KEPT_DOUBLED: usize = 224;

/// Longest time between two records of one packet, in nanoseconds.
pub const TOGETHER: i64 = 1_000_000_000;

/// Time between copies of packets whose only mark is their payload: shorter than a retransmission can be.
const TOGETHER_UNMARKED: i64 = 500_000;

/// Longest time between two records of one packet where a switch or several interfaces double all of them, in nanoseconds.
const MIRRORED: i64 = 2_500_000;

/// Packets of which it is counted how many came twice; the counts are halved there.
const COUNTED: u16 = 64;

/// Time by which copies are sooner or later than others, in nanoseconds.
const LAG: i64 = 50_000;

/// Datagrams without a number after which it is believed that all come twice.
const ENOUGH: u16 = 4;

/// Numbers by which a packet may be late.
const FARTHEST: i16 = 2048;

/// A frame of this packet is an event.
const EVENT: u32 = 1;

/// It was late.
const LATE: u32 = 2;

/// It came again.
const DOUBLED: u32 = 4;

/// Nothing tells it from others that are alike: an ACK without a number of IP.
const BARE: u32 = 8;

/// All marks.
const MARKS: u32 = 15;

/// Memory of a packet.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// When it passed, in ticks of 4.096 us, which come round after 18 minutes; below them four marks.
    when: u32,
    /// Byte behind its last.
    end: u32,
    /// Hash of acknowledgment, SACK blocks, window, time stamp, length of the payload, and flags.
    digest: u32,
    id: u16,
    /// Interface, network and time to live.
    place: u16,
}

/// A time in ticks, above four bits for marks.
fn ticks(time: i64) -> u32 {
    ((time >> 12) as u32) << 4
}

/// Nothing tells a packet from others that are alike.
fn is_bare(packet: &Packet, tcp: &Tcp) -> bool {
    let plain = packet.payload == 0 && tcp.flags & (flag::SYN | flag::FIN | flag::RST) == 0;
    plain && packet.id.unwrap_or(0) == 0
}

impl Seen {
    fn new(packet: &Packet, tcp: &Tcp) -> Self {
        let mut hasher = FxHasher::default();
        let stamp = tcp.stamps.map_or(0, |stamps| stamps.0);
        hasher.write_u64(u64::from(tcp.ack) << 32 | u64::from(stamp));
        hasher.write_u64(u64::from(packet.payload) << 32 | u64::from(tcp.window) << 8 | u64::from(tcp.flags));
        for (from, until) in &tcp.sack[..usize::from(tcp.blocks).min(4)] {
            hasher.write_u64(u64::from(*from) << 32 | u64::from(*until));
        }
        let [one, two, three, four] = (packet.interface ^ packet.network).to_le_bytes();
        Self {
            when: ticks(packet.time) | if is_bare(packet, tcp) { BARE } else { 0 },
            end: tcp.seq.wrapping_add(packet.payload),
            digest: hasher.finish() as u32,
            id: packet.id.unwrap_or(0),
            place: u16::from_le_bytes([one ^ two ^ three ^ four, packet.ttl]),
        }
    }

    /// Time from this packet to one at these ticks, in nanoseconds.
    fn until(&self, when: u32) -> i64 {
        i64::from((when & !MARKS).wrapping_sub(self.when & !MARKS) as i32 >> 4) << 12
    }

    fn has(&self, mark: u32) -> bool {
        self.when & mark != 0
    }
}

/// Relation of a packet to one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It does not.
    No,
    /// The network doubled it. Tells whether the first copy is an event.
    Copied(bool),
    /// The capture has it twice: it passed two interfaces, or a port that mirrors two others.
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
    doubling: Doubling,
    /// Digest of the last packet that is not bare; 0 before there is one.
    newest: u32,
}

/// How many of the last packets that can be told from others came again.
#[derive(Clone, Copy, Debug, Default)]
struct Doubling {
    /// Packets, without copies.
    packets: u16,
    /// Those that came again by the same interface.
    same: u16,
    /// Those that came again by another.
    apart: u16,
    /// Not all of them are alike.
    varied: bool,
    /// Time from the last packet that came again to its copy, in nanoseconds.
    lag: i32,
}

impl Doubling {
    fn has_some(self) -> bool {
        self.same + self.apart > 0
    }

    fn halve(&mut self) {
        *self = Self { packets: self.packets / 2, same: self.same / 2, apart: self.apart / 2, ..*self };
    }
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

    /// Looks whether this packet was here before. `other` is the other direction of its connection.
    pub fn again(&mut self, packet: &Packet, tcp: &Tcp, other: Option<&Self>) -> Again {
        // Times of the ring come round; that of the last packet does not.
        if self.last.get().is_none_or(|last| packet.time - last > TOGETHER) {
            return Again::No;
        }
        let (id, end) = (packet.id.unwrap_or(0), tcp.seq.wrapping_add(packet.payload));
        if !self.seen.iter().any(|seen| seen.id == id && seen.end == end) {
            return Again::No;
        }
        let now = Seen::new(packet, tcp);
        let (same, apart) = self.doubles(other, now.when);
        let doubling =
            if self.doubling.has_some() { Some(self.doubling) } else { other.map(|other| other.doubling) };
        let lag = doubling.filter(|doubling| doubling.has_some()).map(|doubling| i64::from(doubling.lag));
        let unmarked = match lag {
            Some(lag) if same || apart => lag + lag / 2 + LAG,
            None if same || apart => MIRRORED,
            _ => TOGETHER_UNMARKED,
        };
        let most = if id == 0 { unmarked } else { TOGETHER };
        let oldest = usize::from(self.oldest).min(self.seen.len());
        let found = (0..oldest).rev().chain((oldest..self.seen.len()).rev()).find(|at| {
            let seen = &self.seen[*at];
            let after = seen.until(now.when).abs();
            let alike = (seen.id, seen.end, seen.digest) == (id, end, now.digest) && after < most;
            // A copy of a bare packet comes about as long after it as copies of others.
            alike
                && !(now.has(BARE)
                    && same
                    && (seen.has(DOUBLED) || lag.is_none_or(|lag| after < lag / 2 - LAG)))
        });
        let Some(found) = found.map(|at| &mut self.seen[at]) else { return Again::No };
        let (event, elsewhere) = (found.has(EVENT), found.place != now.place);
        if now.has(BARE) {
            // Duplicate ACKs are alike. Only where all other packets come twice has one of them been captured twice.
            let again = if elsewhere { apart } else { same };
            if !again || lag.is_none() {
                return Again::No;
            }
            found.when |= DOUBLED;
            return Again::Captured(event);
        }
        // Datagrams without a number may be alike, too: each has one copy at most, and not all have the same content.
        let alike = other.is_none() && id == 0;
        if alike && found.has(DOUBLED) {
            return Again::No;
        }
        if !found.has(DOUBLED) {
            found.when |= DOUBLED;
            self.doubling.lag = found.until(now.when).abs() as i32;
            self.doubling.same += u16::from(!elsewhere);
            self.doubling.apart += u16::from(elsewhere);
        }
        // No network doubles each packet of a connection.
        let enough = !alike || (self.doubling.varied && self.doubling.packets >= ENOUGH);
        if (elsewhere || same) && enough {
            Again::Captured(event)
        } else {
            Again::Copied(event)
        }
    }

    /// A packet like this one has passed so shortly before that this one may be another record of it.
    pub fn has_alike(&self, packet: &Packet, tcp: &Tcp) -> bool {
        if self.last.get().is_none_or(|last| packet.time - last > TOGETHER) {
            return false;
        }
        let now = Seen::new(packet, tcp);
        let most = if now.id == 0 { MIRRORED } else { TOGETHER };
        let is_alike = |seen: &Seen| (seen.id, seen.end, seen.digest) == (now.id, now.end, now.digest);
        let mut together = self.seen.iter().filter(|seen| seen.until(now.when).abs() < most);
        !now.has(BARE) && together.any(is_alike)
    }

    /// Most packets of a connection come twice: by the same interface, and by another. Those of the last milliseconds, whose
    /// copies may be still to come, do not count.
    fn doubles(&self, other: Option<&Self>, now: u32) -> (bool, bool) {
        let (mut packets, mut same, mut apart) = (0, 0, 0);
        for each in [Some(self), other].into_iter().flatten() {
            let waits = |seen: &&Seen| !seen.has(BARE) && !seen.has(DOUBLED) && seen.until(now) <= MIRRORED;
            let waiting = each.seen.iter().filter(waits).count() as u16;
            packets += each.doubling.packets.saturating_sub(waiting);
            same += each.doubling.same;
            apart += each.doubling.apart;
        }
        (2 * same >= packets && apart <= same, 2 * apart >= packets && same <= apart)
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
            .filter(|seen| !seen.has(LATE))
            .map(|seen| high.saturating_add_signed(i64::from(seen.end.wrapping_sub(high as u32) as i32)))
            .max()
    }

    /// Takes in a packet, which may be an event, and late.
    pub fn add(&mut self, packet: &Packet, tcp: &Tcp, event: bool, late: bool) {
        let marks = if event { EVENT } else { 0 } | if late { LATE } else { 0 };
        let seen = Seen::new(packet, tcp);
        self.keep(Seen { when: seen.when | marks, ..seen });
        self.last = Maybe::<i64>::new(packet.time);
        if !seen.has(BARE) {
            self.doubling.packets += 1;
            self.doubling.varied |= self.newest != 0 && self.newest != seen.digest;
            self.newest = seen.digest;
            if self.doubling.packets > COUNTED {
                self.doubling.halve();
            }
        }
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
            let old = self.seen.get(oldest).is_some_and(|old| {
                let full = if self.doubling.has_some() && old.until(seen.when) < MIRRORED {
                    number >= KEPT_DOUBLED
                } else {
                    number >= KEPT
                };
                full || old.until(seen.when) >= TOGETHER
            });
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
