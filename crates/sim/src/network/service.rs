//! Service of a link that is not plain: at a rate, at one that changes, or at recorded instants.

use std::sync::Arc;

use super::port_kind::PortKind;
use super::rates::Rates;
use crate::scenario::Capacity;
use crate::units::Time;

/// Service of a link.
#[derive(Clone, Debug)]
pub enum Service {
    /// At the rate of its kind.
    Constant,
    /// At rates that follow one another.
    Changing(Rates),
    /// At recorded instants.
    Recorded(Trace),
}

impl Service {
    /// Tells if the time that a packet is in transmission depends on its size alone.
    pub fn is_constant(&self) -> bool {
        matches!(self, Service::Constant)
    }

    /// Tells if packets leave at recorded instants and take no time on the link.
    pub fn is_recorded(&self) -> bool {
        matches!(self, Service::Recorded(_))
    }

    /// Earliest start of a transmission from `earliest` on. Of a recorded capacity, opportunities not used before are gone.
    pub fn start(&mut self, earliest: Time) -> Time {
        match self {
            Service::Recorded(trace) => trace.start(earliest),
            Service::Constant | Service::Changing(_) => earliest,
        }
    }

    /// Start and end of the transmission of a packet that can start at `earliest`.
    pub fn transmit(&mut self, kind: &PortKind, earliest: Time, bytes: u16) -> (Time, Time) {
        match self {
            Service::Constant => (earliest, earliest + kind.transmission(bytes)),
            Service::Changing(rates) => (earliest, rates.end(earliest, bytes)),
            Service::Recorded(trace) => trace.transmit(earliest, bytes),
        }
    }
}

/// A link that may send a number of bytes at each recorded instant. What is not used then is gone. The recording
/// repeats from its end.
#[derive(Clone, Debug)]
pub struct Trace {
    capacity: Arc<Capacity>,
    /// Start of the current repetition.
    base: Time,
    /// The instant in use.
    index: usize,
    /// Bytes that it can still send.
    left: u32,
}

impl Trace {
    /// A link at the start of its recording.
    pub fn new(capacity: Arc<Capacity>) -> Self {
        let left = capacity.bytes;
        Trace { capacity, base: Time::ZERO, index: 0, left }
    }

    fn at(&self) -> Time {
        self.base + self.capacity.times[self.index]
    }

    fn next(&mut self) {
        self.left = self.capacity.bytes;
        self.index += 1;
        if self.index == self.capacity.times.len() {
            self.index = 0;
            self.base += self.capacity.period;
        }
    }

    /// The first instant from `earliest` on at which something may be sent. What is not used before it is gone.
    pub fn start(&mut self, earliest: Time) -> Time {
        if self.at() < earliest {
            self.skip_to(earliest);
        }
        if self.left == 0 {
            self.next();
        }
        self.at()
    }

    /// Goes to the first instant from `earliest` on, which lies ahead, in one step for whole repetitions.
    fn skip_to(&mut self, earliest: Time) {
        self.left = self.capacity.bytes;
        let Capacity { times, period, .. } = &*self.capacity;
        let last = self.base + times[times.len() - 1];
        if last < earliest {
            let repetitions = earliest.since(last).ps().div_ceil(period.ps());
            self.base += Time::from_ps(repetitions.saturating_mul(period.ps()));
            self.index = 0;
        }
        let within = earliest.since(self.base);
        self.index += times[self.index..].partition_point(|&time| time < within);
    }

    /// Start and end of the transmission of a packet that can start at `earliest`.
    pub fn transmit(&mut self, earliest: Time, bytes: u16) -> (Time, Time) {
        let start = self.start(earliest);
        let mut left = u32::from(bytes);
        loop {
            let sent = left.min(self.left);
            self.left -= sent;
            left -= sent;
            if left == 0 {
                return (start, self.at());
            }
            self.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn trace(times: &[f64], period: f64) -> Trace {
        let capacity = Capacity {
            times: times.iter().map(|&t| Time::from_secs(t)).collect(),
            period: Time::from_secs(period),
            bytes: 1500,
        };
        Trace::new(Arc::new(capacity))
    }

    fn end(service: &mut Trace, earliest: f64, bytes: u16) -> f64 {
        service.transmit(Time::from_secs(earliest), bytes).1.secs()
    }

    #[test]
    fn packets_leave_at_the_recorded_instants() {
        let mut service = trace(&[0.1, 0.2, 0.5], 1.0);
        assert_eq!(end(&mut service, 0.0, 1500), 0.1);
        assert_eq!(end(&mut service, 0.1, 1500), 0.2);
        assert_eq!(end(&mut service, 0.3, 1500), 0.5);
        assert_eq!(end(&mut service, 0.6, 1500), 1.1);
    }

    #[test]
    fn small_packets_share_an_instant_and_large_ones_need_two() {
        let mut service = trace(&[0.1, 0.2, 0.5], 1.0);
        assert_eq!(end(&mut service, 0.0, 700), 0.1);
        assert_eq!(end(&mut service, 0.1, 700), 0.1);
        assert_eq!(end(&mut service, 0.1, 700), 0.2);
    }

    proptest! {
        /// Going from instant to instant leads to the same one.
        #[test]
        fn a_leap_ends_where_steps_do(
            times in prop::collection::vec(0u64..20, 1..6),
            more in 0u64..5,
            packets in prop::collection::vec((0u64..200, 1u16..3000), 1..20),
        ) {
            let mut times: Vec<Time> = times.into_iter().map(Time::from_ps).collect();
            times.sort_unstable();
            let period = Time::from_ps((times[times.len() - 1].ps() + more).max(1));
            let mut leaps = Trace::new(Arc::new(Capacity { times, period, bytes: 1000 }));
            let mut steps = leaps.clone();
            let mut now = 0;
            for (gap, bytes) in packets {
                now += gap;
                let earliest = Time::from_ps(now);
                while steps.at() < earliest || steps.left == 0 {
                    steps.next();
                }
                prop_assert_eq!(leaps.start(earliest), steps.at());
                prop_assert_eq!(leaps.transmit(earliest, bytes), steps.transmit(earliest, bytes));
                now = now.max(steps.at().ps());
            }
        }
    }

    /// Going through the repetitions one by one would take a day.
    #[test]
    fn a_recording_of_a_picosecond_repeats_at_once() {
        let mut service = trace(&[0.0], 1e-12);
        assert_eq!(end(&mut service, 0.1, 1500), 0.1);
        assert_eq!(service.start(Time::from_secs(100.0)), Time::from_secs(100.0));
    }

    #[test]
    fn what_is_not_used_is_gone() {
        let mut service = trace(&[0.1, 0.2], 1.0);
        assert_eq!(end(&mut service, 0.0, 100), 0.1);
        assert_eq!(end(&mut service, 0.15, 100), 0.2);
    }
}
