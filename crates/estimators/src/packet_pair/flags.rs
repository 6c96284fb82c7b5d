//! Reasons to doubt an estimate of the capacity, as a set of bits.

use crate::flags::flags;

flags! {
    /// There are fewer than eight pairs.
    FEW_PAIRS = "few pairs",
    /// Another mode is at least 0.8 times as high as the highest one.
    CLOSE_MODES = "close modes",
    /// More was acknowledged a second than the estimate, by more than its relative width.
    BELOW_THROUGHPUT = "below throughput",
    /// ACKs of different numbers of packets agree in ACKs a second: the way back spaced them.
    THIN_REVERSE_PATH = "thin reverse path",
    /// ACKs do not tell whether the way back spaced them: nearly all acknowledge the same number of packets.
    REVERSE_PATH_UNKNOWN = "reverse path unknown",
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
        assert_eq!(all.bits(), 31);
        assert_eq!((Flags::CLOSE_MODES | Flags::FEW_PAIRS).to_string(), "few pairs, close modes");
    }
}
