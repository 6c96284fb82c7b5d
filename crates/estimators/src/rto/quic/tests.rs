//! The filter and the timer against numbers worked by hand and against a sender that follows the RFC's pseudocode.

use super::*;
use core::time::Duration;
use proptest::prelude::*;

use PacketSpace::{Application, Handshake, Initial};

/// Times that are sums of few powers of two, so that results are exact.
const SETTINGS: QuicSettings = QuicSettings {
    role: QuicRole::Client,
    initial_rtt_s: 0.25,
    granularity_s: 1.0 / 1024.0,
    max_ack_delay_s: 1.0 / 32.0,
};

fn path() -> QuicPto {
    QuicPto::new(SETTINGS).expect("valid settings")
}

fn known(pto: &QuicPto) -> (f64, f64, f64) {
    (pto.min_rtt().unwrap(), pto.srtt().unwrap(), pto.rttvar().unwrap())
}

#[test]
// [RFC 9002 5.2-a] [RFC 9002 5.2-b] [RFC 9002 5.3-a] [RFC 9002 5.3-b] [RFC 9002 5.3-c] [RFC 9002 6.2.1-a]
fn worked_by_hand() {
    let mut pto = path();
    // The first sample counts as it is: srtt 1/2, rttvar 1/4; timeouts 1/2 + 4/4, and 1/32 more for application data.
    pto.on_delayed_sample(Handshake, 0.5, 0.25);
    assert_eq!(known(&pto), (0.5, 0.5, 0.25));
    assert_eq!((pto.period(Handshake), pto.period(Application)), (1.5, 1.53125));
    // Before the handshake is confirmed 1/8 counts in whole: R = 3/4 - 1/8 = 5/8, rttvar = 3/4 * 1/4 + 1/4 * 1/8 = 7/32,
    // srtt = 7/8 * 1/2 + 1/8 * 5/8 = 33/64.
    pto.on_delayed_sample(Application, 0.75, 0.125);
    assert_eq!(known(&pto), (0.5, 33.0 / 64.0, 7.0 / 32.0));
    // Then no more than 1/32: R = 3/4 - 1/32 = 23/32, rttvar = 3/4 * 7/32 + 1/4 * (23/32 - 33/64) = 55/256,
    // srtt = 7/8 * 33/64 + 1/8 * 23/32 = 277/512.
    pto.on_handshake_confirmed();
    pto.on_delayed_sample(Application, 0.75, 0.125);
    assert_eq!(known(&pto), (0.5, 277.0 / 512.0, 55.0 / 256.0));
    // 1/2 - 1/32 is less than the least round trip: R = 1/2, rttvar = 3/4 * 55/256 + 1/4 * 21/512 = 351/2048,
    // srtt = 7/8 * 277/512 + 1/8 * 1/2 = 2195/4096.
    pto.on_delayed_sample(Application, 0.5, 0.03125);
    assert_eq!(known(&pto), (0.5, 2195.0 / 4096.0, 351.0 / 2048.0));
    // 17/32 - 1/32 is the least round trip and no less: R = 1/2.
    let mut as_without = pto.clone();
    pto.on_delayed_sample(Application, 17.0 / 32.0, 0.03125);
    as_without.on_delayed_sample(Application, 0.5, 0.0);
    assert_eq!(known(&pto), known(&as_without));
    assert_eq!((pto.latest_rtt(), as_without.latest_rtt()), (Some(17.0 / 32.0), Some(0.5)));
}

#[test]
fn a_sample_that_is_the_least_one_and_the_delay_counts_without_it() {
    // As numbers 0.045 - 0.005 is less than 0.04.
    let mut pto = path();
    for (rtt, delay) in
        [(40, 0), (45, 5)].map(|(rtt, delay)| (Duration::from_millis(rtt), Duration::from_millis(delay)))
    {
        pto.on_delayed_sample(Application, rtt, delay);
    }
    assert_eq!(pto.srtt(), Some(0.04));
    assert_eq!(pto.rttvar(), Some(0.015));
}

