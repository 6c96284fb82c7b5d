//! The engine on any scenario that compiles: nothing panics, no packet is lost from the books, folding changes
//! nothing, and a run that is told to stop does.

use std::sync::Arc;
use std::time::Duration;

use bolero::check;
use parshall_fuzz::{network, spoiled, Bytes};
use parshall_sim::internal::{Folding, Job, Plan, Single};
use parshall_sim::scenario::Scenario;
use parshall_sim::{Expected, Recording, RunError};

const MOST_EVENTS: u64 = 30_000;

/// A scenario whose run is not too large, if the input makes one.
fn scenario(input: &[u8]) -> Option<Scenario> {
    // Most of an input draws a network, and now and then its end spoils it.
    let (first, rest) = input.split_at(input.len() - input.len() / 16);
    let value = spoiled(&mut Bytes::new(rest), network(&mut Bytes::new(first)));
    let scenario: Scenario = serde_json::from_value(value).ok()?;
    let plan = Plan::new(&scenario, Folding::On).ok()?;
    let expected = Expected::of(&plan);
    (expected.bytes < 3e8).then_some(scenario)
}

fn run(scenario: &Scenario, folding: Folding) -> Result<Recording, RunError> {
    let plan = Plan::new(scenario, folding).expect("it compiled");
    let job = Job { plan: Arc::new(plan), seed: 1, max_events: Some(MOST_EVENTS) };
    job.run()
}

/// Checks conservation at ports: each arrival leaves, is dropped, is lost, or waits.
fn keeps_books(recording: &Recording, warm_up: bool) {
    if warm_up {
        return; // What was there before is counted when it leaves.
    }
    let ports = recording.table("ports").expect("it is always there");
    let of = |name| ports.u64(name).expect("counts");
    let (arrived, departed, dropped) = (of("packets_arrived"), of("packets_departed"), of("packets_dropped"));
    let (lost, queued) = (of("packets_lost"), of("packets_queued"));
    for port in 0..arrived.len() {
        assert_eq!(arrived[port], departed[port] + dropped[port] + lost[port] + queued[port], "port {port}");
    }
}

/// All that two recordings of one scenario have in common, whatever events they took.
fn same(one: &Recording, other: &Recording) -> bool {
    one.tables() == other.tables() && one.captures().eq(other.captures())
}

#[test]
fn any_network() {
    check!(name = "networks").for_each(|input: &[u8]| {
        let Some(scenario) = scenario(input) else {
            return;
        };
        let (folded, unfolded) = (run(&scenario, Folding::On), run(&scenario, Folding::Off));
        for error in [&folded, &unfolded].into_iter().filter_map(|run| run.as_ref().err()) {
            assert!(matches!(error, RunError::MaxEvents { limit: MOST_EVENTS, .. }), "{error}");
        }
        if let Ok(folded) = &folded {
            keeps_books(folded, scenario.warm_up.ps() > 0);
            if let Ok(unfolded) = &unfolded {
                assert!(same(folded, unfolded), "{folded:?} {unfolded:?}");
            }
        }
    });
}

#[test]
fn a_run_that_is_let_go_ends() {
    check!(name = "networks").with_iterations(200).for_each(|input: &[u8]| {
        let Some(mut scenario) = scenario(input) else {
            return;
        };
        scenario.duration = parshall_sim::units::Time::from_secs(1e6);
        let Ok(plan) = Plan::new(&scenario, Folding::On) else {
            return;
        };
        let single = Single::start(plan, 1, None);
        let _ = single.wait(Duration::from_millis(2));
        single.stop();
        assert!(single.wait(Duration::from_secs(5)).is_some(), "it goes on");
    });
}
