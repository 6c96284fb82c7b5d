//! Width and number of buckets that fit the arriving packets.

use super::{Calendar, Census, NONE, NOWHERE};
use crate::packet::Packet;

impl Calendar {
    /// Looks whether the buckets fit what arrived: a few packets in each that holds any, not too many in vain,
    /// and few packets beyond the wheel.
    #[cold]
    pub(super) fn fit(&mut self) {
        let Census { opened, taken, far, base } = self.census;
        self.census = Census { opened: 0, taken: 0, far: 0, base: self.base };
        let passed = self.base - base;
        self.sparse = passed.div_ceil(taken.max(1)).clamp(1, 64);
        self.short = self.in_flight >= if self.short { self.many / 4 } else { self.many };
        let (buckets, most) = (self.buckets.len(), self.most_buckets());
        let fitting = if 256 * far > taken { 2 * buckets } else { buckets }.min(most);
        // Narrower ones would not part packets of one instant, and soon be too narrow for the gaps between.
        if taken > 10 * opened && passed <= 32 * taken && self.shift > 0 {
            self.change(self.shift - 1, fitting);
        } else if fitting != buckets {
            self.change(self.shift, fitting);
        } else if passed > 64 * taken {
            self.change(self.shift + 1, buckets / 2);
        }
    }

    /// Lays out other buckets, and all packets anew.
    fn change(&mut self, shift: u32, buckets: usize) {
        self.base = (self.base << self.shift) >> shift;
        self.open = self.base;
        self.shift = shift;
        self.first = NONE;
        let far = self.lay_out(buckets);
        for slot in 0..self.slots.len() as u32 {
            let Packet { at, hop, .. } = self.slots[slot as usize];
            if hop == NOWHERE {
                continue;
            }
            self.put_closed(at.ps() >> shift, slot);
        }
        far.into_iter().for_each(|list| self.put_all(list));
        self.census = Census { opened: 0, taken: 0, far: 0, base: self.base };
    }
}
