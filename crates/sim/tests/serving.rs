//! A port whose queue decides at departure, or asks a discipline, and never drops, is a drop-tail port without a limit:
//! these are different code, and every counter, series, packet event and capture must be the same.

use std::collections::HashMap;
use std::sync::Arc;

use parshall_sim::scenario::{Link, Loss, Queue, Record, Scenario, Series};
use parshall_sim::units::Time;
use parshall_sim::{run, Recording};
use proptest::prelude::*;
use serde_json::json;

use crate::common::recorded::{bits, counts, reals, table};
use crate::common::scenario;

fn queue(config: serde_json::Value) -> Queue {
    serde_json::from_value(config).expect("a queue")
}

/// Returns the network with these queues, and all that the ports' consumers can record.
fn with_queues(scenario: &Scenario, queue: &Queue) -> Scenario {
    let link = |link: &Link| {
        let mut link = Link { queue: queue.clone().into(), ..link.clone() };
        for loss in [&mut link.loss, &mut Arc::make_mut(&mut link.reverse).loss] {
            // Observers hear of its marks when a packet's fate is decided, which here is later.
            if matches!(loss.as_deref(), Some(Loss::Dither(_))) {
                *loss = None;
            }
        }
        link
    };
    let everything = vec!["*".to_string()];
    let record = Record {
        port_series: Some(Series { of: everything.clone(), interval: Time::from_secs(0.013) }),
        packets: everything.clone(),
        deliveries: everything.clone(),
        pcap: everything,
        nonresponsive: scenario.record.nonresponsive.clone(),
        ..Record::default()
    };
    // A recorded instant at which counting starts or the run ends is before it where departures are known beforehand, and
    // after it where a packet leaves in an event.
    let off = |time: Time| if time > Time::ZERO { time + Time::from_ps(7) } else { time };
    let (duration, warm_up) = (off(scenario.duration), off(scenario.warm_up));
    Scenario {
        links: scenario.links.iter().map(link).collect(),
        record,
        duration,
        warm_up,
        ..scenario.clone()
    }
}

/// All that is recorded, packet events of one instant in one order.
fn comparable(recording: &Recording) -> Vec<(String, Vec<u64>)> {
    let others = |name: &str| !name.starts_with("packets.");
    let mut all: Vec<_> = bits(recording).into_iter().filter(|(name, _)| others(name)).collect();
    all.push(("packets".into(), packet_rows(recording)));
    all
}

fn packet_rows(recording: &Recording) -> Vec<u64> {
    let columns: Vec<_> =
        bits(recording).into_iter().filter(|(name, _)| name.starts_with("packets.")).collect();
    let rows = columns.first().map_or(0, |(_, values)| values.len());
    let mut rows: Vec<Vec<u64>> =
        (0..rows).map(|row| columns.iter().map(|(_, c)| c[row]).collect()).collect();
    rows.sort_unstable();
    rows.concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_queue_that_never_drops_is_drop_tail(base in scenario(), seed in 0u64..1000) {
        let droptail = with_queues(&base, &queue(json!({"kind": "droptail"})));
        let expected = comparable(&run(&droptail, seed).expect("a valid scenario"));
        let patient = json!({"kind": "codel", "target": 1e6});
        // Of one queue, first in, first out is left.
        let single = json!({"kind": "fq-codel", "target": 1e6, "queues": 1, "limit_packets": 4_000_000_000u32});
        let red = json!({"kind": "red", "min_threshold_packets": 1e8, "max_threshold_packets": 2e8, "limit_packets": 400_000_000});
        let pie = json!({"kind": "pie", "target": 1e6});
        for config in [patient, single, red, pie] {
            let kind = config["kind"].to_string();
            let served = with_queues(&base, &queue(config));
            let found = comparable(&run(&served, seed).expect("a valid scenario"));
            let differing: Vec<&String> =
                found.iter().zip(&expected).filter(|(a, b)| a != b).map(|((name, _), _)| name).collect();
            prop_assert!(differing.is_empty() && found.len() == expected.len(), "{}: {:?}", kind, differing);
        }
    }
}

