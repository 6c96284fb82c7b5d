//! Quantities to record in a run.

use super::capture;
use super::responsiveness::Estimated;
use super::{CaptureOptions, QueueObservers};
use crate::units::Time;

/// Flows, ports and intervals to record, by index.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Flows whose RTT samples are kept.
    pub rtt: Vec<u32>,
    /// Flows whose variables are kept.
    pub window: Vec<u32>,
    /// Flows that are sampled, and how often.
    pub flow_series: Option<(Vec<u32>, Time)>,
    /// Ports that are sampled, and how often.
    pub port_series: Option<(Vec<u32>, Time)>,
    /// Ports of which the non-responsive share is estimated, and how.
    pub responsiveness: Option<Estimated>,
    /// Ports of which it is estimated from what the queue shows, and by whom.
    pub nonresponsive: Option<QueueObservers>,
    /// Ports whose packet events are kept.
    pub packets: Vec<u32>,
    /// Flows whose deliveries are kept.
    pub deliveries: Vec<u32>,
    /// Ports that are captured.
    pub pcap: Vec<u32>,
    /// Options of these captures.
    pub captures: CaptureOptions,
    /// Ports of which the state of conditioner and class queues is kept.
    pub class_state: Vec<u32>,
    /// Ports of whose conditioners the knowledge is kept, and how often.
    pub edges: Option<(Vec<u32>, Time)>,
    /// Flows whose transfers are kept, if any are asked for.
    pub transfers: Option<Vec<u32>>,
    /// True if anything in the scenario gives packets code points.
    pub classes: bool,
}

impl Watch {
    /// Ports that must exist one by one because they are watched.
    pub fn ports(&self) -> impl Iterator<Item = u32> + '_ {
        let sampled = self.port_series.iter().flat_map(|(ports, _)| ports);
        let estimated = self.responsiveness.iter().flat_map(|estimated| &estimated.ports);
        let observed = self.nonresponsive.iter().flat_map(QueueObservers::ports);
        self.packets
            .iter()
            .chain(&self.class_state)
            .chain(sampled)
            .chain(estimated)
            .copied()
            .chain(observed)
            .chain(self.captured())
    }

    /// Ports of which a capture notes packets.
    pub(super) fn captured(&self) -> impl Iterator<Item = u32> + '_ {
        self.pcap.iter().copied().chain(self.tapped())
    }

    /// Ports of which a capture notes packets when they arrive at the far end.
    pub fn tapped(&self) -> impl Iterator<Item = u32> + '_ {
        let both = self.captures.both_directions;
        self.pcap.iter().filter(move |_| both).map(|&port| capture::opposite(port))
    }

    /// Number of samples of ports in a run that ends at `end`; of very many, the first ones.
    pub(super) fn port_samples(&self, end: Time) -> usize {
        const MOST: u64 = 1 << 20;
        let samples = |(ports, interval): &(Vec<u32>, Time)| {
            end.ps().div_ceil(interval.ps()).saturating_mul(ports.len() as u64).min(MOST) as usize
        };
        self.port_series.as_ref().map_or(0, samples)
    }
}
