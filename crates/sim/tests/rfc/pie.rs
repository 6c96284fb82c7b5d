//! PIE as sections 4 and 5 of RFC 8033 tell it, with a timer that runs by itself.

use std::collections::VecDeque;

use parshall_sim::random::Stream;

use super::codel::bytes;
use super::{Discipline, Pkt};

#[derive(Clone, Debug)]
pub struct Settings {
    pub target: f64,
    pub update: u64,
    pub alpha: f64,
    pub beta: f64,
    pub max_burst: u64,
    pub limit_packets: Option<usize>,
    pub limit_bytes: Option<u64>,
    pub mean_packet: u64,
    pub by_rate: bool,
    pub ecn: bool,
    pub mark_below: f64,
    pub derandomize: bool,
    pub cap: bool,
}

pub struct Pie {
    pub s: Settings,
    pub stream: Stream,
    /// Those that wait, and whether they are marked.
    queue: VecDeque<(Pkt, bool)>,
    pub drop_prob: f64,
    accu_prob: f64,
    burst_allowance: u64,
    current_qdelay: f64,
    qdelay_old: f64,
    next_update: u64,
    in_measurement: bool,
    dq_count: u64,
    dq_start: u64,
    avg_dq_time: f64,
}

const DQ_THRESHOLD: u64 = 16_384;

impl Pie {
    pub fn new(s: Settings, stream: Stream) -> Self {
        Pie {
            stream,
            queue: VecDeque::new(),
            drop_prob: 0.0,
            accu_prob: 0.0,
            burst_allowance: s.max_burst,
            current_qdelay: 0.0,
            qdelay_old: 0.0,
            next_update: s.update,
            in_measurement: false,
            dq_count: 0,
            dq_start: 0,
            avg_dq_time: 0.0,
            s,
        }
    }

    fn byte_length(&self) -> u64 {
        bytes(&self.queue.iter().map(|(packet, _)| *packet).collect())
    }

    fn drop_early(&mut self) -> bool {
        if self.qdelay_old < self.s.target / 2.0 && self.drop_prob < 0.2 {
            return false;
        }
        if self.byte_length() <= 2 * self.s.mean_packet {
            return false;
        }
        if self.s.derandomize {
            if self.drop_prob == 0.0 {
                self.accu_prob = 0.0;
            } else {
                self.accu_prob += self.drop_prob;
            }
            if self.accu_prob < 0.85 {
                return false;
            }
            if self.accu_prob >= 8.5 {
                return true;
            }
        }
        self.stream.uniform() < self.drop_prob
    }
}

impl Discipline for Pie {
    fn enqueue(&mut self, _now: u64, packet: Pkt) -> Vec<Pkt> {
        let too_many = self.s.limit_packets.is_some_and(|limit| self.queue.len() + 1 > limit);
        let total = self.byte_length() + u64::from(packet.size);
        if too_many || self.s.limit_bytes.is_some_and(|limit| total > limit) {
            self.accu_prob = 0.0;
            return vec![packet];
        }
        let strikes = self.burst_allowance == 0 && self.drop_early();
        if self.drop_prob == 0.0
            && self.current_qdelay < self.s.target / 2.0
            && self.qdelay_old < self.s.target / 2.0
        {
            self.burst_allowance = self.s.max_burst;
        }
        if strikes {
            self.accu_prob = 0.0;
            if !(self.s.ecn && packet.ecn && self.drop_prob < self.s.mark_below) {
                return vec![packet];
            }
        }
        self.queue.push_back((packet, strikes));
        Vec::new()
    }

    fn dequeue(&mut self, now: u64) -> (Option<(Pkt, bool)>, Vec<Pkt>) {
        let Some((packet, marked)) = self.queue.pop_front() else {
            return (None, Vec::new());
        };
        if !self.s.by_rate {
            self.current_qdelay =
                if self.queue.is_empty() { 0.0 } else { (now - packet.arrived) as f64 / 1e12 };
        }
        if !self.in_measurement && self.byte_length() >= DQ_THRESHOLD {
            self.in_measurement = true;
            self.dq_start = now;
            self.dq_count = 0;
        }
        if self.in_measurement {
            self.dq_count += u64::from(packet.size);
            if self.dq_count >= DQ_THRESHOLD {
                let dq_time = (now - self.dq_start) as f64 / 1e12;
                let weight = DQ_THRESHOLD as f64 / 65_536.0;
                self.avg_dq_time = if self.avg_dq_time == 0.0 {
                    dq_time
                } else {
                    dq_time * weight + self.avg_dq_time * (1.0 - weight)
                };
                self.in_measurement = false;
            }
        }
        (Some((packet, marked)), Vec::new())
    }

    fn timer(&self) -> Option<u64> {
        Some(self.next_update)
    }

    fn tick(&mut self) {
        self.next_update += self.s.update;
        if self.s.by_rate {
            self.current_qdelay = self.byte_length() as f64 * self.avg_dq_time / DQ_THRESHOLD as f64;
        }
        let mut p = self.s.alpha * (self.current_qdelay - self.s.target)
            + self.s.beta * (self.current_qdelay - self.qdelay_old);
        if self.drop_prob < 0.000_001 {
            p /= 2048.0;
        } else if self.drop_prob < 0.000_01 {
            p /= 512.0;
        } else if self.drop_prob < 0.000_1 {
            p /= 128.0;
        } else if self.drop_prob < 0.001 {
            p /= 32.0;
        } else if self.drop_prob < 0.01 {
            p /= 8.0;
        } else if self.drop_prob < 0.1 {
            p /= 2.0;
        }
        if self.s.cap && self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob += p;
        if self.current_qdelay == 0.0 && self.qdelay_old == 0.0 {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.qdelay_old = self.current_qdelay;
        self.burst_allowance = self.burst_allowance.saturating_sub(self.s.update);
    }
}
