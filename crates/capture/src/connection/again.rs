//! Packets that come again: doubled by the network, or captured twice.

use super::{Found, State};
use crate::events::Events;
use crate::packet::{Packet, Tcp};
use crate::recent::Again;
use crate::result::{Event, Way};

impl State {
    /// A packet that was here before.
    pub(super) fn on_again(&mut self, packet: &Packet, tcp: &Tcp, way: Way, again: Again, found: &mut Found) {
        let (event, copied) = match again {
            Again::Copied(event) => (event, true),
            Again::Captured(event) => (event, false),
            Again::No | Again::Outside => return,
        };
        let twin = if event { self.first_record(packet, tcp, way, &found.events) } else { None };
        let counters = self.ways[way as usize].count();
        if copied {
            counters.network_copies += 1;
        } else {
            counters.captured_again += 1;
            if twin.is_none() {
                return;
            }
        }
        let first = twin.and_then(|twin| found.events.get(twin).copied());
        let event = Event {
            frame: packet.frame,
            time: packet.time,
            connection: self.number,
            way,
            kind: first.and_then(|first| first.kind),
            needless: None,
            network_copy: copied || first.is_some_and(|first| first.network_copy),
            late: !copied && first.is_some_and(|first| first.late),
            captured_again: !copied,
            seq: self.relative(tcp.seq, way),
            payload: packet.payload,
            copy_before: None,
        };
        found.events.push_twin(twin, event);
    }

    /// The event of a packet that comes again.
    fn first_record(&self, packet: &Packet, tcp: &Tcp, way: Way, events: &Events) -> Option<u64> {
        let seq = self.relative(tcp.seq, way);
        events.find_back(packet.time, |event| {
            let same = (event.connection, event.way, event.seq) == (self.number, way, seq);
            same && event.payload == packet.payload
        })
    }
}
