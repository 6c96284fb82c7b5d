//! Samples of the throughput, by hand and for any ACKs.

use super::*;
use proptest::prelude::*;

fn by_time(gain: f64, seconds: f64) -> ThroughputSampler {
    ThroughputSampler::new(gain, Every::Interval(seconds)).unwrap()
}

proptest! {
    #[test]
    fn without_smoothing_the_samples_account_for_every_packet(
        acks in prop::collection::vec((0.0..0.05f64, 0u8..3), 2..200),
        by_amount in any::<bool>(),
    ) {
        let every = if by_amount { Every::Amount(5.0) } else { Every::Interval(0.1) };
        let mut sampler = ThroughputSampler::new(1.0, every).unwrap();
        sampler.restart(0.0);
        let (mut now, mut last, mut acked, mut sampled) = (0.0, 0.0, 0.0, 0.0);
        let mut pending = 0.0;
        for (gap, amount) in acks {
            now += gap;
            acked += f64::from(amount);
            pending += f64::from(amount);
            if let Some(rate) = sampler.on_ack(now, f64::from(amount)) {
                sampled += rate * (now - last);
                last = now;
                pending = 0.0;
            }
        }
        prop_assert!((sampled + pending - acked).abs() < 1e-9);
    }
}

#[test]
fn smoothing_is_the_equation_of_the_document() {
    let mut sampler = by_time(0.25, 1.0);
    sampler.restart(0.0);
    assert_eq!(sampler.on_ack(1.0, 8.0), Some(8.0));
    assert_eq!(sampler.on_ack(3.0, 8.0), Some(0.75 * 8.0 + 0.25 * 4.0));
    assert_eq!((sampler.value(), sampler.unsmoothed()), (Some(7.0), Some(4.0)));
}

#[test]
fn the_first_ack_starts_the_clock_unless_the_sender_did() {
    let mut sampler = by_time(1.0, 0.5);
    assert_eq!((sampler.on_ack(10.0, 100.0), sampler.value()), (None, None));
    assert_eq!(sampler.on_ack(10.5, 3.0), Some(6.0));
    sampler.reset();
    assert_eq!(sampler, by_time(1.0, 0.5));
    sampler.restart(9.5);
    assert_eq!(sampler.on_ack(10.0, 4.0), Some(8.0));
}

#[test]
fn a_silence_is_one_sample_or_its_own_samples_or_none() {
    let started = || {
        let mut sampler = by_time(0.5, 1.0);
        sampler.restart(0.0);
        assert_eq!(sampler.on_ack(1.0, 8.0), Some(8.0));
        sampler
    };
    assert_eq!(started().on_ack(5.0, 4.0), Some(4.5));
    let mut polled = started();
    let samples: Vec<_> = (2..5).map(|t| polled.on_ack(f64::from(t), 0.0).unwrap()).collect();
    assert_eq!(samples, [4.0, 2.0, 1.0]);
    let mut idle = started();
    idle.restart(4.0);
    assert_eq!(idle.on_ack(5.0, 8.0), Some(8.0));
}

#[test]
fn acks_of_one_instant_add_up_and_a_clock_that_runs_backwards_gives_no_sample() {
    let mut sampler = ThroughputSampler::new(1.0, Every::Amount(2.0)).unwrap();
    sampler.restart(1.0);
    assert_eq!([sampler.on_ack(1.0, 2.0), sampler.on_ack(1.0, 2.0), sampler.on_ack(0.5, 2.0)], [None; 3]);
    assert_eq!(sampler.on_ack(1.5, 2.0), Some(16.0));
    let mut sampler = by_time(1.0, 0.5);
    sampler.restart(1.0);
    assert_eq!((sampler.on_ack(0.0, 1.0), sampler.on_ack(1.5, 1.0)), (None, Some(4.0)));
}

#[test]
fn the_interval_may_change_on_the_way() {
    let mut sampler = by_time(1.0, 10.0);
    sampler.restart(0.0);
    assert_eq!(sampler.on_ack(0.5, 1.0), None);
    sampler.set_interval(0.75).unwrap();
    assert_eq!(sampler.on_ack(1.0, 1.0), Some(2.0));
    assert_eq!(sampler.set_interval(0.0).unwrap_err().field, "interval");
    assert_eq!(sampler.every(), Every::Interval(0.75));
    sampler.set_every(Every::Amount(3.0)).unwrap();
    assert_eq!((sampler.on_ack(1.5, 2.0), sampler.on_ack(2.0, 1.0)), (None, Some(3.0)));
}

#[test]
fn what_is_no_number_changes_nothing() {
    let mut sampler = by_time(0.5, 0.5);
    sampler.restart(0.0);
    let before = sampler.clone();
    for (now, amount) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, f64::NAN), (1.0, -1.0)] {
        assert_eq!(sampler.on_ack(now, amount), None);
    }
    assert_eq!(sampler, before);
    for _ in 0..3 {
        assert_eq!(sampler.on_ack(0.4, f64::MAX), None);
    }
    assert_eq!(sampler.on_ack(1.0, 1.0), None, "an overflow is no sample");
    assert_eq!(sampler.on_ack(1.5, 1.0), Some(2.0));
}

#[test]
fn what_cannot_be_is_named() {
    let refused = |gain, every| ThroughputSampler::new(gain, every).unwrap_err().field;
    assert_eq!(refused(0.0, Every::Interval(1.0)), "gain");
    assert_eq!(refused(0.5, Every::Interval(f64::NAN)), "interval");
    assert_eq!(refused(0.5, Every::Amount(0.0)), "amount");
}
