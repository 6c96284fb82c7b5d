//! Transfers take the time that the link's rate and delay give them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;

use parshall_quinn::sim::{Application, UNBOUNDED};
use parshall_sim::net::Builder;
use parshall_sim::scenario::Scenario;
use parshall_sim::units::Time;
use quinn_proto::{Connection, Event, VarInt};

use crate::{deep, large_windows, over, seconds};

#[test]
fn a_download_takes_what_the_link_has() {
    let mut pair = over(10.0, deep()).transport(large_windows()).build().expect("a pair");
    pair.server.send(Time::ZERO, UNBOUNDED);
    let run = pair.run().expect("a run");
    assert_eq!(run.ended, seconds(10.0));
    // Of 1500 bytes 66 are headers: 9.56 Mbit/s at most, but for the start.
    assert!((9.2e6..9.57e6).contains(&run.client.goodput), "{:?}", run.client);
    assert_eq!((run.server.received_bytes, run.server.goodput), (0, 0.0));
    let stats = run.server.stats.expect("a connection");
    let sent = run.recording.table("flows").expect("flows").u64("acks_received").expect("a column")[0];
    assert!(stats.path.sent_packets >= sent, "{stats:?} {sent}");
    let ports = run.recording.table("ports").expect("ports");
    // The queue of the server's port fills, and that of the client's does not.
    let delays = ports.f64("mean_delay").expect("a column");
    assert!(delays[1] > 0.02 && delays[0] < 0.002, "{delays:?}");
}

#[test]
fn an_upload_of_some_bytes_ends_when_they_have_arrived() {
    let mut pair = over(10.0, deep()).transport(large_windows()).build().expect("a pair");
    let upload = pair.client.send(seconds(1.0), 1_434_000);
    let run = pair.run().expect("a run");
    let upload = run.client.transfer(upload);
    let took = upload.completion_time().expect("its end").secs();
    // 1000 full packets take 1.2 s, and the last one 20 ms more; slow start leaves a few round trips unused.
    assert!((1.22..1.45).contains(&took), "{took}");
    assert_eq!((upload.at, upload.bytes, upload.answer), (seconds(1.0), 1_434_000, None));
    assert_eq!(run.server.received_bytes, 1_434_000);
    // The end is known to the client one way later.
    let known = run.ended.secs() - upload.finished.expect("its end").secs();
    assert!((0.02..0.06).contains(&known), "{known}");
}

#[test]
fn a_request_takes_a_round_trip_and_the_time_of_its_answer() {
    let mut pair = over(10.0, deep()).build().expect("a pair");
    let small: Vec<_> = (1..=5).map(|n| pair.client.request(seconds(n.into()), 100, 500)).collect();
    let back = pair.server.request(seconds(6.0), 2, 0);
    let run = pair.run().expect("a run");
    for id in small {
        let took = run.client.transfer(id).completion_time().expect("an answer").secs();
        // 40 ms, and less than 2 ms for a datagram of 150 bytes and one of 550.
        assert!((0.04..0.042).contains(&took), "{took}");
    }
    let back = run.server.transfer(back);
    assert!((0.04..0.042).contains(&back.completion_time().expect("an answer").secs()), "{back:?}");
    assert_eq!((back.bytes, back.answer), (8, Some(0)));
}

#[test]
fn more_requests_than_streams_wait_for_their_turn() {
    let mut pair = over(10.0, deep()).build().expect("a pair");
    let all: Vec<_> = (0..250).map(|_| pair.client.request(Time::ZERO, 100, 1000)).collect();
    let run = pair.run().expect("a run");
    let times: Vec<_> = all.iter().map(|&id| run.client.transfer(id).finished.expect("an answer")).collect();
    // 100 streams at a time, which is quinn's default.
    assert!(times[249].since(times[0]) > Time::ms(80.0), "{times:?}");
    assert_eq!(run.client.received_bytes, 250_000);
}

