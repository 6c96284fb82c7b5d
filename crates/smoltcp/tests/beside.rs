//! smoltcp's Reno is Reno, and shares a bottleneck with the engine's.

use parshall_sim::net::Builder;
use parshall_sim::scenario::{Control, Flow, RecoveryName, Scenario, Tcp};
use parshall_sim::units::Time;
use parshall_sim::Recording;
use parshall_smoltcp::{CongestionControl, Options, Transfer};

use crate::common::{link, reno, scenario};

/// Payload of a full segment in 1500 bytes, as smoltcp sends it.
const PAYLOAD_BYTES: u32 = 1460;

fn engine_reno() -> Flow {
    let control: Control = "aimd".parse().expect("a control");
    let tcp = Tcp {
        control: Some(control),
        recovery: Some(RecoveryName::Sack),
        payload_bytes: PAYLOAD_BYTES,
        ..Tcp::default()
    };
    Flow::bulk("engine", "a", "b", tcp)
}

fn warmed_up(mut scenario: Scenario) -> Scenario {
    scenario.warm_up = Time::from_secs(5.0);
    scenario
}

fn mean_delay(recording: &Recording) -> f64 {
    recording.table("ports").expect("ports").f64("mean_delay").expect("delays")[0]
}

fn goodput(recording: &Recording, flow: &str, seconds: f64) -> f64 {
    let row = recording.flow(flow).expect("the flow");
    let bytes = recording.table("flows").expect("flows").u64("bytes_delivered").expect("bytes")[row];
    8.0 * bytes as f64 / seconds
}

#[test]
fn reno_alone_is_the_engines_reno() {
    let scenario = warmed_up(scenario(20.0, link()));
    let run = Transfer::endless().with_options(reno()).run(scenario.clone(), ["a", "b"], 1).expect("a run");
    let own = warmed_up(Scenario::new(scenario.duration, [link()], [engine_reno()]));
    let engine = parshall_sim::run(&own, 1).expect("a run");

    let (theirs, ours) = (run.goodput(), goodput(&engine, "engine", 15.0));
    assert!((theirs / ours - 1.0).abs() < 0.01, "{theirs} and {ours} bit/s");
    let (theirs, ours) = (mean_delay(run.recording()), mean_delay(&engine));
    assert!((theirs - ours).abs() < 0.001, "{theirs} and {ours} s");
}

#[test]
fn reno_and_the_engines_reno_share_a_bottleneck() {
    let mut scenario = warmed_up(scenario(65.0, link()));
    scenario.flows.push(engine_reno());
    let run = Transfer::endless().with_options(reno()).run(scenario, ["a", "b"], 1).expect("a run");
    let (theirs, ours) = (run.goodput(), goodput(run.recording(), "engine", 60.0));
    assert!(theirs + ours > 9.4e6, "{theirs} and {ours} bit/s");
    assert!((0.4..2.5).contains(&(theirs / ours)), "{theirs} and {ours} bit/s");
}

#[test]
fn two_transfers_run_in_one_network() {
    let mut builder = Builder::new(warmed_up(scenario(35.0, link())));
    let first = builder.attach("first", "a", "b").expect("two hosts");
    let second = builder.attach("second", "a", "b").expect("two hosts");
    let mut network = builder.build().expect("a network");
    let transfer = Transfer::endless().with_options(reno());
    let mut pairs = [first, second].map(|ends| transfer.between(ends, 1, Time::from_secs(5.0)));
    let mut endpoints: Vec<_> = pairs.iter_mut().flat_map(|pair| pair.endpoints()).collect();
    network.run(&mut endpoints).expect("a run");
    let [first, second] = pairs.map(|pair| pair.receiver.application.counted() as f64 * 8.0 / 30.0);
    assert!(first + second > 9.4e6, "{first} and {second} bit/s");
    assert!((0.4..2.5).contains(&(first / second)), "{first} and {second} bit/s");
}

/// The figures of the README, for the version of smoltcp that is pinned.
#[test]
fn other_controls_do_what_the_readme_says() {
    let figures = |control| {
        let options = Options { control, ..Options::default() };
        let scenario = warmed_up(scenario(20.0, link()));
        let run = Transfer::endless().with_options(options).run(scenario, ["a", "b"], 1).expect("a run");
        (run.goodput() * 1e-6, mean_delay(run.recording()) * 1e3)
    };
    let (goodput, delay) = figures(CongestionControl::Cubic);
    assert!((goodput - 9.411).abs() < 0.001 && (delay - 39.97).abs() < 0.01, "{goodput} Mbit/s, {delay} ms");
    let (goodput, delay) = figures(CongestionControl::None);
    assert!((goodput - 0.079).abs() < 0.001 && (delay - 25.12).abs() < 0.01, "{goodput} Mbit/s, {delay} ms");
}
