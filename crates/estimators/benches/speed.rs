//! Nanoseconds a sample, for windows of several sizes and for every RTO estimator: `cargo bench`.
//!
//! Each figure is the median of several timed passes over the same samples, with the least and the greatest in
//! brackets. Samples come from a fixed generator, so that every run filters the same series: white noise, where
//! a new sample lands anywhere in the window, and a slow random walk, where it lands near its end.

use std::hint::black_box;
use std::time::Instant;

use parshall_estimators::forecast::{Forecaster, ForecasterConfig, LossFunction, PredictionInterval};
use parshall_estimators::mad::SlidingMad;
use parshall_estimators::median::SlidingMedian;
use parshall_estimators::packet_pair::{Filter, PacketPair, PacketPairSettings};
use parshall_estimators::responsiveness::{Responsiveness, Settings};
use parshall_estimators::rto::{evaluate, run, Deviation, RtoConfig, RtoRules, RtoTimer};
use parshall_estimators::throughput::{Every, ThroughputSampler};

const SAMPLES: usize = 1_000_000;
const PASSES: usize = 7;

fn main() {
    if cfg!(debug_assertions) {
        eprintln!("speed: built without optimisation, so its figures would mean nothing; run `cargo bench`");
        std::process::exit(1);
    }
    let noise = white_noise(SAMPLES);
    let walk = random_walk(SAMPLES);
    println!("{:34}{:>24}{:>26}", "ns/sample", "white noise", "random walk");
    let report = |name: &str, pass: &dyn Fn(&[f64]) -> f64| {
        println!("{name:34}{:>24}{:>26}", timed(pass, &noise), timed(pass, &walk));
    };
    for k in [1, 3, 5, 9, 17, 33, 64, 65, 129, 257, 1001, 10_001, 100_001] {
        report(&format!("median, k = {k}"), &|xs| sum_of_medians(k, xs));
    }
    for k in [5, 65, 1001] {
        report(&format!("median absolute deviation, k = {k}"), &|xs| sum_of_deviations(k, xs));
    }
    for (name, config) in estimators() {
        report(&format!("rto, {name}"), &|xs| last_rto(&config, xs));
    }
    for (name, config) in forecasters() {
        report(&format!("forecast, {name}"), &|xs| sum_of_forecasts(config.build(), xs));
    }
    let ewma = ForecasterConfig::Ewma { gain: 0.125 };
    let interval = || PredictionInterval::new(ewma.build(), 0.9).expect("a valid coverage");
    report("forecast, ewma with interval", &|xs| sum_of_forecasts(interval(), xs));
    for filter in [Filter::Density, Filter::Histogram] {
        report(&format!("packet pairs, {filter:?}"), &|xs| last_capacity(filter, xs));
    }
    report("throughput sampler", &sum_of_throughputs);
    report("share, no packet judged", &|xs| sum_of_doubts(f64::MAX, xs));
    report("share, half of the packets judged", &|xs| sum_of_doubts(0.01, xs));
    report("costs, jacobson", &|xs| evaluate(&mut timer(&RtoConfig::jacobson()), xs, 1, false).total_wait_s);
}

fn estimators() -> Vec<(&'static str, RtoConfig)> {
    vec![
        ("jacobson", RtoConfig::jacobson()),
        ("jacobson-ticks", RtoConfig::jacobson_ticks(0.01)),
        ("linux", RtoConfig::linux(0.2)),
        ("median, k = 5", RtoConfig::median(5, Deviation::Ewma)),
        ("median, k = 9", RtoConfig::median(9, Deviation::Ewma)),
        ("median and mad, k = 5", RtoConfig::median(5, Deviation::Mad)),
        ("weighted median", RtoConfig::weighted_median()),
        ("quantile, risk 0.1", RtoConfig::quantile(0.1)),
        ("quantile, risk 0.001", RtoConfig::quantile(0.001)),
    ]
}

fn forecasters() -> Vec<(&'static str, ForecasterConfig)> {
    let lmmse = |order, every| ForecasterConfig::Lmmse { order, window: 500, every, differenced: false };
    let lms = |step: Option<f64>| match step {
        None => ForecasterConfig::Lms { order: 20, step: 1e-3, centre: None, memory: 500, clip: 6.0 },
        Some(step) => {
            ForecasterConfig::Nlms { order: 20, step, eps: None, centre: None, memory: 500, clip: 6.0 }
        }
    };
    let refitted = |window, every| ForecasterConfig::ArimaRefitted { p: 2, d: 1, q: 1, window, every };
    vec![
        ("last-value", ForecasterConfig::LastValue {}),
        ("ewma", ForecasterConfig::Ewma { gain: 0.125 }),
        ("holt", ForecasterConfig::Holt { gain: 0.125, trend_gain: 1.0 / 64.0 }),
        ("adaptive-ewma", ForecasterConfig::AdaptiveEwma { smoothing: 0.1 }),
        ("median, k = 21", ForecasterConfig::Median { window: 21 }),
        ("arima, (2,1,1)", ForecasterConfig::jeyasekar_2014()),
        ("lmmse, order 20 every sample", lmmse(20, 1)),
        ("lmmse, order 20 every 10", lmmse(20, 10)),
        ("lmmse, order 20 every 100", lmmse(20, 100)),
        ("lms, order 20", lms(None)),
        ("nlms, order 20", lms(Some(0.1))),
        ("rls, order 20", ForecasterConfig::Rls { order: 20, memory: 1000, centre: None, clip: 6.0 }),
        (
            "fbm, order 20, h given",
            ForecasterConfig::Fbm { order: 20, window: 1000, h: Some(0.8), every: 100 },
        ),
        (
            "fbm, order 20, h estimated",
            ForecasterConfig::Fbm { order: 20, window: 1000, h: None, every: 100 },
        ),
        (
            "farima, order 20, h estimated",
            ForecasterConfig::Farima { order: 20, window: 1000, h: None, every: 100 },
        ),
        ("arima-recursive, (2,1,1)", ForecasterConfig::ArimaRecursive { p: 2, d: 1, q: 1, memory: 1000 }),
        ("arima-refitted, (2,1,1)", refitted(1000, 2000)),
        ("mixture, absolute", ForecasterConfig::Mixture { loss: LossFunction::Absolute }),
        ("mixture, squared", ForecasterConfig::Mixture { loss: LossFunction::Squared }),
    ]
}

