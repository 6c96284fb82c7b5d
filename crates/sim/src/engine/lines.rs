//! State of interactive applications: their connections, and the log of their transfers. See
//! `engine/apps.rs`.

use std::collections::VecDeque;

use crate::compile::{AppPlan, Asking, Plan};
use crate::flow::clock_phase;
use crate::record::{Table, TransferRow, TransferTable};
use crate::room::{self, Room};
use crate::traffic::apps::{Machine, NewTransfer, Reaction, TransferPlace};
use crate::traffic::start;
use crate::units::Time;

/// All applications of a network that hear back.
#[derive(Debug, Default)]
pub(super) struct Apps {
    pub apps: Vec<App>,
    pub lines: Vec<Line>,
    /// The line of each flow; empty if there are no lines.
    pub line_of: Vec<Option<u32>>,
    /// Writes that open a connection at an instant at which the one before has still sent something.
    pub postponed: Vec<Write>,
    pub reaction: Reaction,
    pub log: Vec<Transfer>,
}

#[derive(Debug)]
pub(super) struct App {
    pub machine: Machine,
    /// The lines of each slot, and what was asked for there last.
    pub slots: Vec<Slot>,
    /// When it wants to be asked.
    pub due: Time,
    /// The one of the scenario that it is about, or the first of several.
    pub flow: u32,
    /// By flow of the scenario.
    pub counts: Vec<Count>,
}

/// Transfers of a flow: whether they are kept, and how many there were.
#[derive(Debug)]
pub(super) struct Count {
    flow: u32,
    keeps: bool,
    transfers: u64,
}

#[derive(Debug)]
pub(super) struct Slot {
    pub data: usize,
    pub requests: Option<usize>,
    pub order: Write,
    /// Where its transfers count.
    count: usize,
}

/// Packets to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub line: usize,
    pub packets: u32,
    pub fresh: bool,
    /// Its place in the log; none if it is not kept there.
    pub entry: Option<usize>,
}

/// A flow that carries connections.
#[derive(Debug)]
pub(super) struct Line {
    pub flow: usize,
    pub app: usize,
    pub slot: u32,
    pub asks: bool,
    /// True if a write is done when it is delivered, and not when it is acknowledged.
    pub done_on_delivery: bool,
    pub phase: Time,
    pub seed: u64,
    pub name: String,
    /// Connections so far, and when this one was opened.
    pub connections: u32,
    pub opened: Time,
    /// True if the receiver belongs to this connection.
    pub accepted: bool,
    /// Packets of data that were written in this connection.
    pub written: u64,
    /// Writes that are not delivered yet, by the packet number at which each ends.
    pub undelivered: VecDeque<(u64, Write)>,
    /// Writes that are not acknowledged yet, likewise; empty if no application waits for that.
    pub unacknowledged: VecDeque<(u64, Write)>,
}

/// A transfer in the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub flow: u32,
    pub number: u64,
    pub place: TransferPlace,
    pub start: Time,
    pub first: Time,
    pub end: Time,
    pub packets: u32,
}

impl Apps {
    /// Bytes of the log of transfers, and of the room for more.
    pub fn bytes(&self) -> u64 {
        (self.log.capacity() * size_of::<Transfer>()) as u64
    }

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
        let asked = &plan.scenario_flows[app.flow as usize];
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
            let order = Write { line: data, packets: 0, fresh: false, entry: None };
            slots.push(Slot { data, requests, order, count: if app.together { slot as usize } else { 0 } });
        }
        let kept = plan.watch.transfers.as_ref();
        let keeps = |flow: &u32| kept.is_some_and(|flows| flows.binary_search(flow).is_ok());
        let flows: Vec<u32> = match app.together {
            true => app.slots.iter().map(|&(data, _)| data).collect(),
            false => vec![app.flow],
        };
        // What several do together begins when the last of them has started.
        let starts = flows.iter().map(|&flow| start(&plan.scenario_flows[flow as usize], seed));
        self.apps.push(App {
            machine,
            slots,
            due: starts.max().unwrap_or(Time::NEVER),
            flow: app.flow,
            counts: flows.iter().map(|&flow| Count { flow, keeps: keeps(&flow), transfers: 0 }).collect(),
        });
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.apps.is_empty()
    }

    /// The line that a flow is.
    pub fn line(&self, flow: usize) -> Option<usize> {
        self.line_of.get(flow).copied().flatten().map(|line| line as usize)
    }

    /// Returns whether a flow carries requests.
    pub fn asks(&self, flow: usize) -> bool {
        self.line(flow).is_some_and(|line| self.lines[line].asks)
    }

    /// Puts a transfer that begins into the log, if it is kept.
    pub fn enter(&mut self, app: usize, transfer: &NewTransfer) -> Option<usize> {
        let app = &mut self.apps[app];
        let count = &mut app.counts[app.slots[transfer.slot as usize].count];
        count.transfers += 1;
        if !count.keeps {
            return None;
        }
        self.log.make_room(1, "rows of transfers");
        self.log.push(Transfer {
            flow: count.flow,
            number: count.transfers - 1,
            place: transfer.place,
            start: transfer.asked,
            first: Time::NEVER,
            end: Time::NEVER,
            packets: transfer.packets,
        });
        Some(self.log.len() - 1)
    }

    /// The table of transfers.
    pub fn table(&self, payload_bytes: impl Fn(u32) -> u32) -> Table {
        room::ask::<&Transfer>(2 * self.log.len(), "rows of transfers");
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
        let asked = &plan.scenario_flows[flow];
        let phase = |options| clock_phase(options, seed, &asked.name);
        Line {
            flow,
            app,
            slot,
            asks,
            done_on_delivery: asking == Asking::Http,
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
