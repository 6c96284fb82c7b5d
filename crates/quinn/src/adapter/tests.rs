//! A connection that is driven by hand. quinn's own type of round trips cannot be made here, so `State` stands for the adapter.

use super::*;

const MTU: u16 = 1000;

struct Connection {
    state: State,
    sent: u64,
    acked: u64,
}

/// Milliseconds of the connection.
fn ms(ms: f64) -> Time {
    Time::from_secs(ms / 1000.0)
}

impl Connection {
    fn new(control: &str) -> Self {
        let control: Control = control.parse().expect("a control");
        let state = State::new(&control, 10.0, (1, 0), Instant::now(), MTU);
        Connection { state, sent: 0, acked: 0 }
    }

    /// Sends what the window allows, as quinn does.
    fn send(&mut self, now: f64) -> u64 {
        let mut packets = 0;
        while (self.sent - self.acked + 1) * u64::from(MTU) < self.state.bytes() {
            self.state.on_sent(ms(now), u64::from(MTU), self.sent);
            (self.sent, packets) = (self.sent + 1, packets + 1);
        }
        packets
    }

    /// So many packets that left at `sent` are acknowledged.
    fn ack(&mut self, now: f64, sent: f64, packets: u64) {
        for _ in 0..packets {
            self.state.on_ack(ms(sent), u64::from(MTU));
        }
        self.acked += packets;
        let in_flight = (self.sent - self.acked) * u64::from(MTU);
        self.state.on_end_acks(ms(now), in_flight, false, Some(self.acked - 1));
    }

    fn lose(&mut self, now: f64, sent: f64, persistent: bool) {
        self.acked += 1;
        self.state.on_congestion(ms(now), ms(sent), persistent, u64::from(MTU));
    }
}

#[test]
fn slow_start_doubles_the_window_in_a_round_trip() {
    let mut connection = Connection::new("cubic");
    assert_eq!(connection.send(0.0), 10);
    connection.ack(40.0, 0.0, 10);
    assert_eq!(connection.state.window.cwnd, 20.0);
    assert_eq!(connection.send(40.0), 20);
    assert!((connection.state.path.srtt - 0.04).abs() < 1e-9);
}

#[test]
fn a_loss_is_answered_once_for_what_was_in_flight() {
    let mut connection = Connection::new("aimd");
    connection.send(0.0);
    connection.ack(40.0, 0.0, 10);
    connection.send(40.0);
    connection.lose(80.0, 40.0, false);
    assert_eq!(connection.state.window, Window { cwnd: 10.0, ssthresh: 10.0 });
    connection.lose(81.0, 40.0, false);
    assert_eq!(connection.state.window.cwnd, 10.0);
    // ACKs of what had left before do not open the window.
    connection.ack(81.0, 40.0, 18);
    assert_eq!(connection.state.window.cwnd, 10.0);
    connection.send(81.0);
    connection.ack(121.0, 81.0, 10);
    assert!((connection.state.window.cwnd - 11.0).abs() < 1e-9, "{:?}", connection.state.window);
    connection.send(121.0);
    connection.lose(161.0, 121.0, false);
    assert!((connection.state.window.cwnd - 5.5).abs() < 0.51, "{:?}", connection.state.window);
}

#[test]
fn a_mark_is_no_loss_of_bytes() {
    let mut connection = Connection::new("aimd");
    connection.send(0.0);
    connection.state.on_congestion(ms(40.0), ms(0.0), false, 0);
    assert_eq!(connection.state.window.cwnd, 5.0);
    assert_eq!(connection.state.in_flight, 10_000);
}

#[test]
fn persistent_congestion_leaves_two_packets_and_slow_start() {
    let mut connection = Connection::new("cubic");
    connection.send(0.0);
    connection.ack(40.0, 0.0, 10);
    connection.send(40.0);
    connection.lose(500.0, 40.0, true);
    let first = connection.state.window;
    assert_eq!(first.cwnd, 2.0);
    assert!((first.ssthresh - 14.0).abs() < 1e-9, "{first:?}");
    // A second one in a row leaves the end of slow start where it is.
    connection.lose(900.0, 500.0, true);
    assert_eq!(connection.state.window, first);
}

#[test]
fn an_application_that_has_nothing_to_send_opens_no_window() {
    let mut connection = Connection::new("aimd");
    connection.send(0.0);
    connection.state.on_ack(ms(0.0), u64::from(MTU));
    connection.state.on_end_acks(ms(40.0), 9_000, true, Some(0));
    assert_eq!(connection.state.window.cwnd, 10.0);
}

#[test]
fn no_more_leaves_than_a_rate_allows() {
    let mut connection = Connection::new("bbr");
    connection.send(0.0);
    let mut now = 0.0;
    // A path of 10 packets in each 40 ms.
    for _ in 0..200 {
        connection.ack(now + 40.0, now, 10.min(connection.sent - connection.acked));
        now += 40.0;
        connection.send(now);
    }
    let rate = connection.state.control.pacing_rate().expect("a rate");
    assert!((100.0..500.0).contains(&rate), "{rate}");
    // All that a rate has not used for long leaves as one burst, and then what it lets go.
    connection.ack(now + 1000.0, now, connection.sent - connection.acked);
    let rate = connection.state.control.pacing_rate().expect("a rate");
    assert!(connection.send(now + 1000.0) as f64 <= BURST.max(rate * BURST_S));
    let wait = 10.0;
    connection.ack(now + 1000.0 + wait, now + 1000.0, 1);
    let rate = connection.state.control.pacing_rate().expect("a rate").max(rate);
    assert!(connection.send(now + 1000.0 + wait) as f64 <= rate * wait / 1000.0 + 1.0);
}

#[test]
fn every_control_runs_through_losses_and_silences() {
    for name in Control::NAMES {
        let mut connection = Connection::new(name);
        let mut now = 0.0;
        for round in 0..300 {
            let sent = connection.send(now);
            assert!(sent <= 100_000, "{name}: {sent}");
            let flying = connection.sent - connection.acked;
            if round % 37 == 36 {
                connection.lose(now + 40.0, now, round % 74 == 73);
            }
            let left = connection.sent - connection.acked;
            connection.ack(now + 40.0 + (round % 5) as f64, now, left.min(200).min(flying));
            now += 45.0;
            if round % 50 == 49 {
                now += 2_000.0;
            }
            let window = connection.state.window;
            assert!(window.cwnd >= 1.0 && window.cwnd.is_finite(), "{name}: {window:?}");
            assert!(connection.state.bytes() > 2 * u64::from(MTU), "{name}");
        }
    }
}

#[test]
fn a_clone_is_the_same_control() {
    let control: Control = "aimd".parse().expect("a control");
    let mut adapter = Adapter::new(&control, 10.0, (1, 0), Instant::now(), MTU);
    let copy = adapter.clone_box();
    adapter.on_mtu_update(500);
    assert_eq!((adapter.window(), copy.window(), copy.initial_window()), (5001, 5001, 5000));
    assert_eq!(adapter.packets().cwnd, 10.0);
    assert!(adapter.with_control(|control| matches!(control, AnyControl::Aimd(_))));
    assert!(copy.into_any().downcast::<Adapter>().is_ok());
}
