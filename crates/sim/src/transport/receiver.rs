//! A TCP receiver: what has arrived, and when it is acknowledged (RFC 5681, section 4.2).

use std::sync::Arc;

use super::receive_buffer::ReceiveBuffer;
use super::{Intervals, SackBlocks, TcpOptions};
use crate::packet::ecn;
use crate::units::Time;

/// An ACK to be sent now, with the blocks of [`TcpReceiver::reported`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The next packet expected.
    pub next: u32,
    /// Stamp of the packet that is answered.
    pub stamp: Time,
    /// True if a mark is reported.
    pub ecn_echo: bool,
    /// Number of ACKs that the receiver has sent, modulo 2^16.
    pub number: u16,
}

/// A receiver.
#[derive(Clone, Debug)]
pub struct TcpReceiver {
    options: Arc<TcpOptions>,
    next: u32,
    /// Packets received beyond a gap.
    beyond: Intervals,
    /// Blocks reported last, the latest first; None as long as they are what waits beyond a single gap.
    reported: Option<Box<SackBlocks>>,
    /// None where the number of quick ACKs is fixed.
    buffer: Option<Box<ReceiveBuffer>>,
    /// TS.Recent (RFC 7323, section 4.3): stamp of the last packet that came in order, of two with one ACK the first.
    recent: Time,
    deadline: Time,
    /// A mark has come and the sender has not said yet that it has reduced its window (RFC 3168, section 6.1.3).
    marked: bool,
    /// ACKs sent, as far as they fit.
    sent: u16,
}

impl TcpReceiver {
    /// A receiver that has received nothing.
    pub fn new(options: Arc<TcpOptions>) -> Self {
        let buffer = options.receive_buffer.map(|rules| ReceiveBuffer::new(rules, options.payload_bytes));
        TcpReceiver {
            reported: None,
            buffer: buffer.map(Box::new),
            options,
            next: 0,
            beyond: Intervals::default(),
            recent: Time::ZERO,
            deadline: Time::NEVER,
            marked: false,
            sent: 0,
        }
    }

    /// The next packet expected: how many have been received in order.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Packets received beyond a gap.
    pub fn beyond(&self) -> &Intervals {
        &self.beyond
    }

    /// Blocks received beyond a gap, as the next ACK reports them (RFC 2018); none without SACK.
    #[inline]
    pub fn reported(&self) -> SackBlocks {
        match &self.reported {
            Some(reported) => **reported,
            None if self.options.sack => self.beyond.iter().collect(),
            None => SackBlocks::EMPTY,
        }
    }

    fn reported_mut(&mut self) -> &mut SackBlocks {
        let reported = self.reported();
        self.reported.get_or_insert_with(|| Box::new(reported))
    }

    fn buffer(&mut self) -> Option<&mut ReceiveBuffer> {
        self.buffer.as_deref_mut()
    }

    /// Time at which the waiting ACK is sent; [`Time::NEVER`] if none waits.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Data packet `seq` arrives with these flags of [`crate::packet::ecn`].
    pub fn on_data(&mut self, seq: u32, stamp: Time, flags: u8, now: Time) -> Option<Acknowledgement> {
        if self.options.receive_buffer.is_none() {
            return self.answer(seq, stamp, flags, false, now);
        }
        let quick = self.note_arrival(seq, stamp, flags, now);
        let ack = self.answer(seq, stamp, flags, quick, now);
        let beyond = self.beyond.end().map_or(0, |end| end - i64::from(self.next));
        let read = self.next.saturating_sub(u32::from(self.options.handshake));
        if let Some(buffer) = self.buffer() {
            if ack.is_some() {
                buffer.on_ack(now);
            }
            buffer.on_read(read, beyond.max(0) as u64, now);
        }
        ack
    }

    /// Takes a packet into the buffer. Returns whether it is acknowledged at once.
    fn note_arrival(&mut self, seq: u32, stamp: Time, flags: u8, now: Time) -> bool {
        let syn = self.options.handshake && seq == 0;
        let (repeated, marked) = (seq < self.next, flags & ecn::EXPERIENCED != 0 && !self.marked);
        let Some(buffer) = self.buffer().filter(|_| !syn) else {
            return false;
        };
        buffer.on_data(stamp, now);
        if repeated {
            buffer.on_repeat();
        }
        if marked {
            buffer.on_mark();
        }
        buffer.is_quick()
    }

