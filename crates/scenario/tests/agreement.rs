//! Agreement of the parts' defaults with those of the values: a kind that is left to its defaults, written
//! with all of them as values are, is read back as nothing but its kind.

use parshall_scenario::parts::{
    ANY_APP, ANY_CONTROL, ANY_FORECASTER, ANY_LOSS, ANY_METHOD, ANY_PERIODS, ANY_QUEUE, ANY_ROUTING, ANY_RTO,
    ANY_SCHEDULER, ANY_TRANSPORT, ANY_WEIGHT,
};
use parshall_scenario::{Kinds, Scenario, ScenarioFile, Surroundings};
use serde_json::{json, Value};

/// A network in which a field of each family is to be replaced.
fn network() -> Value {
    json!({
        "duration": 1.0, "hosts": ["a", "b"], "routing": "shortest",
        "links": [{"between": ["a", "b"], "rate": 1e6, "delay": 0.0, "queue": "droptail", "loss": "dither"}],
        "flows": [{"name": "f", "source": "a", "destination": "b", "app": "bulk",
                   "transport": {"kind": "tcp", "control": {"kind": "arima-vegas"}, "rto": "jacobson"}}],
        "record": {"nonresponsive": {"of": ["*"], "sampling": 0.01, "propagation": 0.0, "method": "rls"}}
    })
}

const RED: &str =
    r#"{"kind": "red", "min_threshold_packets": 5, "max_threshold_packets": 15, "limit_packets": 50}"#;
const CLASSES: &str =
    r#"{"kind": "diffserv", "queues": [{"precedences": [{"dscp": [0]}], "limit_packets": 9}]}"#;
const ON_OFF: &str = r#"{"kind": "on-off", "rate": 1e5, "on": 1, "off": 1}"#;

/// A family of kinds: its place in the network, and what has to stand around it, as a place and JSON.
struct Family {
    kinds: &'static Kinds,
    place: &'static str,
    around: Option<(&'static str, &'static str)>,
}

fn families() -> Vec<Family> {
    let at = |kinds, place| Family { kinds, place, around: None };
    let within = |kinds, place, holder, text| Family { kinds, place, around: Some((holder, text)) };
    vec![
        at(&ANY_ROUTING, "/routing"),
        at(&ANY_QUEUE, "/links/0/queue"),
        within(&ANY_WEIGHT, "/links/0/queue/weight", "/links/0/queue", RED),
        within(&ANY_SCHEDULER, "/links/0/queue/scheduler", "/links/0/queue", CLASSES),
        at(&ANY_LOSS, "/links/0/loss"),
        at(&ANY_APP, "/flows/0/app"),
        within(&ANY_PERIODS, "/flows/0/app/law", "/flows/0/app", ON_OFF),
        at(&ANY_TRANSPORT, "/flows/0/transport"),
        at(&ANY_CONTROL, "/flows/0/transport/control"),
        at(&ANY_FORECASTER, "/flows/0/transport/control/forecaster"),
        at(&ANY_RTO, "/flows/0/transport/rto"),
        at(&ANY_METHOD, "/record/nonresponsive/method"),
    ]
}

/// Sets a value at a JSON pointer whose last key need not be there.
fn set(network: &mut Value, place: &str, value: Value) {
    let (holder, key) = place.rsplit_once('/').expect("a pointer");
    network.pointer_mut(holder).expect("a table")[key] = value;
}

#[test]
fn kinds_that_are_left_to_their_defaults_come_back_as_such() {
    let mut seen = 0;
    for Family { kinds, place, around } in families() {
        for kind in kinds.parts.iter().filter(|part| part.is_complete()).filter_map(|part| part.kind) {
            if kind == "cbr" {
                continue; // One of its two fields has to be given.
            }
            let mut network = network();
            if let Some((place, text)) = around {
                set(&mut network, place, serde_json::from_str(text).expect("JSON"));
            }
            set(&mut network, place, json!({ "kind": kind }));
            let text = network.to_string();
            let read = ScenarioFile::json(&text, Surroundings::default())
                .unwrap_or_else(|faults| panic!("{kind}: {faults}"));
            let (canonical, scenario) = (read.canonical_json(), read.scenario().expect("a value"));
            // The value is written with every default filled in, and read again.
            assert_eq!(scenario.canonical_json().as_deref(), Ok(canonical.as_str()), "{kind}");
            assert_eq!(Scenario::from_json(&canonical).as_ref(), Ok(&scenario), "{kind}");
            seen += 1;
        }
    }
    assert!(seen > 45, "{seen} kinds");
}
