//! Packet pairs over a model of a path: a queue there, a queue back, and what comes between.

use super::*;
use proptest::prelude::*;

fn with(settings: PacketPairSettings) -> PacketPair {
    PacketPair::new(settings).unwrap()
}

fn by(filter: Filter) -> PacketPair {
    with(PacketPairSettings { filter, ..PacketPairSettings::default() })
}

/// Bursts of `burst` packets, a second apart, through `rate` packets a second, acknowledged `per_ack` packets at a time,
/// with ACKs at most `back` a second.
fn bursts(pairs: &mut PacketPair, rate: f64, burst: u32, per_ack: impl Fn(u32) -> u32, back: f64) {
    let mut ack_free = 0.0f64;
    for start in 0..40 {
        let sent = f64::from(start);
        let mut acked = 0;
        while acked < burst {
            let packets = per_ack(acked).min(burst - acked);
            acked += packets;
            let at_receiver = sent + 0.05 + f64::from(acked) / rate;
            ack_free = at_receiver.max(ack_free) + 1.0 / back;
            pairs.on_ack(ack_free, sent, packets);
        }
    }
}

#[test]
fn bursts_tell_the_rate_of_the_bottleneck_with_and_without_delayed_acks() {
    for filter in [Filter::Density, Filter::Histogram] {
        for per_ack in [1, 2] {
            let mut pairs = by(filter);
            bursts(&mut pairs, 800.0, 10, |_| per_ack, 1e6);
            let capacity = pairs.capacity().unwrap();
            assert!((capacity.packets_per_second - 800.0).abs() < 1.0, "{capacity:?}");
            assert_eq!(capacity.flags, Flags::REVERSE_PATH_UNKNOWN);
        }
    }
}

#[test]
fn acks_of_one_and_of_two_packets_tell_which_way_was_thin() {
    let mixed = |acked: u32| 1 + u32::from(acked % 3 == 1);
    let mut there = by(Filter::Density);
    bursts(&mut there, 800.0, 9, mixed, 1e6);
    assert_eq!(there.capacity().unwrap().flags, Flags::NONE);
    let mut back = by(Filter::Density);
    bursts(&mut back, 800.0, 9, mixed, 100.0);
    let capacity = back.capacity().unwrap();
    assert!(capacity.flags.contains(Flags::THIN_REVERSE_PATH), "{capacity:?}");
}

#[test]
fn packets_sent_as_far_apart_as_they_come_make_no_pair() {
    let mut pairs = by(Filter::Density);
    for i in 0..100 {
        let sent = f64::from(i) / 64.0;
        assert!(!pairs.on_ack(sent + 0.125, sent, 1));
    }
    assert_eq!(pairs.capacity(), None);
    let mut strict = with(PacketPairSettings { stretch: 2.0, ..PacketPairSettings::default() });
    strict.on_ack(1.0, 0.0, 1);
    assert!(!strict.on_ack(1.5, 0.25, 1));
    assert!(strict.on_ack(2.0, 0.375, 1));
}

#[test]
fn an_interruption_a_duplicate_and_a_packet_sent_twice_end_a_run() {
    let mut pairs = by(Filter::Histogram);
    pairs.on_ack(1.0, 0.0, 1);
    pairs.interrupt();
    assert!(!pairs.on_ack(1.5, 0.0, 1));
    assert!(!pairs.on_ack(1.75, 0.0, 0));
    assert!(!pairs.on_ack(2.0, 0.0, 1));
    assert!(!pairs.on_ack(2.25, f64::NAN, 1));
    assert!(!pairs.on_ack(2.5, 0.0, 1));
    assert!(pairs.on_ack(2.75, 0.0, 1));
    assert_eq!(pairs.capacity().unwrap().packets_per_second, 4.0);
}

