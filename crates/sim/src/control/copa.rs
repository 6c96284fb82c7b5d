//! Copa: the window moves towards a target rate that falls with the queueing delay, so that each flow keeps a few
//! packets in the queue (Arun and Balakrishnan, NSDI 2018, whose sections are quoted).
//!
//! What the paper leaves open, and what is done here:
//! - Its receivers acknowledge every packet. Here the step of an ACK counts once for each packet that it reports, so
//!   that the window changes by v/delta packets in a round trip whatever the receiver does.
//! - It resets v once a window. A step against the direction in which v has grown resets it at once here, as in
//!   mvfst's Copa: without that a flow alone may leave most of its link idle.
//! - It sets no bound for v. Here, as in the authors' genericCC, a round trip changes the window by no more than
//!   itself; and as there, two packets are the least window.
//! - Its packets are a fluid. A trough of whole packets may be a packet deep, which the rule of section 2.2 would take for
//!   a buffer that is kept full. Here a packet that waits is no queue to that rule.
//! - An application that does not use its window sees no queue. Its window may shrink but does not grow.
//! - AIMD on 1/delta adds a packet in a round trip without a loss, and halves in one with losses. A mark counts as a
//!   loss does. After a timeout, which leaves a window of one packet, the flow is in slow start again.
//!
//! Flows of Copa may take each other for ones that fill the buffer. Section 3 says when: if the queue is not short
//! beside the path, and if round trips differ much. Troughs that do not come together have the same effect, the more
//! often the more flows there are. As the rate of section 2.1 sets the window of now against the queue of a
//! round trip ago, a queue as long as the path does not oscillate, and never empties: flows that have got there by
//! mistake go on until losses end it. None of that can happen without `competitive`.

use std::cmp::Ordering;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{positive, AckSample, Congestion, Loss, Parameters, PathSample, Silence, Start, Unfit, Window};
use crate::units::Time;

/// Copa's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How much delay counts beside throughput: the flow keeps 1/delta packets in the queue (section 1).
    pub delta: f64,
    /// Whether it competes with flows that fill the buffer (section 2.2).
    pub competitive: bool,
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), Unfit> {
        positive("delta", self.delta)
    }
}

impl Default for Config {
    fn default() -> Self {
        Config { delta: 0.5, competitive: true }
    }
}

/// Section 2.1: seconds for which a least round-trip time counts as that of the path.
const MIN_RTT_S: f64 = 10.0;
/// Section 2.1: round trips over which the least is the standing round-trip time.
const STANDING_RTTS: f64 = 0.5;
/// Section 2.1: packets leave twice as fast as the window asks for.
const PACING_GAIN: f64 = 2.0;
/// Section 2.1: v doubles if the window has moved in one direction for longer than this many round trips. In a steady
/// state it does so for 2.5.
const STEADY_RTTS: u32 = 3;
/// Section 2.2: the queue is nearly empty if it is below this part of the highest in so many round trips; if it has
/// not been that for so many, another flow fills the buffer.
const NEARLY_EMPTY: f64 = 0.1;
const HIGHEST_RTTS: f64 = 4.0;
const EMPTYING_RTTS: f64 = 5.0;
/// Packets are whole, so a trough may be one packet deep where the fluid's is empty. A queue below so many packets is
/// nearly empty, too.
const SHALLOW_PACKETS: f64 = 1.5;
/// The weight of a sample in the smoothed round-trip time (RFC 6298, section 2.3).
const SRTT_GAIN: f64 = 0.125;
const LEAST_WINDOW: f64 = 2.0;

/// The least value of late.
#[derive(Clone, Debug, Default)]
struct Least(VecDeque<(Time, f64)>);

impl Least {
    /// Takes in a value; returns the least that is no older than `span` seconds.
    fn take_in(&mut self, now: Time, value: f64, span: f64) -> f64 {
        while self.0.back().is_some_and(|&(_, older)| older >= value) {
            self.0.pop_back();
        }
        self.0.push_back((now, value));
        while self.0.front().is_some_and(|&(at, _)| now.since(at).secs() > span) {
            self.0.pop_front();
        }
        self.0.front().map_or(value, |&(_, least)| least)
    }
}

