//! Later fragments: they carry on the bytes of the segment whose first fragment passed.

use super::{Passing, State};
use crate::packet::{Packet, Part, Tcp};

impl State {
    /// Takes in a later fragment.
    pub fn on_part(&mut self, packet: &Packet, part: &Part) {
        let at = usize::from(packet.source != self.opener);
        self.end = self.end.max(packet.time);
        let direction = &mut self.ways[at];
        if part.again {
            direction.count().captured_again += 1;
            return;
        }
        direction.summary.tally.packet(packet.ip_length);
        let Some(seq) = part.seq.filter(|_| packet.payload > 0) else { return };
        let Some(start) = direction.place(seq) else { return };
        if direction.is_outside(seq, packet.payload.into()) {
            direction.count().strays += 1;
            return;
        }
        direction.summary.tally.part(packet.payload);
        let end = start + u64::from(packet.payload);
        let passing = Passing { start, end, late: false, repeat: false, fresh: true, unseen: 0 };
        let stamps = part.stamp.map(|stamp| (stamp, 0));
        self.push_segment(packet.time, &Tcp { stamps, ..Tcp::default() }, at, &passing);
    }
}
