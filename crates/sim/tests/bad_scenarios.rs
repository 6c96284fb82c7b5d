//! Every scenario that cannot be run is refused with the field, its value and what was expected.

use parshall_sim::internal::{Folding, Plan};
use parshall_sim::scenario::Scenario;
use serde_json::{json, Value};

fn good() -> Value {
    json!({
        "duration": 1.0,
        "hosts": ["a", "b"],
        "routers": ["r"],
        "links": [
            {"between": ["a", "r"], "rate": 1e6, "delay": 0.01, "name": "access"},
            {"between": ["r", "b"], "rate": 1e6, "delay": 0.01},
        ],
        "flows": [{
            "name": "f", "source": "a", "destination": "b",
            "transport": {"kind": "tcp"}, "app": {"kind": "bulk"},
        }],
    })
}

/// The path, value and expectation of the error after `pointer` (a JSON pointer) was set to `value`.
fn refusal(pointer: &str, value: Value) -> (String, String, String) {
    let mut scenario = good();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = scenario.pointer_mut(parent).expect("a parent");
    match parent {
        Value::Object(map) => drop(map.insert(key.into(), value)),
        Value::Array(list) if key == "-" => list.push(value),
        Value::Array(list) => list[key.parse::<usize>().expect("an index")] = value,
        other => panic!("{other} has no fields"),
    }
    let scenario: Scenario = serde_json::from_value(scenario).expect("a well-formed scenario");
    let error = Plan::new(&scenario, Folding::On).expect_err("a refusal");
    (error.path, error.value, error.expected)
}

#[track_caller]
fn refuses(pointer: &str, value: Value, path: &str, shown: &str, expected: &str) {
    let refusal = refusal(pointer, value);
    assert_eq!(refusal, (path.into(), shown.into(), expected.into()));
}

#[test]
fn the_good_one_is_accepted() {
    let scenario: Scenario = serde_json::from_value(good()).expect("a well-formed scenario");
    Plan::new(&scenario, Folding::On).expect("a plan");
}

#[test]
fn times() {
    refuses("/duration", json!(0), "duration", "0 s", "a time above 0");
    refuses("/warm_up", json!(2), "warm_up", "2 s", "less than the duration, 1 s");
    refuses("/flows/0/stop", json!(0), "flows[0].stop", "0 s", "later than the start, 0 s");
}

#[test]
fn names() {
    refuses("/hosts/1", json!("a"), "hosts[1]", "\"a\"", "a name that no other node has");
    refuses("/routers/0", json!("a"), "routers[0]", "\"a\"", "a name that no other node has");
    let allowed = "a name of letters, digits and _ - . / : (without ->)";
    refuses("/hosts/-", json!("x y"), "hosts[2]", "\"x y\"", allowed);
    refuses("/hosts/-", json!("x->y"), "hosts[2]", "\"x->y\"", allowed);
    refuses("/hosts/-", json!(""), "hosts[2]", "\"\"", allowed);
    let copy = good()["flows"][0].clone();
    refuses("/flows/-", copy, "flows[1].name", "\"f\"", "a name that no other flow has");
    refuses("/flows", json!([]), "flows", "none", "at least one flow");
}

#[test]
fn links() {
    let exists = "a link that does not exist yet";
    let again = json!({"between": ["r", "a"], "rate": 1e6, "delay": 0});
    refuses("/links/-", again, "links[2].between", "\"r->a\"", exists);
    refuses("/links/1/name", json!("access"), "links[1].name", "\"access\"", exists);
    refuses("/links/1/between/1", json!("r"), "links[1].between", "\"r\"", "two different nodes");
    let unknown = "the name of a host or router";
    refuses("/links/1/between/1", json!("x"), "links[1].between[1]", "\"x\"", unknown);
    for rate in [0.0, -1.0] {
        let shown = format!("{rate} bit/s");
        refuses("/links/0/rate", json!(rate), "links[0].rate", &shown, "a rate above 0");
        refuses("/links/0/reverse", json!({"rate": rate}), "links[0].reverse.rate", &shown, "a rate above 0");
    }
}

