//! Random delay of a link.

use crate::random::Stream;
use crate::units::Time;

/// Random delay on top of the propagation delay.
#[derive(Clone, Debug)]
pub struct Jitter {
    most: Time,
    reorder: bool,
    last: Time,
    stream: Stream,
}

impl Jitter {
    /// Delays drawn uniformly from 0 to `most`; unless `reorder`, a packet waits for those before it.
    pub fn new(most: Time, reorder: bool, stream: Stream) -> Self {
        Jitter { most, reorder, last: Time::ZERO, stream }
    }

    /// Arrival of a packet that would arrive at `arrival` without jitter.
    pub(super) fn delay(&mut self, arrival: Time) -> Time {
        let arrival = arrival + self.stream.time_between(Time::ZERO, self.most);
        if self.reorder {
            return arrival;
        }
        self.last = arrival.max(self.last + Time::from_ps(1));
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_keeps_the_order_unless_asked() {
        for reorder in [false, true] {
            let stream = Stream::new(1, "jitter");
            let mut jitter = Jitter::new(Time::from_secs(0.01), reorder, stream);
            let arrivals: Vec<Time> =
                (0..200).map(|i| jitter.delay(Time::from_secs(f64::from(i) * 0.001))).collect();
            assert_eq!(arrivals.windows(2).any(|w| w[1] <= w[0]), reorder);
        }
    }
}
