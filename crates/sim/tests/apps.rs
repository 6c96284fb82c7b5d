//! Applications that hear back: response times worked out by hand, connections that follow one another, and what holds of
//! transfers in any network.

use std::sync::Arc;

use parshall_sim::internal::{Folding, Plan, Simulation};
use parshall_sim::scenario::{App, ProfileName, Record, Scenario, Transport};
use parshall_sim::units::Time;
use parshall_sim::{run, Recording};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{json, Value};

use crate::common::hearing;
use crate::common::recorded::{bits, counts, reals, table};

/// A server `s`, a client `c`, and a link of 1 Mbit/s and 10 ms between them.
fn one(app: Value, transport: Value) -> Scenario {
    let scenario = json!({
        "duration": 60, "hosts": ["s", "c"],
        "links": [{"between": ["s", "c"], "rate": 1e6, "delay": 0.01, "queue": {"kind": "droptail"}}],
        "flows": [{"name": "f", "source": "s", "destination": "c", "transport": transport, "app": app}],
        "record": {"transfers": ["*"]},
    });
    serde_json::from_value(scenario).expect("a scenario")
}

fn run_one(app: Value, transport: Value) -> Recording {
    run(&one(app, transport), 1).expect("a recording")
}

fn times(recording: &Recording, column: &str) -> Vec<f64> {
    reals(recording, "transfers", column)
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
}

fn constant(value: f64) -> Value {
    json!({"kind": "constant", "value": value})
}

/// One page of one object of three packets.
fn page(requests: &str) -> Value {
    json!({"kind": "web", "pages": constant(1.0), "object_packets": constant(3.0), "requests": requests,
           "request_bytes": 200})
}

// A packet of 40 bytes takes 0.32 ms and then 10 ms, one of 240 bytes 1.92 ms, one of 1040 bytes 8.32 ms.

#[test]
fn an_object_follows_on_the_connection_that_its_request_has_opened() {
    let recording = run_one(page("http"), json!({"kind": "tcp"}));
    // SYN and its ACK, the request; then three packets in the initial window.
    let asked = 2.0 * 0.01032 + 0.01192;
    assert_near(times(&recording, "start")[0], 0.0);
    assert_near(times(&recording, "first_byte")[0], asked + 0.01832);
    assert_near(times(&recording, "end")[0], asked + 0.01832 + 2.0 * 0.00832);
    // SYN, request, three packets; the response needs no SYN of its own.
    assert_eq!(counts(&recording, "flows", "packets_sent"), [5]);
    assert_eq!(counts(&recording, "flows", "packets_delivered"), [3]);
    assert_eq!(counts(&recording, "flows", "bytes_delivered"), [3000]);
}

#[test]
fn in_ns2_the_ack_of_a_request_starts_another_connection() {
    let recording = run_one(page("ns2"), json!({"kind": "tcp", "profile": "ns2"}));
    // SYN, its ACK, the request, its ACK; a SYN of the response and its ACK; two packets of the initial window, and
    // the third when the ACK of the first is back.
    let answered = 5.0 * 0.01032 + 0.01192;
    assert_near(times(&recording, "first_byte")[0], answered + 0.01832);
    assert_near(times(&recording, "end")[0], answered + 2.0 * 0.01832 + 0.01032);
    assert_eq!(counts(&recording, "flows", "packets_sent"), [6]);
}

#[test]
fn a_new_connection_shakes_hands_and_starts_with_the_initial_window() {
    let app = |connection| {
        json!({"kind": "transfer-sequence", "packets": constant(20.0), "transfers_at_most": 2,
               "connection": connection})
    };
    let transport = json!({"kind": "tcp", "delayed_ack": false, "initial_window_packets": 2});
    let durations = |connection| {
        let recording = run_one(app(connection), transport.clone());
        let (starts, ends) = (times(&recording, "start"), times(&recording, "end"));
        let sent = counts(&recording, "flows", "packets_sent")[0];
        ([ends[0] - starts[0], ends[1] - starts[1]], sent)
    };
    let (new, packets_new) = durations("new");
    assert_near(new[0], new[1]);
    let (persistent, packets_persistent) = durations("persistent");
    assert_near(persistent[0], new[0]);
    // The window is open by now: nothing but the transmission of the packets is left.
    assert_near(persistent[1], 20.0 * 0.00832 + 0.01);
    assert_eq!((packets_new, packets_persistent), (42, 41));
}

