//! PIE: a proportional integral controller of the queueing delay (RFC 8033).
//!
//! Arriving packets are dropped with a probability that is set anew every 15 ms from how far the delay is from its
//! target and from how it changes. Service is first in, first out, so departures are known at arrival: the updates
//! between two arrivals, and the departures that they look at, are made up for when the later packet arrives.
//! At one instant departures come before an update, and an update before an arrival.

use std::collections::VecDeque;

use super::{Arrival, ArrivalQueue, Backlog, Verdict};
use crate::limits::Steps;
use crate::random::Stream;
use crate::room::Room;
use crate::scenario::{self, PieDelay, QueueVariant};
use crate::units::Time;

/// Bytes that must leave for a measurement of the departure rate, and the weight of one (section 5.2).
const MEASURED_BYTES: u64 = 1 << 14;
const MEASUREMENT_WEIGHT: f64 = MEASURED_BYTES as f64 / 65_536.0;

/// Below each probability a step of the controller is divided by this (section 4.2).
const STEPS: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
/// Factor of the probability at each update once the queue has been empty for two.
const IDLE_DECAY: f64 = 0.98;
/// Factor of the probability in Linux, under the same condition.
const LINUX_IDLE_DECAY: f64 = 63.0 / 64.0;
/// Delay in seconds from which on an update in Linux raises the probability by this step.
const LINUX_LONG_DELAY: (f64, f64) = (0.25, 0.02);
/// Below half the target no packet is dropped unless the probability is at least this.
const SAFE_PROBABILITY: f64 = 0.2;
/// From this probability on, one step raises it by at most that much (section 5.5).
const CAPPED: (f64, f64) = (0.1, 0.02);
/// A packet is dropped at random only once the probabilities since the last drop sum up to the first, and surely at the
/// second (section 5.4).
const SUMS: (f64, f64) = (0.85, 8.5);

/// The discipline.
#[derive(Clone, Debug)]
pub struct Pie {
    config: scenario::Pie,
    stream: Stream,
    probability: f64,
    /// Sum of the probabilities since the last drop.
    sum: f64,
    burst_allowance: Time,
    /// Queueing delay in seconds, now and at the last update.
    delay: f64,
    delay_before: f64,
    next_update: Time,
    /// Packets that wait, or that left after the last arrival.
    leaving: VecDeque<Departure>,
    /// Bytes that wait.
    waiting_bytes: u64,
    rate: DepartureRate,
}

/// When a packet leaves the queue to be transmitted.
#[derive(Clone, Copy, Debug)]
struct Departure {
    at: Time,
    arrived: Time,
    size: u16,
}

/// Measures how long a number of bytes takes to leave.
#[derive(Clone, Debug, Default)]
struct DepartureRate {
    /// Start of the measurement under way, and bytes since.
    measured: Option<(Time, u64)>,
    /// Average seconds for [`MEASURED_BYTES`]; 0 before the first measurement.
    seconds: f64,
}

impl DepartureRate {
    /// A packet leaves, and so many bytes stay.
    fn departed(&mut self, now: Time, size: u16, waiting_bytes: u64) {
        if self.measured.is_none() && waiting_bytes >= MEASURED_BYTES {
            self.measured = Some((now, 0));
        }
        let Some((start, bytes)) = &mut self.measured else {
            return;
        };
        *bytes += u64::from(size);
        if *bytes >= MEASURED_BYTES {
            let seconds = now.since(*start).secs();
            self.seconds = if self.seconds == 0.0 {
                seconds
            } else {
                seconds * MEASUREMENT_WEIGHT + self.seconds * (1.0 - MEASUREMENT_WEIGHT)
            };
            self.measured = None;
        }
    }
}

impl Pie {
    /// The queue that a scenario asks for; `stream` makes its draws.
    pub fn new(config: &scenario::Pie, stream: Stream) -> Self {
        Pie {
            stream,
            probability: 0.0,
            sum: 0.0,
            burst_allowance: config.max_burst,
            delay: 0.0,
            delay_before: 0.0,
            next_update: config.update,
            leaving: VecDeque::new(),
            waiting_bytes: 0,
            rate: DepartureRate::default(),
            config: config.clone(),
        }
    }

    /// The drop probability.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// A packet was accepted that arrived at `now` and is transmitted from `start` on.
    pub fn accepted(&mut self, now: Time, start: Time, size: u16) {
        self.leaving.add(Departure { at: start, arrived: now, size }, "packets at ports");
        self.waiting_bytes += u64::from(size);
    }

