//! CoDel, PIE and FQ-CoDel step by step against their RFCs, written down once more in `rfc/`: the disciplines alone on
//! random arrivals, and whole runs of the simulator, of which the arrivals at a port are recorded.

use parshall_sim::internal::{AnyDepartureQueue, Pie};
use parshall_sim::random::Stream;
use parshall_sim::scenario::{Queue, Scenario};
use parshall_sim::units::{Rate, Time};
use parshall_sim::{run, Recording};
use proptest::prelude::*;
use serde_json::{json, Value};

use crate::rfc::ours::{through_pie, AtDeparture};
use crate::rfc::{self, through_link, Discipline, Fate, Pkt};

const MS: u64 = 1_000_000_000;
const SECOND: u64 = 1000 * MS;
/// Transmission time of a byte at 8 Mbit/s, in picoseconds.
const PS_PER_BYTE: f64 = 1e6;

/// Bursts and pauses of a few flows, some packets ECN-capable, times often equal to those of departures.
fn arrivals() -> impl Strategy<Value = Vec<Pkt>> {
    let gap = prop_oneof![5 => Just(0), 5 => 0..2 * MS, 2 => Just(MS), 1 => 0..40 * MS];
    let size = prop_oneof![Just(1000u16), Just(40), 40..1500u16];
    let packet = (gap, size, 0..6u64, any::<bool>());
    prop::collection::vec(packet, 1..400).prop_map(|packets| {
        let mut now = 0;
        let numbered = (0..).zip(packets);
        let timed = numbered.map(|(id, (gap, size, flow, ecn))| {
            now += gap;
            Pkt { id, flow, size, ecn, arrived: now }
        });
        timed.collect()
    })
}

/// The settings that CoDel and FQ-CoDel share.
fn codel_fields() -> impl Strategy<Value = Value> {
    let ce_threshold = prop::option::of(prop::sample::select(vec![0.0005, 0.003]));
    let target = prop::sample::select(vec![0.0005, 0.002, 0.005]);
    let interval = prop::sample::select(vec![0.004, 0.01, 0.1]);
    (target, interval, prop::sample::select(vec![100, 1000, 1500]), any::<bool>(), ce_threshold).prop_map(
        |(target, interval, mtu, ecn, ce)| {
            json!({"target": target, "interval": interval, "mtu_bytes": mtu, "ecn": ecn, "ce_threshold": ce})
        },
    )
}

fn merged(mut fields: Value, more: Value) -> Value {
    fields.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
    fields
}

fn codel_queue() -> impl Strategy<Value = Value> {
    let limits = (prop::option::of(1..60u32), prop::option::of(2000..60_000u64));
    (codel_fields(), limits).prop_map(|(fields, (packets, bytes))| {
        merged(fields, json!({"kind": "codel", "limit_packets": packets, "limit_bytes": bytes}))
    })
}

fn fq_codel_queue() -> impl Strategy<Value = Value> {
    let limits = (1..60u32, prop::option::of(2000..60_000u64), 1..8u32);
    (codel_fields(), limits, 1..12u32, prop::sample::select(vec![100, 1514])).prop_map(
        |(fields, (packets, bytes, batch), queues, quantum)| {
            let more = json!({
                "kind": "fq-codel", "limit_packets": packets, "limit_bytes": bytes, "drop_batch": batch,
                "queues": queues, "quantum_bytes": quantum,
            });
            merged(fields, more)
        },
    )
}

fn pie_queue() -> impl Strategy<Value = Value> {
    let gains = prop::sample::select(vec![(0.125, 1.25), (20.0, 200.0), (500.0, 5000.0)]);
    let times = prop::sample::select(vec![(0.015, 0.015, 0.15), (0.003, 0.002, 0.0), (0.001, 0.0007, 0.005)]);
    let limits = (prop::option::of(1..60u32), prop::option::of(2000..60_000u64));
    let delay = prop::sample::select(vec!["timestamps", "departure-rate"]);
    let options = (any::<bool>(), any::<bool>(), any::<bool>(), prop::sample::select(vec![0.1, 0.7]));
    (gains, times, limits, delay, options, prop::sample::select(vec![50, 1000])).prop_map(
        |((alpha, beta), (target, update, burst), (packets, bytes), delay, options, mean)| {
            let (ecn, derandomize, cap_increase, mark_below) = options;
            json!({
                "kind": "pie", "target": target, "update": update, "alpha": alpha, "beta": beta, "max_burst": burst,
                "limit_packets": packets, "limit_bytes": bytes, "mean_packet_bytes": mean, "delay": delay,
                "ecn": ecn, "mark_below": mark_below, "derandomize": derandomize, "cap_increase": cap_increase,
            })
        },
    )
}

fn queue(config: &Value) -> Queue {
    serde_json::from_value(config.clone()).expect("a queue")
}

