//! A TCP connection as a router on its path sees it: data that pass one way, ACKs that come back the other.
//!
//! The router stands somewhere between sender and receiver, so a round trip has two halves. The *far* one, on to the
//! receiver and back, is the time from data to the ACK that covers them (Jaiswal et al. 2004). The *near* one, on to the
//! sender and back, shows where the sender is known to have waited for an ACK: the first data that pass after the first
//! ACK of a connection, or after a silence, were sent on it. The least of these is kept, since an application may have
//! been slow.
//!
//! From both follow the timeout (RFC 6298 over the round trips seen) and the window: what has passed beyond the ACK that
//! the sender had when it sent, which passed one near half before.

use alloc::collections::VecDeque;

use crate::rto::{Jacobson, RtoEstimator, RtoRules, RtoTimer};
use crate::seconds::Seconds;

/// ACKs on their way to the sender that are kept at most; of more, the oldest count as arrived.
const ACKS_UNDER_WAY: usize = 256;

/// A silence of so many seconds, or of one and a half round trips if that is longer, is one.
const SILENCE_S: f64 = 0.2;

/// Round trip, timeout and window of a connection, as a router infers them. Sequence numbers are those of
/// packets or of bytes, all alike.
///
/// # Examples
///
/// ```
/// use parshall_estimators::{midpath::Midpath, rto::RtoRules};
/// let mut seen = Midpath::new(RtoRules::default());
/// seen.on_data(0.00, 0, 1);
/// seen.on_ack(0.03, 1); // the receiver is 30 ms away, there and back
/// seen.on_data(0.05, 1, 2); // and the sender 20 ms
/// assert_eq!(seen.rtt(), Some(0.05));
/// assert_eq!(seen.window(), 1.0);
/// ```
#[derive(Clone, Debug)]
pub struct Midpath {
    /// One more than the highest number that has passed.
    sent: u64,
    /// The highest ACK that has come back.
    acked: u64,
    /// The end of the data that are timed, and when they passed.
    timed: Option<(u64, f64)>,
    last_data_s: f64,
    near_s: Option<f64>,
    start: Start,
    timer: RtoTimer<Jacobson>,
    /// Far halves, smoothed, for times before the near half is known.
    far_s: Option<f64>,
    /// When ACKs passed that may not have reached the sender yet.
    acks: VecDeque<(f64, u64)>,
    /// The highest ACK that has.
    heard: u64,
    /// See [`Midpath::window`].
    window: f64,
    /// Recovery lasts until this is acknowledged.
    recover: u64,
    packets: u64,
    repeated: u64,
}

/// Stage of a connection's start, or new start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Start {
    /// Its first data have passed, or none yet.
    Sending,
    /// The first ACK passed at this time.
    Acknowledged(f64),
    /// It is under way.
    Done,
}

impl Midpath {
    /// A connection of which nothing has passed. `rules` are those of the timeout.
    pub fn new(rules: RtoRules) -> Self {
        Midpath {
            sent: 0,
            acked: 0,
            timed: None,
            last_data_s: f64::NEG_INFINITY,
            near_s: None,
            start: Start::Sending,
            timer: RtoTimer::new(Jacobson::default(), rules),
            far_s: None,
            acks: VecDeque::new(),
            heard: 0,
            window: 0.0,
            recover: 0,
            packets: 0,
            repeated: 0,
        }
    }

    /// A new connection over the same path begins: numbers start anew, what is known of the path stays.
    pub fn restart(&mut self) {
        let (near_s, far_s, timer) = (self.near_s, self.far_s, self.timer.clone());
        let (packets, repeated) = self.packets();
        *self = Midpath { near_s, far_s, timer, packets, repeated, ..Midpath::new(*self.timer.rules()) };
    }

    /// Data of the numbers from `first` up to `next`, exclusive, pass at `now`.
    pub fn on_data(&mut self, now: impl Into<Seconds>, first: u64, next: u64) {
        let now_s = now.into().get();
        self.note_start(now_s);
        self.packets += 1;
        let before = self.sent;
        if first < before {
            self.repeated += 1;
            // Karn: an ACK might be that of either copy.
            self.timed = self.timed.filter(|&(end, _)| end <= first);
        } else if self.timed.is_none() {
            self.timed = Some((next, now_s));
        }
        self.sent = self.sent.max(next);
        self.last_data_s = now_s;
        self.hear(now_s);
        self.note_window(first < before, next);
    }

