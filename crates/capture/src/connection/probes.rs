//! Keep-alives and probes of a closed window: segments that carry nothing new, or a single byte that is no data.

use super::{Passing, State};
use crate::packet::{flag, Packet, Tcp};

/// Least silence in front of a keep-alive that repeats a segment of one byte, in nanoseconds. A retransmission of the byte
/// would come sooner: no timer starts above one second (RFC 6298, section 2.1).
const LEAST_IDLE: i64 = 1_000_000_000;

impl State {
    /// A segment is a keep-alive (RFC 1122, section 4.2.3.6), or a probe of a closed window (RFC 9293, section 3.8.6.1).
    pub(super) fn is_probe(&self, packet: &Packet, tcp: &Tcp, passing: &Passing, at: usize) -> bool {
        let direction = &self.ways[at];
        let Some(high) = direction.high.get() else { return false };
        let ends = tcp.flags & (flag::SYN | flag::FIN | flag::RST) != 0;
        if packet.payload > 1 || ends || tcp.flags & flag::ACK == 0 {
            return false;
        }
        let closed = self.ways[1 - at].window == Some(0);
        if packet.payload == 1 && passing.start == high {
            // A byte beyond the window of a receiver that has closed it, or has taken back what it offered.
            let beyond = direction.edge.get().is_some_and(|edge| high >= edge);
            return closed && (beyond || direction.acked.get() == Some(high));
        }
        if passing.start + 1 != high {
            return false;
        }
        packet.payload == 0 || closed || self.is_kept_alive(packet, passing, at)
    }

    /// A segment that repeats the last byte asks whether the other side is still there: all bytes were acknowledged before,
    /// and no sender would repeat this one.
    fn is_kept_alive(&self, packet: &Packet, passing: &Passing, at: usize) -> bool {
        let direction = &self.ways[at];
        if direction.acked.get() != Some(passing.end) {
            return false;
        }
        let repeated = direction.troubles.iter().flat_map(|troubles| troubles.pending.last());
        if repeated.into_iter().any(|last| (last.start, last.end) == (passing.start, passing.end)) {
            return false;
        }
        let idle = packet.time - direction.sender.last_sent();
        direction.tail > 1 || idle >= LEAST_IDLE.max(3 * direction.smoothed.get().unwrap_or(0))
    }

    /// Notes a probe. Its byte is none of the data, unless the receiver takes it.
    pub(super) fn on_probe(&mut self, packet: &Packet, passing: &Passing, at: usize) {
        let direction = &mut self.ways[at];
        direction.count().keep_alives += 1;
        if packet.payload > 0 {
            direction.summary.tally.no_data(packet.payload);
            if Some(passing.start) == direction.high.get() {
                direction.troubles().probe = Some((passing.start, packet.time));
            }
        }
    }
}
