//! Each assertion where it should hold and where it should not.

use parshall_sim::net::{Datagram, Ecn, Endpoint};
use parshall_sim::scenario::Jitter;
use parshall_sim::units::Time;
use parshall_testkit::reference::{Receiver, Sender};
use parshall_testkit::{
    bufferbloat, check_same_trace_twice, codel, dsl, handover, lan, one_percent_loss, shallow_buffer,
    wifi_like, Kit, Report,
};

use crate::common::download;

/// The message of an assertion that does not hold.
fn message<E: std::fmt::Display>(result: Result<(), E>) -> String {
    result.expect_err("it should not hold").to_string()
}

#[test]
fn goodput() {
    let report = download(dsl(), Sender::bulk());
    report.goodput_at_least(0.9);
    let slow = download(one_percent_loss(), Sender::bulk());
    let text = message(slow.check().goodput_at_least(0.9));
    assert!(
        text.starts_with("goodput_at_least: expected goodput of at least 90.0 % of the 10.00 Mbit/s"),
        "{text}"
    );
    assert!((0.1..0.5).contains(&slow.share_of_link()), "{}", slow.share_of_link());
    // Without marks the payload that arrives counts, also what arrives twice.
    let mut run = dsl().build().expect("a network");
    run.drive(&mut Receiver::new(), &mut Sender::bulk()).expect("a run");
    let unmarked = run.finish().expect("a report");
    assert!((unmarked.goodput() / report.goodput() - 1.0).abs() < 0.02);
}

#[test]
fn queueing_delay() {
    download(codel(), Sender::bulk().with_ecn(Ecn::Ect0)).p95_delay_at_most(Time::ms(30.0));
    let text = message(download(bufferbloat(), Sender::bulk()).check().p95_delay_at_most(Time::ms(100.0)));
    assert!(text.contains("expected at most 100.0 ms in queues for 95 % of the datagrams"), "{text}");
    let silent = lan().build().expect("a network").finish().expect("a report");
    assert!(message(silent.check().p95_delay_at_most(Time::ms(1.0))).contains("got no datagram"));
}

#[test]
fn fairness() {
    let beside = download(codel().with_linux_cubic(1), Sender::bulk());
    beside.fair_beside_linux_cubic(0.3..=3.0).fair_beside_cross_traffic(0.3..=3.0);
    let text = message(beside.check().fair_beside_linux_cubic(5.0..=9.0));
    assert!(text.contains("expected 5 to 9 times the goodput of a cross flow"), "{text}");
    let alone = download(lan(), Sender::transfer(10_000));
    assert!(message(alone.check().fair_beside_linux_cubic(0.0..=9.0)).contains("got none"));
    let vegas = codel().with_cross_traffic("vegas".parse().expect("a control"), 2);
    let vegas = download(vegas.lasting(Time::from_secs(4.0)), Sender::bulk());
    vegas.fair_beside_cross_traffic(0.0..=1e3);
    assert!(message(vegas.check().fair_beside_linux_cubic(0.0..=1e3))
        .contains("a flow cross1 of another control"));
}

/// A sender of datagrams at a fixed rate, which after an instant pauses for a while.
struct Pausing {
    next: Time,
    pause: (Time, Time),
}

impl Endpoint for Pausing {
    fn receive(&mut self, _: Time, _: Datagram) {}
    fn expire(&mut self, _: Time) {}
    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        if now < self.next {
            return None;
        }
        self.next = now + Time::ms(1.0);
        if (self.pause.0..self.pause.1).contains(&self.next) {
            self.next = self.pause.1;
        }
        Some(Datagram::sized(1000))
    }
    fn timer(&mut self) -> Option<Time> {
        Some(self.next)
    }
}

fn paused(seconds: f64) -> Report {
    let mut run = handover().build().expect("a network");
    let pause = (Time::from_secs(8.0), Time::from_secs(8.0 + seconds));
    let mut server = Pausing { next: Time::ZERO, pause };
    run.drive(&mut Receiver::new(), &mut server).expect("a run");
    run.finish().expect("a report")
}

#[test]
fn recovery() {
    // The first datagram arrives 45 ms after the outage, and half of the link is filled 20 ms later.
    paused(0.0).recovers_within(3);
    let text = message(paused(0.0).check().recovers_within(1));
    assert!(text.contains("50.0 % of the link filled again within 1 round trips"), "{text}");
    let text = message(paused(1.3).check().recovers_within(20));
    assert!(text.contains("got after 10") && text.contains("ms, 2"), "{text}");
    assert!(message(paused(30.0).check().recovers_within(20)).contains("got never in the run"));
    let no_outage = download(lan(), Sender::transfer(1000));
    assert!(message(no_outage.check().recovers_within(1)).contains("no outage"));
    download(handover(), Sender::bulk()).recovers_within(100);
}

#[test]
fn spurious_retransmissions() {
    let patient = |threshold| Sender::transfer(3_000_000).with_reordering_threshold(threshold);
    let mut kit = wifi_like();
    // Room for all of slow start, so that nothing is lost.
    kit.scenario_mut().links[1].queue = std::sync::Arc::default();
    download(kit.clone(), patient(100)).no_spurious_retransmission_without_loss().no_loss();
    let hasty = download(kit, patient(3));
    let text = message(hasty.check().no_spurious_retransmission_without_loss());
    assert!(text.contains("1184 bytes sent again; nothing had been lost"), "{text}");
    // What follows a loss is excused.
    download(shallow_buffer(), Sender::bulk()).no_spurious_retransmission_without_loss();
    let unmarked = lan().build().expect("a network").finish().expect("a report");
    assert!(message(unmarked.check().no_spurious_retransmission_without_loss()).contains("no marks"));
}

#[test]
fn losses() {
    download(lan(), Sender::transfer(100_000)).no_loss();
    let text = message(download(one_percent_loss(), Sender::bulk()).check().no_loss());
    assert!(text.contains("lost (Link)"), "{text}");
}

#[test]
fn determinism() {
    let mut seed = 0;
    let mut run = |changes: bool| {
        let jittery = |kit: Kit| {
            let mut kit = kit;
            kit.scenario_mut().links[1].jitter = Some(Jitter { most: Time::ms(1.0), reorder: false });
            kit
        };
        check_same_trace_twice(|| {
            seed += u64::from(changes);
            download(jittery(dsl()).seed(seed), Sender::transfer(20_000))
        })
    };
    assert!(run(false).is_ok());
    let failure = run(true).map(|_| ()).expect_err("other seeds, other jitter");
    let text = failure.to_string();
    assert!(text.contains("the first run:") && text.contains("the second run:"), "{text}");
    assert_eq!(text.matches("  > ").count(), 2, "{text}");
}
