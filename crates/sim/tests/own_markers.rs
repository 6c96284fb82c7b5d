//! Markers of the caller's own: a token bucket does what the engine's does, what any of them keeps to, and what ends a run.

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
use proptest::sample::select;
use serde_json::{json, Value};

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

/// The rule of a marker that uses three colours.
fn own_rule() -> Value {
    let meter = json!({"kind": "user", "form": "rust", "source": "here", "code": "00"});
    json!({"meter": meter, "count": "payload", "if_green": 46, "if_yellow": 10, "if_red": "drop"})
}

/// The scenario with a conditioner of all packets on the link where its first flow begins; the number of that link.
fn at_the_edge(mut scenario: Scenario, rule: &Value) -> (Scenario, usize) {
    let edge: Conditioner = serde_json::from_value(json!({"rules": [rule]})).expect("a conditioner");
    let source = &scenario.flows[0].source;
    let index = scenario.links.iter().position(|link| link.between.0 == *source).expect("the link of a host");
    scenario.links[index].conditioner = Some(edge.into());
    (scenario, index)
}

/// The scenario whose markers are of this maker.
fn made_by(mut scenario: Scenario, maker: impl MarkerMaker + 'static) -> Scenario {
    let maker: Arc<dyn MarkerMaker> = Arc::new(maker);
    let found = |part: OwnPart<'_>| -> Result<(), ()> {
        let OwnPart::Marker(config) = part else { panic!("a marker, not {part:?}") };
        config.maker = Found(Some(maker.clone()));
        Ok(())
    };
    scenario.hand_over(found).expect("it is here");
    scenario
}

fn handed_over(scenario: Scenario, fails_from: Time) -> (Scenario, Arc<Answers>) {
    let answers = Arc::new(Answers::default());
    (made_by(scenario, Maker { answers: answers.clone(), fails_from }), answers)
}

fn recorded(scenario: &Scenario) -> (Recording, Arc<Answers>) {
    let (scenario, answers) = handed_over(scenario.clone(), Time::NEVER);
    (run(&scenario, 7).expect("a valid scenario"), answers)
}

/// A token bucket in whole numbers: `cir` bit/s, and at most `cbs` bytes.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    cir: u64,
    cbs: u64,
    level: u64,
    /// Tokens that have come since time zero.
    came: u64,
}

impl Bucket {
    fn full(cir: u64, cbs: u64) -> Self {
        Bucket { cir, cbs, level: cbs, came: 0 }
    }
}

impl UserMarker for Bucket {
    fn colour(&mut self, packet: &MeteredPacket, _: &mut Stream) -> Result<Colour, Failure> {
        let came = (u128::from(self.cir) * u128::from(packet.now.ps()) / 8_000_000_000_000) as u64;
        self.level = self.cbs.min(self.level + came - self.came);
        self.came = came;
        let Some(left) = self.level.checked_sub(packet.metered.into()) else { return Ok(Colour::Red) };
        self.level = left;
        Ok(Colour::Green)
    }
}

impl Code for Bucket {
    fn name(&self) -> &str {
        "Bucket"
    }

    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

impl MarkerMaker for Bucket {
    fn make(&self, _: &mut Stream) -> Result<Box<dyn UserMarker>, Failure> {
        Ok(Box::new(*self))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Drawn networks are recorded alike with the engine's token bucket and with one that is handed over.
    #[test]
    fn a_token_bucket_gives_the_recording_of_the_engines(
        base in scenario(),
        cir in 20_000u64..2_000_000,
        cbs in 1500u64..20_000,
        count in select(vec!["wire", "payload"]),
        drops in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let red = if drops { json!("drop") } else { json!(10) };
        let mut rule = own_rule();
        rule.as_object_mut().expect("a rule").remove("if_yellow");
        (rule["count"], rule["if_red"]) = (json!(count), red);
        let own = made_by(at_the_edge(base.clone(), &rule).0, Bucket::full(cir, cbs));
        rule["meter"] = json!({"kind": "token-bucket", "cir": cir as f64, "cbs_bytes": cbs});
        let engines = at_the_edge(base, &rule).0;
        let recordings = [&engines, &own].map(|scenario| run(scenario, seed).expect("a valid scenario"));
        prop_assume!(counts(&recordings[0], "aggregates", "packets_red")[0] > 0);
        prop_assert_eq!(bits(&recordings[0]), bits(&recordings[1]));
    }

    /// Each packet that arrives has one colour, the one that the marker said, and those that are red are gone.
    #[test]
    fn colours_are_conserved(base in scenario()) {
        let (scenario, link) = at_the_edge(Scenario { warm_up: Time::ZERO, record: Default::default(), ..base }, &own_rule());
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
    at_the_edge(serde_json::from_value(scenario).expect("a scenario"), &own_rule()).0
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