#[test]
fn queues_and_losses() {
    let queue = json!({"kind": "droptail", "limit_packets": 0});
    refuses("/links/0/queue", queue, "links[0].queue.limit_packets", "0", "at least 1 packet");
    let queue = json!({"kind": "droptail", "limit_bytes": 0});
    refuses("/links/0/queue", queue, "links[0].queue.limit_bytes", "0", "at least 1 byte");
    let faults = [
        ("codel", "target", json!(0), "0 s", "a time above 0"),
        ("codel", "interval", json!(0), "0 s", "a time above 0"),
        ("codel", "limit_packets", json!(0), "0", "at least 1 packet"),
        ("codel", "mtu_bytes", json!(0), "0", "at least 1 byte"),
        ("pie", "update", json!(0), "0 s", "a time above 0"),
        ("pie", "alpha", json!(-1), "-1", "a number above 0"),
        ("pie", "beta", json!(0), "0", "a number above 0"),
        ("pie", "mark_below", json!(2), "2", "a probability from 0 to 1"),
        ("pie", "mean_packet_bytes", json!(0), "0", "at least 1 byte"),
        ("pie", "limit_bytes", json!(0), "0", "at least 1 byte"),
        ("fq-codel", "queues", json!(0), "0", "at least 1 queue"),
        ("fq-codel", "queues", json!(65537), "65537", "at most 65536 queues"),
        ("fq-codel", "quantum_bytes", json!(0), "0", "at least 1 byte"),
        ("fq-codel", "limit_packets", json!(0), "0", "at least 1 packet"),
        ("fq-codel", "drop_batch", json!(0), "0", "at least 1 packet"),
    ];
    for (kind, field, value, shown, expected) in faults {
        let queue = json!({"kind": kind, field: value});
        refuses("/links/0/queue", queue, &format!("links[0].queue.{field}"), shown, expected);
    }
    let red = |field: &str, value: Value| {
        json!({"kind": "red", "min_threshold_packets": 1, "max_threshold_packets": 2, "limit_packets": 3,
               "tune_by": "responsiveness", field: value})
    };
    for field in ["tune_above", "tune_band"] {
        let path = format!("links[0].queue.{field}");
        refuses("/links/0/queue", red(field, json!(1.5)), &path, "1.5", "a probability from 0 to 1");
    }
    let interval = red("tune_interval", json!(0));
    refuses("/links/0/queue", interval, "links[0].queue.tune_interval", "0 s", "a time above 0");
    let loss = json!({"kind": "bernoulli", "probability": 1.5});
    refuses("/links/0/loss", loss, "links[0].loss.probability", "1.5", "a probability from 0 to 1");
    let loss = json!({"kind": "dither", "floor": -0.1});
    refuses("/links/0/loss", loss, "links[0].loss.floor", "-0.1", "a probability from 0 to 1");
    let loss = json!({"kind": "listed", "arrivals": [3, 0]});
    refuses("/links/0/loss", loss, "links[0].loss.arrivals[1]", "0", "an arrival number, 1 or more");
}

#[test]
fn reverse_directions() {
    let at = |field: &str, value: Value, path: &str, shown: &str, expected: &str| {
        let path = format!("links[1].reverse.{path}");
        refuses("/links/1/reverse", json!({field: value}), &path, shown, expected);
    };
    let queue = json!({"kind": "codel", "target": 0});
    at("queue", queue, "queue.target", "0 s", "a time above 0");
    let loss = json!({"kind": "listed", "arrivals": [0]});
    at("loss", loss, "loss.arrivals[0]", "0", "an arrival number, 1 or more");
    at("jitter", json!({"most": 0}), "jitter.most", "0 s", "a time above 0");
    let capacity = json!({"times": [0.2, 0.1], "period": 1});
    at("capacity", capacity, "capacity.times[1]", "0.1 s", "times in ascending order");
}

