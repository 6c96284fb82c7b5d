//! Conditioners that know more of connections than sizes: the same recording whether hops are folded or not, what passes
//! beside what senders say, and what cannot be known.

use parshall_sim::internal::{Folding, Plan, Simulation};
use parshall_sim::scenario::{Conditioner, Scenario};
use parshall_sim::{run, Recording};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use serde_json::{json, Value};

use crate::common::recorded::bits;
use crate::common::{apart, hearing, scenario as network};

/// Two aggregates, of two TCP flows each, from `s0` and `s1` over edges of their own to a link of 2 Mbit/s. The first edge
/// is a router, the second the host itself; both know what `source` says, and have this meter. `back` is the queue of all
/// links in the other direction, `changed` has the last word.
fn scenario(source: &str, meter: &Value, back: &Value, changed: impl FnOnce(&mut Value)) -> Scenario {
    let precedence = |dscp: u8, low: u32| {
        json!({"dscp": [dscp], "min_threshold_packets": low, "max_threshold_packets": 3 * low,
               "weight": {"kind": "fixed", "value": 0.02}})
    };
    let queue = json!({"kind": "diffserv", "queues": [{
        "precedences": [precedence(10, 12), precedence(12, 6), precedence(14, 3)],
        "limit_packets": 60, "dropper": "rio-c",
    }]});
    let conditioner = json!({
        "knowledge": {"source": source, "min_rto": 0.3},
        "rules": [{"of": "data", "meter": meter, "small_window": {}, "if_green": 10, "if_yellow": 12, "if_red": 14}],
    });
    let link = |a: &str, b: &str, delay: f64| json!({"between": [a, b], "rate": 1e8, "delay": delay, "reverse": {"queue": back}});
    let mut links = vec![
        json!({"between": ["r0", "r1"], "rate": 2e6, "delay": 0.005, "queue": queue, "reverse": {"queue": back}}),
        link("s0", "e0", 0.004),
        link("e0", "r0", 0.004),
        link("s1", "r0", 0.03),
        link("r1", "d0", 0.002),
        link("r1", "d1", 0.002),
    ];
    links[2]["conditioner"] = conditioner.clone();
    links[3]["conditioner"] = conditioner;
    let flow = |i: usize| {
        json!({"name": format!("f{i}"), "source": format!("s{}", i % 2), "destination": format!("d{}", i % 2),
               "transport": {"kind": "tcp", "recovery": "newreno", "min_rto": 0.3}, "app": {"kind": "bulk"}, "start": 0.01 * i as f64})
    };
    let mut plain = json!({
        "duration": 20, "warm_up": 2, "hosts": ["s0", "s1", "d0", "d1"], "routers": ["e0", "r0", "r1"], "links": links,
        "flows": (0..4).map(flow).collect::<Vec<_>>(),
    });
    changed(&mut plain);
    serde_json::from_value(plain).expect("a scenario")
}

fn meters() -> [Value; 4] {
    [
        json!({"kind": "rtt-aware", "cir": 4e5}),
        json!({"kind": "rtt-rto", "cir": 4e5}),
        json!({"kind": "tcp-model", "cir": 4e5, "colours": 2}),
        json!({"kind": "fair-excess", "cir": 4e5}),
    ]
}

fn no_change(_: &mut Value) {}

fn numbers<'a>(recording: &'a Recording, table: &str, name: &str) -> &'a [f64] {
    recording.table(table).and_then(|table| table.f64(name)).expect("numbers")
}

fn counters<'a>(recording: &'a Recording, table: &str, name: &str) -> &'a [u64] {
    recording.table(table).and_then(|table| table.u64(name)).expect("counts")
}

#[test]
fn folding_changes_nothing_of_what_is_known() {
    let plain = json!({"kind": "droptail"});
    // A queue that decides at departure is in the way of the ACKs.
    for back in [plain, json!({"kind": "fq-codel"})] {
        for source in ["packets", "senders"] {
            for meter in meters() {
                let scenario = scenario(source, &meter, &back, no_change);
                let [on, off] = [Folding::On, Folding::Off].map(|folding| {
                    let plan = Plan::new(&scenario, folding).expect("a plan");
                    Simulation::new(&plan, 1).run(&plan)
                });
                assert!(on.events() <= off.events());
                assert_eq!(bits(&on), bits(&off), "{source} {meter}");
            }
        }
    }
}

