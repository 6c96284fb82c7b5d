//! Datagrams over a relay between sockets of this machine. No test looks at how fast anything is.

#![cfg(target_os = "linux")]

use std::io::IoSliceMut;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Duration;

use nix::sys::socket::sockopt::{IpRecvTos, Ipv4Tos};
use nix::sys::socket::{recvmsg, setsockopt, ControlMessageOwned, MsgFlags};
use parshall_link::{LinkError, Options, Priority, Relay, Relayed};
use parshall_sim::scenario::{DropTail, Flow, Link, Scenario, Series, Tcp};
use parshall_sim::units::{Rate, Time};

const LOCAL: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// A link from a to b for two flows.
fn scenario(link: Link) -> Scenario {
    let flows = ["first", "second"].map(|name| Flow::bulk(name, "a", "b", Tcp::default()));
    let mut scenario = Scenario::new(Time::from_secs(60.0), [link], flows);
    scenario.record.packets = vec!["a->b".into(), "b->a".into()];
    scenario.record.port_series = Some(Series { of: vec!["a->b".into()], interval: Time::ms(1.0) });
    scenario
}

fn fast() -> Link {
    Link::new(("a", "b"), Rate::gbit(1.0), Time::ms(1.0))
}

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind((LOCAL, 0)).expect("a socket");
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    socket
}

/// A relay to a server, and a socket for the server.
fn started(scenario: Scenario) -> (Relay, UdpSocket) {
    let server = socket();
    let options = Options::new((LOCAL, 0).into(), server.local_addr().expect("an address"));
    let relay = Relay::start(scenario, &options.with_priority(Priority::Normal)).expect("a relay");
    (relay, server)
}

fn u64_of(relayed: &Relayed, table: &str, column: &str) -> Vec<u64> {
    relayed.recording.table(table).expect(table).u64(column).expect(column).to_vec()
}

#[test]
fn a_question_and_its_answer_pass_the_link() {
    let (relay, server) = started(scenario(fast()));
    let clients = [socket(), socket(), socket()];
    let mut buffer = [0; 100];
    for (number, client) in (0u8..).zip(&clients) {
        client.send_to(&[number; 10], relay.listening()).expect("sent");
        let (bytes, from) = server.recv_from(&mut buffer).expect("a question");
        assert_eq!(buffer[..bytes], [number; 10]);
        server.send_to(&[number, number], from).expect("sent");
        let (bytes, from) = client.recv_from(&mut buffer).expect("an answer");
        assert_eq!((&buffer[..bytes], from), ([number, number].as_slice(), relay.listening()));
    }
    assert!(relay.elapsed().is_some());
    let relayed = relay.finish().expect("a recording");
    // The third client stands for the last flow, too.
    assert_eq!(u64_of(&relayed, "flows", "packets_sent"), [1, 2]);
    assert_eq!(u64_of(&relayed, "flows", "bytes_delivered"), [10, 20]);
    assert_eq!(u64_of(&relayed, "flows", "acks_received"), [1, 2]);
    assert_eq!(u64_of(&relayed, "ports", "packets_departed"), [3, 3]);
    assert_eq!(u64_of(&relayed, "ports", "bytes_arrived"), [3 * 38, 3 * 30]);
    assert_eq!((relayed.peers, relayed.lateness.datagrams()), (3, 6));
    assert_eq!((relayed.overflowed, relayed.refused, relayed.undeliverable), (0, 0, 0));
    let samples = relayed.recording.table("port_series").expect("series").f64("time").expect("times").len();
    assert!(samples as f64 >= relayed.elapsed.as_secs_f64() / 0.001 - 1.0, "{samples}");
    assert_eq!(
        relayed.recording.table("packets").expect("packets").u64("size_bytes").expect("sizes").len(),
        12
    );
}

