//! Reasons to doubt an estimate of H, as a set of bits.

use crate::flags::flags;

flags! {
    /// H is not in (0, 1): no stationary series with that H exists. The series has a unit root or a trend, or was differenced
    /// once too often.
    OUT_OF_RANGE = "out of range",
    /// The search ended at its bound, and the best H lies at or beyond it.
    AT_BOUND = "at bound",
    /// The level of the series shifts, or has a trend: H is too high, and most of it may be the shift.
    LEVEL_SHIFT = "level shift",
    /// Blocks that do not vary were left out of R/S, which does not exist for them.
    CONSTANT_BLOCKS = "constant blocks",
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
        assert_eq!(all.bits().count_ones() as usize, Flags::NAMES.len());
        assert_eq!((Flags::AT_BOUND | Flags::OUT_OF_RANGE).to_string(), "out of range, at bound");
        assert!(Flags::NONE.is_empty() && !all.is_empty());
    }
}
