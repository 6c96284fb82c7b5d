//! Invariants of every run: packets are conserved, time does not go back, folding and threads change nothing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use parshall_sim::internal::{Batch, DoneTogether, Folding, Job, Joined, Plan, Simulation};
use parshall_sim::scenario::{App, ProfileName, Record, Scenario, Transport};
use parshall_sim::units::Time;
use parshall_sim::{run, Recording, Values};
use proptest::prelude::*;

use crate::common::recorded::{bits, counts, reals, table_bits};
use crate::common::scenario;

fn run_folded(scenario: &Scenario, folding: Folding, seed: u64) -> Recording {
    let plan = Plan::new(scenario, folding).expect("a valid scenario");
    Simulation::new(&plan, seed).run(&plan)
}

/// ns-2's senders may send a packet that their application has not handed over yet: Vegas when it looks at its fine
/// timer, others on duplicate ACKs with nothing in flight; see `TcpOptions::ns2`.
fn sends_unasked(scenario: &Scenario, flow: usize) -> bool {
    match &scenario.flows[flow].transport {
        Transport::Tcp(tcp) => tcp.profile == ProfileName::Ns2,
        _ => false,
    }
}

/// Packets of data of each flow that came for the first time after the warm-up and are among its first `in_order`.
fn first_arrivals(recording: &Recording, scenario: &Scenario, in_order: &[u64]) -> Vec<u64> {
    let [flows, acks, seqs] = ["flow", "ack", "seq"].map(|name| whole_numbers(recording, name));
    let times = reals(recording, "packets", "time");
    let plan = Plan::new(scenario, Folding::On).expect("a valid scenario");
    let (mut seen, mut arrived) = (BTreeSet::new(), vec![0; in_order.len()]);
    for row in (0..times.len()).filter(|&row| acks[row] == 0) {
        let (flow, seq) = (flows[row] as usize, seqs[row] as u64);
        let counts = match &plan.flows[flow].tcp {
            None => true,
            Some(tcp) => {
                let first = u64::from(tcp.handshake);
                seen.insert((flow, seq)) && (first..first + in_order[flow]).contains(&seq)
            }
        };
        arrived[flow] += u64::from(counts && times[row] >= scenario.warm_up.secs());
    }
    arrived
}

