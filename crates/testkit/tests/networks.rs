//! Every network, with the reference endpoints and with single datagrams.

use std::fmt::Write;

use parshall_sim::net::{Datagram, DropCause, Ecn, Event, TraceEvent};
use parshall_sim::scenario::{DropTail, Queue};
use parshall_sim::units::{Rate, Time};
use parshall_testkit::reference::Sender;
use parshall_testkit::{all, check_same_trace_twice, codel, dsl, ecn_bleaching, lan, path_mtu_1280, Kit};
use parshall_testkit::{Report, BOTTLENECK};

use crate::common::{download, upload};

/// A count of the flow that the endpoints are.
fn count(report: &Report, column: &str) -> u64 {
    let flow = report.recording().flow("stack").expect("the flow");
    report.recording().table("flows").expect("flows").u64(column).expect(column)[flow]
}

#[test]
fn every_network_ends_keeps_count_and_is_deterministic() {
    for mut kit in all() {
        let name = kit.name().to_string();
        // A quarter is long enough, but for the handover, which comes after 8 s.
        let quarter = Time::from_ps(kit.scenario().duration.ps() / 4);
        kit = kit.lasting(if name == "handover" { Time::from_secs(10.0) } else { quarter });
        kit.scenario_mut().warm_up = Time::ZERO;
        let run = || download(kit.clone(), Sender::bulk().with_ecn(Ecn::Ect0));
        let report = check_same_trace_twice(run).expect("one trace");
        assert!(report.goodput() > 1e5, "{name}: {} bit/s", report.goodput());
        let entries = report.trace().entries();
        let data = |wanted: fn(&TraceEvent) -> bool| {
            let large = entries.iter().filter(|entry| entry.wire_bytes > 1000);
            large.filter(|entry| wanted(&entry.event)).count() as u64
        };
        let sent = data(|event| *event == TraceEvent::Sent);
        let received = data(|event| *event == TraceEvent::Received);
        let lost = data(|event| matches!(event, TraceEvent::Dropped(_)));
        assert_eq!((count(&report, "packets_sent"), count(&report, "packets_received")), (sent, received));
        let lost_and_ahead = lost + count(&report, "packets_in_flight");
        assert_eq!(sent, received + lost_and_ahead, "{name}: each datagram has one fate");
        // The application gets nothing twice.
        let delivered: u64 = report.marks().expect("marks").delivered().iter().map(|(_, bytes)| bytes).sum();
        assert!(delivered <= 1184 * received, "{name}");
    }
}

/// The instants at which a datagram of 1000 bytes arrives, sent at 1 s in each direction by itself.
fn alone(kit: Kit) -> [Time; 2] {
    let mut run = kit.build().expect("a network");
    let at = Time::from_secs(0.5);
    let mut arrivals = [Time::ZERO; 2];
    for (number, from) in [run.server, run.client].into_iter().enumerate() {
        run.network.send(from, at + Time::ms(number as f64), Datagram::sized(1000)).expect("sent");
    }
    loop {
        match run.network.next().expect("a run") {
            Event::Arrival(arrival) => {
                arrivals[usize::from(arrival.endpoint == run.server)] = arrival.at.since(arrival.sent_at);
            }
            Event::End => return arrivals,
            _ => {}
        }
    }
}

#[test]
fn round_trips_are_what_kits_say() {
    for kit in all() {
        let name = kit.name();
        // Jitter, random losses and what a recording leaves are no part of the base.
        if ["wifi_like", "lte", "one_percent_loss"].contains(&name) {
            continue;
        }
        let (base, rates) = (kit.base_rtt().expect("a way"), [kit.clone(), kit.clone().upload()]);
        let narrow = rates.map(|kit| kit.rate().expect("a way").transmission(1000));
        let fast = kit.scenario().links[0].rate.transmission(1000);
        let [down, up] = alone(kit.clone());
        let expected = base + narrow[0] + narrow[1] + fast + fast;
        assert!((down + up).ps().abs_diff(expected.ps()) <= 4, "{name}: {down:?} {up:?} {expected:?}");
    }
}

#[test]
fn delays_over_empty_queues_are_none() {
    for kit in [dsl(), lan(), path_mtu_1280()] {
        let report = download(kit, Sender::transfer(1000));
        let mut all = report.delays();
        all.dedup();
        assert!(all.iter().all(|delay| delay.queueing <= Time::from_ps(2)), "{all:?}");
    }
}