#[test]
fn the_second_transfer_starts_after_the_last_ack_of_the_first_and_a_time_to_think() {
    let app = json!({"kind": "transfer-sequence", "packets": constant(1.0), "think": constant(0.5),
                     "transfers_at_most": 2});
    let recording = run_one(app, json!({"kind": "tcp", "delayed_ack": false}));
    let end = 2.0 * 0.01032 + 0.01832;
    assert_near(times(&recording, "end")[0], end);
    assert_near(times(&recording, "start")[1], end + 0.01032 + 0.5);
}

#[test]
fn requests_on_one_connection_cross_the_network_each_time() {
    let app = json!({"kind": "transfer-sequence", "packets": constant(1.0), "requests": true, "request_bytes": 200,
                     "connection": "persistent", "transfers_at_most": 3});
    let recording = run_one(app, json!({"kind": "tcp", "delayed_ack": false}));
    let (starts, ends) = (times(&recording, "start"), times(&recording, "end"));
    assert_near(ends[0] - starts[0], 2.0 * 0.01032 + 0.01192 + 0.00032 + 0.01832);
    // The server acknowledges the request first, and the client the response before it asks again.
    assert_near(starts[1], ends[0]);
    assert_near(ends[1] - starts[1], 0.00032 + 0.01192 + 0.00032 + 0.01832);
}

#[test]
fn a_lost_request_is_repeated_after_a_timeout() {
    let mut scenario = one(page("http"), json!({"kind": "tcp"}));
    let whole = run(&scenario, 1).expect("a recording");
    // The second packet from the client is the request.
    let loss = serde_json::from_value(json!({"kind": "listed", "arrivals": [2]})).expect("a loss");
    Arc::make_mut(&mut scenario.links[0].reverse).loss = Some(Arc::new(loss));
    let lossy = run(&scenario, 1).expect("a recording");
    assert_eq!(counts(&lossy, "flows", "timeouts"), [1]);
    // The least RTO is 1 s, from the time at which the request was sent.
    assert_near(times(&lossy, "end")[0] - times(&whole, "end")[0], 1.0);
}

#[test]
fn objects_of_a_page_do_not_wait_for_each_other_if_there_are_connections() {
    let app = |connections: u32| {
        json!({"kind": "web", "pages": constant(1.0), "objects": constant(3.0), "inter_object": constant(0.001),
               "object_packets": constant(1.0), "connections": connections})
    };
    let starts = |connections| times(&run_one(app(connections), json!({"kind": "tcp"})), "start");
    for (found, expected) in starts(3).iter().chain(&starts(1)).zip([0.0, 0.001, 0.002, 0.0, 0.001, 0.002]) {
        assert_near(*found, expected);
    }
    // With a single connection the second object waits for the first, and is still timed from when it was wanted.
    let ends = times(&run_one(app(1), json!({"kind": "tcp"})), "end");
    assert_near(ends[1] - ends[0], ends[2] - ends[1]);
}

