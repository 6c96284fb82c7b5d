//! Links that serve at recorded instants.

use std::sync::Arc;

use crate::scenario::Capacity;
use crate::units::Time;

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
        while self.at() < earliest || self.left == 0 {
            self.next();
        }
        self.at()
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

    #[test]
    fn what_is_not_used_is_gone() {
        let mut service = trace(&[0.1, 0.2], 1.0);
        assert_eq!(end(&mut service, 0.0, 100), 0.1);
        assert_eq!(end(&mut service, 0.15, 100), 0.2);
    }
}
