//! Applications that hear back: the engine's side of [`crate::traffic::apps`].
//!
//! A *line* is a flow of such an application. It carries one connection after the other. A new one begins with a new
//! sender, which has forgotten all but what it has counted, and at the other end with a new receiver, when the first
//! packet of the new connection comes. Each counts its packets from 0. What is still under way of the one before is
//! known by its stamp: it was sent, or answers what was sent, before the new one was opened.
//!
//! Nobody at the ends of lines acts ahead of time (see `compile/layout.rs`), so all here happens at its time.

use super::lines::{Apps, Write};
use super::{EventKind, Simulation};
use crate::flow::{Flow, ReceivingEnd, SendingEnd};
use crate::network::{Hop, PacketId};
use crate::room::Room;
use crate::traffic::apps::NewTransfer;
use crate::transport::TcpReceiver;
use crate::units::Time;

/// Packets of data that the receiver of a flow has delivered in this connection.
fn delivered(flow: &Flow) -> u64 {
    match &flow.receiver {
        ReceivingEnd::Tcp(tcp) => u64::from(tcp.next()).saturating_sub(u64::from(flow.handshake())),
        ReceivingEnd::Udp(_) => 0,
    }
}

/// Packets of data that its sender knows to be there; none if not even the SYN is.
fn acknowledged(flow: &Flow) -> Option<u64> {
    match &flow.sender {
        SendingEnd::Tcp(tcp) => u64::try_from(tcp.core().high_ack + 1 - i64::from(flow.handshake())).ok(),
        SendingEnd::Udp(_) => None,
    }
}

/// The name in messages of what grows here.
const TRANSFERS: &str = "transfers under way";

impl Simulation {
    /// Lets all applications begin when it is their time.
    pub(super) fn schedule_apps(&mut self) {
        for app in 0..self.apps.apps.len() {
            self.schedule_app(app, self.apps.apps[app].due);
        }
    }

    fn schedule_app(&mut self, app: usize, at: Time) {
        let rank = self.ranks.sources + self.apps.apps[app].flow;
        self.schedule(at, rank, EventKind::App.target(app));
    }

    /// A packet has reached its host, and an application or the recorder takes note.
    #[inline(never)]
    pub(super) fn deliver_observed(&mut self, id: PacketId, left: Hop, now: Time) {
        self.record_arrival(id, left, now);
        let Some(line) = self.apps.line(left.flow() as usize) else {
            return self.hand_to_host(id, left, now);
        };
        if self.is_late(line, id) {
            return self.ignore(line, id, now);
        }
        if !self.apps.lines[line].accepted && !self.in_flight[id].is_ack() {
            self.accept(line);
        }
        self.hand_to_host(id, left, now);
        self.hear(line, now);
    }

    /// Returns whether a packet belongs to a connection that is over.
    fn is_late(&self, line: usize, id: PacketId) -> bool {
        let packet = &self.in_flight[id];
        let stamp = packet.report().map_or_else(|| packet.stamp(), |handle| self.blocks.get(handle).stamp);
        stamp < self.apps.lines[line].opened
    }

    /// Takes a packet away that belongs to a connection of before.
    fn ignore(&mut self, line: usize, id: PacketId, now: Time) {
        let packet = self.in_flight[id];
        self.in_flight.remove(id);
        if let Some(handle) = packet.report() {
            self.blocks.remove(handle);
        }
        let flow = &mut self.flows[self.apps.lines[line].flow];
        match &mut flow.sender {
            SendingEnd::Tcp(tcp) if packet.is_ack() => tcp.count_ack(),
            _ => flow.received += u64::from(now >= self.warm_up),
        }
    }

    /// The first packet of a new connection has come.
    fn accept(&mut self, line: usize) {
        let line = &mut self.apps.lines[line];
        line.accepted = true;
        let flow = &mut self.flows[line.flow];
        if let Some(early) = self.early.get_mut(line.flow) {
            early.end_connection(flow);
        }
        flow.delivered_earlier += delivered(flow);
        if let SendingEnd::Tcp(tcp) = &flow.sender {
            flow.receiver = ReceivingEnd::Tcp(TcpReceiver::new(tcp.core().options.clone()));
        }
    }

