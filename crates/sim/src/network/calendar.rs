//! Calendar of the packets in flight: a wheel of buckets, each for the packets that arrive within a short
//! span.
//!
//! A packet is put into its bucket in a few steps, however many others are in flight, and a bucket is put in
//! order when its time comes, when mostly it holds a single one. A heap has to find out the order of packets
//! long before it matters (docs/performance.md has what that cost). Packets beyond the wheel's reach wait in
//! [`Spans`] before they come onto it: mostly few, but where so many are in flight that slots and buckets for
//! all would not stay in the caches, the wheel is short and they are most. How wide a bucket is, and how many
//! there are, follows what arrives; it changes no recording.

mod fit;
mod order;
mod wheel;

use std::ops::{Index, IndexMut};

use crate::memory::prefetch;
use crate::packet::Packet;
use crate::room::{self, Room};
use crate::spans::{Detached, Spans};
use crate::units::Time;

/// In place of a slot.
const NONE: u32 = u32::MAX;

/// The name in messages of what is here.
const IN_FLIGHT: &str = "packets in flight";

/// In place of the hop, in a slot that is free.
const NOWHERE: u32 = u32::MAX;

/// Fewest and most buckets.
const BUCKETS: (usize, usize) = (64, 1 << 17);

/// Most buckets where packets are too many for the caches: most of them are beyond the wheel then. The packets of two
/// spans are on it; many more would leave the caches before they arrive (docs/performance.md).
const FEW_BUCKETS: usize = 256;

/// Most spans.
const SPANS: u64 = 1 << 13;

/// So many packets stay in the caches of most machines, with the buckets that they need.
const MANY: usize = 1 << 14;

/// Room beyond the wheel for so many packets a flow, where flows are many. What is not used is not touched.
const FAR: usize = 16;

/// Buckets for each packet at first. Most are empty then, and a bucket with one packet needs no order; a look
/// at 64 buckets is one instruction.
const BUCKETS_A_PACKET: u64 = 4;

/// Reach of the wheel at first, in seconds: most round trips are shorter.
const REACH: f64 = 0.1;

/// Buckets that are opened, and a quarter of the packets that arrive, between two looks at whether they fit.
const PERIOD: u64 = 1024;

/// So many packets stay in the nearest cache of most machines.
const CACHED_SLOTS: usize = 500;

/// A packet that the calendar keeps: valid until it is put on its way or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(u32);

/// Packets in flight, which leave in the order of [`Packet::comes_before`].
#[derive(Clone, Debug)]
pub struct Calendar {
    /// Arrival of the first packet; [`Time::NEVER`] while none is open.
    first_at: Time,
    /// The packets of the open bucket, in order.
    first: u32,
    /// The last of them; meaningless in an empty bucket.
    last: u32,
    /// A bucket spans `2^shift` picoseconds.
    shift: u32,
    /// Number of the open bucket, counted from the start of time.
    open: u64,
    /// Number of the bucket of the last packet taken.
    base: u64,
    /// Number of the first bucket of the wheel. It starts where a span does, which is half a wheel long.
    start: u64,
    /// The bucket from which on the wheel is to move, and the first one that it does not have.
    turn: u64,
    reached: u64,
    /// The first packet of each bucket; the open one's is in `first`.
    buckets: Vec<u32>,
    /// A bit for each bucket that holds packets.
    occupied: Vec<u64>,
    slots: Vec<Packet>,
    in_flight: usize,
    /// Slots that are free again, linked.
    free: u32,
    /// Packets beyond the wheel.
    far: Spans<Packet>,
    /// True if the wheel is short.
    short: bool,
    /// From so many packets in flight on it is, until there are only a quarter of them.
    many: usize,
    census: Census,
    /// About how many buckets there are for a packet.
    sparse: u64,
    /// Room to sort in: packets that name their own slots in place of the next one's.
    sorting: Vec<Packet>,
}

/// Counts since the width of the buckets was last reconsidered.
#[derive(Clone, Copy, Debug)]
struct Census {
    opened: u64,
    taken: u64,
    far: u64,
    base: u64,
}