/// The round-trip times by which Copa goes, in seconds.
#[derive(Clone, Debug, Default)]
struct RoundTrips {
    /// Smoothed over ACKs, not by the timer's clock, which may be coarse.
    smoothed: Option<f64>,
    /// RTTmin, RTTstanding and RTTmax.
    min: f64,
    standing: f64,
    max: f64,
    lows: Least,
    recent_lows: Least,
    /// Negative.
    recent_highs: Least,
    /// The time that a packet takes at the bottleneck: the least between ACKs of packets, and when the last came.
    packet: f64,
    gaps: Least,
    heard_at: Option<Time>,
}

impl RoundTrips {
    fn take_in(&mut self, now: Time, rtt: f64, packets: f64) {
        if let Some(at) = self.heard_at.replace(now) {
            self.packet = self.gaps.take_in(now, now.since(at).secs() / packets, MIN_RTT_S);
        }
        let srtt = self.smoothed.map_or(rtt, |srtt| srtt + SRTT_GAIN * (rtt - srtt));
        self.smoothed = Some(srtt);
        self.min = self.lows.take_in(now, rtt, MIN_RTT_S);
        self.standing = self.recent_lows.take_in(now, rtt, STANDING_RTTS * srtt);
        self.max = -self.recent_highs.take_in(now, -rtt, HIGHEST_RTTS * srtt);
    }

    /// Section 2.1, step 1: d_q.
    fn queueing_delay(&self) -> f64 {
        self.standing - self.min
    }

    /// Section 2.2. A round trip that does not vary at all shows an empty queue, too.
    fn queue_is_nearly_empty(&self) -> bool {
        let least = (NEARLY_EMPTY * (self.max - self.min)).max(SHALLOW_PACKETS * self.packet);
        self.queueing_delay() <= least
    }
}

/// Copa's window and rate.
#[derive(Clone, Debug)]
pub struct Copa {
    config: Config,
    rtts: RoundTrips,
    slow_start: bool,
    /// The round ends when a packet sent after so many deliveries is acknowledged. What the window was at its start.
    round_end: u64,
    round_cwnd: f64,
    /// Where the window moves, and for how many rounds it has done so.
    direction: Ordering,
    same_rounds: u32,
    /// v of section 2.1.
    velocity: f64,
    /// When the queue was last seen nearly empty.
    nearly_empty_at: Time,
    competes: bool,
    /// 1/delta, in packets.
    inverse_delta: f64,
    /// Whether this round has seen a loss.
    lost: bool,
    pacing_rate: Option<f64>,
}

impl Copa {
    /// The control that a scenario asks for.
    pub fn new(config: &Config, start: &Start<'_>) -> Self {
        Copa {
            config: *config,
            rtts: RoundTrips::default(),
            slow_start: true,
            round_end: 0,
            round_cwnd: start.initial_window,
            direction: Ordering::Equal,
            same_rounds: 0,
            velocity: 1.0,
            nearly_empty_at: Time::ZERO,
            competes: false,
            inverse_delta: 1.0 / config.delta,
            lost: false,
            pacing_rate: None,
        }
    }

    /// Section 2.2: the default mode as long as the queue empties as it does if all flows are Copa's.
    fn choose_mode(&mut self, now: Time) {
        if self.rtts.queue_is_nearly_empty() {
            self.nearly_empty_at = now;
        }
        let rtts = now.since(self.nearly_empty_at).secs() / self.rtts.smoothed.unwrap_or(f64::INFINITY);
        self.competes = self.config.competitive && rtts > EMPTYING_RTTS;
        if !self.competes {
            self.inverse_delta = 1.0 / self.config.delta;
        }
    }

    /// Section 2.2: the decrease of AIMD on 1/delta, once a round trip. Delta is never above that of the default mode.
    fn note_loss(&mut self) {
        if !self.lost {
            self.lost = true;
            self.inverse_delta = (self.inverse_delta / 2.0).max(1.0 / self.config.delta);
        }
    }

    fn end_round(&mut self, window: &Window, path: &PathSample) {
        if path.prior_delivered < self.round_end {
            return;
        }
        if self.competes && !self.lost {
            self.inverse_delta += 1.0;
        }
        self.lost = false;
        if !self.slow_start {
            self.update_velocity(window.cwnd.total_cmp(&self.round_cwnd));
        }
        self.start_round(window, path);
    }