/// A column of the table of packets, as whole numbers.
fn whole_numbers(recording: &Recording, name: &str) -> Vec<i64> {
    let column = recording.table("packets").and_then(|table| table.column(name)).expect("a column");
    match column.values().expect("memory") {
        Values::I32(values) => values.iter().map(|&value| i64::from(value)).collect(),
        Values::I64(values) => values.clone(),
        Values::Bool(values) => values.iter().map(|&value| i64::from(value)).collect(),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn packets_are_conserved(scenario in scenario(), seed in 0u64..1000) {
        let scenario = Scenario { warm_up: Time::ZERO, ..scenario };
        let recording = run(&scenario, seed).expect("a valid scenario");
        let flows = |column| counts(&recording, "flows", column);
        for i in 0..scenario.flows.len() {
            let accounted =
                flows("packets_received")[i] + flows("packets_dropped")[i] + flows("packets_in_flight")[i];
            prop_assert_eq!(flows("packets_sent")[i], accounted, "flow {}", i);
            prop_assert!(flows("packets_delivered")[i] <= flows("packets_received")[i]);
            prop_assert!(sends_unasked(&scenario, i) || flows("packets_delivered")[i] <= flows("packets_offered")[i]);
            prop_assert!(flows("spurious_timeouts")[i] <= flows("timeouts")[i]);
        }
        let ports = |column| counts(&recording, "ports", column);
        for i in 0..2 * scenario.links.len() {
            let accounted = ports("packets_dropped")[i]
                + ports("packets_lost")[i]
                + ports("packets_departed")[i]
                + ports("packets_queued")[i];
            prop_assert_eq!(ports("packets_arrived")[i], accounted, "port {}", i);
        }
        let dropped: u64 = flows("packets_dropped").iter().chain(&flows("acks_dropped")).sum();
        let at_ports: u64 = ports("packets_dropped").iter().chain(&ports("packets_lost")).sum();
        prop_assert_eq!(dropped, at_ports);
    }

    #[test]
    fn folding_changes_nothing(scenario in scenario(), seed in 0u64..1000) {
        let folded = run_folded(&scenario, Folding::On, seed);
        let unfolded = run_folded(&scenario, Folding::Off, seed);
        prop_assert_eq!(bits(&folded), bits(&unfolded));
        prop_assert!(folded.events() <= unfolded.events());
    }

    #[test]
    fn watching_changes_nothing(scenario in scenario(), seed in 0u64..1000) {
        let silent = Scenario { record: Record::default(), ..scenario.clone() };
        let counters = |s: &Scenario| bits(&run(s, seed).expect("a valid scenario"))
            .into_iter()
            .filter(|(name, _)| name.starts_with("flows.") || name.starts_with("ports."))
            .collect::<Vec<_>>();
        prop_assert_eq!(counters(&scenario), counters(&silent));
    }

    #[test]
    fn warm_up_splits_the_counters(scenario in scenario(), seed in 0u64..1000) {
        // Noise of long memory is drawn at once for the whole run, so a shorter run has other noise.
        prop_assume!(!scenario.flows.iter().any(|flow| matches!(flow.app, App::SelfSimilar { .. })));
        let whole = Scenario { warm_up: Time::ZERO, ..scenario.clone() };
        let split = Time::from_secs(0.7);
        let early = Scenario { duration: split, ..whole.clone() };
        let late = Scenario { warm_up: split, ..whole.clone() };
        let [whole, early, late] = [whole, early, late].map(|s| run(&s, seed).expect("a valid scenario"));
        let columns = [
            ("flows", vec!["packets_sent", "packets_received", "packets_dropped", "acks_dropped", "timeouts"]),
            ("ports", vec!["packets_arrived", "packets_dropped", "packets_lost", "packets_departed", "bytes_departed", "bytes_arrived"]),
        ];
        for (table, names) in columns {
            for name in names {
                let sum: Vec<u64> = counts(&early, table, name)
                    .iter()
                    .zip(counts(&late, table, name))
                    .map(|(a, b)| a + b)
                    .collect();
                prop_assert_eq!(counts(&whole, table, name), sum, "{}.{}", table, name);
            }
        }
    }

    /// Data that waits beyond a gap at the end of the warm-up counts neither before it nor after it.
    #[test]
    fn data_that_arrived_before_the_warm_up_ended_is_not_delivered_after_it(scenario in scenario(), seed in 0u64..1000) {
        let record = Record { deliveries: vec!["*".to_string()], ..Record::default() };
        let scenario = Scenario { warm_up: Time::from_secs(0.7), record, ..scenario };
        let recording = run(&scenario, seed).expect("a valid scenario");
        let whole = run(&Scenario { warm_up: Time::ZERO, ..scenario.clone() }, seed).expect("a valid scenario");
        let [delivered, received] =
            ["packets_delivered", "packets_received"].map(|name| counts(&recording, "flows", name));
        let arrived = first_arrivals(&recording, &scenario, &counts(&whole, "flows", "packets_delivered"));
        for (index, flow) in scenario.flows.iter().enumerate() {
            prop_assert!(delivered[index] <= received[index], "flow {}", index);
            // Applications that hear back number the packets of each connection anew.
            let one_connection = !matches!(flow.app, App::TransferSequence(_) | App::Telnet(_) | App::Web(_) | App::Barrier(_));
            prop_assert!(!one_connection || delivered[index] == arrived[index], "flow {}", index);
        }
    }

    #[test]
    fn recorded_times_do_not_go_back(scenario in scenario(), seed in 0u64..1000) {
        let recording = run(&scenario, seed).expect("a valid scenario");
        for table in recording.tables().iter().filter(|t| t.names().next() == Some("time")) {
            let times = reals(&recording, table.name(), "time");
            prop_assert!(times.windows(2).all(|w| w[0] <= w[1]), "{}", table.name());
            // An interval of estimation may end with the run.
            let end = scenario.duration.secs();
            let within = |t: f64| t < end || (t == end && ["responsiveness", "evidence", "red_tuning"].contains(&table.name()));
            prop_assert!(times.iter().all(|&t| within(t)), "{}", table.name());
        }
    }

    #[test]
    fn a_scenario_survives_json(scenario in scenario()) {
        let json = serde_json::to_string(&scenario).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<Scenario>(&json).expect("a scenario"), scenario);
    }
}

/// Returns whether a joined recording has the rows of these, one behind the other, and nothing else.
fn is_made_of(joined: &Joined, parts: &[&Recording]) -> bool {
    let mut whole: Vec<(String, Vec<u64>)> = table_bits(parts[0].tables());
    for part in &parts[1..] {
        for ((name, values), (called, more)) in whole.iter_mut().zip(table_bits(part.tables())) {
            assert_eq!(*name, called);
            values.extend(more);
        }
    }
    let rows = (0..parts[0].tables().len())
        .map(|table| parts.iter().map(|part| part.tables()[table].rows()).collect::<Vec<_>>());
    let of_each = parts.iter().zip(&joined.names).zip(&joined.captures).all(|((part, names), captures)| {
        let own = part.captures().map(|(port, file)| (port.to_string(), file.to_vec()));
        part.names() == names && own.eq(captures.iter().cloned())
    });
    table_bits(&joined.tables) == whole
        && rows.eq(joined.rows.iter().cloned())
        && of_each
        && (joined.names.len(), joined.captures.len()) == (parts.len(), parts.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn threads_change_nothing(scenarios in prop::collection::vec(scenario(), 1..4)) {
        let plans: Vec<Arc<Plan>> = scenarios
            .iter()
            .map(|s| Arc::new(Plan::new(s, Folding::On).expect("a valid scenario")))
            .collect();
        let jobs = || -> Vec<Job> {
            plans.iter().flat_map(|plan| (0..5).map(|seed| Job::new(plan.clone(), seed))).collect()
        };
        let recordings: Vec<_> = jobs().iter().map(|job| job.run().expect("a recording")).collect();
        let one_by_one: Vec<_> = recordings.iter().map(bits).collect();
        for threads in [1, 3] {
            let mut ended = Vec::new();
            let mut batch = Batch::start_joining(jobs(), threads);
            while let Some(done) = batch.next(Duration::from_secs(10)) {
                for (indices, joined) in done {
                    let parts: Vec<_> = indices.iter().map(|&index| &recordings[index]).collect();
                    prop_assert!(is_made_of(&joined.expect("recordings"), &parts));
                    ended.extend(indices);
                }
            }
            ended.sort_unstable();
            prop_assert!(ended.into_iter().eq(0..recordings.len()));

            let mut batch = Batch::start(jobs(), threads);
            let mut results = vec![Vec::new(); one_by_one.len()];
            while let Some(done) = batch.next(Duration::from_secs(10)) {
                for (index, recording) in done {
                    results[index] = bits(&recording.expect("a recording"));
                }
            }
            prop_assert_eq!(&results, &one_by_one);
        }
    }
}

/// A flow of this many seconds.
fn one_flow(seconds: f64) -> Arc<Plan> {
    let scenario = serde_json::from_str::<Scenario>(
        r#"{"duration": 1, "hosts": ["a", "b"], "links": [{"between": ["a", "b"], "rate": 1e7, "delay": 0.01}],
            "flows": [{"name": "f", "source": "a", "destination": "b",
                       "transport": {"kind": "tcp"}, "app": {"kind": "bulk"}}]}"#,
    )
    .expect("a scenario");
    let scenario = Scenario { duration: Time::from_secs(seconds), ..scenario };
    Arc::new(Plan::new(&scenario, Folding::On).expect("a valid scenario"))
}

