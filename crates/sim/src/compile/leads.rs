//! Ways in which packets come to each hop, where these decide whether an arrival or an end of transmission is first.

use super::layout::Paths;
use super::PortPlan;
use crate::network::Lead;
use crate::scenario::{DiffServProfile, Flow, ProfileName, Queue, Transport};

/// The ways to all hops, path after path; none unless the network does as ns-2 does. At the first hop of a path a packet
/// comes with the one that it answers; a datagram comes after every end of a transmission.
pub fn leads(paths: &Paths, flows: &[Flow], ports: &[PortPlan]) -> Vec<Lead> {
    if !does_as_ns2(flows, ports) {
        return Vec::new();
    }
    let over = |port: u32| {
        let port = &ports[port as usize];
        Lead::over(port.rate, port.delay)
    };
    let mut leads = Vec::with_capacity(paths.ports.len());
    for (index, flow) in flows.iter().enumerate() {
        let [data, acks] = [paths.get(2 * index), paths.get(2 * index + 1)];
        let [data_bytes, ack_bytes] = sizes(flow);
        for (path, answered, bytes) in [(data, acks, ack_bytes), (acks, data, data_bytes)] {
            let first = bytes.zip(answered.last()).map(|(bytes, &port)| over(port).answering(bytes));
            leads.push(first.unwrap_or(Lead::NONE));
            leads.extend(path.iter().take(path.len() - 1).map(|&port| over(port)));
        }
    }
    leads
}

/// Returns whether a flow or a queue has the profile of ns-2.
fn does_as_ns2(flows: &[Flow], ports: &[PortPlan]) -> bool {
    let flow =
        |flow: &Flow| matches!(&flow.transport, Transport::Tcp(tcp) if tcp.profile == ProfileName::Ns2);
    let queue =
        |queue: &Queue| matches!(queue, Queue::Diffserv(config) if config.profile == DiffServProfile::Ns2);
    flows.iter().any(flow) || ports.iter().any(|port| queue(&port.queue))
}

/// Bytes of a flow's data packets and of its ACKs, if it has any that answer others.
fn sizes(flow: &Flow) -> [Option<u16>; 2] {
    match &flow.transport {
        Transport::Tcp(tcp) => {
            [tcp.payload_bytes + tcp.header_bytes, tcp.ack_bytes].map(|bytes| u16::try_from(bytes).ok())
        }
        Transport::Udp(_) => [None; 2],
    }
}
