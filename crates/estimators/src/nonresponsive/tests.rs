//! The estimators as a whole: what they find on series that obey the model, and what no input may make them do.

use proptest::prelude::*;

use super::synthetic::{every, router, Synthetic, Uniform};
use super::*;

fn run(estimator: &mut Estimator, samples: &[Sample]) -> Vec<Estimate> {
    samples.iter().filter_map(|sample| estimator.update(sample)).collect()
}

/// Returns whether `got` is `expected` to one part in 10^`digits`.
fn close(got: f64, expected: f64, digits: i32) -> bool {
    (got - expected).abs() <= expected.abs().max(1e-9) * 10f64.powi(-digits)
}

const FORMS: [Form; 3] = [Form::Basic, Form::MultiHop, Form::Cbr];

fn methods() -> [(Method, usize, i32); 3] {
    [
        // Samples until the parameters are found, and to how many digits.
        (Method::Kaczmarz { gamma1: 0.0, gamma2: 1.0 }, 300_000, 6),
        (Method::Rls { forgetting: 1.0, initial: 1e9 }, 2000, 6),
        (Method::Kalman { initial: 100.0, drift: 0.0, noise: Some(1e-4) }, 2000, 6),
    ]
}

/// Parameters that the data identify: for the multi-hop form the first column's and the third's together.
fn identified(form: Form, [first, second, third]: [f64; 3]) -> [f64; 3] {
    match form {
        Form::MultiHop => [first - third / 2.0, second, 0.0],
        _ => [first, second, third],
    }
}

