//! Queue disciplines written down once more, slowly and plainly, from their RFCs; and a link that asks its queue whenever
//! it is free, whether or not anything waits. The simulator's are held to these.

pub mod codel;
pub mod fq_codel;
pub mod ours;
pub mod pie;

use std::collections::VecDeque;

/// A packet as a queue sees it. Times are picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pkt {
    pub id: u32,
    pub flow: u64,
    pub size: u16,
    pub ecn: bool,
    pub arrived: u64,
}

/// Fate of a packet, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    Sent,
    Marked,
    Dropped,
}

/// Queue discipline, written after its RFC.
pub trait Discipline {
    /// A packet arrives. Returns what is dropped now.
    fn enqueue(&mut self, now: u64, packet: Pkt) -> Vec<Pkt>;
    /// The link is free. Returns what is sent now, whether it is marked, and what is dropped on the way.
    fn dequeue(&mut self, now: u64) -> (Option<(Pkt, bool)>, Vec<Pkt>);
    /// When its timer is due next, if it has one.
    fn timer(&self) -> Option<u64> {
        None
    }
    /// Its timer is due.
    fn tick(&mut self) {}
}

/// Sends arrivals, which are in order of time, through a queue and a link; the fates in order of time.
pub fn through_link(
    queue: &mut dyn Discipline,
    ps_per_byte: f64,
    arrivals: &[Pkt],
    end: u64,
) -> Vec<(u64, u32, Fate)> {
    let mut fates = Vec::new();
    let mut arrivals: VecDeque<Pkt> = arrivals.iter().copied().collect();
    // When the link asks next; none while it is idle.
    let mut free_at: Option<u64> = None;
    loop {
        let link = free_at.unwrap_or(u64::MAX);
        let timer = queue.timer().unwrap_or(u64::MAX);
        let arrival = arrivals.front().map_or(u64::MAX, |packet| packet.arrived);
        let now = link.min(timer).min(arrival);
        if now >= end {
            return fates;
        }
        // At one instant: the link, the timer, arrivals.
        if link == now {
            free_at = None;
        } else if timer == now {
            queue.tick();
            continue;
        } else if let Some(packet) = arrivals.pop_front() {
            let dropped = queue.enqueue(now, packet);
            fates.extend(dropped.iter().map(|p| (now, p.id, Fate::Dropped)));
        }
        if free_at.is_none() {
            let (sent, dropped) = queue.dequeue(now);
            fates.extend(dropped.iter().map(|p| (now, p.id, Fate::Dropped)));
            if let Some((packet, marked)) = sent {
                fates.push((now, packet.id, if marked { Fate::Marked } else { Fate::Sent }));
                let takes = (f64::from(packet.size) * ps_per_byte + 0.5) as u64;
                free_at = Some(now + takes.max(1));
            }
        }
    }
}
