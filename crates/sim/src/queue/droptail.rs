//! DropTail: an arriving packet is dropped when the queue is full.

use super::{Arrival, ArrivalQueue, Backlog, Verdict};
use crate::scenario;

/// First in, first out with a limit in packets, in bytes, in both or in neither.
///
/// The limits count the packet in transmission, as the `limit_` of ns-2's DropTail does.
#[derive(Clone, Debug)]
pub struct DropTail {
    limit_packets: usize,
    limit_bytes: u64,
}

impl DropTail {
    /// A queue with these limits.
    pub fn new(limits: &scenario::DropTail) -> Self {
        DropTail {
            limit_packets: limits.limit_packets.map_or(usize::MAX, |n| n as usize),
            limit_bytes: limits.limit_bytes.unwrap_or(u64::MAX),
        }
    }
}

impl ArrivalQueue for DropTail {
    #[inline]
    fn arrive(&mut self, arrival: &Arrival, backlog: &Backlog) -> Verdict {
        let full = backlog.packets() >= self.limit_packets
            || backlog.bytes() + u64::from(arrival.size) > self.limit_bytes;
        if full {
            Verdict::Drop
        } else {
            Verdict::Accept
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    fn queue(packets: Option<u32>, bytes: Option<u64>) -> DropTail {
        DropTail::new(&scenario::DropTail { limit_packets: packets, limit_bytes: bytes })
    }

    fn arrival(size: u16) -> Arrival {
        Arrival { now: Time::ZERO, size, ecn_capable: false, idle_since: Time::ZERO, flow: 0 }
    }

    fn backlog(sizes: &[u16]) -> Backlog {
        let mut backlog = Backlog::default();
        for (i, &size) in sizes.iter().enumerate() {
            backlog.push(Time::from_ps(1 + i as u64), size);
        }
        backlog
    }

    #[test]
    fn a_limit_in_packets_counts_packets() {
        let mut q = queue(Some(2), None);
        assert_eq!(q.arrive(&arrival(9000), &backlog(&[9000])), Verdict::Accept);
        assert_eq!(q.arrive(&arrival(40), &backlog(&[40, 40])), Verdict::Drop);
    }

    #[test]
    fn a_limit_in_bytes_counts_the_arriving_packet_too() {
        let mut q = queue(None, Some(1000));
        assert_eq!(q.arrive(&arrival(100), &backlog(&[500, 400])), Verdict::Accept);
        assert_eq!(q.arrive(&arrival(101), &backlog(&[500, 400])), Verdict::Drop);
    }

    #[test]
    fn without_a_limit_nothing_is_dropped() {
        let mut q = queue(None, None);
        assert_eq!(q.arrive(&arrival(1500), &backlog(&[1500; 5000])), Verdict::Accept);
    }

    #[test]
    fn what_has_departed_is_not_backlog() {
        let mut b = backlog(&[100, 200, 300]);
        b.advance(Time::from_ps(2));
        assert_eq!((b.packets(), b.bytes()), (1, 300));
    }
}