#[test]
fn acks_of_initial_packets_are_not_held_back() {
    let (mut initial, mut none) = (path(), path());
    for delay in [0.0, 0.125] {
        initial.on_delayed_sample(Initial, 0.5 + delay, delay);
        none.on_delayed_sample(Handshake, 0.5 + delay, 0.0);
    }
    assert_eq!(initial, none);
}

#[test]
// [RFC 9002 6.2.2-a]
fn a_handshake_starts_with_a_second() {
    let timer = RtoTimer::quic(QuicSettings::default()).unwrap();
    // 333 ms + 4 * 333 ms / 2.
    assert_eq!(timer.pto(Initial).to_duration(), Duration::from_millis(999));
    assert_eq!(timer.pto(Application).to_duration(), Duration::from_millis(1024));
    assert_eq!(timer.rto(), timer.pto(Application).get());
}

#[test]
// [RFC 9002 6.2.1-b]
fn an_even_path_keeps_the_granularity_and_the_time_of_holding_back() {
    let mut pto = path();
    (0..2000).for_each(|_| pto.on_delayed_sample(Application, 0.25, 0.0));
    assert_eq!(pto.period(Initial), 0.25 + SETTINGS.granularity_s);
    assert_eq!(pto.base_rto(), Some(0.25 + SETTINGS.granularity_s + SETTINGS.max_ack_delay_s));
    assert_eq!(pto.granular_rto(0.5), Some(0.25 + 0.5 + SETTINGS.max_ack_delay_s));
    let mut none = path();
    (0..2000).for_each(|_| none.on_sample(0.0));
    assert_eq!(none.period(Handshake), SETTINGS.granularity_s);
}

#[test]
// [RFC 9002 6.2.1-c]
fn an_expiry_doubles_the_timeout_of_every_space_and_an_ack_ends_that() {
    let mut timer = RtoTimer::quic(SETTINGS).unwrap();
    timer.on_delayed_ack(Handshake, 0.5, 0.0);
    let timeouts = [(); 10].map(|()| {
        let now = (timer.pto(Initial).get(), timer.pto(Application).get());
        timer.on_timeout();
        now
    });
    for (n, factor) in (0..10).map(|n| (n, f64::from(1 << n))) {
        assert_eq!(timeouts[n], (1.5 * factor, 1.53125 * factor));
    }
    timer.on_delayed_ack(Handshake, f64::NAN, 0.0);
    assert_eq!(timer.backoff(), 1024);
    timer.on_delayed_ack(Initial, 0.5, 0.0);
    assert_eq!(timer.backoff(), 1024, "the server may not have validated the client's address");
    timer.on_delayed_ack(Handshake, 0.5, 0.0);
    assert_eq!(timer.backoff(), 1);
    let mut server = RtoTimer::quic(QuicSettings { role: QuicRole::Server, ..SETTINGS }).unwrap();
    server.on_timeout();
    server.on_delayed_ack(Initial, 0.5, 0.0);
    assert_eq!(server.backoff(), 1);
}

#[test]
// [RFC 9002 5.2-c]
fn after_persistent_congestion_the_newest_sample_is_the_least() {
    let mut pto = path();
    pto.on_persistent_congestion();
    pto.on_sample(0.25);
    pto.on_sample(0.5);
    assert_eq!(pto.min_rtt(), Some(0.25));
    pto.on_persistent_congestion();
    assert_eq!(pto.min_rtt(), Some(0.5));
}

#[test]
fn a_new_path_starts_anew_and_stays_confirmed() {
    let mut pto = path();
    pto.on_handshake_confirmed();
    let fresh = pto.clone();
    pto.on_sample(0.1);
    assert_ne!(pto, fresh);
    pto.reset();
    assert_eq!(pto, fresh);
    assert_eq!((pto.min_rtt(), pto.latest_rtt(), pto.base_rto()), (None, None, None));
}

