//! The packets that a port accepted last, with the times at which they depart.
//!
//! A first-in-first-out port holds what departs after now, so what it holds follows from these. Nothing is taken
//! out: whether a port holds `k` packets is whether the `k`-th last one is still there, which takes one look and
//! no loop.

use crate::units::Time;

/// A ring of departures and sizes. Packets are numbered by a count that may wrap around.
#[derive(Clone, Debug, Default)]
pub struct Recent(Vec<(Time, u16)>);

impl Recent {
    fn slot(&self, number: u32) -> usize {
        number as usize & (self.0.len() - 1)
    }

    /// Makes room to look `most` packets back from packet `newest`; what lies within the old room is kept.
    pub fn reach(&mut self, most: u32, newest: u32) {
        let room = (most as usize + 1).next_power_of_two();
        if room <= self.0.len() {
            return;
        }
        let mut larger = Recent(vec![(Time::ZERO, 0); room]);
        for back in 0..self.0.len() as u32 {
            let number = newest.wrapping_sub(back);
            let slot = larger.slot(number);
            larger.0[slot] = self.0[self.slot(number)];
        }
        *self = larger;
    }

    /// Notes packet `number`.
    #[inline]
    pub fn note(&mut self, number: u32, departure: Time, size: u16) {
        let slot = self.slot(number);
        self.0[slot] = (departure, size);
    }

    /// Departure and size of packet `number`, or of one long gone if that has not been noted.
    #[inline]
    pub fn get(&self, number: u32) -> (Time, u16) {
        self.0[self.slot(number)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_remembers_as_far_back_as_it_reaches() {
        let mut recent = Recent::default();
        let start = u32::MAX - 20;
        for i in 0u32..50 {
            let number = start.wrapping_add(i);
            recent.reach(1 + i / 3, number.wrapping_sub(1));
            recent.note(number, Time::from_ps(u64::from(i) + 1), 7);
            for back in 0..=(i / 3).min(i) {
                let expected = Time::from_ps(u64::from(i - back) + 1);
                assert_eq!(recent.get(number.wrapping_sub(back)), (expected, 7), "{i} {back}");
            }
        }
    }
}
