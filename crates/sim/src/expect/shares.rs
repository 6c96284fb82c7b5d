//! Shares of the links for the flows that cross them.

use super::demand::Demand;
use super::window::loss_probability;
use crate::compile::Plan;
use crate::network::Hop;
use crate::scenario::{LinkEvent, LossOf};
use crate::units::Time;

/// TCP has so much of a link at least, whatever UDP sends.
const LEAST: f64 = 0.02;

/// Steps in which capacity that some flows do not want goes to others.
const STEPS: usize = 8;

/// The rate that a flow gets.
#[derive(Clone, Debug, Default)]
pub struct Share {
    /// Packets that it sends a second.
    pub pps: f64,
    /// Part of them that gets as far as each hop of its path, and as its end; empty for one whose packets all do.
    pub survive: Vec<f64>,
}

/// Bits a second that a port can send.
pub fn rate(plan: &Plan, port: u32) -> f64 {
    let port = &plan.ports[port as usize];
    if let Some(capacity) = &port.capacity {
        return 8.0 * f64::from(capacity.bytes) * capacity.times.len() as f64 / capacity.period.secs();
    }
    let changes = port.events.iter().filter_map(|event| match event {
        LinkEvent::Rate(change) => Some((change.at, change.rate.bps())),
        _ => None,
    });
    mean(plan.duration, port.rate.bps(), changes)
}

/// Seconds that a packet is under way on a link.
pub fn delay(plan: &Plan, port: u32) -> f64 {
    let port = &plan.ports[port as usize];
    let changes = port.events.iter().filter_map(|event| match event {
        LinkEvent::Delay(change) => Some((change.at, change.delay.secs())),
        _ => None,
    });
    mean(plan.duration, port.delay.secs(), changes)
}

/// The part of the data that a link loses.
pub fn lost(plan: &Plan, port: u32) -> f64 {
    let port = &plan.ports[port as usize];
    let changes = port.events.iter().filter_map(|event| match event {
        LinkEvent::Loss(change) if change.of == LossOf::Acks => Some((change.at, 0.0)),
        LinkEvent::Loss(change) => Some((change.at, change.probability)),
        _ => None,
    });
    mean(plan.duration, port.loss.as_deref().map_or(0.0, loss_probability), changes)
}

/// The mean over a run of what is `first` until it changes.
fn mean(duration: Time, first: f64, changes: impl Iterator<Item = (Time, f64)>) -> f64 {
    let (mut sum, mut value, mut since) = (0.0, first, Time::ZERO);
    for (at, next) in changes {
        let until = at.min(duration);
        sum += value * until.since(since).secs();
        (value, since) = (next, until);
    }
    if since == Time::ZERO {
        return value;
    }
    (sum + value * duration.since(since).secs()) / duration.secs()
}

/// Shares of all flows: UDP first, then TCP in equal shares of the rest.
pub fn shares(plan: &Plan, demands: &[Demand]) -> Vec<Share> {
    let mut shares = vec![Share::default(); demands.len()];
    let mut left = of_udp(plan, demands, &mut shares);
    for _ in 0..STEPS {
        let mut users = vec![0u32; plan.ports.len()];
        let wants = |share: &Share, demand: &Demand| {
            demand.elastic && demand.follows.is_none() && share.pps < 0.99 * demand.pps
        };
        for (_, demand) in shares.iter().zip(demands).filter(|(share, demand)| wants(share, demand)) {
            plan.path(demand.data_hops).iter().for_each(|hop| users[hop.port as usize] += 1);
        }
        let before = left.clone();
        for (share, demand) in shares.iter_mut().zip(demands).filter(|(share, d)| wants(share, d)) {
            let hops = plan.path(demand.data_hops);
            let fair = |hop: &Hop| before[hop.port as usize] / f64::from(users[hop.port as usize]);
            let bits = hops.iter().map(fair).fold(f64::INFINITY, f64::min);
            let more = (bits / (8.0 * demand.packet_bytes)).min(demand.pps - share.pps);
            share.pps += more;
            hops.iter().for_each(|hop| left[hop.port as usize] -= 8.0 * demand.packet_bytes * more);
        }
    }
    for (index, demand) in demands.iter().enumerate() {
        if let Some((flow, each)) = demand.follows {
            shares[index].pps = shares[flow as usize].pps * each;
        }
    }
    shares
}

/// Lets UDP send all that its sources give it, dropped or not. Returns the bits a second that are left of each link.
fn of_udp(plan: &Plan, demands: &[Demand], shares: &mut [Share]) -> Vec<f64> {
    let flows = || demands.iter().enumerate().filter(|(_, demand)| !demand.elastic);
    let rates: Vec<f64> = (0..plan.ports.len() as u32).map(|port| rate(plan, port)).collect();
    let mut offered = vec![0.0; rates.len()];
    // How many packets a link gets depends on what those before it drop, and the other way round in a ring.
    for _ in 0..3 {
        let passed = |port: u32, offered: &[f64]| (rates[port as usize] / offered[port as usize]).min(1.0);
        let mut next = vec![0.0; rates.len()];
        for (index, demand) in flows() {
            let mut part = 1.0;
            shares[index].survive.clear();
            for hop in plan.path(demand.data_hops) {
                shares[index].survive.push(part);
                next[hop.port as usize] += 8.0 * demand.packet_bytes * demand.pps * part;
                if offered[hop.port as usize] > 0.0 {
                    part *= passed(hop.port, &offered);
                }
            }
            shares[index].survive.push(part);
            shares[index].pps = demand.pps;
        }
        offered = next;
    }
    rates.iter().zip(offered).map(|(rate, offered)| (rate - offered).max(LEAST * rate)).collect()
}
