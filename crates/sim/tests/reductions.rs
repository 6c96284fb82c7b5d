//! Windows after losses and silence, over links whose times can be worked out by hand.

use crate::common::recorded::{reals, sent};
use parshall_sim::scenario::Scenario;
use parshall_sim::{run, Recording};
use serde_json::{json, Value};

/// A flow over one link with these options; `link` has more of the link's fields than its ends.
fn record(transport: Value, link: Value, app: Value, duration: f64) -> Recording {
    let mut whole = json!({"kind": "tcp", "control": {"kind": "aimd"}});
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
// [RFC 5681 4.3-e]
fn a_timeout_behind_a_lost_retransmission_halves_again() {
    let recording = lost_twice(json!({"rack": false}));
    assert_eq!(timeouts(&recording), 1.0);
    assert_eq!(thresholds(&recording), [64.0, 35.0, 17.5]);
}

/// RACK finds the second loss by time, and it is another sign of congestion all the same.
#[test]
// [RFC 5681 4.3-e] [RFC 8985 9.3-c]
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
        // Linux's CUBIC grows by 5 % a round trip after a timeout (bictcp_reset()), and more is dropped for it.
        assert!(dropped < 0.7 * delivered, "{profile}: {dropped} dropped, {delivered} delivered");
    }
}

/// Ten packets every 50 ms on a round trip of 40 ms leave Linux's window at twice of what is in flight in slow start, and where it is in
/// congestion avoidance.
#[test]
fn linuxs_window_grows_to_twice_of_what_a_slow_application_uses() {
    let writes: Vec<(f64, u32)> = (0..50).map(|i| (0.5 + 0.05 * f64::from(i), 10)).collect();
    let app = json!({"kind": "schedule", "writes": writes});
    for (ssthresh, expected) in [(None, 20.0..=21.0), (Some(4.0), 10.0..=12.0)] {
        let mut transport = json!({"profile": "linux", "initial_window_packets": 10});
        if let Some(ssthresh) = ssthresh {
            transport["initial_ssthresh_packets"] = json!(ssthresh);
        }
        let recording = record(transport, json!({"rate": 2e7, "delay": 0.02}), app.clone(), 3.0);
        let last = reals(&recording, "window", "cwnd").pop().expect("a window");
        assert!(expected.contains(&last), "{ssthresh:?}: {last}");
    }
}

/// Linux connects when the flow starts, and the first data finds a connection.
#[test]
fn linux_connects_before_there_is_data() {
    for (profile, expected) in [("linux", [0.5, 2.0]), ("rfc", [2.0, 2.1])] {
        let mut transport = json!({"kind": "tcp", "profile": profile});
        transport["min_rto"] = json!(0.2);
        let scenario = json!({
            "duration": 4.0,
            "hosts": ["a", "b"],
            "links": [{"between": ["a", "b"], "rate": 1e10, "delay": 0.05}],
            "flows": [{
                "name": "f", "source": "a", "destination": "b", "start": 0.5, "transport": transport,
                "app": {"kind": "schedule", "writes": [[1.5, 3]]},
            }],
            "record": {"packets": ["a->b"]},
        });
        let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
        let recording = run(&scenario, 1).expect("a recording");
        let times: Vec<f64> = sent(&recording).iter().map(|s| s.0).collect();
        assert_eq!(times.len(), 4);
        assert!((times[0] - expected[0]).abs() < 1e-6 && (times[1] - expected[1]).abs() < 1e-6, "{times:?}");
    }
}

/// Where one packet is timed, the probe that is its copy leaves no sample, and without one no second probe goes: the timer does.
#[test]
// [RFC 8985 7.3-b]
fn a_probe_waits_for_a_sample_since_the_last() {
    // One packet at a time; the third is lost, and so is the fourth.
    let transport = json!({"rack": true, "handshake": false, "delayed_ack": false});
    let writes: Vec<(f64, u32)> = (0..4).map(|i| (f64::from(i), 1)).collect();
    let link = json!({"rate": 1e9, "delay": 0.05, "loss": {"kind": "listed", "arrivals": [3, 5]}});
    let recording = record(transport, link, json!({"kind": "schedule", "writes": writes}), 8.0);
    assert_eq!(sent(&recording).len(), 6);
    assert_eq!(timeouts(&recording), 1.0);
}