    /// Takes in a packet. Returns the ACK that answers it now, which may not wait if it is `quick`.
    fn answer(
        &mut self,
        seq: u32,
        stamp: Time,
        flags: u8,
        quick: bool,
        now: Time,
    ) -> Option<Acknowledgement> {
        let marks_change = flags != 0 && self.note_marks(flags);
        let (new, in_order) = (seq >= self.next, seq == self.next);
        let repeated = self.options.dsack && self.has(seq);
        if self.options.dsack {
            // What has come twice is reported once.
            let next = self.next;
            if let Some(reported) = &mut self.reported {
                reported.forget_repeat(next);
            }
        }
        self.store(seq);
        let last_in_order = seq + 1 == self.next && self.beyond.is_empty();
        let delays = seq >= self.options.delays_from();
        // [RFC 5681 3.2-a] [RFC 5681 3.2-b] [RFC 5681 4.2-b] [RFC 5681 4.2-d] [RFC 5681 4.2-e] [RFC 5681 4.2-f] [RFC 6582 5-a] [RFC 7323 4.3-a] [RFC 7323 4.3-c]
        let may_wait = !marks_change && last_in_order && delays && (new || self.options.delay_repeated);
        let waits = self.deadline < Time::NEVER;
        match self.options.delayed_ack {
            Some(timer) if may_wait && !waits && !quick => {
                self.recent = stamp;
                self.deadline = now + timer;
                None
            }
            // An ACK for two echoes the stamp of the first (RFC 7323, section 4.3).
            _ if may_wait && waits => Some(self.acknowledge(self.recent)),
            _ => {
                self.update_blocks(seq);
                if repeated {
                    self.reported_mut().repeat(seq);
                }
                if in_order {
                    self.recent = stamp;
                }
                // What has come before is outside the window, so that TS.Recent stays.
                let echoed = if new || !self.options.eifel { stamp } else { self.recent };
                Some(self.acknowledge(echoed))
            }
        }
    }

    /// The delayed-ACK timer expires.
    pub fn on_timer(&mut self) -> Option<Acknowledgement> {
        let deadline = self.deadline;
        if deadline == Time::NEVER {
            return None;
        }
        if let Some(buffer) = self.buffer() {
            buffer.on_ack(deadline);
        }
        Some(self.acknowledge(self.recent))
    }

    // [RFC 5681 4.2-g]
    fn acknowledge(&mut self, stamp: Time) -> Acknowledgement {
        self.deadline = Time::NEVER;
        self.sent = self.sent.wrapping_add(1);
        Acknowledgement { next: self.next, stamp, ecn_echo: self.marked, number: self.sent }
    }

    /// Takes in what a packet's flags say of marks. Returns whether that has to be reported at once (RFC 8257,
    /// section 3.2).
    fn note_marks(&mut self, flags: u8) -> bool {
        let experienced = flags & ecn::EXPERIENCED != 0;
        if self.options.exact_echo {
            // [RFC 8257 3.2-a] [RFC 8257 3.2-b]
            return std::mem::replace(&mut self.marked, experienced) != experienced;
        }
        self.marked = experienced || (self.marked && flags & ecn::REDUCED == 0);
        false
    }

    fn has(&self, seq: u32) -> bool {
        seq < self.next || self.beyond.around(i64::from(seq)).is_some()
    }

    fn store(&mut self, seq: u32) {
        let at = i64::from(seq);
        if seq == self.next {
            self.next += 1;
            if !self.beyond.is_empty() {
                let end = self.beyond.next_missing(at + 1);
                self.next = end as u32;
                self.beyond.remove_below(end);
            }
        } else if seq > self.next {
            self.beyond.insert(at, at + 1);
        }
    }

