//! Series of flows agree with what is recorded at each change, whatever is folded or written ahead of time.

use std::collections::BTreeSet;

use parshall_sim::internal::{Folding, Plan, Simulation};
use parshall_sim::scenario::{Record, Scenario};
use parshall_sim::{run, Recording, Values};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::common::recorded::{bits, counts, reals};
use crate::common::{apart, sampled, scenario};

fn plan(scenario: &Scenario) -> Plan {
    Plan::new(scenario, Folding::On).expect("a valid scenario")
}

/// Random networks of which many flows, or the first, are sampled.
fn with_series() -> impl Strategy<Value = Scenario> {
    (scenario(), sampled()).prop_map(|(scenario, record)| apart(Scenario { record, ..scenario }))
}

/// Returns whether a sampled flow's source writes ahead of time, whether one's receiver acts ahead of time,
/// and whether one's sender does.
fn acts_ahead(plan: &Plan) -> [bool; 3] {
    let sampled: BTreeSet<u32> =
        plan.watch.flow_series.iter().flat_map(|(flows, _)| flows).copied().collect();
    let sampled: Vec<_> = sampled.into_iter().map(|flow| &plan.flows[flow as usize]).collect();
    let end_folds = |hops: u32| {
        plan.hops[hops as usize..].iter().find(|hop| hop.is_last()).is_some_and(|hop| hop.folds_next())
    };
    [
        sampled.iter().any(|flow| flow.writes_ahead),
        sampled.iter().any(|flow| end_folds(flow.data_hops)),
        sampled.iter().any(|flow| end_folds(flow.ack_hops)),
    ]
}

fn indices(recording: &Recording, table: &str, column: &str) -> Vec<i32> {
    let column = recording.table(table).and_then(|table| table.column(column)).expect("a column");
    match column.values().expect("memory") {
        Values::I32(values) => values.clone(),
        Values::I64(values) => values.iter().map(|&value| value as i32).collect(),
        Values::Bool(values) => values.iter().map(|&value| i32::from(value)).collect(),
        other => panic!("{other:?}"),
    }
}

/// Packets delivered to a flow's receiver by the end of each instant, and those that had arrived, counted from the
/// packets that reached it.
fn delivered(events: &Recording, flow: i32, handshake: Option<bool>, times: &[f64]) -> Vec<(u64, u64)> {
    let columns = ["flow", "seq", "ack"].map(|name| indices(events, "packets", name));
    let reached: Vec<(f64, i32)> = (reals(events, "packets", "time").into_iter().enumerate())
        .filter(|&(row, _)| columns[0][row] == flow && columns[2][row] == 0)
        .map(|(row, time)| (time, columns[1][row]))
        .collect();
    let by = |&time: &f64| {
        let seqs = reached.iter().filter(|(at, _)| *at <= time).map(|(_, seq)| *seq);
        match handshake {
            None => {
                let count = seqs.count() as u64;
                (count, count)
            }
            Some(handshake) => {
                let seqs: BTreeSet<i32> = seqs.collect();
                let in_order = (0..).find(|seq| !seqs.contains(seq)).unwrap_or(0) as u64;
                let arrived = seqs.len() as u64 - u64::from(handshake && in_order > 0);
                (in_order.saturating_sub(u64::from(handshake)), arrived)
            }
        }
    };
    times.iter().map(by).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn folding_changes_no_series(scenario in with_series(), seed in 0u64..100) {
        let [folded, unfolded] = [Folding::On, Folding::Off].map(|folding| {
            let plan = Plan::new(&scenario, folding).expect("a valid scenario");
            Simulation::new(&plan, seed).run(&plan)
        });
        prop_assert_eq!(bits(&folded), bits(&unfolded));
    }

    #[test]
    fn samples_follow_from_changes_and_deliveries(scenario in with_series(), seed in 0u64..100) {
        let series = Record { flow_series: scenario.record.flow_series.clone(), ..Record::default() };
        let every = vec!["*".to_string()];
        let changes = Record { window: every.clone(), deliveries: every, ..Record::default() };
        let scenarios = [series, changes].map(|record| Scenario { record, ..scenario.clone() });
        let [series, changes] = scenarios.each_ref().map(|s| run(s, seed).expect("a valid scenario"));
        let plan = plan(&scenarios[0]);
        let (times, flows) = (reals(&series, "flow_series", "time"), indices(&series, "flow_series", "flow"));
        let (changed_at, changed) = (reals(&changes, "window", "time"), indices(&changes, "window", "flow"));
        for (index, flow) in plan.flows.iter().enumerate() {
            let rows: Vec<usize> = (0..flows.len()).filter(|&row| flows[row] == index as i32).collect();
            let at: Vec<f64> = rows.iter().map(|&row| times[row]).collect();
            let handshake = flow.tcp.as_ref().map(|tcp| tcp.handshake);
            let got = ["packets_delivered", "packets_arrived"].map(|name| counts(&series, "flow_series", name));
            let got: Vec<(u64, u64)> = rows.iter().map(|&row| (got[0][row], got[1][row])).collect();
            prop_assert_eq!(got, delivered(&changes, index as i32, handshake, &at), "flow {}", index);
            for name in ["cwnd", "ssthresh", "srtt", "rto"] {
                let (got, known) = (reals(&series, "flow_series", name), reals(&changes, "window", name));
                for &row in &rows {
                    let last = (0..changed.len()).rev().find(|&c| changed[c] == index as i32 && changed_at[c] <= times[row]);
                    let expected = last.map_or(f64::NAN, |change| known[change]);
                    prop_assert_eq!(got[row].to_bits(), expected.to_bits(), "{} of flow {} at {}", name, index, times[row]);
                }
            }
        }
    }
}