#[test]
fn an_estimate_below_the_throughput_is_flagged() {
    let mut pairs = with(PacketPairSettings { stretch: 1.0, ..PacketPairSettings::default() });
    let mut now = 0.0;
    for i in 0..1000 {
        // Every tenth packet finds cross traffic before it: 0.002 s instead of the 0.001 s at which all were sent.
        now += if i % 10 == 0 { 0.002 } else { 0.001 };
        pairs.on_ack(now, 0.001 * f64::from(i), 1);
    }
    let capacity = pairs.capacity().unwrap();
    assert_eq!(capacity.packets_per_second.round(), 500.0);
    assert!(capacity.flags.contains(Flags::BELOW_THROUGHPUT), "{capacity:?}");
}

#[test]
fn two_modes_are_flagged_and_one_is_not() {
    for filter in [Filter::Density, Filter::Histogram] {
        let mut one = by(filter);
        let mut two = by(filter);
        for i in 0..100 {
            let at = f64::from(i);
            for (pairs, gap) in [(&mut one, 0.01), (&mut two, if i % 2 == 0 { 0.01 } else { 0.02 })] {
                pairs.on_ack(at, at - 0.5, 1);
                pairs.on_ack(at + gap, at - 0.5, 1);
                pairs.interrupt();
            }
        }
        assert!(!one.capacity().unwrap().flags.contains(Flags::CLOSE_MODES));
        assert!(two.capacity().unwrap().flags.contains(Flags::CLOSE_MODES));
    }
}

#[test]
fn few_pairs_are_flagged_and_a_reset_forgets_them() {
    for filter in [Filter::Density, Filter::Histogram] {
        let mut pairs = by(filter);
        for round in 0..2 {
            for i in 0..8 {
                pairs.on_ack(f64::from(i), 0.0, 1);
            }
            let capacity = pairs.capacity().unwrap();
            assert_eq!(
                (capacity.pairs, capacity.flags.contains(Flags::FEW_PAIRS)),
                (7, true),
                "round {round}"
            );
            pairs.on_ack(8.0, 0.0, 1);
            assert!(!pairs.capacity().unwrap().flags.contains(Flags::FEW_PAIRS));
            assert_eq!(pairs.capacity().unwrap().packets_per_second, 1.0);
            pairs.reset();
            assert_eq!(pairs.capacity(), None);
        }
    }
}

proptest! {
    #[test]
    fn whatever_comes_the_estimate_is_a_rate_that_was_seen(
        acks in prop::collection::vec((-0.1..1.0f64, prop::option::weighted(0.9, 0.0..1.0f64), 0u32..4), 1..300),
        histogram in any::<bool>(),
    ) {
        let filter = if histogram { Filter::Histogram } else { Filter::Density };
        let mut pairs = with(PacketPairSettings { filter, window: 20, ..PacketPairSettings::default() });
        let mut now = 0.0;
        for (gap, sent_before, packets) in acks {
            now += gap;
            pairs.on_ack(now, sent_before.map_or(f64::NAN, |before| now - before), packets);
            let Some(capacity) = pairs.capacity() else { continue };
            let seen = pairs.pairs[..pairs.len].iter().map(|pair| pair.rate);
            let (least, most) = seen.fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
            let rate = capacity.packets_per_second;
            prop_assert!(rate >= least * (1.0 - 1e-12) && rate <= most * (1.0 + 1e-12));
            prop_assert!(capacity.pairs <= 20);
        }
    }
}

#[test]
fn clocks_gone_wrong_are_left_out() {
    let mut pairs = by(Filter::Density);
    pairs.on_ack(0.0, 0.0, 1);
    assert!(!pairs.on_ack(1e-300, 0.0, 1), "faster than anything");
    assert!(!pairs.on_ack(1e300, 0.0, 1), "slower than anything");
    assert!(!pairs.on_ack(f64::INFINITY, 0.0, 1));
    assert_eq!(pairs.capacity(), None);
}

#[test]
fn what_cannot_be_is_named() {
    let refused = |change: fn(&mut PacketPairSettings)| {
        let mut settings = PacketPairSettings::default();
        change(&mut settings);
        PacketPair::new(settings).unwrap_err().field
    };
    assert_eq!(refused(|s| s.width = 0.0), "width");
    assert_eq!(refused(|s| s.width = f64::NAN), "width");
    assert_eq!(refused(|s| s.window = 0), "window");
    assert_eq!(refused(|s| s.stretch = 0.5), "stretch");
}