/// A conditioner of all data, with a meter of any kind.
fn conditioner() -> impl Strategy<Value = Conditioner> {
    let plain = [
        json!({"kind": "token-bucket", "cir": 2e5, "cbs_bytes": 3000}),
        json!({"kind": "srtcm", "cir": 2e5, "cbs_bytes": 3000, "ebs_bytes": 3000, "colour_aware": true}),
        json!({"kind": "tsw3cm", "cir": 1e5, "pir": 3e5, "window": 0.1}),
    ];
    let meters = select([&plain[..], &meters()[..]].concat());
    let red = select(vec![json!(null), json!("drop"), json!(0)]);
    (meters, select(vec!["packets", "senders"]), any::<bool>(), red).prop_map(|(meter, source, small, red)| {
        let small_window = if small { json!({"below_packets": 2}) } else { Value::Null };
        let rule = json!({"of": "data", "meter": meter, "small_window": small_window, "if_green": 46, "if_yellow": 10,
                          "if_red": red});
        let knowledge = json!({"source": source, "exchange_interval": 0.01, "exchange_delay": 0.003});
        serde_json::from_value(json!({"rules": [rule], "knowledge": knowledge})).expect("a conditioner")
    })
}

/// Random networks with conditioners wherever there is something for them to condition.
fn conditioned() -> impl Strategy<Value = Scenario> {
    let networks = prop_oneof![network(), network().prop_map(apart), hearing()];
    let asked = prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), conditioner()), 1..5);
    (networks, asked).prop_map(|(mut scenario, asked)| {
        for (place, back, conditioner) in asked {
            let before = scenario.clone();
            let link = place.index(scenario.links.len());
            let link = &mut scenario.links[link];
            if back {
                let mut reverse = (*link.reverse).clone();
                reverse.conditioner = Some(conditioner.into());
                link.reverse = reverse.into();
            } else {
                link.conditioner = Some(conditioner.into());
            }
            if Plan::new(&scenario, Folding::On).is_err() {
                scenario = before;
            }
        }
        scenario
    })
}

proptest! {
    #[test]
    fn conditioners_of_any_network_see_the_same_whether_it_is_folded_or_not(
        scenario in conditioned(), seed in 1u64..99,
    ) {
        let [on, off] = [Folding::On, Folding::Off].map(|folding| {
            let plan = Plan::new(&scenario, folding).expect("a plan");
            Simulation::new(&plan, seed).run(&plan)
        });
        prop_assert_eq!(bits(&on), bits(&off));
    }
}

/// So that the test above is one.
#[test]
fn these_networks_have_conditioners_that_know_and_act() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut conditioned_ones, mut knowing, mut acting) = (0, 0, 0);
    for _ in 0..100 {
        let scenario = conditioned().new_tree(&mut runner).expect("a network").current();
        let plan = Plan::new(&scenario, Folding::On).expect("a plan");
        conditioned_ones += u32::from(!plan.conditioners.is_empty());
        knowing += u32::from(plan.conditioners.iter().any(|each| each.listens()));
        let recording = Simulation::new(&plan, 1).run(&plan);
        let columns = bits(&recording).into_iter().filter(|(name, _)| name == "aggregates.packets_red");
        acting += u32::from(columns.into_iter().any(|(_, values)| values.iter().any(|&packets| packets > 0)));
    }
    assert!(conditioned_ones > 50 && knowing > 25 && acting > 20, "{conditioned_ones} {knowing} {acting}");
}

proptest! {
    /// Protection is paid for, whatever the profile, its meter and the bound of small windows: green bytes are those of
    /// the committed rate and two seconds of it at most.
    #[test]
    fn a_profile_holds_where_protection_is_repaid(
        meter in select(meters().to_vec()), cir in 5e4..1.5e6_f64, below in 1.5..30.0_f64,
        source in select(vec!["packets", "senders"]), count in select(vec!["wire", "payload"]), seed in 1u64..99,
    ) {
        let changed = |plain: &mut Value| {
            for link in [2, 3] {
                let rule = &mut plain["links"][link]["conditioner"]["rules"][0];
                rule["meter"]["cir"] = json!(cir);
                rule["count"] = json!(count);
                rule["small_window"]["below_packets"] = json!(below);
            }
        };
        let recording = run(&scenario(source, &meter, &json!({"kind": "droptail"}), changed), seed).expect("a run");
        let sent = |what: &str| counters(&recording, "aggregates", what);
        // 18 s count; a packet of data is counted without its headers where only payload is.
        for (green, packets) in sent("bytes_green").iter().zip(sent("packets_green")) {
            let headers = if count == "payload" { 40.0 * *packets as f64 } else { 0.0 };
            prop_assert!(*green as f64 - headers <= cir / 8.0 * (18.0 + 2.0) + 1500.0, "{green} of {cir}");
        }
    }
}

