//! Published properties of congestion controls, at one bottleneck.
//!
//! The link is 20 Mbit/s with 20 ms each way: packets of 1000 bytes, 100 of which fill it.

mod bbr;
mod copa;
mod dctcp;
mod handed_over;

use crate::common::recorded::reals;
use parshall_sim::scenario::Scenario;
use parshall_sim::{run, Recording};
use serde_json::{json, Value};

const FILL: u32 = 100;
const SECONDS: f64 = 40.0;
/// From here on something is counted.
const SETTLED: f64 = 15.0;
/// Time between two looks at the queue.
const SAMPLE: f64 = 0.0037;

/// A flow and where it differs from the others.
#[derive(Clone)]
struct Sender {
    options: Value,
    start: f64,
    stop: f64,
    /// Delay between its host and the router.
    delay: f64,
}

/// Flows with these options from 0 s on, a second apart, over one link with this queue.
fn record(flows: &[Value], queue: Value) -> Recording {
    record_from(&a_second_apart(flows), queue)
}

fn a_second_apart(flows: &[Value]) -> Vec<Sender> {
    let sender = |(index, options): (usize, &Value)| Sender { start: index as f64, ..sender(options) };
    flows.iter().enumerate().map(sender).collect()
}

/// Draws decide at which of several steady states a flow ends up: the recordings of these.
fn drawn(flows: &[Value], queue: &Value) -> [Recording; 5] {
    [1, 2, 3, 4, 5].map(|seed| record_with_seed(&a_second_apart(flows), queue.clone(), seed))
}

/// A flow that lasts as long as the run.
fn sender(options: &Value) -> Sender {
    Sender { options: options.clone(), start: 0.0, stop: SECONDS, delay: 0.0 }
}

fn record_from(senders: &[Sender], queue: Value) -> Recording {
    record_with_seed(senders, queue, 1)
}

fn record_with_seed(senders: &[Sender], queue: Value, seed: u64) -> Recording {
    let access = |(index, sender): (usize, &Sender)| json!({"between": [format!("a{index}"), "r"], "rate": 1e9, "delay": sender.delay});
    let flow = |(index, sender): (usize, &Sender)| {
        let mut transport = json!({"kind": "tcp", "payload_bytes": 960, "recovery": "sack"});
        for (key, value) in sender.options.as_object().expect("options") {
            transport[key] = value.clone();
        }
        json!({"name": format!("f{index}"), "source": format!("a{index}"), "destination": "b",
               "start": sender.start, "stop": sender.stop, "transport": transport, "app": {"kind": "bulk"}})
    };
    let mut hosts: Vec<String> = (0..senders.len()).map(|index| format!("a{index}")).collect();
    hosts.push("b".into());
    let mut links: Vec<Value> = senders.iter().enumerate().map(access).collect();
    links.push(
        json!({"name": "bottleneck", "between": ["r", "b"], "rate": 20e6, "delay": 0.02, "queue": queue,
                      "reverse": {"rate": 1e9, "queue": {"kind": "droptail"}}}),
    );
    let scenario = json!({
        "duration": SECONDS,
        "warm_up": SETTLED,
        "hosts": hosts,
        "routers": ["r"],
        "links": links,
        "flows": senders.iter().enumerate().map(flow).collect::<Vec<_>>(),
        "record": {"port_series": {"of": ["bottleneck"], "interval": SAMPLE},
                   "flow_series": {"of": ["*"], "interval": 0.25}},
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    run(&scenario, seed).expect("a recording")
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

/// Share of a link with random losses that a flow with this control delivers.
fn lossy(control: &Value, probability: f64) -> f64 {
    let options = json!({"kind": "tcp", "payload_bytes": 960, "recovery": "sack", "control": control});
    let scenario = json!({
        "duration": SECONDS, "hosts": ["a", "b"],
        "links": [{"between": ["a", "b"], "rate": 20e6, "delay": 0.02, "queue": droptail(FILL),
                   "loss": {"kind": "bernoulli", "probability": probability},
                   "reverse": {"queue": {"kind": "droptail"}}}],
        "flows": [{"name": "f", "source": "a", "destination": "b", "transport": options, "app": {"kind": "bulk"}}],
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    reals(&run(&scenario, 1).expect("a recording"), "flows", "packets_delivered")[0] / (SECONDS * 2500.0)
}
