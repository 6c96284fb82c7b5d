//! Queues of the caller's own: what any of them keeps to, and what ends a run.

use std::sync::Arc;
use std::time::Duration;

use parshall_sim::control::user::{Code, Failure, Found};
use parshall_sim::internal::{Batch, Folding, Job, Plan};
use parshall_sim::random::Stream;
use parshall_sim::scenario::{
    Link, OwnPart, Queue, QueueAnswer, QueueMaker, QueueStart, QueuedPacket, Scenario, UserQueue,
    QUEUE_CLASSES,
};
use parshall_sim::units::Time;
use parshall_sim::{run, Recording};
use proptest::prelude::*;
use serde_json::json;

use crate::common::recorded::{bits, counts};
use crate::common::scenario;

/// A queue by its kind; the number is that of the class or the packets that it is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Passes all.
    Patient,
    /// Answers whatever is in order.
    Random,
    /// Marks from so many packets on that wait, and drops what cannot be marked.
    Step(u64),
    /// Holds so many packets, the one in transmission included.
    Tail(u64),
    JoinsClass(u16),
    PushesOut(u16),
    Names(u16),
    MarksAll,
    PushesOutAtDeparture,
    Fails,
    Hangs,
}

#[derive(Clone, Debug)]
struct Own {
    kind: Kind,
    stream: Stream,
    /// Packets in each class, as the answers have it.
    held: Vec<u64>,
    last: Time,
}

impl Own {
    fn sees(&mut self, packet: &QueuedPacket) {
        assert!(packet.now >= self.last && packet.arrived <= packet.now, "time does not go back");
        assert_eq!(packet.packets == 0, packet.bytes == 0);
        self.last = packet.now;
    }

    fn at_random(&mut self, packet: &QueuedPacket) -> (QueueAnswer, u16) {
        let class = (3.0 * self.stream.uniform()) as u16;
        assert_eq!(packet.packets, self.held.iter().sum::<u64>(), "what waits is what was let in");
        let answer = match (10.0 * self.stream.uniform()) as u8 {
            0 => QueueAnswer::Drop,
            1 if packet.ecn_capable => QueueAnswer::Mark,
            2 if self.held[usize::from(class)] > 0 => {
                self.held[usize::from(class)] -= 1;
                return (QueueAnswer::PushOut, class);
            }
            _ => QueueAnswer::Pass,
        };
        self.held[usize::from(class)] += u64::from(answer != QueueAnswer::Drop);
        (answer, class)
    }
}

impl UserQueue for Own {
    fn on_arrival(&mut self, packet: &QueuedPacket) -> Result<(QueueAnswer, u16), Failure> {
        self.sees(packet);
        let late = packet.now > Time::from_secs(0.5);
        match self.kind {
            Kind::Random => Ok(self.at_random(packet)),
            Kind::Step(from) if packet.packets >= from && packet.ecn_capable => Ok((QueueAnswer::Mark, 0)),
            Kind::Step(from) if packet.packets >= from => Ok((QueueAnswer::Drop, 0)),
            Kind::Tail(limit) if packet.packets + u64::from(packet.on_link > 0) >= limit => {
                Ok((QueueAnswer::Drop, 0))
            }
            Kind::JoinsClass(class) => Ok((QueueAnswer::Pass, class)),
            Kind::PushesOut(class) => Ok((QueueAnswer::PushOut, class)),
            Kind::Names(_) => Ok((QueueAnswer::Pass, 1)),
            Kind::MarksAll => Ok((QueueAnswer::Mark, 0)),
            Kind::Fails if late => Err(Failure::new("had enough")),
            Kind::Hangs if late => {
                std::thread::sleep(Duration::from_secs(3600));
                Ok((QueueAnswer::Pass, 0))
            }
            _ => Ok((QueueAnswer::Pass, 0)),
        }
    }

    fn next_class(&mut self, _: Time) -> Result<Option<u16>, Failure> {
        match self.kind {
            Kind::Names(class) => Ok(Some(class)),
            Kind::Random => {
                let from = (3.0 * self.stream.uniform()) as usize;
                Ok((from..3).find(|&class| self.held[class] > 0).map(|class| class as u16))
            }
            _ => Ok(None),
        }
    }

