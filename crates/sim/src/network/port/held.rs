//! Packets that a plain port holds, and its room for one more.

use super::{Port, PortKind};
use crate::units::Time;

/// Space in a port whose packets are noted one by one.
enum Space {
    None,
    Some,
    /// If the first packet, of this size, leaves before the one that arrives at that instant.
    Tie(u16),
    /// By the rule for packets of one size: no others are held any more.
    OneSize,
}

impl Port {
    /// Returns whether a plain port that is busy can hold one packet more.
    #[inline(always)]
    pub(super) fn has_room(
        &mut self,
        kind: &PortKind,
        now: Time,
        bytes: u16,
        transmission: Time,
        lead: impl Fn() -> Time + Copy,
    ) -> bool {
        if self.mixed || bytes != self.newest_bytes {
            return match self.space_for_mixed(kind, now, bytes) {
                Space::Some => true,
                Space::None => false,
                Space::Tie(leaving) => {
                    let room = lead() <= kind.transmission(leaving);
                    if room {
                        self.most_held = kind.limit_packets;
                    }
                    room
                }
                Space::OneSize => self.has_room_for_one_more(kind, now, transmission, lead),
            };
        }
        self.has_room_for_one_more(kind, now, transmission, lead)
    }

    /// Returns whether there is room for a packet of the same size as those held.
    #[inline(always)]
    fn has_room_for_one_more(
        &mut self,
        kind: &PortKind,
        now: Time,
        transmission: Time,
        lead: impl Fn() -> Time + Copy,
    ) -> bool {
        let held = self.held_of_one_size(now, transmission);
        if kind.ties
            && held + 1 == kind.limit_packets
            && self.is_tie(held, now, transmission)
            && lead() > transmission
        {
            return false;
        }
        let room = held < kind.limit_packets;
        self.most_held = self.most_held.max(held + u32::from(room));
        room
    }

    /// Returns whether the last packet leaves at `now` and the arriving one comes before that.
    #[inline]
    pub(super) fn leaves_later(&self, kind: &PortKind, now: Time, lead: impl Fn() -> Time + Copy) -> bool {
        self.busy_until == now && self.newest_bytes > 0 && lead() > kind.transmission(self.newest_bytes)
    }

    /// Keeps [`Port::first_burst`], before a packet is accepted.
    #[inline]
    pub(super) fn note_burst(
        &mut self,
        kind: &PortKind,
        now: Time,
        bytes: u16,
        transmission: Time,
        lead: impl Fn() -> Time + Copy,
    ) {
        self.first_burst = if self.busy_until <= now {
            // Behind a packet that leaves now it does not find the link idle.
            u16::from(!self.leaves_later(kind, now, lead))
        } else if self.first_burst > 0 && bytes == self.newest_bytes && self.began_at(now, transmission) {
            self.first_burst.saturating_add(1)
        } else {
            0
        };
    }

    /// Returns whether the link began at `now` to transmit packets that came at once.
    fn began_at(&self, now: Time, transmission: Time) -> bool {
        self.busy_until - now == Time::from_ps(u64::from(self.first_burst) * transmission.ps())
    }

    /// Packets in a busy port, if all are of one size.
    #[inline]
    pub(super) fn held_of_one_size(&self, now: Time, transmission: Time) -> u32 {
        (self.busy_until - now).ps().div_ceil(transmission.ps()) as u32
    }

    /// Returns whether one packet leaves at `now` and the `held` others, of its size, later.
    fn is_tie(&self, held: u32, now: Time, transmission: Time) -> bool {
        let ends = self.busy_until - now == Time::from_ps(u64::from(held) * transmission.ps());
        ends && !(self.first_burst > 0 && self.began_at(now, transmission))
    }

    /// Looks for space for a packet of any size; all that are held are noted.
    #[inline(never)]
    fn space_for_mixed(&mut self, kind: &PortKind, now: Time, bytes: u16) -> Space {
        if !self.mixed {
            self.note_all(kind, now);
        }
        let overflow = self.overflow.get_or_insert_default();
        if bytes != self.newest_bytes {
            overflow.mixed_until = self.busy_until;
        } else if overflow.mixed_until <= now {
            self.mixed = false;
            return Space::OneSize;
        }
        if overflow.recent.last() != self.busy_until {
            overflow.recent.push(self.busy_until, self.newest_bytes);
        }
        // It has never held more than `most`, so it does now if the first of so many is still there.
        let most = self.most_held.max(1);
        let limit = kind.limit_packets;
        // Where counting has just started, `most` leaves out a packet that leaves at that instant and may fill the port.
        if kind.ties && most >= limit - 1 {
            let (departure, leaving) = overflow.recent.back(limit);
            if departure == now && leaving > 0 {
                return Space::Tie(leaving);
            }
        }
        if overflow.recent.back(most).0 > now {
            if most >= limit {
                return Space::None;
            }
            self.most_held = most + 1;
            overflow.recent.reach(most + 1 + u32::from(kind.ties));
        }
        Space::Some
    }

    /// A packet of another size comes to those that wait: all are noted until there is one size again.
    #[cold]
    fn note_all(&mut self, kind: &PortKind, now: Time) {
        self.mixed = true;
        let transmission = kind.transmission(self.newest_bytes);
        let held = (self.busy_until - now).ps().div_ceil(transmission.ps());
        // Where ties matter, one that leaves now is noted too.
        let noted = held + u64::from(kind.ties && self.is_tie(held as u32, now, transmission));
        let recent = &mut self.overflow.get_or_insert_default().recent;
        recent.reach(self.most_held.max(1) + u32::from(kind.ties));
        for later in (0..noted).rev() {
            let departure = self.busy_until - Time::from_ps(later * transmission.ps());
            if departure > recent.last() {
                recent.push(departure, self.newest_bytes);
            }
        }
    }
}
