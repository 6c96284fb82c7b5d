//! PIE: a proportional integral controller of the queueing delay (RFC 8033).
//!
//! Arriving packets are dropped with a probability that is set anew every 15 ms from how far the delay is from its
//! target and from how it changes. Service is first in, first out, so departures are known at arrival: the updates
//! between two arrivals, and the departures that they look at, are made up for when the later packet arrives.
//! At one instant departures come before an update, and an update before an arrival.

use std::collections::VecDeque;

use super::{Arrival, Backlog, Queue, Verdict};
use crate::random::Stream;
use crate::scenario::{self, PieDelay};
use crate::units::Time;

/// Bytes that must leave for a measurement of the departure rate, and the weight of one (section 5.2).
const MEASURED_BYTES: u64 = 1 << 14;
const MEASUREMENT_WEIGHT: f64 = MEASURED_BYTES as f64 / 65_536.0;

/// Below each probability a step of the controller is divided by this (section 4.2).
const STEPS: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
/// What is left of the probability at each update once the queue has been empty for two.
const IDLE_DECAY: f64 = 0.98;
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
    rate: Rate,
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
struct Rate {
    /// Start of the measurement under way, and bytes since.
    measured: Option<(Time, u64)>,
    /// Average seconds for [`MEASURED_BYTES`]; 0 before the first measurement.
    seconds: f64,
}

impl Rate {
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
            rate: Rate::default(),
            config: config.clone(),
        }
    }

    /// The drop probability.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// A packet was accepted that arrived at `now` and is transmitted from `start` on.
    pub fn accepted(&mut self, now: Time, start: Time, size: u16) {
        self.leaving.push_back(Departure { at: start, arrived: now, size });
        self.waiting_bytes += u64::from(size);
    }

    /// Makes up for the departures and updates until `now`.
    fn catch_up(&mut self, now: Time) {
        loop {
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
        self.probability += step;
        if self.delay == 0.0 && self.delay_before == 0.0 {
            self.probability *= IDLE_DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.delay_before = self.delay;
        self.burst_allowance = self.burst_allowance.since(self.config.update);
    }

    fn is_full(&self, size: u16) -> bool {
        let full = |limit: Option<u64>, held: u64| limit.is_some_and(|limit| held > limit);
        let packets = self.leaving.len() as u64 + 1;
        full(self.config.limit_packets.map(u64::from), packets)
            || full(self.config.limit_bytes, self.waiting_bytes + u64::from(size))
    }

    /// Whether a packet that finds room is dropped or marked (section 4.1).
    fn strikes(&mut self) -> bool {
        let short = self.delay_before < self.config.target.secs() / 2.0;
        let few = self.waiting_bytes <= 2 * u64::from(self.config.mean_packet_bytes);
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

    /// When congestion has gone away, bursts are let through again (section 4.4).
    fn renew_burst_allowance(&mut self) {
        let half = self.config.target.secs() / 2.0;
        if self.probability == 0.0 && self.delay < half && self.delay_before < half {
            self.burst_allowance = self.config.max_burst;
        }
    }
}

impl Queue for Pie {
    fn arrive(&mut self, arrival: &Arrival, _backlog: &Backlog) -> Verdict {
        self.catch_up(arrival.now);
        if self.is_full(arrival.size) {
            self.sum = 0.0;
            return Verdict::Drop;
        }
        let strikes = self.strikes();
        self.renew_burst_allowance();
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