#[test]
fn forward_directions() {
    let at = |field: &str, value: Value, path: &str, shown: &str, expected: &str| {
        refuses(&format!("/links/1/{field}"), value, &format!("links[1].{path}"), shown, expected);
    };
    at("between", json!(["x", "b"]), "between[0]", "\"x\"", "the name of a host or router");
    at("jitter", json!({"most": 0}), "jitter.most", "0 s", "a time above 0");
    at("capacity", json!({"times": [], "period": 1}), "capacity.times", "none", "at least one time");
    let period = "at least the last of the times, 0.1 s, and above 0";
    at("capacity", json!({"times": [0.1], "period": 0}), "capacity.period", "0 s", period);
    let bytes = json!({"times": [0.1], "period": 1, "bytes": 0});
    at("capacity", bytes, "capacity.bytes", "0", "at least 1 byte");
    let allowed = "a name of letters, digits and _ - . / : (without ->)";
    at("name", json!("x y"), "name", "\"x y\"", allowed);
}

#[test]
fn what_flows_share_is_checked_where_it_stands_first() {
    let flow = |name: &str, min_rto: f64| {
        json!({"name": name, "source": "a", "destination": "b", "app": {"kind": "bulk"},
               "transport": {"kind": "tcp", "min_rto": min_rto}})
    };
    let flows = json!([flow("f", 0.2), flow("g", 0.2), flow("h", 0.0), flow("i", 0.0)]);
    refuses("/flows", flows, "flows[2].transport.min_rto", "0 s", "a time above 0");
}

#[test]
fn routes() {
    refuses("/flows/0/source", json!("r"), "flows[0].source", "\"r\"", "the name of a host");
    refuses("/flows/0/destination", json!("x"), "flows[0].destination", "\"x\"", "the name of a host");
    let other = "another host than the source";
    refuses("/flows/0/destination", json!("a"), "flows[0].destination", "\"a\"", other);
    let island = json!(["a", "b", "c"]);
    let mut scenario = good();
    scenario["hosts"] = island;
    scenario["flows"][0]["destination"] = json!("c");
    let scenario: Scenario = serde_json::from_value(scenario).expect("a well-formed scenario");
    let error = Plan::new(&scenario, Folding::On).expect_err("a refusal");
    let reach = "flows[0].destination: got \"c\", expected a host that \"a\" can reach over routers";
    assert_eq!(error.to_string(), reach);
}

#[test]
fn transports() {
    let at = |field: &str| format!("/flows/0/transport/{field}");
    let path = |field: &str| format!("flows[0].transport.{field}");
    for (field, value, shown, expected) in [
        ("payload_bytes", json!(0), "0", "at least 1 byte"),
        ("payload_bytes", json!(65_500), "65500", "at most 65535 bytes with the header"),
        ("ack_bytes", json!(0), "0", "1 to 65535 bytes"),
        ("initial_window_packets", json!(0.5), "0.5", "at least 1 packet"),
        ("max_window_packets", json!(0), "0", "at least 1 packet"),
        ("initial_ssthresh_packets", json!(0), "0", "at least 1 packet"),
        ("dupack_threshold", json!(0), "0", "at least 1"),
        ("initial_rto", json!(0), "0 s", "a time above 0"),
        ("min_rto", json!(0), "0 s", "a time above 0"),
        ("header_bytes", json!(0), "0", "1 to 65535 bytes"),
        ("max_rto", json!(0.5), "0.5 s", "at least min_rto"),
        ("delayed_ack_timer", json!(0), "0 s", "a time above 0"),
    ] {
        refuses(&at(field), value, &path(field), shown, expected);
    }
    for field in ["rack", "prr"] {
        let newreno = json!({"kind": "tcp", "recovery": "newreno", field: true});
        refuses("/flows/0/transport", newreno, &path(field), "true", "false, or the recovery sack");
    }
    let sack1 = json!({"kind": "tcp", "profile": "ns2", "recovery": "sack", "prr": true});
    let expected = "false: ns-2's Sack1 counts its pipe down by ACKs";
    refuses("/flows/0/transport", sack1, &path("prr"), "true", expected);
    let cubic = json!({"kind": "cubic", "beta": 1.5});
    refuses(&at("control"), cubic, &path("control.beta"), "1.5", "a number between 0 and 1");
    let unstable = json!({"kind": "arima", "ar": [1.2, 0.1]});
    let expected = "coefficients of a stationary model";
    let vegas = json!({"kind": "arima-vegas", "forecaster": unstable});
    refuses(&at("control"), vegas, &path("control.forecaster.ar"), "1.2, 0.1", expected);
    let rto = json!({"kind": "arima", "forecaster": unstable});
    refuses(&at("rto"), rto, &path("rto.forecaster"), "ar = 1.2, 0.1", expected);
    let (path, value, _) = refusal("/flows/0/transport/rto", json!({"kind": "median", "window": 0}));
    assert_eq!((path.as_str(), value.as_str()), ("flows[0].transport.rto.window", "0"));
}

