//! Reasons to doubt an estimate, as a set of bits.

use crate::flags::flags;

flags! {
    /// The signal probability varied too little to tell the parameters apart.
    LOW_EXCITATION = "low excitation",
    /// The queue was found empty in a tenth of the samples or more: its equation does not hold then.
    EMPTY_QUEUE = "empty queue",
    /// Less was accepted than 95 % of what the link can send.
    NOT_CONGESTED = "not congested",
    /// No packet was dropped or marked in the interval.
    NO_DROPS = "no drops",
    /// Filters, differences or the delay line were not filled throughout the interval.
    WARMING_UP = "warming up",
    /// A sample of the interval could not be used.
    BAD_SAMPLE = "bad sample",
    /// The parameters had no meaning or the share left [0, 1], and was put at its limit.
    OUT_OF_RANGE = "out of range",
    /// The load of responsive flows was extrapolated in the absence of drops for a part of the interval (2.17).
    EXTRAPOLATED = "extrapolated",
    /// The data do not determine the estimate: it depends on the start value for ever (the multi-hop form).
    START_DEPENDENT = "start dependent",
    /// A number left the range of the fixed-point arithmetic and was put at its limit.
    SATURATED = "saturated",
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
