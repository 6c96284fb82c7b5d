//! Queues for classes and conditioners, beside what they must agree with: RED where there is one class, shares of the link
//! where there are several, the same recording whether hops are folded or not.

use parshall_sim::internal::{Folding, Plan, Simulation};
use parshall_sim::scenario::Scenario;
use parshall_sim::{run, Recording, Values};
use serde_json::{json, Value};

use crate::common::recorded::bits;

/// TCP flows and one of constant rate from the hosts `s0`, `s1`, ... over `r0->r1`, a link of 4 Mbit/s with this queue;
/// `changed` has the last word.
fn scenario(tcp: usize, queue: &Value, changed: impl FnOnce(&mut Value)) -> Scenario {
    let mut links = vec![json!({"between": ["r0", "r1"], "rate": 4e6, "delay": 0.01, "queue": queue,
                               "reverse": {"queue": {"kind": "droptail"}}})];
    let (mut hosts, mut flows) = (Vec::new(), Vec::new());
    for i in 0..=tcp {
        let (source, destination) = (format!("s{i}"), format!("d{i}"));
        links.push(json!({"between": [source, "r0"], "rate": 1e8, "delay": 0.001 * (i + 1) as f64}));
        links.push(json!({"between": ["r1", destination], "rate": 1e8, "delay": 0.002}));
        let (transport, app) = if i < tcp {
            (json!({"kind": "tcp", "recovery": "sack"}), json!({"kind": "bulk"}))
        } else {
            (json!({"kind": "udp", "payload_bytes": 700}), json!({"kind": "cbr", "rate": 1.1e6}))
        };
        flows.push(json!({
            "name": format!("f{i}"), "source": source, "destination": destination, "transport": transport,
            "app": app, "start": 0.01 * i as f64,
        }));
        hosts.extend([source, destination]);
    }
    let mut plain = json!({
        "duration": 20, "warm_up": 2, "hosts": hosts, "routers": ["r0", "r1"], "links": links, "flows": flows,
    });
    changed(&mut plain);
    serde_json::from_value(plain).expect("a scenario")
}

fn counts(recording: &Recording, table: &str, name: &str) -> Vec<u64> {
    let column = recording.table(table).and_then(|table| table.column(name)).expect("a column of this name");
    match column.values().expect("memory") {
        Values::U64(values) => values.clone(),
        Values::U8(values) => values.iter().map(|&value| value.into()).collect(),
        other => panic!("{other:?}"),
    }
}

/// All that was counted of flows.
fn of_flows(recording: &Recording) -> Vec<(String, Vec<u64>)> {
    bits(recording).into_iter().filter(|(column, _)| column.starts_with("flows.")).collect()
}

/// With one precedence every kind of average is that of RED, and so is every drop.
#[test]
fn one_precedence_is_red() {
    let thresholds = json!({"min_threshold_packets": 5, "max_threshold_packets": 15});
    for (gentle, wait) in [(true, true), (false, true), (false, false)] {
        let mut red = json!({"kind": "red", "limit_packets": 40, "gentle": gentle, "wait": wait});
        red.as_object_mut().expect("fields").extend(thresholds.as_object().expect("fields").clone());
        let reference = run(&scenario(4, &red, |_| {}), 3).expect("a run");
        assert!(counts(&reference, "ports", "packets_dropped")[0] > 50);
        for dropper in ["rio-c", "rio-d", "wred"] {
            let mut precedence = thresholds.clone();
            precedence["dscp"] = json!([0]);
            let class = json!({
                "precedences": [precedence], "limit_packets": 40, "dropper": dropper, "gentle": gentle, "wait": wait,
            });
            let ours =
                run(&scenario(4, &json!({"kind": "diffserv", "queues": [class]}), |_| {}), 3).expect("a run");
            assert_eq!(of_flows(&ours), of_flows(&reference), "{dropper}");
            let dropped = |recording| counts(recording, "ports", "packets_dropped");
            assert_eq!(dropped(&ours), dropped(&reference));
        }
    }
}

