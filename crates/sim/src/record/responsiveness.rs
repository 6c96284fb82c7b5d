//! Watches ports with the estimator of non-responsive traffic, beside the truth that only a simulator knows.
//!
//! Packets count in the order of their arrival. At a port whose queue decides at departure they wait in the estimator
//! until their fates are known.

use std::collections::VecDeque;

use parshall_estimators::responsiveness::{Dither, Estimate, FlowEvidence, Responsiveness, Settings, Ticket};
use rustc_hash::FxHashMap;

use super::{Column, FlowFrame, ResponsivenessRow, ResponsivenessTable, Table};
use crate::limits::Steps;
use crate::network::{FlowId, Outcome};
use crate::packet::Packet;
use crate::room::{self, Room};
use crate::scenario::Signals;
use crate::units::Time;

/// The name in messages of what grows here.
const ROWS: &str = "rows of responsiveness";
const EVIDENCE_ROWS: &str = "rows of evidence";

/// Ports to estimate, how often, and from what.
#[derive(Clone, Debug)]
pub struct Estimated {
    /// Indices of ports.
    pub ports: Vec<u32>,
    /// Time between estimates, above 0.
    pub interval: Time,
    /// Events that count as a signal to flows.
    pub signals: Signals,
    /// Indices of flows whose packets are counted apart.
    pub deaf: Vec<u32>,
    /// Estimates from one row of evidence of a flow to the next.
    pub evidence_every: Option<u32>,
}

/// One port's estimator and its rows so far.
#[derive(Clone, Debug)]
pub(super) struct PortObserver {
    port: u32,
    signals: Signals,
    estimator: Responsiveness,
    /// Packets that wait at the port, by flow, the oldest first.
    waiting: FxHashMap<u64, VecDeque<WaitingPacket>>,
    /// Drop probability and draw of the port's dither for the next packet.
    pub dither: Dither,
    /// By index, whether a flow's packets are counted apart; shorter than the flows if none of the rest is.
    is_deaf: Vec<bool>,
    udp: CountByInterval,
    deaf: CountByInterval,
    acks: CountByInterval,
    rows: Vec<ResponsivenessRow>,
    evidence: Vec<EvidenceRow>,
    evidence_every: Option<u32>,
}

/// Evidence of a flow at the end of an interval.
#[derive(Clone, Copy, Debug)]
struct EvidenceRow {
    time: f64,
    port: u32,
    of: FlowEvidence,
}

/// A packet at a port whose queue decides at departure.
#[derive(Clone, Copy, Debug)]
struct WaitingPacket {
    seq: u32,
    mark: Time,
    ticket: Ticket,
    /// The interval in which it came, if it is one of UDP, and if its flow is counted apart.
    udp_in: Option<u64>,
    deaf_in: Option<u64>,
}

/// Packets of a kind by estimation interval, of those intervals that have no estimate yet.
#[derive(Clone, Debug)]
struct CountByInterval {
    interval_s: f64,
    /// The interval under way, counted from 1.
    now_in: u64,
    counts: VecDeque<(u64, u64)>,
}

impl CountByInterval {
    fn new(interval_s: f64) -> Self {
        CountByInterval { interval_s, now_in: 1, counts: VecDeque::new() }
    }

    /// A packet comes. The interval that it counts in.
    fn count(&mut self, now_s: f64) -> u64 {
        // The interval before the one under way or, rounded up, that one: a long silence is skipped at once.
        self.now_in = self.now_in.max((now_s / self.interval_s) as u64);
        while now_s >= self.now_in as f64 * self.interval_s {
            self.now_in += 1;
        }
        match self.counts.back_mut() {
            Some((interval, count)) if *interval == self.now_in => *count += 1,
            _ => self.counts.add((self.now_in, 1), ROWS),
        }
        self.now_in
    }

    /// A packet that was counted does not count after all.
    fn take_back(&mut self, interval: u64) {
        if let Some((_, count)) = self.counts.iter_mut().find(|(of, _)| *of == interval) {
            *count -= 1;
        }
    }

    /// Those of an interval, which is over.
    fn of(&mut self, interval: u64) -> u64 {
        match self.counts.front() {
            Some(&(first, count)) if first == interval => {
                self.counts.pop_front();
                count
            }
            _ => 0,
        }
    }
}

