//! The capacity of a cell, by the rule that [`lte`](crate::lte) states.

use parshall_sim::random::Stream;
use parshall_sim::scenario::Capacity;
use parshall_sim::units::{Rate, Time};

/// The rate that the walk is drawn back to; fades make the mean less.
pub(crate) const MIDDLE: Rate = Rate::from_bps(12e6);

/// Length of the recording, after which it repeats, in milliseconds.
const PERIOD_MS: u64 = 20_000;
/// Time between steps.
const STEP_MS: u64 = 50;
/// Bits a millisecond in one level.
const LEVEL_BITS: u64 = 750;
const LEVELS: u64 = 32;
const HOME: u64 = 16;
/// One step in so many begins a fade.
const FADES: u64 = 80;
/// Steps that a fade lasts.
const FADE_STEPS: u64 = 8;
const PACKET_BYTES: u32 = 1500;

/// The capacity; the same whenever it is asked for.
pub(crate) fn capacity() -> Capacity {
    let packet_bits = u64::from(PACKET_BYTES) * 8;
    let (mut times, mut bits) = (Vec::new(), 0);
    for (step, level) in (0..).zip(levels()) {
        for ms in step * STEP_MS..(step + 1) * STEP_MS {
            bits += level * LEVEL_BITS;
            while bits >= packet_bits {
                bits -= packet_bits;
                times.push(Time::from_ps((ms + 1) * 1_000_000_000));
            }
        }
    }
    Capacity { times, period: Time::from_ps(PERIOD_MS * 1_000_000_000), bytes: PACKET_BYTES }
}

/// The level of each step, from 1 to [`LEVELS`].
fn levels() -> impl Iterator<Item = u64> {
    let mut draws = Stream::new(1, "parshall-testkit/lte");
    let (mut level, mut fades) = (HOME, 0u64);
    (0..PERIOD_MS / STEP_MS).map(move |_| {
        // Up to three levels either way, one step in four towards the mean.
        let to_the_mean = draws.below(4) == 0;
        level = match to_the_mean {
            true if level < HOME => level + 1,
            true if level > HOME => level - 1,
            _ => (level + draws.below(7)).saturating_sub(3).clamp(1, LEVELS),
        };
        fades = if fades > 0 { fades - 1 } else { FADE_STEPS * u64::from(draws.below(FADES) == 0) };
        if fades > 0 {
            1
        } else {
            level
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capacity_is_what_the_documentation_says() {
        let capacity = capacity();
        let bits = capacity.times.len() as f64 * f64::from(PACKET_BYTES) * 8.0;
        let mean = bits / capacity.period.secs();
        assert_eq!(format!("{:.1}", mean / 1e6), "10.4");
        assert_eq!(HOME * LEVEL_BITS * 1000, MIDDLE.bps() as u64);
        assert!(capacity.times.is_sorted() && *capacity.times.last().expect("times") <= capacity.period);
        let levels: Vec<_> = levels().collect();
        assert_eq!((levels.iter().min(), levels.len() as u64), (Some(&1), PERIOD_MS / STEP_MS));
        assert!(levels.iter().max() > Some(&24), "it comes near 24 Mbit/s");
        let fades =
            levels.chunk_by(|a, b| a == b).filter(|run| run[0] == 1 && run.len() as u64 >= FADE_STEPS);
        assert_eq!(fades.count(), 2);
    }
}
