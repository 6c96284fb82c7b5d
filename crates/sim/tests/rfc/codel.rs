//! CoDel as section 5 of RFC 8289 tells it, in seconds as floating-point numbers.

use std::collections::VecDeque;

use super::{Discipline, Pkt};

#[derive(Clone, Debug)]
pub struct Settings {
    pub target: u64,
    pub interval: u64,
    pub mtu: u64,
    pub ecn: bool,
    pub ce_threshold: Option<u64>,
    pub limit_packets: Option<usize>,
    pub limit_bytes: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct State {
    first_above_time: Option<u64>,
    drop_next: u64,
    count: u32,
    lastcount: u32,
    dropping: bool,
}

pub fn bytes(queue: &VecDeque<Pkt>) -> u64 {
    queue.iter().map(|packet| u64::from(packet.size)).sum()
}

fn control_law(t: u64, interval: u64, count: u32) -> u64 {
    t + (interval as f64 / f64::from(count).sqrt()).round() as u64
}

impl State {
    fn dodequeue(&mut self, s: &Settings, now: u64, queue: &mut VecDeque<Pkt>) -> (Option<Pkt>, bool) {
        let Some(packet) = queue.pop_front() else {
            self.first_above_time = None;
            return (None, false);
        };
        let sojourn = now - packet.arrived;
        if sojourn < s.target || bytes(queue) <= s.mtu {
            self.first_above_time = None;
            return (Some(packet), false);
        }
        match self.first_above_time {
            None => {
                self.first_above_time = Some(now + s.interval);
                (Some(packet), false)
            }
            Some(time) => (Some(packet), now >= time),
        }
    }

    /// A packet that is to be dropped and can be marked is marked, and leaves; this counts as the drop.
    pub fn dequeue(
        &mut self,
        s: &Settings,
        now: u64,
        queue: &mut VecDeque<Pkt>,
    ) -> (Option<(Pkt, bool)>, Vec<Pkt>) {
        let mut dropped = Vec::new();
        let mut marked = false;
        let (mut packet, mut ok_to_drop) = self.dodequeue(s, now, queue);
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                let victim = packet.expect("only a packet can have waited long");
                self.count += 1;
                if s.ecn && victim.ecn {
                    marked = true;
                    self.drop_next = control_law(self.drop_next, s.interval, self.count);
                    break;
                }
                dropped.push(victim);
                (packet, ok_to_drop) = self.dodequeue(s, now, queue);
                if ok_to_drop {
                    self.drop_next = control_law(self.drop_next, s.interval, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            let victim = packet.expect("only a packet can have waited long");
            if s.ecn && victim.ecn {
                marked = true;
            } else {
                dropped.push(victim);
                packet = self.dodequeue(s, now, queue).0;
            }
            self.dropping = true;
            let delta = i64::from(self.count) - i64::from(self.lastcount);
            let long_ago = now as i64 - self.drop_next as i64 >= 16 * s.interval as i64;
            self.count = if delta > 1 && !long_ago { delta as u32 } else { 1 };
            self.drop_next = control_law(now, s.interval, self.count);
            self.lastcount = self.count;
        }
        if let (Some(p), Some(threshold)) = (packet, s.ce_threshold) {
            marked |= s.ecn && p.ecn && now - p.arrived > threshold;
        }
        (packet.map(|packet| (packet, marked)), dropped)
    }
}

pub struct CoDel {
    pub settings: Settings,
    pub state: State,
    pub queue: VecDeque<Pkt>,
}

impl CoDel {
    pub fn new(settings: Settings) -> Self {
        CoDel { settings, state: State::default(), queue: VecDeque::new() }
    }
}

impl Discipline for CoDel {
    fn enqueue(&mut self, _now: u64, packet: Pkt) -> Vec<Pkt> {
        let too_many = self.settings.limit_packets.is_some_and(|limit| self.queue.len() + 1 > limit);
        let total = bytes(&self.queue) + u64::from(packet.size);
        if too_many || self.settings.limit_bytes.is_some_and(|limit| total > limit) {
            return vec![packet];
        }
        self.queue.push_back(packet);
        Vec::new()
    }

    fn dequeue(&mut self, now: u64) -> (Option<(Pkt, bool)>, Vec<Pkt>) {
        self.state.dequeue(&self.settings, now, &mut self.queue)
    }
}
