//! Sources that this crate does not have, from outside of it: they do what the engine's own do, bit for bit, and what is wrong with
//! them is told in a line.

use std::time::Duration;

use parshall_sim::control::user::{Code, Failure};
use parshall_sim::random::Stream;
use parshall_sim::scenario::{
    App, AppAnswer, AppBeginning, AppDone, AppMaker, ConnectionUse, Law, Scenario, Transport, UserApp,
    Variate,
};
use parshall_sim::units::{Rate, Time};
use parshall_sim::{run, Recording, ScenarioError};
use proptest::prelude::*;
use serde_json::{json, Value};

use crate::common::hearing;
use crate::common::recorded::{bits, counts, reals};

/// A source that does what an application of the engine's does.
#[derive(Clone, Debug)]
struct Twin(App);

impl Code for Twin {
    fn name(&self) -> &str {
        "Twin"
    }

    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

impl AppMaker for Twin {
    fn make(&self, beginning: AppBeginning) -> Result<Box<dyn UserApp>, Failure> {
        let AppBeginning { payload_bytes, stream } = beginning;
        Ok(Box::new(Playing { app: self.0.clone(), payload_bytes, stream, started: false, left: 0 }))
    }

    fn requests(&self) -> bool {
        matches!(&self.0, App::TransferSequence(sequence) if sequence.requests)
    }
}

#[derive(Debug)]
struct Playing {
    app: App,
    payload_bytes: u32,
    stream: Stream,
    started: bool,
    /// Packets left in a burst.
    left: u32,
}

fn draw(law: &Variate, stream: &mut Stream) -> f64 {
    match *law {
        Variate::Constant { value } => value,
        Variate::Exponential { mean } => stream.exponential(mean),
        Variate::Pareto { mean, shape } => stream.pareto(mean, shape),
        Variate::Lomax { mean, shape } => stream.lomax(mean, shape),
        Variate::Uniform { low, high } => stream.between(low, high),
        Variate::Lognormal { mean, sigma } => stream.lognormal(mean, sigma),
        Variate::Choice { .. } => unreachable!("no network here has one"),
    }
}

fn between_packets(payload_bytes: u32, rate: Rate) -> Time {
    rate.transmission(payload_bytes)
}

impl UserApp for Playing {
    fn on_time(&mut self, _: Time) -> Result<AppAnswer, Failure> {
        let first = !std::mem::replace(&mut self.started, true);
        Ok(match &self.app {
            App::TransferSequence(sequence) => {
                let packets = draw(&sequence.packets, &mut self.stream).ceil().clamp(1.0, f64::from(1 << 30));
                let fresh = sequence.connection == ConnectionUse::New;
                AppAnswer { packets: packets as u32, fresh, wake_in: None }
            }
            App::Cbr(cbr) => {
                let interval = between_packets(self.payload_bytes, cbr.rate.expect("a rate"));
                AppAnswer { packets: 1, fresh: false, wake_in: Some(interval) }
            }
            App::OnOff(config) => {
                let mut gap = between_packets(self.payload_bytes, config.rate);
                let most = config.on.secs() / gap.secs();
                let mut law = |mean| match config.law {
                    Law::Exponential => self.stream.exponential(mean),
                    Law::Pareto { shape } => self.stream.pareto(mean, shape),
                };
                if self.left == 0 {
                    self.left = (law(most) + 0.5).max(1.0) as u32;
                    gap += Time::from_secs(law(config.off.secs()));
                }
                self.left -= 1;
                AppAnswer { packets: u32::from(!first), fresh: false, wake_in: Some(gap) }
            }
            other => unreachable!("{other:?} has no twin"),
        })
    }

