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

use crate::parameters::positive;
use crate::units::Time;
use crate::{AckSample, Congestion, InvalidParameter, Loss, Parameters, PathSample, Silence, Start, Window};

/// Copa's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Weight of delay beside throughput: the flow keeps 1/delta packets in the queue (section 1); above 0.
    pub delta: f64,
    /// Lets it compete with flows that fill the buffer (section 2.2).
    pub competitive: bool,
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), InvalidParameter> {
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
    /// Takes a value; returns the least that is no older than `span` seconds.
    fn update(&mut self, now: Time, value: f64, span: f64) -> f64 {
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
    fn update(&mut self, now: Time, rtt: f64, packets: f64) {
        if let Some(at) = self.heard_at.replace(now) {
            self.packet = self.gaps.update(now, now.since(at).secs() / packets, MIN_RTT_S);
        }
        let srtt = self.smoothed.map_or(rtt, |srtt| srtt + SRTT_GAIN * (rtt - srtt));
        self.smoothed = Some(srtt);
        self.min = self.lows.update(now, rtt, MIN_RTT_S);
        self.standing = self.recent_lows.update(now, rtt, STANDING_RTTS * srtt);
        self.max = -self.recent_highs.update(now, -rtt, HIGHEST_RTTS * srtt);
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
    /// True if this round has seen a loss.
    lost: bool,
    pacing_rate: Option<f64>,
}

impl Copa {
    /// The control at the start of a connection, by parameters that were checked.
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
        self.rtts.update(ack.now, ack.rtt(), f64::from(path.newly_delivered));
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

    /// Forgets delays from before the silence: they say nothing of who fills the buffer now.
    fn on_restart(&mut self, window: &mut Window, silence: &Silence) {
        self.nearly_empty_at = silence.now;
        (self.round_cwnd, self.velocity, self.same_rounds) = (window.cwnd, 1.0, 0);
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }
}

#[cfg(test)]
mod tests;
