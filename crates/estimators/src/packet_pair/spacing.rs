//! Which way spaced the ACKs: the way of the packets, or the way back.

use super::{Flags, Pair};

/// Fewest pairs of another kind that can tell.
const TELLING: usize = 4;

/// Compares pairs that acknowledge another number of packets than most of those at the mode `rate` do. Spaced by the
/// bottleneck they lie at the same rate in packets a second, spaced by the way back at the same rate in ACKs a second.
pub(super) fn flags(pairs: &[Pair], rate: f64, width: f64) -> Flags {
    let near = |x: f64, y: f64| (x - y).abs() <= width * y;
    let single = pairs.iter().filter(|pair| near(pair.rate, rate));
    let (ones, all) =
        single.fold((0, 0), |(ones, all), pair| (ones + usize::from(pair.packets == 1), all + 1));
    // Most acknowledge one packet or several; of several, take it to be two.
    let usual = if 2 * ones >= all { 1 } else { 2 };
    let mut by_packets = 0;
    let mut by_acks = 0;
    for pair in pairs.iter().filter(|pair| pair.packets != usual) {
        by_packets += usize::from(near(pair.rate, rate));
        by_acks += usize::from(near(pair.rate, rate * f64::from(pair.packets) / f64::from(usual)));
    }
    if by_acks >= TELLING && by_acks > by_packets {
        Flags::THIN_REVERSE_PATH
    } else {
        Flags::REVERSE_PATH_UNKNOWN.when(by_packets < TELLING)
    }
}
