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

    /// A packet leaves at `now`, and `rate` packets may leave in a second. With `credit` one that leaves later than it might
    /// have makes up for that by half of its time at most, as in Linux's tcp_update_skb_after_send().
    pub fn sent_at_rate(&mut self, now: Time, rate: f64, credit: bool) {
        let (late, time) = (now.since(self.next), Time::from_secs(1.0 / rate));
        let made_up = if credit { late.min(Time::from_ps(time.ps() / 2)) } else { Time::ZERO };
        self.next = self.next.max(now) + time - made_up;
    }

    /// A packet leaves at `now` that is not paced.
    pub fn sent_unpaced(&mut self, now: Time) {
        self.next = self.next.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: f64) -> Time {
        Time::from_secs(ms / 1e3)
    }

    #[test]
    fn a_late_packet_makes_up_for_half_of_its_time_at_most() {
        for (late, credit, next) in
            [(0.0, true, 10.0), (2.0, true, 10.0), (9.0, true, 14.0), (2.0, false, 12.0)]
        {
            let mut pacer = Pacer::default();
            pacer.sent_unpaced(ms(0.0));
            pacer.sent_at_rate(ms(late), 100.0, credit);
            assert!((pacer.next().secs() * 1e3 - next).abs() < 1e-6, "{late} {credit}: {:?}", pacer.next());
        }
    }
}