/// A probe waits two round trips, but no longer than the RTO of the oldest packet: the queue's 0.3 s make it 0.34 s, and it goes
/// 0.2 s after the last ACK at the latest.
#[test]
fn linuxs_probe_waits_no_longer_than_the_timeout_of_the_oldest_packet() {
    let times: Vec<f64> = (1..=3000).chain(4500..=6000).map(|ms| f64::from(ms) / 1e3).collect();
    let transport =
        json!({"profile": "linux", "max_window_packets": 250, "payload_bytes": 1448, "header_bytes": 52});
    let link = json!({"rate": 1.2e7, "delay": 0.025, "capacity": {"times": times, "period": 6.0}});
    let recording = record(transport, link, json!({"kind": "bulk"}), 4.0);
    let silent: Vec<f64> = sent(&recording).iter().map(|s| s.0).filter(|&t| t > 3.1).collect();
    assert!((3.15..3.30).contains(&silent[0]), "{:?}", &silent[..3.min(silent.len())]);
}

/// RFC 6298, section 5.7: after a lost SYN the timeout for data is 3 s, however many SYNs were lost.
#[test]
// [RFC 6298 5.7-a]
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

/// A path that stands still from 5 to 6.5 s and then goes on, with nothing lost, and a receiver's window of 60 packets.
fn stalled(options: Value) -> Recording {
    let times: Vec<f64> = (1..=5000).chain(6500..=12_000).map(|ms| f64::from(ms) / 1e3).collect();
    let mut transport = json!({"max_window_packets": 60, "payload_bytes": 1448, "header_bytes": 52});
    for (key, value) in options.as_object().expect("options") {
        transport[key] = value.clone();
    }
    let link = json!({"rate": 1.2e7, "delay": 0.025, "capacity": {"times": times, "period": 12.0}});
    record(transport, link, json!({"kind": "bulk"}), 8.0)
}

/// Eifel, RFC 3522 and 4015: the first ACK answers what was sent before the timeout, so the window is as before and new data goes.
/// Without it all that was in flight goes again.
#[test]
fn a_needless_timeout_is_undone() {
    for recovery in ["tahoe", "reno", "newreno", "sack"] {
        for eifel in [true, false] {
            let recording = stalled(json!({"recovery": recovery, "eifel": eifel}));
            assert_eq!(timeouts(&recording), 1.0);
            assert_eq!(reals(&recording, "flows", "spurious_timeouts")[0], 1.0);
            let again = reals(&recording, "flows", "packets_retransmitted")[0];
            let last = reals(&recording, "window", "ssthresh").pop().expect("a threshold");
            if eifel {
                assert!(again == 1.0 && last.is_infinite(), "{recovery}: {again} sent again, {last}");
                assert!(reals(&recording, "window", "cwnd").pop() >= Some(60.0), "{recovery}");
            } else {
                assert!(last == 30.0, "{recovery}: {again} sent again, {last}");
            }
        }
    }
}

/// F-RTO needs no time stamps: after a stall one or two packets go again.
#[test]
fn f_rto_needs_no_time_stamps() {
    for (recovery, rack) in
        [("tahoe", false), ("reno", false), ("newreno", false), ("sack", false), ("sack", true)]
    {
        let recording = stalled(json!({"recovery": recovery, "rack": rack, "frto": true}));
        assert!(timeouts(&recording) > 0.0);
        let again = reals(&recording, "flows", "packets_retransmitted")[0];
        assert!(again <= 2.0, "{recovery}: {again}");
        assert!(reals(&recording, "window", "ssthresh").pop() == Some(f64::INFINITY), "{recovery}");
        assert!(reals(&recording, "window", "cwnd").pop() >= Some(60.0), "{recovery}");
    }
}

