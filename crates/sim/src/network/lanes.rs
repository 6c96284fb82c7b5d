//! What is in flight, in lanes: queues of packets in the order in which they arrive.
//!
//! Only the first packet of a lane needs an event, so the event queue grows with lanes, not with packets. Packets
//! that set out in order and take equally long arrive in order, so all flows that share a port and what comes
//! after it take one lane; `compile` deals the lanes out. That is a guess, never an assumption: a packet that does
//! not belong behind the last one is put in its place, and the engine gives a path that often does so a lane of
//! its own. How packets are spread over lanes changes no recording.

use crate::memory::{large, prefetch};
use crate::packet::Packet;
use crate::units::Time;

/// How far from the end of a lane a packet may belong before its path should have another lane.
const STEPS: usize = 48;

/// In place of a slot.
const NONE: u32 = u32::MAX;

/// Where a packet belongs in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In front of all others.
    First,
    /// Behind others.
    Behind,
    /// Far from the end; it has not been put there.
    Far,
}

/// A packet in its lane. All lanes share the slots, so that what is in flight takes no more room than it needs.
#[derive(Clone, Copy, Debug)]
struct Slot {
    packet: Packet,
    /// Of no meaning in the first of a lane.
    before: u32,
    behind: u32,
}

/// Small, since there may be many.
#[derive(Clone, Copy, Debug)]
struct Lane {
    first: u32,
    last: u32,
    /// When the last packet arrives, and its hop: most packets belong behind it.
    end: (Time, u32),
}

impl Lane {
    const EMPTY: Lane = Lane { first: NONE, last: NONE, end: (Time::ZERO, 0) };
}

/// All lanes of a network.
#[derive(Clone, Debug)]
pub struct Lanes {
    lanes: Vec<Lane>,
    slots: Vec<Slot>,
    /// Slots that are free again, linked by `behind`.
    free: u32,
}

/// Packets of a lane are in order of arrival, those of one instant in order of their hops.
fn key(packet: &Packet) -> (Time, u32) {
    (packet.at, packet.hop)
}

impl Lanes {
    /// This many empty lanes, and room for so many packets; more is made when it is needed.
    pub fn new(lanes: u32, packets: usize) -> Self {
        Lanes { lanes: vec![Lane::EMPTY; lanes as usize], slots: large(packets), free: NONE }
    }

    /// Adds an empty lane.
    pub fn add(&mut self) -> u32 {
        self.lanes.push(Lane::EMPTY);
        self.lanes.len() as u32 - 1
    }

    /// Puts a packet into a lane, unless it belongs far from the end.
    #[inline]
    pub fn put(&mut self, lane: u32, packet: Packet) -> Place {
        let Lane { last, end, .. } = self.lanes[lane as usize];
        if last != NONE && key(&packet) < end {
            return self.put_within(lane, packet, STEPS);
        }
        let slot = self.take_slot(Slot { packet, before: last, behind: NONE });
        let lane = &mut self.lanes[lane as usize];
        lane.last = slot;
        lane.end = key(&packet);
        if last == NONE {
            lane.first = slot;
            return Place::First;
        }
        self.slots[last as usize].behind = slot;
        Place::Behind
    }

    /// Puts a packet into a lane, wherever it belongs.
    pub fn put_anywhere(&mut self, lane: u32, packet: Packet) -> Place {
        self.put_within(lane, packet, usize::MAX)
    }

    /// Puts a packet before at most `most` others, counted from the end.
    fn put_within(&mut self, lane: u32, packet: Packet, most: usize) -> Place {
        let Lane { first, last, .. } = self.lanes[lane as usize];
        let mut at = last;
        let mut steps = 0;
        while at != NONE && key(&packet) < key(&self.slots[at as usize].packet) {
            at = if at == first { NONE } else { self.slots[at as usize].before };
            steps += 1;
            if steps >= most {
                return Place::Far;
            }
        }
        self.link(lane, at, packet)
    }

