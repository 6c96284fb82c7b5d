//! Recoveries as their RFCs tell them: what goes on which ACK. Ten packets leave at once, and the first one is lost.

use std::sync::Arc;

use super::*;
use crate::transport::{SackBlocks, TcpSender};

const NOTHING: [u32; 0] = [];

fn ms(ms: u64) -> Time {
    Time::from_ps(ms * 1_000_000_000)
}

struct Bench {
    sender: TcpSender,
    out: Outbox,
    now: Time,
}

impl Bench {
    /// A sender of the profile `rfc` that has written `packets`.
    fn new(recovery: RecoveryName, packets: u32) -> Self {
        let options = TcpOptions { handshake: false, ..TcpOptions::rfc() };
        let mut bench = Self::with(TcpOptions { recovery, sack: recovery == RecoveryName::Sack, ..options });
        assert_eq!(bench.write(packets), (0..packets.min(10)).collect::<Vec<_>>());
        bench
    }

    fn with(options: TcpOptions) -> Self {
        let sender = TcpSender::new(Arc::new(options), Time::ZERO, 1, "f");
        Bench { sender, out: Outbox::default(), now: Time::ZERO }
    }

    fn core(&self) -> &Core {
        self.sender.core()
    }

    fn sent(&mut self) -> Vec<u32> {
        self.out.packets.drain(..).map(|(seq, _)| seq).collect()
    }

    fn write(&mut self, packets: u32) -> Vec<u32> {
        self.sender.on_write(packets, self.now, &mut self.out);
        self.sent()
    }

    /// An ACK of all up to packet `high` comes after a millisecond; returns what is sent on it.
    fn ack(&mut self, high: i64) -> Vec<u32> {
        self.ack_with(high, &[])
    }

    fn ack_with(&mut self, high: i64, blocks: &[(u32, u32)]) -> Vec<u32> {
        self.now += ms(1);
        let mut reported = SackBlocks::default();
        for &(low, beyond) in blocks.iter().rev() {
            reported.report(low, beyond);
        }
        let ack = Ack { high, echo: Time::ZERO, blocks: &reported, ecn_echo: false };
        self.sender.on_ack(&ack, self.now, &mut self.out);
        self.sent()
    }

    /// The timer expires.
    fn time_out(&mut self) -> Vec<u32> {
        self.now = self.core().deadline();
        self.sender.on_timeout(self.now, &mut self.out);
        self.sent()
    }
}

// [RFC 5681 3-a] [RFC 5681 3.1-a] [RFC 5681 3.1-f] [RFC 5681 3.1-h]
#[test]
fn slow_start_adds_a_packet_for_each_ack() {
    let mut bench = Bench::new(RecoveryName::Reno, 60);
    assert_eq!((bench.core().window.cwnd, bench.core().window.ssthresh), (10.0, f64::INFINITY));
    assert_eq!(bench.ack(0), [10, 11]);
    assert_eq!(bench.ack(2), [12, 13, 14], "two are acknowledged, and one is added");
    assert_eq!(bench.core().window.cwnd, 12.0);
}

// [RFC 5681 3.1-a] [RFC 5681 3.1-i] [RFC 5681 3.1-j] [RFC 5681 3.1-k] [RFC 5681 5-a]
#[test]
fn congestion_avoidance_adds_a_packet_for_each_round_trip() {
    for step in [1, 2, 5] {
        let options = TcpOptions { handshake: false, initial_ssthresh: 10.0, ..TcpOptions::rfc() };
        let mut bench = Bench::with(options);
        bench.write(60);
        for high in (0..10).skip(step - 1).step_by(step) {
            bench.ack(high);
        }
        let cwnd = bench.core().window.cwnd;
        assert!(cwnd > 10.9 && cwnd <= 11.0, "{cwnd} with an ACK for {step}");
    }
}

