//! Transfers by QUIC over a relay with the simulator's queue. Each takes 5 s; no test looks at how fast anything is.

#![cfg(all(target_os = "linux", feature = "library"))]

#[path = "../examples/transfer/flow.rs"]
mod flow;
#[path = "../examples/transfer/names.rs"]
mod names;

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use flow::Transfer;
use names::named;
use parshall_link::{Options, Priority, Relay};
use parshall_sim::scenario::{DropTail, Flow, Link, Scenario, Tcp};
use parshall_sim::units::{Rate, Time};

fn free() -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    socket.local_addr().expect("an address")
}

/// Transfers for 5 s over 4 Mbit/s by a control.
fn transferred(control: &str) {
    let link = Link::new(("a", "b"), Rate::mbit(4.0), Time::ms(10.0)).with_queue(DropTail::packets(40));
    let flow = Flow::bulk("f", "a", "b", Tcp::default());
    let scenario = Scenario::new(Time::from_secs(600.0), [link], [flow]);
    let server = free();
    let options = Options::new((Ipv4Addr::LOCALHOST, 0).into(), server).with_priority(Priority::Normal);
    let relay = Relay::start(scenario, &options).expect("a relay");
    let transfer = Transfer {
        control: named(control).expect("a control"),
        server,
        relay: relay.listening(),
        time: Duration::from_secs(5),
        warm_up: Duration::ZERO,
    };
    let outcome = transfer.run().unwrap_or_else(|error| panic!("{control}: {error}"));
    let relayed = relay.finish().expect("a recording");
    let ports = relayed.recording.table("ports").expect("ports");
    let departed = ports.u64("bytes_departed").expect("bytes")[0];
    // What came out of the stream has passed the link, and the link has kept its rate.
    assert!(outcome.bytes > 50_000, "{control}: {outcome:?}");
    assert!(departed >= outcome.bytes, "{control}: {departed} {outcome:?}");
    assert!(departed as f64 <= 4e6 / 8.0 * (relayed.elapsed.as_secs_f64() + 0.1), "{control}: {departed}");
    let held = ports.u64("max_backlog_packets").expect("packets")[0];
    assert!(held <= 40, "{control}: {held}");
    assert!(outcome.srtt >= 0.02, "{control}: {outcome:?}");
    assert_eq!(outcome.goodput, 8.0 * outcome.bytes as f64 / 5.0);
    assert!(outcome.packets_lost < outcome.packets_sent, "{control}: {outcome:?}");
    assert!(outcome.congestion_events <= outcome.packets_lost, "no queue marks: {control}: {outcome:?}");
}

#[test]
fn cubic_transfers() {
    transferred("cubic");
}

#[test]
fn bbr_transfers() {
    transferred("bbr");
}

#[test]
fn copa_transfers() {
    transferred("copa");
}

#[test]
fn names_that_nobody_knows_are_told() {
    assert!(named("nobody").err().expect("no control").to_string().contains("nobody"));
}
