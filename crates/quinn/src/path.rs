//! The path as a connection measures it: what has been delivered, how fast, and what was sent when.

use std::collections::VecDeque;

use parshall_control::units::Time;
use parshall_control::PathSample;

/// A note of packets that left together.
#[derive(Clone, Copy, Debug)]
struct SentPackets {
    at: Time,
    /// Packets delivered by then, and when the last of them was.
    delivered: u64,
    delivered_at: Time,
    /// When the packet left whose delivery was the latest by then.
    first_sent_at: Time,
    limited: bool,
}

/// See the head of this file. The rates are those of draft-ietf-ccwg-bbr, section 4.1.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    sent: VecDeque<SentPackets>,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    /// Rates are limited by the application until so many packets are delivered; 0 if they are not.
    limited_until: u64,
    /// In seconds, NaN before the first sample.
    pub srtt: f64,
    pub min_rtt: f64,
    newly_delivered: u32,
    /// Packets lost since the last batch of ACKs.
    newly_lost: u32,
    latest: Option<SentPackets>,
}

impl Default for Path {
    fn default() -> Self {
        Path {
            sent: VecDeque::new(),
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent_at: Time::ZERO,
            limited_until: 0,
            srtt: f64::NAN,
            min_rtt: f64::NAN,
            newly_delivered: 0,
            newly_lost: 0,
            latest: None,
        }
    }
}

impl Path {
    /// Packets leave at `now`; `idle` if nothing is in flight.
    pub fn on_send(&mut self, now: Time, idle: bool) {
        if idle {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        // A batch of packets has one time.
        if self.sent.back().is_some_and(|last| last.at >= now) {
            return;
        }
        let Path { delivered, delivered_at, first_sent_at, .. } = *self;
        let limited = self.limited_until > 0;
        self.sent.push_back(SentPackets { at: now, delivered, delivered_at, first_sent_at, limited });
    }

    /// A packet that left at `sent` is acknowledged.
    pub fn on_ack(&mut self, sent: Time) {
        self.newly_delivered += 1;
        let index = self.sent.partition_point(|other| other.at < sent);
        let Some(found) = self.sent.get(index).filter(|found| found.at == sent) else { return };
        if self.latest.is_none_or(|latest| latest.at <= sent) {
            self.latest = Some(*found);
        }
    }

    /// A batch of ACKs is over. Returns the departure of the latest of its packets, if that is known.
    pub fn on_end(&mut self, now: Time) -> Option<Time> {
        self.delivered += u64::from(self.newly_delivered);
        self.delivered_at = now;
        if self.limited_until > 0 && self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let latest = self.latest?.at;
        self.first_sent_at = latest;
        let rtt = now.since(latest).secs();
        self.min_rtt = self.min_rtt.min(rtt);
        self.srtt = if self.srtt.is_nan() { rtt } else { 0.875 * self.srtt + 0.125 * rtt };
        self.forget(now);
        Some(latest)
    }

    /// Packets of two round trips ago, which have arrived, or have been found lost.
    fn forget(&mut self, now: Time) {
        let kept = Time::from_secs(1.0 + 4.0 * self.srtt);
        while self.sent.front().is_some_and(|first| first.at + kept < now) {
            self.sent.pop_front();
        }
    }

    /// Packets are lost.
    pub fn on_loss(&mut self, packets: u32) {
        self.newly_lost += packets;
    }

    /// The application has nothing to send while `in_flight` packets are: rates say little until these have arrived.
    pub fn note_limited(&mut self, in_flight: i64) {
        self.limited_until = (self.delivered + in_flight as u64).max(1);
    }

    /// Returns the sample of the path after a batch of ACKs; the next batch begins.
    pub fn take(&mut self, in_flight: i64, in_recovery: bool, now: Time) -> PathSample {
        let (mut prior_delivered, mut delivery_rate, mut app_limited) = (0, f64::NAN, false);
        if let Some(sent) = self.latest.take() {
            (prior_delivered, app_limited) = (sent.delivered, sent.limited);
            // ACKs may come in bursts, and packets may leave in bursts: the longer of both.
            let sending = sent.at.since(sent.first_sent_at);
            let interval = sending.max(now.since(sent.delivered_at)).secs();
            // Less than a round trip cannot be.
            if interval >= self.min_rtt && interval > 0.0 {
                delivery_rate = (self.delivered - prior_delivered) as f64 / interval;
            }
        }
        PathSample {
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            in_flight,
            delivered: self.delivered,
            newly_delivered: std::mem::take(&mut self.newly_delivered),
            newly_lost: std::mem::take(&mut self.newly_lost),
            prior_delivered,
            delivery_rate,
            app_limited,
            in_recovery,
            held_for: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    #[test]
    fn a_steady_flow_is_measured_at_its_rate() {
        let mut path = Path::default();
        let mut rate = f64::NAN;
        for n in 0..40 {
            if n >= 10 {
                path.on_ack(ms(10 * (n - 10)));
                assert_eq!(path.on_end(ms(10 * n)), Some(ms(10 * (n - 10))));
                let sample = path.take(9, false, ms(10 * n));
                assert_eq!((sample.delivered, sample.newly_delivered), (n - 9, 1));
                assert!((sample.min_rtt - 0.1).abs() < 1e-12 && (sample.srtt - 0.1).abs() < 1e-12);
                rate = sample.delivery_rate;
            }
            path.on_send(ms(10 * n), n == 0);
        }
        assert!((rate - 100.0).abs() < 1e-9, "{rate}");
    }

    #[test]
    fn acks_that_come_together_do_not_raise_the_rate() {
        let mut path = Path::default();
        (0..40).for_each(|n| path.on_send(ms(10 * n), n == 0));
        (0..10).for_each(|n| path.on_ack(ms(10 * n)));
        path.on_end(ms(400));
        path.take(30, false, ms(400));
        (10..30).for_each(|n| path.on_ack(ms(10 * n)));
        path.on_end(ms(401));
        let rate = path.take(10, false, ms(401)).delivery_rate;
        assert!(rate <= 100.0 + 1e-9, "{rate}");
    }

    #[test]
    fn what_is_measured_while_there_is_nothing_to_send_says_so() {
        let mut path = Path::default();
        path.on_send(ms(0), true);
        path.note_limited(1);
        path.on_send(ms(10), false);
        path.on_ack(ms(0));
        path.on_end(ms(100));
        assert!(!path.take(1, false, ms(100)).app_limited);
        path.on_ack(ms(10));
        path.on_end(ms(110));
        assert!(path.take(0, false, ms(110)).app_limited);
        path.on_send(ms(200), true);
        path.on_ack(ms(200));
        path.on_end(ms(300));
        assert!(!path.take(0, false, ms(300)).app_limited);
    }

    #[test]
    fn what_left_long_ago_is_forgotten() {
        let mut path = Path::default();
        for n in 0..10_000 {
            path.on_send(ms(n), n == 0);
            path.on_ack(ms(n));
            path.on_end(ms(n) + ms(1));
            path.take(0, false, ms(n) + ms(1));
        }
        assert!(path.sent.len() < 2_000, "{}", path.sent.len());
    }
}
