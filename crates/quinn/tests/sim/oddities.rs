//! Two oddities of quinn-proto 0.11.19 that a network of one's own for tests does not show.

use std::sync::Arc;

use parshall_quinn::sim::{Run, Setup, UNBOUNDED};
use parshall_quinn::Controls;
use parshall_sim::net::Builder;
use parshall_sim::scenario::{DropTail, Jitter, Link, Reverse, Scenario};
use parshall_sim::units::{Rate, Time};
use quinn_proto::congestion::{BbrConfig, ControllerFactory};
use quinn_proto::TransportConfig;

use crate::{between, large_windows, seconds};

type Control = Arc<dyn ControllerFactory + Send + Sync>;

/// A transfer over the bottleneck of `examples/quic`, behind an access link of this rate, with ACKs that come up to so much late.
/// Returns the share of packets that were lost.
fn lost(control: &Control, access: Rate, ack_jitter: Time, seed: u64) -> f64 {
    let mut transport = large_windows();
    transport.congestion_controller_factory(control.clone());
    let jitter = (ack_jitter > Time::ZERO).then_some(Jitter { most: ack_jitter, reorder: false });
    let links = [
        Link::new(("client", "router"), access, Time::ms(1.0)),
        Link::new(("router", "server"), Rate::mbit(20.0), Time::ms(19.0))
            .with_queue(DropTail::packets(100))
            .with_reverse(Reverse { jitter, ..Reverse::default() }),
    ];
    let setup = Setup::between(Builder::new(Scenario::new(seconds(6.0), links, [])), "client", "server");
    let mut pair = setup.expect("two hosts").seed(seed).transport(transport).build().expect("a pair");
    pair.client.send(Time::ZERO, UNBOUNDED);
    let stats = pair.run().expect("a run").client.stats.expect("a connection").path;
    stats.lost_packets as f64 / stats.sent_packets as f64
}

/// quinn's BBR takes what two ACKs in a row acknowledge over the time between them for the bandwidth, and keeps the largest of ten
/// rounds. ACKs for two packets of 1500 bytes come 1.2 ms apart; half a millisecond of jitter makes some of them come close together.
#[test]
fn bbr_of_quinn_loses_half_of_its_packets_once_acks_jitter() {
    let theirs: Control = Arc::new(BbrConfig::default().initial_window(14_720).to_owned());
    let ours: Control = Arc::new(Controls::new("bbr".parse().expect("a control")).expect("a control"));
    let (fast, slow) = (Rate::mbit(10_000.0), Rate::mbit(120.0));
    for seed in 1..=4 {
        let of = |control, access, jitter| lost(control, access, Time::ms(jitter), seed);
        let (even, spaced, uneven) = (of(&theirs, fast, 0.0), of(&theirs, slow, 0.0), of(&theirs, fast, 0.5));
        assert!(even < 0.15 && uneven > 0.35, "seed {seed}: {even} {uneven}");
        // Bursts whose packets leave 100 us apart do no harm.
        assert!(spaced < 0.15, "seed {seed}: {spaced}");
        let without = of(&ours, fast, 0.5);
        assert!(without < 0.03, "seed {seed}: {without}");
    }
}

/// A transfer over 500 Mbit/s.
fn fast(transport: TransportConfig, seed: u64) -> (Result<(), String>, Run) {
    let link = Link::new(("client", "server"), Rate::mbit(500.0), Time::ms(20.0));
    let setup = between(link.with_queue(DropTail::packets(1667)), 1.5).transport(transport);
    let mut pair = setup.seed(seed).build().expect("a pair");
    pair.client.send(Time::ZERO, UNBOUNDED);
    let driven = pair.drive().map_err(|error| error.to_string());
    (driven, pair.finish().expect("what came before"))
}

/// A receiver keeps no more than 1024 pieces of a stream that are not in order. Slow start overshoots a queue of a bandwidth-delay
/// product by some thousand packets, with a gap at every second one.
#[test]
fn a_fast_transfer_with_large_windows_is_ended_by_its_receiver() {
    for seed in 1..=2 {
        let (driven, run) = fast(large_windows(), seed);
        let error = driven.expect_err("an end");
        assert!(error.starts_with("endpoint quic at server, receive at 0.5"), "{error}");
        assert!(
            error.contains("connection lost: ") && error.contains("too many gaps in stream buffer"),
            "{error}"
        );
        assert!(run.client.stats.expect("a connection").path.lost_packets > 500);
    }
    // quinn's default windows hold 1.25 MB, less than the bandwidth-delay product.
    let (driven, run) = fast(TransportConfig::default(), 1);
    assert_eq!(driven, Ok(()));
    assert_eq!(run.client.stats.expect("a connection").path.lost_packets, 0);
}