#[test]
fn applications() {
    let udp = json!({
        "name": "u", "source": "a", "destination": "b",
        "transport": {"kind": "udp"}, "app": {"kind": "bulk"},
    });
    let rated = "an application with a rate of its own, as the transport is udp";
    refuses("/flows/-", udp, "flows[1].app.kind", "\"bulk\"", rated);
    let app = |app: Value, field: &str, shown: &str, expected: &str| {
        refuses("/flows/0/app", app, &format!("flows[0].app.{field}"), shown, expected);
    };
    let packets = "at least 1 packet and less than 2^32 - 1";
    app(json!({"kind": "transfer", "packets": 0}), "packets", "0", packets);
    app(json!({"kind": "cbr", "rate": 0}), "rate", "0 bit/s", "a rate above 0");
    app(json!({"kind": "cbr"}), "rate", "none", "a rate or an interval");
    let both = json!({"kind": "cbr", "rate": 1, "interval": 2});
    app(both, "interval", "2 s", "a rate or an interval, not both");
    let vbr = json!({"kind": "vbr", "rates": [0, 1], "intervals": [1, 2]});
    app(vbr, "rates[0]", "0 bit/s", "a rate above 0");
    let vbr = json!({"kind": "vbr", "rates": [2, 1], "intervals": [1, 2]});
    app(vbr, "rates[1]", "1 bit/s", "at least rates[0]");
    let vbr = json!({"kind": "vbr", "rates": [1, 2], "intervals": [0, 2]});
    app(vbr, "intervals", "[0 s, 2 s]", "two times above 0, the lower one first");
    let on_off = |law: Value, on: f64| json!({"kind": "on-off", "law": law, "rate": 1, "on": on, "off": 1});
    app(on_off(json!({"kind": "exponential"}), 0.0), "on", "0 s", "a time above 0");
    let shape = "a number above 1, so that the mean exists";
    app(on_off(json!({"kind": "pareto", "shape": 1}), 1.0), "law.shape", "1", shape);
    let noise = |field: &str, value: f64| {
        let mut app = json!({"kind": "self-similar", "rate": 1, "h": 0.8, "sd": 1, "interval": 1});
        app[field] = json!(value);
        app
    };
    app(noise("rate", 0.0), "rate", "0 bit/s", "a rate above 0");
    app(noise("sd", 0.0), "sd", "0 bit/s", "a rate above 0");
    app(noise("h", 1.0), "h", "1", "a number between 0 and 1, both excluded");
    app(noise("interval", 0.0), "interval", "0 s", "a time above 0");
    app(noise("interval", 1e-9), "interval", "0.000000001 s", "at most 2^22 intervals in the run");
    let writes = json!({"kind": "schedule", "writes": [[1, 1], [0.5, 1]]});
    app(writes, "writes[1][0]", "0.5 s", "times in ascending order");
}

#[test]
fn records() {
    let flow = "the name of a flow, or \"*\" for all";
    refuses("/record", json!({"rtt": ["x"]}), "record.rtt[0]", "\"x\"", flow);
    let port = "the name of a port or link, or \"*\" for all";
    refuses("/record", json!({"packets": ["a->r", "x"]}), "record.packets[1]", "\"x\"", port);
    let series = json!({"port_series": {"of": ["access"], "interval": 0}});
    refuses("/record", series, "record.port_series.interval", "0 s", "a time above 0");
    let series = json!({"flow_series": {"of": ["access"], "interval": 1}});
    refuses("/record", series, "record.flow_series.of[0]", "\"access\"", flow);
    let series = json!({"flow_series": {"of": ["f"], "interval": 1e-12}});
    let rows = "an interval that asks for at most 4294967296 rows, not 1000000000000";
    refuses("/record", series, "record.flow_series.interval", "0.000000000001 s", rows);
}

