//! Lays the hops of all paths out in a row, folds those that need no event, and deals out the lanes.

use std::collections::HashMap;

use super::{FlowPlan, Folding, PortPlan};
use crate::network::Hop;
use crate::queue::decides_at_departure;
use crate::record::Watch;
use crate::scenario::App;
use crate::traffic::cbr_interval;
use crate::units::{Rate, Time};

/// The hops of all paths, and how many lanes they use. `paths` holds two for each flow: its data's, its ACKs'.
pub fn lay_out(
    paths: &[Vec<u32>],
    flows: &mut [FlowPlan],
    ports: &[PortPlan],
    watch: &Watch,
    folding: Folding,
) -> (Vec<Hop>, u32) {
    let users = users(paths, ports, watch);
    let shared = ports.iter().zip(&users).filter(|(_, &users)| users > 1);
    let busiest = shared.map(|(port, _)| port.rate.bps()).fold(1.0, f64::max);
    let network = Network { ports, users, busiest: Rate::from_bps(busiest), folding };
    let quiet = quiet_receivers(flows, watch);
    let mut lanes = Lanes::default();
    let mut hops = Vec::with_capacity(paths.iter().map(Vec::len).sum());
    for (index, (flow, paths)) in flows.iter_mut().zip(paths.chunks_exact(2)).enumerate() {
        let [data, acks] = [&paths[0], &paths[1]];
        let flow_index = index as u32;
        // The receiver may answer ahead of time if its ACKs meet nobody on their first hop.
        let folds_receiver = quiet[index] && acks.first().is_some_and(|&port| network.private(port));
        flow.feeds = network.feeds(flow, quiet[index], data);
        flow.data_hops = hops.len() as u32;
        let mut chain = Chain::from_source(flow, flow_index, network.first_shared(data));
        network.add_path(&mut hops, &mut chain, data, flow_index, folds_receiver, &mut lanes);
        if flow.feeds {
            mark_feeding(&mut hops[flow.data_hops as usize..]);
        }
        flow.ack_hops = hops.len() as u32;
        let mut chain = if folds_receiver && folding == Folding::On {
            chain
        } else {
            Chain { origin: Origin::Hosts, length: Time::ZERO, ..chain }
        };
        chain.bytes = ack_bytes(flow);
        network.add_path(&mut hops, &mut chain, acks, flow_index, false, &mut lanes);
    }
    (hops, lanes.0.len() as u32)
}

/// How many directions of flows use each port; one that somebody observes, or whose queue decides at departure, must
/// see time pass as others do, so it counts as used by one more.
fn users(paths: &[Vec<u32>], ports: &[PortPlan], watch: &Watch) -> Vec<u32> {
    let mut users = vec![0u32; ports.len()];
    let serving = (0..).zip(ports).filter(|(_, port)| decides_at_departure(&port.queue));
    let serving = serving.map(|(index, _)| index);
    for port in paths.iter().flatten().copied().chain(watch.ports()).chain(serving) {
        users[port as usize] += 1;
    }
    users
}

/// Flows whose receivers may act ahead of time: nobody looks at them, and they have no timer.
fn quiet_receivers(flows: &[FlowPlan], watch: &Watch) -> Vec<bool> {
    let no_timer = |plan: &FlowPlan| plan.tcp.as_ref().is_none_or(|options| options.delayed_ack.is_none());
    let mut quiet: Vec<bool> = flows.iter().map(no_timer).collect();
    let sampled = watch.flow_series.iter().flat_map(|(flows, _)| flows);
    for &flow in sampled.chain(&watch.deliveries) {
        quiet[flow as usize] = false;
    }
    quiet
}

/// Where what a feeding source sends leaves its first run of folded hops.
fn mark_feeding(hops: &mut [Hop]) {
    if let Some(hop) = hops.iter_mut().find(|hop| !hop.folds_next()) {
        hop.set_feeds();
    }
}

fn ack_bytes(flow: &FlowPlan) -> u32 {
    flow.tcp.as_ref().map_or(0, |options| u32::from(options.ack_bytes))
}

/// What sends packets out in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    /// All hosts together: they act when their events come.
    Hosts,
    /// A port: its packets depart one after the other.
    Port(u32),
    /// All sources that write ahead at this interval.
    Feeders(Time),
    /// A source that writes ahead at random intervals.
    Feeder(u32),
}

