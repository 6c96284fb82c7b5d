use super::*;
use crate::samples::{ack, loss, start};
use proptest::prelude::*;

const MIN_RTT: f64 = 0.1;

/// Measurement at an ACK for the latest of so many packets.
fn one_of(delivered: u64) -> PathSample {
    PathSample {
        srtt: f64::NAN,
        min_rtt: f64::NAN,
        in_flight: 0,
        delivered,
        newly_delivered: 1,
        newly_lost: 0,
        prior_delivered: 0,
        delivery_rate: f64::NAN,
        app_limited: false,
        in_recovery: false,
        held_for: 0.0,
    }
}

/// A flow that hears of a packet at a time.
struct Flow {
    copa: Copa,
    window: Window,
    now: f64,
    delivered: u64,
    app_limited: bool,
}

impl Flow {
    /// A flow with this window, past slow start, that knows the path's round trip.
    fn new(cwnd: f64, config: Config) -> Self {
        let mut copa = Copa::new(&config, &start());
        copa.slow_start = false;
        let window = Window { cwnd, ssthresh: f64::INFINITY };
        let mut flow = Flow { copa, window, now: 0.0, delivered: 0, app_limited: false };
        flow.ack(MIN_RTT, 0, 0);
        (flow.window.cwnd, flow.copa.same_rounds) = (cwnd, 0);
        flow
    }

    fn ack(&mut self, rtt: f64, prior_delivered: u64, newly_lost: u32) {
        self.delivered += 1;
        let app_limited = self.app_limited;
        let path = PathSample { newly_lost, prior_delivered, app_limited, ..one_of(self.delivered) };
        self.copa
            .on_ack(&mut self.window, &AckSample { path: Some(&path), high_ack: 1, ..ack(self.now, rtt) });
    }

    /// A round trip of packets that took `rtt` seconds, the first of which reports losses.
    fn round(&mut self, rtt: f64, newly_lost: u32) {
        let sent_before = self.delivered;
        let packets = self.window.cwnd as u32;
        for packet in 0..packets {
            self.now += rtt / f64::from(packets);
            let prior = if packet == 0 { sent_before } else { 0 };
            self.ack(rtt, prior, if packet == 0 { newly_lost } else { 0 });
        }
    }
}

fn default_mode() -> Config {
    Config { competitive: false, ..Config::default() }
}

#[test]
fn delta_is_above_zero() {
    assert_eq!(Config::default().check(), Ok(()));
    assert_eq!(
        Config { delta: 0.0, ..Config::default() }.check().map_err(|error| error.field),
        Err("delta".into())
    );
}

/// Section 2.1: over a round trip the window changes by v / delta packets.
#[test]
fn the_window_moves_by_v_over_delta_a_round_trip() {
    for delta in [0.5, 0.1] {
        for (rtt, direction) in [(MIN_RTT, 1.0), (2.0 * MIN_RTT, -1.0)] {
            let mut flow = Flow::new(1000.0, Config { delta, ..default_mode() });
            // For half of the first round trip the standing one is still that without a queue.
            flow.round(rtt, 0);
            let before = flow.window.cwnd;
            flow.round(rtt, 0);
            let change = flow.window.cwnd - before;
            assert!((change - direction / delta).abs() < 0.02 / delta, "{delta}: {change}");
        }
    }
}

/// cwnd / RTTstanding = 1 / (delta d_q) if cwnd d_q = 2 RTTstanding: here if d_q = 1/9 of RTTmin.
#[test]
fn the_target_rate_is_one_over_delta_times_the_queueing_delay() {
    for (part, direction) in [(0.99, Ordering::Greater), (1.01, Ordering::Less)] {
        let mut flow = Flow::new(20.0, default_mode());
        flow.now += 1.0;
        flow.ack(MIN_RTT * (1.0 + part / 9.0), 0, 0);
        assert_eq!(flow.window.cwnd.total_cmp(&20.0), direction);
    }
}