impl PortObserver {
    /// An observer for each port.
    pub fn all(estimated: &Estimated) -> Vec<Self> {
        let settings = Settings { interval_s: estimated.interval.secs(), ..Settings::default() };
        let estimator = Responsiveness::from_zero(settings).expect("the interval was checked");
        let mut is_deaf = vec![false; estimated.deaf.iter().max().map_or(0, |&most| most as usize + 1)];
        estimated.deaf.iter().for_each(|&flow| is_deaf[flow as usize] = true);
        let counts = CountByInterval::new(settings.interval_s);
        let observer = |&port: &u32| PortObserver {
            port,
            signals: estimated.signals,
            estimator: estimator.clone(),
            waiting: FxHashMap::default(),
            dither: Dither::NONE,
            is_deaf: is_deaf.clone(),
            udp: counts.clone(),
            deaf: counts.clone(),
            acks: counts.clone(),
            rows: Vec::new(),
            evidence: Vec::new(),
            evidence_every: estimated.evidence_every,
        };
        estimated.ports.iter().map(observer).collect()
    }

    /// Bytes of its rows.
    pub fn bytes(&self) -> u64 {
        let evidence = self.evidence.capacity() * size_of::<EvidenceRow>();
        (self.rows.capacity() * size_of::<ResponsivenessRow>() + evidence) as u64
    }

    /// Its port.
    pub fn port(&self) -> u32 {
        self.port
    }

    /// A packet arrived at the port and met this fate.
    pub fn packet(&mut self, now: Time, packet: &Packet, outcome: Outcome, flow: FlowFrame) {
        let Some(signalled) = self.signalled(outcome) else {
            return;
        };
        self.close(now);
        if packet.is_ack() {
            self.acks.count(now.secs());
            return;
        }
        self.estimator.packet_dithered(now.secs(), key(packet, flow), signalled, self.dither());
        self.count(now, flow);
    }

    /// The dither's draw, if it is one that counts.
    fn dither(&self) -> Dither {
        match self.signals {
            Signals::Queue => Dither::NONE,
            Signals::Losses | Signals::Both => self.dither,
        }
    }

    /// Counts a packet by kind: the intervals in which it counts.
    fn count(&mut self, now: Time, flow: FlowFrame) -> (Option<u64>, Option<u64>) {
        let deaf = self.is_deaf.get(flow.index as usize).is_some_and(|&deaf| deaf);
        let udp_in = (!flow.tcp).then(|| self.udp.count(now.secs()));
        let deaf_in = deaf.then(|| self.deaf.count(now.secs()));
        (udp_in, deaf_in)
    }

    /// A packet arrived at the port; [`PortObserver::left`] will tell what became of it.
    pub fn arrived(&mut self, now: Time, packet: &Packet, flow: FlowFrame) {
        self.close(now);
        if packet.is_ack() {
            self.acks.count(now.secs());
            return;
        }
        let key = key(packet, flow);
        let ticket = self.estimator.arrive_dithered(now.secs(), key, self.dither());
        let (udp_in, deaf_in) = self.count(now, flow);
        let waiting = WaitingPacket { seq: packet.seq, mark: packet.mark(), ticket, udp_in, deaf_in };
        self.waiting.entry(key).or_default().add(waiting, "packets at ports");
    }

    /// A packet that had arrived met this fate.
    pub fn left(&mut self, packet: &Packet, outcome: Outcome, flow: FlowFrame) {
        let Some(packets) = self.waiting.get_mut(&key(packet, flow)) else {
            return;
        };
        let this = |other: &WaitingPacket| other.seq == packet.seq && other.mark == packet.mark();
        let Some(left) = packets.iter().position(this).and_then(|place| packets.remove(place)) else {
            return;
        };
        let signalled = self.signalled(outcome);
        self.estimator.decide(left.ticket, signalled);
        if signalled.is_none() {
            left.udp_in.into_iter().for_each(|interval| self.udp.take_back(interval));
            left.deaf_in.into_iter().for_each(|interval| self.deaf.take_back(interval));
        }
    }

    /// Returns whether a fate is a signal to the flow; `None` if the packet does not count.
    fn signalled(&self, outcome: Outcome) -> Option<bool> {
        match (self.signals, outcome) {
            (Signals::Queue | Signals::Both, Outcome::Sent { marked, .. }) => Some(marked),
            (Signals::Queue | Signals::Both, Outcome::Dropped(_)) => Some(true),
            (Signals::Losses | Signals::Both, Outcome::Lost) => Some(!self.dither.chosen),
            (Signals::Losses, Outcome::Sent { .. } | Outcome::Dropped(_)) => Some(false),
            // What a link loses never reaches its queue.
            (Signals::Queue, Outcome::Lost) => None,
        }
    }

