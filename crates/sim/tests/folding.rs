//! Senders that act ahead of time change nothing, whatever comes between an ACK and its sender: the timer, the end of
//! the warm-up or of the run, at the very instant of the ACK too.

use std::collections::HashMap;
use std::sync::Arc;

use parshall_sim::internal::{Folding, Plan, Simulation};
use parshall_sim::scenario::{Record, Scenario, Transport};
use parshall_sim::units::Time;
use parshall_sim::Recording;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::common::recorded::{bits, counts, table};
use crate::common::restless::restless;

fn plan(scenario: &Scenario, folding: Folding) -> Plan {
    Plan::new(scenario, folding).expect("a valid scenario")
}

fn run_folded(scenario: &Scenario, folding: Folding, seed: u64) -> Recording {
    let plan = plan(scenario, folding);
    Simulation::new(&plan, seed).run(&plan)
}

/// The numbers of the flows whose senders may act ahead of time.
fn ahead(plan: &Plan) -> Vec<usize> {
    let folds = |&flow: &usize| {
        let last = plan.hops[plan.flows[flow].ack_hops as usize..].iter().find(|hop| hop.is_last());
        last.is_some_and(|hop| hop.folds_next())
    };
    (0..plan.flows.len()).filter(folds).collect()
}

/// When ACKs reach the sender of a flow.
fn acks(scenario: &Scenario, flow: usize, seed: u64) -> Vec<Time> {
    let record = Record { deliveries: vec![scenario.flows[flow].name.to_string()], ..Record::default() };
    let recording = run_folded(&Scenario { record, ..scenario.clone() }, Folding::Off, seed);
    let packets = table(&recording, "packets");
    let (times, acks) = (packets.f64("time").expect("times"), packets.bool("ack").expect("flags"));
    times.iter().zip(acks).filter(|(_, &ack)| ack).map(|(&time, _)| Time::from_secs(time)).collect()
}

/// Event at the instant of an ACK.
#[derive(Clone, Copy, Debug)]
enum Tie {
    WarmUp,
    End,
    EndJustAfter,
    Timer,
}

/// Makes the timer of a flow expire after this time, whatever happens.
fn set_timeout(scenario: &mut Scenario, flow: usize, timeout: Time) {
    if let Transport::Tcp(tcp) = &mut scenario.flows[flow].transport {
        let tcp = Arc::make_mut(tcp);
        (tcp.initial_rto, tcp.min_rto, tcp.max_rto) = (Some(timeout), Some(timeout), Some(timeout));
    }
}

/// Scenario with a tie between an ACK of the flow and something else, or none if there is no such ACK.
fn tied(scenario: &Scenario, flow: usize, seed: u64, tie: Tie, which: usize) -> Option<Scenario> {
    let mut scenario = Scenario { warm_up: Time::ZERO, ..scenario.clone() };
    scenario.flows[flow].start_spread = Time::ZERO;
    let start = scenario.flows[flow].start;
    let patient = Time::from_secs(60.0);
    if let Tie::Timer = tie {
        set_timeout(&mut scenario, flow, patient);
    }
    let all = acks(&scenario, flow, seed);
    let some = |acks: &[Time]| acks.get(which % acks.len().max(1)).copied();
    match tie {
        Tie::WarmUp => scenario.warm_up = some(&all)?,
        Tie::End => scenario.duration = some(&all)?,
        Tie::EndJustAfter => scenario.duration = some(&all)? + Time::from_ps(1),
        Tie::Timer => {
            // A timer that expires at its maximum always, and for the first time after the longest silence so far.
            let mut longest = Time::ZERO;
            let mut silences = Vec::new();
            for (before, &at) in [start].iter().chain(&all).zip(&all) {
                if at - *before > longest {
                    longest = at - *before;
                    silences.push(longest);
                }
            }
            let timeout = some(&silences)?;
            set_timeout(&mut scenario, flow, timeout);
        }
    }
    // A flow that starts after the end is refused.
    scenario.flows.iter().all(|flow| flow.start <= scenario.duration).then_some(scenario)
}

