//! Networks with endpoints that belong to the caller: they are the same networks, and nothing about datagrams is lost.

use std::collections::BTreeMap;
use std::task::Poll;

use parshall_sim::net::{
    Arrival, Builder, Datagram, DropCause, Ecn, Endpoint, EndpointId, Event, Network, TraceEvent,
};
use parshall_sim::scenario::{Flow, Link, Scenario, Tcp};
use parshall_sim::units::{Rate, Time};
use parshall_sim::{run, Recording};
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

/// All events, as [`end_of`] has them, by way of [`Network::poll_before`]; also how often it was pending.
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

/// A client and a server with a router between, and a link of 1 Mbit/s in front of the server.
fn narrow(more: &str) -> Builder {
    let toml = format!(
        r#"
        duration = "10 s"
        hosts = ["client", "server"]
        routers = ["r"]
        links = [
            {{ between = ["client", "r"], rate = "1 Gbit/s", delay = "1 ms" }},
            {{ between = ["r", "server"], rate = "1 Mbit/s", delay = "9 ms", queue = {{ kind = "droptail", limit_packets = 2 }} }},
        ]
        [[flows]]
        name = "download"
        source = "server"
        destination = "client"
        transport = {{ kind = "tcp" }}
        app = "bulk"
        start = 10
        {more}
        "#
    );
    Builder::new(Scenario::from_toml(&toml).unwrap_or_else(|faults| panic!("{faults}")))
}

fn ms(ms: f64) -> Time {
    Time::ms(ms)
}

#[test]
fn delays_and_drops_follow_from_rates() {
    let mut builder = narrow("");
    let [client, server] = builder.attach("calls", "client", "server").expect("two hosts");
    let mut network = builder.build().expect("a network");
    for tag in 0..4 {
        network.send(client, ms(1.0), Datagram::sized(1000).with_tag(tag)).expect("room");
    }
    // 8 us a packet on the first link and 8 ms on the second, whose queue holds one behind the one in transmission.
    let first = |number: f64| ms(1.0 + 0.008 * number + 1.0);
    let events = end_of(&mut network);
    let fates: Vec<_> = events
        .iter()
        .map(|event| match event {
            Event::Arrival(it) => (it.endpoint == server, it.datagram.tag(), it.at),
            Event::Dropped(it) => (it.endpoint != client, it.datagram.tag(), it.at),
            other => panic!("{other:?}"),
        })
        .collect();
    let there = |number: f64| first(1.0) + ms(8.0 * number + 9.0);
    let expected =
        [(false, 2, first(3.0)), (false, 3, first(4.0)), (true, 0, there(1.0)), (true, 1, there(2.0))];
    assert_eq!(fates, expected);
}