fn overloaded(queue: serde_json::Value, more: serde_json::Value) -> Recording {
    let mut link = json!({"between": ["r", "b"], "rate": 1e6, "delay": 0.01, "queue": queue});
    link.as_object_mut().expect("a link").extend(more.as_object().expect("fields").clone());
    let scenario: Scenario = serde_json::from_value(json!({
        "duration": 20, "hosts": ["a", "b"], "routers": ["r"],
        "links": [{"between": ["a", "r"], "rate": 1e7, "delay": 0.01}, link],
        "flows": [{"name": "u", "source": "a", "destination": "b",
                   "transport": {"kind": "udp", "payload_bytes": 500, "header_bytes": 0}, "app": {"kind": "cbr", "rate": 1.2e6}}],
        "record": {"packets": ["r->b"], "pcap": ["r->b"],
                   "responsiveness": {"of": ["r->b"], "interval": 1}},
    }))
    .expect("a scenario");
    run(&scenario, 1).expect("a valid scenario")
}

#[test]
fn a_drop_counts_in_the_interval_in_which_its_packet_came() {
    let recording = overloaded(json!({"kind": "codel"}), json!({}));
    let packets = table(&recording, "packets");
    let (events, times) = (packets.u8("event").expect("codes"), packets.f64("time").expect("times"));
    let numbers = packets.i64("seq").expect("numbers");
    let rows = |event: u8| (0..times.len()).filter(move |&row| events[row] == event);
    let came: HashMap<i64, f64> = rows(0).map(|row| (numbers[row], times[row])).collect();
    let dropped: Vec<f64> = rows(2).map(|row| came[&numbers[row]]).collect();
    let sent = events.iter().filter(|&&event| event == 1).count();
    let shares = table(&recording, "responsiveness");
    let (signals, ends) = (shares.u64("signals").expect("counts"), shares.f64("time").expect("times"));
    assert!(dropped.len() > 100);
    for (signals, end) in signals.iter().zip(ends) {
        let within = dropped.iter().filter(|&&time| (end - 1.0..*end).contains(&time)).count();
        assert_eq!(*signals as usize, within, "up to {end} s");
    }
    // 24 bytes of the file, then 16 for each packet with its headers of 28 and its payload.
    assert_eq!(recording.captures().next().expect("a capture").1.len(), 24 + sent * (16 + 28 + 500));
}

/// Every discipline, patient enough to drop nothing.
fn patient() -> Vec<serde_json::Value> {
    let most = 400_000_000;
    let precedence = json!({"dscp": [0], "min_threshold_packets": most});
    let classes = json!({"kind": "diffserv", "queues": [
        {"precedences": [precedence], "limit_packets": most, "dropper": "drop-tail"},
    ]});
    vec![
        json!({"kind": "droptail"}),
        json!({"kind": "droptail", "limit_packets": most, "limit_bytes": 4_000_000_000_000u64}),
        json!({"kind": "red", "min_threshold_packets": 1e8, "max_threshold_packets": 2e8, "limit_packets": most}),
        json!({"kind": "pie", "target": 1e6}),
        json!({"kind": "codel", "target": 1e6}),
        json!({"kind": "fq-codel", "target": 1e6, "limit_packets": most}),
        classes,
    ]
}

#[test]
fn the_mean_delay_has_one_meaning_in_all_disciplines() {
    // 300 packets a second come and 250 leave: the k-th waits k / 250 - k / 300 s, and 6000 come, of which 1000 leave after
    // the end. The first comes 10.4 ms after it was sent.
    let expected = (0..6000).map(|k| f64::from(k + 1) / 250.0 - f64::from(k) / 300.0).sum::<f64>() / 6000.0;
    for queue in patient() {
        let recording = overloaded(queue.clone(), json!({}));
        let mean_delay = |recording: &Recording| reals(recording, "ports", "mean_delay")[2];
        let delay = mean_delay(&recording);
        assert!((delay / expected - 1.0).abs() < 2e-3, "{queue}: {delay} of {expected}");
        // With a recorded capacity of the same rate, too.
        let capacity = json!({"capacity": {"times": [0.004], "period": 0.004, "bytes": 500}});
        let recorded = mean_delay(&overloaded(queue.clone(), capacity));
        assert!((recorded / expected - 1.0).abs() < 2e-3, "{queue}: {recorded} of {expected}");
    }
}