fn ps(config: &Value, field: &str) -> u64 {
    (config[field].as_f64().expect("a time") * SECOND as f64).round() as u64
}

fn codel_settings(config: &Value) -> rfc::codel::Settings {
    rfc::codel::Settings {
        target: ps(config, "target"),
        interval: ps(config, "interval"),
        mtu: config["mtu_bytes"].as_u64().expect("a size"),
        ecn: config["ecn"].as_bool().expect("a flag"),
        ce_threshold: config["ce_threshold"].as_f64().map(|_| ps(config, "ce_threshold")),
        limit_packets: config["limit_packets"].as_u64().map(|n| n as usize),
        limit_bytes: config["limit_bytes"].as_u64(),
    }
}

/// Builds the simulator's queue by its RFC; `stream` makes its draws.
fn by_rfc(config: &Value, mut stream: Stream) -> Box<dyn Discipline> {
    let whole = |field: &str| config[field].as_u64().unwrap_or_else(|| panic!("a number: {field}"));
    match config["kind"].as_str() {
        Some("codel") => Box::new(rfc::codel::CoDel::new(codel_settings(config))),
        Some("fq-codel") => Box::new(rfc::fq_codel::FqCoDel::new(
            codel_settings(config),
            (whole("queues"), whole("quantum_bytes") as i64),
            (whole("limit_packets") as usize, config["limit_bytes"].as_u64(), whole("drop_batch") as usize),
            stream.bits(),
        )),
        _ => Box::new(rfc::pie::Pie::new(pie_settings(config), stream)),
    }
}

fn pie_settings(config: &Value) -> rfc::pie::Settings {
    let real = |field: &str| config[field].as_f64().expect("a number");
    let flag = |field: &str| config[field].as_bool().expect("a flag");
    rfc::pie::Settings {
        target: real("target"),
        update: ps(config, "update"),
        alpha: real("alpha"),
        beta: real("beta"),
        max_burst: ps(config, "max_burst"),
        limit_packets: config["limit_packets"].as_u64().map(|n| n as usize),
        limit_bytes: config["limit_bytes"].as_u64(),
        mean_packet: config["mean_packet_bytes"].as_u64().expect("a size"),
        by_rate: config["delay"] == "departure-rate",
        ecn: flag("ecn"),
        mark_below: real("mark_below"),
        derandomize: flag("derandomize"),
        cap: flag("cap_increase"),
    }
}

