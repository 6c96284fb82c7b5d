//! Memory that a run takes, and looks at ports in equal intervals.

use super::demand::Demand;
use crate::compile::{Plan, PortPlan};
use crate::flow::Flow;
use crate::network::{Hop, Port};
use crate::packet::Packet;
use crate::record::{PacketRow, PortSample, QueueObservers, RttRow, WindowRow};
use crate::units::Time;

/// Bytes for a captured packet: a note, and its headers in the file.
const CAPTURED_BYTES: f64 = 200.0;

/// Bytes of flows, ports and packets in flight.
pub fn state_bytes(plan: &Plan) -> f64 {
    let under_way = |port: &PortPlan| {
        (port.rate.bps() * port.delay.secs() / 8000.0).min(1e9) * size_of::<Packet>() as f64
    };
    let in_flight = plan.ports.iter().map(under_way).fold(0.0, f64::max);
    let flows = plan.flows.len() * (size_of::<Flow>() + 64);
    let ports = plan.ports.len() * size_of::<Port>();
    (flows + ports + plan.hops.len() * size_of::<Hop>()) as f64 + in_flight
}

/// Records of packets and ACKs that a plan asks for.
pub struct Recorded {
    /// Bytes that a packet's way through each port takes.
    at_ports: Vec<f64>,
    series: bool,
}

impl Recorded {
    pub fn new(plan: &Plan) -> Self {
        let watch = &plan.watch;
        let mut at_ports = vec![0.0; plan.ports.len()];
        let row = event_bytes();
        watch.packets.iter().for_each(|&port| at_ports[port as usize] += 2.0 * row);
        watch.pcap.iter().for_each(|&port| at_ports[port as usize] += CAPTURED_BYTES);
        Recorded { at_ports, series: watch.flow_series.is_some() }
    }

    /// Looks at the ports that are watched, each of which is an event for all of them.
    pub fn looks(&self, plan: &Plan) -> f64 {
        let ports = plan.watch.port_series.iter().map(|(_, interval)| *interval);
        let queues = plan.watch.nonresponsive.iter().map(QueueObservers::interval);
        ports.chain(queues).map(|interval| in_run(plan, interval)).sum()
    }

    /// Bytes of the series of ports.
    pub fn series_bytes(&self, plan: &Plan) -> f64 {
        let of = |(ports, interval): &(Vec<u32>, Time)| ports.len() as f64 * in_run(plan, *interval);
        plan.watch.port_series.as_ref().map_or(0.0, of) * size_of::<PortSample>() as f64
    }

    /// Bytes of what is kept of a flow.
    pub fn bytes(&self, plan: &Plan, flow: u32, demand: &Demand, (packets, acks): (f64, f64)) -> f64 {
        let along =
            |first: u32| -> f64 { plan.path(first).iter().map(|hop| self.at_ports[hop.port as usize]).sum() };
        let mut bytes = packets * along(demand.data_hops) + acks * along(demand.ack_hops);
        let has = |list: &[u32]| list.binary_search(&flow).is_ok();
        let watch = &plan.watch;
        bytes += if has(&watch.rtt) { acks * size_of::<RttRow>() as f64 } else { 0.0 };
        bytes += if has(&watch.window) { acks * size_of::<WindowRow>() as f64 } else { 0.0 };
        bytes += if has(&watch.deliveries) { (packets + acks) * event_bytes() } else { 0.0 };
        if let (true, Some((of, interval))) = (self.series, &watch.flow_series) {
            let samples = in_run(plan, *interval);
            bytes += if of.binary_search(&flow).is_ok() { 16.0 * samples } else { 0.0 };
        }
        bytes
    }
}

fn in_run(plan: &Plan, interval: Time) -> f64 {
    plan.duration.ps().div_ceil(interval.ps()) as f64
}

/// A row of an event, which is put in order and becomes columns at the end.
fn event_bytes() -> f64 {
    2.5 * size_of::<PacketRow>() as f64
}
