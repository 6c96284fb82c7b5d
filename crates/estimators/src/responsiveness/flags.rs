//! What makes an estimate doubtful, as a set of bits.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// A set of reasons to doubt an [`Estimate`](super::Estimate); empty when there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// No reason to doubt.
    pub const NONE: Flags = Flags(0);
    /// Less than half of the watched packets belong to flows that have shown what they do: too few drops or marks so far,
    /// or too many flows that are too short.
    pub const LOW_EXCITATION: Flags = Flags(1);
    /// No packet arrived.
    pub const NO_PACKETS: Flags = Flags(1 << 1);
    /// No packet was dropped or marked in the interval: the share rests on what was seen before.
    pub const NO_SIGNALS: Flags = Flags(1 << 2);
    /// Half of the watched packets have not yet belonged to flows that have shown what they do, in any interval.
    pub const WARMING_UP: Flags = Flags(1 << 3);
    /// A packet of the interval could not be used: its time was not finite, or before the last one's.
    pub const BAD_SAMPLE: Flags = Flags(1 << 4);
    /// More than a twentieth of the packets belong to flows that the table has no room for; a sample of flows
    /// stands for them.
    pub const SAMPLED: Flags = Flags(1 << 5);

    const NAMES: [(Flags, &'static str); 6] = [
        (Flags::LOW_EXCITATION, "low excitation"),
        (Flags::NO_PACKETS, "no packets"),
        (Flags::NO_SIGNALS, "no signals"),
        (Flags::WARMING_UP, "warming up"),
        (Flags::BAD_SAMPLE, "bad sample"),
        (Flags::SAMPLED, "sampled"),
    ];

    /// Whether every flag of `others` is set.
    pub fn contains(self, others: Flags) -> bool {
        self.0 & others.0 == others.0
    }

    /// Whether no flag is set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set as bits, in the order of the constants.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// `self` if `holds`, else nothing.
    pub(super) fn when(self, holds: bool) -> Flags {
        if holds {
            self
        } else {
            Flags::NONE
        }
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, others: Flags) -> Flags {
        Flags(self.0 | others.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, others: Flags) {
        self.0 |= others.0;
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (flag, name) in Flags::NAMES {
            if self.contains(flag) {
                write!(f, "{separator}{name}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_distinct_bits_with_a_name_each() {
        let all = Flags::NAMES.iter().fold(Flags::NONE, |set, &(flag, _)| {
            assert_eq!(flag.bits().count_ones(), 1);
            assert!(!set.contains(flag));
            set | flag
        });
        assert_eq!(all.bits(), 63);
        assert_eq!((Flags::WARMING_UP | Flags::NO_SIGNALS).to_string(), "no signals, warming up");
        assert!(Flags::NONE.is_empty() && !all.is_empty());
    }
}