#[test]
fn further_peers_take_the_places_of_silent_ones_and_others_stay() {
    let (relay, server) = started(scenario(fast()));
    let mut buffer = [0; 100];
    let mut answered = |client: &UdpSocket, number: u16| {
        client.send_to(&number.to_be_bytes(), relay.listening()).expect("sent");
        let (bytes, from) = server.recv_from(&mut buffer).expect("a question");
        assert_eq!(buffer[..bytes], number.to_be_bytes());
        server.send_to(&buffer[..bytes], from).expect("sent");
        assert_eq!(client.recv(&mut buffer).expect("an answer"), 2);
        assert_eq!(buffer[..2], number.to_be_bytes());
        from
    };
    // One that goes on talking keeps its socket, and one that falls silent gets another.
    let (talking, silent) = (socket(), socket());
    let (first, other) = (answered(&talking, 0), answered(&silent, 1));
    for number in 2..700u16 {
        // Each has an address of its own, and is gone when it has been answered.
        let [high, low] = number.to_be_bytes();
        let client = UdpSocket::bind((Ipv4Addr::new(127, 0, 1 + high, low), 0)).expect("a socket");
        client.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        answered(&client, number);
        if number % 100 == 0 {
            assert_eq!(answered(&talking, number), first);
        }
    }
    assert_ne!(answered(&silent, 1), other);
    let relayed = relay.finish().expect("a recording");
    assert_eq!((relayed.peers, relayed.refused, relayed.undeliverable), (701, 0, 0));
}

#[test]
fn a_full_queue_drops_what_the_simulator_would() {
    // A datagram of 100 bytes takes 80 ms, the first one and four more have room.
    let slow =
        Link::new(("a", "b"), Rate::from_bps(10_000.0), Time::ms(1.0)).with_queue(DropTail::packets(5));
    let (relay, server) = started(scenario(slow));
    let client = socket();
    for number in 0..20u8 {
        client.send_to(&[number; 72], relay.listening()).expect("sent");
    }
    let mut buffer = [0; 100];
    let mut got = Vec::new();
    while got.len() < 5 {
        assert_eq!(server.recv_from(&mut buffer).expect("a datagram").0, 72);
        got.push(buffer[0]);
    }
    assert!(got.windows(2).all(|two| two[0] < two[1]), "{got:?}");
    let relayed = relay.finish().expect("a recording");
    // On a machine that stands still while the client sends, more than five find room.
    let [arrived, dropped] =
        ["packets_arrived", "packets_dropped"].map(|of| u64_of(&relayed, "ports", of)[0]);
    assert_eq!(arrived, 20);
    assert!((1..=15).contains(&dropped), "{dropped}");
    assert_eq!(u64_of(&relayed, "flows", "packets_dropped"), [dropped, 0]);
    let delay = relayed.recording.table("ports").expect("ports").f64("mean_delay").expect("delays")[0];
    assert!((0.08..=0.4).contains(&delay), "{delay}");
}

#[test]
fn a_relay_ends_when_its_duration_is_over() {
    let server = socket();
    let options = Options::new((LOCAL, 0).into(), server.local_addr().expect("an address"))
        .with_duration(Duration::from_millis(200));
    let mut relay = Relay::start(scenario(fast()), &options).expect("a relay");
    assert!(!relay.wait(Duration::from_millis(300)), "its clock has not started");
    assert_eq!(relay.elapsed(), None);
    socket().send_to(b"first", relay.listening()).expect("sent");
    assert!(relay.wait(Duration::from_secs(20)));
    let relayed = relay.finish().expect("a recording");
    assert_eq!(relayed.elapsed, Duration::from_millis(200));
    assert_eq!(u64_of(&relayed, "ports", "packets_arrived"), [1, 0]);
}

#[test]
fn nothing_is_lost_where_nothing_comes() {
    let (relay, _server) = started(scenario(fast()));
    let relayed = relay.finish().expect("a recording");
    assert_eq!((relayed.elapsed, relayed.peers, relayed.lateness.quantile(0.5)), (Duration::ZERO, 0, None));
    assert_eq!(u64_of(&relayed, "ports", "packets_arrived"), [0, 0]);
}