/// Bytes that three classes of constant rates send, each of which alone could fill half of the link.
fn three_classes(scheduler: &Value) -> Vec<u64> {
    let class = |dscp: u8| json!({"precedences": [{"dscp": [dscp]}], "limit_packets": 20});
    let queue =
        json!({"kind": "diffserv", "queues": [class(46), class(10), class(0)], "scheduler": scheduler});
    let changed = |plain: &mut Value| {
        for (i, (dscp, payload)) in [(46, 200), (10, 1400), (0, 700)].into_iter().enumerate() {
            let flow = &mut plain["flows"][i];
            flow["transport"] = json!({"kind": "udp", "payload_bytes": payload});
            flow["app"] = json!({"kind": "cbr", "rate": 2.5e6});
            flow["dscp"] = json!(dscp);
        }
        plain["flows"].as_array_mut().expect("flows").truncate(3);
    };
    let recording = run(&scenario(3, &queue, changed), 1).expect("a run");
    assert_eq!(counts(&recording, "classes", "dscp"), [0, 10, 46]);
    counts(&recording, "classes", "bytes_sent").into_iter().rev().collect()
}

#[test]
fn schedulers_share_the_link() {
    let whole = 18.0 * 4e6 / 8.0;
    let near = |bytes: u64, share: f64| (bytes as f64 / whole - share).abs() < 0.01;
    // The first class sends 2.5 Mbit/s of payload, 228 bytes on the wire for 200.
    let first = 2.5 * 228.0 / 200.0 / 4.0;
    let sent = three_classes(&json!({"kind": "priority"}));
    assert!(near(sent[0], first) && near(sent[1], 1.0 - first) && sent[2] == 0, "{sent:?}");
    let sent = three_classes(&json!({"kind": "drr", "weights": [2, 3, 5]}));
    assert!(near(sent[0], 0.2) && near(sent[1], 0.3) && near(sent[2], 0.5), "{sent:?}");
    let sent = three_classes(&json!({"kind": "wrr", "weights": [4, 1, 1]}));
    let packets = [4.0 * 228.0, 1428.0, 728.0];
    let all: f64 = packets.iter().sum();
    assert!(sent.iter().zip(packets).all(|(&bytes, share)| near(bytes, share / all)), "{sent:?}");
}

/// A network whose edges colour two aggregates, in front of a core with three precedences and a class of its own.
fn coloured(record: Value) -> Scenario {
    let precedence = |dscp: Value, low: u32| json!({"dscp": dscp, "min_threshold_packets": low, "max_threshold_packets": 3 * low, "weight": {"kind": "fixed", "value": 0.02}});
    let assured = json!({
        "precedences": [precedence(json!([10]), 12), precedence(json!([12]), 6), precedence(json!([14]), 3)],
        "limit_packets": 60, "dropper": "rio-c",
    });
    let other = json!({"precedences": [{"dscp": [0]}], "limit_packets": 10});
    let queue = json!({
        "kind": "diffserv", "queues": [assured, other], "scheduler": {"kind": "wrr", "weights": [3, 1]},
    });
    scenario(4, &queue, |plain| {
        let meters = [
            json!({"kind": "srtcm", "cir": 5e5, "cbs_bytes": 4000, "ebs_bytes": 8000}),
            json!({"kind": "tsw3cm", "cir": 4e5, "pir": 9e5}),
        ];
        for (i, meter) in meters.into_iter().enumerate() {
            let rule = json!({"of": "data", "meter": meter, "if_green": 10, "if_yellow": 12, "if_red": 14});
            // The access link of flow i.
            plain["links"][1 + 2 * i]["conditioner"] = json!({"rules": [rule]});
        }
        let police = json!({"kind": "token-bucket", "cir": 8e5, "cbs_bytes": 3000});
        plain["links"][0]["conditioner"] =
            json!({"rules": [{"flows": ["f4"], "meter": police, "if_green": 10, "if_red": "drop"}]});
        plain["record"] = record;
    })
}

#[test]
fn folding_changes_nothing_of_what_is_coloured() {
    let all = json!({"packets": ["*"], "deliveries": ["*"], "class_state": ["*"]});
    for record in [json!({}), all] {
        let scenario = coloured(record);
        for seed in [1, 2] {
            let [on, off] = [Folding::On, Folding::Off].map(|folding| {
                let plan = Plan::new(&scenario, folding).expect("a plan");
                Simulation::new(&plan, seed).run(&plan)
            });
            assert!(on.events() <= off.events());
            assert_eq!(bits(&on), bits(&off));
        }
    }
}

