//! Facts about packets that only captures need: they are kept beside the packets, so that these stay small.

use super::Simulation;
use crate::network::{Hop, Outcome};
use crate::packet::Packet;
use crate::record::Carried;
use crate::transport::SackBlocks;
use crate::units::Time;

impl Simulation {
    /// The port of this hop decided at `now` what becomes of a packet: notes it where the port is captured.
    ///
    /// It lies apart from what all runs do, whose place in memory is then as it was.
    #[cold]
    #[inline(never)]
    pub(super) fn capture(&mut self, hop: Hop, packet: &Packet, outcome: Outcome, now: Time) {
        if self.recorder.captures_of(hop.port).is_none() {
            return;
        }
        let carried = self.carried(hop, packet);
        let Some(captures) = self.recorder.captures_of(hop.port) else {
            return;
        };
        if !captures.knows(hop.flow()) {
            captures.learn(hop.flow(), self.flows[hop.flow() as usize].facts());
        }
        captures.left_port(now, hop.port, hop.flow(), packet, outcome, &carried);
    }

    /// A packet that left by the link of this hop is at its far end at `at`, where there may be a capture.
    #[cold]
    #[inline(never)]
    pub(super) fn capture_arrival(&mut self, hop: Hop, packet: &Packet, marked: bool, at: Time) {
        let carried = self.carried(hop, packet);
        if let Some(captures) = self.recorder.captures_of(hop.port) {
            captures.arrives(at, hop.port, hop.flow(), packet, marked, &carried);
        }
    }

    fn carried(&self, hop: Hop, packet: &Packet) -> Carried {
        let report = packet.report().map(|handle| self.blocks.get(handle));
        let stamp = report.map_or_else(|| packet.stamp(), |report| report.stamp);
        let blocks = report.map_or(SackBlocks::EMPTY, |report| report.blocks);
        let datagram = self.outside.as_ref().and_then(|outside| outside.datagram(hop.flow(), packet));
        let content = datagram.map(|datagram| datagram.content().clone());
        Carried { stamp, connection: self.connection(hop.flow(), stamp), blocks, content }
    }

    /// The number of the connection of a flow to which a packet of this stamp belongs: the newest, or the one before.
    fn connection(&self, flow: u32, stamp: Time) -> u32 {
        let line = self.apps.line(flow as usize).map(|line| &self.apps.lines[line]);
        line.map_or(0, |line| line.connections.saturating_sub(1 + u32::from(stamp < line.opened)))
    }
}
