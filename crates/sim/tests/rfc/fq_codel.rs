//! FQ-CoDel as section 4 of RFC 8290 tells it.

use std::collections::{BTreeMap, VecDeque};

use super::codel::{bytes, Settings, State};
use super::{Discipline, Pkt};

#[derive(Default)]
struct FlowQueue {
    packets: VecDeque<Pkt>,
    codel: State,
    credits: i64,
    /// In the order in which queues were first used.
    born: usize,
}

pub struct FqCoDel {
    pub codel: Settings,
    pub queues: u64,
    pub quantum: i64,
    pub limit_packets: usize,
    pub limit_bytes: Option<u64>,
    pub batch: usize,
    pub perturbation: u64,
    flows: BTreeMap<u64, FlowQueue>,
    new: Vec<u64>,
    old: Vec<u64>,
}

impl FqCoDel {
    pub fn new(
        codel: Settings,
        (queues, quantum): (u64, i64),
        (limit_packets, limit_bytes, batch): (usize, Option<u64>, usize),
        perturbation: u64,
    ) -> Self {
        let (flows, new, old) = (BTreeMap::new(), Vec::new(), Vec::new());
        FqCoDel { codel, queues, quantum, limit_packets, limit_bytes, batch, perturbation, flows, new, old }
    }

    /// The finaliser of SplitMix64, scaled to the number of queues.
    fn bucket(&self, flow: u64) -> u64 {
        let mut x = flow ^ self.perturbation;
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9_u64), (27, 0x94d0_49bb_1331_11eb)] {
            x ^= x >> shift;
            x = x.wrapping_mul(factor);
        }
        x ^= x >> 31;
        ((u128::from(x) * u128::from(self.queues)) >> 64) as u64
    }

    fn held(&self) -> (usize, u64) {
        let queues = self.flows.values().map(|flow| &flow.packets);
        queues.fold((0, 0), |(n, b), queue| (n + queue.len(), b + bytes(queue)))
    }
}

impl Discipline for FqCoDel {
    fn enqueue(&mut self, _now: u64, packet: Pkt) -> Vec<Pkt> {
        let bucket = self.bucket(packet.flow);
        let born = self.flows.len();
        let flow = self.flows.entry(bucket).or_insert(FlowQueue { born, ..FlowQueue::default() });
        flow.packets.push_back(packet);
        if !self.new.contains(&bucket) && !self.old.contains(&bucket) {
            flow.credits = self.quantum;
            self.new.push(bucket);
        }
        let mut dropped = Vec::new();
        while self.held().0 > self.limit_packets || self.limit_bytes.is_some_and(|most| self.held().1 > most)
        {
            let mut fattest: Option<&mut FlowQueue> = None;
            let mut by_birth: Vec<&mut FlowQueue> = self.flows.values_mut().collect();
            by_birth.sort_by_key(|flow| flow.born);
            for flow in by_birth {
                if fattest.as_ref().is_none_or(|fat| bytes(&flow.packets) > bytes(&fat.packets)) {
                    fattest = Some(flow);
                }
            }
            let queue = &mut fattest.expect("something is held").packets;
            for _ in 0..(queue.len() / 2).max(1).min(self.batch) {
                dropped.extend(queue.pop_front());
            }
        }
        dropped
    }

    fn dequeue(&mut self, now: u64) -> (Option<(Pkt, bool)>, Vec<Pkt>) {
        let mut dropped = Vec::new();
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let Some(&bucket) = list.first() else {
                return (None, dropped);
            };
            let flow = self.flows.get_mut(&bucket).expect("a listed queue");
            if flow.credits <= 0 {
                flow.credits += self.quantum;
                list.remove(0);
                self.old.push(bucket);
                continue;
            }
            let (sent, more) = flow.codel.dequeue(&self.codel, now, &mut flow.packets);
            dropped.extend(more);
            if let Some((packet, marked)) = sent {
                flow.credits -= i64::from(packet.size);
                return (Some((packet, marked)), dropped);
            }
            list.remove(0);
            if from_new {
                self.old.push(bucket);
            }
        }
    }
}
