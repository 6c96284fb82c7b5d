//! Traces of the datagrams of outside endpoints, and paths that change them.

use parshall_sim::net::{Builder, Datagram, DropCause, Ecn, Event, Trace, TraceEvent};
use parshall_sim::scenario::{CoDel, Link, Scenario};
use parshall_sim::units::{Rate, Time};

/// Bytes of each datagram but one.
const BYTES: u32 = 1000;

/// A trace of ten datagrams with ECT(0) that leave at once, and of one that is larger than the path takes, over 1 Mbit/s and
/// 10 ms. The queue marks what waits longer than 20 ms.
fn trace(bleaches: bool) -> Trace {
    let queue = CoDel { ecn: true, ce_threshold: Some(Time::ms(20.0)), ..CoDel::default() };
    let link = Link::new(("a", "b"), Rate::mbit(1.0), Time::ms(10.0)).with_queue(queue);
    let mut builder = Builder::new(Scenario::new(Time::from_secs(1.0), [link], [])).traced();
    let [a, b] = builder.attach("marked", "a", "b").expect("two hosts");
    builder.set_path_mtu(a, 1280);
    if bleaches {
        builder.bleach_ecn(a);
    }
    let mut network = builder.build().expect("a network");
    for _ in 0..10 {
        let datagram = Datagram::sized(BYTES).with_payload_bytes(900).with_ecn(Ecn::Ect0);
        network.send(a, Time::ZERO, datagram).expect("room");
    }
    network.send(a, Time::ZERO, Datagram::sized(1500)).expect("room");
    network.send(b, Time::ms(500.0), Datagram::sized(BYTES).with_ecn(Ecn::Ect1)).expect("room");
    while !matches!(network.next().expect("a run"), Event::End) {}
    network.trace().expect("it was asked for").clone()
}

fn received(trace: &Trace) -> Vec<Ecn> {
    let received = trace.entries().iter().filter(|entry| entry.event == TraceEvent::Received);
    received.map(|entry| entry.ecn).collect()
}

#[test]
fn bleaching_hides_from_queues_that_packets_can_be_marked() {
    let marked = received(&trace(false));
    // A packet takes 8 ms: the fifth has waited 32 ms, the third 16.
    assert_eq!(marked[..3], [Ecn::Ect0; 3]);
    assert_eq!(marked[4..10], [Ecn::Ce; 6]);
    let bleached = received(&trace(true));
    assert_eq!(bleached[..10], [Ecn::NotEct; 10]);
    // The other direction is left alone.
    assert_eq!((marked[10], bleached[10]), (Ecn::Ect1, Ecn::Ect1));
}

#[test]
fn a_trace_tells_when_a_datagram_was_sent() {
    let trace = trace(true);
    let sent = trace.entries().iter().filter(|entry| entry.event == TraceEvent::Sent);
    assert!(sent.clone().all(|entry| entry.sent_at == entry.at));
    assert_eq!(sent.filter(|entry| entry.ecn == Ecn::Ect0).count(), 10);
    let arrived = trace.entries().iter().filter(|entry| entry.event == TraceEvent::Received);
    for (number, entry) in arrived.take(10).enumerate() {
        assert_eq!((entry.wire_bytes, entry.payload_bytes, entry.sent_at), (BYTES, 900, Time::ZERO));
        let transmission = Rate::mbit(1.0).transmission(BYTES * (number as u32 + 1));
        assert_eq!(entry.at, transmission + Time::ms(10.0));
    }
    let refused = TraceEvent::Dropped(DropCause::PathMtu);
    assert_eq!(trace.entries().iter().filter(|entry| entry.event == refused).count(), 1);
}
