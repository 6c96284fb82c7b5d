//! Place of a packet's bytes among those that passed before: new, sent again, or overtaken.

use super::{Passing, State};
use crate::direction::newer;
use crate::packet::{flag, Packet, Tcp};
use crate::result::Way;
use crate::sender::SHORTEST_TIMEOUT;

/// Least silence in front of a retransmission of which no copy passed, in nanoseconds: it looks like new data.
const HIDDEN_SILENCE: i64 = 30_000_000;

impl State {
    /// Finds out where the bytes of a packet belong.
    pub(super) fn place(&mut self, packet: &Packet, tcp: &Tcp, way: Way) -> Passing {
        let direction = &mut self.ways[way as usize];
        // A reset may have any number where nothing else was sent.
        let start = match direction.place(tcp.seq) {
            None if tcp.flags & flag::RST != 0 => return Passing::default(),
            _ => direction.advance(tcp.seq),
        };
        // Behind a first fragment are others, and the FIN behind all of them.
        let fin = tcp.flags & flag::FIN != 0 && packet.fragmented.is_none();
        let ends = u64::from(tcp.flags & flag::SYN != 0) + u64::from(fin);
        let end = start + u64::from(packet.payload) + ends;
        let Some(high) = direction.high.get() else {
            let repeat = self.answers_again(tcp, way);
            return Passing { start, end, late: false, repeat, fresh: true, unseen: 0 };
        };
        let ahead = direction.recent.ahead(packet.id);
        let late = ahead.is_some_and(|ahead| ahead < 0);
        if end > start && start >= high && start < direction.told && !late {
            let unseen = direction.told - start;
            return Passing { start, end, late, repeat: true, fresh: true, unseen };
        }
        if start >= high || end == start {
            if end == start && tcp.flags & (flag::SYN | flag::RST) == 0 {
                direction.told = direction.told.max(start);
            }
            let unseen = if end > start { self.hidden(packet, tcp, way, start - high) } else { 0 };
            return Passing { start, end, late, repeat: unseen > 0, fresh: true, unseen };
        }
        let direction = &self.ways[way as usize];
        let known = direction.acked.get().is_some_and(|acked| start < acked)
            || direction.board.touches(start, end.min(high));
        let (late, repeat) = match ahead {
            Some(ahead) if ahead < 0 => {
                let (id, newest) = (packet.id.unwrap_or(0), direction.newest());
                let before = direction.recent.sent_before(id, packet.time, newest);
                (true, before.is_some_and(|before| before > start))
            }
            Some(_) => (false, true),
            None => {
                let late = self.late_by_time(packet, tcp, way, start, known);
                (late, !late)
            }
        };
        Passing { start, end, late, repeat, fresh: !known, unseen: 0 }
    }

    /// A SYN with ACK whose first copy did not pass: it answers a SYN before the last one.
    fn answers_again(&self, tcp: &Tcp, way: Way) -> bool {
        let mut syns = self.ways[1 - way as usize].syns().rev();
        let (Some((_, echo)), Some((_, Some(last)))) = (tcp.stamps, syns.next()) else { return false };
        let answer = tcp.flags & (flag::SYN | flag::ACK) == flag::SYN | flag::ACK;
        answer && syns.next().is_some() && newer(last, echo)
    }

    /// Bytes that were sent and did not pass in front of a packet that looks new and is a retransmission: its sender was
    /// silent for long, and more packets are missing than the bytes that are missing can fill. Zero if it is new.
    fn hidden(&self, packet: &Packet, tcp: &Tcp, way: Way, hole: u64) -> u64 {
        let direction = &self.ways[way as usize];
        let missing = direction.recent.ahead(packet.id).map_or(0, |ahead| i64::from(ahead) - 1);
        let size = u64::from(direction.largest.max(packet.payload).max(1));
        if missing <= hole.div_ceil(size) as i64 || !direction.recent.counts() || direction.joined() {
            return 0;
        }
        let heard = self.ways[1 - way as usize].recent.last_time().unwrap_or(packet.time);
        let sender_half = self.ways[1 - way as usize].least.get().unwrap_or(0);
        let path = direction.least.get().unwrap_or(0) + sender_half;
        let unheard = packet.time - heard - sender_half;
        let silence = direction.silence(tcp).map_or(unheard, |silence| silence.min(unheard));
        // A sender with a single segment on its way waits for a delayed ACK, too.
        let single = hole == 0 && direction.acked.get() == direction.high.get();
        let least = if single { SHORTEST_TIMEOUT } else { HIDDEN_SILENCE.max(path + path / 3) };
        if silence < least {
            return 0;
        }
        missing as u64 * size
    }

    /// Tells a late packet from a retransmission where numbers of IP do not: by time stamps, and by time itself.
    fn late_by_time(&self, packet: &Packet, tcp: &Tcp, way: Way, start: u64, known: bool) -> bool {
        let direction = &self.ways[way as usize];
        let Some(above) = direction.board.above(start) else { return false };
        if let (Some((value, _)), Some(first)) = (tcp.stamps, above.last_stamp()) {
            if value != first {
                return newer(first, value);
            }
        }
        !known && packet.time - above.first < self.least_path(way) * 6 / 10
    }
}