#[test]
fn observers_of_queues() {
    let refused = |changes: Value, path: &str, shown: &str, expected: &str| {
        let mut series = json!({"of": ["access"], "sampling": 0.033, "propagation": 0.1});
        let fields = series.as_object_mut().expect("a table");
        fields.extend(changes.as_object().expect("changes").clone());
        let path = format!("record.nonresponsive.{path}");
        refuses("/record", json!({"nonresponsive": series}), &path, shown, expected);
    };
    let port = "the name of a port or link, or \"*\" for all";
    refused(json!({"of": ["access", "x"]}), "of[1]", "\"x\"", port);
    refused(json!({"sampling": 0}), "sampling", "0 s", "a time above 0");
    let shown = "0.2 with a round-trip time of 0.1 s";
    refused(json!({"sampling": 0.2}), "sampling", shown, "at most one round-trip time");
    let shown = "0.0001 with a round-trip time of 0.1 s";
    refused(json!({"sampling": 0.0001}), "sampling", shown, "at least 1/100 of the round-trip time");
    let shown = "0.033 with a round-trip time of 0.02 s";
    refused(json!({"rtt": 0.02}), "sampling", shown, "at most one round-trip time");
    refused(json!({"propagation": 2000}), "propagation", "2000", "a number of seconds from 0 to 1000");
    refused(json!({"rtt": 0}), "rtt", "0", "a number of seconds from 1e-6 to 1000");
    refused(json!({"mean_packet_bytes": 0}), "mean_packet_bytes", "0", "1 to 65535 bytes");
    refused(json!({"estimation_samples": 0}), "estimation_samples", "0", "a whole number, at least 1");
    refused(json!({"zero_drops_after": 0}), "zero_drops_after", "0", "a whole number, at least 1");
    for alpha in ["backlog_alpha", "signal_alpha", "drop_alpha", "derivative_alpha"] {
        refused(json!({alpha: 1.0}), alpha, "1", "a number from 0 to below 1");
    }
    refused(json!({"start_n_s": 0.0}), "start_n_s", "0", "a number of flows from 1e-6 to 1e12");
    refused(json!({"start_z0": 0.0}), "start_z0", "0", "a number of packets from 1e-6 to 1e12");
    refused(json!({"start_elsewhere": 1.5}), "start_elsewhere", "1.5", "a probability from 0 to 1");
    refused(json!({"start_cbr": -1.0}), "start_cbr", "-1", "a number of packets/s from 0 to 1e12");
}

#[test]
fn methods_of_observers() {
    let refused = |method: Value, field: &str, shown: &str, expected: &str| {
        let series = json!({"of": ["*"], "sampling": 0.033, "propagation": 0.1, "method": method});
        let path = format!("record.nonresponsive.method.{field}");
        refuses("/record", json!({"nonresponsive": series}), &path, shown, expected);
    };
    let kaczmarz = json!({"kind": "kaczmarz", "gamma1": -1.0});
    refused(kaczmarz, "gamma1", "-1", "a number from 0 to 1e12");
    let fixed_point = json!({"kind": "fixed-point", "gamma2": 2.0});
    refused(fixed_point, "gamma2", "2", "a number above 0 and below 2");
    let tick = "a whole number of milliseconds, at least 1";
    for (seconds, shown) in [(0.0, "0 s"), (0.0105, "0.0105 s"), (0.0005, "0.0005 s")] {
        refused(json!({"kind": "fixed-point", "tick": seconds}), "tick", shown, tick);
    }
    let tick = "a whole number of milliseconds from 1 to 1000";
    refused(json!({"kind": "fixed-point", "tick": 2.0}), "tick", "2000 ms", tick);
    let rls = json!({"kind": "rls", "forgetting": 1.5});
    refused(rls, "forgetting", "1.5", "a number above 0 and at most 1");
    refused(json!({"kind": "rls", "initial": 0.0}), "initial", "0", "a number from 1e-12 to 1e12");
    refused(json!({"kind": "kalman", "drift": -1.0}), "drift", "-1", "a number from 0 to 1e6");
    let noise = "a number of packets/s from 1e-6 to 1e12";
    refused(json!({"kind": "kalman", "noise": 0.0}), "noise", "0", noise);
}