#[test]
fn a_stream_of_higher_priority_comes_first() {
    let both = |priority| {
        let mut pair = over(10.0, deep()).build().expect("a pair");
        let bulk = pair.client.send(Time::ZERO, 3_000_000);
        let urgent = pair.client.send(seconds(1.0), 300_000);
        pair.client.set_priority(urgent, priority);
        let run = pair.run().expect("a run");
        [urgent, bulk].map(|id| run.client.transfer(id).completion_time().expect("its end").secs())
    };
    let ([first, bulk], [fair, other]) = (both(1), both(0));
    assert!(first < 0.7 * fair, "{first} {fair}");
    assert!((bulk - other).abs() < 0.1 * other, "{bulk} {other}");
}

#[test]
fn the_scenarios_own_flows_are_cross_traffic() {
    let scenario = |count: usize| {
        let flow = r#"{ name = "other", source = "client", destination = "server", app = "bulk",
            transport = { kind = "tcp", recovery = "sack", control = "cubic", payload_bytes = 1434, header_bytes = 66 } }"#;
        let flows = vec![flow; count].join(",");
        Scenario::from_toml(&format!(
            r#"duration = "20 s"
            warm_up = "5 s"
            hosts = ["client", "server"]
            links = [{{ between = ["client", "server"], rate = "10 Mbit/s", delay = "20 ms",
                queue = {{ kind = "fq-codel" }} }}]
            flows = [{flows}]"#
        ))
        .unwrap_or_else(|faults| panic!("{faults}"))
    };
    let goodput = |count| {
        let setup = parshall_quinn::sim::Setup::between(Builder::new(scenario(count)), "client", "server");
        let mut pair = setup.expect("two hosts").transport(large_windows()).build().expect("a pair");
        pair.client.send(Time::ZERO, UNBOUNDED);
        pair.run().expect("a run").server.goodput
    };
    let (alone, beside) = (goodput(0), goodput(1));
    assert!(alone > 8.5e6, "{alone}");
    assert!((0.4..0.6).contains(&(beside / alone)), "{beside} of {alone}");
}

/// Sends a datagram of QUIC every 20 ms, and closes the connection after some of them.
struct Caller {
    next: Time,
    left: u32,
    heard: Arc<AtomicUsize>,
}

impl Application for Caller {
    fn work(&mut self, now: Time, connection: &mut Connection, _: &[Event]) -> Result<(), String> {
        while connection.datagrams().recv().is_some() {
            self.heard.fetch_add(1, Relaxed);
        }
        if !connection.is_handshaking() && self.left > 0 && now >= self.next {
            self.next = now + Time::ms(20.0);
            self.left -= 1;
            connection.datagrams().send(vec![0; 160].into(), true).map_err(|fault| fault.to_string())?;
        }
        Ok(())
    }

    fn timer(&self) -> Option<Time> {
        (self.left > 0).then_some(self.next)
    }

    fn is_done(&self) -> bool {
        self.left == 0
    }
}

#[test]
fn an_application_of_ones_own_has_the_connection() {
    let heard = Arc::new(AtomicUsize::new(0));
    let caller = |left| Caller { next: Time::ms(200.0), left, heard: heard.clone() };
    let mut pair = over(10.0, deep()).build().expect("a pair");
    pair.client.set_application(caller(50));
    pair.server.set_application(caller(0));
    pair.drive().expect("a run");
    assert!(heard.load(Relaxed) < 50, "the last one is on its way");
    pair.drive_until(pair.network.now() + Time::ms(25.0)).expect("a run");
    assert_eq!(heard.load(Relaxed), 50);
    assert_eq!(pair.network.now(), seconds(0.2) + Time::ms(49.0 * 20.0 + 25.0));
}

#[test]
fn a_connection_that_is_closed_is_no_error() {
    let mut pair = over(10.0, deep()).build().expect("a pair");
    pair.client.send(Time::ZERO, 1_000_000);
    pair.drive().expect("a run");
    let sent = pair.network.now();
    let now = pair.client.instant(sent);
    let connection = pair.client.connection_mut().expect("a connection");
    connection.close(now, VarInt::from_u32(7), b"enough"[..].into());
    pair.drive().expect("an end that was asked for");
    let lost = pair.server.lost().expect("the end of the connection").to_string();
    assert_eq!(lost, "closed by peer: enough (code 7)");
    let run = pair.finish().expect("what there is");
    // Both sides remember it for three probe timeouts.
    let took = run.ended.since(sent).secs();
    assert!((0.1..1.0).contains(&took), "{took}");
    assert_eq!(run.server.received_bytes, 1_000_000);
}