// [RFC 5681 3.1-c] [RFC 5681 3.1-d] [RFC 6928 2-a] [RFC 6928 2-c]
#[test]
fn the_window_behind_a_handshake_is_the_initial_one_or_one_packet() {
    let mut bench = Bench::with(TcpOptions::rfc());
    assert_eq!(bench.write(60), [0]);
    assert_eq!(bench.ack(0), (1..=10).collect::<Vec<_>>());
    let mut bench = Bench::with(TcpOptions::rfc());
    bench.write(60);
    assert_eq!(bench.time_out(), [0]);
    assert_eq!(bench.ack(0), [1]);
}

// [RFC 5681 3.1-g] [RFC 5681 3.1-m] [RFC 5681 3.1-n]
#[test]
fn a_timeout_leaves_half_of_the_flight_and_one_packet() {
    for recovery in [RecoveryName::Tahoe, RecoveryName::Reno, RecoveryName::Newreno, RecoveryName::Sack] {
        for (packets, ssthresh) in [(60, 5.0), (6, 3.0), (2, 2.0)] {
            let mut bench = Bench::new(recovery, packets);
            assert_eq!(bench.time_out(), [0]);
            assert_eq!((bench.core().window.cwnd, bench.core().window.ssthresh), (1.0, ssthresh));
        }
    }
}

// [RFC 8257 3.5-c]
#[test]
fn a_timeout_leaves_dctcp_one_packet_although_marks_have_made_it_smaller() {
    let control = serde_json::from_value(serde_json::json!({"kind": "dctcp"})).expect("a control");
    let options = TcpOptions { handshake: false, control, ecn: true, ..TcpOptions::rfc() };
    let mut bench = Bench::with(options);
    bench.write(60);
    bench.now = ms(1);
    bench.sender.on_ack(
        &Ack { high: 0, echo: Time::ZERO, blocks: &SackBlocks::EMPTY, ecn_echo: true },
        ms(1),
        &mut bench.out,
    );
    assert_eq!(bench.core().counters.mark_reductions, 1);
    bench.time_out();
    assert_eq!(bench.core().window.cwnd, 1.0);
}

// [RFC 5681 4.2-c]
#[test]
fn no_profile_delays_an_ack_by_more_than_half_a_second() {
    for options in [TcpOptions::rfc(), TcpOptions::linux(), TcpOptions::ns2()] {
        assert!(options.delayed_ack.is_none_or(|timer| timer <= ms(500)));
    }
}

// [RFC 6298 5-b]
#[test]
fn the_timer_runs_from_the_last_ack_of_new_data_while_any_is_in_flight() {
    let mut bench = Bench::new(RecoveryName::Reno, 3);
    assert_eq!(bench.core().deadline(), ms(1000));
    for high in [0, 1] {
        bench.ack(high);
        assert_eq!(bench.core().deadline(), bench.now + ms(1000));
    }
    bench.ack(2);
    assert_eq!(bench.core().deadline(), Time::NEVER);
}

// [RFC 5681 3.2-c] [RFC 5681 3.2-d] [RFC 5681 3.2-e] [RFC 5681 3.2-g] [RFC 5681 3.2-h] [RFC 5681 3.2-i] [RFC 5681 3.2-j]
// [RFC 5681 3.2-k] [RFC 5681 3.2-l] [RFC 5681 4.3-c] [RFC 5681 4.3-d]
#[test]
fn reno_inflates_its_window_and_deflates_it() {
    let mut bench = Bench::new(RecoveryName::Reno, 60);
    for new in [10, 11] {
        assert_eq!(bench.ack(-1), [new]);
        assert_eq!(bench.core().window.cwnd, 10.0);
    }
    assert_eq!(bench.ack(-1), [0]);
    assert_eq!(bench.core().window.ssthresh, 5.0, "half of ten: limited transmit does not count");
    // Packet 12 is the thirteenth: it takes a window of 5 and 8.
    (4..8).for_each(|_| assert_eq!(bench.ack(-1), NOTHING));
    for new in [12, 13, 14, 15] {
        assert_eq!(bench.ack(-1), [new]);
    }
    assert_eq!(bench.ack(11), [16]);
    assert_eq!(bench.core().window.cwnd, 5.0);
    bench.ack(12);
    assert_eq!(bench.core().window.cwnd, 5.2);
}

