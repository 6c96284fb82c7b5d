//! The engine on any scenario that compiles: nothing panics, no packet is lost from the books, folding changes
//! nothing, and a run that is told to stop does.

use std::sync::Arc;
use std::time::Duration;

use bolero::check;
use parshall_fuzz::{network, spoiled, Bytes};
use parshall_sim::compile::{Folding, Plan};
use parshall_sim::expect::Expected;
use parshall_sim::record::{Column, Recording};
use parshall_sim::run::{Job, Single};
use parshall_sim::scenario::Scenario;

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

fn run(scenario: &Scenario, folding: Folding) -> Result<Recording, String> {
    let plan = Plan::new(scenario, folding).expect("it compiled");
    let job = Job { plan: Arc::new(plan), seed: 1, max_events: Some(MOST_EVENTS) };
    job.run().map_err(|failure| failure.message)
}

fn column<'a>(recording: &'a Recording, table: &str, name: &str) -> &'a Column {
    let table = recording.tables.iter().find(|each| each.name == table).expect("the table");
    &table.columns.iter().find(|(each, _)| *each == name).expect("the column").1
}

fn counts(recording: &Recording, table: &str, name: &str) -> Vec<u64> {
    match column(recording, table, name).clone().expanded() {
        Column::U64(values) => values,
        other => panic!("{table}.{name} is {other:?}"),
    }
}

/// What comes to a port leaves it, is dropped, is lost, or waits.
fn keeps_books(recording: &Recording, warm_up: bool) {
    if warm_up {
        return; // What was there before is counted when it leaves.
    }
    let of = |name| counts(recording, "ports", name);
    let (arrived, departed, dropped) = (of("packets_arrived"), of("packets_departed"), of("packets_dropped"));
    let (lost, queued) = (of("packets_lost"), of("packets_queued"));
    for port in 0..arrived.len() {
        assert_eq!(arrived[port], departed[port] + dropped[port] + lost[port] + queued[port], "port {port}");
    }
}

fn text(recording: &Recording) -> String {
    let expanded = |table: &parshall_sim::record::Table| {
        table.columns.iter().map(|(name, column)| format!("{name} {:?}", column.clone().expanded())).collect()
    };
    let tables: Vec<(&str, Vec<String>)> =
        recording.tables.iter().map(|table| (table.name, expanded(table))).collect();
    format!("{tables:?} {:?}", recording.captures)
}

#[test]
fn any_network() {
    check!(name = "networks").for_each(|input: &[u8]| {
        let Some(scenario) = scenario(input) else {
            return;
        };
        let (folded, unfolded) = (run(&scenario, Folding::On), run(&scenario, Folding::Off));
        for message in [&folded, &unfolded].into_iter().filter_map(|run| run.as_ref().err()) {
            assert!(message.starts_with("stopped at "), "{message}");
        }
        if let Ok(folded) = &folded {
            keeps_books(folded, scenario.warm_up.ps() > 0);
            if let Ok(unfolded) = &unfolded {
                assert_eq!(text(folded), text(unfolded));
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
