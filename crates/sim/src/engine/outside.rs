//! Flows whose ends belong to the caller: datagrams come in and go out between events.

use std::sync::Arc;

use super::{FlowKey, Leaving, Simulation};
use crate::events::Event;
use crate::flow::{ReceivingEnd, SendingEnd};
use crate::names::{NameList, Names};
use crate::network::PacketId;
use crate::outside::{Datagram, Fate};
use crate::packet::Packet;
use crate::units::Time;

impl Simulation {
    /// Time of the next event; [`Time::NEVER`] if there is none.
    pub(crate) fn next_at(&mut self) -> Time {
        self.in_flight.first_at().min(Event::from_key(self.events.first_key()).time)
    }

    /// Lets [`Simulation::advance`] return every few thousand events.
    pub(crate) fn with_pauses(mut self) -> Self {
        self.pauses = true;
        self
    }

    /// Time of the last event that was executed.
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// A datagram leaves a host at `now`, over a flow of the caller's. All events before that are over.
    pub(crate) fn inject(&mut self, flow: u32, back: bool, datagram: Datagram, now: Time) {
        self.now = now;
        let Some(outside) = &mut self.outside else { return };
        if datagram.dscp() != 0 {
            self.recorder.show_classes();
        }
        let packet = outside.send(flow, back, datagram, now);
        let state = &mut self.flows[flow as usize];
        let counts = now >= self.warm_up;
        if let (false, SendingEnd::Udp(udp)) = (back, &mut state.sender) {
            udp.sent += 1;
            udp.sent_before += u64::from(!counts);
            state.offered += u64::from(counts);
            state.bytes_sent += if counts { u64::from(packet.size) } else { 0 };
        }
        let hop = if back { state.ack_hops } else { state.data_hops };
        let id = self.in_flight.add(packet.to(hop));
        self.leave_host(Leaving { id, hop, bytes: packet.size }, now);
    }

    /// A datagram is larger than its path takes, and goes nowhere.
    pub(crate) fn inject_too_large(&mut self, flow: u32, back: bool, datagram: Datagram, now: Time) {
        let Some(outside) = &mut self.outside else { return };
        let state = &mut self.flows[flow as usize];
        let counts = u32::from(now >= self.warm_up);
        if back {
            state.acks_dropped += counts;
        } else if let SendingEnd::Udp(udp) = &mut state.sender {
            udp.sent += 1;
            udp.sent_before += u64::from(counts == 0);
            state.offered += u64::from(counts);
            state.dropped += counts;
            state.bytes_sent += u64::from(counts * datagram.wire_bytes());
        }
        outside.refuse(flow, back, datagram, now);
    }

    /// A packet has reached the host of an end that belongs to the caller, who is asked before anything else happens.
    #[cold]
    #[inline(never)]
    pub(super) fn leaves_network(&mut self, id: PacketId, index: usize, now: Time) {
        let packet = self.in_flight[id];
        self.in_flight.remove(id);
        let Some(outside) = &mut self.outside else {
            unreachable!("a flow of the engine's own sends only what its ends understand");
        };
        let counts = now >= self.warm_up;
        let payload = outside.arrived(index as u32, &packet, now, counts);
        let flow = &mut self.flows[index];
        let headers = u64::from(flow.data_bytes) - u64::from(flow.payload_bytes());
        if let (false, ReceivingEnd::Udp(udp)) = (packet.is_ack(), &mut flow.receiver) {
            udp.packets += 1;
            udp.bytes += if counts { u64::from(payload) + headers } else { 0 };
            if !counts {
                self.early[index].note(flow);
            }
        }
        self.until = Time::ZERO;
    }

    /// Takes the fate of the oldest datagram whose fate was not taken before.
    #[inline]
    pub(crate) fn next_fate(&mut self) -> Option<Fate> {
        self.outside.as_mut()?.next_fate()
    }

    /// Lets the run end at `end`, if that is earlier than planned.
    pub(crate) fn end_at(&mut self, end: Time) {
        self.end = self.end.min(end);
        self.recorder.cut(self.end);
    }

    /// Returns whether the ends of a flow belong to the caller.
    pub(super) fn is_outside(&self, flow: u32) -> bool {
        matches!(&self.flows[flow as usize].receiver, ReceivingEnd::Udp(udp) if udp.outside.is_some())
    }

    /// The key by which queues tell the flow and direction of a packet from others.
    #[inline]
    pub(super) fn key_of(&self, flow: u32, packet: &Packet) -> u64 {
        let own = self.flow_keys.get(flow as usize).map_or(0, |key: &FlowKey| key.of(packet.is_ack()));
        match &self.outside {
            None => own,
            Some(outside) => outside.key(flow, packet, own),
        }
    }

    /// Names of the flows in a recording: the last ones are left out if they belong to the caller, who never used them.
    pub(super) fn without_silent_flows(&self, names: &Names) -> Names {
        let Some(outside) = &self.outside else { return names.clone() };
        let used = (0..names.flows.len()).rposition(|flow| !outside.leaves_no_trace(flow));
        let used = used.map_or(0, |last| last + 1);
        if used == names.flows.len() {
            return names.clone();
        }
        let mut flows = NameList::default();
        names.flows.iter().take(used).for_each(|name| flows.push(&[name]));
        Names { flows: Arc::new(flows), ports: names.ports.clone() }
    }

    /// Returns whether a flow is one of the named ones that a recording leaves out.
    pub(super) fn is_left_out(&self, flow: usize, names: &Names) -> bool {
        let owner = self.owners.get(flow).map_or(flow, |&owner| owner as usize);
        owner >= names.flows.len()
    }
}