/// The scenario with events on its links: each third is dark and held, reorders, or changes its rate where it has one.
fn eventful(mut scenario: Scenario) -> Scenario {
    let events = |json: serde_json::Value| serde_json::from_value(json).expect("events");
    for (index, link) in scenario.links.iter_mut().enumerate() {
        link.events = match index % 3 {
            0 => events(json!([{"kind": "delay-change", "at": 0.1, "delay": 0.04},
                               {"kind": "stall", "start": 0.2, "end": 0.5},
                               {"kind": "loss-change", "at": 0.5, "probability": 0.02},
                               {"kind": "outage", "start": 0.6, "end": 0.65},
                               {"kind": "delay-change", "at": 0.7, "delay": 0.0},
                               {"kind": "loss-change", "at": 0.9, "probability": 0}])),
            1 => events(json!([{"kind": "reordering", "start": 0.1, "delay": 0.004, "every": 7}])),
            _ if link.capacity.is_none() => events(json!([{"kind": "rate-change", "at": 0.3, "rate": 0},
                                                          {"kind": "rate-change", "at": 0.4, "rate": 3e6}])),
            _ => Vec::new(),
        };
    }
    scenario
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn nor_do_events_of_links(scenario in restless().prop_map(eventful), seed in 0u64..1000) {
        let [folded, unfolded] = [Folding::On, Folding::Off].map(|folding| run_folded(&scenario, folding, seed));
        prop_assert_eq!(bits(&folded), bits(&unfolded));
    }

    #[test]
    fn what_comes_between_changes_nothing(scenario in restless(), seed in 0u64..1000) {
        let [folded, unfolded] = [Folding::On, Folding::Off].map(|folding| run_folded(&scenario, folding, seed));
        prop_assert_eq!(bits(&folded), bits(&unfolded));
        prop_assert!(folded.events() <= unfolded.events());
    }

    #[test]
    fn ties_change_nothing(
        scenario in restless(),
        seed in 0u64..1000,
        tie in select(vec![Tie::WarmUp, Tie::End, Tie::EndJustAfter, Tie::Timer]),
        which in 0usize..10_000,
    ) {
        let flows = ahead(&plan(&scenario, Folding::On));
        let tied = flows.get(which % flows.len().max(1)).and_then(|&flow| tied(&scenario, flow, seed, tie, which));
        if let Some(scenario) = tied {
            let [folded, unfolded] = [Folding::On, Folding::Off].map(|folding| run_folded(&scenario, folding, seed));
            prop_assert_eq!(bits(&folded), bits(&unfolded));
        }
    }
}

#[test]
fn random_networks_have_senders_that_act_ahead_and_time_out() {
    let mut runner = TestRunner::deterministic();
    let (mut acting, mut timing_out) = (0, 0);
    for seed in 0..300 {
        let scenario = restless().new_tree(&mut runner).expect("a scenario").current();
        assert!(plan(&scenario, Folding::Off).hops.iter().all(|hop| !hop.folds_next()));
        let flows = ahead(&plan(&scenario, Folding::On));
        let timeouts = counts(&run_folded(&scenario, Folding::On, seed), "flows", "timeouts");
        acting += u32::from(!flows.is_empty());
        timing_out += u32::from(flows.iter().any(|&flow| timeouts[flow] > 0));
    }
    assert!(acting >= 60 && timing_out >= 40, "{acting} with such senders, {timing_out} where they time out");
}

/// Flows with hosts of their own that fill a link between two routers and lose nothing.
fn smooth(warm_up: f64, initial_rto: f64) -> Scenario {
    let private =
        |name: String, router: &str| json!({"between": [name, router], "rate": 1e9, "delay": 0.001});
    let flow = |i: usize| {
        json!({"name": format!("f{i}"), "source": format!("s{i}"), "destination": format!("d{i}"),
               "transport": {"kind": "tcp", "profile": "ns2", "max_window_packets": 200,
                             "initial_rto": initial_rto, "min_rto": initial_rto.min(0.2)},
               "app": {"kind": "bulk"}})
    };
    let access = (0..2).flat_map(|i| [private(format!("s{i}"), "r0"), private(format!("d{i}"), "r1")]);
    let shared = json!({"between": ["r0", "r1"], "rate": 1e8, "delay": 0.01});
    serde_json::from_value(json!({
        "duration": 2, "warm_up": warm_up, "hosts": ["s0", "s1", "d0", "d1"], "routers": ["r0", "r1"],
        "links": access.chain([shared]).collect::<Vec<_>>(), "flows": (0..2).map(flow).collect::<Vec<_>>(),
    }))
    .expect("a scenario")
}

/// Where ACKs follow one another without a gap, a sender that has to wait for one of them must not have to wait for
/// all that follow.
#[test]
fn a_sender_that_has_had_to_wait_acts_ahead_again() {
    for (warm_up, initial_rto) in [(0.0, 3.0), (0.0, 0.024), (0.5, 3.0)] {
        let scenario = smooth(warm_up, initial_rto);
        assert_eq!(ahead(&plan(&scenario, Folding::On)), [0, 1]);
        let [folded, unfolded] = [Folding::On, Folding::Off].map(|folding| run_folded(&scenario, folding, 1));
        assert_eq!(bits(&folded), bits(&unfolded));
        let timed_out = counts(&folded, "flows", "timeouts").iter().any(|&timeouts| timeouts > 0);
        assert_eq!(timed_out, initial_rto < 3.0);
        // A packet arrives at six ports and hosts, and one such arrival in three is an event: at the shared link, there
        // and back.
        let share = folded.events() as f64 / unfolded.events() as f64;
        assert!(
            (0.33..0.34).contains(&share),
            "{share} with a warm-up of {warm_up} s, {initial_rto} s for the first RTT"
        );
    }
}