    fn on_done(&mut self, _: Time, _: &AppDone) -> Result<AppAnswer, Failure> {
        let App::TransferSequence(sequence) = &self.app else { return Ok(AppAnswer::default()) };
        let think = Time::from_secs(draw(&sequence.think, &mut self.stream));
        Ok(AppAnswer { wake_in: Some(think), ..AppAnswer::default() })
    }
}

/// A network with twins of its applications, as far as they have any; and how many that are.
fn with_twins(scenario: &Scenario) -> (Scenario, usize) {
    let (mut scenario, mut twins) = (scenario.clone(), 0);
    for flow in &mut scenario.flows {
        let udp = matches!(flow.transport, Transport::Udp(_));
        let has_twin = match &mut flow.app {
            App::TransferSequence(sequence) => {
                // A request of one's own is as long as a packet.
                sequence.request_bytes = None;
                true
            }
            App::Cbr(_) | App::OnOff(_) => udp,
            _ => false,
        };
        if has_twin {
            twins += 1;
            flow.app = App::of(Twin(flow.app.clone()));
        }
    }
    (scenario, twins)
}

/// A network whose requests are as long as packets.
fn with_long_requests(mut scenario: Scenario) -> Scenario {
    for flow in &mut scenario.flows {
        if let App::TransferSequence(sequence) = &mut flow.app {
            sequence.request_bytes = None;
        }
    }
    scenario
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_source_that_does_the_same_gives_the_same_recording(scenario in hearing(), seed in 0u64..1000) {
        let scenario = with_long_requests(scenario);
        let (own, twins) = with_twins(&scenario);
        prop_assume!(twins > 0);
        let recordings = [&scenario, &own].map(|scenario| run(scenario, seed).expect("a recording"));
        prop_assert_eq!(bits(&recordings[0]), bits(&recordings[1]));
    }
}

/// Answers that are given one after the other, at each call.
#[derive(Clone, Debug)]
struct Answers {
    answers: Vec<AppAnswer>,
    requests: bool,
}

impl Code for Answers {
    fn name(&self) -> &str {
        "Answers"
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(Duration::from_secs(5))
    }
}

impl AppMaker for Answers {
    fn make(&self, _: AppBeginning) -> Result<Box<dyn UserApp>, Failure> {
        Ok(Box::new(Answering(self.answers.clone().into_iter())))
    }

    fn requests(&self) -> bool {
        self.requests
    }
}

#[derive(Debug)]
struct Answering(std::vec::IntoIter<AppAnswer>);

impl UserApp for Answering {
    fn on_time(&mut self, _: Time) -> Result<AppAnswer, Failure> {
        self.0.next().ok_or_else(|| Failure::new("has nothing more to say"))
    }

