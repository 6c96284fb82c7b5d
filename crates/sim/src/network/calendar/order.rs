//! The order of packets within a bucket.

use super::{Calendar, IN_FLIGHT, NONE};
use crate::packet::Packet;
use crate::room::Room;

/// A bucket of more packets is sorted by a sort rather than by putting one after the other in its place.
const LONG: usize = 32;

impl Calendar {
    /// Puts a packet into the open bucket.
    pub(super) fn put_in_order(&mut self, slot: u32) {
        if self.first == NONE {
            self.slots[slot as usize].next = NONE;
            (self.first, self.last) = (slot, slot);
        } else if !self.comes_before(slot, self.last) {
            // What is sent at one instant mostly comes in order, and may be very much.
            self.slots[self.last as usize].next = slot;
            self.slots[slot as usize].next = NONE;
            self.last = slot;
        } else {
            self.first = self.merged(self.first, slot);
        }
        self.first_at = self.slots[self.first as usize].at;
    }

    #[inline(always)]
    fn comes_before(&self, one: u32, other: u32) -> bool {
        self.slots[one as usize].comes_before(&self.slots[other as usize])
    }

    /// Puts a packet in its place among others in order. Returns the first of them.
    #[inline]
    fn merged(&mut self, first: u32, slot: u32) -> u32 {
        if self.comes_before(slot, first) {
            self.slots[slot as usize].next = first;
            return slot;
        }
        let mut before = first;
        loop {
            let next = self.slots[before as usize].next;
            if next == NONE || self.comes_before(slot, next) {
                self.slots[slot as usize].next = next;
                self.slots[before as usize].next = slot;
                return first;
            }
            before = next;
        }
    }

    /// Puts the packets of a bucket in order. Returns the first.
    #[inline]
    pub(super) fn ordered(&mut self, unordered: u32) -> u32 {
        self.last = unordered;
        match self.slots[unordered as usize].next {
            NONE => unordered,
            left => self.order(unordered, left),
        }
    }

    /// Puts a packet and those `left` in order. Returns the first.
    #[inline(never)]
    fn order(&mut self, mut first: u32, mut left: u32) -> u32 {
        self.slots[first as usize].next = NONE;
        // The last one that was put here comes first; most often it is also the last to arrive.
        for _ in 0..LONG {
            let next = self.slots[left as usize].next;
            first = self.merged(first, left);
            if self.slots[self.last as usize].next == left {
                self.last = left;
            }
            left = next;
            if left == NONE {
                return first;
            }
        }
        self.sorted(first, left)
    }

    /// Sorts two lists into one. Returns the first packet.
    #[cold]
    fn sorted(&mut self, one: u32, other: u32) -> u32 {
        let mut sorting = std::mem::take(&mut self.sorting);
        sorting.clear();
        for mut slot in [one, other] {
            while let Some(&(mut packet)) = self.slots.get(slot as usize) {
                std::mem::swap(&mut packet.next, &mut slot);
                sorting.add(packet, IN_FLIGHT);
            }
        }
        sorting.sort_unstable_by(Packet::arrival_order);
        self.last = sorting.last().map_or(NONE, |last| last.next);
        let mut first = NONE;
        for &Packet { next: slot, .. } in sorting.iter().rev() {
            self.slots[slot as usize].next = std::mem::replace(&mut first, slot);
        }
        self.sorting = sorting;
        first
    }
}