    fn note_window(&mut self, again: bool, next: u64) {
        let in_recovery = self.acked < self.recover;
        if !again || self.window == 0.0 {
            // After a silence all that is in flight is what has just passed. In recovery what is in flight says nothing,
            // since ACKs stand still.
            if !in_recovery {
                self.window = next.saturating_sub(self.heard) as f64;
            }
        } else if !in_recovery {
            // Without a silence before, it was sent again on duplicate ACKs, and the sender has halved its window.
            self.window = (self.window / 2.0).max(1.0);
            self.recover = self.sent;
        }
    }

    /// An ACK that expects `next` passes at `now`. An ACK of data that have not passed does not belong to this connection.
    pub fn on_ack(&mut self, now: impl Into<Seconds>, next: u64) {
        let now_s = now.into().get();
        if next <= self.acked || next > self.sent {
            return;
        }
        self.acked = next;
        if self.start == Start::Sending {
            self.start = Start::Acknowledged(now_s);
        }
        if let Some((_, passed_s)) = self.timed.filter(|&(end, _)| end <= next) {
            self.timed = None;
            self.take_far_half(now_s - passed_s);
        }
        if self.acks.len() == ACKS_UNDER_WAY {
            self.heard = self.acks.pop_front().map_or(self.heard, |(_, next)| next);
        }
        self.acks.push_back((now_s, next));
    }

    fn take_far_half(&mut self, far_s: f64) {
        self.far_s = Some(self.far_s.map_or(far_s, |mean_s| mean_s + (far_s - mean_s) / 8.0));
        self.timer.on_sample(far_s + self.near_s.unwrap_or(0.0));
    }

    /// Looks for a near half in the time of data.
    fn note_start(&mut self, now_s: f64) {
        let silence_s = SILENCE_S.max(1.5 * self.rtt().unwrap_or(0.0));
        if now_s - self.last_data_s > silence_s {
            self.start = Start::Sending;
            (self.window, self.recover) = (0.0, 0);
        } else if let Start::Acknowledged(acked_s) = self.start {
            self.start = Start::Done;
            self.take_near_half(now_s - acked_s);
        }
    }

    fn take_near_half(&mut self, near_s: f64) {
        if self.near_s.is_some_and(|least_s| least_s <= near_s) {
            return;
        }
        let first = self.near_s.is_none();
        self.near_s = Some(near_s);
        if let (true, Some(far_s)) = (first, self.far_s) {
            // What was taken for round trips were far halves only.
            self.timer.reset();
            self.timer.on_sample(far_s + near_s);
        }
    }

    /// Moves the ACKs that have reached the sender, as a packet that passes at `now_s` shows: those that passed
    /// the router one near half earlier.
    fn hear(&mut self, now_s: f64) {
        let near_s = self.near_s.unwrap_or(0.0);
        while let Some(&(_, next)) = self.acks.front().filter(|&&(passed_s, _)| passed_s + near_s <= now_s) {
            self.heard = next;
            self.acks.pop_front();
        }
    }

    /// The round-trip time, smoothed, in seconds: the far half alone while the near one is not known.
    pub fn rtt(&self) -> Option<f64> {
        self.timer.estimator().srtt()
    }

    /// The retransmission timeout without backoff, in seconds.
    pub fn rto(&self) -> Option<f64> {
        self.rtt().map(|_| self.timer.rto())
    }

    /// The window: what was in flight at the sender when it sent the last new data, half of it in recovery; 0 before the
    /// first.
    pub fn window(&self) -> f64 {
        self.window
    }

    /// The near half of the round trip in seconds, if it is known.
    pub fn near_half(&self) -> Option<f64> {
        self.near_s
    }

    /// Packets of data that have passed, and how many of them held what had passed before.
    pub fn packets(&self) -> (u64, u64) {
        (self.packets, self.repeated)
    }