#[test]
fn bleaching_clears_marks_that_codel_would_set() {
    let seen = |kit: Kit, wanted: Ecn| {
        let report = download(kit, Sender::bulk().with_ecn(Ecn::Ect0));
        let received = report.trace().entries().iter().filter(|entry| entry.event == TraceEvent::Received);
        received.filter(|entry| entry.wire_bytes > 1000 && entry.ecn == wanted).count()
    };
    assert!(seen(codel(), Ecn::Ce) > 0);
    assert_eq!(seen(ecn_bleaching(), Ecn::Ce) + seen(ecn_bleaching(), Ecn::Ect0), 0);
}

#[test]
fn what_is_larger_than_the_path_mtu_vanishes() {
    let report = download(path_mtu_1280(), Sender::bulk().with_datagram_bytes(1281));
    assert!(report.drops().count() > 3 && report.goodput() == 0.0);
    assert!(report.drops().all(|entry| entry.event == TraceEvent::Dropped(DropCause::PathMtu)));
    assert!(report.check().no_loss().is_err());
    let report = download(path_mtu_1280(), Sender::bulk().with_datagram_bytes(1280));
    report.goodput_at_least(0.9);
}

#[test]
fn an_upload_is_measured_by_the_uplink() {
    let kit = dsl().with_linux_cubic(1).upload().upload();
    assert_eq!(kit.rate().expect("a way"), Rate::mbit(1.0));
    assert_eq!(kit.bottleneck().expect("a way"), "client->router");
    assert_eq!(kit.scenario().flows[0].source, "client");
    let report = upload(dsl(), Sender::bulk());
    assert!((0.9..0.97).contains(&report.share_of_link()), "{}", report.share_of_link());
    assert!(report.delay_quantile(0.95) > Some(Time::ms(300.0)), "a queue of 600 ms");
}

#[test]
fn kits_can_be_changed() {
    let mut kit = codel();
    kit.scenario_mut().links[1].rate = Rate::mbit(2.0);
    kit.scenario_mut().links[1].queue = std::sync::Arc::new(DropTail::packets(5).into());
    assert_eq!(kit.rate().expect("a way"), Rate::mbit(2.0));
    let report = download(kit.clone().lasting(Time::from_secs(4.0)), Sender::bulk());
    assert!((report.link_rate() - 2e6).abs() < 1.0 && report.goodput() < 2e6);
    assert_eq!(report.span(), (Time::from_secs(1.0), Time::from_secs(4.0)));
    kit.scenario_mut().links[1].name = None;
    let error = kit.build().map(|_| ()).expect_err("no bottleneck").to_string();
    assert_eq!(
        error,
        format!("network codel: 2 links, expected a way from server to client over one called {BOTTLENECK}")
    );
}

/// The table in the documentation, from the networks themselves.
fn table() -> String {
    let mut text =
        "| network | down | up | base RTT | queue down | lasts | besides |\n|---|---|---|---|---|---|---|\n"
            .to_string();
    for kit in all() {
        let rates = [kit.clone(), kit.clone().upload()].map(|kit| kit.rate().expect("a way").bps() / 1e6);
        let (rtt, seconds) = (kit.base_rtt().expect("a way").secs() * 1e3, kit.scenario().duration.secs());
        let queue = match &*kit.scenario().links[1].queue {
            Queue::Droptail(DropTail { limit_packets: Some(packets), .. }) => format!("{packets} packets"),
            Queue::Droptail(DropTail { limit_bytes: Some(bytes), .. }) => format!("{} kB", bytes / 1000),
            Queue::Codel(_) => "CoDel".to_string(),
            Queue::FqCodel(_) => "FQ-CoDel".to_string(),
            other => panic!("{other:?} has no name here"),
        };
        let name = kit.name();
        let [down, up] = rates.map(|rate| format!("{}", (rate * 10.0).round() / 10.0));
        let _ = writeln!(
            text,
            "| `{name}` | {down} Mbit/s | {up} Mbit/s | {} ms | {queue} | {seconds} s | {} |",
            (rtt * 10.0).round() / 10.0,
            kit.about()
        );
    }
    text
}

#[test]
fn the_table_in_the_documentation_is_that_of_the_networks() {
    let table = table();
    assert_eq!(include_str!("../src/networks.md"), table, "src/networks.md should be:\n{table}");
}