/// A run of hops without an event: where it began, and how long a packet takes that meets no other.
struct Chain {
    origin: Origin,
    length: Time,
    /// Of a typical packet.
    bytes: u32,
}

impl Chain {
    fn from_source(flow: &FlowPlan, index: u32, shared: Option<u32>) -> Self {
        let interval = match &flow.flow.app {
            App::Cbr(cbr) => Some(cbr_interval(cbr, flow.flow.transport.payload_bytes())),
            _ => None,
        };
        let origin = match (flow.feeds, interval, shared) {
            (true, Some(interval), _) => Origin::Feeders(interval),
            (true, None, _) => Origin::Feeder(index),
            (false, _, Some(port)) => Origin::Port(port),
            (false, _, None) => Origin::Hosts,
        };
        Chain { origin, length: Time::ZERO, bytes: flow.flow.transport.data_bytes() }
    }
}

/// Chains that differ in length by less than this many packets follow each other in one lane: a packet is put in
/// its place among the last few, which is cheaper than one lane more.
const NEAR: u64 = 16;

/// A lane for each origin and, in steps, length of a chain.
#[derive(Default)]
struct Lanes(HashMap<(Origin, u64), u32>);

impl Lanes {
    /// The lane of a chain whose origin sends a packet each `spacing`.
    fn of(&mut self, chain: &Chain, spacing: Time) -> u32 {
        let steps = chain.length.ps() / (NEAR * spacing.ps()).max(1);
        let next = self.0.len() as u32;
        *self.0.entry((chain.origin, steps)).or_insert(next)
    }
}

struct Network<'a> {
    ports: &'a [PortPlan],
    users: Vec<u32>,
    /// The greatest rate of a port that several paths use: hosts together send at about this.
    busiest: Rate,
    folding: Folding,
}

impl Network<'_> {
    fn private(&self, port: u32) -> bool {
        self.users[port as usize] == 1
    }

    /// How far apart packets leave the origin of a chain at most often.
    fn spacing(&self, chain: &Chain) -> Time {
        match chain.origin {
            Origin::Port(port) => self.ports[port as usize].rate.transmission(chain.bytes),
            Origin::Hosts => self.busiest.transmission(chain.bytes),
            Origin::Feeders(_) | Origin::Feeder(_) => Time::ZERO,
        }
    }

    fn first_shared(&self, path: &[u32]) -> Option<u32> {
        path.first().copied().filter(|&port| !self.private(port))
    }

    fn reorders(&self, port: u32) -> bool {
        self.ports[port as usize].jitter.is_some_and(|jitter| jitter.reorder)
    }

    /// Whether the source of a flow may write ahead of time: what it writes must reach the first port that others
    /// use too in order.
    fn feeds(&self, flow: &FlowPlan, quiet: bool, data: &[u32]) -> bool {
        let mut own = data.iter().take_while(|&&port| self.private(port)).peekable();
        let alone = own.peek().is_some() && !own.any(|&port| self.reorders(port));
        self.folding == Folding::On && flow.tcp.is_none() && quiet && alone
    }

    /// Appends the hops of a path. A hop is folded if the next one is a port that only this path uses, or a
    /// receiver that may act ahead of time, unless packets may overtake each other on the link.
    fn add_path(
        &self,
        hops: &mut Vec<Hop>,
        chain: &mut Chain,
        path: &[u32],
        flow: u32,
        folds_receiver: bool,
        lanes: &mut Lanes,
    ) {
        for (j, &port) in path.iter().enumerate() {
            let next_is_private = path.get(j + 1).map_or(folds_receiver, |&next| self.private(next));
            let fold_next = self.folding == Folding::On && !self.reorders(port) && next_is_private;
            let plan = &self.ports[port as usize];
            chain.length += plan.delay;
            if chain.origin != Origin::Port(port) {
                chain.length += plan.rate.transmission(chain.bytes);
            }
            let last = j + 1 == path.len();
            hops.push(Hop::new(port, lanes.of(chain, self.spacing(chain)), flow, last, fold_next));
            if !fold_next {
                // What comes next is an event, at a port that sends on in order, or at a host.
                *chain = Chain {
                    origin: path.get(j + 1).map_or(Origin::Hosts, |&next| Origin::Port(next)),
                    length: Time::ZERO,
                    bytes: chain.bytes,
                };
            }
        }
    }
}
