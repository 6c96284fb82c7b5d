//! A TCP receiver: what has arrived, and when it is acknowledged (RFC 5681, section 4.2).

use std::sync::Arc;

use super::TcpOptions;
use crate::units::Time;

/// An ACK to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The next packet expected.
    pub next: u32,
    /// Stamp of the packet that is answered.
    pub stamp: Time,
}

/// A receiver.
#[derive(Clone, Debug)]
pub struct TcpReceiver {
    options: Arc<TcpOptions>,
    next: u32,
    /// Packets received beyond a gap, as half-open intervals in ascending order.
    beyond: Vec<(u32, u32)>,
    /// Stamp of the packet whose ACK waits.
    waiting: Option<Time>,
    deadline: Time,
}

impl TcpReceiver {
    /// A receiver that has received nothing.
    pub fn new(options: Arc<TcpOptions>) -> Self {
        TcpReceiver { options, next: 0, beyond: Vec::new(), waiting: None, deadline: Time::NEVER }
    }

    /// The next packet expected: how many have been received in order.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// When the ACK that waits is sent; [`Time::NEVER`] if none waits.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Data packet `seq` arrives.
    pub fn on_data(&mut self, seq: u32, stamp: Time, now: Time) -> Option<Acknowledgement> {
        let new = seq >= self.next;
        self.store(seq);
        let last_in_order = seq + 1 == self.next && self.beyond.is_empty();
        let may_wait = last_in_order && seq > 0 && (new || self.options.delay_repeated);
        match (self.options.delayed_ack, self.waiting) {
            (Some(timer), None) if may_wait => {
                self.waiting = Some(stamp);
                self.deadline = now + timer;
                None
            }
            // An ACK for two echoes the stamp of the first (RFC 7323, section 4.3).
            (_, Some(first)) if may_wait => Some(self.acknowledge(first)),
            _ => Some(self.acknowledge(stamp)),
        }
    }

    /// The delayed-ACK timer expires.
    pub fn on_timer(&mut self) -> Option<Acknowledgement> {
        let stamp = self.waiting?;
        Some(self.acknowledge(stamp))
    }

    fn acknowledge(&mut self, stamp: Time) -> Acknowledgement {
        self.waiting = None;
        self.deadline = Time::NEVER;
        Acknowledgement { next: self.next, stamp }
    }

    fn store(&mut self, seq: u32) {
        if seq == self.next {
            self.next += 1;
            if self.beyond.first().is_some_and(|&(low, _)| low == self.next) {
                self.next = self.beyond.remove(0).1;
            }
        } else if seq > self.next {
            self.store_beyond(seq);
        }
    }

    fn store_beyond(&mut self, seq: u32) {
        // The first interval that ends at or after `seq`.
        let i = self.beyond.partition_point(|&(_, high)| high < seq);
        match self.beyond.get_mut(i) {
            Some((low, high)) if *low <= seq && seq < *high => {}
            Some((_, high)) if *high == seq => {
                *high += 1;
                let end = *high;
                if self.beyond.get(i + 1).is_some_and(|&(low, _)| low == end) {
                    self.beyond[i].1 = self.beyond.remove(i + 1).1;
                }
            }
            Some((low, _)) if *low == seq + 1 => *low = seq,
            _ => self.beyond.insert(i, (seq, seq + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn receiver(delayed: bool, delay_repeated: bool) -> TcpReceiver {
        TcpReceiver::new(Arc::new(TcpOptions {
            delayed_ack: delayed.then(|| Time::from_secs(0.1)),
            delay_repeated,
            ..TcpOptions::rfc()
        }))
    }

    fn next(ack: Option<Acknowledgement>) -> Option<u32> {
        ack.map(|a| a.next)
    }

    proptest! {
        #[test]
        fn it_expects_the_lowest_packet_that_has_not_come(packets in prop::collection::vec(0u32..40, 0..200)) {
            let mut receiver = receiver(false, false);
            let mut seen = BTreeSet::new();
            for seq in packets {
                let ack = receiver.on_data(seq, Time::ZERO, Time::ZERO);
                seen.insert(seq);
                let lowest_missing = (0..).find(|n| !seen.contains(n)).unwrap();
                prop_assert_eq!(next(ack), Some(lowest_missing));
                let beyond: u32 = receiver.beyond.iter().map(|(low, high)| high - low).sum();
                prop_assert_eq!((receiver.next + beyond) as usize, seen.len());
                prop_assert!(receiver.beyond.windows(2).all(|w| w[0].1 < w[1].0));
            }
        }
    }

    #[test]
    fn every_second_packet_is_acknowledged() {
        let mut r = receiver(true, false);
        let at = Time::from_secs;
        assert_eq!(next(r.on_data(0, at(0.0), at(1.0))), Some(1));
        assert_eq!(r.on_data(1, at(0.1), at(1.1)), None);
        assert_eq!(r.deadline(), at(1.2));
        let ack = r.on_data(2, at(0.2), at(1.15)).unwrap();
        assert_eq!((ack.next, ack.stamp), (3, at(0.1)));
        assert_eq!(r.deadline(), Time::NEVER);
    }

    #[test]
    fn the_timer_acknowledges_a_single_packet() {
        let mut r = receiver(true, false);
        r.on_data(0, Time::ZERO, Time::ZERO);
        r.on_data(1, Time::ZERO, Time::ZERO);
        assert_eq!(next(r.on_timer()), Some(2));
        assert_eq!(r.on_timer(), None);
    }

    #[test]
    fn gaps_and_what_fills_them_are_acknowledged_at_once() {
        let mut r = receiver(true, false);
        r.on_data(0, Time::ZERO, Time::ZERO);
        assert_eq!(next(r.on_data(2, Time::ZERO, Time::ZERO)), Some(1));
        assert_eq!(next(r.on_data(1, Time::ZERO, Time::ZERO)), Some(3));
    }

    #[test]
    fn a_repeated_packet_waits_in_ns2_only() {
        for delay_repeated in [false, true] {
            let mut r = receiver(true, delay_repeated);
            r.on_data(0, Time::ZERO, Time::ZERO);
            r.on_data(1, Time::ZERO, Time::ZERO);
            r.on_timer();
            let ack = r.on_data(1, Time::ZERO, Time::ZERO);
            assert_eq!(ack.is_none(), delay_repeated);
        }
    }
}
