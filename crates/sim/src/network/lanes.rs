//! What is in flight, in lanes: queues of packets in the order in which they arrive.
//!
//! Only the first packet of a lane needs an event, so the event queue grows with lanes, not with packets. Packets
//! that set out in order and take equally long arrive in order, so all flows that share a port and what comes
//! after it take one lane; `compile` deals the lanes out. That is a guess, never an assumption: a packet that does
//! not belong behind the last one is put in its place, and the engine gives a path that often does so a lane of
//! its own. How packets are spread over lanes changes no recording.

use std::collections::VecDeque;

use crate::memory::prefetch;
use crate::packet::Packet;

/// How far from the end of a lane a packet may belong before its path should have another lane.
const STEPS: usize = 48;

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

/// All lanes of a network.
#[derive(Clone, Debug, Default)]
pub struct Lanes(Vec<VecDeque<Packet>>);

/// Packets of a lane are in order of arrival, those of one instant in order of their hops.
fn before(a: &Packet, b: &Packet) -> bool {
    (a.at, a.hop) < (b.at, b.hop)
}

impl Lanes {
    /// This many empty lanes.
    pub fn new(lanes: u32) -> Self {
        Lanes(vec![VecDeque::new(); lanes as usize])
    }

    /// Adds an empty lane.
    pub fn add(&mut self) -> u32 {
        self.0.push(VecDeque::new());
        self.0.len() as u32 - 1
    }

    /// Puts a packet into a lane, unless it belongs far from the end.
    #[inline]
    pub fn put(&mut self, lane: u32, packet: Packet) -> Place {
        let lane = &mut self.0[lane as usize];
        match lane.back() {
            None => {
                lane.push_back(packet);
                Place::First
            }
            Some(last) if !before(&packet, last) => {
                lane.push_back(packet);
                Place::Behind
            }
            Some(_) => Self::put_near_end(lane, packet),
        }
    }

    fn put_near_end(lane: &mut VecDeque<Packet>, packet: Packet) -> Place {
        let later = lane.iter().rev().take(STEPS).take_while(|other| before(&packet, other)).count();
        if later == STEPS {
            return Place::Far;
        }
        let place = lane.len() - later;
        lane.insert(place, packet);
        if place == 0 {
            Place::First
        } else {
            Place::Behind
        }
    }

    /// Puts a packet into a lane, wherever it belongs.
    pub fn put_anywhere(&mut self, lane: u32, packet: Packet) -> Place {
        let lane = &mut self.0[lane as usize];
        let place = lane.partition_point(|other| !before(&packet, other));
        lane.insert(place, packet);
        if place == 0 {
            Place::First
        } else {
            Place::Behind
        }
    }

    /// Starts to fetch a lane.
    #[inline]
    pub fn prefetch(&self, lane: usize) {
        prefetch(&self.0[lane]);
    }

    /// The first packet of a lane.
    #[inline]
    pub fn first(&self, lane: usize) -> Option<&Packet> {
        self.0[lane].front()
    }

    /// Takes the first packet out of a lane.
    #[inline]
    pub fn take_first(&mut self, lane: usize) -> Option<Packet> {
        self.0[lane].pop_front()
    }

    /// All packets.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.0.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;
    use proptest::prelude::*;

    fn packet(at: u64, hop: u32) -> Packet {
        let at = Time::from_ps(at);
        Packet { at, stamp: at, seq: 0, hop, blocks: 0, size: 0, ack: false, ecn: 0 }
    }

    proptest! {
        #[test]
        fn a_lane_is_in_order(steps in prop::collection::vec((0u64..60, 0u32..3, 0u8..4), 0..200)) {
            let mut lanes = Lanes::new(1);
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
