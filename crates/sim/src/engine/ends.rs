//! The two ends of a flow: what hosts do with packets that reach them, with timers, and with what applications
//! write.

use super::build::own_code_point;
use super::order::EventKind;
use super::{Leaving, Simulation};
use crate::flow::{Flow, ReceivingEnd, SendingEnd};
use crate::network::{Hop, PacketId};
use crate::packet::{ecn, Packet};
use crate::transport::{Ack, Acknowledgement, SackBlocks};
use crate::units::Time;

impl Simulation {
    /// A packet has reached its host.
    #[inline]
    pub(super) fn deliver(&mut self, id: PacketId, left: Hop, now: Time) {
        if self.observes_deliveries {
            return self.deliver_observed(id, left, now);
        }
        self.hand_to_host(id, left, now);
    }

    /// Keeps that a packet has reached its host, if that is wanted.
    pub(super) fn record_arrival(&mut self, id: PacketId, left: Hop, now: Time) {
        let packet = &self.in_flight[id];
        self.recorder
            .at_host(now, left.flow(), || packet.with_other(own_code_point(&self.code_points, left)));
    }

    /// A host deals with a packet.
    #[inline(always)]
    pub(super) fn hand_to_host(&mut self, id: PacketId, left: Hop, now: Time) {
        let (flow, index) = (left.flow(), left.flow() as usize);
        let answer = if self.in_flight[id].is_ack() {
            if left.folds_next() {
                self.flows[index].ack_arrived();
            }
            self.on_ack(id, index, now)
        } else {
            self.deliver_data(id, flow, now)
        };
        if let Some(answer) = answer {
            self.leave_host(answer, now);
        }
    }

    /// Data reaches its receiver at `at`, which is now, or later if the last hop was folded. Returns the ACK.
    #[inline(always)]
    pub(super) fn deliver_data(&mut self, id: PacketId, flow: u32, at: Time) -> Option<Leaving> {
        let packet = &self.in_flight[id];
        let index = flow as usize;
        let flow = &mut self.flows[index];
        let counting = at >= self.warm_up;
        flow.received += u64::from(counting);
        let acknowledgement = match &mut flow.receiver {
            ReceivingEnd::Udp(received) => {
                if received.outside.is_some() {
                    self.leaves_network(id, index, at);
                    return None;
                }
                received.packets += 1;
                received.bytes += if counting { u64::from(packet.size) } else { 0 };
                None
            }
            ReceivingEnd::Tcp(tcp) => tcp.on_data(packet.seq, packet.stamp(), packet.ecn, at),
        };
        self.in_flight.remove(id);
        self.recorder.data_arrived(at, index as u32, || (flow.delivered(), flow.held()));
        if !counting {
            self.early[index].note(flow);
        }
        match acknowledgement {
            // With its ACK sent, the receiver waits for nothing.
            Some(ack) => Some(self.acknowledge(index, ack, at)),
            None => {
                self.arm_receiver(index);
                None
            }
        }
    }

