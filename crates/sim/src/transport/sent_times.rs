//! Sending times of packets in flight, by which controls that go by round trips time an ACK. The stamp that an ACK carries is
//! that of the first packet it answers (RFC 7323, section 4.3), which has waited for the second at the receiver; a sender
//! knows when it sent the last.

use super::extra::Leaving;
use crate::room;
use crate::units::Time;

/// Places of the ring at first.
const FIRST: usize = 16;

/// A ring of sending times, by the numbers of packets.
#[derive(Clone, Debug, Default)]
pub struct SentTimes {
    /// Sending times; [`Time::ZERO`] for a packet that was sent more than once: an ACK of it may answer any.
    at: Vec<Time>,
}

impl SentTimes {
    /// A packet is sent.
    #[inline]
    pub fn on_send(&mut self, packet: &Leaving) {
        let span = (packet.seq - packet.first) as usize;
        if span >= self.at.len() {
            self.grow(packet, span);
        }
        let place = self.place(packet.seq);
        self.at[place] = if packet.again { Time::ZERO } else { packet.now };
    }

    /// Sending time of the last packet up to `high` that an ACK with the stamp `echo` answers. Of a packet that was
    /// sent again only the stamp tells.
    #[inline]
    pub fn last_sent(&self, high: i64, echo: Time) -> Time {
        self.at.get(self.place(high)).map_or(echo, |&at| at.max(echo))
    }

    fn place(&self, seq: i64) -> usize {
        seq as usize & self.at.len().wrapping_sub(1)
    }

    #[cold]
    fn grow(&mut self, packet: &Leaving, span: usize) {
        let mut larger = SentTimes {
            at: room::filled(
                Time::ZERO,
                (span + 1).next_power_of_two().max(FIRST),
                "packets that a sender keeps",
            ),
        };
        if !self.at.is_empty() {
            for seq in packet.first..packet.seq {
                let place = larger.place(seq);
                larger.at[place] = self.at[self.place(seq)];
            }
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    fn send(times: &mut SentTimes, seq: i64, first: i64, again: bool, now: u64) {
        times.on_send(&Leaving { seq, first, again, now: ms(now) });
    }

    #[test]
    fn an_ack_of_two_is_timed_by_the_second() {
        let mut times = SentTimes::default();
        assert_eq!(times.last_sent(0, ms(3)), ms(3));
        send(&mut times, 0, 0, false, 10);
        send(&mut times, 1, 0, false, 12);
        assert_eq!(times.last_sent(1, ms(10)), ms(12));
    }

    #[test]
    fn of_a_packet_sent_twice_only_the_stamp_tells() {
        let mut times = SentTimes::default();
        send(&mut times, 0, 0, false, 10);
        send(&mut times, 0, 0, true, 200);
        assert_eq!(times.last_sent(0, ms(10)), ms(10));
        assert_eq!(times.last_sent(0, ms(200)), ms(200));
    }

    #[test]
    fn a_ring_that_is_full_grows() {
        for count in [16, 17, 32, 33, 64, 65] {
            let mut times = SentTimes::default();
            (0..count).for_each(|seq| send(&mut times, seq, 0, false, 10 + seq as u64));
            let sent = (0..count).map(|seq| times.last_sent(seq, Time::ZERO));
            assert!(sent.eq((0..count).map(|seq| ms(10 + seq as u64))), "{count}");
        }
    }

    #[test]
    fn what_fills_a_gap_is_what_is_timed() {
        let mut times = SentTimes::default();
        (0..4).for_each(|seq| send(&mut times, seq, 0, false, 10 + seq as u64));
        send(&mut times, 0, 0, true, 150);
        assert_eq!(times.last_sent(3, ms(150)), ms(150));
    }

    proptest! {
        /// Whatever is sent again, and however far the window grows.
        #[test]
        fn the_ring_is_a_map(steps in prop::collection::vec((0u8..3, 0i64..200), 1..300)) {
            let mut times = SentTimes::default();
            let mut sent = std::collections::BTreeMap::new();
            let (mut first, mut next) = (0i64, 0i64);
            for (now, (what, place)) in (1u64..).zip(steps) {
                match what {
                    0 => for _ in 0..=place {
                        send(&mut times, next, first, false, now);
                        sent.insert(next, ms(now));
                        next += 1;
                    },
                    1 if next > first => {
                        let seq = first + place % (next - first);
                        send(&mut times, seq, first, true, now);
                        sent.insert(seq, Time::ZERO);
                    }
                    2 if next > first => {
                        let high = first + place % (next - first);
                        prop_assert_eq!(times.last_sent(high, Time::ZERO), sent[&high]);
                        first = high + 1;
                    }
                    _ => {}
                }
            }
        }
    }
}