fn jobs_of(plan: &Arc<Plan>, count: u64) -> Vec<Job> {
    (0..count).map(|seed| Job::new(plan.clone(), seed)).collect()
}

#[test]
fn short_runs_are_joined_and_others_are_not() {
    let (short, long) = (one_flow(0.05), one_flow(300.0));
    let jobs = [jobs_of(&short, 300), jobs_of(&long, 1), jobs_of(&short, 300)].concat();
    let groups = joining(jobs, 1, |_| ());
    assert!(groups.iter().flat_map(|(jobs, _)| jobs).copied().eq(0..601));
    assert!(groups.len() < 300, "{} groups", groups.len());
    for (jobs, result) in groups {
        assert!(result.is_ok());
        assert!(jobs.len() == 1 || !jobs.contains(&300), "{jobs:?}");
    }
}

/// Whoever asks without waiting takes runs that are still to be joined, while those before them are handed over.
#[test]
fn runs_come_in_their_order_however_often_one_asks() {
    let mut batch = Batch::start_joining(jobs_of(&one_flow(0.05), 3000), 1);
    let mut ended = Vec::new();
    while let Some(done) = batch.next(Duration::ZERO) {
        ended.extend(done.into_iter().flat_map(|(jobs, _)| jobs));
    }
    assert!(ended.iter().copied().eq(0..3000), "{ended:?}");
}

#[test]
fn a_failure_comes_behind_what_finished_before() {
    let good = one_flow(0.05);
    let spoiled = Arc::new(Plan { hops: Vec::new(), ..(*good).clone() });
    let jobs = [jobs_of(&good, 5), jobs_of(&spoiled, 1), jobs_of(&good, 5)].concat();
    let groups = joining(jobs, 1, |_| ());
    assert!(groups.iter().flat_map(|(jobs, _)| jobs).copied().eq(0..11));
    for (jobs, result) in groups {
        assert_eq!(result.is_err(), jobs == [5]);
    }
}

/// Results of a batch that joins; `looked_at` sees it first, each time.
fn joining(jobs: Vec<Job>, threads: usize, looked_at: impl Fn(&Batch<DoneTogether>)) -> Vec<DoneTogether> {
    let mut batch = Batch::start_joining(jobs, threads);
    let mut groups = Vec::new();
    while let Some(done) = batch.next(Duration::from_secs(60)) {
        looked_at(&batch);
        groups.extend(done);
    }
    groups
}

#[test]
fn a_cancelled_batch_hands_over_all_that_it_has_run() {
    let groups = joining(jobs_of(&one_flow(0.05), 1_000_000), 2, Batch::cancel);
    let mut ended: Vec<_> = groups.into_iter().flat_map(|(jobs, _)| jobs).collect();
    ended.sort_unstable();
    // Jobs are begun in order, and what is begun is run: a group that was lost would leave a gap, but at the very end.
    assert!((1..900_000).contains(&ended.len()), "{}", ended.len());
    assert!(ended.into_iter().enumerate().all(|(place, job)| job == place));
}

#[test]
fn a_cancelled_batch_ends() {
    let jobs = jobs_of(&one_flow(50.0), 10_000);
    let mut batch = Batch::start(jobs, 2);
    let first = batch.next(Duration::from_secs(60)).expect("jobs are left");
    batch.cancel();
    let mut finished = first.len();
    while let Some(done) = batch.next(Duration::from_secs(60)) {
        finished += done.len();
    }
    assert!((1..1000).contains(&finished), "{finished}");
}