/// Section 2.1: v doubles from the fourth round trip in one direction on, and is 1 in the other.
#[test]
fn velocity_doubles_after_three_round_trips_in_one_direction() {
    let mut flow = Flow::new(1000.0, default_mode());
    let mut steps = Vec::new();
    for rtt in [[MIN_RTT; 7], [3.0 * MIN_RTT; 7]].concat() {
        let before = flow.window.cwnd;
        flow.round(rtt, 0);
        steps.push(((flow.window.cwnd - before) / 2.0).round() as i32);
    }
    assert_eq!(steps[..7], [1, 1, 1, 1, 2, 4, 8]);
    // The first of these still hears of a standing round trip without a queue for half of it.
    assert_eq!(steps[8..], [-1, -1, -1, -2, -4, -8]);
}

#[test]
fn a_round_trip_changes_the_window_by_no_more_than_itself() {
    let mut flow = Flow::new(10.0, Config { delta: 2.0, ..default_mode() });
    for _ in 0..20 {
        let before = flow.window.cwnd;
        flow.round(MIN_RTT, 0);
        assert!(flow.window.cwnd <= 2.0 * before + 1.0, "{before} to {}", flow.window.cwnd);
    }
    for _ in 0..25 {
        flow.round(3.0 * MIN_RTT, 0);
    }
    assert_eq!(flow.window.cwnd, LEAST_WINDOW);
}

#[test]
fn slow_start_doubles_the_window_until_the_rate_exceeds_the_target() {
    let mut flow = Flow::new(10.0, default_mode());
    flow.copa.slow_start = true;
    for cwnd in [20.0, 40.0] {
        flow.round(MIN_RTT, 0);
        assert_eq!((flow.window.cwnd, flow.copa.slow_start), (cwnd, true));
    }
    flow.round(2.0 * MIN_RTT, 0);
    assert!(!flow.copa.slow_start && flow.copa.velocity == 1.0);
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut flow = Flow::new(50.0, default_mode());
    flow.app_limited = true;
    flow.round(MIN_RTT, 0);
    assert_eq!(flow.window.cwnd, 50.0);
    flow.round(3.0 * MIN_RTT, 0);
    assert!(flow.window.cwnd < 50.0);
}

/// Section 2.1: 2 cwnd / RTTstanding.
#[test]
fn packets_leave_twice_as_fast_as_the_window_asks_for() {
    let mut flow = Flow::new(30.0, default_mode());
    flow.round(0.15, 0);
    flow.round(0.15, 0);
    let rate = flow.copa.pacing_rate().expect("a rate");
    assert!((rate - 2.0 * flow.window.cwnd / 0.15).abs() < 1e-6, "{rate}");
}

/// Section 2.2: once five round trips have passed without an empty queue, each without a loss adds a packet to
/// 1/delta, and each with losses halves it. An empty queue ends that.
#[test]
fn a_queue_that_does_not_empty_makes_it_compete() {
    let queued = 2.0 * MIN_RTT;
    let mut flow = Flow::new(100.0, Config::default());
    let mut inverse_delta = Vec::new();
    for newly_lost in [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0] {
        flow.round(queued, newly_lost);
        inverse_delta.push(flow.copa.inverse_delta);
    }
    assert_eq!(inverse_delta, [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.0, 4.0]);
    flow.round(MIN_RTT, 0);
    assert_eq!((flow.copa.competes, flow.copa.inverse_delta), (false, 2.0));
    let mut flow = Flow::new(100.0, default_mode());
    (0..12).for_each(|_| flow.round(queued, 0));
    assert_eq!(flow.copa.inverse_delta, 2.0);
}

/// In the default mode nothing is changed by losses.
#[test]
fn a_loss_leaves_the_window() {
    let mut flow = Flow::new(100.0, Config::default());
    assert_eq!(flow.copa.after_loss(&flow.window, &loss(100.0)), 100.0);
    flow.round(MIN_RTT, 5);
    assert_eq!(flow.copa.inverse_delta, 2.0);
    assert!(flow.window.cwnd > 100.0);
}

proptest! {
    #[test]
    fn the_least_of_late_is_found(values in prop::collection::vec((0u32..4, 0u32..20), 1..60), span in 1u32..9) {
        let mut least = Least::default();
        let (mut now, mut seen) = (0, Vec::new());
        for (later, value) in values {
            now += later;
            seen.push((now, value));
            let found = least.update(Time::from_secs(now.into()), value.into(), span.into());
            let late = seen.iter().filter(|(at, _)| now - at <= span).map(|&(_, value)| value).min();
            prop_assert_eq!(Some(found), late.map(f64::from));
        }
    }
}
