//! Path measurement of a sender: how many packets have been delivered, at what rate, and how many are in
//! flight, by a record of each packet sent (draft-cheng-iccrg-delivery-rate-estimation).

use std::collections::VecDeque;

use super::{Ack, Intervals};
use crate::control::PathSample;
use crate::room::Room;
use crate::units::Time;

/// State of a packet sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    /// Reported beyond a gap.
    Delivered,
    /// Thought to be lost, and not sent again yet.
    Lost,
}

/// Record of a packet when it was last sent.
#[derive(Clone, Copy, Debug)]
struct SendRecord {
    at: Time,
    /// Values of `delivered`, `delivered_at` and `first_sent_at` at that time.
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    limited: bool,
    state: State,
}

/// The rate sample that an ACK makes: of the packet it reports that was sent last.
#[derive(Clone, Copy, Debug)]
struct Latest {
    sent_at: Time,
    prior_delivered: u64,
    prior_at: Time,
    send_elapsed: Time,
    limited: bool,
}

/// Path measurement of a sender.
#[derive(Clone, Debug)]
pub struct Path {
    /// Records of the packets from `first` on, which are those not acknowledged cumulatively.
    sent: VecDeque<SendRecord>,
    first: i64,
    /// Packets reported beyond a gap.
    reported: Intervals,
    /// Packets below this have been looked at for losses.
    looked_below: i64,
    in_flight: i64,
    /// Duplicate ACKs without blocks: each tells of a packet that has left the network, though not of which.
    anonymous: i64,
    /// Anonymous duplicate ACKs since the last cumulative ACK that has explained them, whatever timeouts came
    /// in between: packets that count as delivered already.
    counted: i64,
    /// Packets below this are being sent again whatever has arrived of them, since that instant: duplicate ACKs of what was
    /// sent later tell of copies.
    repeated_below: i64,
    repeated_from: Time,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    /// Rate samples are limited until so many packets have been delivered; 0 for not at all.
    limited_until: u64,
    min_rtt: f64,
    newly_delivered: u32,
    newly_lost: u32,
    latest: Option<Latest>,
}

impl Default for Path {
    fn default() -> Self {
        Path {
            sent: VecDeque::new(),
            first: 0,
            reported: Intervals::default(),
            looked_below: 0,
            in_flight: 0,
            anonymous: 0,
            counted: 0,
            repeated_below: 0,
            repeated_from: Time::ZERO,
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent_at: Time::ZERO,
            limited_until: 0,
            min_rtt: f64::NAN,
            newly_delivered: 0,
            newly_lost: 0,
            latest: None,
        }
    }
}

impl Path {
    /// Packets that have neither left the network nor are thought to be lost.
    pub fn in_flight(&self) -> i64 {
        (self.in_flight - self.anonymous).max(0)
    }

