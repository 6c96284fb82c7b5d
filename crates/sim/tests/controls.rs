//! What congestion controls are said to do by those who made them, at one bottleneck.
//!
//! The link is 20 Mbit/s with 20 ms each way: packets of 1000 bytes, 100 of which fill it.

use parshall_sim::record::{Column, Recording};
use parshall_sim::run;
use parshall_sim::scenario::Scenario;
use serde_json::{json, Value};

const FILL: u32 = 100;
const SECONDS: f64 = 40.0;
/// From here on something is counted.
const SETTLED: f64 = 15.0;

/// Flows with these options from 0 s on, a second apart, over one link with this queue.
fn record(flows: &[Value], queue: Value) -> Recording {
    let flow = |(index, options): (usize, &Value)| {
        let mut transport = json!({"kind": "tcp", "payload_bytes": 960, "recovery": "sack"});
        for (key, value) in options.as_object().expect("options") {
            transport[key] = value.clone();
        }
        let name = format!("f{index}");
        json!({"name": name, "source": "a", "destination": "b", "start": index, "transport": transport,
               "app": {"kind": "bulk"}})
    };
    let scenario = json!({
        "duration": SECONDS,
        "warm_up": SETTLED,
        "hosts": ["a", "b"],
        "routers": ["r"],
        "links": [
            {"between": ["a", "r"], "rate": 1e9, "delay": 0.0},
            {"name": "bottleneck", "between": ["r", "b"], "rate": 20e6, "delay": 0.02, "queue": queue,
             "reverse": {"rate": 1e9, "queue": {"kind": "droptail"}}},
        ],
        "flows": flows.iter().enumerate().map(flow).collect::<Vec<_>>(),
        "record": {"port_series": {"of": ["bottleneck"], "interval": 0.0037}},
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    run(&scenario, 1).expect("a recording")
}

fn droptail(packets: u32) -> Value {
    json!({"kind": "droptail", "limit_packets": packets})
}

/// RED as DCTCP wants it (RFC 8257, section 3.1): whatever finds more than `threshold` packets is marked.
fn marks_above(threshold: f64) -> Value {
    json!({"kind": "red", "min_threshold_packets": threshold, "max_threshold_packets": threshold,
           "max_probability": 1.0, "weight": {"kind": "fixed", "value": 1.0}, "limit_packets": 1000,
           "wait": false, "ecn": true})
}

fn reals(recording: &Recording, table: &str, name: &str) -> Vec<f64> {
    let table = recording.tables.iter().find(|t| t.name == table).expect("a table");
    match &table.columns.iter().find(|(n, _)| *n == name).expect("a column").1 {
        Column::F64(values) => values.clone(),
        Column::U64(values) => values.iter().map(|&v| v as f64).collect(),
        Column::I64(values) => values.iter().map(|&v| v as f64).collect(),
        other => panic!("{other:?}"),
    }
}

/// Shares of the link that flows have had.
fn shares(recording: &Recording) -> Vec<f64> {
    let whole = (SECONDS - SETTLED) * 2500.0;
    reals(recording, "flows", "packets_delivered").iter().map(|packets| packets / whole).collect()
}

/// Packets at the bottleneck, over time.
fn backlog(recording: &Recording) -> Vec<f64> {
    let times = reals(recording, "port_series", "time");
    let backlog = reals(recording, "port_series", "backlog_packets");
    times.iter().zip(backlog).filter(|(&time, _)| time >= SETTLED).map(|(_, backlog)| backlog).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn bbr() -> Value {
    json!({"control": {"kind": "bbr"}})
}

fn dctcp() -> Value {
    json!({"control": {"kind": "dctcp"}, "ecn": true})
}

/// Cardwell et al. 2016: full throughput at the least delay, whatever the buffer.
#[test]
fn bbr_fills_the_link_without_filling_the_buffer() {
    for buffer in [FILL / 2, FILL, 4 * FILL] {
        let recording = record(&[bbr()], droptail(buffer));
        let (share, queue) = (shares(&recording)[0], mean(&backlog(&recording)));
        assert!(share > 0.95, "buffer {buffer}: {share}");
        assert!(queue < 0.15 * f64::from(FILL), "buffer {buffer}: {queue}");
        assert_eq!(reals(&recording, "flows", "packets_dropped"), [0.0], "buffer {buffer}");
    }
}

/// Section 4.3.5 of the draft: every ten seconds next to nothing is in flight for 200 ms.
#[test]
fn bbr_empties_the_path_every_ten_seconds() {
    let recording = record(&[bbr()], droptail(4 * FILL));
    let times = reals(&recording, "port_series", "time");
    let departed = reals(&recording, "port_series", "packets_departed");
    let rate = |at: f64| {
        let place = |t: f64| times.iter().position(|&time| time >= t).expect("within the run");
        (departed[place(at + 0.1)] - departed[place(at)]) / 0.1
    };
    let instants = (0..240).map(|step| SETTLED + 0.5 + f64::from(step) / 10.0);
    let slow: Vec<f64> = instants.filter(|&t| rate(t) < 500.0).collect();
    let begins = |&t: &f64| !slow.iter().any(|s| *s < t && t - s < 1.0);
    let begun: Vec<f64> = slow.iter().copied().filter(begins).collect();
    assert_eq!(begun.len(), 2, "{slow:?}");
    assert!((begun[1] - begun[0] - 10.2).abs() < 0.3, "{slow:?}");
}

/// Cardwell et al. 2016: flows of BBR converge to fair shares of a deep buffer's link.
#[test]
fn two_flows_of_bbr_share_a_deep_buffer() {
    let recording = record(&[bbr(), bbr()], droptail(4 * FILL));
    let shares = shares(&recording);
    assert!(shares.iter().sum::<f64>() > 0.95, "{shares:?}");
    assert!(shares.iter().all(|share| (0.3..0.7).contains(share)), "{shares:?}");
}

/// Losses that are no congestion do not slow BBR, up to 15 % or so; they stop CUBIC.
#[test]
fn bbr_does_not_take_a_loss_for_congestion() {
    let delivered = |control: &str| {
        let options =
            json!({"kind": "tcp", "payload_bytes": 960, "recovery": "sack", "control": {"kind": control}});
        let scenario = json!({
            "duration": SECONDS, "hosts": ["a", "b"],
            "links": [{"between": ["a", "b"], "rate": 20e6, "delay": 0.02, "queue": droptail(FILL),
                       "loss": {"kind": "bernoulli", "probability": 0.02},
                       "reverse": {"queue": {"kind": "droptail"}}}],
            "flows": [{"name": "f", "source": "a", "destination": "b", "transport": options, "app": {"kind": "bulk"}}],
        });
        let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
        reals(&run(&scenario, 1).expect("a recording"), "flows", "packets_delivered")[0] / (SECONDS * 2500.0)
    };
    let (bbr, cubic) = (delivered("bbr"), delivered("cubic"));
    assert!(bbr > 0.85, "{bbr}");
    assert!(cubic < 0.3, "{cubic}");
}

/// Alizadeh et al. 2010: full throughput with a threshold of a seventh of the path's product, and a queue that
/// stays near the threshold.
#[test]
fn dctcp_fills_the_link_with_a_queue_at_the_threshold() {
    let threshold = 20.0;
    for count in [1, 2, 8] {
        let recording = record(&vec![dctcp(); count], marks_above(threshold));
        let total: f64 = shares(&recording).iter().sum();
        let queue = backlog(&recording);
        assert!(total > 0.97, "{count}: {total}");
        assert!((0.3 * threshold..1.6 * threshold).contains(&mean(&queue)), "{count}: {}", mean(&queue));
        assert!(queue.iter().all(|&packets| packets < 4.0 * threshold), "{count}");
        assert_eq!(reals(&recording, "flows", "packets_dropped").iter().sum::<f64>(), 0.0);
    }
}

/// The same network with RFC 3168's answer to a mark, a halving: the link is not full.
#[test]
fn halving_at_that_threshold_wastes_the_link() {
    let reno = json!({"ecn": true});
    let (halved, dctcp) = (record(&[reno], marks_above(5.0)), record(&[dctcp()], marks_above(5.0)));
    assert!(shares(&halved)[0] < 0.9, "{:?}", shares(&halved));
    assert!(shares(&dctcp)[0] > shares(&halved)[0] + 0.05, "{:?}", shares(&dctcp));
}

#[test]
fn flows_of_dctcp_share_fairly() {
    let shares = shares(&record(&vec![dctcp(); 4], marks_above(20.0)));
    assert!(shares.iter().all(|share| (0.2..0.3).contains(share)), "{shares:?}");
}

/// DCTCP has nothing to go by without marks.
#[test]
fn dctcp_without_ecn_is_refused() {
    let mut scenario = json!({
        "duration": 1.0, "hosts": ["a", "b"], "links": [{"between": ["a", "b"], "rate": 1e6, "delay": 0.0}],
        "flows": [{"name": "f", "source": "a", "destination": "b", "app": {"kind": "bulk"},
                   "transport": {"kind": "tcp", "control": {"kind": "dctcp"}}}],
    });
    let mut refused = |gain: f64, ecn: bool| {
        let transport = &mut scenario["flows"][0]["transport"];
        (transport["control"]["gain"], transport["ecn"]) = (json!(gain), json!(ecn));
        let scenario: Scenario = serde_json::from_value(scenario.clone()).expect("a scenario");
        run(&scenario, 1).err().map(|error| error.to_string())
    };
    assert_eq!(refused(0.0625, true), None);
    assert!(
        refused(0.0625, false).expect("no marks").contains("flows[0].transport.ecn"),
        "{:?}",
        refused(0.1, false)
    );
    assert!(refused(1.5, true).expect("too much").contains("control.gain"), "{:?}", refused(1.5, true));
}