#[test]
fn a_port_where_nobody_listens_loses_datagrams_and_not_the_relay() {
    let nobody = socket().local_addr().expect("an address");
    let options = Options::new((LOCAL, 0).into(), nobody);
    let relay = Relay::start(scenario(fast()), &options).expect("a relay");
    let client = socket();
    for _ in 0..5 {
        client.send_to(b"anybody?", relay.listening()).expect("sent");
        std::thread::sleep(Duration::from_millis(20));
    }
    let relayed = relay.finish().expect("a recording");
    assert_eq!(u64_of(&relayed, "ports", "packets_arrived")[0], 5);
    assert!(relayed.undeliverable >= 1, "{}", relayed.undeliverable);
}

#[test]
fn bad_addresses_are_told_in_a_line() {
    let taken = socket().local_addr().expect("an address");
    let holder = UdpSocket::bind(taken).expect("a socket");
    let free: SocketAddr = (LOCAL, 0).into();
    let fault = |listen, to| match Relay::start(scenario(fast()), &Options::new(listen, to)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it started"),
    };
    assert_eq!(fault(taken, free), format!("cannot listen at {taken}: address already in use"));
    assert_eq!(fault(free, free), format!("cannot send to {free}: expected a port from 1 to 65535"));
    drop(holder);
    assert_eq!(fault(taken, taken), format!("cannot send to {taken}: it is where the relay listens"));
    let everywhere = (Ipv4Addr::UNSPECIFIED, taken.port()).into();
    assert_eq!(fault(everywhere, taken), format!("cannot send to {taken}: it is where the relay listens"));
    let elsewhere = "192.0.2.1:5000".parse().expect("an address");
    assert!(fault(elsewhere, taken).starts_with("cannot listen at 192.0.2.1:5000: "));
}

/// A relay and its server, a client, and what both of these got.
fn asked_over(scenario: Scenario, datagrams: u8, class: u8) -> (Relayed, Vec<(u8, u8)>) {
    let (relay, server) = started(scenario);
    setsockopt(&server, IpRecvTos, &true).expect("an option");
    let client = socket();
    setsockopt(&client, Ipv4Tos, &i32::from(class)).expect("an option");
    for number in 0..datagrams {
        client.send_to(&[number; 72], relay.listening()).expect("sent");
    }
    let got = (0..datagrams).map_while(|_| taken(&server)).collect();
    (relay.finish().expect("a recording"), got)
}

/// The next datagram's first byte, and its traffic class; none if none comes in a while.
fn taken(server: &UdpSocket) -> Option<(u8, u8)> {
    let (mut buffer, mut control) = ([0; 100], nix::cmsg_space!(u32));
    let mut parts = [IoSliceMut::new(&mut buffer)];
    let flags = MsgFlags::empty();
    let message = recvmsg::<()>(server.as_raw_fd(), &mut parts, Some(&mut control), flags).ok()?;
    let class = message.cmsgs().expect("messages").find_map(|control| match control {
        ControlMessageOwned::Ipv4Tos(class) => Some(class),
        _ => None,
    });
    Some((buffer[0], class.unwrap_or(0)))
}