#[test]
fn telnet_packets_are_transfers_and_the_last_of_a_session_says_so() {
    let app = json!({"kind": "telnet", "packets": constant(4.0), "interval": constant(0.25), "idle": constant(2.0),
                     "sessions": 2});
    let recording = run_one(app, json!({"kind": "tcp", "delayed_ack": false, "payload_bytes": 1}));
    let (starts, ends) = (times(&recording, "start"), times(&recording, "end"));
    assert_eq!(starts.len(), 8);
    // The first packet waits for the handshake, the others cross an empty link: 41 bytes.
    let crossing = 0.000328 + 0.01;
    assert_near(ends[0], 2.0 * 0.01032 + crossing);
    (1..4).for_each(|i| assert_near(ends[i] - starts[i], crossing));
    assert_near(starts[4], ends[3] + 0.01032 + 2.0);
    let last = table(&recording, "transfers").bool("last").expect("truth values");
    assert_eq!(last, [false, false, false, true, false, false, false, true]);
    assert_eq!(counts(&recording, "transfers", "session"), [0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn nothing_is_asked_for_after_the_stop_and_what_is_under_way_is_completed() {
    let apps = [
        json!({"kind": "transfer-sequence", "packets": constant(20.0)}),
        json!({"kind": "telnet"}),
        json!({"kind": "web", "objects": constant(3.0), "inter_page": constant(0.2)}),
    ];
    for app in apps {
        let mut scenario = one(app, json!({"kind": "tcp"}));
        scenario.flows[0].stop = Some(Time::from_secs(20.0));
        let recording = run(&scenario, 1).expect("a recording");
        let (starts, ends) = (times(&recording, "start"), times(&recording, "end"));
        assert!(starts.len() > 10 && starts.iter().all(|&start| start < 20.0));
        assert!(ends.iter().all(|&end| end.is_finite()));
    }
}

/// Links that reorder, and a timer that is too short for them, make copies that arrive when the next connection is there.
/// None of them may be taken for one of its own: each transfer needs a handshake and then the time that packets take.
#[test]
fn late_packets_do_not_confuse_the_next_connection() {
    let app = json!({"kind": "transfer-sequence", "packets": constant(12.0)});
    let mut scenario =
        one(app, json!({"kind": "tcp", "recovery": "sack", "min_rto": 0.02, "initial_rto": 0.02}));
    scenario.links[0].jitter = serde_json::from_value(json!({"most": 0.2, "reorder": true})).expect("jitter");
    let recording = run(&scenario, 3).expect("a recording");
    assert!(counts(&recording, "flows", "spurious_timeouts")[0] > 20);
    let [starts, firsts, ends] = ["start", "first_byte", "end"].map(|column| times(&recording, column));
    let complete = ends.iter().filter(|end| end.is_finite()).count();
    assert!(complete > 20, "{complete}");
    for (start, first) in starts.iter().zip(&firsts).take(complete) {
        assert!(first - start > 2.0 * 0.01032 + 0.01832 - 1e-9, "{start} {first}");
    }
    let whole: u64 = counts(&recording, "transfers", "packets").iter().take(complete).sum();
    let delivered = counts(&recording, "flows", "packets_delivered")[0];
    assert!((whole..whole + 12).contains(&delivered), "{whole} {delivered}");
}

/// The ACK of the first request is lost, and the timer sends that request again at the very instant at which the response
/// is complete and the next request opens a connection.
#[test]
fn a_connection_waits_until_stamps_tell_it_from_the_one_before() {
    let two = json!({"kind": "web", "pages": constant(1.0), "objects": constant(2.0), "inter_object": constant(0.0),
                     "object_packets": constant(2.0), "connections": 1, "request_bytes": 200});
    let run_with = |timeout: f64| {
        let transport = json!({"kind": "tcp", "delayed_ack": false, "initial_rto": timeout, "min_rto": timeout,
                               "max_rto": timeout});
        let mut scenario = one(two.clone(), transport);
        let loss = json!({"kind": "listed", "arrivals": [2], "of": "acks"});
        scenario.links[0].loss = Some(Arc::new(serde_json::from_value(loss).expect("a loss")));
        run(&scenario, 1).expect("a recording")
    };
    let asked = 2.0 * 0.01032;
    let first = times(&run_with(1.0), "end")[0];
    assert_near(first, asked + 0.01192 + 0.01832 + 0.00832);
    let tied = run_with(first - asked);
    assert_eq!(counts(&tied, "flows", "packets_retransmitted"), [1]);
    // The new SYN waits for the old request and for the ACK of the response; the server's ACK of the new request is not
    // lost, and the response waits for it.
    let expected = first + 0.00192 + 0.00032 + first + 0.00032;
    assert_near(times(&tied, "end")[1], expected);
}

#[test]
fn random_networks_have_many_transfers_and_timeouts() {
    let mut runner = TestRunner::deterministic();
    let (mut busy, mut late) = (0, 0);
    for seed in 0..200 {
        let scenario = hearing().new_tree(&mut runner).expect("a scenario").current();
        let recording = run(&scenario, seed).expect("a valid scenario");
        busy += u32::from(times(&recording, "end").iter().filter(|end| end.is_finite()).count() > 20);
        late +=
            u32::from(counts(&recording, "flows", "spurious_timeouts").iter().any(|&timeouts| timeouts > 0));
    }
    assert!(busy > 60 && late > 50, "{busy} with many transfers, {late} with needless timeouts");
}

#[test]
fn members_are_counted_with_their_flow() {
    let app = json!({"kind": "web", "objects": constant(4.0), "inter_page": constant(0.1)});
    let mut scenario = one(app, json!({"kind": "tcp"}));
    let all = || vec!["*".to_string()];
    scenario.record = Record { rtt: all(), window: all(), deliveries: all(), ..scenario.record };
    let recording = run(&scenario, 2).expect("a recording");
    assert_eq!(recording.flow_names().len(), 1);
    for table in recording.tables().iter().filter(|table| table.names().any(|name| name == "flow")) {
        let flows = table.i32("flow").expect("indices");
        assert!(flows.iter().all(|&flow| flow == 0), "{}", table.name());
    }
    let samples = counts(&recording, "flows", "rtt_samples")[0];
    assert_eq!(reals(&recording, "rtt", "rtt").len() as u64, samples);
}

fn run_folded(scenario: &Scenario, folding: Folding, seed: u64) -> Recording {
    let plan = Plan::new(scenario, folding).expect("a valid scenario");
    Simulation::new(&plan, seed).run(&plan)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn folding_and_seeds(scenario in hearing(), seed in 0u64..1000) {
        let folded = run_folded(&scenario, Folding::On, seed);
        prop_assert_eq!(bits(&folded), bits(&run_folded(&scenario, Folding::Off, seed)));
        prop_assert_eq!(bits(&folded), bits(&run_folded(&scenario, Folding::On, seed)));
    }

    #[test]
    fn packets_are_conserved_and_transfers_are_what_was_delivered(scenario in hearing(), seed in 0u64..1000) {
        let scenario = Scenario { warm_up: Time::ZERO, ..scenario };
        let recording = run(&scenario, seed).expect("a valid scenario");
        let flows = |column| counts(&recording, "flows", column);
        let dropped: u64 = flows("packets_dropped").iter().chain(&flows("acks_dropped")).sum();
        let ports = |column| counts(&recording, "ports", column);
        prop_assert_eq!(dropped, ports("packets_dropped").iter().chain(&ports("packets_lost")).sum::<u64>());
        let of = table(&recording, "transfers").i32("flow").expect("indices");
        let (starts, firsts, ends) =
            (times(&recording, "start"), times(&recording, "first_byte"), times(&recording, "end"));
        let packets = counts(&recording, "transfers", "packets");
        for (flow, asked) in scenario.flows.iter().enumerate() {
            let accounted =
                flows("packets_received")[flow] + flows("packets_dropped")[flow] + flows("packets_in_flight")[flow];
            prop_assert_eq!(flows("packets_sent")[flow], accounted, "flow {}", flow);
            let own: Vec<usize> = (0..of.len()).filter(|&row| of[row] == flow as i32).collect();
            let (mut complete, mut begun) = (0, 0);
            for &row in &own {
                prop_assert!(firsts[row].is_nan() || starts[row] <= firsts[row]);
                prop_assert!(ends[row].is_nan() || firsts[row] <= ends[row]);
                complete += if ends[row].is_nan() { 0 } else { packets[row] };
                begun += if firsts[row].is_nan() { 0 } else { packets[row] };
            }
            let hears = matches!(asked.app, App::TransferSequence(_) | App::Telnet(_) | App::Web(_));
            // ns-2's senders may send what nobody has written yet.
            let ns2 = matches!(&asked.transport, Transport::Tcp(tcp) if tcp.profile == ProfileName::Ns2);
            if hears && !ns2 {
                let delivered = flows("packets_delivered")[flow];
                prop_assert!((complete..=begun).contains(&delivered), "{} {} {}", complete, delivered, begun);
                prop_assert!(delivered <= flows("packets_offered")[flow]);
            }
        }
    }

    #[test]
    fn watching_changes_nothing(scenario in hearing(), seed in 0u64..1000) {
        let counters = |s: &Scenario| bits(&run(s, seed).expect("a valid scenario"))
            .into_iter()
            .filter(|(name, _)| name.starts_with("flows.") || name.starts_with("ports."))
            .collect::<Vec<_>>();
        let silent = Scenario { record: Record::default(), ..scenario.clone() };
        prop_assert_eq!(counters(&scenario), counters(&silent));
    }
}