impl Calendar {
    /// An empty calendar for packets about so far apart, with room for about so many; all of that is a guess.
    pub fn new(spacing: Time, packets: usize) -> Self {
        Calendar::with_short_wheel_from(MANY, spacing, packets)
    }

    /// Makes a calendar whose wheel is short once `many` packets are in flight.
    fn with_short_wheel_from(many: usize, spacing: Time, packets: usize) -> Self {
        let reach = Time::from_secs(REACH).ps();
        let width = spacing.ps() / BUCKETS_A_PACKET;
        let width = width.clamp(reach / BUCKETS.1 as u64, reach / BUCKETS.0 as u64);
        let shift = width.next_power_of_two().ilog2();
        let buckets = ((reach >> shift) as usize).next_power_of_two();
        let far = if packets < many { 0 } else { FAR * packets };
        let mut calendar = Calendar {
            first_at: Time::NEVER,
            first: NONE,
            last: NONE,
            shift,
            open: 0,
            base: 0,
            start: 0,
            turn: 0,
            reached: 0,
            buckets: Vec::new(),
            occupied: Vec::new(),
            slots: room::with_room(packets.min(many), IN_FLIGHT),
            in_flight: 0,
            free: NONE,
            far: Spans::new(1, Packet::data(0, 0, 0, Time::ZERO), far, IN_FLIGHT),
            short: many == 0,
            many,
            census: Census { opened: 0, taken: 0, far: 0, base: 0 },
            sparse: 1,
            sorting: Vec::new(),
        };
        calendar.lay_out(buckets);
        calendar
    }

    /// Lays out buckets and spans. Returns the packets that were in spans before.
    fn lay_out(&mut self, buckets: usize) -> Vec<Detached> {
        let buckets = buckets.clamp(BUCKETS.0, self.most_buckets());
        self.buckets = vec![NONE; buckets];
        self.occupied = vec![0; buckets / 64];
        let span = 1 << (self.shift + self.span_shift());
        let spans = Time::from_secs(REACH).ps().div_ceil(span).next_power_of_two();
        self.begin_at(self.span(self.base));
        self.far.change(spans.clamp(4, SPANS) as usize)
    }

    /// Most buckets that pay.
    fn most_buckets(&self) -> usize {
        if self.short {
            FEW_BUCKETS
        } else {
            BUCKETS.1
        }
    }

    /// Bits that the number of a bucket has more than that of its span.
    #[inline]
    fn span_shift(&self) -> u32 {
        self.buckets.len().ilog2() - 1
    }

    /// The number of the span that a bucket is in.
    #[inline]
    fn span(&self, bucket: u64) -> u64 {
        bucket >> self.span_shift()
    }

    /// Returns whether the wheel covers a bucket, which must not be before its first.
    #[inline]
    fn reaches(&self, bucket: u64) -> bool {
        bucket < self.reached
    }

    /// Keeps a packet, which is not on its way yet.
    #[inline]
    pub fn add(&mut self, packet: Packet) -> PacketId {
        let slot = self.free;
        match self.slots.get_mut(slot as usize) {
            Some(place) => {
                self.free = place.next;
                *place = packet;
                PacketId(slot)
            }
            None => {
                self.slots.add(packet, IN_FLIGHT);
                PacketId(self.slots.len() as u32 - 1)
            }
        }
    }

    /// Forgets a packet that is not on its way any more.
    #[inline]
    pub fn remove(&mut self, id: PacketId) {
        let place = &mut self.slots[id.0 as usize];
        place.next = std::mem::replace(&mut self.free, id.0);
        place.hop = NOWHERE;
    }

    /// Sends a packet on its way: it reaches `hop` at `at`.
    #[inline(always)]
    pub fn put(&mut self, PacketId(slot): PacketId, at: Time, hop: u32) {
        self.in_flight += 1;
        let bucket = at.ps() >> self.shift;
        if bucket > self.open && !self.reaches(bucket) {
            return self.put_far(bucket, slot, at, hop);
        }
        let place = &mut self.slots[slot as usize];
        place.at = at;
        place.hop = hop;
        if bucket > self.open {
            self.put_on_wheel(bucket, slot);
        } else {
            self.put_elsewhere(bucket, slot);
        }
    }