fn sorted<T: Ord>(mut fates: Vec<(u64, T, Fate)>) -> Vec<(u64, T, Fate)> {
    fates.sort_unstable();
    fates
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn queues_that_decide_at_departure_do_as_their_rfcs_say(
        config in prop_oneof![codel_queue(), fq_codel_queue()],
        arrivals in arrivals(),
    ) {
        let stream = || Stream::new(5, "queue");
        let mut theirs = by_rfc(&config, stream());
        let ours = AnyDepartureQueue::new(&queue(&config), Rate::from_bps(1e6), Time::ZERO, stream).expect("decides at departure");
        let expected = through_link(theirs.as_mut(), PS_PER_BYTE, &arrivals, u64::MAX);
        let found = through_link(&mut AtDeparture(ours), PS_PER_BYTE, &arrivals, u64::MAX);
        prop_assert_eq!(found.len(), arrivals.len());
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn pie_does_as_its_rfc_says(config in pie_queue(), arrivals in arrivals()) {
        let stream = || Stream::new(6, "queue");
        let end = arrivals.last().map_or(0, |packet| packet.arrived) + 1;
        let Queue::Pie(settings) = queue(&config) else { unreachable!() };
        let mut theirs = by_rfc(&config, stream());
        let expected = through_link(theirs.as_mut(), PS_PER_BYTE, &arrivals, end);
        let found = through_pie(&mut Pie::new(&settings, stream()), PS_PER_BYTE, &arrivals, end);
        prop_assert_eq!(sorted(found), sorted(expected));
    }
}

/// UDP and TCP flows of some hosts over a bottleneck of 8 Mbit/s with this queue, packets recorded.
fn scenario(config: &Value, flows: &[(Value, Value)]) -> Scenario {
    let mut hosts: Vec<String> = (0..flows.len()).map(|i| format!("s{i}")).collect();
    let mut links = vec![
        json!({"between": ["r0", "r1"], "rate": 8e6, "delay": 0.004, "queue": config, "reverse": {"queue": {"kind": "droptail"}}}),
        json!({"between": ["r1", "d"], "rate": 1e9, "delay": 0.001}),
    ];
    links.extend(hosts.iter().map(|host| json!({"between": [host, "r0"], "rate": 2e7, "delay": 0.001})));
    hosts.push("d".into());
    let flows: Vec<Value> = (0..)
        .zip(flows)
        .map(|(i, (transport, app))| {
            json!({"name": format!("f{i}"), "source": format!("s{i}"), "destination": "d",
                   "transport": transport, "app": app, "start_spread": 0.05})
        })
        .collect();
    serde_json::from_value(json!({
        "duration": 2, "hosts": hosts, "routers": ["r0", "r1"], "links": links,
        "flows": flows, "record": {"packets": ["r0->r1"]},
    }))
    .expect("a scenario")
}

fn traffic() -> impl Strategy<Value = Vec<(Value, Value)>> {
    let udp = || json!({"kind": "udp", "payload_bytes": 700});
    let kind = prop_oneof![
        Just((udp(), json!({"kind": "cbr", "rate": 3e6}))),
        Just((udp(), json!({"kind": "cbr", "rate": 2e5}))),
        Just((
            udp(),
            json!({"kind": "on-off", "law": {"kind": "exponential"}, "rate": 1.5e7, "on": 0.03, "off": 0.1})
        )),
        Just((json!({"kind": "tcp", "recovery": "sack"}), json!({"kind": "bulk"}))),
        Just((json!({"kind": "tcp", "recovery": "newreno"}), json!({"kind": "transfer", "packets": 40}))),
    ];
    prop::collection::vec(kind, 1..6)
}

/// Events of the recorded port: arrivals, numbered, with the flow and number of each; and in order of time
/// the fates of packets.
struct Recorded {
    arrivals: Vec<Pkt>,
    names: Vec<(i32, i64)>,
    fates: Vec<(u64, (i32, i64), Fate)>,
}

fn recorded(recording: &Recording) -> Recorded {
    let packets = recording.table("packets").expect("packets");
    let (times, events) = (packets.f64("time").expect("times"), packets.u8("event").expect("codes"));
    let (flows, sizes) = (packets.i32("flow").expect("indices"), packets.u64("size_bytes").expect("sizes"));
    let seqs = packets.i64("seq").expect("numbers");
    let names: Vec<&str> = recording.flow_names().collect();
    let mut found = Recorded { arrivals: Vec::new(), names: Vec::new(), fates: Vec::new() };
    for row in 0..times.len() {
        let time = (times[row] * SECOND as f64).round() as u64;
        // Retransmissions have the number of their original: which of them left cannot be told, nor need it be.
        let name = (flows[row], seqs[row]);
        if events[row] == 0 {
            let id = found.arrivals.len() as u32;
            let flow = fnv1a(names[flows[row] as usize]);
            found.arrivals.push(Pkt { id, flow, size: sizes[row] as u16, ecn: false, arrived: time });
            found.names.push(name);
        } else {
            found.fates.push((time, name, if events[row] == 1 { Fate::Sent } else { Fate::Dropped }));
        }
    }
    found
}

fn fnv1a(name: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn ports_of_a_run_do_as_the_rfcs_say(
        config in prop_oneof![codel_queue(), fq_codel_queue(), pie_queue()],
        traffic in traffic(),
        seed in 0..1000u64,
    ) {
        let recording = run(&scenario(&config, &traffic), seed).expect("a valid scenario");
        let Recorded { arrivals, names, fates } = recorded(&recording);
        let mut theirs = by_rfc(&config, Stream::new(seed, "link/r0->r1/queue"));
        let expected = through_link(theirs.as_mut(), PS_PER_BYTE, &arrivals, 2 * SECOND);
        let expected: Vec<_> =
            expected.into_iter().map(|(time, id, fate)| (time, names[id as usize], fate)).collect();
        prop_assert_eq!(sorted(fates), sorted(expected));
    }
}

// [RFC 8033 4.2-a] [RFC 8033 4.4-a] [RFC 8033 5.1-a] [RFC 8289 4.2-a] [RFC 8289 4.3-a] [RFC 8289 4.5-a] [RFC 8289 5.3-a]
// [RFC 8290 5.2.1-a]
#[test]
fn what_is_not_set_is_as_the_rfcs_have_it() {
    let seconds = Time::from_secs;
    let Queue::Codel(codel) = queue(&json!({"kind": "codel"})) else { unreachable!() };
    assert_eq!((codel.target, codel.interval, codel.mtu_bytes), (seconds(0.005), seconds(0.1), 1500));
    let Queue::FqCodel(fq) = queue(&json!({"kind": "fq-codel"})) else { unreachable!() };
    assert_eq!((fq.target, fq.interval, fq.mtu_bytes), (seconds(0.005), seconds(0.1), 1500));
    let Queue::Pie(pie) = queue(&json!({"kind": "pie"})) else { unreachable!() };
    assert_eq!((pie.target, pie.max_burst, pie.mark_below), (seconds(0.015), seconds(0.15), 0.1));
}