    fn start_round(&mut self, window: &Window, path: &PathSample) {
        (self.round_end, self.round_cwnd) = (path.delivered, window.cwnd);
    }

    /// Section 2.1, step 4: v doubles each round trip, but not while the window moves as in a steady state.
    fn update_velocity(&mut self, direction: Ordering) {
        if direction != self.direction {
            (self.direction, self.same_rounds, self.velocity) = (direction, 0, 1.0);
        }
        self.same_rounds += 1;
        if self.same_rounds > STEADY_RTTS && direction.is_ne() {
            self.velocity *= 2.0;
        }
    }

    /// Section 2.1, steps 2 and 3. The rate cwnd / RTTstanding is compared with the target 1 / (delta d_q) without a
    /// division by a delay of 0.
    fn set_window(&mut self, window: &mut Window, path: &PathSample) {
        let below = window.cwnd * self.rtts.queueing_delay() <= self.rtts.standing * self.inverse_delta;
        self.slow_start &= below;
        let direction = if below { Ordering::Greater } else { Ordering::Less };
        if self.velocity > 1.0 && direction != self.direction {
            (self.direction, self.same_rounds, self.velocity) = (direction, 0, 1.0);
            self.start_round(window, path);
        }
        self.velocity = self.velocity.min(window.cwnd / self.inverse_delta).max(1.0);
        let packets = f64::from(path.newly_delivered);
        let change = packets * self.velocity * self.inverse_delta / window.cwnd;
        if !below {
            window.cwnd = (window.cwnd - change).max(LEAST_WINDOW);
        } else if !path.app_limited {
            window.cwnd += if self.slow_start { packets } else { change };
        }
    }
}

impl Congestion for Copa {
    const PACED: bool = true;
    const RULES_RECOVERY: bool = true;

    #[inline(never)] // AIMD, which most flows have, keeps the caller to itself.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        let Some(path) = ack.path else {
            return;
        };
        if path.newly_lost > 0 {
            self.note_loss();
        }
        if path.newly_delivered == 0 {
            return;
        }
        self.rtts.take_in(ack.now, ack.rtt(), f64::from(path.newly_delivered));
        self.choose_mode(ack.now);
        self.end_round(window, path);
        self.set_window(window, path);
        self.pacing_rate = Some(PACING_GAIN * window.cwnd / self.rtts.standing);
    }

    /// Losses move 1/delta, not the window; [`Copa::on_ack`] is told of each.
    fn after_loss(&mut self, window: &Window, _: &Loss) -> f64 {
        window.cwnd
    }

    fn after_mark(&mut self, window: &Window, _: &Loss) -> f64 {
        self.note_loss();
        window.cwnd
    }

    fn after_timeout(&mut self, window: &Window, _: &Loss) -> f64 {
        self.note_loss();
        (self.slow_start, self.velocity, self.same_rounds) = (true, 1.0, 0);
        window.cwnd
    }

    fn on_begin(&mut self, _: &Window, now: Time, _: Option<f64>) {
        self.nearly_empty_at = now;
    }

    /// The time without an ACK says nothing of who fills the buffer.
    fn on_timeout(&mut self, loss: &Loss) {
        self.nearly_empty_at = loss.now;
    }

    /// What was seen before the silence says nothing of who fills the buffer now.
    fn on_restart(&mut self, window: &mut Window, silence: &Silence) {
        self.nearly_empty_at = silence.now;
        (self.round_cwnd, self.velocity, self.same_rounds) = (window.cwnd, 1.0, 0);
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{ack, loss, start};
    use super::*;
    use proptest::prelude::*;

    const MIN_RTT: f64 = 0.1;

    /// What is measured when an ACK reports the latest of so many packets.
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
            self.copa.on_ack(
                &mut self.window,
                &AckSample { path: Some(&path), high_ack: 1, ..ack(self.now, rtt) },
            );
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
            Config { delta: 0.0, ..Config::default() }.check().map_err(|unfit| unfit.field),
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
                let found = least.take_in(Time::from_secs(now.into()), value.into(), span.into());
                let late = seen.iter().filter(|(at, _)| now - at <= span).map(|&(_, value)| value).min();
                prop_assert_eq!(Some(found), late.map(f64::from));
            }
        }
    }
}
