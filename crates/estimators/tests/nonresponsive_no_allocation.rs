//! After construction no estimator of non-responsive traffic allocates, whatever it is fed.
#![allow(unsafe_code)] // An allocator cannot be written without it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use parshall_estimators::nonresponsive::{
    ByteSample, CounterReading, Counters, Estimator, FixedPointEstimator, Form, Method, ProtocolSample,
    Sample, Settings, UdpCounter, Width,
};

/// The system's allocator, which counts the requests of each thread.
struct Counting;

thread_local! {
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every request goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTS.set(REQUESTS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        REQUESTS.set(REQUESTS.get() + 1);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Requests that `work` makes of the allocator.
fn requests(work: impl FnOnce()) -> u64 {
    let before = REQUESTS.get();
    work();
    REQUESTS.get() - before
}

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
fn the_counter_counts() {
    assert_eq!(requests(|| drop(std::hint::black_box(Box::new(1)))), 2);
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
