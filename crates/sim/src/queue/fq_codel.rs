//! FQ-CoDel: a queue for each flow, deficit round robin between them, CoDel in each (RFC 8290).
//!
//! A flow is hashed into one of many queues. Queues that have just become active are served before the others, so a
//! flow that sends less than its share hardly waits.

use std::collections::VecDeque;

use super::codel::{CodelLaw, CodelParams};
use super::held::{Fifo, Held, Leaving};
use super::DepartureQueue;
use crate::random::{mix, Stream};
use crate::room::{self, Room};
use crate::scenario::{self, QueueVariant};
use crate::units::Time;

/// In place of a queue that no packet has entered yet.
const UNUSED: u32 = u32::MAX;

/// Which list a queue is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Neither,
    New,
    Old,
}

/// The queue of a bucket of flows.
#[derive(Clone, Debug)]
struct FlowQueue {
    fifo: Fifo,
    law: CodelLaw,
    /// Bytes that it may still send in its turn.
    deficit: i64,
    list: List,
}

/// All queues of a port.
#[derive(Clone, Debug)]
pub struct FqCodel {
    params: CodelParams,
    limit_packets: u64,
    limit_bytes: u64,
    quantum: i64,
    drop_batch: usize,
    /// Makes the buckets of one port and run differ from those of another.
    perturbation: u64,
    /// The queue of each bucket. Queues come into being when they are first used.
    buckets: Vec<u32>,
    queues: Vec<FlowQueue>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Packets and bytes in all queues.
    waiting: (u64, u64),
}

impl FqCodel {
    /// The queues that a scenario asks for; `stream` draws the perturbation of the hash.
    pub fn new(config: &scenario::FqCodel, mut stream: Stream) -> Self {
        FqCodel {
            params: CodelParams::new(
                (config.target, config.interval),
                config.mtu_bytes,
                (config.ecn, config.ce_threshold),
                config.variant,
            ),
            limit_packets: u64::from(config.limit_packets),
            limit_bytes: config.limit_bytes.unwrap_or(u64::MAX),
            quantum: i64::from(config.quantum_bytes),
            drop_batch: config.drop_batch as usize,
            perturbation: stream.bits(),
            buckets: room::filled(UNUSED, config.queues as usize, "queues of flows"),
            queues: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            waiting: (0, 0),
        }
    }

    /// The bucket of a flow: its hash, scaled to the number of buckets.
    fn bucket(&self, flow: u64) -> usize {
        let hash = u128::from(mix(flow ^ self.perturbation));
        ((hash * self.buckets.len() as u128) >> 64) as usize
    }

    /// Index of the queue of a flow, which is made if there is none.
    fn queue_of(&mut self, flow: u64) -> u32 {
        let bucket = self.bucket(flow);
        if self.buckets[bucket] == UNUSED {
            self.buckets[bucket] = self.queues.len() as u32;
            self.queues.push(FlowQueue {
                fifo: Fifo::default(),
                law: CodelLaw::default(),
                deficit: 0,
                list: List::Neither,
            });
        }
        self.buckets[bucket]
    }

    fn is_over(&self) -> bool {
        // [RFC 8290 5.2.3-a]
        self.waiting.0 > self.limit_packets || self.waiting.1 > self.limit_bytes
    }

    /// Drops half of the queue with most bytes from its head, but no more than a batch (section 4.1): half of its
    /// packets, or of its bytes in Linux, whose CoDel then drops as often as if these had been its own
    /// (fq_codel_drop()).
    fn shorten_longest(&mut self, dropped: &mut Vec<Held>) {
        // Of queues of one length the first is taken.
        let longest = self.queues.iter_mut().rev().max_by_key(|queue| queue.fifo.bytes());
        let Some(FlowQueue { fifo, law, .. }) = longest else {
            return;
        };
        let (half, bytes) = (fifo.packets() / 2, fifo.bytes());
        let linux = self.params.variant == QueueVariant::Linux;
        for done in 1..=self.drop_batch {
            let Some(held) = fifo.pop() else {
                return;
            };
            forget(&mut self.waiting, &held);
            dropped.add(held, "packets at ports");
            if linux {
                law.count_drop();
            }
            let enough = if linux { bytes - fifo.bytes() >= bytes / 2 } else { done >= half };
            if enough {
                return;
            }
        }
    }

    /// The queue whose turn it is, and which list it is in (section 4.2).
    fn next_queue(&mut self) -> Option<(u32, List)> {
        loop {
            let (list, index) = match (self.new.front(), self.old.front()) {
                (Some(&index), _) => (List::New, index),
                (None, Some(&index)) => (List::Old, index),
                (None, None) => return None,
            };
            let queue = &mut self.queues[index as usize];
            if queue.deficit > 0 {
                return Some((index, list));
            }
            queue.deficit += self.quantum;
            self.make_old(index, list);
        }
    }

    /// Moves the first queue of a list to the end of the old ones.
    fn make_old(&mut self, index: u32, from: List) {
        self.take_front(from);
        self.queues[index as usize].list = List::Old;
        self.old.push_back(index);
    }