/// Flows whose packets often reach one place at one instant: jitter reorders them, and is some transmission times long,
/// which are some picoseconds.
fn jumbled() -> Scenario {
    let link = |a: &str, b: &str, jitter: f64| {
        json!({"between": [a, b], "rate": 2e14, "delay": 1e-6, "jitter": {"most": jitter, "reorder": true},
               "queue": {"kind": "droptail", "limit_packets": 300}})
    };
    let links = [
        link("a", "r", 5e-11),
        link("b", "r", 5e-11),
        link("r", "q", 5e-11),
        link("q", "c", 5e-11),
        link("q", "d", 5e-11),
    ];
    let tcp = json!({"kind": "tcp", "profile": "ns2", "max_window_packets": 200, "recovery": "sack", "delayed_ack": false,
                     "initial_rto": 1e-4, "min_rto": 1e-5});
    serde_json::from_value(json!({
        "duration": 1e-2, "hosts": ["a", "b", "c", "d"], "routers": ["r", "q"], "links": links,
        "flows": [
            {"name": "one", "source": "a", "destination": "c", "transport": tcp, "app": {"kind": "bulk"}},
            {"name": "two", "source": "d", "destination": "b", "transport": tcp, "app": {"kind": "bulk"}},
        ],
        "record": {"deliveries": ["*"]},
    }))
    .expect("a scenario")
}

/// Pairs of packets that arrive at one host at one instant, by flow and direction.
fn tied_arrivals(recording: &Recording) -> HashMap<(i32, bool), usize> {
    let packets = table(recording, "packets");
    let (times, flows) = (packets.f64("time").expect("times"), packets.i32("flow").expect("indices"));
    let acks = packets.bool("ack").expect("flags");
    let (mut last, mut ties) = (HashMap::new(), HashMap::new());
    for ((&flow, &ack), &time) in flows.iter().zip(acks).zip(times) {
        if last.insert((flow, ack), time) == Some(time) {
            *ties.entry((flow, ack)).or_default() += 1;
        }
    }
    ties
}

#[test]
fn packets_of_one_instant_come_in_one_order_however_the_calendar_is_laid_out() {
    let scenario = jumbled();
    let folded = run_folded(&scenario, Folding::On, 1);
    let ties = tied_arrivals(&folded);
    // Jitter is on the way of the first flow's data and of the second one's ACKs.
    assert!([(0, false), (1, true)].iter().all(|which| ties.get(which) > Some(&100)), "{ties:?}");
    assert_eq!(bits(&folded), bits(&run_folded(&scenario, Folding::Off, 1)));
    for spacing in [1, 1_000_000, 1_000_000_000_000] {
        let plan = Plan { spacing: Time::from_ps(spacing), ..plan(&scenario, Folding::On) };
        assert_eq!(bits(&folded), bits(&Simulation::new(&plan, 1).run(&plan)), "packets {spacing} ps apart");
    }
}

/// So many flows that the engine looks ahead, and that no table of flows or ports stays in the caches: lossy, with two
/// controls, ACKs on shared links, and hosts of their own.
fn crowd(flows: usize) -> Scenario {
    let hosts = |side: &str| (0..flows).map(|i| format!("{side}{i}")).collect::<Vec<_>>();
    let ends = [hosts("s"), hosts("d")].concat();
    let access = |name: String, router: &str| {
        json!({"between": [name, router], "rate": 1e7, "delay": 0.002,
               "queue": {"kind": "droptail", "limit_packets": 20}})
    };
    let links = (0..flows).flat_map(|i| [access(format!("s{i}"), "r0"), access(format!("d{i}"), "r1")]);
    let shared = json!({"between": ["r0", "r1"], "rate": 1e8, "delay": 0.01,
                        "queue": {"kind": "droptail", "limit_packets": 1000}});
    let flow = |i: usize| {
        let (control, recovery) = if i % 2 == 0 { ("aimd", "sack") } else { ("cubic", "newreno") };
        let (source, destination) = if i % 5 == 0 { ("d", "s") } else { ("s", "d") };
        json!({"name": format!("f{i}"), "source": format!("{source}{i}"),
               "destination": format!("{destination}{i}"), "start_spread": 0.5,
               "transport": {"kind": "tcp", "recovery": recovery, "control": {"kind": control}},
               "app": {"kind": "bulk"}})
    };
    serde_json::from_value(json!({
        "duration": 1.5, "warm_up": 0.7, "hosts": ends, "routers": ["r0", "r1"],
        "links": links.chain([shared]).collect::<Vec<_>>(), "flows": (0..flows).map(flow).collect::<Vec<_>>(),
    }))
    .expect("a scenario")
}

#[test]
fn folding_changes_nothing_for_many_flows_either() {
    let scenario = crowd(4500);
    let [folded, unfolded] = [Folding::On, Folding::Off].map(|folding| run_folded(&scenario, folding, 1));
    assert!(counts(&folded, "flows", "packets_dropped").iter().filter(|&&dropped| dropped > 0).count() > 100);
    assert!(folded.events() < unfolded.events());
    assert_eq!(bits(&folded), bits(&unfolded));
}
