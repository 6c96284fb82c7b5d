//! Reasons to doubt an estimate, as a set of bits.

use crate::flags::flags;

flags! {
    /// Less than half of the watched packets belong to flows with a label: too few drops or marks so far, too many flows
    /// that are too short, or flows that do what both kinds do.
    LOW_EXCITATION = "low excitation",
    /// No packet arrived.
    NO_PACKETS = "no packets",
    /// No packet was dropped or marked in the interval: the share rests on what was seen before.
    NO_SIGNALS = "no signals",
    /// Half of the watched packets have not yet belonged to flows with a label, in any interval.
    WARMING_UP = "warming up",
    /// A packet of the interval could not be used: its time was not finite, or before the last one's.
    BAD_SAMPLE = "bad sample",
    /// More than a twentieth of the packets belong to flows that the table has no room for; a sample of flows
    /// stands for them.
    SAMPLED = "sampled",
    /// The bounds are further apart than 0.2: the share is unknown.
    DOUBTFUL = "doubtful",
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
        assert_eq!(all.bits(), 127);
        assert_eq!((Flags::WARMING_UP | Flags::NO_SIGNALS).to_string(), "no signals, warming up");
        assert!(Flags::NONE.is_empty() && !all.is_empty());
    }
}