    fn on_done(&mut self, _: Time, done: &AppDone) -> Result<AppAnswer, Failure> {
        if done.packets == 7 {
            return Err(Failure::new(format!("hears of number {} of {} packets", done.number, done.packets)));
        }
        Ok(self.0.next().unwrap_or_default())
    }
}

fn write(packets: u32) -> AppAnswer {
    AppAnswer { packets, ..AppAnswer::default() }
}

fn wake(seconds: f64) -> AppAnswer {
    AppAnswer { wake_in: Some(Time::from_secs(seconds)), ..AppAnswer::default() }
}

fn both(packets: u32, seconds: f64) -> AppAnswer {
    AppAnswer { packets, ..wake(seconds) }
}

fn one(app: App, transport: Value, start: f64) -> Scenario {
    let scenario = json!({
        "duration": 20.0 + start, "hosts": ["s", "c"],
        "links": [{"between": ["s", "c"], "rate": 1e6, "delay": 0.01, "queue": {"kind": "droptail"}}],
        "flows": [{"name": "f", "source": "s", "destination": "c", "transport": transport, "app": {"kind": "bulk"},
                   "start": start}],
        "record": {"transfers": ["*"]},
    });
    let mut scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    scenario.flows[0].app = app;
    scenario
}

fn tcp() -> Value {
    json!({"kind": "tcp"})
}

fn udp() -> Value {
    json!({"kind": "udp", "payload_bytes": 1000, "header_bytes": 0})
}

fn of(answers: &[AppAnswer], requests: bool) -> App {
    App::of(Answers { answers: answers.to_vec(), requests })
}

fn fault(answers: &[AppAnswer], requests: bool, transport: Value) -> String {
    run(&one(of(answers, requests), transport, 0.0), 1).expect_err("a failure").to_string()
}

#[test]
fn what_is_no_answer_is_told_with_the_flow_and_the_time() {
    let told = fault(&[wake(0.5), wake(0.0)], false, tcp());
    let expected = "wake_in is less than a picosecond, expected seconds, more than 0 in on_time";
    assert_eq!(told, format!("Answers.on_time, flow f, 0.5 s: {expected}"));
    let told = fault(&[both(1, 0.5), wake(0.0)], false, udp());
    assert_eq!(told, format!("Answers.on_time, flow f, 0.5 s: {expected}"));
    let told = fault(&[write(u32::MAX)], false, tcp());
    let expected = "it writes 4294967295 packets, expected at most 1073741824";
    assert_eq!(told, format!("Answers.on_time, flow f, 0 s: {expected}"));
    let told = fault(&[wake(0.25)], false, tcp());
    assert_eq!(told, "Answers.on_time, flow f, 0.25 s: has nothing more to say");
    let told = fault(&[write(7)], false, tcp());
    assert!(
        told.starts_with("Answers.on_done, flow f, 0.1") && told.ends_with("of number 0 of 7 packets"),
        "{told}"
    );
}

#[test]
fn transfers_that_forget_one_another_are_told() {
    let fresh = AppAnswer { fresh: true, ..write(3) };
    let told = fault(&[both(400, 0.1), fresh], false, tcp());
    let expected = "with 1 transfers under way, expected none for a new connection, which forgets them";
    assert_eq!(told, format!("Answers.on_time, flow f, 0.1 s: it writes {expected}"));
    let told = fault(&[both(400, 0.1), write(3)], true, tcp());
    let expected = "with 1 transfers under way, expected one at a time, as each is asked for";
    assert_eq!(told, format!("Answers.on_time, flow f, 0.1 s: it writes {expected}"));
}

#[test]
fn a_source_without_an_end_is_told() {
    let endless = vec![both(0, 1e-12); 1 << 20];
    for transport in [tcp(), udp()] {
        let told = fault(&endless, false, transport);
        let expected = "it was asked 1048576 times within 0.001 s, expected longer times between";
        assert!(told.starts_with("Answers.on_time, flow f, 0.000001") && told.ends_with(expected), "{told}");
    }
}

#[test]
fn requests_over_udp_and_code_that_was_not_handed_over_are_asked_for() {
    let refused = |app, transport| -> ScenarioError {
        match run(&one(app, transport, 0.0), 1).expect_err("a fault") {
            parshall_sim::RunError::Scenario(fault) => fault,
            other => panic!("{other}"),
        }
    };
    let told = refused(of(&[], true), udp()).to_string();
    let expected = "expected one without requests, as the transport is udp";
    assert_eq!(
        told,
        format!("flows[0].app: got a source whose destination asks for what it gets, {expected}")
    );
    let nobodys = json!({"kind": "user", "form": "rust", "source": "here", "code": "00"});
    for transport in [tcp(), udp()] {
        let app: App = serde_json::from_value(nobodys.clone()).expect("an application");
        let told = refused(app, transport).to_string();
        assert_eq!(told, "flows[0].app.source: got \"here\", expected code that is handed over");
    }
}

#[test]
fn a_run_of_a_source_that_nobody_knows_is_expected_to_end() {
    for transport in [tcp(), udp()] {
        let expected = parshall_sim::check(&one(of(&[], false), transport, 0.0)).expect("a plan");
        assert!(expected.events > 1000.0 && expected.events < 1e6, "{expected:?}");
    }
}

#[test]
fn a_transfer_behind_a_new_connection_waits_for_it() {
    // The second transfer opens a connection at the instant of the first one's end; a third comes at once.
    let fresh = AppAnswer { fresh: true, ..both(5, 0.0) };
    let recording = run(&one(of(&[write(1), fresh, write(2)], false), tcp(), 0.0), 1).expect("a recording");
    assert_eq!(counts(&recording, "transfers", "packets"), [1, 5, 2]);
    assert!(reals(&recording, "transfers", "end").iter().all(|end| end.is_finite()));
    assert_eq!(counts(&recording, "flows", "packets_delivered"), [8]);
}

#[test]
fn a_later_start_moves_everything_and_changes_nothing() {
    let at = |start: f64| {
        let sequence = json!({"kind": "transfer-sequence", "packets": {"kind": "pareto", "mean": 9.0, "shape": 1.5},
                              "think": {"kind": "exponential", "mean": 0.3}, "requests": true});
        let app: App = serde_json::from_value(sequence).expect("an application");
        let scenario = one(App::of(Twin(app)), tcp(), start);
        let recording = run(&scenario, 3).expect("a recording");
        let moved = |recording: &Recording, column: &str| -> Vec<i64> {
            let since = |time: f64| ((time - start) * 1e12).round() as i64;
            reals(recording, "transfers", column).into_iter().map(since).collect()
        };
        (moved(&recording, "start"), moved(&recording, "end"), counts(&recording, "transfers", "packets"))
    };
    let first = at(0.0);
    assert!(first.0.len() > 20, "{}", first.0.len());
    // Powers of 2, by which times in seconds stay exact enough to be a whole number of picoseconds.
    for start in [0.5, 4.0, 32.0] {
        assert_eq!(at(start), first);
    }
}