#[test]
fn an_endpoint_may_act_between_two_events() {
    let mut builder = narrow("");
    let [client, server] = builder.attach("calls", "client", "server").expect("two hosts");
    let mut network = builder.build().expect("a network");
    network.wake(client, ms(5.0)).expect("an endpoint");
    network.wake(client, ms(3.0)).expect("an endpoint");
    network.wake(server, ms(4.0)).expect("an endpoint");
    network.cancel_wake(server).expect("an endpoint");
    assert_eq!(network.next_at(), ms(3.0));
    assert!(
        matches!(network.next(), Ok(Event::Wake { endpoint, at }) if (endpoint, at) == (client, ms(3.0)))
    );
    assert!(matches!(network.next_before(ms(50.0)), Ok(None)));
    assert_eq!(network.now(), ms(50.0));
    network.send(server, ms(60.0), Datagram::sized(125)).expect("room");
    network.send(server, ms(50.0), Datagram::sized(250)).expect("room");
    let sizes: Vec<_> = end_of(&mut network)
        .iter()
        .map(|event| match event {
            Event::Arrival(it) => (it.datagram.wire_bytes(), it.sent_at),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(sizes, [(250, ms(50.0)), (125, ms(60.0))]);
    assert!(matches!(network.next(), Ok(Event::End)));
    assert_eq!(network.now(), network.end());
}

#[test]
fn a_recording_that_is_ended_early_has_what_was_before() {
    let all = |until: Option<Time>| {
        let mut builder = narrow(
            "[record]\nport_series = { of = [\"r->server\"], interval = \"100 ms\" }\npcap = [\"r->server\"]",
        );
        builder.scenario_mut().flows[0].start = Time::ZERO;
        let [client, _] = builder.attach("calls", "client", "server").expect("two hosts");
        let mut network = builder.build().expect("a network");
        (0..50).for_each(|n| {
            network.send(client, ms(100.0 * f64::from(n)), Datagram::sized(500)).expect("room")
        });
        while network.next_before(until.unwrap_or(network.end())).expect("a run").is_some() {}
        network.finish().expect("a recording")
    };
    let (whole, half) = (all(None), all(Some(ms(2000.0))));
    let rows = |recording: &Recording| {
        recording.table("port_series").expect("a series").f64("time").expect("times").to_vec()
    };
    assert_eq!(rows(&half), rows(&whole)[..rows(&half).len()]);
    assert_eq!(rows(&half).len(), 20);
    assert_eq!(counts(&half, "flows", "packets_sent")[1], 20);
    let [one, other] =
        [&whole, &half].map(|recording| recording.captures().next().expect("a capture").1.to_vec());
    assert!(one.starts_with(&other) && other.len() < one.len());
}

#[test]
fn captures_have_the_bytes_of_datagrams() {
    for format in ["pcap", "pcapng"] {
        let mut builder = narrow(&format!(
            "[record]\npcap = [\"r->server\"]\npcap_both_directions = true\npcap_format = \"{format}\""
        ));
        let [client, server] = builder.attach("calls", "client", "server").expect("two hosts");
        let mut network = builder.build().expect("a network");
        let payloads = [(client, b"from the client".to_vec()), (server, b"from the server".to_vec())];
        for (from, payload) in &payloads {
            network
                .send(*from, Time::ZERO, Datagram::udp(payload.clone()).with_ecn(Ecn::Ect1).with_dscp(10))
                .expect("room");
        }
        let mut packet = Vec::new();
        let whole = etherparse::PacketBuilder::ipv6([1; 16], [2; 16], 64).udp(7, 8);
        whole.write(&mut packet, b"a whole packet").expect("a vector takes all bytes");
        network.send(client, Time::ZERO, Datagram::ip(packet.clone()).expect("an IP packet")).expect("room");
        end_of(&mut network);
        let recording = network.finish().expect("a recording");
        let (_, file) = recording.captures().next().expect("a capture");
        for (_, payload) in &payloads {
            let at = file.windows(payload.len()).position(|bytes| bytes == payload).expect("the payload");
            let header = etherparse::Ipv4HeaderSlice::from_slice(&file[at - 28..at - 8]).expect("a header");
            assert_eq!((header.ecn().value(), header.dcp().value()), (1, 10));
            let forward = header.source() == [10, 0, 0, 1];
            assert_eq!(forward, payload == b"from the client");
            let udp =
                etherparse::UdpHeaderSlice::from_slice(&file[at - 8..at]).expect("a header").to_header();
            assert_eq!(Ok(udp.checksum), udp.calc_checksum_ipv4(&header.to_header(), payload));
        }
        assert!(file.windows(packet.len()).any(|bytes| bytes == packet));
    }
}

#[test]
fn what_endpoints_may_not_do_is_named() {
    let mut builder = narrow("").mtu(1500);
    for (name, source, destination, part) in [
        (
            "download",
            "client",
            "server",
            "endpoints download: got the name of a flow, expected one that no other flow has",
        ),
        ("x", "client", "client", "endpoints x: got \"client\" twice, expected two hosts"),
        ("x", "client", "r", "endpoints x: got \"r\", expected a host: client, server"),
        ("x", "nowhere", "client", "endpoints x: got \"nowhere\", expected a host: client, server"),
    ] {
        assert_eq!(builder.attach(name, source, destination).expect_err("refused").to_string(), part);
    }
    assert_eq!(
        builder.replace("upload").expect_err("refused").to_string(),
        "endpoints upload: got \"upload\", expected a flow: download"
    );
    let [server, _] = builder.replace("download").expect("a flow");
    assert!(builder.replace("download").is_err(), "once");
    let mut network = builder.build().expect("a network");
    assert!(network.next_before(ms(2.0)).expect("a run").is_none());
    for (at, bytes, part) in [
        (1.0, 100, "send at 0.001 s: an instant that has passed, expected 0.002 s or later"),
        (2.0, 1501, "send at 0.002 s: 1501 bytes, expected 1 to 1500, the MTU"),
        (2.0, 0, "send at 0.002 s: 0 bytes, expected 1 to 1500, the MTU"),
    ] {
        let error = network.send(server, ms(at), Datagram::sized(bytes)).expect_err("refused");
        assert_eq!(error.to_string(), format!("endpoint download at server, {part}"));
    }
    let unknown = EndpointId::from_number(2);
    assert!(network.send(unknown, ms(2.0), Datagram::sized(1)).is_err());
    assert!(network.wake(unknown, ms(2.0)).is_err());
}

/// An endpoint that does something wrong.
struct Wrong(&'static str);

impl Endpoint for Wrong {
    fn receive(&mut self, _: Time, _: Datagram) {
        assert!(!self.0.starts_with("receive"), "not today");
    }
    fn expire(&mut self, _: Time) {}
    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        (self.0 == "transmit" || (self.0 == "receive" && now == Time::ZERO)).then(|| {
            if self.0 == "receive" {
                self.0 = "receive soon";
            }
            Datagram::sized(100)
        })
    }
    fn timer(&mut self) -> Option<Time> {
        (self.0 == "timer").then_some(Time::ZERO)
    }
}

#[test]
fn an_endpoint_that_fails_ends_the_run_and_leaves_a_recording() {
    for (what, part) in [
        ("timer", "endpoint calls at client, timer at 0.00001 s: asked for 0 s again and again, expected a later timer"),
        ("transmit", "endpoint calls at client, transmit at 0 s: datagram 1048577 of one instant, expected at most 1048576"),
        ("receive", "endpoint calls at "),
    ] {
        let mut builder = narrow("");
        let [client, server] = builder.attach("calls", "client", "server").expect("two hosts");
        let mut network = builder.build().expect("a network");
        let (mut one, mut other) = (Wrong(what), Wrong(if what == "receive" { what } else { "" }));
        let error = network.run(&mut [(client, &mut one), (server, &mut other)]).expect_err("a fault").to_string();
        assert!(error.starts_with(part), "{error}");
        assert!(what != "receive" || error.contains(", receive at ") && error.contains(" s: panicked: not today"), "{error}");
        let recording = network.finish().expect("a recording");
        assert_eq!(counts(&recording, "flows", "packets_sent").len(), if what == "timer" { 1 } else { 2 });
    }
}

#[test]
fn larger_datagrams_than_the_path_takes_vanish() {
    let mut builder = narrow("");
    let [client, server] = builder.attach("calls", "client", "server").expect("two hosts");
    builder.set_path_mtu(client, 1280);
    let mut network = builder.build().expect("a network");
    for (from, bytes) in [(client, 1280), (client, 1281), (server, 1281)] {
        network.send(from, Time::ZERO, Datagram::sized(bytes)).expect("room");
    }
    let events = end_of(&mut network);
    let too_large = |event: &&Event| matches!(event, Event::Dropped(it) if it.cause == DropCause::PathMtu);
    assert_eq!((events.iter().filter(too_large).count(), events.len()), (2, 3));
    let recording = network.finish().expect("a recording");
    let of = |column| counts(&recording, "flows", column)[1];
    assert_eq!(
        (of("packets_sent"), of("packets_dropped"), of("packets_received"), of("acks_dropped")),
        (2, 1, 1, 1)
    );
}

/// Two equal paths of different length in time.
const EQUAL_PATHS: &str = r#"
    duration = "10 s"
    flows = []
    hosts = ["client", "server"]
    routers = ["r", "s", "t", "u"]
    routing = { kind = "ecmp" }
    links = [
        { between = ["client", "r"], rate = "1 Gbit/s", delay = "1 ms" },
        { between = ["r", "s"], rate = "1 Gbit/s", delay = "1 ms" },
        { between = ["r", "t"], rate = "1 Gbit/s", delay = "5 ms" },
        { between = ["s", "u"], rate = "1 Gbit/s", delay = "1 ms" },
        { between = ["t", "u"], rate = "1 Gbit/s", delay = "5 ms" },
        { between = ["u", "server"], rate = "1 Gbit/s", delay = "1 ms" },
    ]
"#;

#[test]
fn routers_choose_among_equal_paths_by_key() {
    let mut builder =
        Builder::new(Scenario::from_toml(EQUAL_PATHS).unwrap_or_else(|faults| panic!("{faults}")));
    let [client, server] = builder.attach("calls", "client", "server").expect("two hosts");
    let mut network = builder.build().expect("a network");
    for key in 0..200 {
        network
            .send(client, ms(key as f64), Datagram::sized(100).with_key(key % 20).with_tag(key))
            .expect("room");
    }
    network.send(server, Time::ZERO, Datagram::sized(100)).expect("room");
    let mut slow = BTreeMap::new();
    for event in end_of(&mut network) {
        let Event::Arrival(it) = event else { panic!("{event:?}") };
        if it.endpoint == server {
            let is_slow = it.at.since(it.sent_at) > ms(8.0);
            assert_eq!(*slow.entry(it.datagram.tag() % 20).or_insert(is_slow), is_slow, "one key, one path");
        }
    }
    let count = slow.values().filter(|&&slow| slow).count();
    assert!((3..=17).contains(&count), "{count} of 20 keys");
    let recording = network.finish().expect("a recording");
    assert_eq!(recording.names().flows.iter().collect::<Vec<_>>(), ["calls"]);
    assert_eq!(counts(&recording, "flows", "packets_received"), [200]);
    assert_eq!(counts(&recording, "flows", "acks_received"), [1]);
}

/// Sends a datagram every millisecond, and fails once it has got as many as it can take.
struct Ticker {
    next: Time,
    received: usize,
    most: usize,
}

impl Endpoint for Ticker {
    fn receive(&mut self, _: Time, _: Datagram) {
        self.received += 1;
    }
    fn expire(&mut self, _: Time) {}
    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        (now >= self.next).then(|| {
            self.next += Time::ms(1.0);
            Datagram::sized(100)
        })
    }
    fn timer(&mut self) -> Option<Time> {
        Some(self.next)
    }
    fn failure(&self) -> Option<String> {
        (self.received > self.most).then(|| format!("datagram {}, expected {}", self.received, self.most))
    }
}

fn tickers(most: usize) -> (Network, [(EndpointId, Ticker); 2]) {
    let link = Link::new(("a", "b"), Rate::mbit(10.0), Time::ms(5.0));
    let mut builder = Builder::new(Scenario::new(Time::from_secs(0.1), [link], [])).traced();
    let [a, b] = builder.attach("ticks", "a", "b").expect("two hosts");
    let ticker = |next, most| Ticker { next, received: 0, most };
    let ends = [(a, ticker(Time::ZERO, 0)), (b, ticker(Time::NEVER, most))];
    (builder.build().expect("a network"), ends)
}

#[test]
fn a_run_in_parts_is_the_run() {
    let [whole, parts] = [1, 7].map(|count| {
        let (mut network, [(a, mut sender), (b, mut receiver)]) = tickers(usize::MAX);
        for part in 1..=count {
            let limit = Time::ms(100.0 / f64::from(count) * f64::from(part));
            network.run_until(limit, &mut [(a, &mut sender), (b, &mut receiver)]).expect("a run");
            assert_eq!(network.now(), limit.min(network.end()));
        }
        network.run(&mut [(a, &mut sender), (b, &mut receiver)]).expect("a run");
        assert_eq!((network.now(), receiver.received), (network.end(), 95));
        network.trace().expect("it was asked for").clone()
    });
    assert_eq!(whole, parts);
}

#[test]
fn an_endpoint_that_fails_ends_the_run() {
    let (mut network, [(a, mut sender), (b, mut receiver)]) = tickers(20);
    let error = network.run(&mut [(a, &mut sender), (b, &mut receiver)]).expect_err("a failure");
    assert_eq!(error.to_string(), "endpoint ticks at b, receive at 0.02508 s: datagram 21, expected 20");
    let recording = network.finish().expect("the recording up to there");
    assert_eq!(counts(&recording, "flows", "packets_received"), [21]);
}