    #[inline]
    fn put_on_wheel(&mut self, bucket: u64, slot: u32) {
        let place = bucket as usize & (self.buckets.len() - 1);
        self.slots[slot as usize].next = std::mem::replace(&mut self.buckets[place], slot);
        self.occupied[place / 64] |= 1 << (place % 64);
    }

    /// Puts a packet into the open bucket, or one before it.
    #[inline(never)]
    fn put_elsewhere(&mut self, bucket: u64, slot: u32) {
        if bucket == self.open {
            self.put_in_order(slot);
        } else {
            // What has been open is not the next to come any more.
            let mut left = self.first;
            self.open = bucket;
            self.first = NONE;
            self.put_in_order(slot);
            while left != NONE {
                let next = self.slots[left as usize].next;
                self.put_back(left);
                left = next;
            }
        }
    }

    fn put_back(&mut self, slot: u32) {
        let bucket = self.slots[slot as usize].at.ps() >> self.shift;
        if bucket == self.open {
            self.put_in_order(slot);
        } else {
            self.put_closed(bucket, slot);
        }
    }

    /// Puts a packet where it belongs while its bucket is not open.
    #[inline]
    fn put_closed(&mut self, bucket: u64, slot: u32) {
        if self.reaches(bucket) {
            self.put_on_wheel(bucket, slot);
        } else {
            let Packet { at, hop, .. } = self.slots[slot as usize];
            self.put_far(bucket, slot, at, hop);
        }
    }

    #[inline(never)]
    fn put_far(&mut self, bucket: u64, slot: u32, at: Time, hop: u32) {
        let packet = self.slots[slot as usize].arriving(at, hop);
        self.put_into_span(bucket, packet);
        self.remove(PacketId(slot));
        self.census.far += 1;
    }

    #[inline(always)]
    fn put_into_span(&mut self, bucket: u64, packet: Packet) {
        // The last one keeps what comes later still until it is looked at.
        self.far.put(self.span(bucket).min(self.last_span()), packet);
    }

    /// The number of the last span that there is a list for.
    #[inline]
    fn last_span(&self) -> u64 {
        self.span(self.start) + self.far.len() - 1
    }