// [RFC 6582 3.2-2] [RFC 6582 3.2-3a] [RFC 6582 3.2-3b] [RFC 6582 3.2-3c] [RFC 6582 3.2-3d]
#[test]
fn newreno_answers_partial_acks() {
    let mut bench = Bench::new(RecoveryName::Newreno, 60);
    // Packets 0 and 5 are lost.
    let sent: Vec<u32> = (0..10).flat_map(|_| bench.ack(-1)).collect();
    assert_eq!((sent, bench.core().recover), (vec![10, 11, 0, 12, 13, 14], 11));
    // Of an inflation of ten five go, and one comes back.
    assert_eq!(bench.ack(4), [5, 15]);
    assert_eq!(bench.core().deadline(), bench.now + ms(1000));
    // One packet is in flight behind the full ACK.
    bench.ack(14);
    assert_eq!((bench.core().window.cwnd, bench.core().window.ssthresh), (2.0, 5.0));
}

// [RFC 6582 3.2-2] [RFC 6582 3.2-4]
#[test]
fn duplicate_acks_of_what_a_timeout_sent_again_start_no_fast_retransmit() {
    let mut bench = Bench::new(RecoveryName::Newreno, 60);
    (0..3).for_each(|_| drop(bench.ack(-1)));
    assert_eq!(bench.core().counters.fast_retransmits, 1);
    let highest = bench.core().max_seq;
    assert_eq!(bench.time_out(), [0]);
    assert_eq!(bench.core().recover, highest);
    let ssthresh = bench.core().window.ssthresh;
    (0..5).for_each(|_| drop(bench.ack(-1)));
    assert_eq!((bench.core().counters.fast_retransmits, bench.core().window.ssthresh), (1, ssthresh));
}

/// A sender of the profile `rfc` with F-RTO whose timer has expired with ten packets in flight.
fn timed_out(recovery: RecoveryName) -> Bench {
    let options = TcpOptions { handshake: false, frto: true, ..TcpOptions::rfc() };
    let mut bench = Bench::with(TcpOptions { recovery, sack: recovery == RecoveryName::Sack, ..options });
    bench.write(60);
    assert_eq!(bench.time_out(), [0]);
    assert_eq!((bench.core().window.cwnd, bench.core().window.ssthresh), (1.0, 5.0));
    bench
}

const F_RTO: [RecoveryName; 4] =
    [RecoveryName::Tahoe, RecoveryName::Reno, RecoveryName::Newreno, RecoveryName::Sack];

/// RFC 5682, sections 2.1 and 3.1, steps 2b and 3b: new data goes on the first ACK, and the second tells of originals.
#[test]
fn f_rto_undoes_a_needless_timeout() {
    for recovery in F_RTO {
        let mut bench = timed_out(recovery);
        assert_eq!(bench.ack(0), [10, 11], "{recovery:?}");
        let sent = bench.ack(1);
        assert_eq!((bench.core().window.cwnd, bench.core().window.ssthresh), (11.0, f64::INFINITY));
        assert_eq!(sent, [12], "{recovery:?}: eleven packets are in the window of eleven");
        assert_eq!(bench.core().counters.packets_retransmitted, 1);
    }
}

/// Step 3a: what answers the new data tells of no original.
#[test]
fn f_rto_repairs_what_is_lost() {
    for recovery in F_RTO {
        let mut bench = timed_out(recovery);
        assert_eq!(bench.ack(0), [10, 11]);
        let again = bench.ack_with(0, &[(10, 11)]);
        assert_eq!(again.first(), Some(&1), "{recovery:?}: {again:?}");
        assert_eq!((bench.core().window.cwnd, bench.core().window.ssthresh), (2.0, 5.0));
        let again: Vec<u32> = [0, 1].into_iter().flat_map(|high| bench.ack_with(high, &[(10, 12)])).collect();
        assert!(again.contains(&3) && again.iter().all(|&seq| seq < 10), "{recovery:?}: {again:?}");
        assert_eq!(bench.core().window.ssthresh, 5.0);
    }
}