    /// Looks what has become of what was written, and tells those who wait for it.
    fn hear(&mut self, line: usize, now: Time) {
        self.note_deliveries(line, now);
        while let Some(done) = self.next_done(line) {
            let own = &self.apps.lines[line];
            let (app, slot, asks) = (own.app, own.slot, own.asks);
            if asks {
                let order = self.apps.apps[app].slots[slot as usize].order;
                self.write_transfer(order, now);
            } else {
                debug_assert!(done.packets > 0, "a transfer has packets");
                let Apps { apps, reaction, .. } = &mut self.apps;
                apps[app].machine.on_done(slot, now, reaction);
                self.react(app, now);
            }
        }
    }

    /// Notes in the log what has been delivered.
    fn note_deliveries(&mut self, line: usize, now: Time) {
        let Apps { lines, log, .. } = &mut self.apps;
        let line = &mut lines[line];
        if !line.accepted {
            return;
        }
        let delivered = delivered(&self.flows[line.flow]);
        while let Some(&(end, write)) = line.undelivered.front() {
            if let Some(entry) = write.entry.filter(|_| delivered + u64::from(write.packets) > end) {
                log[entry].first = log[entry].first.min(now);
            }
            if delivered < end {
                return;
            }
            if let Some(entry) = write.entry {
                log[entry].end = now;
            }
            line.undelivered.pop_front();
            if line.done_on_delivery {
                line.unacknowledged.add((0, write), TRANSFERS);
            }
        }
    }

    /// Removes and returns the oldest write that is done.
    fn next_done(&mut self, line: usize) -> Option<Write> {
        let line = &mut self.apps.lines[line];
        let reached = if line.done_on_delivery { Some(0) } else { acknowledged(&self.flows[line.flow]) };
        let front = line.unacknowledged.front();
        let done = front.is_some_and(|&(end, _)| reached.is_some_and(|reached| reached >= end));
        if !done {
            return None;
        }
        line.unacknowledged.pop_front().map(|(_, write)| write)
    }

    /// The time has come that an application named, or a write was postponed.
    pub(super) fn on_app(&mut self, app: usize, now: Time) {
        for write in std::mem::take(&mut self.apps.postponed) {
            self.write_transfer(write, now);
        }
        let Apps { apps, reaction, .. } = &mut self.apps;
        let own = &mut apps[app];
        if own.due != now {
            return; // It was for what was postponed.
        }
        own.due = Time::NEVER;
        own.machine.on_time(now, reaction);
        self.react(app, now);
    }

    /// Does what an application wants.
    fn react(&mut self, app: usize, now: Time) {
        let mut reaction = std::mem::take(&mut self.apps.reaction);
        if let Some(again) = reaction.again.take() {
            self.apps.apps[app].due = again;
            self.schedule_app(app, again);
        }
        for transfer in reaction.transfers.drain(..) {
            self.start_transfer(app, &transfer, now);
        }
        self.apps.reaction = reaction;
    }

    fn start_transfer(&mut self, app: usize, transfer: &NewTransfer, now: Time) {
        let entry = self.apps.enter(app, transfer);
        let slot = &mut self.apps.apps[app].slots[transfer.slot as usize];
        let order = Write { line: slot.data, packets: transfer.packets, fresh: transfer.fresh, entry };
        slot.order = order;
        let Some(line) = slot.requests else {
            return self.write_transfer(order, now);
        };
        self.write_transfer(Write { line, packets: 1, fresh: transfer.fresh, entry: None }, now);
    }

    /// Writes, on a new connection if the write wants one.
    fn write_transfer(&mut self, write: Write, now: Time) {
        if self.apps.postponed.iter().any(|other| other.line == write.line) {
            // It comes behind what opens a connection a moment later.
            return self.apps.postponed.add(write, TRANSFERS);
        }
        let line = &mut self.apps.lines[write.line];
        let (index, again) = (line.flow, line.connections > 0);
        let SendingEnd::Tcp(tcp) = &mut self.flows[index].sender else {
            return;
        };
        if write.fresh && again {
            // Stamps tell the connections apart, so they must differ.
            if tcp.core().last_sent() == now {
                self.apps.postponed.add(write, TRANSFERS);
                let app = self.apps.lines[write.line].app;
                return self.schedule_app(app, now + Time::from_ps(1));
            }
            tcp.reconnect(line.phase, line.seed, &format!("{}/{}", line.name, line.connections));
            (line.opened, line.accepted, line.written) = (now, false, 0);
            line.undelivered.clear();
            line.unacknowledged.clear();
        }
        line.connections += u32::from(write.fresh || !again);
        line.written += u64::from(write.packets);
        line.undelivered.add((line.written, write), TRANSFERS);
        if !line.done_on_delivery {
            line.unacknowledged.add((line.written, write), TRANSFERS);
        }
        self.write(index, write.packets, false, now);
    }
}
