//! The network's time in picoseconds, and smoltcp's in microseconds.

use parshall_sim::units::Time;
use smoltcp::time::Instant;

const PS_PER_MICROSECOND: u64 = 1_000_000;

/// Reads a clock that counts microseconds.
pub(crate) fn shown(now: Time) -> Instant {
    let micros = now.ps() / PS_PER_MICROSECOND;
    Instant::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
}

/// When a timer expires that was asked for at `now`: at its microsecond, or at the next one if that has begun.
pub(crate) fn expiry(timer: Instant, now: Time) -> Time {
    let timer = u64::try_from(timer.total_micros()).unwrap_or(0);
    let next = now.ps() / PS_PER_MICROSECOND + 1;
    Time::from_ps(timer.max(next).saturating_mul(PS_PER_MICROSECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_ahead_comes_when_the_clock_shows_it_and_no_sooner() {
        for (timer, now) in [(7, 0), (7, 6_999_999), (1_000_000, 6_000_000)] {
            let at = expiry(Instant::from_micros(timer), Time::from_ps(now));
            assert_eq!(shown(at), Instant::from_micros(timer));
            assert!(shown(Time::from_ps(at.ps() - 1)) < Instant::from_micros(timer));
        }
    }

    #[test]
    fn a_timer_that_has_passed_comes_at_the_next_microsecond() {
        for timer in [-5, 0, 5, 6] {
            let at = |now| expiry(Instant::from_micros(timer), Time::from_ps(now)).ps();
            assert_eq!((at(6_000_000), at(6_999_999)), (7_000_000, 7_000_000));
        }
    }
}
