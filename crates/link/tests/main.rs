//! Datagrams over a relay between sockets of this machine. No test looks at how fast anything is.

#![cfg(target_os = "linux")]

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

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

#[test]
fn two_bottlenecks_are_a_fault_of_the_scenario() {
    let links = [("a", "r"), ("r", "b")].map(|ends| Link::new(ends, Rate::mbit(1.0), Time::ms(1.0)));
    let scenario = Scenario::new(Time::from_secs(1.0), links, [Flow::bulk("f", "a", "b", Tcp::default())]);
    let options = Options::new((LOCAL, 0).into(), (LOCAL, 9).into());
    let Err(LinkError::Scenario(fault)) = Relay::start(scenario, &options) else { panic!("it started") };
    assert!(fault.to_string().contains("two bottlenecks, a->r and r->b"), "{fault}");
}
