//! Networks drawn from the bytes of an input, and spoiled by its rest.

use serde_json::{json, Value};

use crate::Bytes;

/// A small network of hosts on two routers, with any queue, loss, jitter, transport and application.
pub fn network(bytes: &mut Bytes<'_>) -> Value {
    let flows = 1 + bytes.below(4);
    let hosts: Vec<String> = (0..2 * flows).map(|i| format!("h{i}")).collect();
    let mut links = vec![link(bytes, "r0", "r1", "shared")];
    for (i, host) in hosts.iter().enumerate() {
        let router = if i < flows { "r0" } else { "r1" };
        links.push(link(bytes, host, router, &format!("l{i}")));
    }
    let flows: Vec<Value> = (0..flows).map(|i| flow(bytes, i, flows)).collect();
    json!({
        "duration": bytes.one(&[0.5, 2.0, 5.0]),
        "warm_up": bytes.one(&[0.0, 0.1, 0.45]),
        "hosts": hosts, "routers": ["r0", "r1"], "links": links, "flows": flows,
        "record": record(bytes),
    })
}

fn link(bytes: &mut Bytes<'_>, a: &str, b: &str, name: &str) -> Value {
    let mut link = json!({
        "name": name, "between": [a, b],
        "rate": bytes.one(&[1e6, 2e6, 3e5, 1e7]), "delay": bytes.one(&[0.001, 0.0, 0.03, 0.2]),
        "queue": queue(bytes),
    });
    match bytes.below(8) {
        1 => link["loss"] = json!({"kind": "bernoulli", "probability": bytes.one(&[0.01, 0.3, 1.0])}),
        2 => link["jitter"] = json!({"most": 0.01, "reorder": true}),
        3 => link["jitter"] = json!({"most": 0.02}),
        4 => link["capacity"] = json!({"times": [0.0, 0.01, 0.013], "period": 0.02, "bytes": 1500}),
        _ => {}
    }
    link
}

fn queue(bytes: &mut Bytes<'_>) -> Value {
    match bytes.below(7) {
        1 => {
            json!({"kind": "red", "min_threshold_packets": 3, "max_threshold_packets": 9, "limit_packets": 20})
        }
        2 => json!({"kind": "codel", "limit_packets": 30}),
        3 => json!({"kind": "pie", "limit_packets": 30}),
        4 => json!({"kind": "fq-codel", "queues": 8, "limit_packets": 30}),
        5 => json!({"kind": "droptail", "limit_bytes": 5000}),
        _ => json!({"kind": "droptail", "limit_packets": bytes.one(&[10, 1, 50])}),
    }
}

fn flow(bytes: &mut Bytes<'_>, i: usize, flows: usize) -> Value {
    let (source, destination) = (format!("h{i}"), format!("h{}", flows + i));
    let (source, destination) =
        if bytes.below(3) == 1 { (destination, source) } else { (source, destination) };
    let tcp = bytes.below(4) > 0;
    let transport = if tcp { tcp_transport(bytes) } else { json!({"kind": "udp"}) };
    json!({
        "name": format!("f{i}"), "source": source, "destination": destination, "transport": transport,
        "app": app(bytes, tcp), "start": bytes.one(&[0.0, 0.1, 0.3]),
    })
}

fn tcp_transport(bytes: &mut Bytes<'_>) -> Value {
    let controls =
        ["aimd", "cubic", "bbr", "vegas", "copa", "dual", "veno", "arima-vegas", "tcp-tp", "binomial"];
    json!({
        "kind": "tcp",
        "profile": bytes.one(&["rfc", "ns2", "linux"]),
        "recovery": bytes.one(&["sack", "newreno", "reno", "tahoe"]),
        "control": match bytes.one(&controls) {
            "binomial" => json!({"kind": "binomial", "k": 0.5, "l": 0.5}),
            kind => json!({"kind": kind}),
        },
        "delayed_ack": bytes.below(2) == 1,
        "min_rto": bytes.one(&[0.2, 0.01, 1.0]),
    })
}

fn app(bytes: &mut Bytes<'_>, tcp: bool) -> Value {
    match bytes.below(6) {
        1 if tcp => json!({"kind": "transfer", "packets": bytes.one(&[1, 10, 300])}),
        2 => json!({"kind": "cbr", "rate": bytes.one(&[1e5, 2e6])}),
        3 => json!({"kind": "on-off", "law": {"kind": "exponential"}, "rate": 1e6, "on": 0.1, "off": 0.2}),
        4 => json!({"kind": "schedule", "writes": [[0.0, 3], [0.2, 40]]}),
        _ if tcp => json!({"kind": "bulk"}),
        _ => json!({"kind": "cbr", "interval": 0.003}),
    }
}

fn record(bytes: &mut Bytes<'_>) -> Value {
    match bytes.below(6) {
        1 => json!({"packets": ["*"], "deliveries": ["*"]}),
        2 => json!({"window": ["*"], "rtt": ["*"]}),
        3 => json!({"pcap": ["shared"], "pcap_both_directions": true, "pcap_format": "pcapng"}),
        4 => {
            json!({"flow_series": {"of": ["*"], "interval": 0.05}, "port_series": {"of": ["*"], "interval": 0.03}})
        }
        5 => json!({"responsiveness": {"of": ["shared"], "interval": 0.5}, "pcap": ["shared"]}),
        _ => json!({}),
    }
}

/// Puts a value that nobody would write in place of one in a scenario.
pub fn spoiled(bytes: &mut Bytes<'_>, mut scenario: Value) -> Value {
    while !bytes.is_empty() {
        let mut place = &mut scenario;
        for _ in 0..1 + bytes.below(6) {
            let parts = match &*place {
                Value::Object(fields) => fields.len(),
                Value::Array(items) => items.len(),
                _ => 0,
            };
            if parts == 0 {
                break;
            }
            let index = bytes.below(parts);
            place = match place {
                Value::Object(fields) => fields.values_mut().nth(index).expect("an index below the length"),
                Value::Array(items) => &mut items[index],
                _ => unreachable!("only these have parts"),
            };
        }
        *place = odd(bytes);
    }
    scenario
}

fn odd(bytes: &mut Bytes<'_>) -> Value {
    let values = [
        json!(0),
        json!(-1),
        json!(1),
        json!(0.5),
        json!(1e-12),
        json!(1e12),
        json!(1e308),
        json!(4_294_967_295_u32),
        json!(18_446_744_073_709_551_615_u64),
        json!(null),
        json!(true),
        json!(""),
        json!("*"),
        json!("h0"),
        json!("r0"),
        json!("h0->r0"),
        json!([]),
        json!({}),
        json!([[]]),
        json!(["*", "*"]),
        json!("\u{0}"),
        json!(2),
        json!(3e-5),
        json!({"kind": "bulk"}),
        json!({"kind": "udp"}),
        json!({"kind": "tcp"}),
        json!("sack"),
        json!(1000),
    ]; // One line each would hide how plain they are.
    bytes.one(&values)
}
