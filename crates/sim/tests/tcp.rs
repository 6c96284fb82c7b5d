//! TCP on the wire, seen from outside, in small networks whose times can be worked out by hand.
//!
//! The link is 8 Mbit/s with 10 ms each way: a packet of 1000 bytes takes 1 ms, an ACK of 40 bytes 0.04 ms.

use crate::common::recorded::{reals, sent};
use parshall_sim::scenario::Scenario;
use parshall_sim::{run, Recording};
use serde_json::{json, Value};

/// A flow from `a` to `b` over one link, with these options, losses of data and application.
fn record(options: Value, lost: &[u64], app: Value, duration: f64) -> Recording {
    let mut transport =
        json!({"kind": "tcp", "payload_bytes": 960, "handshake": false, "delayed_ack": false});
    for (key, value) in options.as_object().expect("options") {
        transport[key] = value.clone();
    }
    let scenario = json!({
        "duration": duration,
        "hosts": ["a", "b"],
        "links": [{
            "between": ["a", "b"], "rate": 8e6, "delay": 0.01,
            "loss": {"kind": "listed", "arrivals": lost},
        }],
        "flows": [{"name": "f", "source": "a", "destination": "b", "transport": transport, "app": app}],
        "record": {"packets": ["a->b"], "window": ["f"]},
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    run(&scenario, 1).expect("a recording")
}

fn flow(recording: &Recording, name: &str) -> f64 {
    reals(recording, "flows", name)[0]
}

fn transfer(packets: u32) -> Value {
    json!({"kind": "transfer", "packets": packets})
}

/// Time of the first transmission after `earliest`.
fn first_after(recording: &Recording, earliest: f64) -> (f64, i64) {
    *sent(recording).iter().find(|(t, _)| *t > earliest).expect("a transmission")
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[test]
fn the_initial_window_is_ten_packets() {
    let recording = record(json!({}), &[], transfer(30), 0.02);
    let numbers: Vec<i64> = sent(&recording).iter().map(|s| s.1).collect();
    assert_eq!(numbers, (0..10).collect::<Vec<_>>());
}

#[test]
fn data_waits_for_the_handshake() {
    let recording = record(json!({"handshake": true}), &[], transfer(3), 1.0);
    let sent = sent(&recording);
    assert_eq!(sent[0], (0.0, 0));
    // 40 bytes there and back: 2 x (0.04 + 10) ms.
    close(sent[1].0, 0.02008);
    assert_eq!(sent.iter().map(|s| s.1).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(flow(&recording, "packets_delivered"), 3.0);
    assert_eq!(flow(&recording, "packets_offered"), 3.0);
    assert_eq!(flow(&recording, "packets_sent"), 4.0);
}

#[test]
fn slow_start_doubles_the_window_each_round_trip() {
    let recording = record(json!({"initial_window_packets": 1}), &[], transfer(15), 1.0);
    let rounds: Vec<usize> = [(0.0, 0.02), (0.02, 0.04), (0.04, 0.062), (0.062, 0.084)]
        .map(|(low, high)| sent(&recording).iter().filter(|(t, _)| (low..high).contains(t)).count())
        .to_vec();
    assert_eq!(rounds, [1, 2, 4, 8]);
}

#[test]
// [RFC 6298 2.1-a] [RFC 6298 5-a]
fn the_first_timeout_comes_after_a_second_and_backs_off() {
    // RFC 6298, sections 2.1 and 5.5.
    let recording = record(json!({"initial_window_packets": 1}), &[1, 2, 3], transfer(1), 20.0);
    let times: Vec<f64> = sent(&recording).iter().map(|s| s.0).collect();
    assert_eq!(times, [0.0, 1.0, 3.0, 7.0]);
    assert_eq!(flow(&recording, "timeouts"), 3.0);
    assert_eq!(flow(&recording, "spurious_timeouts"), 0.0);
    assert_eq!(flow(&recording, "timeout_wait"), 7.0);
}

// [RFC 6298 3-c]
#[test]
fn a_round_trip_has_a_sample() {
    // One of a window of four takes 20 ms and what it waits for the others, 24 ms at most.
    for profile in ["rfc", "linux"] {
        let recording =
            record(json!({"profile": profile, "max_window_packets": 4}), &[], json!({"kind": "bulk"}), 2.0);
        assert!(flow(&recording, "rtt_samples") >= 80.0, "{}", flow(&recording, "rtt_samples"));
    }
}

#[test]
fn three_duplicate_acks_resend_a_packet() {
    let options = json!({"recovery": "newreno", "limited_transmit": false});
    let recording = record(options, &[1], transfer(10), 1.0);
    // The lost packet takes no time on the link: packet 3 is received at 13 ms, its ACK comes 10.04 ms later.
    assert_eq!(first_after(&recording, 0.01), (0.02304, 0));
    assert_eq!(flow(&recording, "fast_retransmits"), 1.0);
    assert_eq!(flow(&recording, "timeouts"), 0.0);
}

#[test]
fn limited_transmit_sends_on_the_first_two_duplicate_acks() {
    // RFC 3042.
    let recording = record(json!({}), &[1], transfer(20), 1.0);
    let numbers: Vec<i64> = sent(&recording).iter().map(|s| s.1).collect();
    assert_eq!(numbers[10..13], [10, 11, 0]);
}

#[test]
fn a_loss_halves_what_is_in_flight() {
    // RFC 5681, equation 4: 10 packets in flight, those of limited transmit left out.
    for limited_transmit in [false, true] {
        let recording = record(json!({"limited_transmit": limited_transmit}), &[1], transfer(60), 1.0);
        let ssthresh = reals(&recording, "window", "ssthresh");
        assert_eq!(ssthresh.iter().copied().find(|s| s.is_finite()), Some(5.0));
    }
}

#[test]
fn recoveries_need_as_many_round_trips_as_they_are_known_for() {
    // Two losses in one window: Reno resends one and then needs another round of duplicate ACKs or a timeout,
    // NewReno resends the second on the partial ACK, Tahoe sends everything again.
    let run = |recovery: &str| record(json!({"recovery": recovery}), &[1, 3], transfer(60), 5.0);
    let (tahoe, reno, newreno) = (run("tahoe"), run("reno"), run("newreno"));
    assert_eq!(flow(&newreno, "timeouts"), 0.0);
    assert_eq!(flow(&newreno, "packets_retransmitted"), 2.0);
    assert!(flow(&tahoe, "packets_retransmitted") > 2.0);
    assert!(flow(&newreno, "completed_at") < flow(&reno, "completed_at"));
    for recording in [&tahoe, &reno, &newreno] {
        assert_eq!(flow(recording, "packets_delivered"), 60.0);
        assert!(flow(recording, "completed_at").is_finite());
    }
}

#[test]
// [RFC 5681 4.2-a] [RFC 5681 4.2-g]
fn delayed_acks_are_half_as_many() {
    let every = record(json!({}), &[], transfer(1000), 20.0);
    let second = record(json!({"delayed_ack": true}), &[], transfer(1000), 20.0);
    assert_eq!(flow(&every, "acks_received"), 1000.0);
    // Packet 0 is acknowledged at once, and the last packet waits for the timer.
    assert_eq!(flow(&second, "acks_received"), 501.0);
}

#[test]
// [RFC 5681 4.1-a]
fn idleness_restarts_the_window() {
    // RFC 5681, section 4.1: more than an RTO of silence, then no more than the initial window at once.
    let writes = json!({"kind": "schedule", "writes": [[0.0, 300], [5.0, 100]]});
    let recording = record(json!({"initial_window_packets": 4}), &[], writes, 6.0);
    let burst = sent(&recording).iter().filter(|(t, _)| *t == 5.0).count();
    assert_eq!(burst, 4);
}

#[test]
fn a_needless_timeout_is_told_from_a_needed_one() {
    // An RTO below the round trip makes each timeout needless.
    let options = json!({
        "initial_window_packets": 1, "initial_rto": 0.015, "min_rto": 0.001, "max_rto": 0.015,
        "max_window_packets": 1,
    });
    let recording = record(options, &[], transfer(3), 2.0);
    assert!(flow(&recording, "timeouts") >= 1.0);
    assert_eq!(flow(&recording, "spurious_timeouts"), flow(&recording, "timeouts"));
    assert_eq!(flow(&recording, "timeout_wait"), 0.0);
}

#[test]
// [RFC 5681 2-a] [RFC 9406 3-a] [RFC 9937 3-a]
fn a_receiver_window_bounds_what_is_in_flight() {
    let recording = record(json!({"max_window_packets": 3}), &[], transfer(30), 1.0);
    let mut in_flight: f64 = 0.0;
    for (high_ack, max_seq) in
        reals(&recording, "window", "high_ack").iter().zip(reals(&recording, "window", "max_seq"))
    {
        in_flight = in_flight.max(max_seq - high_ack);
    }
    assert_eq!(in_flight, 3.0);
}

#[test]
fn the_profiles_differ_where_they_say() {
    let ns2 = record(json!({"profile": "ns2"}), &[1], transfer(1), 10.0);
    let rfc = record(json!({}), &[1], transfer(1), 10.0);
    assert_eq!(first_after(&ns2, 0.0).0, 3.0);
    assert_eq!(first_after(&rfc, 0.0).0, 1.0);
}

#[test]
fn pacing_spreads_packets_over_the_round_trip() {
    let largest_burst = |pacing: bool| {
        let options = json!({"pacing": pacing, "max_window_packets": 16, "delayed_ack": true});
        let recording = record(options, &[], transfer(400), 2.0);
        assert_eq!(flow(&recording, "packets_delivered"), 400.0);
        let times: Vec<f64> = sent(&recording).iter().map(|s| s.0).filter(|&t| t > 0.2).collect();
        let bursts = times.iter().map(|t| times.iter().filter(|u| (*u - t).abs() < 1e-9).count());
        bursts.max().expect("packets")
    };
    // A delayed ACK releases two packets at once; with pacing they leave apart.
    assert!(largest_burst(false) >= 2);
    assert_eq!(largest_burst(true), 1);
}

#[test]
fn a_mark_halves_the_window_without_a_loss() {
    let scenario = json!({
        "duration": 20.0,
        "hosts": ["a", "b"],
        "links": [{
            "between": ["a", "b"], "rate": 8e6, "delay": 0.02,
            "queue": {"kind": "red", "min_threshold_packets": 40, "max_threshold_packets": 120,
                      "limit_packets": 400, "ecn": true},
        }],
        "flows": [{
            "name": "f", "source": "a", "destination": "b",
            "transport": {"kind": "tcp", "ecn": true}, "app": {"kind": "bulk"},
        }],
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let recording = run(&scenario, 1).expect("a recording");
    let marked = reals(&recording, "ports", "packets_marked")[0];
    assert!(marked > 5.0 && flow(&recording, "mark_reductions") > 5.0);
    assert!(flow(&recording, "mark_reductions") <= marked);
    assert_eq!(flow(&recording, "packets_dropped"), 0.0);
    assert_eq!(flow(&recording, "packets_retransmitted"), 0.0);
    // The link stays busy: 1000 packets of 1040 bytes take 1.04 s.
    assert!(flow(&recording, "packets_delivered") > 0.95 * 20.0 / 1.04e-3);
}

#[test]
// [RFC 5681 4.3-f]
fn sack_repairs_many_losses_in_one_recovery() {
    let lost = [11, 13, 15, 17, 19];
    for recovery in ["sack", "newreno"] {
        let recording = record(json!({"recovery": recovery}), &lost, transfer(200), 5.0);
        assert_eq!(flow(&recording, "packets_retransmitted"), 5.0, "{recovery}");
        assert_eq!(flow(&recording, "timeouts"), 0.0);
        assert_eq!(flow(&recording, "fast_retransmits"), 1.0);
    }
    let time = |recovery: &str| {
        flow(&record(json!({"recovery": recovery}), &lost, transfer(200), 5.0), "completed_at")
    };
    // NewReno repairs one loss a round trip, SACK several.
    assert!(time("sack") < time("newreno") - 0.03);
}

#[test]
// [RFC 6675 5.1-c] [RFC 6675 5.1-h]
fn after_a_timeout_sack_sends_only_what_is_missing() {
    // Packets 10 to 14 are lost, and so is the first of them again.
    let lost = [11, 12, 13, 14, 15, 26];
    let recording = record(json!({"recovery": "sack"}), &lost, transfer(40), 20.0);
    assert_eq!(flow(&recording, "packets_delivered"), 40.0);
    let needless = flow(&recording, "packets_received") - 40.0;
    assert!(needless <= 1.0, "{needless}");
}

#[test]
fn every_control_fills_the_link() {
    for control in [
        json!({"kind": "aimd"}),
        json!({"kind": "binomial", "k": 0.5, "l": 0.5}),
        json!({"kind": "binomial", "k": 1.0, "l": 0.0}),
        json!({"kind": "cubic"}),
        json!({"kind": "vegas"}),
        json!({"kind": "dual"}),
        json!({"kind": "veno"}),
    ] {
        for recovery in ["newreno", "sack"] {
            let options = json!({"control": control, "recovery": recovery, "max_window_packets": 60});
            let recording = record(options, &[400, 2000], json!({"kind": "bulk"}), 20.0);
            let share = flow(&recording, "packets_delivered") / 20_000.0;
            assert!(share > 0.9, "{control} {recovery}: {share}");
        }
    }
}

/// Marks halve the window, and below one packet a sender without a timer would wait for ever.
#[test]
fn a_sender_of_whose_packets_most_are_marked_goes_on() {
    for (profile, idle_restart) in
        [("ns2", "on-timer"), ("ns2", "on-send"), ("ns2", "never"), ("rfc", "on-send")]
    {
        let transport = json!({"kind": "tcp", "profile": profile, "ecn": true, "idle_restart": idle_restart});
        let scenario = json!({
            "duration": 300.0,
            "hosts": ["a", "b"],
            "links": [{
                "between": ["a", "b"], "rate": 8e6, "delay": 0.01,
                "queue": {
                    "kind": "red", "min_threshold_packets": 1e-9, "max_threshold_packets": 20.0,
                    "max_probability": 1.0, "limit_packets": 100, "wait": false, "ecn": true,
                    "weight": {"kind": "fixed", "value": 0.1},
                },
                "reverse": {"queue": {"kind": "droptail"}},
            }],
            "flows": [
                {"name": "f", "source": "a", "destination": "b", "transport": transport,
                    "app": {"kind": "transfer", "packets": 100}},
                {"name": "overload", "source": "a", "destination": "b",
                    "transport": {"kind": "udp", "payload_bytes": 1000}, "app": {"kind": "cbr", "rate": 24e6}},
            ],
        });
        let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
        let recording = run(&scenario, 1).expect("a recording");
        assert_eq!(flow(&recording, "packets_delivered"), 100.0, "{profile} {idle_restart}");
        assert!(flow(&recording, "mark_reductions") > 5.0, "{profile} {idle_restart}");
    }
}
