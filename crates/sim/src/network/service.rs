//! How fast a link serves: at a constant rate, or at recorded instants.

use std::sync::Arc;

use crate::scenario::Capacity;
use crate::units::{Rate, Time};

/// Serves packets one after the other.
#[derive(Clone, Debug)]
pub enum Service {
    /// A constant rate.
    Constant {
        /// Of the link.
        ps_per_byte: f64,
    },
    /// Recorded instants.
    Trace(Box<Trace>),
}

impl Service {
    /// The service of a link.
    pub fn new(rate: Rate, capacity: Option<&Arc<Capacity>>) -> Self {
        match capacity {
            None => Service::Constant { ps_per_byte: rate.ps_per_byte() },
            Some(capacity) => Service::Trace(Box::new(Trace::new(capacity.clone()))),
        }
    }

    /// Start and end of the transmission of a packet that can start at `earliest`.
    #[inline]
    pub fn transmit(&mut self, earliest: Time, bytes: u16) -> (Time, Time) {
        match self {
            Service::Constant { ps_per_byte } => {
                // At least one picosecond, so that no two packets leave at one instant.
                let duration = ((f64::from(bytes) * *ps_per_byte + 0.5) as u64).max(1);
                (earliest, earliest + Time::from_ps(duration))
            }
            Service::Trace(trace) => trace.transmit(earliest, bytes),
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
    fn new(capacity: Arc<Capacity>) -> Self {
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

    fn transmit(&mut self, earliest: Time, bytes: u16) -> (Time, Time) {
        while self.at() < earliest || self.left == 0 {
            self.next();
        }
        let start = self.at();
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

    fn trace(times: &[f64], period: f64) -> Service {
        let capacity = Capacity {
            times: times.iter().map(|&t| Time::from_secs(t)).collect(),
            period: Time::from_secs(period),
            bytes: 1500,
        };
        Service::new(Rate::from_bps(1.0), Some(&Arc::new(capacity)))
    }

    fn end(service: &mut Service, earliest: f64, bytes: u16) -> f64 {
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
