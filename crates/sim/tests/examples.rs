//! The examples of the crate do what they say.

#[allow(dead_code)] // Their programs are not called.
#[path = "../examples/own_control.rs"]
mod own_control;
#[allow(dead_code)]
#[path = "../examples/two_queues.rs"]
mod two_queues;

use own_control::Patient;
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
