//! The clock that a sender reads round-trip times from.

use crate::units::Time;

/// An exact clock, or one that ticks.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    tick: Time,
    phase: Time,
}

impl Clock {
    /// A clock that ticks every `tick` (exact if zero) and whose first tick comes `tick - phase` into the run.
    pub fn new(tick: Time, phase: Time) -> Self {
        Clock { tick, phase }
    }

    /// The time from `start` to `end` as this clock shows it, in seconds: tick boundaries passed, at least one.
    // [RFC 7323 4.1-a]
    pub fn elapsed(&self, start: Time, end: Time) -> f64 {
        if self.tick == Time::ZERO {
            return (end - start).secs();
        }
        let ticks = |t: Time| (t + self.phase).ps() / self.tick.ps();
        (ticks(end) - ticks(start)).max(1) as f64 * self.tick.secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(s: f64) -> Time {
        Time::from_secs(s)
    }

    #[test]
    fn an_exact_clock_shows_the_duration() {
        let clock = Clock::new(Time::ZERO, Time::ZERO);
        assert_eq!(clock.elapsed(secs(1.0), secs(1.25)), 0.25);
    }

    #[test]
    // [RFC 7323 4.1-a]
    fn a_ticking_clock_counts_boundaries() {
        let clock = Clock::new(secs(0.01), secs(0.004));
        // Boundaries at 6, 16, 26 ms.
        assert_eq!(clock.elapsed(secs(0.005), secs(0.007)), 0.01);
        assert_eq!(clock.elapsed(secs(0.007), secs(0.027)), 0.02);
        assert_eq!(clock.elapsed(secs(0.007), secs(0.008)), 0.01);
    }
}