    /// Makes the ACK that a receiver sends at `at`.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, index: usize, ack: Acknowledgement, at: Time) -> Leaving {
        let flow = &self.flows[index];
        let ReceivingEnd::Tcp(receiver) = &flow.receiver else {
            unreachable!("only TCP receivers send ACKs");
        };
        let blocks = receiver.reported();
        let size = flow.ack_bytes + blocks.len() as u16 * SackBlocks::BYTES_PER_BLOCK;
        let ecn = if ack.ecn_echo { ecn::ECHO } else { 0 };
        let mut packet = Packet::ack(ack.next, size, ecn, at, ack.stamp);
        if !blocks.is_empty() {
            packet = packet.reporting(ack.number, self.blocks.put(ack.stamp, &blocks));
        }
        let hop = flow.ack_hops;
        Leaving { id: self.in_flight.add(packet.to(hop)), hop, bytes: packet.size }
    }

    /// An ACK reaches its sender. Returns the last packet that the sender sends.
    pub(super) fn on_ack(&mut self, id: PacketId, index: usize, now: Time) -> Option<Leaving> {
        let packet = &self.in_flight[id];
        let flow = &mut self.flows[index];
        let SendingEnd::Tcp(tcp) = &mut flow.sender else {
            self.leaves_network(id, index, now);
            return None;
        };
        let samples = tcp.core().counters.rtt_samples;
        let report = packet.report();
        let (echo, blocks) = match report.map(|handle| self.blocks.get(handle)) {
            Some(report) => (report.stamp, &report.blocks),
            None => (packet.stamp(), &SackBlocks::EMPTY),
        };
        let high = i64::from(packet.seq) - 1;
        let ack = Ack { high, echo, blocks, ecn_echo: packet.ecn & ecn::ECHO != 0 };
        self.in_flight.remove(id);
        tcp.on_ack(&ack, now, &mut self.outbox);
        if let Some(handle) = report {
            self.blocks.remove(handle);
        }
        if flow.completed_at == Time::NEVER && tcp.finished() {
            flow.completed_at = now;
        }
        if tcp.core().counters.rtt_samples > samples {
            self.recorder.rtt_sample(now, index as u32, tcp.core());
        }
        self.sender_acted(index, now)
    }

    pub(super) fn on_receiver_timer(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.receiver_event != now {
            return; // An earlier event took its place.
        }
        flow.receiver_event = Time::NEVER;
        let ReceivingEnd::Tcp(tcp) = &mut flow.receiver else {
            return;
        };
        let due = tcp.deadline() <= now;
        let acknowledgement = if due { tcp.on_timer() } else { None };
        if let Some(ack) = acknowledgement {
            let id = self.acknowledge(index, ack, now);
            self.leave_host(id, now);
        }
        self.arm_receiver(index);
    }

    pub(super) fn on_sender_timer(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.sender_event != now {
            return; // An earlier event took its place.
        }
        flow.sender_event = Time::NEVER;
        let SendingEnd::Tcp(tcp) = &mut flow.sender else {
            return;
        };
        if tcp.core().deadline() <= now {
            tcp.on_timeout(now, &mut self.outbox);
            self.send_all(index, now);
        } else {
            self.arm_sender(index);
        }
    }

    pub(super) fn on_pace(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.pace_event != now {
            return; // An earlier event took its place.
        }
        flow.pace_event = Time::NEVER;
        let SendingEnd::Tcp(tcp) = &mut flow.sender else {
            return;
        };
        tcp.on_wake(now, &mut self.outbox);
        self.send_all(index, now);
    }

    pub(super) fn on_source(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.writes_ahead {
            return self.feed(index);
        }
        let emission = self.sources[index].emit(now);
        if let Some(next) = emission.next {
            let rank = self.ranks.sources + index as u32;
            self.schedule(next, rank, EventKind::Source.target(index));
        }
        self.write(index, emission.packets, emission.close, now);
    }

    /// Lets feeding flows send the packets that will arrive nowhere before the end.
    pub(super) fn feed_to_the_end(&mut self) {
        for index in 0..self.flows.len() {
            if self.flows[index].writes_ahead {
                while self.write_ahead(index) {}
            }
        }
    }

    /// A packet of a feeding flow has arrived at the first port that others use too.
    pub(super) fn fed_arrived(&mut self, index: usize) {
        if let SendingEnd::Udp(udp) = &mut self.flows[index].sender {
            udp.under_way -= 1;
        }
        self.feed(index);
    }

    /// Lets the source of a feeding flow write until a packet is under way to the first port that others use too.
    ///
    /// Nobody else uses the ports before it and nothing the network does reaches a UDP source, so writing ahead of
    /// time changes nothing; what it saves is the event of each write.
    pub(super) fn feed(&mut self, index: usize) {
        let waits = |flow: &Flow| matches!(&flow.sender, SendingEnd::Udp(udp) if udp.under_way == 0);
        while waits(&self.flows[index]) && self.write_ahead(index) {}
    }

    /// Lets the source of a feeding flow write once more, if it does so before the end.
    pub(super) fn write_ahead(&mut self, index: usize) -> bool {
        self.step_ahead();
        let flow = &mut self.flows[index];
        let SendingEnd::Udp(udp) = &mut flow.sender else {
            return false;
        };
        let at = udp.next_write;
        if at >= self.end {
            return false;
        }
        let emission = self.sources[index].emit(at);
        udp.next_write = emission.next.unwrap_or(Time::NEVER);
        let counting = at >= self.warm_up;
        if counting {
            flow.offered += u64::from(emission.packets);
        }
        self.write_datagrams(index, emission.packets, counting, at);
        true
    }

    /// The application of flow `index` hands over packets.
    pub(super) fn write(&mut self, index: usize, packets: u32, close: bool, now: Time) {
        let flow = &mut self.flows[index];
        let counting = now >= self.warm_up;
        if packets < u32::MAX && counting {
            flow.offered += u64::from(packets);
        }
        match &mut flow.sender {
            SendingEnd::Tcp(tcp) => {
                if close {
                    tcp.close();
                } else {
                    tcp.on_write(packets, now, &mut self.outbox);
                }
                self.send_all(index, now);
            }
            SendingEnd::Udp(_) => self.write_datagrams(index, packets, counting, now),
        }
    }

    /// A flow without a protocol sends all that its application hands over, at once.
    #[inline(always)]
    fn write_datagrams(&mut self, index: usize, packets: u32, counting: bool, now: Time) {
        let SendingEnd::Udp(udp) = &mut self.flows[index].sender else {
            return;
        };
        let first = udp.sent;
        udp.sent += u64::from(packets);
        if !counting {
            udp.sent_before = udp.sent;
        }
        self.recorder.sent(now, index as u32, first + u64::from(packets));
        for seq in first..first + u64::from(packets) {
            self.step_ahead();
            let packet = self.packet(index, seq as u32, 0, now);
            self.leave_host(packet, now);
        }
    }

    /// Sends what the sender of flow `index` has put into the outbox, and looks after its timer.
    pub(super) fn send_all(&mut self, index: usize, now: Time) {
        if let Some(last) = self.sender_acted(index, now) {
            self.leave_host(last, now);
        }
    }

    /// Does the same as [`Simulation::send_all`] except for the last packet, which it returns: mostly it is
    /// the only one.
    #[inline(always)]
    pub(super) fn sender_acted(&mut self, index: usize, now: Time) -> Option<Leaving> {
        if self.informs_conditioners {
            self.inform_conditioners(index, now);
        }
        let last = self.outbox.packets.pop();
        if !self.outbox.packets.is_empty() {
            self.send_outbox(index, now);
        }
        if let SendingEnd::Tcp(tcp) = &self.flows[index].sender {
            self.recorder.sender_state(now, index as u32, tcp.core());
        }
        self.arm_sender(index);
        let (seq, ecn) = last?;
        Some(self.packet(index, seq, ecn, now))
    }

    /// Sends all packets in the outbox.
    #[inline(never)]
    pub(super) fn send_outbox(&mut self, index: usize, now: Time) {
        let mut outbox = std::mem::take(&mut self.outbox);
        for (seq, ecn) in outbox.packets.drain(..) {
            let id = self.packet(index, seq, ecn, now);
            self.leave_host(id, now);
        }
        self.outbox = outbox;
    }

    /// Makes sure that an event waits when a sender's timer expires, or its pacing lets a packet go.
    #[inline(always)]
    pub(super) fn arm_sender(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        let SendingEnd::Tcp(tcp) = &flow.sender else {
            return;
        };
        let core = tcp.core();
        let (deadline, pace) = (core.deadline(), core.wake_deadline());
        let (timer_moved, pace_moved) = (deadline < flow.sender_event, pace < flow.pace_event);
        if timer_moved {
            flow.sender_event = deadline;
        }
        if pace_moved {
            flow.pace_event = pace;
        }
        if timer_moved {
            self.schedule(deadline, self.ranks.senders + index as u32, EventKind::Sender.target(index));
        }
        if pace_moved {
            self.schedule(pace, self.ranks.paces + index as u32, EventKind::Pace.target(index));
        }
    }

    pub(super) fn arm_receiver(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        if let ReceivingEnd::Tcp(tcp) = &flow.receiver {
            let deadline = tcp.deadline();
            if deadline < flow.receiver_event {
                flow.receiver_event = deadline;
                let rank = self.ranks.receivers + index as u32;
                self.schedule(deadline, rank, EventKind::Receiver.target(index));
            }
        }
    }

    /// Makes a packet of data that flow `index` sends.
    #[inline(always)]
    pub(super) fn packet(&mut self, index: usize, seq: u32, ecn: u8, now: Time) -> Leaving {
        let flow = &mut self.flows[index];
        let size = flow.packet_bytes(seq);
        if now >= self.warm_up {
            flow.bytes_sent += u64::from(size);
        }
        let hop = flow.data_hops;
        Leaving { id: self.in_flight.add(Packet::data(seq, size, ecn, now).to(hop)), hop, bytes: size }
    }
}
