//! A RED that moves its thresholds by the share of load that does not respond: it acts when it should, and only then.

use parshall_sim::scenario::Scenario;
use parshall_sim::{run, Recording};
use serde_json::{json, Value};

use crate::common::recorded::{bits, reals};

const LIMIT: f64 = 60.0;

/// Ten TCP flows and constant-rate flows of 1 Mbit/s each over a RED link of 10 Mbit/s.
fn scenario(cbr: usize, tuning: &Value, record: &Value) -> Scenario {
    let mut queue = json!({
        "kind": "red", "min_threshold_packets": 10, "max_threshold_packets": 30, "limit_packets": LIMIT as u32,
    });
    queue.as_object_mut().expect("a queue").extend(tuning.as_object().expect("fields").clone());
    let mut links = vec![json!({"between": ["r0", "r1"], "rate": 1e7, "delay": 0.02, "queue": queue})];
    let mut hosts = Vec::new();
    let mut flows = Vec::new();
    for i in 0..10 + cbr {
        let (source, destination) = (format!("s{i}"), format!("d{i}"));
        links.push(json!({"between": [source, "r0"], "rate": 1e8, "delay": 0.002}));
        links.push(json!({"between": ["r1", destination], "rate": 1e8, "delay": 0.002}));
        let (transport, app) = if i < 10 {
            (json!({"kind": "tcp", "recovery": "sack"}), json!({"kind": "bulk"}))
        } else {
            (json!({"kind": "udp", "payload_bytes": 1000}), json!({"kind": "cbr", "rate": 1e6}))
        };
        flows.push(json!({
            "name": format!("f{i}"), "source": source, "destination": destination, "transport": transport,
            "app": app, "start_spread": 1,
        }));
        hosts.extend([source, destination]);
    }
    serde_json::from_value(json!({
        "duration": 60, "warm_up": 20, "hosts": hosts, "routers": ["r0", "r1"], "links": links, "flows": flows,
        "record": record,
    }))
    .expect("a scenario")
}

fn tuned() -> Value {
    json!({"tune_by": "responsiveness", "tune_above": 0.5, "tune_band": 0.1, "tune_interval": 1})
}

fn recorded() -> Value {
    let of = ["r0->r1"];
    json!({"port_series": {"of": of, "interval": 1}, "responsiveness": {"of": of, "interval": 1}})
}

fn go(scenario: &Scenario) -> Recording {
    run(scenario, 3).expect("a valid scenario")
}

/// The counters, without what a run recorded besides.
fn counters(recording: &Recording) -> Vec<(String, Vec<u64>)> {
    let all = bits(recording).into_iter();
    all.filter(|(name, _)| name.starts_with("flows.") || name.starts_with("ports.")).collect()
}

#[test]
fn thresholds_reach_the_limit_when_most_of_the_load_does_not_respond() {
    let recording = go(&scenario(9, &tuned(), &recorded()));
    let low = reals(&recording, "red_tuning", "min_threshold_packets");
    let high = reals(&recording, "red_tuning", "max_threshold_packets");
    assert_eq!(low.len(), 60);
    assert_eq!((low[0], high[0]), (10.0, 30.0));
    assert_eq!((low[59], high[59]), (LIMIT, LIMIT));
    // The queue fills up as a drop-tail queue does.
    let plain = go(&scenario(9, &json!({}), &recorded()));
    let delay = |r: &Recording| reals(r, "ports", "mean_delay")[0];
    assert!(delay(&recording) > 1.5 * delay(&plain), "{} {}", delay(&recording), delay(&plain));
}

#[test]
fn thresholds_come_back_when_little_of_the_load_does_not_respond() {
    let recording = go(&scenario(2, &tuned(), &recorded()));
    let low = reals(&recording, "red_tuning", "min_threshold_packets");
    // Before flows have shown what they do the estimate may be far off.
    assert!(low[10..].iter().all(|&low| low == 10.0), "{low:?}");
}

#[test]
fn thresholds_stay_while_the_share_is_within_what_is_allowed() {
    let patient = json!({"tune_by": "responsiveness", "tune_above": 1.0});
    let recording = go(&scenario(9, &patient, &recorded()));
    assert_eq!(reals(&recording, "red_tuning", "share").len(), 60);
    assert_eq!(counters(&recording), counters(&go(&scenario(9, &json!({}), &recorded()))));
}

#[test]
fn the_queue_knows_what_an_observer_would_tell() {
    let recording = go(&scenario(9, &tuned(), &recorded()));
    let bits = |table| reals(&recording, table, "share").iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits("red_tuning"), bits("responsiveness"));
}

#[test]
fn it_needs_no_recording() {
    let silent = go(&scenario(9, &tuned(), &json!({})));
    assert_eq!(counters(&silent), counters(&go(&scenario(9, &tuned(), &recorded()))));
    assert!(silent.table("red_tuning").is_err());
}

#[test]
fn settings_of_a_tuning_that_is_off_change_nothing() {
    let idle = json!({"tune_above": 0.0, "tune_band": 0.0, "tune_interval": 0.1});
    let recording = go(&scenario(9, &idle, &recorded()));
    assert_eq!(bits(&recording), bits(&go(&scenario(9, &json!({}), &recorded()))));
}