    fn close(&mut self, now: Time) {
        let mut steps = Steps::default();
        while let Some(estimate) = self.estimator.close(now.secs()) {
            steps.next();
            let interval = self.rows.len() as u64 + 1;
            let [udp, deaf, acks] =
                [&mut self.udp, &mut self.deaf, &mut self.acks].map(|counts| counts.of(interval));
            self.rows.add(row(self.port, [udp, deaf, acks], &estimate), ROWS);
            if self.evidence_every.is_some_and(|every| interval % u64::from(every) == 0) {
                let row = |of| EvidenceRow { time: estimate.end_s, port: self.port, of };
                self.estimator.evidence().for_each(|of| self.evidence.add(row(of), EVIDENCE_ROWS));
            }
        }
    }
}

/// Key of a packet's flow for the estimator.
fn key(packet: &Packet, flow: FlowFrame) -> u64 {
    FlowId::new(flow.index, packet.is_ack()).number() as u64
}

fn row(port: u32, [packets_udp, packets_deaf, acks]: [u64; 3], estimate: &Estimate) -> ResponsivenessRow {
    ResponsivenessRow {
        time: estimate.end_s,
        port: port as i32,
        share: estimate.share.unwrap_or(f64::NAN),
        share_se: estimate.share_se.unwrap_or(f64::NAN),
        share_lower: estimate.share_lower.unwrap_or(f64::NAN),
        share_upper: estimate.share_upper.unwrap_or(f64::NAN),
        doubt: estimate.doubt.unwrap_or(f64::NAN),
        resolved: estimate.resolved,
        watched: estimate.watched,
        packets: estimate.packets,
        packets_udp,
        packets_deaf,
        acks,
        signals: estimate.signals,
        flows: u64::from(estimate.flows),
        flags: u64::from(estimate.flags.bits()),
    }
}

/// The tables `responsiveness` and, where it was asked for, `evidence` up to `end`, by time.
pub(super) fn tables(observers: Vec<PortObserver>, end: Time) -> Vec<Table> {
    let asked = observers.iter().any(|observer| observer.evidence_every.is_some());
    let (mut rows, mut evidence) = (Vec::new(), Vec::new());
    for mut observer in observers {
        observer.estimator.settle();
        observer.close(end);
        rows.append(&mut observer.rows);
        evidence.append(&mut observer.evidence);
    }
    room::to_sort(&rows, ROWS);
    rows.sort_by(|a, b| a.time.total_cmp(&b.time));
    let mut table = ResponsivenessTable::default();
    rows.into_iter().for_each(|row| table.push(row));
    let mut tables = vec![table.into_table()];
    tables.extend(asked.then(|| evidence_table(evidence)));
    tables
}

/// Flows by time, port and index: their places in the estimator's table are nobody's business.
fn evidence_table(mut rows: Vec<EvidenceRow>) -> Table {
    room::to_sort(&rows, EVIDENCE_ROWS);
    rows.sort_by(|a, b| a.time.total_cmp(&b.time).then((a.port, a.of.flow).cmp(&(b.port, b.of.flow))));
    let reals = |of: &dyn Fn(&EvidenceRow) -> f64| Column::from(rows.iter().map(of).collect::<Vec<f64>>());
    let index = |of: &dyn Fn(&EvidenceRow) -> i32| Column::from(rows.iter().map(of).collect::<Vec<i32>>());
    let mut columns = vec![
        ("time", reals(&|row| row.time)),
        ("port", index(&|row| row.port as i32)),
        ("flow", index(&|row| FlowId::numbered(row.of.flow).flow() as i32)),
        ("packets", Column::from(rows.iter().map(|row| u64::from(row.of.packets)).collect::<Vec<u64>>())),
        ("deaf", reals(&|row| row.of.deaf)),
    ];
    let names = FlowEvidence::NAMES.into_iter().enumerate();
    columns.extend(names.map(|(i, name)| (name, reals(&|row| f64::from(row.of.numbers[i])))));
    Table { name: "evidence", columns }
}