    /// Packet `seq` is sent, for the first time or again.
    pub fn on_send(&mut self, seq: i64, now: Time) {
        // What a timeout takes for lost may have arrived: a time that began with its repair would be too short for that.
        if self.sent.is_empty() {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        let sent = SendRecord {
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited: self.limited_until > 0,
            state: State::InFlight,
        };
        let index = (seq - self.first).max(0) as usize;
        match self.sent.get_mut(index) {
            Some(old) => {
                self.in_flight += i64::from(old.state == State::Lost);
                // Nothing that has been reported is sent again but in vain.
                if old.state != State::Delivered {
                    *old = sent;
                }
            }
            None => {
                debug_assert_eq!(index, self.sent.len(), "new packets are sent in order");
                self.sent.add(sent, "packets that a sender keeps");
                self.in_flight += 1;
            }
        }
    }

    /// An ACK comes; `reports` says whether this receiver's ACKs have blocks at all, and `sent` when the last packet was sent
    /// that it answers, if its round trip is that of packets of data.
    pub fn on_ack(&mut self, ack: &Ack, reports: bool, sent: Option<Time>, now: Time) {
        (self.newly_delivered, self.newly_lost, self.latest) = (0, 0, None);
        let acked = ack.high + 1 - self.first;
        for _ in 0..acked.max(0) {
            if let Some(sent) = self.sent.pop_front() {
                self.first += 1;
                self.leaves(sent);
            }
        }
        self.reported.remove_below(self.first);
        for (low, high) in ack.blocks.iter() {
            self.record_block(i64::from(low), i64::from(high));
        }
        if !reports {
            self.count_anonymous(acked, ack.echo);
        }
        if self.newly_delivered > 0 {
            self.delivered += u64::from(self.newly_delivered);
            self.delivered_at = now;
            self.min_rtt = sent.map_or(self.min_rtt, |sent| self.min_rtt.min(now.since(sent).secs()));
        }
        if self.limited_until > 0 && self.delivered > self.limited_until {
            self.limited_until = 0;
        }
    }

    /// Packets that no ACK has reported so far are in a block.
    fn record_block(&mut self, low: i64, high: i64) {
        let mut seq = self.reported.next_missing(low.max(self.first));
        while seq < high {
            if let Some(sent) = self.sent.get_mut((seq - self.first) as usize) {
                let found = *sent;
                sent.state = State::Delivered;
                self.leaves(found);
            }
            self.reported.insert(seq, seq + 1);
            seq = self.reported.next_missing(seq + 1);
        }
    }

    /// A packet is reported that was sent like this.
    fn leaves(&mut self, sent: SendRecord) {
        if sent.state == State::Delivered {
            return; // An earlier ACK has reported it.
        }
        self.in_flight -= i64::from(sent.state == State::InFlight);
        self.newly_delivered += 1;
        if self
            .latest
            .is_none_or(|latest| (sent.at, sent.delivered) >= (latest.sent_at, latest.prior_delivered))
        {
            self.latest = Some(Latest {
                sent_at: sent.at,
                prior_delivered: sent.delivered,
                prior_at: sent.delivered_at,
                send_elapsed: sent.at.since(sent.first_sent_at),
                limited: sent.limited,
            });
            self.first_sent_at = sent.at;
        }
    }

    /// Without blocks a duplicate ACK counts as one packet delivered, as in Linux's tcp_add_reno_sack(), and a later cumulative
    /// ACK does not count it again. Linux forgets at a timeout what has been counted, and then does; that would make a
    /// rate of a whole window in a round trip.
    fn count_anonymous(&mut self, acked: i64, sent: Time) {
        if acked <= 0 {
            let repeats = self.first < self.repeated_below;
            // What was out there when everything began to be sent again is no longer taken to be in flight.
            let leaves = acked == 0 && self.in_flight() > 0 && !repeats;
            let counts = leaves || (acked == 0 && repeats && sent < self.repeated_from);
            self.anonymous += i64::from(leaves);
            self.counted += i64::from(counts);
            self.newly_delivered += u32::from(counts);
            return;
        }
        let explained = self.counted.min(acked - 1);
        self.counted -= explained;
        self.anonymous = self.anonymous.min(self.counted);
        if self.first >= self.repeated_below {
            self.counted = self.anonymous;
        }
        self.newly_delivered -= (explained as u32).min(self.newly_delivered - 1);
    }

    /// Packets below `seq` that were not reported are taken for lost.
    pub fn lose_below(&mut self, seq: i64) {
        let from = (self.looked_below - self.first).max(0) as usize;
        let to = (seq - self.first).clamp(0, self.sent.len() as i64) as usize;
        for sent in self.sent.range_mut(from.min(to)..to) {
            if sent.state == State::InFlight {
                sent.state = State::Lost;
                self.in_flight -= 1;
                self.newly_lost += 1;
            }
        }
        self.looked_below = self.looked_below.max(seq);
    }

    /// Packet `seq` is thought to be lost.
    pub fn lose(&mut self, seq: i64) {
        let sent = self.sent.get_mut((seq - self.first).max(0) as usize);
        if let Some(sent) = sent.filter(|sent| sent.state == State::InFlight) {
            sent.state = State::Lost;
            self.in_flight -= 1;
            self.newly_lost += 1;
        }
    }

    /// Everything that is out there counts as lost, and is sent again: the timer has expired.
    pub fn on_timeout(&mut self, now: Time) {
        self.looked_below = self.first;
        self.anonymous = 0;
        self.repeated_from = now;
        self.repeated_below = self.first + self.sent.len() as i64;
        self.lose_below(self.repeated_below);
    }

    /// The sender could have sent more than it had: what it measures now says little about the path.
    pub fn note_limited(&mut self) {
        self.limited_until = (self.delivered + self.in_flight() as u64).max(1);
    }

    /// Returns the sample of the last ACK, for a control.
    pub fn sample(&self, srtt: Option<f64>, in_recovery: bool, held_for: f64, now: Time) -> PathSample {
        let (mut prior_delivered, mut delivery_rate, mut app_limited) = (0, f64::NAN, false);
        if let Some(latest) = self.latest {
            prior_delivered = latest.prior_delivered;
            app_limited = latest.limited;
            // ACKs may come in bursts, and packets may leave in bursts: the longer of both.
            let interval = latest.send_elapsed.max(now.since(latest.prior_at)).secs();
            // Less than a round trip cannot be.
            if interval >= self.min_rtt && interval > 0.0 {
                delivery_rate = (self.delivered - prior_delivered) as f64 / interval;
            }
        }
        PathSample {
            srtt: srtt.unwrap_or(f64::NAN),
            min_rtt: self.min_rtt,
            in_flight: self.in_flight(),
            delivered: self.delivered,
            newly_delivered: self.newly_delivered,
            newly_lost: self.newly_lost,
            prior_delivered,
            delivery_rate,
            app_limited,
            in_recovery,
            held_for,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::SackBlocks;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    /// An ACK up to `high` that answers a packet sent at `echo`, and reports these blocks.
    fn acked(path: &mut Path, high: i64, echo: u64, blocks: &[(u32, u32)], now: u64) -> PathSample {
        let mut reported = SackBlocks::default();
        for &(low, beyond) in blocks.iter().rev() {
            reported.report(low, beyond);
        }
        let ack = Ack { high, echo: ms(echo), blocks: &reported, ecn_echo: false };
        path.on_ack(&ack, true, Some(ack.echo), ms(now));
        path.sample(None, false, 0.0, ms(now))
    }

    #[test]
    fn a_steady_flow_is_measured_at_its_rate() {
        let mut path = Path::default();
        let mut rate = 0.0;
        for n in 0..40u64 {
            if n >= 10 {
                let sample = acked(&mut path, n as i64 - 10, 10 * (n - 10), &[], 10 * n);
                assert_eq!((sample.delivered, sample.newly_delivered, sample.in_flight), (n - 9, 1, 9));
                assert!((sample.min_rtt - 0.1).abs() < 1e-12);
                rate = sample.delivery_rate;
            }
            path.on_send(n as i64, ms(10 * n));
        }
        assert!((rate - 100.0).abs() < 1e-9, "{rate}");
    }

    /// ACKs that were held back and come together do not show a rate above that of sending.
    #[test]
    fn acks_that_come_together_do_not_raise_the_rate() {
        let mut path = Path::default();
        for n in 0..40 {
            path.on_send(n, ms(10 * n as u64));
        }
        acked(&mut path, 9, 90, &[], 400);
        let sample = acked(&mut path, 29, 290, &[], 401);
        assert!(sample.delivery_rate <= 100.0 + 1e-9, "{}", sample.delivery_rate);
    }

    #[test]
    fn a_block_counts_once_and_a_loss_until_it_is_sent_again() {
        let mut path = Path::default();
        for n in 0..10 {
            path.on_send(n, ms(0));
        }
        assert_eq!(acked(&mut path, 0, 0, &[(4, 7)], 100).newly_delivered, 4);
        assert_eq!(acked(&mut path, 0, 0, &[(4, 8)], 101).newly_delivered, 1);
        assert_eq!(path.in_flight(), 5);
        path.lose_below(4);
        assert_eq!((path.in_flight(), path.newly_lost), (2, 3));
        path.lose_below(4);
        assert_eq!((path.in_flight(), path.newly_lost), (2, 3));
        path.on_send(1, ms(110));
        assert_eq!(path.in_flight(), 3);
        assert_eq!(acked(&mut path, 7, 110, &[], 200).newly_delivered, 3);
        assert_eq!(path.in_flight(), 2);
        path.on_timeout(ms(210));
        assert_eq!(path.in_flight(), 0);
    }

    #[test]
    fn what_is_measured_while_there_is_nothing_to_send_says_so() {
        let mut path = Path::default();
        path.on_send(0, ms(0));
        path.note_limited();
        path.on_send(1, ms(10));
        assert!(!acked(&mut path, 0, 0, &[], 100).app_limited);
        path.on_send(2, ms(100));
        assert!(acked(&mut path, 1, 10, &[], 110).app_limited);
        path.on_send(3, ms(120));
        assert!(!acked(&mut path, 3, 120, &[], 220).app_limited);
    }

    #[test]
    fn without_blocks_duplicate_acks_count_until_they_are_explained() {
        let mut path = Path::default();
        for n in 0..10 {
            path.on_send(n, ms(0));
        }
        let none = SackBlocks::default();
        let mut acked = |high: i64| {
            let ack = Ack { high, echo: ms(0), blocks: &none, ecn_echo: false };
            path.on_ack(&ack, false, Some(ack.echo), ms(100));
            (path.newly_delivered, path.delivered, path.in_flight())
        };
        assert_eq!(acked(0), (1, 1, 9));
        assert_eq!(acked(0), (1, 2, 8));
        assert_eq!(acked(0), (1, 3, 7));
        // Packet 1 has been sent again, and explains the two behind it.
        assert_eq!(acked(3), (1, 4, 6));
        assert_eq!(acked(9), (6, 10, 0));
    }

    #[test]
    fn without_blocks_what_arrives_while_all_is_sent_again_counts_once() {
        let mut path = Path::default();
        (0..10).for_each(|n| path.on_send(n, ms(n as u64)));
        let none = SackBlocks::default();
        let acked = |path: &mut Path, high: i64, echo: u64| {
            let ack = Ack { high, echo: ms(echo), blocks: &none, ecn_echo: false };
            path.on_ack(&ack, false, Some(ack.echo), ms(100));
            (path.newly_delivered, path.delivered, path.in_flight())
        };
        assert_eq!(acked(&mut path, 0, 0), (1, 1, 9));
        assert_eq!(acked(&mut path, 0, 2), (1, 2, 8));
        path.on_timeout(ms(50));
        path.on_send(1, ms(50));
        // Packets 3 to 6 were under way; a copy of 2 tells nothing.
        (3..7).for_each(|n| assert_eq!(acked(&mut path, 0, n), (1, n, 1)));
        path.on_send(2, ms(60));
        assert_eq!(acked(&mut path, 0, 60), (0, 6, 2));
        assert_eq!(acked(&mut path, 9, 50), (4, 10, 0));
    }

    proptest! {
        #[test]
        fn nothing_is_counted_twice_or_lost(steps in prop::collection::vec((0u8..5, 0i64..30, 1u32..6), 1..120)) {
            let mut path = Path::default();
            let (mut sent, mut reported, mut now) = (0i64, std::collections::BTreeSet::new(), 0);
            let mut high = -1i64;
            for (what, place, length) in steps {
                now += 1;
                match what {
                    0 | 1 => { path.on_send(sent, ms(now)); sent += 1; }
                    2 if sent > high + 1 => path.on_send(high + 1 + place % (sent - high - 1), ms(now)),
                    3 if sent > high + 1 => {
                        high += 1 + place % (sent - high - 1);
                        reported.extend(0..=high);
                        acked(&mut path, high, now - 1, &[], now);
                    }
                    4 if sent > high + 2 => {
                        let low = high + 2 + place % (sent - high - 2);
                        let beyond = (low + i64::from(length)).min(sent);
                        reported.extend(low..beyond);
                        acked(&mut path, high, now - 1, &[(low as u32, beyond as u32)], now);
                        if length > 3 { path.lose_below(low); }
                    }
                    _ => path.on_timeout(ms(now)),
                }
                prop_assert_eq!(path.delivered, reported.len() as u64);
                let lost = path.sent.iter().filter(|sent| sent.state == State::Lost).count() as i64;
                prop_assert_eq!(path.in_flight(), sent - reported.len() as i64 - lost);
            }
        }
    }
}