/// Packets of 64 flows, one every 10 ms, of which about half are dropped: the next packet of a flow that lost one is judged,
/// if it is in another interval.
fn sum_of_doubts(interval_s: f64, xs: &[f64]) -> f64 {
    let settings = Settings { interval_s: interval_s.min(1e9), ..Settings::default() };
    let mut port = Responsiveness::new(settings).expect("valid settings");
    let mut sum = 0.0;
    for (i, &x) in xs.iter().enumerate() {
        let now = i as f64 * 0.01;
        sum += port.close(now).and_then(|estimate| estimate.doubt).unwrap_or(0.0);
        port.packet(now, i as u64 % 64, x < 0.5);
    }
    sum
}

/// Every ACK makes a pair, whose dispersion is the sample.
fn last_capacity(filter: Filter, xs: &[f64]) -> f64 {
    let mut pairs =
        PacketPair::new(PacketPairSettings { filter, ..Default::default() }).expect("valid settings");
    let mut now = 0.0;
    for &x in xs {
        now += x;
        black_box(pairs.on_ack(now, 0.0, 1));
    }
    pairs.capacity().map_or(0.0, |capacity| capacity.packets_per_second)
}

fn sum_of_throughputs(xs: &[f64]) -> f64 {
    let mut sampler = ThroughputSampler::new(0.5, Every::Interval(0.1)).expect("valid settings");
    let mut now = 0.0;
    let mut next = |&x: &f64| {
        now += x;
        sampler.on_ack(now, 1.0)
    };
    xs.iter().filter_map(&mut next).sum()
}

fn sum_of_forecasts(mut forecaster: impl Forecaster, xs: &[f64]) -> f64 {
    let sum = |total: f64, &x: &f64| {
        forecaster.update(x);
        total + forecaster.forecast().unwrap_or(0.0)
    };
    xs.iter().fold(0.0, sum)
}

fn timer(config: &RtoConfig) -> RtoTimer<parshall_estimators::rto::AnyRto> {
    RtoTimer::new(config.build(), RtoRules { min_s: 0.0, ..RtoRules::default() })
}

fn last_rto(config: &RtoConfig, xs: &[f64]) -> f64 {
    *run(&mut timer(config), xs, None).last().expect("there are samples")
}

fn sum_of_medians(k: u32, xs: &[f64]) -> f64 {
    let mut median = SlidingMedian::new(k).expect("a valid window");
    let sum = |total: f64, &x: &f64| {
        median.update(x);
        total + median.value().unwrap_or(0.0)
    };
    xs.iter().fold(0.0, sum)
}

fn sum_of_deviations(k: u32, xs: &[f64]) -> f64 {
    let mut mad = SlidingMad::new(k).expect("a valid window");
    let sum = |total: f64, &x: &f64| {
        mad.update(x);
        total + mad.value().unwrap_or(0.0)
    };
    xs.iter().fold(0.0, sum)
}

/// Median, least and greatest time of a pass, in nanoseconds a sample.
fn timed(pass: &dyn Fn(&[f64]) -> f64, xs: &[f64]) -> String {
    let mut times: Vec<f64> = (0..PASSES)
        .map(|_| {
            let start = Instant::now();
            black_box(pass(black_box(xs)));
            start.elapsed().as_nanos() as f64 / xs.len() as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    format!("{:.1} ({:.1} to {:.1})", times[PASSES / 2], times[0], times[PASSES - 1])
}

/// Uniform numbers between 0 and 1 (xorshift64*, Vigna 2016).
fn white_noise(n: usize) -> Vec<f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let next = |_| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n).map(next).collect()
}

/// A walk in steps of at most 0.005, kept between 0 and 1.
fn random_walk(n: usize) -> Vec<f64> {
    let mut x = 0.5;
    let step = |u: f64| {
        x = f64::clamp(x + 0.01 * (u - 0.5), 0.0, 1.0);
        x
    };
    white_noise(n).into_iter().map(step).collect()
}