    /// Chooses the blocks to report after packet `seq` (RFC 2018, section 4): first the block that it belongs
    /// to, then those reported before, unless a later one covers them.
    fn update_blocks(&mut self, seq: u32) {
        if !self.options.sack {
            return;
        }
        if self.beyond.is_empty() {
            if let Some(reported) = &mut self.reported {
                **reported = SackBlocks::EMPTY;
            }
            return;
        }
        let next = self.next;
        let block = self.beyond.around(i64::from(seq)).map(|(low, high)| (low as u32, high as u32));
        match (&mut self.reported, block) {
            (Some(reported), Some((low, high))) => reported.report(low, high),
            (Some(reported), None) => reported.forget_within(0, next),
            (None, Some((low, high))) if self.beyond.has_several() => {
                self.reported_mut().report(low, high);
            }
            (None, _) => {}
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
                let ack = receiver.on_data(seq, Time::ZERO, 0, Time::ZERO);
                seen.insert(seq);
                let lowest_missing = (0..).find(|n| !seen.contains(n)).unwrap();
                prop_assert_eq!(next(ack), Some(lowest_missing));
                let beyond = receiver.beyond.count_within(0, 100);
                prop_assert_eq!(i64::from(receiver.next) + beyond, seen.len() as i64);
            }
        }
    }

    #[test]
    // [RFC 5681 4.2-b] [RFC 7323 4.3-a]
    fn every_second_packet_is_acknowledged() {
        let mut r = receiver(true, false);
        let at = Time::from_secs;
        assert_eq!(next(r.on_data(0, at(0.0), 0, at(1.0))), Some(1));
        assert_eq!(r.on_data(1, at(0.1), 0, at(1.1)), None);
        assert_eq!(r.deadline(), at(1.2));
        let ack = r.on_data(2, at(0.2), 0, at(1.15)).unwrap();
        assert_eq!((ack.next, ack.stamp), (3, at(0.1)));
        assert_eq!(r.deadline(), Time::NEVER);
    }

    /// RFC 7323, section 4.3: a packet that has come before is outside the window and leaves TS.Recent as it is.
    #[test]
    fn a_repeated_packet_is_answered_with_the_stamp_of_what_came_in_order() {
        let at = Time::from_secs;
        for (eifel, expected) in [(true, at(0.2)), (false, at(0.9))] {
            let options = TcpOptions { eifel, delayed_ack: None, ..TcpOptions::rfc() };
            let mut r = TcpReceiver::new(Arc::new(options));
            for (seq, stamp) in [(0, 0.0), (1, 0.1), (2, 0.2), (4, 0.4)] {
                let ack = r.on_data(seq, at(stamp), 0, at(1.0)).expect("an ACK");
                assert_eq!(ack.stamp, at(stamp));
            }
            assert_eq!(r.on_data(1, at(0.9), 0, at(1.0)).map(|ack| ack.stamp), Some(expected));
        }
    }

    /// Packet 0 is a SYN here; the first packets of data are those after it.
    #[test]
    fn the_first_packets_are_acknowledged_at_once_and_then_every_second_one() {
        let options = TcpOptions { quick_acks: 4, ..TcpOptions::rfc() };
        let mut r = TcpReceiver::new(Arc::new(options));
        let answers: Vec<_> = (0..9).map(|seq| next(r.on_data(seq, Time::ZERO, 0, Time::ZERO))).collect();
        assert_eq!(answers, [Some(1), Some(2), Some(3), Some(4), Some(5), None, Some(7), None, Some(9)]);
    }

    proptest! {
        /// Whatever comes in whatever order.
        #[test]
        fn none_of_the_first_packets_waits_for_an_ack(
            quick_acks in 0u32..30,
            handshake in any::<bool>(),
            packets in prop::collection::vec(0u32..40, 0..120),
        ) {
            let options = TcpOptions { quick_acks, handshake, ..TcpOptions::rfc() };
            let mut r = TcpReceiver::new(Arc::new(options));
            for seq in packets {
                let ack = r.on_data(seq, Time::ZERO, 0, Time::ZERO);
                let first = u32::from(!handshake);
                prop_assert!(seq + first > quick_acks || next(ack) == Some(r.next()));
            }
        }
    }

    #[test]
    fn the_timer_acknowledges_a_single_packet() {
        let mut r = receiver(true, false);
        r.on_data(0, Time::ZERO, 0, Time::ZERO);
        r.on_data(1, Time::ZERO, 0, Time::ZERO);
        assert_eq!(next(r.on_timer()), Some(2));
        assert_eq!(r.on_timer(), None);
    }

    // [RFC 7323 4.3-c]
    #[test]
    fn what_fills_a_gap_is_echoed() {
        let (mut r, at) = (receiver(true, false), Time::from_secs);
        r.on_data(0, at(0.0), 0, at(1.0));
        r.on_data(2, at(0.2), 0, at(1.2));
        assert_eq!(r.on_data(1, at(0.9), 0, at(1.9)).expect("an ACK").stamp, at(0.9));
    }

    #[test]
    // [RFC 5681 3.2-a] [RFC 5681 3.2-b] [RFC 5681 4.2-d] [RFC 5681 4.2-e] [RFC 5681 4.2-f] [RFC 6582 5-a]
    fn gaps_and_what_fills_them_are_acknowledged_at_once() {
        let mut r = receiver(true, false);
        r.on_data(0, Time::ZERO, 0, Time::ZERO);
        assert_eq!(next(r.on_data(2, Time::ZERO, 0, Time::ZERO)), Some(1));
        assert_eq!(next(r.on_data(1, Time::ZERO, 0, Time::ZERO)), Some(3));
    }

    #[test]
    fn blocks_are_reported_latest_first() {
        let options = TcpOptions { sack: true, delayed_ack: None, ..TcpOptions::rfc() };
        let mut r = TcpReceiver::new(Arc::new(options));
        let mut blocks = |seq| {
            r.on_data(seq, Time::ZERO, 0, Time::ZERO).expect("an ACK");
            r.reported().iter().collect::<Vec<_>>()
        };
        assert_eq!(blocks(0), []);
        assert_eq!(blocks(2), [(2, 3)]);
        assert_eq!(blocks(4), [(4, 5), (2, 3)]);
        assert_eq!(blocks(6), [(6, 7), (4, 5), (2, 3)]);
        assert_eq!(blocks(8), [(8, 9), (6, 7), (4, 5)]);
        // Packet 5 joins two blocks.
        assert_eq!(blocks(5), [(4, 7), (8, 9)]);
        // A copy of what the cumulative ACK covers changes nothing.
        assert_eq!(blocks(0), [(4, 7), (8, 9)]);
        assert_eq!(blocks(1), [(4, 7), (8, 9)]);
        assert_eq!(blocks(3), [(8, 9)]);
        assert_eq!(blocks(7), []);
    }

    #[test]
    fn a_mark_is_reported_until_the_sender_has_reduced_its_window() {
        let mut r = receiver(false, false);
        let mut echo = |seq, flags| r.on_data(seq, Time::ZERO, flags, Time::ZERO).expect("an ACK").ecn_echo;
        let marked = ecn::CAPABLE | ecn::EXPERIENCED;
        assert!(!echo(0, ecn::CAPABLE));
        assert!(echo(1, marked));
        assert!(echo(2, ecn::CAPABLE));
        assert!(!echo(3, ecn::CAPABLE | ecn::REDUCED));
        assert!(echo(4, marked | ecn::REDUCED));
    }

    #[test]
    // [RFC 8257 3.2-a] [RFC 8257 3.2-b]
    fn an_exact_echo_tells_marks_packet_by_packet_and_changes_at_once() {
        let options = TcpOptions { exact_echo: true, ..TcpOptions::rfc() };
        let mut r =
            TcpReceiver::new(Arc::new(TcpOptions { delayed_ack: Some(Time::from_secs(0.1)), ..options }));
        let marked = ecn::CAPABLE | ecn::EXPERIENCED;
        let mut ack =
            |seq, flags| r.on_data(seq, Time::ZERO, flags, Time::ZERO).map(|a| (a.next, a.ecn_echo));
        assert_eq!(ack(0, ecn::CAPABLE), Some((1, false)));
        assert_eq!(ack(1, ecn::CAPABLE), None);
        assert_eq!(ack(2, marked), Some((3, true)));
        assert_eq!(ack(3, marked), None);
        assert_eq!(ack(4, marked), Some((5, true)));
        assert_eq!(ack(5, ecn::CAPABLE | ecn::REDUCED), Some((6, false)));
    }

    #[test]
    fn a_repeated_packet_waits_in_ns2_only() {
        for delay_repeated in [false, true] {
            let mut r = receiver(true, delay_repeated);
            r.on_data(0, Time::ZERO, 0, Time::ZERO);
            r.on_data(1, Time::ZERO, 0, Time::ZERO);
            r.on_timer();
            let ack = r.on_data(1, Time::ZERO, 0, Time::ZERO);
            assert_eq!(ack.is_none(), delay_repeated);
        }
    }

    /// RFC 2883, section 4: in front of the other blocks, once, and within the block that it lies in.
    #[test]
    fn what_has_come_twice_is_reported_once() {
        let mut r =
            TcpReceiver::new(Arc::new(TcpOptions { delayed_ack: None, dsack: true, ..TcpOptions::rfc() }));
        let mut blocks = |seq| {
            let ack = r.on_data(seq, Time::ZERO, 0, Time::ZERO).expect("an ACK");
            (ack.next, r.reported().iter().collect::<Vec<_>>())
        };
        assert_eq!(blocks(0), (1, vec![]));
        assert_eq!(blocks(0), (1, vec![(0, 1)]));
        assert_eq!(blocks(1), (2, vec![]));
        assert_eq!(blocks(3), (2, vec![(3, 4)]));
        assert_eq!(blocks(4), (2, vec![(3, 5)]));
        assert_eq!(blocks(3), (2, vec![(3, 4), (3, 5)]));
        assert_eq!(blocks(0), (2, vec![(0, 1), (3, 5)]));
        assert_eq!(blocks(6).1[..2], [(6, 7), (3, 5)]);
    }
}
