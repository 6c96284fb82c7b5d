//! What makes an estimate doubtful, as a set of bits.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// A set of reasons to doubt an [`Estimate`](super::Estimate); empty when there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// No reason to doubt.
    pub const NONE: Flags = Flags(0);
    /// The signal probability varied too little to tell the parameters apart.
    pub const LOW_EXCITATION: Flags = Flags(1);
    /// The queue was found empty in a tenth of the samples or more: its equation does not hold then.
    pub const EMPTY_QUEUE: Flags = Flags(1 << 1);
    /// Less was accepted than 95 % of what the link can send.
    pub const NOT_CONGESTED: Flags = Flags(1 << 2);
    /// No packet was dropped or marked in the interval.
    pub const NO_DROPS: Flags = Flags(1 << 3);
    /// Filters, differences or the delay line were not filled throughout the interval.
    pub const WARMING_UP: Flags = Flags(1 << 4);
    /// A sample of the interval could not be used.
    pub const BAD_SAMPLE: Flags = Flags(1 << 5);
    /// The parameters had no meaning or the share left [0, 1], and was put at its limit.
    pub const OUT_OF_RANGE: Flags = Flags(1 << 6);
    /// The load of responsive flows was extrapolated in the absence of drops for a part of the interval (2.17).
    pub const EXTRAPOLATED: Flags = Flags(1 << 7);
    /// The data do not determine the estimate: it depends on the start value for ever (the multi-hop form).
    pub const START_DEPENDENT: Flags = Flags(1 << 8);
    /// A number left the range of the fixed-point arithmetic and was put at its limit.
    pub const SATURATED: Flags = Flags(1 << 9);

    const NAMES: [(Flags, &'static str); 10] = [
        (Flags::LOW_EXCITATION, "low excitation"),
        (Flags::EMPTY_QUEUE, "empty queue"),
        (Flags::NOT_CONGESTED, "not congested"),
        (Flags::NO_DROPS, "no drops"),
        (Flags::WARMING_UP, "warming up"),
        (Flags::BAD_SAMPLE, "bad sample"),
        (Flags::OUT_OF_RANGE, "out of range"),
        (Flags::EXTRAPOLATED, "extrapolated"),
        (Flags::START_DEPENDENT, "start dependent"),
        (Flags::SATURATED, "saturated"),
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
        assert_eq!(all.bits(), 1023);
        assert_eq!((Flags::NO_DROPS | Flags::EMPTY_QUEUE).to_string(), "empty queue, no drops");
        assert_eq!(Flags::NONE.to_string(), "");
        assert!(Flags::NONE.is_empty() && !all.is_empty());
    }

    #[test]
    fn a_flag_is_kept_or_left() {
        assert_eq!(Flags::NO_DROPS.when(true), Flags::NO_DROPS);
        assert_eq!(Flags::NO_DROPS.when(false), Flags::NONE);
    }
}
