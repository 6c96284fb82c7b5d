//! Ports do with datagrams from outside what they do with the packets of a run, to the last bit.

use std::sync::Arc;
use std::time::Duration;

use parshall_sim::control::user::{Code, Failure, Found};
use parshall_sim::net::{Builder, Datagram, EndpointId, Event, Network};
use parshall_sim::scenario::{
    OwnPart, QueueAnswer, QueueMaker, QueueStart, QueuedPacket, Scenario, UserQueue,
};
use parshall_sim::units::Time;
use parshall_sim::{run, Recording};

use crate::common::recorded::{bits, counts, table};

/// A varying stream and a constant one, of different code points, too much together for `r->q`, which is `link`. The way
/// ends with another link that is slower still.
fn scenario(link: &str) -> Scenario {
    let toml = format!(
        r#"
        duration = "4 s"
        warm_up = "1 s"
        hosts = ["a", "b", "c"]
        routers = ["r", "q"]
        links = [
            {{ between = ["a", "r"], rate = "1 Gbit/s", delay = "0 s" }},
            {{ between = ["c", "r"], rate = "1 Gbit/s", delay = "0 s" }},
            {{ between = ["r", "q"], rate = "1 Mbit/s", delay = "10 ms", {link} }},
            {{ between = ["q", "b"], rate = "900 kbit/s", delay = "1 ms", queue = {{ kind = "droptail", limit_packets = 5 }} }},
        ]
        [[flows]]
        name = "varying"
        source = "a"
        destination = "b"
        dscp = 10
        transport = {{ kind = "udp", payload_bytes = 300 }}
        app = {{ kind = "vbr", rates = ["200 kbit/s", "1.2 Mbit/s"], intervals = ["20 ms", "400 ms"] }}
        [[flows]]
        name = "constant"
        source = "c"
        destination = "b"
        transport = {{ kind = "udp", payload_bytes = 900 }}
        app = {{ kind = "cbr", rate = "500 kbit/s" }}
        [record]
        packets = ["a->r", "c->r", "r->q", "q->b"]
        deliveries = ["varying", "constant"]
        port_series = {{ of = ["r->q", "q->b"], interval = "50 ms" }}
        "#
    );
    Scenario::from_toml(&toml).unwrap_or_else(|faults| panic!("{faults}"))
}

const LINKS: [&str; 16] = [
    "queue = { kind = \"droptail\", limit_packets = 20 }",
    "queue = { kind = \"droptail\", limit_bytes = 9000 }",
    "queue = { kind = \"red\", min_threshold_packets = 3, max_threshold_packets = 12, limit_packets = 30, weight = 0.01 }",
    "queue = { kind = \"pie\" }",
    "queue = { kind = \"codel\" }",
    "queue = { kind = \"fq-codel\" }",
    "loss = { kind = \"bernoulli\", probability = 0.1 }, queue = { kind = \"codel\" }",
    "loss = { kind = \"gilbert-elliott\", good_to_bad = 0.1, bad_to_good = 0.5 }",
    "loss = { kind = \"treatment\", groups = [{}] }",
    "jitter = { most = \"5 ms\" }",
    "capacity = { times = [0.003, 0.02, 0.021, 0.03], period = 0.031 }",
    "events = [{ kind = \"rate-change\", at = 2.0, rate = \"2 Mbit/s\" }]",
    "queue = { kind = \"diffserv\", scheduler = { kind = \"drr\", weights = [1, 3] }, queues = [
        { limit_packets = 9, precedences = [{ dscp = 10 }] }, { limit_packets = 9, precedences = [{ dscp = 0 }] }] }",
    "queue = { kind = \"diffserv\", queues = [{ limit_packets = 30, precedences = [
        { dscp = 10, min_threshold_packets = 2, max_threshold_packets = 9 }, { dscp = 0 }] }] }",
    "conditioner = { rules = [{ dscp = [10], if_green = 12, if_red = \"drop\", \
     meter = { kind = \"token-bucket\", cir = \"300 kbit/s\", cbs_bytes = 2000 } }] }",
    "queue = { kind = \"user\", form = \"library\", source = \"here\", code = \"00\" }",
];

