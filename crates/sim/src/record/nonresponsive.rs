//! Watches ports with the estimators that know a queue alone, beside the truth that only a simulator knows.

use parshall_estimators::nonresponsive::{
    ByteSample, Estimate, Estimator, FixedPointEstimator, Sample, Settings,
};
use parshall_estimators::ConfigError;

use super::{NonresponsiveRow, NonresponsiveTable, Table};
use crate::network::Outcome;
use crate::packet::Packet;
use crate::units::Time;

/// An estimator, and how it takes samples.
#[derive(Clone, Debug)]
pub enum QueueEstimator {
    /// Takes a sample of packets at each look.
    Float(Box<Estimator>),
    /// Takes the bytes since the last tick.
    FixedPoint {
        /// Finds for itself when a sampling interval ends.
        estimator: Box<FixedPointEstimator>,
        /// Bytes that each packet is counted as.
        mean_packet_bytes: u32,
        /// Ticks so far.
        ticks: u64,
    },
}

impl QueueEstimator {
    /// An estimator in floating-point numbers.
    pub fn float(settings: Settings) -> Result<Self, ConfigError> {
        Ok(QueueEstimator::Float(Box::new(Estimator::new(settings)?)))
    }

    /// An estimator in whole numbers.
    pub fn fixed_point(
        settings: &Settings,
        mean_packet_bytes: u32,
        tick_ms: u32,
    ) -> Result<Self, ConfigError> {
        let estimator = Box::new(FixedPointEstimator::new(settings, mean_packet_bytes, tick_ms)?);
        Ok(QueueEstimator::FixedPoint { estimator, mean_packet_bytes, ticks: 0 })
    }

    fn update(&mut self, seen: &Seen, backlog: (u64, u64)) -> Option<Estimate> {
        match self {
            QueueEstimator::Float(estimator) => estimator.update(&Sample {
                backlog: backlog.0 as f64,
                arrivals: seen.arrived.packets as f64,
                drops: seen.dropped.packets as f64,
                marks: seen.marked.packets as f64,
            }),
            QueueEstimator::FixedPoint { estimator, mean_packet_bytes, ticks } => {
                *ticks += 1;
                let sample = ByteSample {
                    backlog: backlog.1,
                    arrived: seen.arrived.bytes,
                    dropped: seen.dropped.bytes,
                    marked: seen.marked.bytes,
                };
                Some(estimator.update(*ticks, &sample)?.to_estimate(*mean_packet_bytes))
            }
        }
    }
}

/// Packets and their bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    packets: u64,
    bytes: u64,
}

impl Count {
    fn add(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }
}

/// Counters of a port since the last sample.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    arrived: Count,
    /// By the queue, or lost before it: a flow cannot tell the one from the other.
    dropped: Count,
    marked: Count,
    udp: u64,
}

/// One port's estimator.
#[derive(Clone, Debug)]
struct QueueObserver {
    port: u32,
    estimator: QueueEstimator,
    seen: Seen,
    /// Packets in the estimation interval under way.
    packets: u64,
    /// Those of UDP flows.
    packets_udp: u64,
}

impl QueueObserver {
    /// The port holds this much at the end of an interval between looks.
    fn sample(&mut self, now: Time, backlog: (u64, u64)) -> Option<NonresponsiveRow> {
        let seen = std::mem::take(&mut self.seen);
        // The first look is where the first interval begins.
        if now == Time::ZERO {
            return None;
        }
        self.packets += seen.arrived.packets;
        self.packets_udp += seen.udp;
        let estimate = self.estimator.update(&seen, backlog)?;
        Some(NonresponsiveRow {
            time: now.secs(),
            port: self.port as i32,
            share: estimate.share.unwrap_or(f64::NAN),
            share_se: estimate.share_se.unwrap_or(f64::NAN),
            n_s: estimate.n_s,
            z0: estimate.z0,
            rtt: estimate.rtt_s,
            excitation: estimate.excitation,
            arrivals: estimate.arrivals,
            flags: u64::from(estimate.flags.bits()),
            packets: std::mem::take(&mut self.packets),
            packets_udp: std::mem::take(&mut self.packets_udp),
        })
    }
}

/// The ports that are watched, how often, and the estimates so far.
#[derive(Clone, Debug)]
pub struct QueueObservers {
    interval: Time,
    /// By port.
    observers: Vec<QueueObserver>,
    rows: NonresponsiveTable,
}

impl QueueObservers {
    /// Looks each `interval`, which is above 0, at ports in ascending order.
    pub fn new(interval: Time, estimators: Vec<(u32, QueueEstimator)>) -> Self {
        let observer = |(port, estimator)| QueueObserver {
            port,
            estimator,
            seen: Seen::default(),
            packets: 0,
            packets_udp: 0,
        };
        let observers = estimators.into_iter().map(observer).collect();
        QueueObservers { interval, observers, rows: NonresponsiveTable::default() }
    }

    /// The ports.
    pub fn ports(&self) -> impl Iterator<Item = u32> + '_ {
        self.observers.iter().map(|observer| observer.port)
    }

    /// Bytes of the estimates so far.
    pub fn bytes(&self) -> u64 {
        self.rows.bytes()
    }

    /// Time between two looks.
    pub fn interval(&self) -> Time {
        self.interval
    }

    fn seen(&mut self, port: u32) -> &mut Seen {
        let found = self.observers.binary_search_by_key(&port, |observer| observer.port);
        &mut self.observers[found.expect("a watched port has an observer")].seen
    }

    /// A packet arrived at one of the ports.
    pub(super) fn arrived(&mut self, port: u32, packet: &Packet, tcp: bool) {
        let seen = self.seen(port);
        seen.arrived.add(packet);
        seen.udp += u64::from(!tcp);
    }

    /// It met this fate.
    pub(super) fn left(&mut self, port: u32, packet: &Packet, outcome: Outcome) {
        let seen = self.seen(port);
        match outcome {
            Outcome::Sent { marked: false, .. } => {}
            Outcome::Sent { marked: true, .. } => seen.marked.add(packet),
            Outcome::Dropped(_) | Outcome::Lost => seen.dropped.add(packet),
        }
    }

    /// Looks at each port; `backlog` gives the packets and bytes that a port holds.
    pub fn sample(&mut self, now: Time, mut backlog: impl FnMut(u32) -> (u64, u64)) {
        for observer in &mut self.observers {
            let row = observer.sample(now, backlog(observer.port));
            row.into_iter().for_each(|row| self.rows.push(row));
        }
    }

    pub(super) fn into_table(self) -> Table {
        self.rows.into_table()
    }
}
