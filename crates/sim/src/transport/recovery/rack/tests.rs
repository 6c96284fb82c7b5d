//! RACK-TLP under losses, reordering and silence.

use std::sync::Arc;

use super::*;
use crate::scenario::ReduceFrom;
use crate::transport::{SackBlocks, TcpSender};
use proptest::prelude::*;

const NOTHING: [u32; 0] = [];

fn ms(ms: u64) -> Time {
    Time::from_ps(ms * 1_000_000_000)
}

/// A sender with RACK-TLP, without a handshake and without proportional rate reduction.
struct Bench {
    sender: TcpSender,
    out: Outbox,
}

impl Bench {
    /// It has `packets` to send, of which the first ten have left at 0 ms.
    fn new(packets: u32) -> Self {
        // RFC 6675: what is in flight is halved.
        let reduce_from = ReduceFrom::Flight;
        let options = TcpOptions {
            sack: true,
            prr: false,
            handshake: false,
            reduce_from,
            timer_wheel: false,
            ..TcpOptions::linux()
        };
        let sender = TcpSender::new(Arc::new(options), Time::ZERO, 1, "f");
        let mut bench = Bench { sender, out: Outbox::default() };
        bench.sender.on_write(packets, Time::ZERO, &mut bench.out);
        assert_eq!(bench.sent(), (0..packets.min(10)).collect::<Vec<_>>());
        bench
    }

    fn sent(&mut self) -> Vec<u32> {
        self.out.packets.drain(..).map(|(seq, _)| seq).collect()
    }

    /// An ACK comes; returns what is sent on it. The first block is the one reported last.
    fn ack(&mut self, high: i64, blocks: &[(u32, u32)], echo: u64, now: u64) -> Vec<u32> {
        let mut reported = SackBlocks::default();
        for &(low, beyond) in blocks.iter().rev() {
            reported.report(low, beyond);
        }
        let ack = Ack { high, echo: ms(echo), blocks: &reported, ecn_echo: false };
        self.sender.on_ack(&ack, ms(now), &mut self.out);
        self.sent()
    }

    /// The timer expires, which it does at `now`; returns what is sent then.
    #[track_caller]
    fn timer(&mut self, now: u64) -> Vec<u32> {
        assert_eq!(self.sender.core().deadline(), ms(now), "the timer expires at another time");
        self.sender.on_timeout(ms(now), &mut self.out);
        self.sent()
    }

    fn timeouts(&self) -> u32 {
        self.sender.core().counters.timeouts
    }
}

/// RFC 8985, section 6.2: a packet that a later one has overtaken is lost after a round trip and a quarter.
#[test]
// [RFC 8985 3.3.2-b] [RFC 8985 3.3.2-d] [RFC 8985 4-a] [RFC 8985 6.2-b] [RFC 8985 8-a]
fn a_gap_is_a_loss_when_a_quarter_of_a_round_trip_has_passed() {
    let mut bench = Bench::new(10);
    assert_eq!(bench.ack(-1, &[(1, 2)], 0, 100), NOTHING);
    assert_eq!(bench.timer(125), [0]);
    assert_eq!((bench.sender.core().counters.fast_retransmits, bench.timeouts()), (1, 0));
}

#[test]
fn what_comes_within_a_quarter_of_a_round_trip_was_not_lost() {
    let mut bench = Bench::new(10);
    assert_eq!(bench.ack(-1, &[(1, 2)], 0, 100), NOTHING);
    assert_eq!(bench.ack(1, &[], 0, 124), NOTHING);
    assert_eq!(bench.sender.core().counters.packets_retransmitted, 0);
    // From now on reordering is known, and three packets beyond a gap are no proof.
    for beyond in 4..8 {
        assert_eq!(bench.ack(1, &[(3, beyond)], 0, 124), NOTHING);
    }
    assert_eq!(bench.ack(9, &[], 0, 148), NOTHING);
    assert_eq!(bench.sender.core().counters.packets_retransmitted, 0);
}

/// Section 6.2, step 4: where reordering has not been seen, DupThresh packets beyond a gap are enough.
#[test]
// [RFC 8985 3.3.2-a] [RFC 8985 4-b]
fn three_packets_beyond_a_gap_are_a_loss_at_once() {
    let mut bench = Bench::new(10);
    assert_eq!(bench.ack(-1, &[(1, 2)], 0, 100), NOTHING);
    assert_eq!(bench.ack(-1, &[(1, 3)], 0, 100), NOTHING);
    assert_eq!(bench.ack(-1, &[(1, 4)], 0, 100), [0]);
}