    fn take_front(&mut self, list: List) {
        match list {
            List::New => self.new.pop_front(),
            List::Old => self.old.pop_front(),
            List::Neither => None,
        };
    }
}

fn forget(waiting: &mut (u64, u64), held: &Held) {
    waiting.0 -= 1;
    waiting.1 -= u64::from(held.packet.size);
}

impl DepartureQueue for FqCodel {
    fn push(&mut self, held: Held, flow: u64, dropped: &mut Vec<Held>) {
        let index = self.queue_of(flow);
        let queue = &mut self.queues[index as usize];
        self.waiting.0 += 1;
        self.waiting.1 += u64::from(held.packet.size);
        queue.fifo.push(held);
        if queue.list == List::Neither {
            queue.list = List::New;
            queue.deficit = self.quantum;
            self.new.push_back(index);
        }
        while self.is_over() {
            self.shorten_longest(dropped);
            // fq_codel_enqueue() looks once.
            if self.params.variant == QueueVariant::Linux {
                break;
            }
        }
    }

    fn pop(&mut self, now: Time, dropped: &mut Vec<Held>) -> Option<Leaving> {
        loop {
            let (index, list) = self.next_queue()?;
            let queue = &mut self.queues[index as usize];
            let already = dropped.len();
            // RFC 8290 spares the last packet of a queue, Linux the last of all queues.
            let elsewhere = match self.params.variant {
                QueueVariant::Rfc => 0,
                QueueVariant::Linux => self.waiting.1 - queue.fifo.bytes(),
            };
            let leaving = queue.law.pop(&self.params, now, (&mut queue.fifo, elsewhere), dropped);
            for held in &dropped[already..] {
                forget(&mut self.waiting, held);
            }
            if let Some(leaving) = leaving {
                queue.deficit -= i64::from(leaving.held.packet.size);
                forget(&mut self.waiting, &leaving.held);
                return Some(leaving);
            }
            // A new queue that runs empty must wait for its turn among the old ones, or it could be new for ever. Linux
            // lets it go if there are none (fq_codel_dequeue()).
            let alone = self.params.variant == QueueVariant::Linux && self.old.is_empty();
            if list == List::New && !alone {
                self.make_old(index, list);
            } else {
                queue.list = List::Neither;
                self.take_front(list);
            }
        }
    }