    fn on_departure(&mut self, packet: &QueuedPacket) -> Result<QueueAnswer, Failure> {
        self.sees(packet);
        assert_eq!(packet.on_link, 0, "the link is free");
        if self.kind == Kind::PushesOutAtDeparture {
            return Ok(QueueAnswer::PushOut);
        }
        if self.kind != Kind::Random {
            return Ok(QueueAnswer::Pass);
        }
        self.held[usize::from(packet.class)] -= 1;
        Ok(match (10.0 * self.stream.uniform()) as u8 {
            0 => QueueAnswer::Drop,
            1 if packet.ecn_capable => QueueAnswer::Mark,
            _ => QueueAnswer::Pass,
        })
    }

    fn on_idle(&mut self, now: Time) -> Result<(), Failure> {
        assert!(now >= self.last, "time does not go back");
        self.last = now;
        Ok(())
    }
}

impl Code for Kind {
    fn name(&self) -> &str {
        "Own"
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(Duration::from_millis(200))
    }
}

impl QueueMaker for Kind {
    fn make(&self, start: QueueStart) -> Result<Box<dyn UserQueue>, Failure> {
        assert!(start.rate.bps() > 0.0);
        Ok(Box::new(Own { kind: *self, stream: start.stream, held: vec![0; 3], last: Time::ZERO }))
    }
}

fn queue(config: serde_json::Value) -> Queue {
    serde_json::from_value(config).expect("a queue")
}

fn user() -> Queue {
    queue(json!({"kind": "user", "form": "rust", "source": "here", "code": "00"}))
}

fn handed_over(mut scenario: Scenario, kind: Kind) -> Scenario {
    let found = |part: OwnPart<'_>| -> Result<(), ()> {
        let OwnPart::Queue(config) = part else { panic!("a queue, not {part:?}") };
        config.maker = Found(Some(Arc::new(kind)));
        Ok(())
    };
    scenario.hand_over(found).expect("it is here");
    scenario
}

/// A network with this queue in front of every link, none of which has a recorded capacity: a packet waits for an
/// instant of one in the queue where that decides at departure, and on the link where it decides at arrival.
fn with_queue(scenario: &Scenario, queue: &Queue) -> Scenario {
    let mut with = Scenario { warm_up: Time::ZERO, ..scenario.clone() };
    for link in &mut with.links {
        *link = Link { queue: queue.clone().into(), loss: None, capacity: None, ..link.clone() };
        let reverse = Arc::make_mut(&mut link.reverse);
        (reverse.queue, reverse.loss, reverse.capacity) = (None, None, None);
    }
    with.record = Default::default();
    with
}