#[test]
fn every_packet_is_accounted_for() {
    let recording = run(&coloured(json!({})), 5).expect("a run");
    let of = |table, name| counts(&recording, table, name);
    let sum = |name| of("classes", name).iter().sum::<u64>();
    // Policed packets are dropped by the conditioner, all others reach the queue of the first port.
    let policed = of("aggregates", "packets_dropped");
    assert!(policed[0] > 100 && policed[1..] == [0, 0], "{policed:?}");
    assert_eq!(policed[0], of("aggregates", "packets_red")[0]);
    let arrived: u64 = of("classes", "packets_arrived").iter().sum();
    assert_eq!(arrived + policed[0], of("ports", "packets_arrived")[0]);
    let dropped = sum("early_drops") + sum("forced_drops");
    assert!(dropped > 20);
    assert_eq!(dropped + policed[0], of("ports", "packets_dropped")[0]);
    // Rows are in the order of code points: DF, AF11, AF12, AF13. Worse colours lose more of their packets.
    let [early, forced, came] =
        ["early_drops", "forced_drops", "packets_arrived"].map(|name| of("classes", name));
    let lost: Vec<f64> = (1..4).map(|i| (early[i] + forced[i]) as f64 / came[i] as f64).collect();
    assert!(lost[0] <= lost[1] && lost[1] < lost[2], "{lost:?}");
}

#[track_caller]
fn refused(changed: impl FnOnce(&mut Value), line: &str) {
    let mut plain = serde_json::to_value(coloured(json!({}))).expect("plain");
    changed(&mut plain);
    let scenario: Scenario = serde_json::from_value(plain).expect("a well-formed scenario");
    let error = Plan::new(&scenario, Folding::On).expect_err("a refusal");
    assert_eq!(format!("{}: got {}, expected {}", error.path, error.value, error.expected), line);
}

#[test]
fn what_cannot_be_conditioned_is_refused() {
    let rule = "links[1].conditioner.rules[0]";
    refused(
        |plain| plain["links"][1]["conditioner"]["rules"][0]["flows"] = json!(["f3"]),
        &format!("{rule}.flows: got \"f3\", expected an aggregate that crosses s0->r0"),
    );
    refused(
        |plain| plain["links"][1]["conditioner"]["rules"][0]["flows"] = json!(["g*"]),
        &format!("{rule}.flows[0]: got \"g*\", expected the name of a flow, in which * stands for any text"),
    );
    refused(
        |plain| plain["links"][1]["conditioner"]["rules"][0]["sources"] = json!(["r0"]),
        &format!("{rule}.sources[0]: got \"r0\", expected the name of a host"),
    );
    refused(
        // [RFC 2697 2-b] [RFC 2698 2-b] [RFC 2698 2-c]
        |plain| plain["links"][1]["conditioner"]["rules"][0]["meter"]["cbs_bytes"] = json!(1000),
        &format!(
            "{rule}.meter.cbs_bytes: got 1000, expected at least a packet of this aggregate, 1040 bytes"
        ),
    );
    refused(
        |plain| plain["links"][0]["conditioner"]["rules"][0]["if_green"] = json!(16),
        "links[0].conditioner.rules[0].if_green: got 16, \
         expected a code point that a precedence of the queue of r0->r1 names",
    );
    refused(
        |plain| plain["links"][3]["conditioner"]["rules"][0]["meter"]["pir"] = json!(1e5),
        "links[3].conditioner.rules[0].meter.pir: got 100000, expected at least cir",
    );
    refused(
        |plain| plain["flows"][0]["dscp"] = json!(64),
        "flows[0].dscp: got 64, expected a code point from 0 to 63",
    );
}

#[test]
fn queues_that_cannot_be_are_refused() {
    let queue = "links[0].queue";
    refused(
        |plain| plain["links"][0]["queue"]["scheduler"]["weights"] = json!([1]),
        &format!("{queue}.scheduler.weights: got 1 weights, expected 2 weights, one for each queue"),
    );
    refused(
        |plain| plain["links"][0]["queue"]["scheduler"] = json!({"kind": "wirr", "weights": [1, 1]}),
        &format!("{queue}.scheduler.kind: got \"wirr\", expected another scheduler, or the profile \"ns2\""),
    );
    refused(
        |plain| plain["links"][0]["queue"]["queues"][0]["precedences"][1]["max_threshold_packets"] = json!(2),
        &format!("{queue}.queues[0].precedences[1].max_threshold_packets: got 2, expected at least min_threshold_packets, 6"),
    );
    refused(
        |plain| plain["links"][0]["queue"]["queues"][1]["precedences"][0]["dscp"] = json!([0, 12]),
        &format!("{queue}.queues[1].precedences[0].dscp[1]: got 12, expected a code point that no other precedence names"),
    );
    refused(
        |plain| plain["links"][0]["queue"]["queues"] = json!([]),
        &format!("{queue}.queues: got 0, expected 1 to 64 queues"),
    );
}
