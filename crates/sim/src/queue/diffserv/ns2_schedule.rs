//! Schedulers as ns-2.35's dsRED has them, for the profile `ns2`.
//!
//! Their pointers and credits move at every call, and the port calls whenever the link is free: once at the start, at each
//! arrival on a free link, and at each end of a transmission even if nothing waits. Interleaved round robin may pick an
//! empty queue although packets wait in others; the link then stays silent until the next arrival.

use crate::scenario;
use crate::units::Time;

/// Number of queues that ns-2's dsRED can have, and of those that its first round takes for done.
const MOST_QUEUES: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Ns2Scheduler {
    rule: Rule,
    weights: Vec<i64>,
    current: usize,
    credits: Vec<i64>,
    done: Vec<bool>,
    done_count: usize,
    /// Bytes a second.
    max_rates: Vec<f64>,
    rates: Vec<f64>,
    updated: Vec<Time>,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    RoundRobin,
    Weighted,
    Interleaved,
    Priority,
}

impl Ns2Scheduler {
    pub fn new(config: &scenario::Scheduler, queues: usize) -> Self {
        let (rule, weights, max_rates) = match config {
            scenario::Scheduler::Priority(priority) => (Rule::Priority, &[][..], &priority.max_rates[..]),
            scenario::Scheduler::RoundRobin {} | scenario::Scheduler::Drr(_) => {
                (Rule::RoundRobin, &[][..], &[][..])
            }
            scenario::Scheduler::Wrr(wrr) => (Rule::Weighted, &wrr.weights[..], &[][..]),
            scenario::Scheduler::Wirr(wirr) => (Rule::Interleaved, &wirr.weights[..], &[][..]),
        };
        let at = |index: usize| max_rates.get(index).map_or(0.0, |rate| rate.bps() / 8.0);
        let mut scheduler = Ns2Scheduler {
            rule,
            weights: (0..queues)
                .map(|index| weights.get(index).map_or(1, |&weight| i64::from(weight)))
                .collect(),
            current: 0,
            credits: vec![0; queues],
            done: vec![false; queues],
            done_count: MOST_QUEUES,
            max_rates: (0..queues).map(at).collect(),
            rates: vec![0.0; queues],
            updated: vec![Time::ZERO; queues],
        };
        scheduler.next(&|_| None);
        scheduler
    }

    fn queues(&self) -> usize {
        self.weights.len()
    }

    fn advance(&mut self) {
        self.current = (self.current + 1) % self.queues();
    }

    /// The queue that it picks, which may be empty.
    pub fn next(&mut self, first: &dyn Fn(usize) -> Option<u16>) -> usize {
        let empty = |index: usize| first(index).is_none();
        match self.rule {
            Rule::RoundRobin => self.round_robin(&empty),
            Rule::Weighted => self.weighted(&empty),
            Rule::Interleaved => self.interleaved(&empty),
            Rule::Priority => self.priority(&empty),
        }
        self.current
    }

    fn round_robin(&mut self, empty: &dyn Fn(usize) -> bool) {
        self.advance();
        for _ in 0..self.queues() {
            if !empty(self.current) {
                break;
            }
            self.advance();
        }
    }

    fn weighted(&mut self, empty: &dyn Fn(usize) -> bool) {
        if self.credits[self.current] <= 0 {
            self.turn();
        } else {
            self.credits[self.current] -= 1;
        }
        for _ in 0..self.queues() {
            if !empty(self.current) {
                break;
            }
            self.credits[self.current] = 0;
            self.turn();
        }
    }

    fn turn(&mut self) {
        self.advance();
        self.credits[self.current] = self.weights[self.current] - 1;
    }

    fn interleaved(&mut self, empty: &dyn Fn(usize) -> bool) {
        self.advance();
        for _ in 0..self.queues() {
            if !(empty(self.current) || self.done[self.current]) {
                break;
            }
            self.finish_current();
            self.advance();
        }
        if self.credits[self.current] == 1 {
            // Counted even if it was done already.
            self.done_count += 1;
            self.done[self.current] = true;
        }
        self.credits[self.current] -= 1;
        if self.done_count >= self.queues() {
            self.done_count = 0;
            self.credits.clone_from(&self.weights);
            self.done.fill(false);
        }
    }

    fn finish_current(&mut self) {
        if !std::mem::replace(&mut self.done[self.current], true) {
            self.done_count += 1;
        }
    }

    fn priority(&mut self, empty: &dyn Fn(usize) -> bool) {
        let within =
            |index: &usize| self.max_rates[*index] == 0.0 || self.rates[*index] <= self.max_rates[*index];
        let waiting = || (0..self.queues()).filter(|&index| !empty(index));
        // The limit yields to a link that would be silent.
        self.current = waiting().find(within).or(waiting().next()).unwrap_or(0);
    }

    /// Brings the estimated rates up to date: a sliding window of one second.
    pub fn served(&mut self, now: Time, index: usize, size: u16) {
        for (queue, &limit) in self.max_rates.iter().enumerate() {
            if limit > 0.0 {
                let bytes = if queue == index { f64::from(size) } else { 0.0 };
                let since = now.since(self.updated[queue]).secs();
                self.rates[queue] = (self.rates[queue] + bytes) / (since + 1.0);
                self.updated[queue] = now;
            }
        }
    }
}