fn of_kind(scenario: &Scenario, kind: Kind) -> Recording {
    run(&handed_over(with_queue(scenario, &user()), kind), 7).expect("a valid scenario")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever a queue answers, each packet leaves, is dropped, or waits.
    #[test]
    fn packets_are_conserved(base in scenario()) {
        let recording = of_kind(&base, Kind::Random);
        let ports = |column| counts(&recording, "ports", column);
        for i in 0..2 * base.links.len() {
            let accounted = ports("packets_dropped")[i]
                + ports("packets_lost")[i]
                + ports("packets_departed")[i]
                + ports("packets_queued")[i];
            prop_assert_eq!(ports("packets_arrived")[i], accounted, "port {}", i);
        }
        let flows = |column| counts(&recording, "flows", column);
        for i in 0..base.flows.len() {
            let accounted =
                flows("packets_received")[i] + flows("packets_dropped")[i] + flows("packets_in_flight")[i];
            prop_assert_eq!(flows("packets_sent")[i], accounted, "flow {}", i);
        }
    }

    #[test]
    fn each_run_of_a_seed_is_the_same(base in scenario()) {
        prop_assert_eq!(bits(&of_kind(&base, Kind::Random)), bits(&of_kind(&base, Kind::Random)));
    }

    /// The engine's drop-tail and its RED as a step, which are other code and decide at arrival. RED spares a packet that finds
    /// one waiting.
    #[test]
    fn they_are_the_engines_own_to_the_last_bit(base in scenario(), limit in 2u64..30) {
        let step = json!({
            "kind": "red", "min_threshold_packets": limit, "max_threshold_packets": limit, "limit_packets": 1000,
            "weight": {"kind": "fixed", "value": 1}, "gentle": false, "ecn": true, "hard_drop": false,
        });
        let pairs = [
            (Kind::Patient, json!({"kind": "droptail"})),
            // A plain port does not see all ties; with a limit in bytes it is none.
            (
                Kind::Tail(limit),
                json!({"kind": "droptail", "limit_packets": limit, "limit_bytes": 4_000_000_000_000u64}),
            ),
            (Kind::Step(limit), step),
        ];
        for (kind, config) in pairs {
            let theirs = run(&with_queue(&base, &queue(config)), 7).expect("a valid scenario");
            let (ours, theirs) = (bits(&of_kind(&base, kind)), bits(&theirs));
            let differing: Vec<&String> =
                ours.iter().zip(&theirs).filter(|(a, b)| a != b).map(|((name, _), _)| name).collect();
            prop_assert!(differing.is_empty() && ours.len() == theirs.len(), "{:?}: {:?}", kind, differing);
        }
    }
}

fn overloaded() -> Scenario {
    serde_json::from_value(json!({
        "duration": 2, "hosts": ["a", "b"],
        "links": [{"between": ["a", "b"], "rate": 1e6, "delay": 0.01, "queue": user()}],
        "flows": [{"name": "u", "source": "a", "destination": "b",
                   "transport": {"kind": "udp", "payload_bytes": 500, "header_bytes": 0}, "app": {"kind": "cbr", "rate": 1.2e6}}],
    }))
    .expect("a scenario")
}

#[test]
fn what_is_no_answer_ends_a_run_in_one_line() {
    let told = |kind| run(&handed_over(overloaded(), kind), 1).expect_err("no answer").to_string();
    let most = QUEUE_CLASSES - 1;
    for (kind, method, message) in [
        (Kind::JoinsClass(QUEUE_CLASSES), "on_arrival", format!("class is 1024, expected 0 to {most}")),
        (
            Kind::PushesOut(2),
            "on_arrival",
            "pushes a packet out of class 2, expected one in which packets wait".into(),
        ),
        (
            Kind::Names(7),
            "next_class",
            "names class 7, expected one in which packets wait, or -1 for the first".into(),
        ),
        (
            Kind::MarksAll,
            "on_arrival",
            "marks a packet that cannot be marked, expected a look at ecn_capable".into(),
        ),
        (
            Kind::PushesOutAtDeparture,
            "on_departure",
            "pushes a packet out, expected that of arrivals alone".into(),
        ),
        (Kind::Fails, "on_arrival", "had enough".into()),
    ] {
        let told = told(kind);
        assert!(told.starts_with(&format!("Own.{method}, port a->b, 0")), "{told}");
        assert!(told.ends_with(&format!(" s: {message}")), "{told}");
    }
}

#[test]
fn code_that_was_not_handed_over_is_asked_for() {
    let error = run(&overloaded(), 1).expect_err("nobody handed it over");
    let expected = "links[0].queue.source: got \"here\", expected code that is handed over";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_queue_that_hangs_is_given_up() {
    let plan = Plan::of(handed_over(overloaded(), Kind::Hangs), Folding::On).expect("a plan");
    let mut batch = Batch::start_joining(vec![Job::new(Arc::new(plan), 1)], 1);
    let mut ended = Vec::new();
    while let Some(done) = batch.next(Duration::from_secs(1)) {
        ended.extend(done.into_iter().map(|(_, result)| result.expect_err("it hangs").to_string()));
    }
    assert_eq!(ended.len(), 1);
    assert!(ended[0].starts_with("Own.on_arrival, port a->b, 0.5"), "{ended:?}");
    assert!(ended[0].contains("does not return for "), "{ended:?}");
}
