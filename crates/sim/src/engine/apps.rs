//! Applications that hear back: the engine's side of [`crate::traffic::apps`].
//!
//! A *line* is a flow of such an application. It carries one connection after the other. A new one begins with a new
//! sender, which has forgotten all but what it has counted, and at the other end with a new receiver, when the first
//! packet of the new connection comes. Each counts its packets from 0. What is still under way of the one before is
//! known by its stamp: it was sent, or answers what was sent, before the new one was opened.
//!
//! Nobody at the ends of lines acts ahead of time (see `compile/layout.rs`), so all here happens at its time.

use std::collections::VecDeque;

use super::{Kind, Simulation};
use crate::compile::{AppPlan, Asking, Plan};
use crate::flow::{clock_phase, Flow, ReceivingEnd, SendingEnd};
use crate::network::{Hop, PacketId};
use crate::record::{Table, TransferRow, TransferTable};
use crate::scenario::{RecoveryName, Transport};
use crate::traffic::apps::{Demand, Machine, Place, Reaction};
use crate::traffic::start;
use crate::transport::TcpReceiver;
use crate::units::Time;

/// All applications of a network that hear back.
#[derive(Debug, Default)]
pub(super) struct Apps {
    apps: Vec<App>,
    lines: Vec<Line>,
    /// The line of each flow; empty if there are no lines.
    line_of: Vec<Option<u32>>,
    /// Writes that open a connection at an instant at which the one before has still sent something.
    postponed: Vec<Write>,
    reaction: Reaction,
    log: Vec<Transfer>,
}

#[derive(Debug)]
struct App {
    machine: Machine,
    /// The lines of each slot, and what was asked for there last.
    slots: Vec<Slot>,
    /// When it wants to be asked.
    due: Time,
    /// Whether its transfers are kept, how many there are, and of which flow.
    keeps: bool,
    transfers: u64,
    flow: u32,
}

#[derive(Debug)]
struct Slot {
    data: usize,
    requests: Option<usize>,
    order: Write,
}

/// Packets to be written.
#[derive(Clone, Copy, Debug)]
struct Write {
    line: usize,
    packets: u32,
    fresh: bool,
    /// Its place in the log; none if it is not kept there.
    entry: Option<usize>,
}

/// A flow that carries connections.
#[derive(Debug)]
struct Line {
    flow: usize,
    app: usize,
    slot: u32,
    asks: bool,
    /// Whether what is written is done when it is delivered, and not when it is acknowledged.
    done_on_delivery: bool,
    recovery: RecoveryName,
    phase: Time,
    seed: u64,
    name: String,
    /// Connections so far, and when this one was opened.
    connections: u32,
    opened: Time,
    /// Whether the receiver is that of this connection.
    accepted: bool,
    /// Packets of data that were written in this connection.
    written: u64,
    /// What was written and not delivered, by where it ends.
    undelivered: VecDeque<(u64, Write)>,
    /// What was written and not acknowledged, likewise; empty if nobody waits for that.
    unacknowledged: VecDeque<(u64, Write)>,
}

/// A transfer in the log.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    flow: u32,
    number: u64,
    place: Place,
    start: Time,
    first: Time,
    end: Time,
    packets: u32,
}

impl Apps {
    /// Those of a plan.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let mut all = Apps::default();
        if plan.apps.is_empty() {
            return all;
        }
        all.line_of = vec![None; plan.flows.len()];
        plan.apps.iter().for_each(|app| all.add(app, plan, seed));
        all
    }

    fn add(&mut self, app: &AppPlan, plan: &Plan, seed: u64) {
        let asked = &plan.asked[app.flow as usize];
        let Some(machine) = Machine::new(asked, app.slots.len() as u32, seed) else {
            return;
        };
        let number = self.apps.len();
        let mut slots = Vec::with_capacity(app.slots.len());
        for (slot, &(data, requests)) in (0..).zip(&app.slots) {
            let mut add = |flow: u32, asks: bool| {
                let line = Line::new(flow as usize, (number, slot, asks, app.asking), plan, seed);
                self.line_of[flow as usize] = Some(self.lines.len() as u32);
                self.lines.push(line);
                self.lines.len() - 1
            };
            let (data, requests) = (add(data, false), requests.map(|flow| add(flow, true)));
            slots.push(Slot {
                data,
                requests,
                order: Write { line: data, packets: 0, fresh: false, entry: None },
            });
        }
        self.apps.push(App {
            machine,
            slots,
            due: start(asked, seed),
            keeps: plan.watch.transfers.as_ref().is_some_and(|flows| flows.binary_search(&app.flow).is_ok()),
            transfers: 0,
            flow: app.flow,
        });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.apps.is_empty()
    }

    fn line(&self, flow: usize) -> Option<usize> {
        self.line_of.get(flow).copied().flatten().map(|line| line as usize)
    }

    /// Whether a flow carries requests.
    pub fn asks(&self, flow: usize) -> bool {
        self.line(flow).is_some_and(|line| self.lines[line].asks)
    }

    /// Puts a transfer that begins into the log, if it is kept.
    fn enter(&mut self, app: usize, demand: &Demand) -> Option<usize> {
        let app = &mut self.apps[app];
        app.transfers += 1;
        if !app.keeps {
            return None;
        }
        self.log.push(Transfer {
            flow: app.flow,
            number: app.transfers - 1,
            place: demand.place,
            start: demand.asked,
            first: Time::NEVER,
            end: Time::NEVER,
            packets: demand.packets,
        });
        Some(self.log.len() - 1)
    }

    /// The table of transfers.
    pub fn table(&self, payload_bytes: impl Fn(u32) -> u32) -> Table {
        let mut log: Vec<&Transfer> = self.log.iter().collect();
        log.sort_by_key(|transfer| (transfer.flow, transfer.number));
        let seconds = |time: Time| if time < Time::NEVER { time.secs() } else { f64::NAN };
        let mut table = TransferTable::with_capacity(log.len());
        for transfer in log {
            table.push(TransferRow {
                flow: transfer.flow as i32,
                number: transfer.number,
                session: u64::from(transfer.place.session),
                page: u64::from(transfer.place.page),
                start: transfer.start.secs(),
                first_byte: seconds(transfer.first),
                end: seconds(transfer.end),
                packets: u64::from(transfer.packets),
                bytes: u64::from(transfer.packets) * u64::from(payload_bytes(transfer.flow)),
                last: transfer.place.last,
            });
        }
        table.into_table()
    }
}

