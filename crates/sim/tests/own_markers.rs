//! Markers of the caller's own: what any of them keeps to, and what ends a run.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use parshall_estimators::meter::Colour;
use parshall_sim::control::user::{Code, Failure, Found};
use parshall_sim::random::Stream;
use parshall_sim::scenario::{Conditioner, MarkerMaker, MeteredPacket, OwnPart, Scenario, UserMarker};
use parshall_sim::units::Time;
use parshall_sim::{run, Recording};
use proptest::prelude::*;
use serde_json::json;

use crate::common::recorded::{bits, counts};
use crate::common::scenario;

/// Packets and bytes of each colour, as the markers of a run answered.
#[derive(Debug, Default)]
struct Answers {
    packets: [AtomicU64; 3],
    bytes: [AtomicU64; 3],
}

/// A marker that draws its colours, and keeps them.
#[derive(Debug)]
struct Own {
    answers: Arc<Answers>,
    last: Mutex<Time>,
    fails_from: Time,
}

impl UserMarker for Own {
    fn colour(&mut self, packet: &MeteredPacket, stream: &mut Stream) -> Result<Colour, Failure> {
        let last = self.last.get_mut().expect("a time");
        assert!(packet.now >= *last, "time does not go back");
        *last = packet.now;
        assert!(packet.metered <= packet.size && (packet.metered == 0 || !packet.is_ack));
        if packet.now > self.fails_from {
            return Err(Failure::new("had enough"));
        }
        let colour = Colour::ALL[(3.0 * stream.uniform()) as usize];
        self.answers.packets[colour as usize].fetch_add(1, Relaxed);
        self.answers.bytes[colour as usize].fetch_add(packet.size.into(), Relaxed);
        Ok(colour)
    }
}

#[derive(Debug)]
struct Maker {
    answers: Arc<Answers>,
    fails_from: Time,
}

impl Code for Maker {
    fn name(&self) -> &str {
        "Own"
    }

    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

impl MarkerMaker for Maker {
    fn make(&self, _: &mut Stream) -> Result<Box<dyn UserMarker>, Failure> {
        let Maker { answers, fails_from } = self;
        Ok(Box::new(Own { answers: answers.clone(), last: Mutex::default(), fails_from: *fails_from }))
    }
}

/// The scenario with a conditioner of all packets on the link where its first flow begins; the number of that link.
fn at_the_edge(mut scenario: Scenario) -> (Scenario, usize) {
    let edge: Conditioner = serde_json::from_value(json!({"rules": [{
        "meter": {"kind": "user", "form": "rust", "source": "here", "code": "00"},
        "count": "payload", "if_green": 46, "if_yellow": 10, "if_red": "drop",
    }]}))
    .expect("a conditioner");
    let source = &scenario.flows[0].source;
    let index = scenario.links.iter().position(|link| link.between.0 == *source).expect("the link of a host");
    scenario.links[index].conditioner = Some(edge.into());
    (scenario, index)
}

fn handed_over(mut scenario: Scenario, fails_from: Time) -> (Scenario, Arc<Answers>) {
    let answers = Arc::new(Answers::default());
    let found = |part: OwnPart<'_>| -> Result<(), ()> {
        let OwnPart::Marker(config) = part else { panic!("a marker, not {part:?}") };
        config.maker = Found(Some(Arc::new(Maker { answers: answers.clone(), fails_from })));
        Ok(())
    };
    scenario.hand_over(found).expect("it is here");
    (scenario, answers)
}

fn recorded(scenario: &Scenario) -> (Recording, Arc<Answers>) {
    let (scenario, answers) = handed_over(scenario.clone(), Time::NEVER);
    (run(&scenario, 7).expect("a valid scenario"), answers)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Each packet that arrives has one colour, the one that the marker said, and those that are red are gone.
    #[test]
    fn colours_are_conserved(base in scenario()) {
        let (scenario, link) = at_the_edge(Scenario { warm_up: Time::ZERO, record: Default::default(), ..base });
        let (recording, answers) = recorded(&scenario);
        let of_rule = |column: &str| counts(&recording, "aggregates", column)[0];
        let mut coloured = 0;
        for (index, colour) in ["green", "yellow", "red"].into_iter().enumerate() {
            let packets = of_rule(&format!("packets_{colour}"));
            prop_assert_eq!(packets, answers.packets[index].load(Relaxed), "{}", colour);
            prop_assert_eq!(of_rule(&format!("bytes_{colour}")), answers.bytes[index].load(Relaxed));
            coloured += packets;
        }
        prop_assert_eq!(of_rule("packets_dropped"), of_rule("packets_red"));
        prop_assert_eq!(of_rule("packets_protected"), 0);
        let port = |column: &str| counts(&recording, "ports", column)[2 * link];
        prop_assert_eq!(port("packets_arrived"), coloured);
        prop_assert!(port("packets_dropped") >= of_rule("packets_red"));
        prop_assert_eq!(bits(&recorded(&scenario).0), bits(&recording), "a run of the same seed");
    }
}

fn plain() -> Scenario {
    let scenario = json!({
        "duration": 2, "hosts": ["a", "b"], "links": [{"between": ["a", "b"], "rate": 1e6, "delay": 0.01}],
        "flows": [{"name": "u", "source": "a", "destination": "b",
                   "transport": {"kind": "udp", "payload_bytes": 500}, "app": {"kind": "cbr", "rate": 4e5}}],
    });
    at_the_edge(serde_json::from_value(scenario).expect("a scenario")).0
}

#[test]
fn a_failure_ends_its_run_and_says_where() {
    let error = run(&handed_over(plain(), Time::from_secs(0.5)).0, 1).expect_err("a failure").to_string();
    assert!(error.starts_with("Own.colour, port a->b, 0.5"), "{error}");
    assert!(error.ends_with(" s: had enough"), "{error}");
}

#[test]
fn code_that_was_not_handed_over_is_asked_for() {
    let error = run(&plain(), 1).expect_err("nobody handed it over");
    let expected =
        "links[0].conditioner.rules[0].meter.source: got \"here\", expected code that is handed over";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn links_that_share_a_conditioner_go_on_sharing_it() {
    let mut scenario = plain();
    let edge = scenario.links[0].conditioner.clone();
    Arc::make_mut(&mut scenario.links[0].reverse).conditioner = edge;
    let (scenario, _) = handed_over(scenario, Time::NEVER);
    let link = &scenario.links[0];
    let edges = [&link.conditioner, &link.reverse.conditioner].map(|edge| edge.as_ref().expect("one"));
    assert!(Arc::ptr_eq(edges[0], edges[1]));
}
