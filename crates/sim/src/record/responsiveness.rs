//! Watches ports with the estimator of non-responsive traffic, beside the truth that only a simulator knows.

use parshall_estimators::responsiveness::{Estimate, Responsiveness, Settings};

use super::{FlowFrame, ResponsivenessRow, ResponsivenessTable, Table};
use crate::limits::Steps;
use crate::network::{FlowId, Outcome};
use crate::packet::Packet;
use crate::scenario::Signals;
use crate::units::Time;

/// Ports to estimate, how often, and from what.
#[derive(Clone, Debug)]
pub struct Estimated {
    /// Indices of ports.
    pub ports: Vec<u32>,
    /// Time between estimates, above 0.
    pub interval: Time,
    /// What counts as a signal to flows.
    pub signals: Signals,
}

/// One port's estimator and its rows so far.
#[derive(Clone, Debug)]
pub(super) struct PortObserver {
    port: u32,
    signals: Signals,
    estimator: Responsiveness,
    /// Packets of UDP flows in the interval under way.
    udp: u64,
    rows: Vec<ResponsivenessRow>,
}

impl PortObserver {
    /// An observer for each port.
    pub fn all(estimated: &Estimated) -> Vec<Self> {
        let settings = Settings { interval_s: estimated.interval.secs(), ..Settings::default() };
        let estimator = Responsiveness::from_zero(settings).expect("the interval was checked");
        let observer = |&port: &u32| PortObserver {
            port,
            signals: estimated.signals,
            estimator: estimator.clone(),
            udp: 0,
            rows: Vec::new(),
        };
        estimated.ports.iter().map(observer).collect()
    }

    /// Its port.
    pub fn port(&self) -> u32 {
        self.port
    }

    /// A packet arrived at the port and met this fate.
    pub fn packet(&mut self, now: Time, packet: &Packet, outcome: Outcome, flow: FlowFrame) {
        let signalled = match (self.signals, outcome) {
            (Signals::Queue | Signals::Both, Outcome::Sent { marked, .. }) => marked,
            (Signals::Queue | Signals::Both, Outcome::Dropped(_)) => true,
            (Signals::Losses | Signals::Both, Outcome::Lost) => true,
            (Signals::Losses, Outcome::Sent { .. } | Outcome::Dropped(_)) => false,
            // What a link loses never reaches its queue.
            (Signals::Queue, Outcome::Lost) => return,
        };
        self.close(now);
        let key = FlowId::new(flow.index, packet.is_ack()).number() as u64;
        self.estimator.packet(now.secs(), key, signalled);
        self.udp += u64::from(!flow.tcp);
    }

    fn close(&mut self, now: Time) {
        let mut steps = Steps::default();
        while let Some(estimate) = self.estimator.close(now.secs()) {
            steps.next();
            let udp = std::mem::take(&mut self.udp);
            self.rows.push(row(self.port, udp, &estimate));
        }
    }
}

fn row(port: u32, packets_udp: u64, estimate: &Estimate) -> ResponsivenessRow {
    ResponsivenessRow {
        time: estimate.end_s,
        port: port as i32,
        share: estimate.share.unwrap_or(f64::NAN),
        share_se: estimate.share_se.unwrap_or(f64::NAN),
        share_upper: estimate.share_upper.unwrap_or(f64::NAN),
        resolved: estimate.resolved,
        watched: estimate.watched,
        packets: estimate.packets,
        packets_udp,
        signals: estimate.signals,
        flows: u64::from(estimate.flows),
        flags: u64::from(estimate.flags.bits()),
    }
}

/// The rows of all ports up to `end`, by time.
pub(super) fn table(observers: Vec<PortObserver>, end: Time) -> Table {
    let rows = observers.into_iter().flat_map(|mut observer| {
        observer.close(end);
        observer.rows
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by(|a, b| a.time.total_cmp(&b.time));
    let mut table = ResponsivenessTable::default();
    rows.into_iter().for_each(|row| table.push(row));
    table.into_table()
}