    /// Arrival of the first packet; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn first_at(&mut self) -> Time {
        if self.first == NONE {
            self.open_next();
        }
        self.first_at
    }

    /// The hop at which the first packet arrives.
    pub fn first_hop(&self) -> Option<u32> {
        self.slots.get(self.first as usize).map(|packet| packet.hop)
    }

    /// The first packet arrives. Only after [`Calendar::first_at`] has found one.
    #[inline]
    pub fn take_first(&mut self) -> PacketId {
        let first = self.first;
        self.first = self.slots[first as usize].next;
        if let Some(next) = self.slots.get(self.first as usize) {
            self.first_at = next.at;
        }
        self.base = self.open;
        self.in_flight -= 1;
        self.census.taken += 1;
        PacketId(first)
    }

    /// Opens the bucket that comes next.
    fn open_next(&mut self) {
        if self.in_flight == 0 {
            self.first_at = Time::NEVER;
            return;
        }
        self.census.opened += 1;
        if self.census.opened >= PERIOD || self.census.taken >= 4 * PERIOD {
            self.fit();
        }
        if self.base >= self.turn {
            self.move_wheel();
        }
        match self.next_occupied() {
            Some(bucket) => {
                let unordered = self.take_off_wheel(bucket);
                self.open_bucket(bucket, unordered);
                self.fetch_next();
            }
            None => self.open_far(),
        }
    }

    /// Starts to fetch the first packet of the bucket that comes next, if that is near.
    #[inline]
    fn fetch_next(&self) {
        if self.slots.len() <= CACHED_SLOTS {
            return;
        }
        let place = self.open as usize & (self.buckets.len() - 1);
        let later = self.occupied[place / 64] >> (place % 64);
        let next = place + later.trailing_zeros() as usize;
        if let Some(slot) = self.buckets.get(next).and_then(|&slot| self.slots.get(slot as usize)) {
            prefetch(slot);
        }
    }

    #[inline]
    fn open_bucket(&mut self, bucket: u64, unordered: u32) {
        self.open = bucket;
        self.first = self.ordered(unordered);
        self.first_at = self.slots[self.first as usize].at;
    }

    #[inline]
    fn take_off_wheel(&mut self, bucket: u64) -> u32 {
        let place = bucket as usize & (self.buckets.len() - 1);
        self.occupied[place / 64] &= !(1 << (place % 64));
        std::mem::replace(&mut self.buckets[place], NONE)
    }

    /// The number of the first bucket on the wheel that holds packets.
    #[inline]
    fn next_occupied(&self) -> Option<u64> {
        let from = self.base as usize & (self.buckets.len() - 1);
        let (word, bit) = (from / 64, from % 64);
        let words = self.occupied.len();
        let here = self.occupied[word] >> bit;
        if here != 0 {
            return Some(self.base + u64::from(here.trailing_zeros()));
        }
        // Once around, to the bits before the first one.
        for step in 1..=words {
            let bits = self.occupied[(word + step) & (words - 1)];
            if bits != 0 {
                return Some(self.base - bit as u64 + 64 * step as u64 + u64::from(bits.trailing_zeros()));
            }
        }
        None
    }

    /// Opens the first bucket beyond the wheel, where all packets are.
    #[cold]
    fn open_far(&mut self) {
        let (first, last) = (self.span(self.start) + 2, self.last_span());
        let mut here = Vec::new();
        for span in first..=last {
            let mut list = self.far.detach(span);
            while !list.is_empty() {
                let packet = self.far.pop(&mut list);
                let bucket = packet.at.ps() >> self.shift;
                if self.span(bucket) > span && span < last {
                    self.put_into_span(bucket, packet);
                } else {
                    here.add((bucket, packet), IN_FLIGHT);
                }
            }
            if let Some(bucket) = here.iter().map(|&(bucket, _)| bucket).min() {
                return self.open_first_of(bucket, here);
            }
        }
        unreachable!("packets in flight are somewhere");
    }

    /// Opens a bucket of packets that were in a span, and puts back those of other buckets.
    fn open_first_of(&mut self, first: u64, packets: Vec<(u64, Packet)>) {
        let mut unordered = NONE;
        for (bucket, packet) in packets {
            if bucket == first {
                let PacketId(slot) = self.add(packet);
                self.slots[slot as usize].next = std::mem::replace(&mut unordered, slot);
            } else {
                self.put_into_span(bucket, packet);
            }
        }
        self.open_bucket(first, unordered);
    }

    /// The number of the open bucket: another one when the next packets have come to the front.
    #[inline]
    pub fn open_bucket_number(&self) -> u64 {
        self.open
    }

    /// Packets that arrive about so many packets after the first one, in any order.
    #[inline]
    pub fn ahead(&self, packets: u64) -> impl Iterator<Item = &Packet> {
        let place = (self.open + packets * self.sparse) as usize & (self.buckets.len() - 1);
        let slot = |slot: u32| self.slots.get(slot as usize);
        std::iter::successors(slot(self.buckets[place]), move |packet| slot(packet.next))
    }

    /// All packets on their way, in any order.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.slots.iter().filter(|packet| packet.hop != NOWHERE).chain(self.far.items())
    }
}

impl Calendar {
    /// Bytes of all packets, and of the room for more.
    pub fn bytes(&self) -> u64 {
        (self.slots.capacity() * size_of::<Packet>()) as u64 + self.far.bytes()
    }
}

impl Index<PacketId> for Calendar {
    type Output = Packet;
    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.slots[id.0 as usize]
    }
}

impl IndexMut<PacketId> for Calendar {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.0 as usize]
    }
}

#[cfg(test)]
mod tests;