#[test]
fn ports_do_with_datagrams_what_they_do_with_the_packets_of_a_run() {
    let plain = bits(&run(&scenario("name = \"plain\""), 7).expect("a run"));
    for link in LINKS {
        let scenario = with_code(scenario(link));
        let reference = run(&scenario, 7).unwrap_or_else(|error| panic!("{link}: {error}"));
        assert_ne!(bits(&reference), plain, "{link} does nothing");
        let replayed = replayed(&scenario, &reference, 7);
        let passed = counts(&reference, "ports", "packets_departed");
        assert!(passed[4] > 200 && passed[6] > 200, "{link}: {passed:?}");
        let [there, here] = [&reference, &replayed].map(bits);
        assert_eq!(there.len(), here.len(), "{link}");
        for ((name, there), (other, here)) in there.iter().zip(&here) {
            assert_eq!(name, other, "{link}");
            assert!(there == here, "{link}: {name}");
        }
    }
}

/// Hands the packets of a run to a network whose flows have ends outside.
fn replayed(scenario: &Scenario, reference: &Recording, seed: u64) -> Recording {
    let mut builder = Builder::new(scenario.clone()).seed(seed);
    let ends = ["varying", "constant"].map(|flow| builder.replace(flow).expect("a flow")[0]);
    let mut network = builder.build().expect("a network");
    send_all(&mut network, ends, reference);
    while !matches!(network.next().expect("a run"), Event::End) {}
    network.finish().expect("a recording")
}

/// Sends what came from hosts in a run, at the same instants.
fn send_all(network: &mut Network, ends: [EndpointId; 2], reference: &Recording) {
    let packets = table(reference, "packets");
    let (times, events) = (packets.f64("time").expect("times"), packets.u8("event").expect("events"));
    let (flows, ports) = (packets.i32("flow").expect("flows"), packets.i32("port").expect("ports"));
    let sizes = packets.u64("size_bytes").expect("sizes");
    for row in (0..times.len()).filter(|&row| events[row] == 0 && [0, 2].contains(&ports[row])) {
        let flow = flows[row] as usize;
        let datagram = Datagram::sized(sizes[row] as u32).with_payload_bytes(sizes[row] as u32 - 28);
        let datagram = datagram.with_dscp([10, 0][flow]);
        network.send(ends[flow], Time::from_secs(times[row]), datagram).expect("room");
    }
}

/// A queue of the caller's own: it holds so many packets, and serves the second class first.
#[derive(Clone, Copy, Debug)]
struct Own {
    limit: u64,
}

impl UserQueue for Own {
    fn on_arrival(&mut self, packet: &QueuedPacket) -> Result<(QueueAnswer, u16), Failure> {
        let class = u16::from(packet.dscp == 0);
        Ok((if packet.packets >= self.limit { QueueAnswer::Drop } else { QueueAnswer::Pass }, class))
    }

    fn next_class(&mut self, _: Time) -> Result<Option<u16>, Failure> {
        Ok(None)
    }

    fn on_departure(&mut self, _: &QueuedPacket) -> Result<QueueAnswer, Failure> {
        Ok(QueueAnswer::Pass)
    }

    fn on_idle(&mut self, _: Time) -> Result<(), Failure> {
        Ok(())
    }
}

impl Code for Own {
    fn name(&self) -> &str {
        "Own"
    }

    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

impl QueueMaker for Own {
    fn make(&self, _: QueueStart) -> Result<Box<dyn UserQueue>, Failure> {
        Ok(Box::new(*self))
    }
}

fn with_code(mut scenario: Scenario) -> Scenario {
    let found = |part: OwnPart<'_>| -> Result<(), ()> {
        let OwnPart::Queue(config) = part else { panic!("a queue, not {part:?}") };
        config.maker = Found(Some(Arc::new(Own { limit: 6 })));
        Ok(())
    };
    scenario.hand_over(found).expect("it is here");
    scenario
}