#[test]
fn random_scenarios_have_sampled_flows_that_act_ahead_of_time() {
    let mut runner = TestRunner::deterministic();
    let mut counts = [0; 3];
    for _ in 0..300 {
        let scenario = with_series().new_tree(&mut runner).expect("a scenario").current();
        for (count, acts) in counts.iter_mut().zip(acts_ahead(&plan(&scenario))) {
            *count += u32::from(acts);
        }
    }
    let [sources, receivers, senders] = counts;
    assert!(
        sources >= 30 && receivers >= 60 && senders >= 30,
        "{sources} with sources that write ahead, {receivers} with folded receivers, {senders} with folded senders"
    );
}

/// A constant flow, and a TCP, each on slow ways of its own to a link that both use.
fn far_away(duration: f64, interval: f64, shared: bool) -> Scenario {
    let slow = |between: [&str; 2]| json!({"between": between, "rate": 1e7, "delay": 0.3});
    let mut flows = vec![json!({"name": "constant", "source": "s0", "destination": "d0",
        "transport": {"kind": "udp", "payload_bytes": 500, "header_bytes": 0},
        "app": {"kind": "cbr", "interval": 0.002}})];
    if shared {
        flows.push(json!({"name": "tcp", "source": "s1", "destination": "d1",
            "transport": {"kind": "tcp"}, "app": {"kind": "bulk"}}));
    }
    serde_json::from_value(json!({
        "duration": duration, "hosts": ["s0", "d0", "s1", "d1"], "routers": ["r0", "r1"],
        "links": [slow(["s0", "r0"]), slow(["s1", "r0"]), slow(["r1", "d0"]), slow(["r1", "d1"]),
                  {"between": ["r0", "r1"], "rate": 1e7, "delay": 0.001}],
        "flows": flows, "record": {"flow_series": {"of": ["*"], "interval": interval}},
    }))
    .expect("a scenario")
}

#[test]
fn what_is_counted_early_or_late_is_seen_on_time() {
    // A packet arrives 0.6 s and three transmissions after it was sent, and there may be one every 2 ms.
    let way = 0.3 + 0.001 + 0.3 + 3.0 * 500.0 * 8.0 / 1e7;
    for (shared, interval, duration) in
        [(true, 0.01, 2.0), (false, 0.01, 2.0), (true, 0.0005, 0.7), (true, 3.0, 2.0)]
    {
        let scenario = far_away(duration, interval, shared);
        assert!(acts_ahead(&plan(&scenario))[0]);
        let folded = run(&scenario, 1).expect("a valid scenario");
        let unfolded = Plan::new(&scenario, Folding::Off).expect("a valid scenario");
        assert_eq!(bits(&folded), bits(&Simulation::new(&unfolded, 1).run(&unfolded)));
        let flows = indices(&folded, "flow_series", "flow");
        let times = reals(&folded, "flow_series", "time");
        let [sent, delivered] =
            ["packets_sent", "packets_delivered"].map(|name| counts(&folded, "flow_series", name));
        assert_eq!(times.len(), flows.len());
        for row in (0..flows.len()).filter(|&row| flows[row] == 0) {
            let by = |time: f64| if time < 0.0 { 0 } else { (time / 0.002 + 1e-6) as u64 + 1 };
            assert_eq!(sent[row], by(times[row]), "sent by {}", times[row]);
            if !shared {
                assert_eq!(delivered[row], by(times[row] - way + 1e-9), "delivered by {}", times[row]);
            }
        }
    }
}
