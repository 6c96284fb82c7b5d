//! Expiry of Linux's timers (`calc_wheel_index()` in `kernel/time/timer.c`), whose clock ticks 250 times a second. Timers lie
//! in buckets that are wider the later they are due, so that one of a quarter of a second or more expires up to 32 ms late,
//! and one of two seconds up to 256 ms.

use crate::units::Time;

/// A tick of a kernel with `HZ` 250.
const TICK_PS: u64 = 4_000_000_000;
/// Ticks from which on a timer lies in the second level; in each level after that there are eight times as many.
const FIRST_LEVEL: u64 = 63;
/// Binary digits by which a level is coarser than the one before, and the number of levels.
const LEVEL_BITS: u32 = 3;
const LEVELS: u32 = 9;
/// `TCP_TIMEOUT_MIN_US`: what timers of probes and of reordering allow beyond their time.
pub const LEAST_WAIT: Time = Time::from_ps(2 * TICK_PS);

/// Time at which a timer expires that is set at `now` to expire after so long.
#[inline]
pub fn expiry(now: Time, after: Time) -> Time {
    if after == Time::NEVER {
        return Time::NEVER;
    }
    let ticks = after.ps().div_ceil(TICK_PS);
    let due = now.ps() / TICK_PS + ticks;
    let level =
        (0..LEVELS - 1).find(|level| ticks < FIRST_LEVEL << (level * LEVEL_BITS)).unwrap_or(LEVELS - 1);
    let shift = level * LEVEL_BITS;
    let bucket = ((due >> shift) + 1) << shift;
    bucket.checked_mul(TICK_PS).map_or(Time::NEVER, Time::from_ps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    #[test]
    fn longer_timers_lie_in_wider_buckets() {
        // The bucket is the one after that in which the timer is due.
        assert_eq!(expiry(ms(1000), ms(200)), ms(1204));
        assert_eq!(expiry(ms(1001), ms(200)), ms(1204));
        assert_eq!(expiry(ms(0), ms(248)), ms(252));
        assert_eq!(expiry(ms(0), ms(256)), ms(288));
        assert_eq!(expiry(ms(0), ms(1000)), ms(1024));
        assert_eq!(expiry(ms(0), ms(4000)), ms(4096));
        assert_eq!(expiry(ms(0), Time::NEVER), Time::NEVER);
    }

    proptest! {
        /// Late by an eighth of the wait at most, and a tick or two.
        #[test]
        fn timers_are_late_by_less_than_a_bucket(now in 0u64..1 << 50, after in 0u64..1 << 50) {
            let late = expiry(Time::from_ps(now), Time::from_ps(after)).ps() - now;
            prop_assert!(late >= after && late - after <= after / 7 + 2 * TICK_PS, "{late}");
        }
    }
}