    /// Makes up for the departures and updates until `now`.
    fn catch_up(&mut self, now: Time) {
        let mut steps = Steps::default();
        loop {
            steps.next();
            let departure = self.leaving.front().map_or(Time::NEVER, |departure| departure.at);
            if departure.min(self.next_update) > now {
                return;
            }
            if departure <= self.next_update {
                self.depart();
            } else {
                self.update();
            }
        }
    }

    fn depart(&mut self) {
        let Some(departure) = self.leaving.pop_front() else {
            return;
        };
        self.waiting_bytes -= u64::from(departure.size);
        match self.config.delay {
            // A queue that has run empty shows no more packets, so it must be said that nothing waits.
            PieDelay::Timestamps if self.waiting_bytes == 0 => self.delay = 0.0,
            PieDelay::Timestamps => self.delay = departure.at.since(departure.arrived).secs(),
            PieDelay::DepartureRate => {
                self.rate.departed(departure.at, departure.size, self.waiting_bytes);
            }
        }
    }

    /// Sets the probability anew (sections 4.2 and 4.4).
    fn update(&mut self) {
        self.next_update += self.config.update;
        if self.config.delay == PieDelay::DepartureRate {
            self.delay = self.waiting_bytes as f64 * self.rate.seconds / MEASURED_BYTES as f64;
        }
        let error = self.delay - self.config.target.secs();
        let change = self.delay - self.delay_before;
        let mut step = self.config.alpha * error + self.config.beta * change;
        if let Some((_, divisor)) = STEPS.iter().find(|(below, _)| self.probability < *below) {
            step /= divisor;
        }
        if self.config.cap_increase && self.probability >= CAPPED.0 {
            step = step.min(CAPPED.1);
        }
        if self.is_linux() && self.delay > LINUX_LONG_DELAY.0 {
            step += LINUX_LONG_DELAY.1;
        }
        self.probability += step;
        if self.delay == 0.0 && self.delay_before == 0.0 {
            self.probability *= if self.is_linux() { LINUX_IDLE_DECAY } else { IDLE_DECAY };
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_allowance = self.burst_allowance.since(self.config.update);
        if self.is_linux() {
            self.renew_burst_allowance();
        }
        self.delay_before = self.delay;
    }

    fn is_linux(&self) -> bool {
        self.config.variant == QueueVariant::Linux
    }

    fn is_full(&self, size: u16) -> bool {
        let full = |limit: Option<u64>, held: u64| limit.is_some_and(|limit| held > limit);
        let packets = self.leaving.len() as u64 + 1;
        full(self.config.limit_packets.map(u64::from), packets)
            || full(self.config.limit_bytes, self.waiting_bytes + u64::from(size))
    }

    /// Decides whether a packet that finds room is dropped or marked (section 4.1).
    fn strikes(&mut self) -> bool {
        // Linux looks at the delay now, and drops the third of three packets of mean size.
        let (delay, spared) = if self.is_linux() { (self.delay, 1) } else { (self.delay_before, 0) };
        let short = delay < self.config.target.secs() / 2.0;
        let few = self.waiting_bytes + spared <= 2 * u64::from(self.config.mean_packet_bytes);
        if self.burst_allowance > Time::ZERO || (short && self.probability < SAFE_PROBABILITY) || few {
            return false;
        }
        if self.config.derandomize {
            self.sum = if self.probability == 0.0 { 0.0 } else { self.sum + self.probability };
            if self.sum < SUMS.0 {
                return false;
            }
            if self.sum >= SUMS.1 {
                return true;
            }
        }
        self.stream.uniform() < self.probability
    }

    /// When congestion has gone away, bursts are let through again (section 4.4). Linux looks at each update only.
    fn renew_burst_allowance(&mut self) {
        let half = self.config.target.secs() / 2.0;
        if self.probability == 0.0 && self.delay < half && self.delay_before < half {
            self.burst_allowance = self.config.max_burst;
        }
    }
}

impl ArrivalQueue for Pie {
    fn arrive(&mut self, arrival: &Arrival, _backlog: &Backlog) -> Verdict {
        self.catch_up(arrival.now);
        if self.is_full(arrival.size) {
            self.sum = 0.0;
            return Verdict::Drop;
        }
        let strikes = self.strikes();
        if !self.is_linux() {
            self.renew_burst_allowance();
        }
        if !strikes {
            return Verdict::Accept;
        }
        self.sum = 0.0;
        if self.config.ecn && arrival.ecn_capable && self.probability < self.config.mark_below {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pie(settings: serde_json::Value) -> Pie {
        let config: scenario::Pie = serde_json::from_value(settings).expect("settings");
        Pie::new(&config, Stream::new(1, "queue"))
    }

    fn seconds(t: f64) -> Time {
        Time::from_secs(t)
    }

    fn arrival(now: f64, ecn_capable: bool) -> Arrival {
        Arrival { now: seconds(now), size: 1000, ecn_capable, idle_since: Time::ZERO, flow: 0 }
    }

    #[test]
    fn steps_are_small_while_the_probability_is() {
        // With a delay of 35 ms that stays: 0.125 * 0.02 = 0.0025, divided.
        let by_probability = [
            (0.0, 2048.0),
            (9e-7, 2048.0),
            (1e-6, 512.0),
            (1e-5, 128.0),
            (1e-4, 32.0),
            (1e-3, 8.0),
            (1e-2, 2.0),
            (0.1, 1.0),
            (0.5, 1.0),
        ];
        for (probability, divisor) in by_probability {
            let mut pie = pie(serde_json::json!({}));
            (pie.probability, pie.delay, pie.delay_before) = (probability, 0.035, 0.035);
            pie.update();
            let step = pie.probability - probability;
            assert!((step * divisor - 0.0025).abs() < 1e-10, "{probability}: {step}");
        }
    }

    #[test]
    fn a_growing_delay_counts_ten_times_as_much() {
        let mut pie = pie(serde_json::json!({}));
        (pie.probability, pie.delay, pie.delay_before) = (0.2, 0.035, 0.025);
        pie.update();
        assert!((pie.probability - (0.2 + 0.125 * 0.02 + 1.25 * 0.01)).abs() < 1e-12);
        assert_eq!(pie.delay_before, 0.035);
    }

    #[test]
    fn a_capped_step_is_two_percent() {
        for (cap, expected) in [(false, 0.1 + 1.25 * 0.1 + 0.125 * 0.085), (true, 0.12)] {
            let mut pie = pie(serde_json::json!({"cap_increase": cap}));
            (pie.probability, pie.delay) = (0.1, 0.1);
            pie.update();
            assert!((pie.probability - expected).abs() < 1e-12, "{}", pie.probability);
        }
    }

    #[test]
    fn a_long_delay_adds_two_percent_in_linux() {
        for (variant, added) in [("rfc", 0.0), ("linux", 0.02)] {
            let mut pie = pie(serde_json::json!({"variant": variant}));
            (pie.probability, pie.delay, pie.delay_before) = (0.5, 0.265, 0.265);
            pie.update();
            assert!((pie.probability - (0.5 + 0.125 * 0.25 + added)).abs() < 1e-12, "{}", pie.probability);
        }
    }

    #[test]
    fn linux_spares_packets_by_the_delay_now_and_strikes_the_third() {
        let mut outcomes = Vec::new();
        for variant in ["rfc", "linux"] {
            let settings = serde_json::json!({"variant": variant, "max_burst": 0, "mean_packet_bytes": 1000});
            let mut pie = pie(settings);
            (pie.probability, pie.waiting_bytes) = (0.19, 4000);
            let mut struck = |delay: f64, before: f64, waiting: u64| {
                (pie.delay, pie.delay_before, pie.waiting_bytes) = (delay, before, waiting);
                (0..200).any(|_| pie.strikes())
            };
            outcomes.push([struck(0.001, 0.02, 4000), struck(0.02, 0.001, 4000), struck(0.02, 0.02, 2000)]);
        }
        assert_eq!(outcomes, [[true, false, false], [false, true, true]]);
    }

    #[test]
    fn an_empty_queue_forgets() {
        let mut pie = pie(serde_json::json!({}));
        pie.probability = 0.5;
        pie.update();
        assert!((pie.probability - 0.98 * (0.5 - 0.125 * 0.015)).abs() < 1e-12);
    }

    /// Takes packets of 1000 bytes each `gap` seconds for a link that takes 1 ms each: times of drops.
    fn drops(pie: &mut Pie, gap: f64, packets: u32) -> Vec<f64> {
        let mut free_at = Time::ZERO;
        let mut times = Vec::new();
        for i in 0..packets {
            let arrival = arrival(gap * f64::from(i), false);
            if pie.arrive(&arrival, &Backlog::default()) == Verdict::Drop {
                times.push(arrival.now.secs());
                continue;
            }
            let start = arrival.now.max(free_at);
            free_at = start + seconds(0.001);
            pie.accepted(arrival.now, start, 1000);
        }
        times
    }

    #[test]
    fn a_burst_is_let_through_for_as_long_as_it_may_last() {
        // Ten updates of 15 ms use up 150 ms, from the last moment without congestion on: the wait is half of the
        // target, 7.5 ms, at the update at 15 ms, and a packet that comes before it renews the allowance.
        let fast = serde_json::json!({"alpha": 1000, "beta": 10000});
        let first = drops(&mut pie(fast), 0.0005, 2000)[0];
        assert!((0.150..0.2).contains(&first), "{first}");
        let without = serde_json::json!({"alpha": 1000, "beta": 10000, "max_burst": 0});
        let first = drops(&mut pie(without), 0.0005, 2000)[0];
        assert!(first < 0.15, "{first}");
    }

    #[test]
    fn two_mean_packets_may_always_wait() {
        let mut pie = pie(serde_json::json!({"max_burst": 0}));
        (pie.probability, pie.delay_before) = (1.0, 1.0);
        let fates: Vec<Verdict> = (0..5)
            .map(|_| {
                let verdict = pie.arrive(&arrival(0.0, false), &Backlog::default());
                if verdict == Verdict::Accept {
                    pie.accepted(Time::ZERO, seconds(9.0), 1000);
                }
                verdict
            })
            .collect();
        assert_eq!(fates, [Verdict::Accept, Verdict::Accept, Verdict::Accept, Verdict::Drop, Verdict::Drop]);
    }

    #[test]
    fn packets_are_marked_only_while_the_probability_is_small() {
        for (probability, expected) in [(0.099, Verdict::Mark), (0.1, Verdict::Drop)] {
            let mut pie = pie(serde_json::json!({"max_burst": 0, "ecn": true, "derandomize": true}));
            (pie.probability, pie.delay_before, pie.waiting_bytes) = (probability, 1.0, 9000);
            // So much has come together that the next packet is struck for sure.
            pie.sum = 8.5;
            assert_eq!(pie.arrive(&arrival(0.0, true), &Backlog::default()), expected);
            assert_eq!(pie.sum, 0.0);
        }
    }

    #[test]
    fn derandomised_drops_keep_their_distance() {
        let config = serde_json::json!({"max_burst": 0, "derandomize": true});
        let mut pie = pie(config);
        (pie.probability, pie.delay_before, pie.waiting_bytes) = (0.1, 1.0, 9000);
        let mut gaps = vec![0];
        for _ in 0..20_000 {
            if pie.strikes() {
                pie.sum = 0.0;
                gaps.push(0);
            } else {
                *gaps.last_mut().expect("a gap") += 1;
            }
        }
        gaps.pop();
        // Eight packets sum up to 0.8 and pass; 85 sum up to 8.5, when one is struck for sure.
        assert!(gaps.iter().all(|gap| (8..85).contains(gap)));
        let mean = gaps.iter().sum::<u32>() as f64 / gaps.len() as f64;
        assert!((mean - (8.0 + 9.0)).abs() < 1.0, "{mean}");
        pie.sum = 8.4;
        assert!(pie.strikes());
    }

    #[test]
    fn the_departure_rate_is_measured_over_sixteen_kibibytes() {
        let mut rate = DepartureRate::default();
        // 17 packets of 1000 bytes are the first to be 16384 or more; the first of them starts the measurement.
        for i in 0..16 {
            rate.departed(seconds(0.001 * f64::from(i)), 1000, 20_000);
        }
        assert_eq!(rate.seconds, 0.0);
        rate.departed(seconds(0.016), 1000, 0);
        assert!((rate.seconds - 0.016).abs() < 1e-12);
        // The next one, twice as slow, has a weight of a quarter; with less in the queue none starts.
        rate.departed(seconds(0.1), 1000, 16_383);
        for i in 0..17 {
            rate.departed(seconds(0.2 + 0.002 * f64::from(i)), 1000, 16_384);
        }
        assert!((rate.seconds - (0.25 * 0.032 + 0.75 * 0.016)).abs() < 1e-12);
    }
}
