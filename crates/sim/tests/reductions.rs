//! What losses and silence leave of the window, over links whose times can be worked out by hand.

use crate::common::recorded::{reals, sent};
use parshall_sim::record::Recording;
use parshall_sim::run;
use parshall_sim::scenario::Scenario;
use serde_json::{json, Value};

/// A flow over one link with these options; `link` has more of the link's fields than its ends.
fn record(transport: Value, link: Value, app: Value, duration: f64) -> Recording {
    let mut whole = json!({"kind": "tcp"});
    for (key, value) in transport.as_object().expect("options") {
        whole[key] = value.clone();
    }
    let mut ends = json!({"between": ["a", "b"]});
    for (key, value) in link.as_object().expect("a link") {
        ends[key] = value.clone();
    }
    let scenario = json!({
        "duration": duration,
        "hosts": ["a", "b"],
        "links": [ends],
        "flows": [{"name": "f", "source": "a", "destination": "b", "transport": whole, "app": app}],
        "record": {"packets": ["a->b"], "window": ["f"]},
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    run(&scenario, 1).expect("a recording")
}

/// The values that ssthresh takes, one after the other.
fn thresholds(recording: &Recording) -> Vec<f64> {
    let mut values = reals(recording, "window", "ssthresh");
    values.dedup();
    values
}

fn timeouts(recording: &Recording) -> f64 {
    reals(recording, "flows", "timeouts")[0]
}

/// Packet 500 is lost at a window of 72, and so is its retransmission, the 573rd packet on the link; SACKs let new ones go until
/// the timer expires.
fn lost_twice(options: Value) -> Recording {
    let mut transport = json!({"recovery": "sack", "initial_ssthresh_packets": 64.0, "delayed_ack": false, "handshake": false});
    for (key, value) in options.as_object().expect("options") {
        transport[key] = value.clone();
    }
    let loss = json!({"kind": "listed", "arrivals": [500, 572]});
    record(transport, json!({"rate": 1e8, "delay": 0.05, "loss": loss}), json!({"kind": "bulk"}), 3.0)
}

/// RFC 5681, section 4.3: a lost retransmission lowers cwnd and ssthresh a second time, by half of the window and not of all that
/// SACKs have let go since.
#[test]
fn a_timeout_behind_a_lost_retransmission_halves_again() {
    let recording = lost_twice(json!({"rack": false}));
    assert_eq!(timeouts(&recording), 1.0);
    assert_eq!(thresholds(&recording), [64.0, 35.0, 17.5]);
}

/// RACK finds the second loss by time, and it is another sign of congestion all the same.
#[test]
fn with_rack_a_lost_retransmission_halves_again() {
    let recording = lost_twice(json!({"rack": true}));
    assert_eq!(timeouts(&recording), 0.0);
    let found = thresholds(&recording);
    assert!(found.len() == 3 && found[1] == 35.0 && (16.0..=17.5).contains(&found[2]), "{found:?}");
}

/// In tcp_enter_loss() a recovery that is under way has reduced ssthresh already, and RACK leaves a lost retransmission in it to
/// proportional rate reduction.
#[test]
fn in_linux_what_is_lost_again_in_a_recovery_costs_no_second_reduction() {
    for (rack, expected) in [(false, 1.0), (true, 0.0)] {
        let recording = lost_twice(json!({"profile": "linux", "rack": rack}));
        assert_eq!((timeouts(&recording), thresholds(&recording).len()), (expected, 2));
    }
}

/// A default flow alone, NewReno among them, whose recovery lasts longer than the RTO: the timeout raised ssthresh to what
/// duplicate ACKs had let go, and slow start overshot again for ever.
#[test]
fn no_timeout_raises_the_threshold() {
    let queue = json!({"kind": "droptail", "limit_packets": 48});
    let link = json!({"rate": 1e7, "delay": 0.02, "queue": queue});
    for recovery in [json!({}), json!({"recovery": "newreno"}), json!({"recovery": "sack", "rack": true})] {
        let recording = record(recovery.clone(), link.clone(), json!({"kind": "bulk"}), 30.0);
        let finite: Vec<f64> = thresholds(&recording).into_iter().filter(|s| s.is_finite()).collect();
        assert!(finite.iter().all(|&s| s <= finite[0] + 1.0), "{recovery}: {finite:?}");
        let share = reals(&recording, "flows", "packets_delivered")[0] * 8320.0 / 30.0 / 1e7;
        assert!(share > 0.9, "{recovery}: {share}");
    }
}

/// A queue that drains at a fiftieth of the rate: SACKs tell of the long round trips before the timer expires, and each round of
/// lost retransmissions brings the window down. It went out again and again, and 2,686 of its packets were dropped in 22 s.
#[test]
fn a_steep_drop_of_the_rate_is_no_storm_of_retransmissions() {
    let (bits, before, after) = (12_112.0, 10.0, 22.0);
    let fast = (1..(before * 5e7 / bits) as u32).map(|i| f64::from(i) * bits / 5e7);
    let slow = (0..(after * 1e6 / bits) as u32).map(|i| before + f64::from(i) * bits / 1e6);
    let times: Vec<f64> = fast.chain(slow).collect();
    for profile in ["rfc", "linux"] {
        let transport = json!({
            "kind": "tcp", "profile": profile, "rack": true, "payload_bytes": 1448, "header_bytes": 66,
            "control": {"kind": "cubic", "variant": "linux"},
        });
        let flows: Vec<Value> = (0..4)
            .map(|i| {
                json!({
                    "name": format!("f{i}"), "source": "a", "destination": "b", "start": 0.1 * f64::from(i),
                    "transport": transport, "app": {"kind": "bulk"},
                })
            })
            .collect();
        let scenario = json!({
            "duration": before + after,
            "warm_up": before,
            "hosts": ["a", "b"],
            "links": [{
                "between": ["a", "b"], "rate": 5e7, "delay": 0.075, "queue": {"kind": "codel"},
                "capacity": {"times": times, "period": before + after},
                "reverse": {"rate": 1e9, "queue": {"kind": "droptail"}},
            }],
            "flows": flows,
        });
        let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
        let recording = run(&scenario, 1).expect("a recording");
        let dropped: f64 = reals(&recording, "flows", "packets_dropped").iter().sum();
        let delivered: f64 = reals(&recording, "flows", "packets_delivered").iter().sum();
        assert!(dropped < 0.6 * delivered, "{profile}: {dropped} dropped, {delivered} delivered");
    }
}

/// RFC 6298, section 5.7: after a lost SYN the timeout for data is 3 s, however many SYNs were lost.
#[test]
fn data_behind_a_lost_syn_waits_three_seconds() {
    for (lost, first) in [(json!([1, 3]), 1.1), (json!([1, 2, 4]), 3.1)] {
        let link = json!({"rate": 1e10, "delay": 0.05, "loss": {"kind": "listed", "arrivals": lost}});
        let recording = record(json!({}), link, json!({"kind": "transfer", "packets": 1}), 20.0);
        let data: Vec<f64> = sent(&recording).iter().filter(|s| s.1 == 1).map(|s| s.0).collect();
        assert!((data[0] - first).abs() < 1e-6 && (data[1] - first - 3.0).abs() < 1e-6, "{data:?}");
    }
}

/// tcp_cwnd_restart(): a silence of 1.4 RTOs halves the window once, where RFC 5681 goes to the initial one.
#[test]
fn a_short_silence_halves_linuxs_window_once() {
    for (profile, expected) in [("linux", 41), ("rfc", 10)] {
        let transport = json!({"profile": profile, "max_window_packets": 80, "min_rto": 0.2});
        let app = json!({"kind": "schedule", "writes": [[0.0, 1000], [1.1, 200]]});
        let recording = record(transport, json!({"rate": 1e9, "delay": 0.025}), app, 3.0);
        let burst = sent(&recording).iter().filter(|s| (1.1 - 1e-9..1.13).contains(&s.0)).count();
        assert!(burst.abs_diff(expected) <= 1, "{profile}: {burst}");
    }
}

/// A tail loss probe that is a copy of the timed packet ends its timing (Karn; RFC 6298, section 3): a sample that began with the
/// first copy would be longer than the round trip by the wait for the probe.
#[test]
fn a_probe_of_the_timed_packet_is_no_sample() {
    let transport = json!({"rack": true, "handshake": false, "delayed_ack": false});
    // One packet at a time, so that the last one is always the one that is timed; the third is lost.
    let writes: Vec<(f64, u32)> = (0..3).map(|i| (f64::from(i), 1)).collect();
    let link = json!({"rate": 1e9, "delay": 0.05, "loss": {"kind": "listed", "arrivals": [3]}});
    let recording = record(transport, link, json!({"kind": "schedule", "writes": writes}), 6.0);
    assert_eq!(timeouts(&recording), 0.0);
    assert_eq!(sent(&recording).len(), 4);
    assert_eq!(reals(&recording, "flows", "rtt_samples")[0], 2.0);
    let srtt = reals(&recording, "window", "srtt");
    assert!(srtt.iter().filter(|s| s.is_finite()).all(|s| (s - 0.1).abs() < 1e-3), "{srtt:?}");
}
