//! Effects of a network reach quinn: marks, a small path MTU, outages, losses.

use std::sync::Arc;

use parshall_quinn::sim::UNBOUNDED;
use parshall_sim::net::{DropCause, Ecn, TraceEvent};
use parshall_sim::scenario::{CoDel, Link, LinkEvent, Outage, Reverse};
use parshall_sim::units::{Rate, Time};
use quinn_proto::TransportConfig;

use crate::{between, deep, over, seconds};

#[test]
fn marks_reach_quinn_and_no_packet_is_lost() {
    let mut pair = over(10.0, CoDel { ecn: true, ..CoDel::default() }).build().expect("a pair");
    pair.client.send(Time::ZERO, UNBOUNDED);
    let run = pair.run().expect("a run");
    let marked = run.recording.table("ports").expect("ports").u64("packets_marked").expect("a column")[0];
    let stats = run.client.stats.expect("a connection").path;
    assert!(marked >= 5, "{marked}");
    // quinn reduces its window for marks, once a round trip, and has had no other reason to.
    assert!((1..=marked).contains(&stats.congestion_events), "{stats:?}");
    assert_eq!(stats.lost_packets, 0, "{stats:?}");
    // It has found that the path keeps ECN bits: packets at the end still have them.
    let [client, server] = [0, 1].map(parshall_sim::net::EndpointId::from_number);
    let last: Vec<_> = run.trace.between(seconds(9.0), seconds(10.0)).collect();
    let of = |endpoint, event| last.iter().filter(move |it| it.endpoint == endpoint && it.event == event);
    assert!(of(client, TraceEvent::Sent).all(|it| it.ecn == Ecn::Ect0));
    assert!(of(server, TraceEvent::Received).all(|it| matches!(it.ecn, Ecn::Ect0 | Ecn::Ce)));
}

#[test]
fn a_path_mtu_is_found_where_larger_datagrams_vanish() {
    for path_mtu in [1280, 1400] {
        let mut pair = over(5.0, deep()).path_mtu(path_mtu).build().expect("a pair");
        pair.client.send(Time::ZERO, 2_000_000);
        let run = pair.run().expect("a run");
        let found = run.client.stats.expect("a connection").path;
        // Headers of IP and UDP have 28 bytes; the search ends when a step is no more than 20 bytes.
        let most = path_mtu - 28;
        assert!(found.current_mtu <= most && found.current_mtu + 30 > most, "{path_mtu}: {found:?}");
        assert!(found.lost_plpmtud_probes > 0 && found.black_holes_detected == 0, "{found:?}");
        assert_eq!(run.server.received_bytes, 2_000_000);
        let vanished =
            |it: &&parshall_sim::net::TraceEntry| it.event == TraceEvent::Dropped(DropCause::PathMtu);
        assert!(run.trace.entries().iter().filter(vanished).all(|it| it.wire_bytes > path_mtu.into()));
    }
}

#[test]
fn a_black_hole_is_noticed() {
    let mut transport = TransportConfig::default();
    transport.initial_mtu(1452).min_mtu(1200);
    let transport = Arc::new(transport);
    // The client believes in packets of 1452 bytes from the start, and none of them arrives.
    let setup = over(20.0, deep()).path_mtu(1280).client_transport(transport);
    let mut pair = setup.build().expect("a pair");
    pair.client.send(Time::ZERO, 200_000);
    let run = pair.run().expect("a run");
    let stats = run.client.stats.expect("a connection").path;
    assert!(stats.black_holes_detected >= 1 && stats.current_mtu <= 1252, "{stats:?}");
    assert_eq!(run.server.received_bytes, 200_000);
}

/// A link whose both directions lose all from 3 s on for a while.
fn broken(lasts: f64) -> Link {
    let outage = LinkEvent::Outage(Outage {
        start: seconds(3.0),
        end: seconds(3.0 + lasts),
        of: parshall_sim::scenario::LossOf::default(),
    });
    let mut link = Link::new(("client", "server"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(deep());
    link.events.push(outage.clone());
    link.with_reverse(Reverse { events: vec![outage], ..Reverse::default() })
}

#[test]
fn a_transfer_recovers_from_an_outage() {
    let mut pair = between(broken(2.0), 20.0).build().expect("a pair");
    let upload = pair.client.send(Time::ZERO, 10_000_000);
    let run = pair.run().expect("a run");
    let took = run.client.transfer(upload).completion_time().expect("its end").secs();
    // 8.4 s without the outage. Probes back off while it lasts, and the window begins anew after it.
    assert!((10.4..13.0).contains(&took), "{took}");
    let stats = run.client.stats.expect("a connection").path;
    assert!(stats.lost_packets > 30, "{stats:?}");
    // Nothing arrived while it lasted, but for what the queue had.
    let meanwhile = run.trace.between(seconds(3.2), seconds(5.0));
    assert_eq!(meanwhile.filter(|it| it.event == TraceEvent::Received).count(), 0);
}

#[test]
fn a_lost_connection_is_an_error_and_leaves_a_recording() {
    let mut pair = between(broken(60.0), 100.0).build().expect("a pair");
    let upload = pair.client.send(Time::ZERO, UNBOUNDED);
    let error = pair.drive().expect_err("a lost connection").to_string();
    assert!(error.starts_with("endpoint quic at "), "{error}");
    assert!(
        error.contains(", expire at 33.") && error.ends_with(" s: connection lost: timed out"),
        "{error}"
    );
    let run = pair.finish().expect("what came before");
    assert_eq!(run.client.transfer(upload).finished, None);
    assert!(run.ended > seconds(33.0) && run.ended < seconds(34.0), "{}", run.ended.secs());
    assert!(run.server.received_bytes > 2_000_000);
}
