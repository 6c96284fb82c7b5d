//! The estimation interval under way.

use super::super::fixed::{div_round, round_shift, Fixed, ONE, SCALE};
use super::super::flags::Flags;
use super::{Partial, Settings};

#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Sums {
    pub samples: u32,
    pub usable: i64,
    empty: i64,
    us: i64,
    pub z0: i64,
    /// Bytes in a round trip, z + D; the others are packets.
    pub offered: i64,
    pub rtt: i64,
    pub arrived: u64,
    accepted: u64,
    signals: u64,
    regressions: i64,
    p: i64,
    p_squared: i64,
    pub flags: Flags,
}

impl Sums {
    /// Adds a usable sampling interval, whose R0, z0 and z + D (in bytes) are given.
    pub fn add(
        &mut self,
        fixed: &mut Fixed,
        ended: &Partial,
        packets: i64,
        (rtt, z0, offered): (i64, i64, i64),
        us: i64,
    ) {
        self.usable += 1;
        self.empty += i64::from(packets < ONE / 2);
        self.us = self.us.saturating_add(us);
        self.z0 = fixed.add(self.z0, z0);
        self.offered = fixed.add(self.offered, offered);
        self.rtt = fixed.add(self.rtt, rtt);
        self.arrived = self.arrived.saturating_add(ended.arrived);
        self.accepted = self.accepted.saturating_add(ended.arrived.saturating_sub(ended.dropped));
        self.signals = self.signals.saturating_add(ended.dropped + ended.marked);
    }

    /// Adds the p of a step of the recursion.
    pub fn regress(&mut self, p: i64) {
        self.regressions += 1;
        self.p += p;
        self.p_squared += p * p;
    }

    /// `Var p / E[p^2]`, scaled. The squares keep 28 bits after the point.
    pub fn excitation(&self, fixed: &mut Fixed) -> i64 {
        let count = self.regressions.max(1);
        let mean = div_round(self.p, count);
        let mean_square = div_round(self.p_squared, count);
        if mean_square == 0 {
            return 0;
        }
        fixed.div((mean_square - mean * mean).max(0), mean_square)
    }

    pub fn findings(&self, settings: &Settings) -> Flags {
        // In packets, which keeps the product with the time small.
        let accepted = div_round(self.accepted.min(i64::MAX as u64) as i64, settings.mean_packet_bytes);
        let possible = round_shift(settings.capacity, SCALE).saturating_mul(self.us) / 1_000_000;
        Flags::EMPTY_QUEUE.when(self.empty * 10 >= self.usable)
            | Flags::NOT_CONGESTED.when(accepted.saturating_mul(100) < possible.saturating_mul(95))
            | Flags::NO_DROPS.when(self.signals == 0)
            | Flags::START_DEPENDENT.when(settings.multi_hop)
    }
}
