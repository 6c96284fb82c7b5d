//! After construction no estimator of non-responsive traffic allocates, whatever it is fed.

use parshall_estimators::nonresponsive::{
    ByteSample, CounterReading, Counters, Estimator, FixedPointEstimator, Form, Method, ProtocolSample,
    Sample, Settings, UdpCounter, Width,
};
use parshall_estimators::responsiveness::{self, Responsiveness};

use crate::counting::requests;

/// Samples that jump about: multiples of the golden ratio without their whole part, now and then an unusable one.
fn samples() -> impl Iterator<Item = Sample> {
    let part = |i: u32, step: f64| (f64::from(i) * step).fract();
    (1..3000).map(move |i| Sample {
        backlog: if i % 97 == 0 { f64::NAN } else { 60.0 * part(i, 0.618_033_988_749_894_9) },
        arrivals: 100.0 + 40.0 * part(i, 0.414_213_562_373_095),
        drops: (10.0 * part(i, 0.732_050_807_568_877)).floor(),
        marks: f64::from(i % 3),
    })
}

#[test]
fn estimators_do_not_allocate() {
    for form in [Form::Basic, Form::MultiHop, Form::Cbr] {
        for method in [Method::kaczmarz(), Method::rls(), Method::kalman()] {
            let port = Settings::new(3500.0, 0.1, 0.033);
            let settings = Settings { form, method, zero_drops_after: Some(1), count_drops: true, ..port };
            let mut estimator = Estimator::new(settings).unwrap();
            let made = requests(|| {
                for _ in 0..2 {
                    let estimates = samples().filter_map(|sample| estimator.update(&sample)).count();
                    assert_eq!(estimates, 149);
                    estimator.reset();
                }
            });
            assert_eq!(made, 0, "{form:?} {method:?}");
        }
    }
}

#[test]
fn neither_do_the_fixed_point_form_and_the_counters() {
    let mut fixed = FixedPointEstimator::new(&Settings::new(3500.0, 0.1, 0.033), 1000, 10).unwrap();
    let mut udp = UdpCounter::new(20).unwrap();
    let mut counters = Counters::new(Width::Bits64, u64::MAX);
    let made = requests(|| {
        for (tick, sample) in samples().enumerate() {
            let bytes = |packets: f64| (packets * 1000.0) as u64;
            let bytes = ByteSample {
                backlog: bytes(sample.backlog),
                arrived: bytes(sample.arrivals),
                dropped: bytes(sample.drops),
                marked: bytes(sample.marks),
            };
            fixed.update(tick as u64, &bytes);
            udp.update(&ProtocolSample { arrived: sample.arrivals, udp: sample.drops });
            let arrivals = (tick as u64 * 7919) % 100_000;
            let _ = counters.read(&CounterReading { arrivals, ..CounterReading::default() });
        }
        fixed.reset();
        udp.reset();
    });
    assert_eq!(made, 0);
}

#[test]
fn the_estimator_that_watches_flows_does_not_allocate() {
    let mut estimator = Responsiveness::new(responsiveness::Settings::default()).expect("settings");
    // More flows than it has room for, and a signal now and then.
    let watch = |estimator: &mut Responsiveness, from: u32| {
        for i in from..from + 50_000 {
            estimator.packet(
                f64::from(i) * 1e-4,
                u64::from(i.wrapping_mul(2_654_435_761) % 9000),
                i % 50 == 0,
            );
            if i % 7000 == 0 {
                estimator.close(f64::from(i) * 1e-4);
            }
        }
    };
    assert_eq!(requests(|| watch(&mut estimator, 1)), 0);
}