#[test]
fn parameters_out_of_range_are_named() {
    let refused = |settings: QuicSettings| QuicPto::new(settings).unwrap_err().field;
    assert_eq!(refused(QuicSettings { initial_rtt_s: 0.0, ..SETTINGS }), "initial_rtt");
    assert_eq!(refused(QuicSettings { granularity_s: f64::NAN, ..SETTINGS }), "granularity");
    assert_eq!(refused(QuicSettings { max_ack_delay_s: -1.0, ..SETTINGS }), "max_ack_delay");
    let mut pto = path();
    assert_eq!(pto.set_max_ack_delay(f64::INFINITY).unwrap_err().field, "max_ack_delay");
    assert_eq!(pto.set_max_ack_delay(Duration::from_millis(125)), Ok(()));
    assert_eq!(pto.settings().max_ack_delay_s, 0.125);
    assert_eq!(SETTINGS.rules().validate(), Ok(()));
}

/// Section 5.3 and appendix A.7 from the first sample on, for each new one.
fn from_scratch(acks: &[(PacketSpace, f64, f64)], confirmed_after: usize) -> (f64, f64, f64) {
    let (mut min, mut srtt, mut rttvar) = (acks[0].1, acks[0].1, acks[0].1 / 2.0);
    for (n, &(space, rtt, delay)) in acks.iter().enumerate().skip(1) {
        min = f64::min(min, rtt);
        let mut delay = if space == Initial { 0.0 } else { delay };
        if n >= confirmed_after {
            delay = delay.min(SETTINGS.max_ack_delay_s);
        }
        let adjusted = if rtt - delay >= min { rtt - delay } else { rtt };
        rttvar = 0.75 * rttvar + 0.25 * (srtt - adjusted).abs();
        srtt = 0.875 * srtt + 0.125 * adjusted;
    }
    (min, srtt, rttvar)
}

fn ack() -> impl Strategy<Value = (PacketSpace, f64, f64)> {
    (prop::sample::select(vec![Initial, Handshake, Application]), 0.0..2.0f64, 0.0..0.5f64)
}

proptest! {
    #[test]
    fn it_is_the_pseudocode_after_every_ack(
        acks in prop::collection::vec(ack(), 1..50),
        confirmed_after in 0usize..50,
    ) {
        let mut pto = path();
        for (n, &(space, rtt, delay)) in acks.iter().enumerate() {
            if n == confirmed_after {
                pto.on_handshake_confirmed();
            }
            pto.on_delayed_sample(space, rtt, delay);
            let (min, srtt, rttvar) = from_scratch(&acks[..=n], confirmed_after);
            prop_assert_eq!(pto.min_rtt(), Some(min));
            prop_assert!((pto.srtt().unwrap() - srtt).abs() < 1e-12);
            prop_assert!((pto.rttvar().unwrap() - rttvar).abs() < 1e-12);
            // A peer that misreports cannot bring srtt below the least round trip.
            prop_assert!(pto.srtt().unwrap() >= min * (1.0 - 1e-12));
            prop_assert!(pto.period(Initial) >= pto.srtt().unwrap() + SETTINGS.granularity_s);
            prop_assert_eq!(pto.base_rto(), Some(pto.period(Application)));
        }
    }

    #[test]
    fn what_is_no_time_is_left_out_and_durations_are_numbers(
        rtt in 0u64..2_000_000_000,
        delay in 0u64..500_000_000,
        odd in prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1]),
    ) {
        let (rtt, delay) = (Duration::from_nanos(rtt), Duration::from_nanos(delay));
        let (mut by_duration, mut by_number) = (path(), path());
        for _ in 0..2 {
            by_duration.on_delayed_sample(Application, rtt, delay);
            by_number.on_delayed_sample(Application, rtt.as_secs_f64(), delay.as_secs_f64());
        }
        prop_assert_eq!(&by_duration, &by_number);
        by_duration.on_delayed_sample(Application, odd, delay);
        prop_assert_eq!(&by_duration, &by_number);
        by_duration.on_delayed_sample(Application, rtt, odd);
        by_number.on_delayed_sample(Application, rtt, 0.0);
        prop_assert_eq!(by_duration, by_number);
    }
}
