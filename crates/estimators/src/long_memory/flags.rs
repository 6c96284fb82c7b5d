//! What makes an estimate of H doubtful, as a set of bits.

use crate::flags::flags;

flags! {
    /// H is not in (0, 1): no stationary series with that H exists. The series has a unit root or a trend, or was differenced
    /// once too often.
    OUT_OF_RANGE = "out of range",
    /// The search ended at its bound, and the best H lies at or beyond it.
    AT_BOUND = "at bound",
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
