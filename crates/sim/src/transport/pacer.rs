//! Pacing: packets leave one by one over the round trip instead of in bursts.

use crate::units::Time;

/// Factor over cwnd a round trip at which packets may leave, so that pacing itself does not hold the window back:
/// twice in slow start, which doubles the window in a round trip, and 1.25 times later.
const SLOW_START_GAIN: f64 = 2.0;
const GAIN: f64 = 1.25;

/// Says when the next packet may leave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    next: Time,
}

impl Pacer {
    /// Returns whether a packet may leave at `now`.
    pub fn allows(&self, now: Time) -> bool {
        self.next <= now
    }

    /// Time at which the next packet may leave.
    pub fn next(&self) -> Time {
        self.next
    }

    /// A packet leaves at `now`, from a window of `cwnd` packets and a round trip of `srtt` seconds.
    pub fn sent(&mut self, now: Time, cwnd: f64, srtt: f64, slow_start: bool) {
        let gain = if slow_start { SLOW_START_GAIN } else { GAIN };
        self.next = self.next.max(now) + Time::from_secs(srtt / (gain * cwnd.max(1.0)));
    }

    /// A packet leaves at `now`, and `rate` packets may leave in a second.
    pub fn sent_at_rate(&mut self, now: Time, rate: f64) {
        self.next = self.next.max(now) + Time::from_secs(1.0 / rate);
    }
}
