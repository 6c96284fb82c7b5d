//! Ports whose queue decides at departure: packets wait there, and an event comes when the link is free for the next.
//!
//! At most one event waits for such a port, and none while its link is idle or its queue empty. A packet that finds
//! the link idle leaves within the event that brought it.

use super::{lead, own_code_point, EventKind, Leaving, Simulation};
use crate::network::{Hop, Next, Outcome, PacketId, Transmission};
use crate::packet::{ecn, Packet};
use crate::units::Time;

impl Simulation {
    /// A packet arrives at a port whose queue decides at departure, and which keeps the packet until then.
    pub(super) fn wait_at_port(&mut self, hop: Hop, id: PacketId, now: Time) {
        let packet = self.in_flight[id].with_other(own_code_point(&self.code_points, hop));
        debug_assert_eq!(self.hops[packet.hop as usize], hop, "nothing is folded into such a port");
        self.in_flight.remove(id);
        let lead = lead(&self.leads, packet.hop, packet.size);
        let comes_first = self.comes_before_the_end(hop.port, now, lead);
        let key = self.key_of(hop.flow(), &packet);
        let port = &mut self.ports[hop.port as usize];
        let kind = &self.kinds[port.kind()];
        let Some(serving) = port.serving_mut() else {
            return;
        };
        let reaches_the_queue = serving.arrive(kind, now, packet, key, lead);
        if self.recorder.watches_port(hop.port) {
            let frame = self.flows[hop.flow() as usize].frame(hop.flow());
            self.recorder.dithered(hop.port, serving.dither());
            self.recorder.arrived_at_port(now, hop.port, &packet, frame);
        }
        if !reaches_the_queue {
            return self.end_at_port(hop.port, &packet, Outcome::Lost, now);
        }
        self.drop_what_the_queue_dropped(hop.port, now);
        self.keep_class_state(hop, &packet, now);
        if comes_first {
            return self.await_link(hop.port, now);
        }
        self.serve(hop.port, now);
    }

    /// Returns whether a packet that arrives comes before the end of a transmission at this instant, if one
    /// ends; if it does not, the port goes on first.
    fn comes_before_the_end(&mut self, port: u32, now: Time, lead: Time) -> bool {
        let Some(serving) = self.ports[port as usize].serving_ref() else {
            return false;
        };
        let comes_first = serving.leaves_later(now, lead);
        if !comes_first {
            self.on_link_free(port as usize, now);
        }
        comes_first
    }

    /// The event of a port: its link is free.
    pub(super) fn on_link_free(&mut self, port: usize, now: Time) {
        let Some(serving) = self.ports[port].serving_mut() else {
            return;
        };
        if serving.event_at == now {
            serving.event_at = Time::NEVER;
            self.serve(port as u32, now);
        }
    }

    /// Lets a port transmit what it can at `now`.
    fn serve(&mut self, index: u32, now: Time) {
        loop {
            let port = &mut self.ports[index as usize];
            let kind = &self.kinds[port.kind()];
            let Some(serving) = port.serving_mut() else {
                return;
            };
            let next = serving.next(kind, now);
            self.drop_what_the_queue_dropped(index, now);
            match next {
                Next::Idle => return,
                Next::At(time) => return self.await_link(index, time),
                Next::Send(transmission) => self.send(index, transmission, now),
            }
        }
    }

    fn await_link(&mut self, index: u32, time: Time) {
        let Some(serving) = self.ports[index as usize].serving_mut() else {
            return;
        };
        if serving.event_at == Time::NEVER {
            serving.event_at = time;
            // Where ties are decided as ns-2 does, arrivals see to it that the link comes before them if it is to.
            let late = !self.leads.is_empty() && serving.has_transmissions();
            let first = if late { self.ranks.late_links } else { self.ranks.links };
            self.schedule(time, first + index, EventKind::Link.target(index as usize));
        }
    }

    /// Puts a packet on its way whose transmission starts at `now`.
    fn send(&mut self, index: u32, transmission: Transmission, now: Time) {
        let Transmission { mut packet, departure, marked } = transmission;
        let hop = self.hops[packet.hop as usize];
        if self.recorder.watches_port(index) {
            let frame = self.flows[hop.flow() as usize].frame(hop.flow());
            let outcome = Outcome::Sent { start: now, departure, marked };
            self.recorder.left_port(now, index, &packet, outcome, frame);
            self.capture(hop, &packet, outcome, now);
        }
        if marked {
            packet.ecn |= ecn::EXPERIENCED;
        }
        let port = &mut self.ports[index as usize];
        let kind = &self.kinds[port.kind()];
        let at = port.arrival(kind, departure, &packet);
        if kind.overheard {
            self.overhear(hop, &packet, marked, at);
        }
        let next = packet.hop + 1;
        let id = self.in_flight.add(packet.with_other(own_code_point(&self.code_points, hop)));
        if !(hop.folds_next() && at < self.end) {
            return self.put_on_link(hop, id, at, next);
        }
        if !hop.is_last() {
            return self.forward(Leaving { id, hop: next, bytes: packet.size }, at);
        }
        if let Some(answer) = self.deliver_ahead(hop, id, at, next) {
            self.leave_host(answer, at);
        }
    }

    fn drop_what_the_queue_dropped(&mut self, index: u32, now: Time) {
        let Some(serving) = self.ports[index as usize].serving_mut() else {
            return;
        };
        if serving.dropped.is_empty() {
            return;
        }
        // The room goes back, so that it need not be made again.
        let mut dropped = std::mem::take(&mut serving.dropped);
        for held in dropped.drain(..) {
            self.end_at_port(index, &held.packet, Outcome::Dropped(held.reason), now);
        }
        if let Some(serving) = self.ports[index as usize].serving_mut() {
            serving.dropped = dropped;
        }
    }

    /// A packet goes no further than a port.
    fn end_at_port(&mut self, index: u32, packet: &Packet, outcome: Outcome, now: Time) {
        let hop = self.hops[packet.hop as usize];
        let flow = hop.flow();
        if self.recorder.watches_port(index) {
            let frame = self.flows[flow as usize].frame(flow);
            self.recorder.left_port(now, index, packet, outcome, frame);
            self.capture(hop, packet, outcome, now);
        }
        self.note_dropped(packet, flow, now, outcome);
    }

    /// The flows whose packets of data wait at ports, once for each packet.
    pub(super) fn flows_waiting_at_ports(&self) -> impl Iterator<Item = u32> + '_ {
        let serving = self.ports.iter().filter_map(|port| port.serving_ref());
        let packets = serving.flat_map(|serving| serving.waiting()).filter(|packet| !packet.is_ack());
        packets.map(|packet| self.hops[packet.hop as usize].flow())
    }
}