/// Opportunities that fall together add up, however many there are, in front of every discipline.
#[test]
fn an_instant_of_a_recorded_capacity_serves_all_that_it_may() {
    for queue in patient() {
        for together in [1, 2, 3, 8, 100] {
            // 200 packets of 500 bytes a second.
            let times = vec![0.003; together];
            let period = together as f64 / 200.0;
            let capacity = json!({"capacity": {"times": times, "period": period, "bytes": 500}});
            let recording = overloaded(queue.clone(), capacity);
            let departed = counts(&recording, "ports", "packets_departed");
            // In 20 s, but for the first instants, before which nothing has come yet.
            let missing = 4000 - departed[2];
            assert!(missing <= 7 + 2 * together as u64, "{queue}, {together}: {missing} missing");
        }
    }
}

#[test]
fn losses_jitter_and_recorded_capacities_work_at_such_ports_too() {
    // 1500 bytes each 12 ms are 1 Mbit/s.
    let capacity = json!({"times": [0.006], "period": 0.012});
    let more = json!({"capacity": capacity, "jitter": {"most": 0.004},
                      "loss": {"kind": "bernoulli", "probability": 0.1}});
    for queue in [json!({"kind": "codel"}), json!({"kind": "fq-codel"})] {
        let recording = overloaded(queue, more.clone());
        let count = |name: &str| counts(&recording, "ports", name)[2];
        let arrived = count("packets_arrived");
        assert_eq!(
            count("packets_departed")
                + count("packets_queued")
                + count("packets_dropped")
                + count("packets_lost"),
            arrived
        );
        // A tenth of 6000 is lost, with a deviation of 23; the rest is 1.08 Mbit/s, of which 1 goes through.
        assert!((510..690).contains(&count("packets_lost")), "{}", count("packets_lost"));
        assert!((4900..=5000).contains(&count("packets_departed")), "{}", count("packets_departed"));
        assert!(count("packets_dropped") > 100);
    }
}

/// Dither at a queue that signals nothing: marks or, where those are no use, losses.
#[test]
fn a_dither_works_at_ports_that_decide_at_departure() {
    for (kind, ecn, count) in [("codel", true, "packets_marked"), ("codel", false, "packets_lost")] {
        let scenario: Scenario = serde_json::from_value(json!({
            "duration": 100, "hosts": ["a", "b"], "routers": ["r"],
            "links": [
                {"between": ["a", "r"], "rate": 1e7, "delay": 0.01},
                {"between": ["r", "b"], "rate": 1e7, "delay": 0.01, "queue": {"kind": kind, "target": 1e3},
                 "loss": {"kind": "dither", "floor": 0.01, "of": "data"}},
            ],
            "flows": [{"name": "f", "source": "a", "destination": "b", "app": {"kind": "bulk"},
                       "transport": {"kind": "tcp", "ecn": ecn}}],
        }))
        .expect("a scenario");
        let recording = run(&scenario, 1).expect("a valid scenario");
        let at = |name: &str| counts(&recording, "ports", name)[2] as f64;
        let (found, expected) = (at(count), 0.01 * at("packets_arrived"));
        assert!((found - expected).abs() < 4.0 * expected.sqrt(), "{count}: {found} of {expected}");
        assert!(found > 50.0, "{count}: {found}");
        assert_eq!(at("packets_marked") + at("packets_lost") + at("packets_dropped"), found);
    }
}