#[test]
fn a_form_is_known_by_its_name() {
    for form in FORMS {
        assert_eq!(Form::try_from(form.name().to_owned()), Ok(form));
        assert_eq!(<&'static str>::from(form), form.name());
    }
    let error = Form::try_from("two-hop".to_owned()).unwrap_err();
    assert_eq!((error.field, error.value.as_str()), ("form", "\"two-hop\""));
}

#[test]
fn every_form_finds_its_parameters_by_every_method() {
    for form in FORMS {
        for (method, count, digits) in methods() {
            for count_drops in [false, true] {
                let mut truth = Synthetic::new(form);
                truth.settings.method = method;
                truth.settings.count_drops = count_drops;
                let mut estimator = Estimator::new(truth.settings.clone()).unwrap();
                run(&mut estimator, &truth.samples(count));
                let found = identified(form, estimator.parameters());
                for (got, expected) in found.into_iter().zip(identified(form, truth.beta)) {
                    assert!(close(got, expected, digits), "{form:?} {method:?} {count_drops}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn the_share_follows_from_the_parameters() {
    let truth = Synthetic::new(Form::Basic);
    let method = Method::Rls { forgetting: 1.0, initial: 1e9 };
    let mut estimator = Estimator::new(Settings { method, ..truth.settings.clone() }).unwrap();
    let estimates = run(&mut estimator, &truth.samples(3000));
    let last = estimates.last().unwrap();
    // z0 = sqrt(5 * 20) of 10 packets in 50 ms, which are 40 in a round trip of 200 ms.
    assert!(
        close(last.z0, 10.0, 6) && close(last.share.unwrap(), 0.75, 6) && close(last.n_s, 5.0, 6),
        "{last:?}"
    );
    assert_eq!((last.rtt_s, last.arrivals), (0.2, 10.0));
    assert!(last.share_se.unwrap() < 1e-6);
}

#[test]
fn the_constant_rate_form_projects_on_the_capacity() {
    let truth = Synthetic::new(Form::Cbr);
    let method = Method::Rls { forgetting: 1.0, initial: 1e9 };
    let mut estimator = Estimator::new(Settings { method, ..truth.settings.clone() }).unwrap();
    let last = *run(&mut estimator, &truth.samples(3000)).last().unwrap();
    // Of all points of d = 20 - z / 0.2 the one nearest to (10, 12), found by looking.
    let distance = |z: f64| libm::hypot(z - 10.0, 20.0 - z / 0.2 - 12.0);
    let nearest =
        (0..400_000).map(|i| f64::from(i) * 1e-5).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    assert!((last.z0 - nearest.unwrap()).abs() < 2e-5, "{} {nearest:?}", last.z0);
}

#[test]
fn measured_round_trips_and_filters_change_nothing_in_a_series_that_obeys_the_model() {
    let mut truth = Synthetic::new(Form::Basic);
    truth.settings.rtt_s = None;
    // R(t) stays between 3.5 and 4.5 sampling intervals: the series has one delay.
    truth.settings.capacity_pps = 200.0;
    truth.settings.propagation_s = 0.18;
    truth.settings.backlog_alpha = 0.4;
    truth.settings.signal_alpha = 0.2;
    truth.settings.method = Method::Rls { forgetting: 1.0, initial: 1e9 };
    let mut estimator = Estimator::new(truth.settings.clone()).unwrap();
    run(&mut estimator, &truth.samples(3000));
    let [n_s, other, _] = estimator.parameters();
    assert!(close(n_s, 5.0, 5) && close(other, 20.0, 5), "{n_s} {other}");
}

#[test]
fn the_multi_hop_form_keeps_the_split_that_it_starts_with() {
    let truth = Synthetic::new(Form::MultiHop);
    let method = Method::Kaczmarz { gamma1: 0.0, gamma2: 1.0 };
    let samples = truth.samples(100_000);
    let split_from = |start_n_s: f64| {
        let settings = Settings { method, start_n_s, start_z0: 2.0 * start_n_s, ..truth.settings.clone() };
        let mut estimator = Estimator::new(settings).unwrap();
        let last = *run(&mut estimator, &samples).last().unwrap();
        assert!(last.flags.contains(Flags::START_DEPENDENT));
        let [first, _, third] = estimator.parameters();
        assert!(close(first - third / 2.0, 4.0, 5), "{first} {third}");
        first
    };
    assert!((split_from(2.0) - split_from(8.0)).abs() > 1.0);
}

#[test]
fn a_standard_error_covers_the_truth_when_the_noise_is_independent() {
    let truth = Synthetic::new(Form::Basic);
    // p's noise, uniform over 0.001, weighs beta1 / (2 R0) = 50 in the equation.
    let noise = 50.0 * 0.001 / 12f64.sqrt();
    // Noise goes on p, where it is independent from sample to sample. It is small, since it also weakens the
    // estimated response: by its variance over that of p.
    for method in [
        Method::Rls { forgetting: 1.0, initial: 1e6 },
        Method::Kalman { initial: 10.0, drift: 0.0, noise: Some(noise) },
    ] {
        let mut covered = 0;
        for seed in 0..200 {
            let mut uniform = Uniform::new(seed);
            let mut estimator = Estimator::new(Settings { method, ..truth.settings.clone() }).unwrap();
            let mut samples = truth.samples(1500);
            samples.iter_mut().for_each(|s| s.marks += 0.001 * s.arrivals * (uniform.next() - 0.5));
            let last = *run(&mut estimator, &samples).last().unwrap();
            covered += u32::from((last.share.unwrap() - 0.75).abs() < 1.96 * last.share_se.unwrap());
        }
        // 190 of 200 expected, with a standard deviation of 3.
        assert!((178..=199).contains(&covered), "{method:?}: {covered} of 200");
    }
}

#[test]
fn without_drops_the_load_grows_as_the_queue_shows() {
    let settings = Settings {
        backlog_alpha: 0.0,
        zero_drops_after: Some(2),
        estimation_samples: 1,
        start_n_s: 10.0,
        start_z0: 100.0,
        ..Settings::new(1000.0, 0.1, 0.1).with_rtt(Some(0.1))
    };
    let settings = Settings { start_n_s: 10.0, start_z0: 100.0, ..settings };
    let mut estimator = Estimator::new(settings.clone()).unwrap();
    let backlogs = [1.0, 1.0, 1.0, 2.0, 4.0, 7.0, 6.0];
    let sample = |backlog: f64, drops: f64| Sample { backlog, arrivals: 100.0, drops, marks: 0.0 };
    let loads: Vec<f64> = backlogs.iter().map(|&q| estimator.update(&sample(q, 0.0)).unwrap().z0).collect();
    // Two quiet intervals, seen one interval late: from the fourth sample on (the third finds one before it).
    let chi = |i: usize| {
        let rate = |i: usize| (backlogs[i] - backlogs[i - 1]) / 0.1;
        (backlogs[i] / 1000.0 + 0.1) * (rate(i) - rate(i - 1)) / 0.1 + (rate(i) / 1000.0 + 1.0) * rate(i)
    };
    let first = loads[1];
    assert_eq!(first, 100.0);
    let mut z = loads[2];
    for (i, load) in loads.iter().enumerate().skip(3) {
        z = (z + 0.1 * chi(i)).max(0.0);
        assert!(close(*load, z, 12), "sample {i}: {load} {z}");
    }
    // A drop ends it a round trip later, and the parameters rule again.
    let before = estimator.parameters();
    assert!(estimator.update(&sample(6.0, 5.0)).unwrap().flags.contains(Flags::EXTRAPOLATED));
    assert_eq!(estimator.parameters(), before);
    let back = estimator.update(&sample(6.0, 5.0)).unwrap();
    assert!(!back.flags.contains(Flags::EXTRAPOLATED));
    let [n_s, other, _] = estimator.parameters();
    assert!(close(back.z0, (n_s * other).sqrt(), 12));
}

#[test]
fn an_unusable_sample_changes_no_parameter_and_flags_its_interval() {
    let truth = Synthetic::new(Form::Basic);
    for method in methods().map(|(method, ..)| method) {
        let settings = Settings { method, estimation_samples: 10, ..truth.settings.clone() };
        let mut estimator = Estimator::new(settings).unwrap();
        // Noise, so that every usable sample moves the parameters.
        let mut uniform = Uniform::new(3);
        let mut samples = truth.samples(1000);
        samples.iter_mut().for_each(|s| s.marks += 0.1 * uniform.next());
        run(&mut estimator, &samples[..995]);
        let before = estimator.parameters();
        let bad = Sample { arrivals: f64::NAN, ..samples[995] };
        estimator.update(&bad);
        assert_eq!(estimator.parameters(), before);
        let flagged = run(&mut estimator, &samples[996..]);
        assert!(flagged[0].flags.contains(Flags::BAD_SAMPLE), "{}", flagged[0].flags);
        // The differences start again, so no step is made of a queue length two intervals old.
        let mut later = Estimator::new(Settings { method, ..truth.settings.clone() }).unwrap();
        run(&mut later, &samples[..995]);
        let before = later.parameters();
        run(&mut later, &[bad, samples[996], samples[997]]);
        assert_eq!(later.parameters(), before);
        run(&mut later, &samples[998..999]);
        assert_ne!(later.parameters(), before);
    }
}

#[test]
fn an_interval_of_nothing_but_unusable_samples_has_no_share() {
    let mut estimator = Estimator::new(Settings::new(3500.0, 0.1, 0.033)).unwrap();
    let bad = Sample { backlog: -1.0, ..Sample::default() };
    let estimate = run(&mut estimator, &[bad; 20])[0];
    assert_eq!((estimate.share, estimate.share_se), (None, None));
    assert!(estimate.flags.contains(Flags::BAD_SAMPLE));
}

#[test]
fn flags_say_what_the_interval_lacked() {
    let settings = Settings { estimation_samples: 10, ..Settings::new(3500.0, 0.1, 0.033) };
    let mut estimator = Estimator::new(settings.clone()).unwrap();
    let busy = Sample { backlog: 20.0, arrivals: 120.0, drops: 4.0, marks: 0.0 };
    let first = run(&mut estimator, &[busy; 10])[0];
    assert!(first.flags.contains(Flags::WARMING_UP | Flags::LOW_EXCITATION));
    let later = *run(&mut estimator, &[busy; 100]).last().unwrap();
    assert!(!later.flags.contains(Flags::WARMING_UP) && later.flags.contains(Flags::LOW_EXCITATION));
    let others = Flags::EMPTY_QUEUE | Flags::NOT_CONGESTED | Flags::NO_DROPS | Flags::BAD_SAMPLE;
    assert_eq!(later.flags.bits() & others.bits(), 0);
    let idle = Sample { backlog: 0.0, arrivals: 60.0, drops: 0.0, marks: 0.0 };
    let flags = run(&mut estimator, &[idle; 10])[0].flags;
    assert!(flags.contains(Flags::EMPTY_QUEUE | Flags::NOT_CONGESTED | Flags::NO_DROPS));
    let varied: Vec<Sample> = (0..200).map(|i| Sample { drops: f64::from(i % 7), ..busy }).collect();
    let last = *run(&mut estimator, &varied).last().unwrap();
    assert!(!last.flags.contains(Flags::LOW_EXCITATION) && last.excitation > 0.05, "{}", last.excitation);
}

#[test]
fn a_reset_estimator_is_a_fresh_one() {
    for form in FORMS {
        let truth = Synthetic::new(form);
        let samples = truth.samples(500);
        let mut used = Estimator::new(truth.settings.clone()).unwrap();
        let whole = run(&mut used, &samples);
        used.reset();
        assert_eq!(run(&mut used, &samples), whole);
    }
}

#[test]
fn settings_out_of_range_are_named() {
    let good = Settings::new(3500.0, 0.1, 0.033);
    let kaczmarz = |gamma1, gamma2| Settings { method: Method::Kaczmarz { gamma1, gamma2 }, ..good.clone() };
    let rls = |forgetting, initial| Settings { method: Method::Rls { forgetting, initial }, ..good.clone() };
    let kalman =
        |initial, drift, noise| Settings { method: Method::Kalman { initial, drift, noise }, ..good.clone() };
    let cases = [
        ("capacity_pps", Settings { capacity_pps: 0.0, ..good.clone() }),
        ("capacity_pps", Settings { capacity_pps: f64::NAN, ..good.clone() }),
        ("propagation_s", Settings { propagation_s: -0.1, ..good.clone() }),
        ("sampling_s", Settings { sampling_s: 0.11, ..good.clone() }),
        ("sampling_s", Settings { sampling_s: 0.0005, ..good.clone() }),
        ("sampling_s", Settings { sampling_s: 0.0, ..good.clone() }),
        ("sampling_s", good.clone().with_rtt(Some(0.02))),
        ("rtt_s", good.clone().with_rtt(Some(0.0))),
        ("backlog_alpha", Settings { backlog_alpha: 1.0, ..good.clone() }),
        ("signal_alpha", Settings { signal_alpha: -0.1, ..good.clone() }),
        ("drop_alpha", Settings { drop_alpha: f64::NAN, ..good.clone() }),
        ("derivative_alpha", Settings { derivative_alpha: 2.0, ..good.clone() }),
        ("estimation_samples", Settings { estimation_samples: 0, ..good.clone() }),
        ("zero_drops_after", Settings { zero_drops_after: Some(0), ..good.clone() }),
        ("start_n_s", Settings { start_n_s: 0.0, ..good.clone() }),
        ("start_z0", Settings { start_z0: f64::INFINITY, ..good.clone() }),
        ("start_elsewhere", Settings { start_elsewhere: 1.5, ..good.clone() }),
        ("start_cbr_pps", Settings { start_cbr_pps: -1.0, ..good.clone() }),
        ("gamma1", kaczmarz(-1.0, 0.45)),
        ("gamma2", kaczmarz(5.0, 2.0)),
        ("forgetting", rls(0.0, 1.0)),
        ("initial", rls(1.0, 0.0)),
        ("initial", kalman(0.0, 0.0, None)),
        ("drift", kalman(1.0, -1.0, None)),
        ("noise", kalman(1.0, 0.0, Some(0.0))),
    ];
    for (field, settings) in cases {
        assert_eq!(Estimator::new(settings.clone()).unwrap_err().field, field, "{settings:?}");
    }
    let error = Estimator::new(Settings { sampling_s: 0.2, ..good }).unwrap_err();
    let text = "sampling_s: got 0.2 with a round-trip time of 0.1 s, expected at most one round-trip time";
    assert_eq!(error.to_string(), text);
}

// --- Fixed point --------------------------------------------------------------------------------------------

fn in_bytes(sample: &Sample) -> ByteSample {
    let bytes = |packets: f64| (packets * 1000.0) as u64;
    ByteSample {
        backlog: bytes(sample.backlog),
        arrived: bytes(sample.arrivals),
        dropped: bytes(sample.drops),
        marked: bytes(sample.marks),
    }
}

fn run_fixed(estimator: &mut FixedPointEstimator, ticks: &[Sample]) -> Vec<Estimate> {
    let update = |(i, sample): (usize, &Sample)| estimator.update(i as u64 + 1, &in_bytes(sample));
    ticks.iter().enumerate().filter_map(update).map(|estimate| estimate.to_estimate(1000)).collect()
}

#[test]
fn fixed_point_is_within_one_percent_of_floating_point() {
    for (seed, constant_pps) in [2000.0, 2750.0, 3125.0].into_iter().enumerate() {
        for (rtt_s, zero_drops_after) in [(None, None), (Some(0.1), Some(3))] {
            let port = Settings::new(3500.0, 0.1, 0.04).with_rtt(rtt_s);
            let method = Method::Kaczmarz { gamma1: 5.0, gamma2: 0.01 };
            let settings = Settings { method, zero_drops_after, start_n_s: 35.0, start_z0: 60.0, ..port };
            let ticks = router(30_000, constant_pps, seed as u64);
            let float = run(&mut Estimator::new(settings.clone()).unwrap(), &every(4, &ticks));
            let mut estimator = FixedPointEstimator::new(&settings, 1000, 10).unwrap();
            let fixed = run_fixed(&mut estimator, &ticks);
            assert_eq!((float.len(), fixed.len()), (375, 375));
            for (a, b) in float.iter().zip(&fixed) {
                let (share, other) = (a.share.unwrap(), b.share.unwrap());
                assert!((share - other).abs() <= 0.01 * share, "share {share} {other}");
                assert!((a.rtt_s - b.rtt_s).abs() <= 1e-4 * a.rtt_s && a.arrivals == b.arrivals);
                let excepted = Flags::LOW_EXCITATION.bits() | Flags::WARMING_UP.bits();
                assert_eq!(
                    a.flags.bits() & !excepted,
                    b.flags.bits() & !excepted,
                    "{} / {}",
                    a.flags,
                    b.flags
                );
            }
            // The series says something: neither share is at a limit throughout.
            let inside = fixed.iter().filter(|e| e.share > Some(0.05) && e.share < Some(0.99)).count();
            assert!(inside > 300, "{inside}");
        }
    }
}

#[test]
fn fixed_point_finds_the_parameters_to_its_resolution() {
    let truth = Synthetic::new(Form::Basic);
    let method = Method::Kaczmarz { gamma1: 0.0, gamma2: 0.1 };
    let settings = Settings { method, ..truth.settings.clone() };
    // Large packets, so that the bytes of a queue of four tell its length to 14 bits after the point.
    let mut estimator = FixedPointEstimator::new(&settings, 65_000, 50).unwrap();
    let bytes = |packets: f64| (packets * 65_000.0).round() as u64;
    for (i, sample) in truth.samples(100_000).iter().enumerate() {
        let (backlog, arrived, marked) = (bytes(sample.backlog), bytes(sample.arrivals), bytes(sample.marks));
        estimator.update(i as u64 + 1, &ByteSample { backlog, arrived, dropped: 0, marked });
    }
    let [n_s, other] = estimator.parameters().map(|x| x as f64 / 16_384.0);
    assert!((n_s - 5.0).abs() < 0.05 && (other - 20.0).abs() < 0.2, "{n_s} {other}");
}

#[test]
fn a_sampling_interval_ends_with_the_first_tick_after_it() {
    let settings = Settings { estimation_samples: 1, ..Settings::new(3500.0, 0.1, 0.033) };
    let mut estimator = FixedPointEstimator::new(&settings, 1000, 10).unwrap();
    let sample = ByteSample { backlog: 20_000, arrived: 30_000, dropped: 1000, marked: 0 };
    // A caller that misses ticks 5 to 8: the interval that ends with the ninth lasts 50 ms.
    let ticks = [1, 2, 3, 4, 9, 10, 11, 12, 13];
    let arrived: Vec<Option<u64>> =
        ticks.iter().map(|&t| estimator.update(t, &sample).map(|estimate| estimate.arrived)).collect();
    let (none, one) = (None, |bytes| Some(bytes));
    assert_eq!(arrived, [none, none, none, one(120_000), one(30_000), none, none, none, one(120_000)]);
}

#[test]
fn the_fixed_point_form_refuses_what_it_is_not() {
    let good = Settings::new(3500.0, 0.1, 0.033);
    let field =
        |settings: &Settings, bytes, tick| FixedPointEstimator::new(settings, bytes, tick).unwrap_err().field;
    assert_eq!(field(&Settings { form: Form::Cbr, ..good.clone() }, 1000, 10), "form");
    assert_eq!(field(&Settings { method: Method::rls(), ..good.clone() }, 1000, 10), "form");
    assert_eq!(field(&Settings { count_drops: true, ..good.clone() }, 1000, 10), "form");
    assert_eq!(field(&good, 0, 10), "mean_packet_bytes");
    assert_eq!(field(&good, 1000, 0), "tick_ms");
    // 33 ms in whole ticks of 60 ms are 60, of 120 ms more than a round trip.
    assert!(FixedPointEstimator::new(&good, 1000, 60).is_ok());
    assert_eq!(field(&good, 1000, 120), "sampling_s");
    assert_eq!(field(&Settings { capacity_pps: 0.0, ..good.clone() }, 1000, 10), "capacity_pps");
    assert_eq!(field(&Settings { start_n_s: 1e11, ..good }, 1000, 10), "start_n_s");
}

#[test]
fn an_impossible_count_of_bytes_flags_the_interval_and_changes_nothing() {
    let settings = Settings { estimation_samples: 2, ..Settings::new(3500.0, 0.1, 0.04) };
    let mut estimator = FixedPointEstimator::new(&settings, 1000, 10).unwrap();
    let ticks = router(400, 2750.0, 1);
    run_fixed(&mut estimator, &ticks);
    let before = estimator.parameters();
    let bad = ByteSample { arrived: u64::MAX, ..ByteSample::default() };
    let flagged = (401..=408).filter_map(|tick| estimator.update(tick, &bad)).next().unwrap();
    assert!(flagged.flags.contains(Flags::BAD_SAMPLE) && flagged.share.is_none());
    assert_eq!(estimator.parameters(), before);
}

// --- Any input ----------------------------------------------------------------------------------------------

fn any_number() -> impl Strategy<Value = f64> {
    let special = prop::sample::select(vec![0.0, 1e12, 1e-300, f64::NAN, f64::INFINITY, -1.0, 1e300]);
    prop_oneof![8 => 0.0..200.0f64, 1 => 0.0..1e12f64, 1 => special]
}

fn any_samples() -> impl Strategy<Value = Vec<Sample>> {
    let fields = (any_number(), any_number(), any_number(), any_number());
    let sample =
        fields.prop_map(|(backlog, arrivals, drops, marks)| Sample { backlog, arrivals, drops, marks });
    prop::collection::vec(sample, 1..200)
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let method = prop_oneof![
        (0.0..20.0f64, 0.01..1.99f64).prop_map(|(gamma1, gamma2)| Method::Kaczmarz { gamma1, gamma2 }),
        (0.5..=1.0f64, 1e-3..1e6f64).prop_map(|(forgetting, initial)| Method::Rls { forgetting, initial }),
        (0.01..100.0f64, 0.0..10.0f64, prop::option::of(1e-3..1e4f64))
            .prop_map(|(initial, drift, noise)| Method::Kalman { initial, drift, noise }),
    ];
    let port = (1.0..1e6f64, prop::option::of(0.05..0.5f64));
    let form = prop::sample::select(FORMS.to_vec());
    let options = (any::<bool>(), prop::option::of(1u32..4), 1u32..8, 0.0..0.99f64);
    (port, method, form, options).prop_map(|((capacity, rtt_s), method, form, options)| {
        let (count_drops, zero_drops_after, estimation_samples, derivative_alpha) = options;
        let port = Settings::new(capacity, 0.1, 0.05).with_rtt(rtt_s);
        Settings { method, form, count_drops, zero_drops_after, estimation_samples, derivative_alpha, ..port }
    })
}

proptest! {
    #[test]
    fn a_share_lies_between_0_and_1_and_nothing_is_nan(settings in any_settings(), samples in any_samples()) {
        let mut estimator = Estimator::new(settings).unwrap();
        for sample in samples {
            let before = estimator.parameters();
            let estimate = estimator.update(&sample);
            if !sample.is_usable() {
                prop_assert_eq!(estimator.parameters(), before);
            }
            prop_assert!(estimator.parameters().iter().all(|x| x.is_finite()));
            let Some(estimate) = estimate else { continue };
            prop_assert!(estimate.share.is_none_or(|share| (0.0..=1.0).contains(&share)));
            prop_assert!(estimate.share_se.is_none_or(|se| se.is_finite() && se >= 0.0));
            prop_assert!(estimate.z0.is_finite() && estimate.z0 >= 0.0);
            prop_assert!(estimate.rtt_s.is_finite() && estimate.arrivals.is_finite());
            prop_assert!((0.0..=1.0).contains(&estimate.excitation));
        }
    }

    #[test]
    fn a_fixed_point_share_lies_between_0_and_1(
        samples in prop::collection::vec(any::<(u64, u64, u64, u64, u64, u8)>(), 1..200),
        big in any::<bool>(),
    ) {
        let settings = Settings { estimation_samples: 3, ..Settings::new(3500.0, 0.1, 0.033) };
        let mut estimator = FixedPointEstimator::new(&settings, 1000, 10).unwrap();
        let mut tick = 0u64;
        for (backlog, arrived, dropped, marked, ticks, by) in samples {
            let by = if big { 18 } else { 40 } + u32::from(by % 20);
            tick = tick.saturating_add(1 + (ticks >> 58));
            let sample = ByteSample {
                backlog: backlog >> by,
                arrived: arrived >> by,
                dropped: dropped >> by,
                marked: marked >> by,
            };
            if let Some(estimate) = estimator.update(tick, &sample) {
                prop_assert!(estimate.share.is_none_or(|share| (0..=1 << 14).contains(&share)));
                prop_assert!(estimate.z0 >= 0 && estimate.rtt_ms >= 0);
                prop_assert!((0..=1 << 14).contains(&estimate.excitation), "{}", estimate.excitation);
            }
        }
    }
}
