//! Every network, with the reference endpoints and with single datagrams.

use std::fmt::Write;

use parshall_sim::net::{Datagram, DropCause, Ecn, Event, TraceEvent};
use parshall_sim::scenario::{Link, Queue, Scenario};
use parshall_sim::units::{Rate, Time};
use parshall_testkit::reference::Sender;
use parshall_testkit::{all, check_same_trace_twice, codel, dsl, ecn_bleaching, lan, path_mtu_1280, Kit};

use crate::common::{download, upload};

#[test]
fn every_network_ends_keeps_count_and_is_deterministic() {
    for kit in all() {
        let name = kit.name().to_string();
        // A quarter as long is enough, but for the handover, which comes after 8 s.
        let duration = kit.scenario().duration;
        let shorter = Time::from_ps(duration.ps() / 4);
        let kit = kit.lasting(if name == "handover" { Time::from_secs(10.0) } else { shorter });
        let run = || download(kit.clone(), Sender::bulk().with_ecn(Ecn::Ect0));
        let report = check_same_trace_twice(run).expect("one trace");
        assert!(report.goodput() > 1e5, "{name}: {} bit/s", report.goodput());
        let entries = report.trace().entries();
        let count = |wanted: fn(&TraceEvent) -> bool| entries.iter().filter(|entry| wanted(&entry.event)).count();
        let sent = count(|event| *event == TraceEvent::Sent);
        let over = count(|event| *event != TraceEvent::Sent);
        assert!(over <= sent, "{name}");
        // What is still on its way fits into the window of this sender, and as many acknowledgements.
        let on_the_way = sent - over;
        let flight = report.recording().table("flows").expect("flows").i64("packets_in_flight");
        drop(flight);
        assert!(on_the_way < sent / 2, "{name}: {on_the_way} of {sent}");
    }
}
