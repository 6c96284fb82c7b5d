//! The packets that a port accepted last, with the times at which they depart, for ports where sizes mix.
//!
//! A first-in-first-out port holds what departs after now, so what it holds follows from these. Nothing is taken
//! out: whether a port holds `k` packets is whether the `k`-th last one is still there, which takes one look and
//! no loop.

use crate::room;
use crate::units::Time;

/// A ring of departures and sizes.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    ring: Box<[(Time, u16)]>,
    /// Departure of the last packet noted; zero if there is none.
    last: Time,
    /// Packets noted; it may wrap around.
    noted: u32,
}

impl Recent {
    #[inline]
    fn slot(&self, number: u32) -> usize {
        number as usize & self.ring.len().wrapping_sub(1)
    }

    /// Makes room for `most` packets; those that are there are kept.
    #[inline]
    pub fn reach(&mut self, most: u32) {
        if most as usize > self.ring.len() {
            self.grow((most as usize).next_power_of_two());
        }
    }

    #[cold]
    fn grow(&mut self, room: usize) {
        let mut larger = Recent {
            ring: room::filled((Time::ZERO, 0), room, "packets at ports").into(),
            last: self.last,
            noted: self.noted,
        };
        for back in 1..=self.ring.len() as u32 {
            let number = self.noted.wrapping_sub(back);
            let slot = larger.slot(number);
            larger.ring[slot] = self.ring[self.slot(number)];
        }
        *self = larger;
    }

    /// Notes a packet.
    #[inline]
    pub fn push(&mut self, departure: Time, bytes: u16) {
        self.reach(1);
        let slot = self.slot(self.noted);
        self.ring[slot] = (departure, bytes);
        self.last = departure;
        self.noted = self.noted.wrapping_add(1);
    }

    /// Departure and size of the `k`-th last packet, `k` from 1 to what the ring reaches; long ago if there were
    /// not as many.
    #[inline]
    pub fn back(&self, k: u32) -> (Time, u16) {
        self.ring[self.slot(self.noted.wrapping_sub(k))]
    }

    /// Departure of the last packet noted; zero if there is none.
    #[inline]
    pub fn last(&self) -> Time {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_remembers_as_far_back_as_it_reaches() {
        let mut recent = Recent { noted: u32::MAX - 20, ..Recent::default() };
        assert_eq!(recent.last(), Time::ZERO);
        for i in 0u32..50 {
            let reach = 1 + i / 3;
            recent.reach(reach);
            recent.push(Time::from_ps(u64::from(i) + 1), 7);
            for k in 1..=reach.min(i + 1) {
                assert_eq!(recent.back(k), (Time::from_ps(u64::from(i + 2 - k)), 7), "{i} {k}");
            }
        }
    }
}