    fn waiting(&self) -> (u64, u64) {
        self.waiting
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Held> + '_> {
        Box::new(self.queues.iter().flat_map(|queue| queue.fifo.iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Packet;
    use crate::queue::Reason;

    fn queues(settings: serde_json::Value) -> FqCodel {
        let config: scenario::FqCodel = serde_json::from_value(settings).expect("settings");
        FqCodel::new(&config, Stream::new(1, "queue"))
    }

    /// A packet whose number is its flow.
    fn held(flow: u64, size: u16) -> Held {
        let at = Time::ZERO;
        let packet = Packet::data(flow as u32, size, 0, at);
        Held { packet, arrived: at, marked: false, reason: Reason::Full }
    }

    fn push(queues: &mut FqCodel, flow: u64, size: u16) -> Vec<u32> {
        let mut dropped = Vec::new();
        queues.push(held(flow, size), flow, &mut dropped);
        dropped.iter().map(|held| held.packet.seq).collect()
    }

    /// The flows of the next packets that leave.
    fn pop(queues: &mut FqCodel, packets: usize) -> Vec<u32> {
        let mut next = || queues.pop(Time::ZERO, &mut Vec::new()).map(|leaving| leaving.held.packet.seq);
        std::iter::from_fn(&mut next).take(packets).collect()
    }

    #[test]
    fn long_queues_take_turns_of_a_quantum() {
        let mut queues = queues(serde_json::json!({"quantum_bytes": 1500}));
        for _ in 0..6 {
            push(&mut queues, 1, 500);
            push(&mut queues, 2, 1000);
        }
        // Credits of flow 1: 1500 for three packets. Those of flow 2: 1500, 500, -500 after two, 1000 and 0 then, which
        // is not above 0 either.
        assert_eq!(pop(&mut queues, 9), [1, 1, 1, 2, 2, 1, 1, 1, 2]);
        assert_eq!(pop(&mut queues, 9), [2, 2, 2]);
    }

    #[test]
    fn a_sparse_flow_goes_first() {
        let mut queues = queues(serde_json::json!({}));
        for _ in 0..20 {
            push(&mut queues, 1, 1500);
        }
        assert_eq!(pop(&mut queues, 2), [1, 1]);
        push(&mut queues, 2, 100);
        assert_eq!(pop(&mut queues, 2), [2, 1]);
    }

    #[test]
    fn a_flow_is_not_new_again_before_its_turn_among_the_old_has_passed() {
        let mut queues = queues(serde_json::json!({"quantum_bytes": 1000}));
        for flow in [1, 3] {
            for _ in 0..6 {
                push(&mut queues, flow, 1000);
            }
        }
        assert_eq!(pop(&mut queues, 2), [1, 3]);
        push(&mut queues, 2, 100);
        // Its queue is found empty when it is next looked at, which puts it behind the old ones; then it is one of them.
        assert_eq!(pop(&mut queues, 2), [2, 1]);
        push(&mut queues, 2, 100);
        assert_eq!(pop(&mut queues, 3), [3, 2, 1]);
    }

    #[test]
    // [RFC 8290 5.2.3-a]
    fn the_longest_queue_loses_half_of_its_packets_from_the_head() {
        let mut queues = queues(serde_json::json!({"limit_packets": 10, "drop_batch": 4}));
        for flow in [2, 2, 2] {
            assert!(push(&mut queues, flow, 40).is_empty());
        }
        for _ in 0..7 {
            assert!(push(&mut queues, 1, 1000).is_empty());
        }
        // The queue of flow 1 has most bytes, 7 packets of which half are 3, although this packet is of flow 2.
        assert_eq!(push(&mut queues, 2, 40), [1, 1, 1]);
        assert_eq!(queues.waiting(), (8, 4 * 1000 + 4 * 40));
        let mut few = self::queues(serde_json::json!({"limit_packets": 10, "drop_batch": 4}));
        let dropped: Vec<u32> = (0..11).flat_map(|_| push(&mut few, 1, 1000)).collect();
        assert_eq!(dropped, [1, 1, 1, 1]);
    }

    #[test]
    fn linux_drops_half_of_the_bytes_of_the_longest() {
        // 3500 bytes before the packet that is too many: 1000 and 1000 are more than half of the 3540.
        let mut queues = queues(serde_json::json!({"limit_packets": 8, "variant": "linux"}));
        let sizes = [1000, 1000, 1000, 500, 10, 10, 10, 5];
        assert!(sizes.iter().all(|&size| push(&mut queues, 1, size).is_empty()));
        assert_eq!(push(&mut queues, 1, 5), [1, 1]);
    }

    #[test]
    fn linux_counts_what_an_overflow_drops() {
        // 8 packets and one too many: half of their bytes are 4 of them and a half.
        for (variant, expected) in [("rfc", 0), ("linux", 5)] {
            let mut queues = queues(serde_json::json!({"limit_packets": 8, "variant": variant}));
            let dropped: Vec<u32> = (0..9).flat_map(|_| push(&mut queues, 1, 1000)).collect();
            assert_eq!(dropped.len(), if variant == "rfc" { 4 } else { 5 });
            assert_eq!(queues.queues[0].law.drops(), expected, "{variant}");
        }
    }

    #[test]
    fn linux_lets_a_new_queue_go_that_runs_empty_beside_no_old_one() {
        for (variant, order) in [("rfc", [2, 3, 1]), ("linux", [2, 1, 3])] {
            let mut queues = queues(serde_json::json!({"variant": variant, "quantum_bytes": 1000}));
            for flow in [1, 2, 2] {
                push(&mut queues, flow, 100);
            }
            // The second look finds the queue of flow 1 empty: for RFC 8290 it is an old one from then on.
            assert_eq!(pop(&mut queues, 2), [1, 2]);
            for flow in [1, 3] {
                push(&mut queues, flow, 100);
            }
            assert_eq!(pop(&mut queues, 3), order, "{variant}");
        }
    }

    #[test]
    fn a_packet_alone_in_its_queue_is_spared_but_not_by_linux() {
        let at = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        for (variant, expected) in [("rfc", 0), ("linux", 1)] {
            let mut queues = queues(serde_json::json!({"variant": variant}));
            let mut dropped = Vec::new();
            for _ in 0..60 {
                push(&mut queues, 1, 1000);
            }
            // Each packet of flow 2 waits longer than the target, and the next is there before the turn that would find
            // the queue empty. The third leaves more than 100 ms after the first.
            for start in [0, 60, 120] {
                queues.push(Held { arrived: at(start), ..held(2, 1000) }, 2, &mut dropped);
                let now = at(start + 60);
                let leaves = |queues: &mut FqCodel, dropped: &mut Vec<Held>| {
                    queues.pop(now, dropped).is_none_or(|leaving| leaving.held.packet.seq == 2)
                };
                for _ in 0..4 {
                    if leaves(&mut queues, &mut dropped) {
                        break;
                    }
                }
            }
            let lost = dropped.iter().filter(|held| held.packet.seq == 2).count();
            assert_eq!(lost, expected, "{variant}");
        }
    }

    #[test]
    fn flows_spread_over_the_queues_evenly() {
        let config: scenario::FqCodel =
            serde_json::from_value(serde_json::json!({"queues": 16})).expect("settings");
        let of_seed = |seed| FqCodel::new(&config, Stream::new(seed, "queue"));
        let buckets = |queues: &FqCodel| (0..16_000).map(|flow| queues.bucket(flow)).collect::<Vec<_>>();
        let (one, two) = (buckets(&of_seed(1)), buckets(&of_seed(2)));
        for bucket in 0..16 {
            // 1000 expected, with a deviation of 31.
            let found = one.iter().filter(|&&b| b == bucket).count();
            assert!((875..1125).contains(&found), "{found}");
        }
        // Of two perturbations, flows share a bucket as often as by chance.
        let same = one.iter().zip(&two).filter(|(a, b)| a == b).count();
        assert!((875..1125).contains(&same), "{same}");
    }
}