#[test]
fn whole_numbers_follow_the_basic_form_alone() {
    let series = json!({"of": ["access"], "sampling": 0.033, "propagation": 0.1,
        "method": {"kind": "fixed-point"}, "count_drops": true});
    let shown = "another estimator than the fixed-point one";
    let expected = "the basic form by Kaczmarz projection, without count_drops and derivative_alpha";
    refuses("/record", json!({"nonresponsive": series}), "record.nonresponsive.form", shown, expected);
}

#[test]
fn a_port_must_send_packets() {
    let link = json!({"between": ["a", "r"], "rate": 1.0, "delay": 0.01});
    let mut scenario = good();
    scenario["links"][0] = link;
    scenario["record"] = json!({"nonresponsive":
        {"of": ["a->r"], "sampling": 0.033, "propagation": 0.1, "mean_packet_bytes": 60_000}});
    let scenario: Scenario = serde_json::from_value(scenario).expect("a well-formed scenario");
    let error = Plan::new(&scenario, Folding::On).expect_err("a refusal").to_string();
    let expected = "record.nonresponsive.of: got \"a->r\" with 0.0000020833333333333334 packets/s, \
        expected a number of packets/s from 1e-3 to 1e12";
    assert_eq!(error, expected);
}

/// Applications that hear back, at `app` of the only flow.
#[test]
fn applications_that_hear_back() {
    let number = "a number from 0 to 1073741824";
    let time = "a time from 0 to 1e7 s";
    let constant = |value: f64| json!({"kind": "constant", "value": value});
    let sequence = |field: &str, value: Value| {
        let mut app = json!({"kind": "transfer-sequence", "packets": constant(1.0)});
        app[field] = value;
        app
    };
    let choice = |values: Value, weights: Value| {
        sequence("packets", json!({"kind": "choice", "values": values, "weights": weights}))
    };
    let of = |kind: &str, field: &str, value: Value| json!({"kind": kind, field: value});
    let cases = [
        (sequence("packets", constant(-1.0)), "packets.value", "-1", number),
        (
            sequence("packets", json!({"kind": "lomax", "mean": 1, "shape": 1})),
            "packets.shape",
            "1",
            "a number above 1, so that the mean exists",
        ),
        (
            sequence("packets", json!({"kind": "pareto", "mean": 1e10, "shape": 2})),
            "packets.mean",
            "10000000000",
            number,
        ),
        (sequence("think", constant(1e8)), "think.value", "100000000", time),
        (
            sequence("think", json!({"kind": "uniform", "low": 2, "high": 1})),
            "think.high",
            "1",
            "a time from 0 to 1e7 s, at least low",
        ),
        (
            sequence("think", json!({"kind": "lognormal", "mean": 1, "sigma": -1})),
            "think.sigma",
            "-1",
            "a number from 0 to 100",
        ),
        (choice(json!([]), json!([])), "packets.values", "0 values", "1 to 10000 of them"),
        (choice(json!([1, 2]), json!([1])), "packets.weights", "1 weights", "2, one a value"),
        (choice(json!([1, -2]), json!([1, 1])), "packets.values[1]", "-2", number),
        (choice(json!([1, 2]), json!([1, -1])), "packets.weights[1]", "-1", "a number from 0 to 1e12"),
        (choice(json!([1, 2]), json!([0, 0])), "packets.weights", "zeros", "one above 0"),
        (sequence("transfers_at_most", json!(0)), "transfers_at_most", "0", "at least 1 transfer"),
        (sequence("request_bytes", json!(9)), "request_bytes", "9", "none, as there are no requests"),
        (
            of("telnet", "interval", constant(1e-12)),
            "interval",
            "a mean of 0.000000000001 s",
            "a mean of at least 0.000001 s",
        ),
        (
            of("telnet", "interval", constant(0.0)),
            "interval",
            "a mean of 0 s",
            "a mean of at least 0.000001 s",
        ),
        (of("telnet", "packets", constant(1e12)), "packets.value", "1000000000000", number),
        (of("telnet", "sessions", json!(0)), "sessions", "0", "at least 1 session"),
        (of("web", "objects", constant(1e6)), "objects.value", "1000000", "a number from 0 to 10000"),
        (of("web", "connections", json!(0)), "connections", "0", "at least 1 connection"),
        (of("web", "connections", json!(300)), "connections", "300", "at most 256 connections"),
        (of("web", "request_bytes", json!(0)), "request_bytes", "0", "1 to 65535 bytes with the header"),
        (
            of("web", "inter_session", json!({"kind": "exponential", "mean": -3})),
            "inter_session.mean",
            "-3",
            time,
        ),
    ];
    for (app, field, value, expected) in cases {
        refuses("/flows/0/app", app, &format!("flows[0].app.{field}"), value, expected);
    }
    let mut scenario = good();
    scenario["flows"][0]["transport"] = json!({"kind": "udp"});
    scenario["flows"][0]["app"] = json!({"kind": "web"});
    let scenario: Scenario = serde_json::from_value(scenario).expect("a well-formed scenario");
    let error = Plan::new(&scenario, Folding::On).expect_err("a refusal");
    assert_eq!((error.path.as_str(), error.value.as_str()), ("flows[0].app.kind", "\"web\""));
    let expected = "a flow whose application is a transfer-sequence, barrier, telnet or web";
    refuses("/record", json!({"transfers": ["f"]}), "record.transfers[0]", "\"f\"", expected);
}