    /// The highest ACK that has come back.
    pub fn acknowledged(&self) -> u64 {
        self.acked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: f64 = 0.03;
    const NEAR: f64 = 0.02;

    /// A sender with a window that is given for each round trip, seen by a router between it and its receiver.
    fn rounds(windows: &[u64]) -> Vec<Midpath> {
        let mut seen = Midpath::new(RtoRules::default());
        let (mut next, mut start_s) = (0, 0.0);
        let mut after = Vec::new();
        for &window in windows {
            let at = |packet: u64| start_s + packet as f64 * 1e-4;
            // Data pass in a burst and are acknowledged one by one.
            (0..window).for_each(|packet| seen.on_data(at(packet), next + packet, next + packet + 1));
            (0..window).for_each(|packet| seen.on_ack(at(packet) + FAR, next + packet + 1));
            after.push(seen.clone());
            next += window;
            start_s += FAR + NEAR;
        }
        after
    }

    #[test]
    fn both_halves_make_a_round_trip() {
        let after = rounds(&[1, 2, 4]);
        assert_eq!(after[0].rtt(), Some(FAR));
        assert_eq!(after[0].near_half(), None);
        let last = after.last().expect("three rounds");
        assert!((last.near_half().expect("a start") - NEAR).abs() < 1e-12);
        assert!((last.rtt().expect("samples") - FAR - NEAR).abs() < 1e-9);
    }

    #[test]
    fn the_window_is_that_of_the_sender() {
        let windows: Vec<f64> = rounds(&[2, 4, 8, 16]).iter().map(Midpath::window).collect();
        // Packets of a burst are sent 0.1 ms apart here, each on an ACK of its own.
        assert_eq!(windows[..1], [2.0]);
        assert!(windows.windows(2).all(|w| w[1] > w[0]), "{windows:?}");
        assert!((9.0..=16.0).contains(&windows[3]), "{windows:?}");
    }

    #[test]
    fn an_ack_of_a_packet_that_passed_twice_is_no_sample() {
        let mut seen = Midpath::new(RtoRules::default());
        seen.on_data(0.0, 0, 1);
        seen.on_data(1.0, 0, 1);
        seen.on_ack(1.01, 1);
        assert_eq!(seen.rtt(), None);
        assert_eq!(seen.packets(), (2, 1));
    }

    #[test]
    fn after_a_silence_the_window_is_small() {
        let mut seen = rounds(&[8, 8, 8]).pop().expect("three rounds");
        assert!(seen.window() >= 8.0);
        seen.on_data(3.0, 24, 25);
        assert_eq!(seen.window(), 1.0);
    }

    #[test]
    fn in_recovery_the_window_is_half() {
        let mut seen = rounds(&[8, 8]).pop().expect("two rounds");
        let lost = seen.sent;
        (0..8).for_each(|packet| seen.on_data(0.1, lost + packet, lost + packet + 1));
        let before = seen.window();
        seen.on_data(0.13, lost, lost + 1);
        seen.on_data(0.131, lost + 8, lost + 9); // on duplicate ACKs
        seen.on_data(0.132, lost + 1, lost + 2);
        assert_eq!(seen.window(), before / 2.0);
        seen.on_ack(0.16, lost + 9);
        seen.on_data(0.19, lost + 9, lost + 10);
        assert_eq!(seen.window(), 1.0);
    }

    #[test]
    fn a_slow_application_does_not_count_as_distance() {
        let mut seen = Midpath::new(RtoRules::default());
        for (packet, wait_s) in [5.0, 0.5, 0.1, 7.0].into_iter().enumerate() {
            let (at, packet) = (10.0 * packet as f64, packet as u64);
            seen.on_data(at, 2 * packet, 2 * packet + 1);
            seen.on_ack(at + FAR, 2 * packet + 1);
            seen.on_data(at + FAR + wait_s, 2 * packet + 1, 2 * packet + 2);
            seen.on_ack(at + FAR + wait_s + FAR, 2 * packet + 2);
        }
        assert!((seen.near_half().expect("starts") - 0.1).abs() < 1e-9, "{:?}", seen.near_half());
    }

    #[test]
    fn acks_under_way_are_bounded() {
        let mut seen = Midpath::new(RtoRules::default());
        seen.on_data(0.0, 0, 100_000);
        (0..100_000).for_each(|packet| seen.on_ack(packet as f64 * 1e-9, packet + 1));
        assert_eq!(seen.acks.len(), ACKS_UNDER_WAY);
    }

    #[test]
    fn a_new_connection_knows_the_path() {
        let mut seen = rounds(&[1, 2, 4]).pop().expect("three rounds");
        let (rtt, packets) = (seen.rtt(), seen.packets());
        seen.restart();
        assert_eq!((seen.rtt(), seen.packets(), seen.window()), (rtt, packets, 0.0));
        seen.on_ack(9.0, 7); // late, of the old one
        seen.on_data(9.1, 0, 1);
        assert_eq!((seen.packets(), seen.window()), ((8, 0), 1.0));
    }
}