/// A packet sent after the one that was sent again has arrived: the latter is lost again.
#[test]
// [RFC 8985 4-c] [RFC 8985 9.2-a]
fn a_lost_retransmission_is_found_without_a_timeout() {
    let mut bench = Bench::new(20);
    for beyond in 2..4 {
        bench.ack(-1, &[(1, beyond)], 0, 100);
    }
    assert_eq!(bench.ack(-1, &[(1, 4)], 0, 101), [0]);
    let mut new = Vec::new();
    for beyond in 5..=10 {
        new.extend(bench.ack(-1, &[(1, beyond)], 0, 101));
    }
    assert_eq!(new.first(), Some(&12), "two have been sent by limited transmit");
    // Those two left before packet 0 did so again, the next one after it.
    for (beyond, echo) in [(11, 100), (12, 100)] {
        assert!(!bench.ack(-1, &[(1, beyond)], echo, echo + 100).contains(&0));
    }
    assert_eq!(bench.ack(-1, &[(1, 13)], 101, 201).first(), Some(&0));
    let core = bench.sender.core();
    assert_eq!(core.deadline(), ms(201) + Time::from_secs(core.rto()), "it has its time again");
    assert_eq!((bench.timeouts(), bench.sender.core().counters.fast_retransmits), (0, 1));
}

/// As in Linux: packet 12 leaves in the recovery of packet 0, is lost, and is sent again before that recovery ends.
#[test]
fn what_is_lost_in_a_recovery_costs_another_reduction() {
    let mut bench = Bench::new(60);
    for beyond in 2..=4 {
        bench.ack(-1, &[(1, beyond)], 0, 100);
    }
    let mut new = Vec::new();
    for beyond in 5..=12 {
        new.extend(bench.ack(-1, &[(1, beyond)], 0, 101));
    }
    assert!(new.contains(&12) && new.contains(&15), "{new:?}");
    let mut again = Vec::new();
    for beyond in 14..=16 {
        again.extend(bench.ack(-1, &[(13, beyond), (1, 12)], 101, 201));
    }
    assert!(again.contains(&12), "{again:?}");
    assert_eq!(bench.sender.core().counters.fast_retransmits, 1);
    bench.ack(11, &[(13, 16)], 201, 301);
    assert_eq!(bench.sender.core().counters.fast_retransmits, 2);
}

/// Sections 7.2 and 7.3. The probe is answered by a block that shows all of the tail to be lost.
#[test]
// [RFC 9937 6.2-a] [RFC 8985 7.2-a] [RFC 8985 7.2-c] [RFC 8985 7.3-f] [RFC 8985 7.3-g] [RFC 8985 9.3-a]
fn a_lost_tail_is_repaired_after_two_round_trips() {
    let mut bench = Bench::new(10);
    assert_eq!(bench.ack(5, &[], 0, 100), NOTHING);
    assert_eq!(bench.timer(300), [9]);
    assert_eq!(bench.ack(5, &[(9, 10)], 300, 400), [6, 7], "the window is halved, to two packets");
    assert_eq!(bench.ack(6, &[(9, 10)], 400, 500), [8]);
    bench.ack(7, &[(9, 10)], 400, 500);
    bench.ack(9, &[], 500, 600);
    assert_eq!((bench.timeouts(), bench.sender.core().in_flight()), (0, 0));
}

/// Section 7.4: the window answers a loss that nothing but the probe has repaired.
#[test]
// [RFC 8985 7.4.2-a] [RFC 8985 7.4.2-b] [RFC 8985 7.2-c]
fn a_loss_that_a_probe_repairs_reduces_the_window() {
    for (echo, reductions) in [(400, 1), (0, 0)] {
        let mut bench = Bench::new(10);
        assert_eq!(bench.ack(8, &[], 0, 100), NOTHING);
        // One packet is in flight, whose ACK may be delayed: the probe takes the place of the timeout.
        assert_eq!(bench.timer(400), [9]);
        bench.ack(9, &[], echo, 500);
        assert_eq!(bench.sender.core().counters.fast_retransmits, reductions);
        assert_eq!(bench.timeouts(), 0);
    }
}

#[test]
// [RFC 8985 7.3-a] [RFC 8985 7.3-c] [RFC 8985 7.3-d] [RFC 8985 7.3-e] [RFC 8985 7.3-h]
fn a_probe_is_new_data_where_there_is_any() {
    let mut bench = Bench::new(60);
    let sent = bench.ack(1, &[], 0, 100);
    let last = *sent.last().expect("new packets");
    assert_eq!(bench.timer(300), [last + 1]);
    // There is one probe at a time; then the timer takes its turn.
    let deadline = bench.sender.core().deadline();
    assert_eq!(deadline, ms(300) + Time::from_secs(bench.sender.core().rto()));
    bench.sender.on_timeout(deadline, &mut bench.out);
    assert_eq!(bench.timeouts(), 1);
}

