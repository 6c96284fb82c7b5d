//! Packets of UDP that wait in front of links which are offered more than they can send.

use super::demand::Demand;
use super::shares::Share;
use crate::compile::Plan;
use crate::packet::Packet;
use crate::scenario::{DropTail, Queue};

/// A list that grows is copied, and then half empty.
const GROWTH: f64 = 2.0;

/// Bytes of all packets that wait in the end.
pub fn waiting_bytes(plan: &Plan, demands: &[Demand], shares: &[Share]) -> f64 {
    let mut waiting = vec![0.0; plan.ports.len()];
    for (demand, share) in demands.iter().zip(shares) {
        let packets = (share.pps * demand.seconds).min(demand.packets);
        for (hop, passed) in plan.path(demand.data_hops).iter().zip(share.survive.windows(2)) {
            let most = most_packets(&plan.ports[hop.port as usize].queue, demand.packet_bytes);
            let here: &mut f64 = &mut waiting[hop.port as usize];
            *here = (*here + packets * (passed[0] - passed[1])).min(most);
        }
    }
    waiting.iter().sum::<f64>() * GROWTH * size_of::<Packet>() as f64
}

/// Packets that fit into a queue which holds what comes; the others drop what is too much early on.
fn most_packets(queue: &Queue, bytes: f64) -> f64 {
    match queue {
        Queue::Droptail(DropTail { limit_packets, limit_bytes }) => {
            let packets = limit_packets.map_or(f64::INFINITY, f64::from);
            packets.min(limit_bytes.map_or(f64::INFINITY, |most| most as f64 / bytes))
        }
        _ => 0.0,
    }
}
