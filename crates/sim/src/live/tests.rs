//! A port treats packets from outside as it treats the same packets in a run.

use super::*;
use crate::scenario::Scenario;

/// A varying stream and a constant one, too much together.
fn scenario(link: &str) -> Scenario {
    let toml = format!(
        r#"
        duration = "4 s"
        warm_up = "1 s"
        hosts = ["a", "b", "c"]
        routers = ["r"]
        links = [
            {{ between = ["a", "r"], rate = "1 Gbit/s", delay = "0 s" }},
            {{ between = ["c", "r"], rate = "1 Gbit/s", delay = "0 s" }},
            {{ between = ["r", "b"], rate = "1 Mbit/s", delay = "10 ms", {link} }},
        ]
        [[flows]]
        name = "varying"
        source = "a"
        destination = "b"
        transport = {{ kind = "udp", payload_bytes = 300 }}
        app = {{ kind = "vbr", rates = ["200 kbit/s", "1.2 Mbit/s"], intervals = ["20 ms", "400 ms"] }}
        [[flows]]
        name = "constant"
        source = "c"
        destination = "b"
        transport = {{ kind = "udp", payload_bytes = 900 }}
        app = {{ kind = "cbr", rate = "500 kbit/s" }}
        [record]
        packets = ["r->b"]
        port_series = {{ of = ["r->b"], interval = "50 ms" }}
        "#
    );
    Scenario::from_toml(&toml).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Hands the packets that arrived in a run to a bottleneck in operation.
fn replayed(scenario: &Scenario, recording: &Recording, seed: u64) -> Recording {
    let mut live = Live::new(scenario.clone(), seed).expect("one bottleneck");
    let table = recording.table("packets").expect("packets");
    let (times, events) = (table.f64("time").expect("times"), table.u8("event").expect("events"));
    let (flows, sizes) = (table.i32("flow").expect("flows"), table.u64("size_bytes").expect("sizes"));
    let (mut handle, mut decided) = (0, Vec::new());
    for (row, _) in events.iter().enumerate().filter(|(_, &event)| event == 0) {
        let (peer, bytes) = (flows[row] as u32, sizes[row] as u16);
        let given = Given { peer, back: false, bytes, ecn_capable: false, handle };
        live.arrive(Time::from_secs(times[row]), &given);
        decided.extend(live.decided());
        handle += 1;
    }
    decided.sort_by_key(|decided: &Decided| decided.handle);
    assert!(decided.windows(2).all(|two| two[0].handle < two[1].handle), "a packet has one fate");
    live.finish(scenario.duration)
}

#[test]
fn a_port_does_with_packets_from_outside_what_it_does_in_a_run() {
    for link in [
        "queue = { kind = \"droptail\", limit_packets = 20 }",
        "queue = { kind = \"droptail\", limit_bytes = 9000 }",
        "queue = { kind = \"red\", min_threshold_packets = 3, max_threshold_packets = 12, limit_packets = 30, weight = 0.01 }",
        "queue = { kind = \"pie\" }",
        "queue = { kind = \"codel\" }",
        "queue = { kind = \"fq-codel\" }",
        "loss = { kind = \"bernoulli\", probability = 0.1 }, queue = { kind = \"codel\" }",
        "loss = { kind = \"gilbert-elliott\", good_to_bad = 0.1, bad_to_good = 0.5 }",
        "jitter = { most = \"5 ms\" }",
        "capacity = { times = [0.003, 0.02, 0.021, 0.03], period = 0.031 }",
        "events = [{ kind = \"rate-change\", at = 2.0, rate = \"2 Mbit/s\" }]",
    ] {
        let scenario = scenario(link);
        let recording = crate::run(&scenario, 7).expect("a run");
        let live = replayed(&scenario, &recording, 7);
        for table in ["ports", "port_series", "packets"] {
            let [there, here] = [&recording, &live].map(|recording| recording.table(table).expect(table));
            let rows = |table: &crate::Table| format!("{table:?}");
            if table == "ports" {
                // The other ports of the run have no part in it.
                for column in ["packets_arrived", "packets_dropped", "packets_lost", "bytes_departed"] {
                    let [there, here] = [there, here].map(|table| table.u64(column).expect(column)[4]);
                    assert_eq!(there, here, "{link}: {column}");
                }
                let [there, here] = [there, here].map(|table| table.f64("mean_delay").expect("delay")[4]);
                assert_eq!(there, here, "{link}: mean_delay");
            } else {
                assert_eq!(rows(there), rows(here), "{link}: {table}");
            }
        }
    }
}

#[test]
fn each_packet_meets_its_fate() {
    for queue in ["droptail", "codel", "fq-codel", "pie"] {
        let scenario = scenario(&format!("queue = {{ kind = \"{queue}\", limit_packets = 3 }}"));
        let mut live = Live::new(scenario, 1).expect("one bottleneck");
        for handle in 0..100 {
            let given =
                Given { peer: handle % 3, back: handle % 7 == 0, bytes: 1000, ecn_capable: true, handle };
            live.arrive(Time::from_secs(f64::from(handle) * 0.005), &given);
        }
        live.advance(Time::from_secs(3.0));
        assert_eq!(live.next_at(), Time::NEVER);
        let mut handles: Vec<u32> = live.decided().map(|decided| decided.handle).collect();
        handles.sort_unstable();
        assert_eq!(handles, (0..100).collect::<Vec<_>>(), "{queue}");
    }
}

#[test]
fn counters_of_a_flow_are_those_of_its_packets() {
    let scenario = scenario("queue = { kind = \"droptail\", limit_packets = 1 }");
    let mut live = Live::new(scenario, 1).expect("one bottleneck");
    let at = Time::from_secs(1.5);
    let given = |handle| Given { peer: 0, back: false, bytes: 1000, ecn_capable: false, handle };
    (0..3).for_each(|handle| live.arrive(at, &given(handle)));
    let fates: Vec<_> = live.decided().map(|decided| decided.arrival.is_some()).collect();
    assert_eq!(fates, [true, false, false]);
    live.delivered(Time::from_secs(1.6), &given(0), 972);
    live.arrive(Time::from_secs(1.7), &given(3));
    // A third peer stands for the last flow, its answers for ACKs.
    live.arrive(Time::from_secs(1.8), &Given { peer: 2, back: true, ..given(4) });
    live.delivered(Time::from_secs(1.9), &Given { peer: 2, back: true, ..given(4) }, 972);
    let recording = live.finish(Time::from_secs(2.0));
    let flows = recording.table("flows").expect("flows");
    let of = |name: &str| flows.u64(name).expect(name).to_vec();
    assert_eq!(of("packets_sent"), [4, 0]);
    assert_eq!(of("packets_dropped"), [2, 0]);
    assert_eq!(of("packets_in_flight"), [1, 0]);
    assert_eq!(of("bytes_delivered"), [972, 0]);
    assert_eq!(of("acks_received"), [0, 1]);
}

#[test]
fn a_relay_makes_no_experiments() {
    let error =
        Live::new(scenario("loss = { kind = \"treatment\", groups = [{}] }"), 1).expect_err("refused");
    assert!(error.to_string().contains("a relay makes no experiments"), "{error}");
}