/// Step 2a, and 2b without new data: all is as without F-RTO.
#[test]
fn f_rto_asks_nothing_when_all_is_acknowledged_or_sent() {
    for recovery in F_RTO {
        let mut bench = timed_out(recovery);
        let sent = bench.ack(9);
        assert_eq!(
            bench.core().window.ssthresh,
            if recovery == RecoveryName::Sack { f64::INFINITY } else { 5.0 }
        );
        assert_eq!(sent.first(), Some(&10));
        let options = TcpOptions { handshake: false, frto: true, ..TcpOptions::rfc() };
        let mut bench = Bench::with(TcpOptions { recovery, sack: recovery == RecoveryName::Sack, ..options });
        bench.write(10);
        assert_eq!((bench.time_out(), bench.ack(0)), (vec![0], vec![1, 2]), "{recovery:?}");
    }
}

/// Section 3.1, step 3b, as Linux has it: a block tells of an original, too, and of the loss that was there.
#[test]
fn with_sack_f_rto_leaves_the_repair_to_a_recovery() {
    let mut bench = timed_out(RecoveryName::Sack);
    bench.ack_with(-1, &[(1, 2)]);
    assert_eq!((bench.core().window.cwnd, bench.core().window.ssthresh), (10.0, f64::INFINITY));
    bench.ack_with(-1, &[(1, 3)]);
    bench.ack_with(-1, &[(1, 4)]);
    assert_eq!((bench.core().counters.fast_retransmits, bench.core().window.ssthresh), (1, 5.0));
}

/// Section 2.1, step 1: in a recovery retransmissions would be taken for originals.
#[test]
fn f_rto_does_not_judge_a_timeout_in_a_recovery() {
    let options = TcpOptions { handshake: false, frto: true, ..TcpOptions::rfc() };
    for recovery in [RecoveryName::Newreno, RecoveryName::Sack] {
        let options = TcpOptions { recovery, sack: recovery == RecoveryName::Sack, ..options.clone() };
        let mut bench = Bench::with(options);
        bench.write(60);
        (2..=4).for_each(|beyond| drop(bench.ack_with(-1, &[(1, beyond)])));
        assert_eq!(bench.time_out(), [0]);
        let ssthresh = bench.core().window.ssthresh;
        let again = bench.ack_with(3, &[]);
        assert!(again.starts_with(&[4, 5]), "{recovery:?}: {again:?}");
        bench.ack_with(4, &[]);
        assert_eq!(bench.core().window.ssthresh, ssthresh);
    }
}

// [RFC 5681 3.2-f] [RFC 6675 5-b] [RFC 6675 5-c]
#[test]
fn with_sack_a_duplicate_ack_is_one_with_new_blocks() {
    let mut bench = Bench::new(RecoveryName::Sack, 60);
    assert_eq!(bench.ack(-1), NOTHING);
    assert_eq!(bench.ack_with(-1, &[(1, 2)]), [10]);
    assert_eq!(bench.ack_with(-1, &[(1, 2)]), NOTHING);
    assert_eq!(bench.core().dupacks, 1);
    bench.ack(1);
    assert_eq!(bench.core().dupacks, 0);
}

// [RFC 9937 3-b] [RFC 5681 4.3-a] [RFC 5681 4.3-b] [RFC 5681 4.3-c] [RFC 6675 4-a] [RFC 6675 4-c] [RFC 6675 4-f] [RFC 6675 5-a]
// [RFC 6675 5-e] [RFC 6675 5-f] [RFC 6675 5-h] [RFC 6675 5-i] [RFC 6675 5-j]
#[test]
fn sack_keeps_half_of_the_flight_in_the_pipe() {
    let mut bench = Bench::new(RecoveryName::Sack, 60);
    let mut sent: Vec<u32> = (2..=3).flat_map(|beyond| bench.ack_with(-1, &[(1, beyond)])).collect();
    assert_eq!(sent, [10, 11]);
    sent = (4..=8).flat_map(|beyond| bench.ack_with(-1, &[(1, beyond)])).collect();
    assert_eq!((sent, bench.core().window.ssthresh), (vec![0], 5.0));
    // Packets 9, 10, 11 and packet 0 again are in flight: one more may go.
    sent = (9..=12).flat_map(|beyond| bench.ack_with(-1, &[(1, beyond)])).collect();
    assert_eq!(sent, [12, 13, 14, 15]);
    assert_eq!(bench.ack(11), [16]);
    assert_eq!(bench.core().window.cwnd, 5.0);
}

