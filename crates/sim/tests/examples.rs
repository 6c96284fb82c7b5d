//! The examples of the crate do what they say.

#[allow(dead_code)] // Their programs are not called.
#[path = "../examples/own_control.rs"]
mod own_control;
#[allow(dead_code)]
#[path = "../examples/run_file.rs"]
mod run_file;
#[allow(dead_code)]
#[path = "../examples/two_queues.rs"]
mod two_queues;

use own_control::Patient;
use parshall_sim::scenario::Scenario;
use parshall_sim::scenario::{CoDel, DropTail, Tcp};

#[test]
fn codel_keeps_the_delay_down_and_the_link_busy() {
    let droptail = two_queues::measured(DropTail::packets(200)).expect("a recording");
    let codel = two_queues::measured(CoDel::default()).expect("a recording");
    assert!(droptail.goodput > 9.0 && codel.goodput > 9.0, "{} {} Mbit/s", droptail.goodput, codel.goodput);
    assert!(
        droptail.delay > 5.0 * codel.delay && codel.delay < 15.0,
        "{} {} ms",
        droptail.delay,
        codel.delay
    );
    assert!(droptail.rtt > 1.5 * codel.rtt, "{} {} ms", droptail.rtt, codel.rtt);
}

#[test]
fn a_control_of_ones_own_does_what_it_is_told() {
    let (aimd, patient) = (Tcp::default(), Tcp::with_control_of(Patient::new(0.005)));
    let [(aimd, full), (patient, short)] =
        [aimd, patient].map(|tcp| own_control::measured(tcp).expect("a recording"));
    assert!(aimd > 9.0 && patient > 9.0, "{aimd} {patient} Mbit/s");
    assert!(short < 50.0 && full > 1.5 * short, "{full} {short} ms");
}

#[test]
fn a_file_is_run_with_many_seeds() {
    const TOML: &str = r#"
        duration = "20 s"
        [dumbbell]
        rate = "1 Mbit/s"
        delay = "20 ms"
        queue = { kind = "droptail", limit_packets = 20 }
        access_rate = "100 Mbit/s"
        access_delay = "1 ms"
        [[dumbbell.flows]]
        count = 2
        transport = { kind = "tcp" }
        app = { kind = "on-off", law = { kind = "exponential" }, rate = "2 Mbit/s", on = "1 s", off = "1 s" }
    "#;
    let scenario = Scenario::from_toml(TOML).expect("a scenario");
    let flows = run_file::goodputs(&scenario, 6).expect("recordings");
    assert!(flows.iter().map(|(name, _)| name.as_str()).eq(["f1", "f2"]), "{flows:?}");
    assert!(flows.iter().all(|(_, [mean, least, most])| least < mean && mean < most), "{flows:?}");
    let together: f64 = flows.iter().map(|(_, [mean, ..])| mean).sum();
    assert!((0.5..1.0).contains(&together), "{together} Mbit/s");
    let mut lost = scenario;
    lost.flows[0].destination = "nowhere".into();
    assert!(run_file::goodputs(&lost, 1).is_err());
}
