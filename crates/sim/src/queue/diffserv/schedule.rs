//! Which queue is served next: strict priority, weighted and deficit round robin. All serve whatever waits.

use super::ns2_schedule::Ns2Scheduler;
use crate::scenario::{self, DiffServProfile};
use crate::units::Time;

/// Chooses the queue that is served.
#[derive(Clone, Debug)]
pub(super) enum Scheduler {
    Priority { queues: usize },
    Wrr(Wrr),
    Drr(Drr),
    Ns2(Ns2Scheduler),
}

impl Scheduler {
    pub fn new(config: &scenario::DiffServ) -> Self {
        let queues = config.queues.len();
        match (&config.scheduler, config.profile) {
            (scenario::Scheduler::Drr(drr), _) => Scheduler::Drr(Drr::new(drr)),
            (scheduler, DiffServProfile::Ns2) => Scheduler::Ns2(Ns2Scheduler::new(scheduler, queues)),
            (scenario::Scheduler::Priority(_), _) => Scheduler::Priority { queues },
            (scenario::Scheduler::RoundRobin {}, _) => Scheduler::Wrr(Wrr::new(vec![1; queues])),
            (scenario::Scheduler::Wrr(wrr), _) => Scheduler::Wrr(Wrr::new(wrr.weights.clone())),
            (scenario::Scheduler::Wirr(wirr), _) => Scheduler::Wrr(Wrr::new(wirr.weights.clone())),
        }
    }

    /// The queue to serve, if any: one that is not empty, or with ns-2's schedulers perhaps an empty one. `first` says
    /// how many bytes the first packet of a queue has, none if the queue is empty.
    pub fn next(&mut self, first: &dyn Fn(usize) -> Option<u16>) -> Option<usize> {
        match self {
            Scheduler::Priority { queues } => (0..*queues).find(|&index| first(index).is_some()),
            Scheduler::Wrr(wrr) => wrr.next(first),
            Scheduler::Drr(drr) => drr.next(first),
            Scheduler::Ns2(scheduler) => Some(scheduler.next(first)),
        }
    }

    /// A packet of this size of this queue is transmitted from `now` on.
    pub fn served(&mut self, now: Time, index: usize, size: u16) {
        match self {
            Scheduler::Priority { .. } => {}
            Scheduler::Wrr(wrr) => wrr.credit -= 1,
            Scheduler::Drr(drr) => drr.deficits[index] -= u64::from(size),
            Scheduler::Ns2(scheduler) => scheduler.served(now, index, size),
        }
    }
}

/// Weighted round robin: a queue sends so many packets in its turn, or all that it has.
#[derive(Clone, Debug)]
pub(super) struct Wrr {
    weights: Vec<u32>,
    current: usize,
    /// Packets that the current queue may still send.
    credit: u32,
}

impl Wrr {
    fn new(weights: Vec<u32>) -> Self {
        Wrr { credit: weights[0], weights, current: 0 }
    }

    fn next(&mut self, first: &dyn Fn(usize) -> Option<u16>) -> Option<usize> {
        for _ in 0..=self.weights.len() {
            if self.credit > 0 && first(self.current).is_some() {
                return Some(self.current);
            }
            self.current = (self.current + 1) % self.weights.len();
            self.credit = self.weights[self.current];
        }
        None
    }
}

/// Deficit round robin (Shreedhar and Varghese 1996): a queue gains a quantum in its turn, and sends while it can pay for
/// its first packet; what is left counts in its next turn, unless it runs empty.
#[derive(Clone, Debug)]
pub(super) struct Drr {
    quanta: Vec<u64>,
    deficits: Vec<u64>,
    current: usize,
}

impl Drr {
    fn new(config: &scenario::Drr) -> Self {
        let quantum = |&weight| u64::from(weight) * u64::from(config.quantum_bytes);
        let quanta: Vec<u64> = config.weights.iter().map(quantum).collect();
        let mut deficits = vec![0; quanta.len()];
        deficits[0] = quanta[0];
        Drr { quanta, deficits, current: 0 }
    }

    fn next(&mut self, first: &dyn Fn(usize) -> Option<u16>) -> Option<usize> {
        let queues = self.quanta.len();
        if (0..queues).all(|index| first(index).is_none()) {
            self.deficits.fill(0);
            self.deficits[self.current] = self.quanta[self.current];
            return None;
        }
        loop {
            match first(self.current) {
                Some(size) if u64::from(size) <= self.deficits[self.current] => return Some(self.current),
                Some(_) => {}
                None => self.deficits[self.current] = 0,
            }
            self.current = (self.current + 1) % queues;
            if first(self.current).is_some() {
                self.deficits[self.current] += self.quanta[self.current];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Serves queues of packets of these sizes; the indices of the queues in the order in which they are served.
    fn served(scheduler: &mut Scheduler, sizes: &[&[u16]], packets: usize) -> Vec<usize> {
        let mut queues: Vec<VecDeque<u16>> =
            sizes.iter().map(|each| each.iter().copied().collect()).collect();
        let mut order = Vec::new();
        while order.len() < packets {
            let Some(index) = scheduler.next(&|index| queues[index].front().copied()) else {
                break;
            };
            let size = queues[index].pop_front().expect("a queue that is not empty");
            scheduler.served(Time::ZERO, index, size);
            order.push(index);
        }
        order
    }

    #[test]
    fn priority_serves_the_first_that_waits() {
        let mut scheduler = Scheduler::Priority { queues: 3 };
        assert_eq!(served(&mut scheduler, &[&[], &[9, 9], &[9]], 9), [1, 1, 2]);
    }

    #[test]
    fn weights_are_packets_in_a_row() {
        let mut scheduler = Scheduler::Wrr(Wrr::new(vec![2, 1]));
        assert_eq!(served(&mut scheduler, &[&[1; 6], &[1; 4]], 99), [0, 0, 1, 0, 0, 1, 0, 0, 1, 1]);
    }

    #[test]
    fn a_deficit_is_carried_over_until_a_queue_runs_empty() {
        // Example of Shreedhar and Varghese 1996, figures 2 and 3: quanta of 500, sizes 20, 750, 200 and 500, 500, ...
        let config = scenario::Drr { weights: vec![1, 1], quantum_bytes: 500 };
        let mut scheduler = Scheduler::Drr(Drr::new(&config));
        let sizes: [&[u16]; 2] = [&[200, 750, 20], &[500, 500, 500]];
        // 200 leaves 300, 750 must wait; 500; 300 + 500 pay for 750 and 20; 500; 500.
        assert_eq!(served(&mut scheduler, &sizes, 9), [0, 1, 0, 0, 1, 1]);
    }

    #[test]
    fn bytes_go_by_weights_whatever_the_sizes() {
        let config = scenario::Drr { weights: vec![3, 1], quantum_bytes: 1500 };
        let mut scheduler = Scheduler::Drr(Drr::new(&config));
        let order = served(&mut scheduler, &[&[300; 4000], &[1500; 4000]], 1600);
        let bytes = |queue: usize, size: usize| size * order.iter().filter(|&&index| index == queue).count();
        let share = bytes(0, 300) as f64 / (bytes(0, 300) + bytes(1, 1500)) as f64;
        assert!((share - 0.75).abs() < 0.01, "{share}");
    }
}