/// Compares a router's inferences with the senders' state: the round trip within a tenth, the timeout within
/// a quarter, on the mean over time.
#[test]
fn what_passes_tells_what_senders_know() {
    let record = |plain: &mut Value| {
        plain["record"] = json!({"edges": {"of": ["e0->r0", "s1->r0"], "interval": 0.5}});
    };
    let scenario = scenario("packets", &meters()[1], &json!({"kind": "droptail"}), record);
    let recording = run(&scenario, 3).expect("a run");
    let kept = |name: &str| numbers(&recording, "edges", name).iter();
    for (what, most) in [("rtt", 0.1), ("rto", 0.25), ("window", 0.4)] {
        let from_senders = format!("{what}_told");
        // Before the first ACK nobody knows anything.
        let known = kept(what).zip(kept(&from_senders)).filter(|(found, told)| !(*found * *told).is_nan());
        let off: Vec<f64> = known.map(|(found, told)| (found / told - 1.0).abs()).collect();
        let mean = off.iter().sum::<f64>() / off.len() as f64;
        assert!(off.len() > 50 && mean < most, "{what}: {mean}");
    }
}

#[test]
fn a_told_edge_knows_nothing_of_what_passes_and_the_other_way_round() {
    let back = json!({"kind": "droptail"});
    let delivered = |source| {
        let recording = run(&scenario(source, &meters()[0], &back, no_change), 3).expect("a run");
        bits(&recording)
    };
    // They know nearly the same, but not to the bit.
    assert_ne!(delivered("packets"), delivered("senders"));
}

#[track_caller]
fn refused(changed: impl FnOnce(&mut Value), line: &str) {
    let scenario = scenario("packets", &meters()[0], &json!({"kind": "droptail"}), changed);
    let error = Plan::new(&scenario, Folding::On).expect_err("a refusal");
    assert_eq!(format!("{}: got {}, expected {}", error.path, error.value, error.expected), line);
}

#[test]
fn what_cannot_be_known_is_refused() {
    let rule = "links[2].conditioner.rules[0]";
    refused(
        |plain| plain["links"][2]["conditioner"]["knowledge"]["exchange_interval"] = json!(0),
        "links[2].conditioner.knowledge.exchange_interval: got 0 s, expected a time above 0",
    );
    refused(
        |plain| plain["links"][2]["conditioner"]["rules"][0]["meter"] = Value::Null,
        &format!("{rule}.small_window: got one, expected none, or one of the engine's meters from which it protects"),
    );
    refused(
        |plain| plain["links"][2]["conditioner"]["rules"][0]["small_window"]["below_packets"] = json!(0),
        &format!("{rule}.small_window.below_packets: got 0, expected a number above 0"),
    );
    refused(
        |plain| plain["links"][2]["conditioner"]["rules"][0]["meter"]["colours"] = json!(4),
        &format!("{rule}.meter.colours: got 4, expected 2 or 3"),
    );
    refused(
        |plain| plain["links"][2]["conditioner"]["rules"][0]["meter"]["exponent"] = json!(-1),
        &format!("{rule}.meter.exponent: got -1, expected a number of at least 0"),
    );
    refused(
        |plain| plain["links"][2]["conditioner"]["rules"][0]["of"] = json!("acks"),
        &format!("{rule}.flows: got any flow, expected an aggregate that crosses e0->r0"),
    );
    let udp = |plain: &mut Value| {
        for flow in [0, 2] {
            plain["flows"][flow]["transport"] = json!({"kind": "udp"});
            plain["flows"][flow]["app"] = json!({"kind": "cbr", "rate": 1e5});
        }
    };
    refused(
        udp,
        &format!(
            "{rule}.meter: got one that goes by round trips or windows, expected an aggregate of TCP flows"
        ),
    );
    refused(
        |plain| plain["record"] = json!({"edges": {"of": ["r0->r1"], "interval": 1}}),
        "record.edges.of[0]: got \"r0->r1\", \
         expected a port whose conditioner goes by round trips, timeouts or windows",
    );
}
