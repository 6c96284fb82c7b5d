//! The order of packets by the clocks of their interfaces. Packets of one interface are in order, but for few; those of
//! several stand in a file as each interface handed them over.

use crate::packet::Packet;

/// Time by which packets of one interface may stand in the wrong order, in nanoseconds. More is a clock that stepped.
const JUMBLED: i64 = 1_000_000;

/// Time by which an interface may hand its packets over later than another one, in nanoseconds.
pub const WAIT: i64 = 1_000_000_000;

/// Interfaces that are remembered.
const MOST: usize = 1024;

/// Place of a packet among those before it in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Behind all of them.
    Last,
    /// A little before the last.
    Swapped,
    /// Before packets of another interface, which handed its packets over earlier.
    Overtaken,
    /// Before packets of another interface by more time than is waited for.
    FarBehind,
    /// The clock of its interface was set back.
    SteppedBack,
}

/// The clocks of the interfaces of a capture.
#[derive(Debug)]
pub struct Clocks {
    /// Number of each interface, and the latest time of its packets.
    each: Vec<(u32, i64)>,
    /// The one of the last packet.
    at: usize,
    latest: i64,
}

impl Default for Clocks {
    fn default() -> Self {
        Self { each: Vec::new(), at: 0, latest: i64::MIN }
    }
}

impl Clocks {
    /// The latest time.
    pub fn latest(&self) -> i64 {
        self.latest
    }

    /// Packets came from more than one interface.
    pub fn are_several(&self) -> bool {
        self.each.len() > 1
    }

    /// Takes in a packet, and tells where it stands.
    pub fn on_packet(&mut self, packet: &Packet) -> Order {
        let time = packet.time;
        let own = self.own(packet.clock);
        let stepped = own.saturating_sub(time) >= JUMBLED;
        *own = if stepped { time } else { time.max(*own) };
        let late = self.latest.saturating_sub(time);
        let order = if stepped {
            Order::SteppedBack
        } else if late <= 0 {
            Order::Last
        } else if late < JUMBLED {
            Order::Swapped
        } else if late <= WAIT {
            Order::Overtaken
        } else {
            Order::FarBehind
        };
        let begins_anew = matches!(order, Order::SteppedBack | Order::FarBehind);
        self.latest = if begins_anew { time } else { time.max(self.latest) };
        order
    }

    /// The latest time of an interface.
    fn own(&mut self, number: u32) -> &mut i64 {
        if self.each.get(self.at).is_none_or(|each| each.0 != number) {
            let known = self.each.iter().rposition(|each| each.0 == number);
            self.at = known.unwrap_or_else(|| {
                if self.each.len() == MOST {
                    self.each.remove(0);
                }
                self.each.push((number, i64::MIN));
                self.each.len() - 1
            });
        }
        &mut self.each[self.at].1
    }
}