/// ACKs are lost for a second and data is not. The ACK that ends it covers packets that were sent once, and echoes the last of them, since
/// the retransmission has come twice: in Linux the timeout is undone.
#[test]
fn lost_acks_alone_cost_no_window() {
    for (frto, eifel, expected) in
        [(true, false, f64::INFINITY), (false, true, f64::INFINITY), (false, false, 30.5)]
    {
        let options = json!({
            "profile": "linux", "max_window_packets": 60, "eifel": eifel, "dsack": false, "frto": frto,
            "payload_bytes": 1448, "header_bytes": 52, "delayed_ack": false,
        });
        let acks: Vec<u32> = (640..=701).collect();
        let reverse = json!({"rate": 1e9, "loss": {"kind": "listed", "arrivals": acks}});
        let link = json!({"rate": 1.2e7, "delay": 0.025, "reverse": reverse});
        let recording = record(options, link, json!({"kind": "bulk"}), 6.0);
        assert!(timeouts(&recording) > 0.0);
        let last = reals(&recording, "window", "ssthresh").pop().expect("a threshold");
        assert!(last == expected || (last - expected).abs() <= 1.0, "{frto} {eifel}: {last}");
    }
}

/// The profile has a probe and a timeout more; nothing else goes again, and the window is that of before.
#[test]
fn linux_undoes_timeouts_in_a_row() {
    let recording = stalled(json!({"profile": "linux"}));
    assert_eq!(timeouts(&recording), 2.0);
    assert!(reals(&recording, "flows", "packets_retransmitted")[0] <= 3.0);
    assert!(reals(&recording, "window", "ssthresh").pop() == Some(f64::INFINITY));
}

/// Two of three packets are overtaken by others for up to two round trips, and nothing is lost. The window stays down without either
/// means. Time stamps alone undo a recovery only if nothing that was sent again is under way (tcp_try_undo_partial()).
#[test]
fn reordering_does_not_hold_linuxs_window_down() {
    let delivered = |options: Value| {
        let mut transport = json!({"profile": "linux", "max_window_packets": 64});
        for (key, value) in options.as_object().expect("options") {
            transport[key] = value.clone();
        }
        let link = json!({"rate": 1e8, "delay": 0.01, "jitter": {"most": 0.04, "reorder": true}});
        let recording = record(transport, link, json!({"kind": "bulk"}), 20.0);
        reals(&recording, "flows", "packets_delivered")[0] * 8000.0 / 20.0
    };
    // 64 packets each 40 ms: half of 40 ms of jitter each way, and 20 ms.
    let allowed = 64.0 * 8000.0 / 0.06;
    let with = |eifel: bool, dsack: bool| delivered(json!({"eifel": eifel, "dsack": dsack}));
    assert!(with(false, false) < 0.1 * allowed);
    assert!(with(true, false) > 5.0 * with(false, false));
    assert!(with(false, true) > 0.5 * allowed);
    assert!(delivered(json!({})) > 0.8 * allowed);
}

/// Losses that stay lost: where all of a second is dark, the profile's window is halved as before.
#[test]
fn a_timeout_for_losses_is_not_undone() {
    let lost: Vec<u64> = (400..600).collect();
    let loss = json!({"kind": "listed", "arrivals": lost});
    let transport = json!({"profile": "linux", "initial_ssthresh_packets": 64.0, "max_window_packets": 60});
    let link = json!({"rate": 1.2e7, "delay": 0.025, "loss": loss});
    let recording = record(transport, link, json!({"kind": "bulk"}), 20.0);
    assert!(timeouts(&recording) > 0.0);
    assert!(thresholds(&recording).iter().all(|&s| s <= 64.0));
    assert!(reals(&recording, "window", "ssthresh").pop() <= Some(32.0));
}

/// A tail loss probe that is a copy of the timed packet ends its timing (Karn; RFC 6298, section 3): a sample that began with the
/// first copy would be longer than the round trip by the wait for the probe.
#[test]
// [RFC 6298 3-a] [RFC 6298 3-b]
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
