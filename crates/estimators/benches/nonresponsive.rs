//! Nanoseconds a sample of every estimator of non-responsive traffic: `cargo bench --bench nonresponsive`.
//!
//! Each figure is the median of several timed passes over the same samples, with the least and the greatest in
//! brackets; on a machine that is busy with other things the least is the one to look at. Each sample ends a sampling interval, every twentieth an estimation interval;
//! the last lines are of the estimator that watches flows, a packet at a time.

use std::hint::black_box;
use std::time::Instant;

use parshall_estimators::nonresponsive::{
    ByteSample, Estimator, FixedPointEstimator, Form, Method, ProtocolSample, Sample, Settings, UdpCounter,
};
use parshall_estimators::responsiveness::{self, Responsiveness};

const SAMPLES: usize = 1_000_000;
const PASSES: usize = 7;

fn main() {
    if cfg!(debug_assertions) {
        eprintln!(
            "nonresponsive: built without optimisation, so its figures would mean nothing; run `cargo bench`"
        );
        std::process::exit(1);
    }
    let samples = samples();
    println!("{:28}{:>24}", "", "ns/sample");
    for (form_name, form) in [("basic", Form::Basic), ("multi-hop", Form::MultiHop), ("cbr", Form::Cbr)] {
        for (method_name, method) in
            [("Kaczmarz", Method::kaczmarz()), ("RLS", Method::rls()), ("Kalman", Method::kalman())]
        {
            let port = Settings::new(3500.0, 0.1, 0.033);
            let settings = Settings { form, method, count_drops: true, zero_drops_after: Some(3), ..port };
            let pass = || {
                let mut estimator = Estimator::new(settings.clone()).expect("valid settings");
                samples.iter().filter_map(|sample| estimator.update(sample)?.share).sum::<f64>()
            };
            println!("{:28}{:>24}", format!("{method_name}, {form_name}"), timed(&pass));
        }
    }
    println!("{:28}{:>24}", "fixed point, a sample a tick", timed(&|| fixed_point(&samples)));
    println!("{:28}{:>24}", "counter of UDP bytes", timed(&|| udp(&samples)));
    for flows in [10, 1000] {
        println!("{:28}{:>24}", format!("{flows} flows, a packet"), timed(&|| by_flow(flows)));
    }
}

/// Cost of a packet of flows that send 10 packets/s each, at a port that signals one in 50.
fn by_flow(flows: u64) -> f64 {
    let mut estimator = Responsiveness::new(responsiveness::Settings::default()).expect("valid settings");
    let mut sum = 0.0;
    for i in 0..SAMPLES as u64 {
        let now = i as f64 / (10 * flows) as f64;
        while let Some(estimate) = estimator.close(now) {
            sum += estimate.doubt.unwrap_or(0.0);
        }
        let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        estimator.packet(now, mixed % flows, mixed % 49 == 0);
    }
    sum
}

fn fixed_point(samples: &[Sample]) -> f64 {
    let settings = Settings::new(3500.0, 0.1, 0.04);
    let mut estimator = FixedPointEstimator::new(&settings, 1000, 40).expect("valid settings");
    let update = |(tick, sample): (usize, &Sample)| {
        let bytes = ByteSample {
            backlog: (sample.backlog * 1000.0) as u64,
            arrived: (sample.arrivals * 1000.0) as u64,
            dropped: (sample.drops * 1000.0) as u64,
            marked: 0,
        };
        estimator.update(tick as u64, &bytes)?.share
    };
    samples.iter().enumerate().filter_map(update).sum::<i64>() as f64
}

fn udp(samples: &[Sample]) -> f64 {
    let mut counter = UdpCounter::new(20).expect("a valid length");
    let update = |sample: &Sample| {
        counter.update(&ProtocolSample { arrived: sample.arrivals, udp: sample.drops })?.share
    };
    samples.iter().filter_map(update).sum()
}

/// A port's queue and counts, from a fixed generator (xorshift64*, Vigna 2016).
fn samples() -> Vec<Sample> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut uniform = move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut backlog = 30.0;
    (0..SAMPLES)
        .map(|_| {
            backlog = f64::clamp(backlog + 20.0 * (uniform() - 0.5), 0.0, 60.0);
            let drops = (12.0 * uniform() - 2.0).floor().max(0.0);
            Sample { backlog, arrivals: (100.0 + 40.0 * uniform()).floor(), drops, marks: 0.0 }
        })
        .collect()
}

/// Median, least and greatest time of a pass, in nanoseconds a sample.
fn timed(pass: &dyn Fn() -> f64) -> String {
    let mut times: Vec<f64> = (0..PASSES)
        .map(|_| {
            let start = Instant::now();
            black_box(pass());
            start.elapsed().as_nanos() as f64 / SAMPLES as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    format!("{:.1} ({:.1} to {:.1})", times[PASSES / 2], times[0], times[PASSES - 1])
}