#[test]
fn two_queues_in_a_row_both_hold_datagrams_up() {
    // A datagram of 100 bytes takes 4 ms on the first link, and 8 ms on the second.
    let link = |ends, rate, packets| {
        Link::new(ends, Rate::from_bps(rate), Time::ms(1.0)).with_queue(DropTail::packets(packets))
    };
    let links = [link(("a", "r"), 200_000.0, 100), link(("r", "b"), 100_000.0, 100)];
    let flows = [Flow::bulk("f", "a", "b", Tcp::default())];
    let (relayed, got) = asked_over(Scenario::new(Time::from_secs(60.0), links, flows), 20, 0);
    assert_eq!(got.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
    // Ports of both links, each with that of the way back behind it.
    assert_eq!(u64_of(&relayed, "ports", "packets_departed"), [20, 0, 20, 0]);
    let delays = relayed.recording.table("ports").expect("ports").f64("mean_delay").expect("delays").to_vec();
    assert!(delays[0] > 0.0 && delays[2] > delays[0], "{delays:?}");
    assert!(relayed.elapsed >= Duration::from_millis(2 + 4 + 20 * 8));
}

#[test]
fn classes_and_conditioners_go_by_the_code_points_of_datagrams_which_pass() {
    let scenario = |top: &str| {
        let text = format!(
            r#"
            duration = "60 s"
            hosts = ["a", "b"]
            links = [{{ between = ["a", "b"], rate = "10 Mbit/s", delay = "1 ms", {top},
                       queue = {{ kind = "diffserv", queues = [
                           {{ limit_packets = 50, precedences = [{{ dscp = [46, 12] }}] }},
                           {{ limit_packets = 50, precedences = [{{ dscp = 0 }}] }}] }} }}]
            [[flows]]
            name = "f"
            source = "a"
            destination = "b"
            transport = "tcp"
            app = "bulk"
            "#
        );
        Scenario::from_toml(&text).unwrap_or_else(|faults| panic!("{faults}"))
    };

    let plain = "name = \"plain\"";
    for ecn in [0b00, 0b01, 0b10, 0b11] {
        let (relayed, got) = asked_over(scenario(plain), 3, 46 << 2 | ecn);
        assert_eq!(got, [0, 1, 2].map(|number| (number, 46 << 2 | ecn)));
        assert_eq!(relayed.refused + relayed.undeliverable, 0);
    }
    let edge =
        "conditioner = { rules = [{ dscp = [46], if_green = 12 }, { dscp = [0], if_green = \"drop\" }] }";
    let (relayed, got) = asked_over(scenario(edge), 3, 46 << 2 | 0b10);
    assert_eq!(got, [0, 1, 2].map(|number| (number, 12 << 2 | 0b10)));
    assert_eq!(u64_of(&relayed, "ports", "packets_departed")[0], 3);
    // Of 0, of 12 and of 46, at the port and at that of the way back.
    assert_eq!(u64_of(&relayed, "classes", "packets_sent"), [0, 3, 0, 0, 0, 0]);
}

#[test]
fn a_relay_takes_the_place_of_applications_that_have_many_flows() {
    let text = r#"
        duration = "60 s"
        hosts = ["a", "b"]
        links = [{ between = ["a", "b"], rate = "1 Gbit/s", delay = "1 ms" }]
        [[flows]]
        name = "pages"
        source = "a"
        destination = "b"
        transport = "tcp"
        app = "web"
        [record]
        transfers = ["pages"]
        rtt = ["pages"]
        flow_series = { of = ["pages"], interval = "10 ms" }
        deliveries = ["pages"]
    "#;
    let scenario = Scenario::from_toml(text).unwrap_or_else(|faults| panic!("{faults}"));
    let (relayed, got) = asked_over(scenario, 4, 0);
    assert_eq!(got.len(), 4);
    assert_eq!(u64_of(&relayed, "flows", "packets_delivered"), [4]);
}

#[test]
fn faults_of_a_scenario_are_told_with_their_place() {
    let told = |scenario| {
        let options = Options::new((LOCAL, 0).into(), (LOCAL, 9).into());
        let Err(LinkError::Scenario(fault)) = Relay::start(scenario, &options) else { panic!("it started") };
        fault.to_string()
    };
    let link = Link::new(("a", "b"), Rate::mbit(1.0), Time::ms(1.0));
    let alone = Scenario::new(Time::from_secs(1.0), [link], []);
    assert_eq!(told(alone), "flows: got none, expected at least one flow");
    let mut late = scenario(fast());
    late.warm_up = late.duration;
    assert!(told(late).starts_with("warm_up: got "));
}