impl Line {
    fn new(
        flow: usize,
        (app, slot, asks, asking): (usize, u32, bool, Asking),
        plan: &Plan,
        seed: u64,
    ) -> Self {
        let asked = &plan.asked[flow];
        let recovery = match &asked.transport {
            Transport::Tcp(tcp) => tcp.recovery,
            Transport::Udp(_) => RecoveryName::default(),
        };
        let phase = |options| clock_phase(options, seed, &asked.name);
        Line {
            flow,
            app,
            slot,
            asks,
            done_on_delivery: asking == Asking::Http,
            recovery,
            phase: plan.flows[flow].tcp.as_ref().map_or(Time::ZERO, phase),
            seed,
            name: asked.name.to_string(),
            connections: 0,
            opened: Time::ZERO,
            accepted: true,
            written: 0,
            undelivered: VecDeque::new(),
            unacknowledged: VecDeque::new(),
        }
    }
}

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

impl Simulation {
    /// Lets all applications begin when it is their time.
    pub(super) fn schedule_apps(&mut self) {
        for app in 0..self.apps.apps.len() {
            self.schedule_app(app, self.apps.apps[app].due);
        }
    }

    fn schedule_app(&mut self, app: usize, at: Time) {
        let rank = self.ranks.sources + self.apps.apps[app].flow;
        self.schedule(at, rank, Kind::App.target(app));
    }

    /// A packet has reached its host, and somebody wants to know.
    #[inline(never)]
    pub(super) fn deliver_attended(&mut self, id: PacketId, left: Hop, now: Time) {
        self.record_arrival(id, left, now);
        let Some(line) = self.apps.line(left.flow() as usize) else {
            return self.take_in(id, left, now);
        };
        if self.is_late(line, id) {
            return self.ignore(line, id, now);
        }
        if !self.apps.lines[line].accepted && !self.in_flight[id].is_ack() {
            self.accept(line);
        }
        self.take_in(id, left, now);
        self.hear(line, now);
    }

    /// Whether a packet belongs to a connection that is over.
    fn is_late(&self, line: usize, id: PacketId) -> bool {
        let packet = &self.in_flight[id];
        let stamp = packet.report().map_or_else(|| packet.stamp(), |handle| self.blocks.get(handle).stamp);
        stamp < self.apps.lines[line].opened
    }

    /// Takes a packet away that nobody waits for any more.
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
                line.unacknowledged.push_back((0, write));
            }
        }
    }

    /// What was written first of all that is done.
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
        for demand in reaction.demands.drain(..) {
            self.demand(app, &demand, now);
        }
        self.apps.reaction = reaction;
    }

    fn demand(&mut self, app: usize, demand: &Demand, now: Time) {
        let entry = self.apps.enter(app, demand);
        let slot = &mut self.apps.apps[app].slots[demand.slot as usize];
        let order = Write { line: slot.data, packets: demand.packets, fresh: demand.fresh, entry };
        slot.order = order;
        let Some(line) = slot.requests else {
            return self.write_transfer(order, now);
        };
        self.write_transfer(Write { line, packets: 1, fresh: demand.fresh, entry: None }, now);
    }

    /// Writes, on a new connection if the write wants one.
    fn write_transfer(&mut self, write: Write, now: Time) {
        let line = &mut self.apps.lines[write.line];
        let (index, again) = (line.flow, line.connections > 0);
        let SendingEnd::Tcp(tcp) = &mut self.flows[index].sender else {
            return;
        };
        if write.fresh && again {
            // Stamps tell the connections apart, so they must differ.
            if tcp.core().last_sent() == now {
                self.apps.postponed.push(write);
                let app = self.apps.lines[write.line].app;
                return self.schedule_app(app, now + Time::from_ps(1));
            }
            tcp.reconnect(
                line.recovery,
                line.phase,
                line.seed,
                &format!("{}/{}", line.name, line.connections),
            );
            (line.opened, line.accepted, line.written) = (now, false, 0);
            line.undelivered.clear();
            line.unacknowledged.clear();
        }
        line.connections += u32::from(write.fresh || !again);
        line.written += u64::from(write.packets);
        line.undelivered.push_back((line.written, write));
        if !line.done_on_delivery {
            line.unacknowledged.push_back((line.written, write));
        }
        self.write(index, write.packets, false, now);
    }
}
