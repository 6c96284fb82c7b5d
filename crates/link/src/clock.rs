//! Clocks: that of the scenario, and that by which the kernel says when a datagram came.

use std::time::{Duration, Instant, SystemTime};

use parshall_sim::units::Time;

/// The scenario's clock, which starts with the first datagram.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    started: Option<Instant>,
}

impl Clock {
    /// Lets it start at this instant, if it has not started yet.
    pub fn start(&mut self, at: Instant) {
        self.started.get_or_insert(at);
    }

    pub fn has_started(&self) -> bool {
        self.started.is_some()
    }

    /// The scenario's time; 0 before it has started.
    pub fn now(&self) -> Time {
        self.time_of(Instant::now())
    }

    /// The scenario's time at an instant; 0 at those before the start.
    pub fn time_of(&self, instant: Instant) -> Time {
        let since = self.started.map_or(Duration::ZERO, |started| instant.saturating_duration_since(started));
        Time::from_ps((since.as_nanos() as u64).saturating_mul(1000))
    }
}

/// The clock of the relay and that of the system, read together.
pub(crate) struct Reading {
    instant: Instant,
    system: Duration,
}

impl Reading {
    /// Datagrams do not wait longer than this, unless somebody has set the system's clock.
    const LONGEST: Duration = Duration::from_secs(10);

    /// Datagrams do not come later than this after the clocks were read, unless somebody has set the system's.
    const LATEST: Duration = Duration::from_millis(20);

    pub fn now() -> Self {
        let instant = Instant::now();
        let system = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Reading { instant, system }
    }

    /// When the clocks were read.
    pub fn instant(&self) -> Instant {
        self.instant
    }

    /// The instant of a time that the kernel gives; that of the reading, if it gives none.
    pub fn instant_of(&self, at: Option<Duration>) -> Instant {
        let Some(at) = at else { return self.instant };
        match self.system.checked_sub(at) {
            Some(ago) if ago < Reading::LONGEST => self.instant.checked_sub(ago).unwrap_or(self.instant),
            Some(_) => self.instant,
            None => self.instant + (at - self.system).min(Reading::LATEST),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_datagram_starts_the_clock() {
        let (mut clock, first) = (Clock::default(), Instant::now());
        assert_eq!((clock.has_started(), clock.now()), (false, Time::ZERO));
        clock.start(first);
        clock.start(first + Duration::from_secs(1));
        assert!(clock.has_started());
        assert_eq!(clock.time_of(first + Duration::from_millis(3)), Time::ms(3.0));
        assert_eq!(clock.time_of(first - Duration::from_millis(3)), Time::ZERO);
    }

    #[test]
    fn times_of_the_kernel_become_instants_unless_a_clock_was_set() {
        let now = Instant::now();
        let reading = Reading { instant: now, system: Duration::from_secs(1000) };
        let of = |seconds: f64| reading.instant_of(Some(Duration::from_secs_f64(seconds)));
        assert_eq!(of(999.5), now - Duration::from_millis(500));
        assert_eq!(of(1000.01), now + Duration::from_millis(10));
        assert_eq!(of(500.0), now);
        assert_eq!(of(2000.0), now + Reading::LATEST);
        assert_eq!(reading.instant_of(None), now);
    }
}