// [RFC 6675 4-d] [RFC 6675 4-e] [RFC 6675 4-f] [RFC 6675 5-k]
#[test]
fn sack_sends_the_lowest_hole_before_new_data_and_once() {
    let mut bench = Bench::new(RecoveryName::Sack, 60);
    // Packets 0 and 4 are lost.
    (2..=4).for_each(|beyond| drop(bench.ack_with(-1, &[(1, beyond)])));
    let sent: Vec<u32> = (6..=8).flat_map(|beyond| bench.ack_with(-1, &[(5, beyond), (1, 4)])).collect();
    assert_eq!(sent, NOTHING);
    assert_eq!(bench.ack_with(-1, &[(5, 9), (1, 4)]), [4]);
    assert_eq!(bench.ack_with(-1, &[(5, 10), (1, 4)]), [12]);
}

// [RFC 6675 4-d] [RFC 6675 4-g]
#[test]
fn without_new_data_sack_sends_a_hole_that_may_be_none() {
    let mut bench = Bench::new(RecoveryName::Sack, 7);
    // Packets 0 and 4 are lost.
    (2..=4).for_each(|beyond| drop(bench.ack_with(-1, &[(1, beyond)])));
    (6..=7).for_each(|beyond| assert_eq!(bench.ack_with(-1, &[(5, beyond), (1, 4)]), NOTHING));
    assert_eq!(bench.ack_with(3, &[(5, 7)]), [4]);
}

// [RFC 6675 4-j]
#[test]
fn without_holes_and_data_sack_sends_nothing() {
    let mut bench = Bench::new(RecoveryName::Sack, 4);
    let sent: Vec<u32> = (2..=4).flat_map(|beyond| bench.ack_with(-1, &[(1, beyond)])).collect();
    assert_eq!((sent, bench.core().window.cwnd), (vec![0], 2.0));
}

// [RFC 6675 4-h]
#[test]
fn sack_rescues_nothing_before_the_first_retransmission_is_acknowledged() {
    let mut bench = Bench::new(RecoveryName::Sack, 8);
    // Packet 0 is lost; packet 7 is on its way.
    let sent: Vec<u32> = (2..=7).flat_map(|beyond| bench.ack_with(-1, &[(1, beyond)])).collect();
    assert_eq!(sent, [0]);
    assert_eq!(bench.ack(6), [7]);
    assert_eq!(bench.ack(6), NOTHING);
}

// [RFC 6675 4-h] [RFC 6675 4-i]
#[test]
fn a_rescue_leaves_the_holes_below_it_to_be_sent() {
    let mut bench = Bench::new(RecoveryName::Sack, 10);
    // Packets 0, 7, 8 and 9 are lost.
    let sent: Vec<u32> = (2..=7).flat_map(|beyond| bench.ack_with(-1, &[(1, beyond)])).collect();
    assert_eq!(sent, [0]);
    assert_eq!(bench.ack(6), [9]);
    assert_eq!(bench.ack_with(6, &[(9, 10)]), [7, 8]);
}

