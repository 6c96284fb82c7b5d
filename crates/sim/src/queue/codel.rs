//! CoDel: controlled delay (RFC 8289).
//!
//! Packets that have waited longer than a target for longer than an interval mean a standing queue. One is dropped
//! as it is about to leave, then another after `interval / sqrt(n)`, until the wait falls below the target.

use super::held::{Fifo, Held, Leaving};
use super::DepartureQueue;
use crate::scenario;
use crate::units::Time;

/// What decides about drops; see [`CodelLaw`].
#[derive(Clone, Copy, Debug)]
pub struct CodelParams {
    /// Acceptable time in the queue.
    pub target: Time,
    /// How long packets may wait longer.
    pub interval: Time,
    /// Nothing is dropped while no more bytes than this wait.
    pub mtu_bytes: u64,
    /// Whether packets are marked instead of dropped.
    pub ecn: bool,
    /// Packets that waited longer than this are marked, if any are.
    pub ce_threshold: Time,
}

/// Re-entering the dropping state within so many intervals of the last drop takes up the old rate of drops.
const RECENT_INTERVALS: u64 = 16;

/// The state machine of one CoDel queue: decides about packets as they leave a queue (RFC 8289, section 5).
#[derive(Clone, Debug, Default)]
pub struct CodelLaw {
    /// When a packet may be dropped if the wait stays above the target until then; none while it is below.
    first_above: Option<Time>,
    /// When the next packet is dropped, in the dropping state.
    drop_next: Time,
    /// Drops, or marks, since the dropping state was entered.
    count: u32,
    /// `count` after the dropping state was last entered.
    last_count: u32,
    dropping: bool,
}

impl CodelLaw {
    /// Takes the next packet that leaves `queue` at `now`; what is dropped before it goes to `dropped`.
    pub fn pop(
        &mut self,
        params: &CodelParams,
        now: Time,
        queue: &mut Fifo,
        dropped: &mut Vec<Held>,
    ) -> Option<Leaving> {
        let (mut first, mut may_drop) = self.look(params, now, queue);
        let mut marked = false;
        if self.dropping {
            self.dropping = may_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                marked = self.marks(params, first);
                if !marked {
                    dropped.extend(first);
                    (first, may_drop) = self.look(params, now, queue);
                    self.dropping = may_drop;
                }
                if self.dropping {
                    self.drop_next = control_law(self.drop_next, params.interval, self.count);
                }
                if marked {
                    break;
                }
            }
        } else if may_drop {
            marked = self.marks(params, first);
            if !marked {
                dropped.extend(first);
                (first, _) = self.look(params, now, queue);
            }
            self.enter(params, now);
        }
        let held = first?;
        let late = params.ecn && held.ecn_capable() && now.since(held.arrived) > params.ce_threshold;
        Some(Leaving { held, marked: marked || late })
    }

    /// Takes the first packet, and says whether it may be dropped: the wait has been above the target for an interval.
    fn look(&mut self, params: &CodelParams, now: Time, queue: &mut Fifo) -> (Option<Held>, bool) {
        let first = queue.pop();
        let above = first.is_some_and(|held| now.since(held.arrived) >= params.target)
            && queue.bytes() > params.mtu_bytes;
        let may_drop = above && self.first_above.is_some_and(|time| now >= time);
        self.first_above = if above { Some(self.first_above.unwrap_or(now + params.interval)) } else { None };
        (first, may_drop)
    }

    fn marks(&self, params: &CodelParams, first: Option<Held>) -> bool {
        params.ecn && first.is_some_and(|held| held.ecn_capable())
    }

    /// Enters the dropping state, at the rate that ruled the queue if that was not long ago.
    fn enter(&mut self, params: &CodelParams, now: Time) {
        self.dropping = true;
        let since_last_entry = self.count.saturating_sub(self.last_count);
        let recent = now.since(self.drop_next).ps() < RECENT_INTERVALS * params.interval.ps();
        self.count = if since_last_entry > 1 && recent { since_last_entry } else { 1 };
        self.last_count = self.count;
        self.drop_next = control_law(now, params.interval, self.count);
    }
}

/// When the drop after one at `time` comes: the rate of drops grows with the square root of their number.
fn control_law(time: Time, interval: Time, count: u32) -> Time {
    time + Time::from_ps((interval.ps() as f64 / f64::from(count).sqrt()).round() as u64)
}

/// One queue, first in, first out, under a [`CodelLaw`].
#[derive(Clone, Debug)]
pub struct Codel {
    params: CodelParams,
    limit_packets: usize,
    limit_bytes: u64,
    law: CodelLaw,
    queue: Fifo,
}

impl Codel {
    /// The queue that a scenario asks for.
    pub fn new(config: &scenario::CoDel) -> Self {
        Codel {
            params: CodelParams {
                target: config.target,
                interval: config.interval,
                mtu_bytes: u64::from(config.mtu_bytes),
                ecn: config.ecn,
                ce_threshold: config.ce_threshold.unwrap_or(Time::NEVER),
            },
            limit_packets: config.limit_packets.map_or(usize::MAX, |n| n as usize),
            limit_bytes: config.limit_bytes.unwrap_or(u64::MAX),
            law: CodelLaw::default(),
            queue: Fifo::default(),
        }
    }
}

impl DepartureQueue for Codel {
    fn push(&mut self, held: Held, _flow: u64, dropped: &mut Vec<Held>) {
        let full = self.queue.packets() >= self.limit_packets
            || self.queue.bytes() + u64::from(held.packet.size) > self.limit_bytes;
        if full {
            dropped.push(held);
        } else {
            self.queue.push(held);
        }
    }

    fn pop(&mut self, now: Time, dropped: &mut Vec<Held>) -> Option<Leaving> {
        self.law.pop(&self.params, now, &mut self.queue, dropped)
    }

    fn waiting(&self) -> (u64, u64) {
        (self.queue.packets() as u64, self.queue.bytes())
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Held> + '_> {
        Box::new(self.queue.iter())
    }
}