// [RFC 8985 7.2-b]
#[test]
fn before_the_first_sample_a_probe_waits_for_a_second() {
    let mut bench = Bench::new(10);
    assert_eq!(bench.timer(1000), [9]);
    assert_eq!(bench.timeouts(), 0);
}

// [RFC 8985 3.3.2-c] [RFC 8985 4-d]
#[test]
fn what_has_come_twice_lets_reordering_take_another_quarter() {
    let mut bench = Bench::new(10);
    assert_eq!(bench.ack(1, &[(0, 1)], 0, 100), NOTHING);
    assert_eq!(bench.ack(1, &[(3, 4)], 0, 100), NOTHING);
    assert_eq!(bench.timer(150), [2]);
}

// [RFC 8985 3.3.2-e]
#[test]
fn reordering_takes_a_smoothed_round_trip_at_most() {
    let mut bench = Bench::new(10);
    for round in 0..6 {
        bench.ack(10 * round + 9, &[(0, 1)], 200 * round as u64, 200 * round as u64 + 100);
        bench.sender.on_write(10, ms(200 * round as u64 + 200), &mut bench.out);
        assert_eq!(bench.sent().len(), 10);
    }
    assert_eq!(bench.ack(59, &[(61, 62)], 1200, 1300), NOTHING);
    let deadline = bench.sender.core().deadline();
    assert!(deadline >= ms(1399) && deadline <= ms(1401), "{deadline:?}");
}

#[test]
fn a_syn_is_not_probed() {
    let options = TcpOptions { sack: true, timer_wheel: false, ..TcpOptions::linux() };
    let mut sender = TcpSender::new(Arc::new(options), Time::ZERO, 1, "f");
    let mut out = Outbox::default();
    sender.on_write(5, Time::ZERO, &mut out);
    sender.on_timeout(sender.core().deadline(), &mut out);
    assert_eq!(sender.core().counters.timeouts, 1);
}

/// Section 6.3: a timeout takes what was sent just before it for in flight.
#[test]
fn a_timeout_spares_what_was_sent_a_moment_ago() {
    let mut bench = Bench::new(30);
    bench.ack(-1, &[(1, 2)], 0, 100);
    bench.timer(125);
    let timeout = bench.sender.core().deadline();
    let sent: Vec<u32> = bench.ack(-1, &[(1, 10)], 0, timeout.ps() / 1_000_000_000 - 1);
    assert!(!sent.is_empty());
    bench.sender.on_timeout(timeout, &mut bench.out);
    assert_eq!(bench.sent(), [0], "and none of {sent:?}");
    assert_eq!(bench.timeouts(), 1);
}

proptest! {
    /// Over a network that loses any transmission, keeps the order and takes 50 ms each way, everything arrives,
    /// and what is counted in flight is what has neither been reported nor taken for lost.
    #[test]
    // [RFC 9937 5-a] [RFC 8985 9.3-b]
    fn everything_arrives(lost in prop::collection::btree_set(0usize..90, 0..40), packets in 1u32..60, prr in any::<bool>()) {
        let options = TcpOptions { sack: true, prr, handshake: false, delayed_ack: None, ..TcpOptions::linux() };
        let options = Arc::new(options);
        let mut sender = TcpSender::new(options.clone(), Time::ZERO, 1, "f");
        let mut receiver = crate::transport::TcpReceiver::new(options);
        let (mut out, mut acks) = (Outbox::default(), std::collections::VecDeque::new());
        let (mut now, mut number) = (Time::ZERO, 0);
        sender.on_write(packets, now, &mut out);
        while !sender.finished() {
            for (seq, flags) in out.packets.drain(..) {
                number += 1;
                if !lost.contains(&number) {
                    let ack = receiver.on_data(seq, now, flags, now).expect("an ACK for each packet");
                    acks.push_back((now + ms(100), ack, receiver.reported()));
                }
            }
            let next = acks.front().map_or(Time::NEVER, |(at, ..)| *at);
            prop_assert!(next.min(sender.core().deadline()) < ms(1_000_000), "it goes on");
            if sender.core().deadline() <= next {
                now = sender.core().deadline();
                sender.on_timeout(now, &mut out);
            } else if let Some((at, ack, blocks)) = acks.pop_front() {
                now = at;
                let ack = Ack { high: i64::from(ack.next) - 1, echo: ack.stamp, blocks: &blocks, ecn_echo: false };
                sender.on_ack(&ack, now, &mut out);
            }
        }
        // No transmission was in vain but for probes and after timeouts: the network keeps the order.
        let counters = sender.core().counters;
        if counters.timeouts == 0 {
            let needless = i64::from(counters.packets_retransmitted) - lost.range(..=number).count() as i64;
            prop_assert!(needless <= 1, "{needless} needless transmissions");
        }
    }
}