// [RFC 6675 5-d2]
#[test]
fn the_first_packet_beyond_a_recovery_may_be_the_next_loss() {
    let mut bench = Bench::new(RecoveryName::Sack, 60);
    (2..=10).for_each(|beyond| drop(bench.ack_with(-1, &[(1, beyond)])));
    let recover = bench.core().recover;
    let lost = u32::try_from(recover + 1).unwrap();
    bench.ack(recover);
    let sent: Vec<u32> =
        (2..=4).flat_map(|beyond| bench.ack_with(recover, &[(lost + 1, lost + beyond)])).collect();
    assert!(sent.contains(&lost));
    assert_eq!(bench.core().counters.fast_retransmits, 2);
}

/// Each ACK acknowledges two packets and reports one beyond the next gap, as where ACKs were lost: the third shows the loss.
// [RFC 6675 5-d] [RFC 6675 5-d2]
#[test]
fn an_ack_of_new_data_with_new_blocks_counts_as_a_duplicate_one() {
    let mut bench = Bench::new(RecoveryName::Sack, 60);
    // Packet 4 is lost. Two leave for those that are acknowledged, one as the window grows, and one for that beyond the gap.
    assert_eq!(bench.ack_with(1, &[(5, 6)]), [10, 11, 12, 13]);
    assert_eq!((bench.core().dupacks, bench.core().window.cwnd), (1, 11.0));
    assert_eq!(bench.ack_with(2, &[(5, 7)]), [14, 15, 16]);
    assert_eq!((bench.core().dupacks, bench.core().window.cwnd), (1, 12.0));
    // What is in the pipe leaves as much room as is reported, although this is the first duplicate since.
    assert_eq!(bench.ack_with(2, &[]), NOTHING);
    let sent = bench.ack_with(3, &[(5, 9)]);
    assert_eq!((sent.first(), bench.core().counters.fast_retransmits), (Some(&4), 1));
    assert_eq!((bench.core().window.cwnd, bench.core().window.ssthresh), (6.0, 6.0));
}

/// An ACK that reports two packets lets two go.
// [RFC 6675 5-d]
#[test]
fn the_pipe_says_how_much_limited_transmit_sends() {
    let mut bench = Bench::new(RecoveryName::Sack, 60);
    assert_eq!(bench.ack_with(-1, &[(1, 3)]), [10, 11]);
    assert_eq!(bench.core().dupacks, 1);
    let none = TcpOptions { handshake: false, limited_transmit: false, ..TcpOptions::rfc() };
    let mut bench = Bench::with(none);
    bench.write(60);
    assert_eq!(bench.ack_with(-1, &[(1, 3)]), NOTHING);
    assert_eq!(bench.ack_with(0, &[(3, 4)]), [10, 11], "the window has moved, and grown");
}

// [RFC 6675 5-g]
#[test]
fn what_was_reported_beyond_a_recovery_stays_reported() {
    let mut bench = Bench::new(RecoveryName::Sack, 60);
    (2..=12).for_each(|beyond| drop(bench.ack_with(-1, &[(1, beyond)])));
    // Packet 13 is lost. Each of the three that tell so is reported once, the first as the recovery ends.
    bench.ack_with(11, &[(14, 15)]);
    assert!(!bench.ack_with(12, &[(15, 16)]).contains(&13));
    assert!(bench.ack_with(12, &[(16, 17)]).contains(&13));
}

// [RFC 6675 5.1-d] [RFC 6675 5.1-e] [RFC 6675 5.1-f] [RFC 6675 5.1-g]
#[test]
fn after_a_timeout_sack_starts_no_recovery_before_all_is_acknowledged() {
    let mut bench = Bench::new(RecoveryName::Sack, 60);
    (2..=8).for_each(|beyond| drop(bench.ack_with(-1, &[(1, beyond)])));
    let highest = bench.core().max_seq;
    assert_eq!(bench.time_out(), [0]);
    assert_eq!((bench.core().recover, bench.core().window.cwnd), (highest, 1.0));
    (9..=11).for_each(|beyond| drop(bench.ack_with(-1, &[(1, beyond)])));
    assert_eq!(bench.core().counters.fast_retransmits, 1);
    // What was SACKed since is not sent again.
    assert_eq!(bench.ack_with(7, &[(8, 11)]).first(), Some(&11));
}
