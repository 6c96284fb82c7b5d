//! Networks with endpoints that belong to the caller: they are the same networks, and nothing about datagrams is lost.

use std::collections::BTreeMap;
use std::task::Poll;

use parshall_sim::net::{Arrival, Builder, Datagram, DropCause, Ecn, EndpointId, Event, Network, TraceEvent};
use parshall_sim::run;
use parshall_sim::scenario::{Flow, Link, Scenario, Tcp};
use parshall_sim::units::{Rate, Time};
use proptest::prelude::*;

use crate::common::recorded::{bits, counts};
use crate::common::scenario;

fn end_of(network: &mut Network) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        match network.next().expect("a run") {
            Event::End => return events,
            event => events.push(event),
        }
    }
}

/// Hosts of a scenario between which there is a way.
fn ends(scenario: &Scenario) -> (String, String) {
    let flow = &scenario.flows[0];
    (flow.source.to_string(), flow.destination.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn silent_endpoints_leave_no_trace(scenario in scenario(), seed in 0..1000u64, wakes in 0..20u32) {
        let (a, b) = ends(&scenario);
        let mut builder = Builder::new(scenario.clone()).seed(seed);
        let [first, _] = builder.attach("outside", &a, &b).expect("two hosts");
        let mut network = builder.build().expect("a network");
        // To be woken is not to send.
        for number in 0..wakes {
            let at = Time::from_ps(scenario.duration.ps() / 20 * u64::from(number));
            network.wake(first, at).expect("an endpoint");
            let _ = network.next_before(at + Time::from_ps(1)).expect("a run");
        }
        end_of(&mut network);
        let recording = network.finish().expect("a recording");
        let alone = run(&scenario, seed).expect("a run");
        prop_assert_eq!(bits(&recording), bits(&alone));
        prop_assert_eq!(recording.names(), alone.names());
    }

    #[test]
    fn each_datagram_has_one_fate_and_one_seed_one_trace(
        scenario in scenario(),
        seed in 0..1000u64,
        datagrams in prop::collection::vec((0.0..1.0f64, any::<bool>(), 1..1500u32, 0..4u8, 0..64u8, 0..5u64), 1..200),
    ) {
        let traces = [(); 2].map(|()| driven(&scenario, seed, &datagrams));
        prop_assert_eq!(&traces[0], &traces[1]);
    }
}

/// The same as [`end_of`], by way of [`Network::poll_before`]; also how often it was pending.
fn end_by_polling(network: &mut Network) -> (Vec<Event>, u32) {
    let (mut events, mut pending) = (Vec::new(), 0);
    loop {
        let before = network.now();
        match network.poll_before(Time::NEVER).expect("a run") {
            Poll::Ready(Some(event)) => events.push(event),
            Poll::Ready(None) => return (events, pending),
            Poll::Pending => {
                pending += 1;
                assert!(before <= network.now() && network.now() < network.end());
            }
        }
    }
}

#[test]
fn a_network_that_is_polled_comes_back_in_long_stretches_and_is_the_same() {
    let link = Link::new(("a", "b"), Rate::mbit(100.0), Time::ms(5.0));
    let flow = Flow::bulk("f", "a", "b", Tcp::default());
    let mut builder = Builder::new(Scenario::new(Time::from_secs(2.0), [link], [flow])).traced();
    let [a, _] = builder.attach("outside", "a", "b").expect("two hosts");
    let networks = [(); 2].map(|()| {
        let mut network = builder.clone().build().expect("a network");
        for at in [0.5, 1.5] {
            network.send(a, Time::from_secs(at), Datagram::sized(1000)).expect("room");
        }
        network
    });
    let [mut first, mut second] = networks;
    let (polled, pending) = end_by_polling(&mut second);
    assert_eq!(end_of(&mut first).len(), polled.len());
    assert!(pending > 4, "it was pending {pending} times");
    assert_eq!(first.trace(), second.trace());
    let recordings = [first, second].map(|network| bits(&network.finish().expect("a recording")));
    assert_eq!(recordings[0], recordings[1]);
}

type Drawn = (f64, bool, u32, u8, u8, u64);

/// Sends datagrams at drawn instants and checks what becomes of them. Returns what can be compared.
fn driven(scenario: &Scenario, seed: u64, datagrams: &[Drawn]) -> (u64, Vec<u64>) {
    let (a, b) = ends(scenario);
    let mut builder = Builder::new(scenario.clone()).seed(seed).traced();
    let pair = builder.attach("outside", &a, &b).expect("two hosts");
    let mut network = builder.build().expect("a network");
    for (tag, &(at, back, bytes, ecn, dscp, key)) in (0..).zip(datagrams) {
        let at = Time::from_secs(at * scenario.duration.secs());
        let datagram = Datagram::sized(bytes).with_ecn(Ecn::from_bits(ecn)).with_dscp(dscp);
        let datagram = datagram.with_key(key).with_tag(tag).with_payload_bytes(bytes / 2);
        network.send(pair[usize::from(back)], at, datagram).expect("room");
    }
    let mut fates: BTreeMap<u64, EndpointId> = BTreeMap::new();
    let (mut arrived, mut last) = ([0u64; 2], Time::ZERO);
    for event in end_of(&mut network) {
        let (from, at, sent_at, datagram, bytes) = match event {
            Event::Arrival(Arrival { endpoint, at, sent_at, datagram }) => {
                let back = usize::from(endpoint == pair[0]);
                arrived[back] += u64::from(at >= scenario.warm_up);
                let bytes = datagram.wire_bytes();
                (pair[back], at, sent_at, datagram, bytes)
            }
            Event::Dropped(dropped) => {
                assert_ne!(dropped.cause, DropCause::PathMtu);
                (dropped.endpoint, dropped.at, dropped.sent_at, dropped.datagram.clone(), 0)
            }
            other => panic!("{other:?}"),
        };
        let (_, back, sent_bytes, ecn, ..) = datagrams[datagram.tag() as usize];
        assert_eq!(from, pair[usize::from(back)]);
        assert!(bytes == 0 || bytes == sent_bytes);
        assert!(sent_at <= at && last <= at, "time goes on");
        assert!(datagram.ecn() == Ecn::from_bits(ecn) || (datagram.ecn() == Ecn::Ce && ecn != 0));
        assert_eq!(fates.insert(datagram.tag(), from), None, "one fate");
        last = at;
    }
    let digest = network.trace().expect("it was asked for").digest();
    let received = |event: TraceEvent| matches!(event, TraceEvent::Received);
    let entries = network.trace().expect("it was asked for").entries();
    assert_eq!(entries.len(), datagrams.len() + fates.len());
    assert!(entries.iter().filter(|entry| received(entry.event)).count() as u64 >= arrived.iter().sum());
    let recording = network.finish().expect("a recording");
    let flow = scenario.flows.len();
    for (column, count) in [("packets_received", arrived[0]), ("acks_received", arrived[1])] {
        assert_eq!(counts(&recording, "flows", column)[flow], count, "{column}");
    }
    // What has no fate is on its way still.
    let ahead = datagrams.iter().zip(0..).filter(|&(&(_, back, ..), tag)| !back && !fates.contains_key(&tag));
    assert_eq!(counts(&recording, "flows", "packets_in_flight")[flow], ahead.count() as u64);
    (digest, counts(&recording, "ports", "packets_arrived"))
}