#[test]
fn events_of_links() {
    let at = |events: Value, path: &str, shown: &str, expected: &str| {
        refuses("/links/0/events", events, &format!("links[0].events{path}"), shown, expected);
    };
    let one = |event: Value| json!([event]);
    let outage = json!({"kind": "outage", "start": 2, "end": 1});
    at(one(outage), "[0].end", "1 s", "later than start, 2 s");
    let stalls = json!([{"kind": "stall", "start": 1, "end": 3}, {"kind": "stall", "start": 2, "end": 4}]);
    at(stalls, "[1].start", "2 s", "3 s or later: stalls in order");
    let changes =
        json!([{"kind": "rate-change", "at": 2, "rate": 1}, {"kind": "rate-change", "at": 2, "rate": 2}]);
    at(changes, "[1].at", "2 s", "later than the change before, 2 s");
    for (kind, field) in [("delay-change", "delay"), ("loss-change", "probability")] {
        let twice = json!([{"kind": kind, "at": 3, field: 1}, {"kind": "rate-change", "at": 1, "rate": 1e6},
                           {"kind": kind, "at": 2.5, field: 0}]);
        at(twice, "[2].at", "2.5 s", "later than the change before, 3 s");
    }
    let often = one(json!({"kind": "loss-change", "at": 2, "probability": 1.5}));
    at(often, "[0].probability", "1.5", "a probability from 0 to 1");
    at(one(json!({"kind": "rate-change", "at": 2, "rate": -1})), "[0].rate", "-1 bit/s", "a rate above 0");
    let slow = one(json!({"kind": "rate-change", "at": 2, "rate": 1e-6}));
    at(slow, "[0].rate", "0.000001 bit/s", "at least 0.06 bit/s");
    let standing = json!({"kind": "rate-change", "at": 2, "rate": 0});
    let expected = "a later change to a rate above 0: a link that stands goes on some time";
    at(one(standing), "", "a last rate of 0 bit/s", expected);
    let reordering = |field: &str, value: Value| {
        one(json!({"kind": "reordering", "start": 1, "delay": 0.1, field: value}))
    };
    at(reordering("end", json!(1)), "[0].end", "1 s", "later than start, 1 s");
    at(reordering("of", json!("all")), "[0]", "none", "one of every, probability and packets");
    at(reordering("every", json!(0)), "[0].every", "0", "1 or more");
    at(reordering("probability", json!(2)), "[0].probability", "2", "a probability from 0 to 1");
    at(reordering("packets", json!([3, 0])), "[0].packets[1]", "0", "a number from 1 on");
    at(reordering("delay", json!(0)), "[0].delay", "0 s", "a time above 0");
}
