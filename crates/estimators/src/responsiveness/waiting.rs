//! Packets whose fate is not decided yet, in the order in which they arrived.
//!
//! A queue that decides at departure (CoDel, FQ-CoDel) drops a packet long after it came, and not in the order of
//! arrival. The evidence is about what a flow sent after a packet *arrived*, so packets wait here until all before
//! them have met their fates.

use alloc::collections::VecDeque;

use super::Dither;

/// More packets than these are not kept: the oldest is then taken as spared.
const MOST: usize = 1 << 16;

/// Names a packet that waits, until its fate is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(pub u64);

/// A packet, and what has been decided about it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Arrived {
    pub at_s: f64,
    pub flow: u64,
    pub fate: Fate,
    pub dither: Dither,
}

/// Fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Fate {
    Undecided,
    Spared,
    Signalled,
    /// It does not count.
    LeftOut,
}

/// A queue of packets that have arrived.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Waiting {
    packets: VecDeque<Arrived>,
    /// The ticket of the first.
    first: u64,
}

impl Waiting {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// A packet arrives. Whether one had to be given up for it, too.
    pub fn arrive(&mut self, packet: Arrived) -> (Ticket, bool) {
        let ticket = Ticket(self.first + self.packets.len() as u64);
        self.packets.push_back(packet);
        let crowded = self.packets.len() > MOST;
        if crowded {
            self.settle_first();
        }
        (ticket, crowded)
    }

    /// The fate of a packet is told; one that has been given up changes nothing. Whether it was waiting.
    pub fn decide(&mut self, ticket: Ticket, fate: Fate) -> bool {
        let place = ticket.0.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| self.packets.get_mut(place)) {
            Some(packet) if packet.fate == Fate::Undecided => {
                packet.fate = fate;
                true
            }
            _ => false,
        }
    }

    /// The oldest packet.
    #[inline]
    pub fn front(&self) -> Option<Arrived> {
        self.packets.front().copied()
    }

    /// Lets the oldest go.
    pub fn pop(&mut self) {
        self.packets.pop_front();
        self.first += 1;
    }

    /// Takes every packet whose fate is not known as spared.
    pub fn settle(&mut self) {
        let undecided = self.packets.iter_mut().filter(|packet| packet.fate == Fate::Undecided);
        undecided.for_each(|packet| packet.fate = Fate::Spared);
    }

    /// Takes the oldest undecided packet as spared.
    fn settle_first(&mut self) {
        if let Some(packet) = self.packets.iter_mut().find(|packet| packet.fate == Fate::Undecided) {
            packet.fate = Fate::Spared;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undecided(flow: u64) -> Arrived {
        Arrived { at_s: flow as f64, flow, fate: Fate::Undecided, dither: Dither::NONE }
    }

    #[test]
    fn packets_leave_in_the_order_in_which_they_came() {
        let mut waiting = Waiting::default();
        let tickets = [1, 2, 3].map(|flow| waiting.arrive(undecided(flow)).0);
        assert!(waiting.decide(tickets[2], Fate::Signalled));
        assert_eq!(waiting.front().unwrap().fate, Fate::Undecided);
        assert!(waiting.decide(tickets[0], Fate::Spared));
        assert!(!waiting.decide(tickets[0], Fate::Signalled), "a fate is told once");
        waiting.pop();
        assert!(!waiting.decide(tickets[0], Fate::Signalled), "it is gone");
        assert!(waiting.decide(tickets[1], Fate::LeftOut));
        waiting.pop();
        let last = waiting.front().unwrap();
        assert_eq!((last.flow, last.fate), (3, Fate::Signalled));
    }

    #[test]
    fn there_is_an_end_to_waiting() {
        let mut waiting = Waiting::default();
        let (first, _) = waiting.arrive(undecided(0));
        for i in 1..MOST as u64 {
            assert!(!waiting.arrive(undecided(i)).1);
        }
        assert!(waiting.arrive(undecided(1_000_000)).1);
        assert!(!waiting.decide(first, Fate::Signalled));
        assert_eq!(waiting.front().unwrap().fate, Fate::Spared);
    }
}