    /// Puts a packet behind the one in slot `before`, or in front of all.
    fn link(&mut self, lane: u32, before: u32, packet: Packet) -> Place {
        let behind = match before {
            NONE => self.lanes[lane as usize].first,
            _ => self.slots[before as usize].behind,
        };
        let slot = self.take_slot(Slot { packet, before, behind });
        let lane = &mut self.lanes[lane as usize];
        if behind == NONE {
            lane.last = slot;
            lane.end = key(&packet);
        } else {
            self.slots[behind as usize].before = slot;
        }
        if before == NONE {
            lane.first = slot;
            return Place::First;
        }
        self.slots[before as usize].behind = slot;
        Place::Behind
    }

    #[inline]
    fn take_slot(&mut self, content: Slot) -> u32 {
        if self.free == NONE {
            self.slots.push(content);
            return self.slots.len() as u32 - 1;
        }
        let slot = self.free;
        let place = &mut self.slots[slot as usize];
        self.free = place.behind;
        *place = content;
        slot
    }

    /// Starts to fetch the first packet of a lane.
    #[inline]
    pub fn prefetch_first(&self, lane: usize) {
        if let Some(packet) = self.first(lane) {
            prefetch(packet);
        }
    }

    /// Starts to fetch the second packet of a lane.
    #[inline]
    pub fn prefetch_second(&self, lane: usize) {
        let first = self.slots.get(self.lanes[lane].first as usize);
        if let Some(second) = first.and_then(|slot| self.slots.get(slot.behind as usize)) {
            prefetch(second);
        }
    }

    /// The first packet of a lane.
    #[inline]
    pub fn first(&self, lane: usize) -> Option<&Packet> {
        // There is no slot NONE.
        self.slots.get(self.lanes[lane].first as usize).map(|slot| &slot.packet)
    }

    /// Takes the first packet out of a lane.
    #[inline]
    pub fn take_first(&mut self, lane: usize) -> Option<Packet> {
        let lane = &mut self.lanes[lane];
        let first = lane.first;
        let slot = self.slots.get_mut(first as usize)?;
        lane.first = slot.behind;
        if slot.behind == NONE {
            lane.last = NONE;
        }
        slot.behind = self.free;
        self.free = first;
        Some(slot.packet)
    }

    /// All packets.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let slot = |slot: u32| self.slots.get(slot as usize);
        let of_lane = move |lane: &Lane| std::iter::successors(slot(lane.first), move |s| slot(s.behind));
        self.lanes.iter().flat_map(of_lane).map(|slot| &slot.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packet(at: u64, hop: u32) -> Packet {
        let at = Time::from_ps(at);
        Packet { at, stamp: at, seq: 0, hop, blocks: 0, size: 0, ack: false, ecn: 0 }
    }

    proptest! {
        #[test]
        fn a_lane_is_in_order(steps in prop::collection::vec((0u64..60, 0u32..3, 0u8..4), 0..200)) {
            let mut lanes = Lanes::new(1, 4);
            let mut twin: Vec<(u64, u32)> = Vec::new();
            for (at, hop, step) in steps {
                if step == 0 {
                    let first = lanes.take_first(0).map(|p| (p.at.ps(), p.hop));
                    prop_assert_eq!(first, (!twin.is_empty()).then(|| twin.remove(0)));
                    continue;
                }
                let mut place = lanes.put(0, packet(at, hop));
                let later = twin.iter().filter(|&&other| other > (at, hop)).count();
                prop_assert_eq!(place == Place::Far, later >= STEPS);
                if place == Place::Far {
                    place = lanes.put_anywhere(0, packet(at, hop));
                }
                prop_assert_eq!(place == Place::First, later == twin.len());
                twin.push((at, hop));
                twin.sort_unstable();
            }
            let left: Vec<_> = lanes.packets().map(|p| (p.at.ps(), p.hop)).collect();
            prop_assert_eq!(left, twin);
        }
    }
}
