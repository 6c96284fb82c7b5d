//! One seed gives one run.

use std::thread;

use parshall_quinn::sim::{Run, UNBOUNDED};
use parshall_sim::scenario::CoDel;
use parshall_sim::units::Time;

use crate::{over, seconds};

/// A download beside requests, over a queue that marks.
fn run(seed: u64) -> Run {
    let mut pair = over(3.0, CoDel { ecn: true, ..CoDel::default() }).seed(seed).build().expect("a pair");
    pair.server.send(Time::ZERO, UNBOUNDED);
    for n in 1..5 {
        pair.client.request(seconds(0.5 * f64::from(n)), 300, 30_000);
    }
    pair.run().expect("a run")
}

#[test]
fn one_seed_has_one_trace() {
    let first = run(1);
    assert!(first.trace.entries().len() > 2000);
    for _ in 0..20 {
        let again = run(1);
        let differs = first.trace.entries().iter().zip(again.trace.entries()).find(|(a, b)| a != b);
        assert!(differs.is_none(), "{differs:?}");
        assert_eq!(first.trace, again.trace);
        assert_eq!(first.client.transfers, again.client.transfers);
    }
    let elsewhere = thread::spawn(|| run(1)).join().expect("a run");
    assert_eq!(first.trace, elsewhere.trace);
    assert_eq!(first.client.goodput.to_bits(), elsewhere.client.goodput.to_bits());
}

#[test]
fn another_seed_has_another_trace() {
    assert_ne!(run(1).trace.digest(), run(2).trace.digest());
}
