//! Lays the hops of all paths out in a row, and folds those that need no event.

use super::{FlowPlan, Folding, PortPlan};
use crate::network::Hop;
use crate::queue::decides_at_departure;
use crate::record::Watch;
use crate::scenario::{App, Flow, LinkEvent};
use crate::traffic::apps;
use crate::units::Time;

/// The ports of paths, path after path; two for each flow: its data's, its ACKs'.
#[derive(Default)]
pub struct Paths {
    pub ports: Vec<u32>,
    /// End of each path.
    pub ends: Vec<usize>,
}

impl Paths {
    /// Ends a path, of which the ports have been added.
    pub fn end(&mut self) {
        self.ends.push(self.ports.len());
    }

    /// The ports of a path.
    pub fn get(&self, index: usize) -> &[u32] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ports[start..self.ends[index]]
    }
}

/// The hops of all paths, and how far apart packets arrive somewhere at most often.
pub fn lay_out(
    paths: &Paths,
    flows: &[Flow],
    plans: &mut [FlowPlan],
    ports: &[PortPlan],
    watch: &Watch,
    listening: &[u32],
    folding: Folding,
) -> (Vec<Hop>, Time) {
    let network = Network { ports, users: users(&paths.ports, ports, watch, listening), folding };
    let quiet = quiet_receivers(flows, plans, watch);
    let senders = quiet_senders(flows, plans, watch);
    let mut hops = Vec::with_capacity(paths.ports.len());
    for (index, flow) in plans.iter_mut().enumerate() {
        let [data, acks] = [paths.get(2 * index), paths.get(2 * index + 1)];
        // The receiver may answer ahead of time if its ACKs meet nobody on their first hop.
        let folds_receiver = quiet[index] && acks.first().is_some_and(|&port| network.private(port));
        flow.writes_ahead = network.writes_ahead(flow, quiet[index], data);
        flow.data_hops = hops.len() as u32;
        network.add_path(&mut hops, data, index as u32, folds_receiver);
        if flow.writes_ahead {
            mark_feeding(&mut hops[flow.data_hops as usize..]);
        }
        flow.ack_hops = hops.len() as u32;
        network.add_path(&mut hops, acks, index as u32, false);
        // The sender may act ahead of time if what it sends meets nobody on the first hop, and if somewhere on the
        // way around there is an event: without one, it would go on to the end of the run at once.
        let around = &mut hops[flow.data_hops as usize..];
        let [rest @ .., last] = around else { unreachable!("a flow has two paths") };
        let pauses = rest.iter().any(|hop| !hop.folds_next());
        if senders[index] && pauses && network.folds_sender(data, acks) {
            last.set_folds_next();
        }
    }
    (hops, network.spacing())
}

/// Number of directions of flows that use each port; one that somebody observes, whose queue decides at departure, or whose
/// conditioner listens to other ports, must see time pass as others do, so it counts as used by one more.
fn users(crossed: &[u32], ports: &[PortPlan], watch: &Watch, listening: &[u32]) -> Vec<u32> {
    let mut users = vec![0u32; ports.len()];
    let serving = (0..).zip(ports).filter(|(_, port)| decides_at_departure(&port.queue));
    let serving = serving.map(|(index, _)| index);
    let listening = listening.iter().copied();
    for port in crossed.iter().copied().chain(watch.ports()).chain(serving).chain(listening) {
        users[port as usize] += 1;
    }
    users
}

/// Flows whose receivers may act ahead of time: nobody sees packets reach them, no application waits for them, and they
/// have no timer.
fn quiet_receivers(flows: &[Flow], plans: &[FlowPlan], watch: &Watch) -> Vec<bool> {
    let no_timer = |plan: &FlowPlan| plan.tcp.as_ref().is_none_or(|options| options.delayed_ack.is_none());
    let waits = |flow: &Flow| apps::slots_of(flow).is_some();
    let flows = flows.iter().zip(plans);
    let mut quiet: Vec<bool> = flows.map(|(flow, plan)| no_timer(plan) && !waits(flow)).collect();
    for &flow in &watch.deliveries {
        quiet[flow as usize] = false;
    }
    quiet
}

/// Flows whose senders may act ahead of time: nothing but ACKs and the retransmission timer concerns them once they
/// have started, and nobody sees when they act.
fn quiet_senders(flows: &[Flow], plans: &[FlowPlan], watch: &Watch) -> Vec<bool> {
    let writes_once =
        |flow: &Flow| matches!(flow.app, App::Bulk {} | App::Transfer(_)) && flow.stop.is_none();
    let paced = |plan: &FlowPlan| plan.tcp.as_ref().is_none_or(|options| options.paced());
    let flows = flows.iter().zip(plans);
    let mut quiet: Vec<bool> = flows.map(|(flow, plan)| writes_once(flow) && !paced(plan)).collect();
    for &flow in watch.deliveries.iter().chain(&watch.rtt).chain(&watch.window) {
        quiet[flow as usize] = false;
    }
    quiet
}

/// Hop at which the packets of a source that writes ahead leave their first run of folded hops.
fn mark_feeding(hops: &mut [Hop]) {
    if let Some(hop) = hops.iter_mut().find(|hop| !hop.folds_next()) {
        hop.set_feeds();
    }
}

/// Bits of a typical packet.
const PACKET_BITS: f64 = 8000.0;

struct Network<'a> {
    ports: &'a [PortPlan],
    users: Vec<u32>,
    folding: Folding,
}

impl Network<'_> {
    fn private(&self, port: u32) -> bool {
        self.users[port as usize] == 1
    }

    /// Spacing of arriving packets if the ports that paths share are busy one way, or the only port there is.
    fn spacing(&self) -> Time {
        let rate = |(port, &users): (&PortPlan, &u32)| if users > 1 { port.rate.bps() } else { 0.0 };
        let shared: f64 = self.ports.iter().zip(&self.users).map(rate).sum();
        let slowest = self.ports.iter().map(|port| port.rate.bps()).fold(f64::INFINITY, f64::min);
        Time::from_secs(PACKET_BITS / shared.max(slowest))
    }

    fn reorders(&self, port: u32) -> bool {
        let port = &self.ports[port as usize];
        port.jitter.is_some_and(|jitter| jitter.reorder)
            || port.events.iter().any(|event| matches!(event, LinkEvent::Reordering(_)))
    }

    /// Returns whether the source of a flow may write ahead of time: its packets must reach the first shared
    /// port in order, too.
    fn writes_ahead(&self, flow: &FlowPlan, quiet: bool, data: &[u32]) -> bool {
        let mut own = data.iter().take_while(|&&port| self.private(port)).peekable();
        let alone = own.peek().is_some() && !own.any(|&port| self.reorders(port));
        self.folding == Folding::On && flow.tcp.is_none() && quiet && alone
    }

    /// Returns whether the sender of a flow may act when an ACK leaves the port before it.
    fn folds_sender(&self, data: &[u32], acks: &[u32]) -> bool {
        let first_is_private = data.first().is_some_and(|&port| self.private(port));
        let in_order = acks.last().is_some_and(|&port| !self.reorders(port));
        self.folding == Folding::On && first_is_private && in_order
    }

    /// Appends the hops of a path. A hop is folded if the next one is a port that only this path uses, or a
    /// receiver that may act ahead of time, unless packets may overtake each other on the link.
    fn add_path(&self, hops: &mut Vec<Hop>, path: &[u32], flow: u32, folds_receiver: bool) {
        for (j, &port) in path.iter().enumerate() {
            let next_is_private = path.get(j + 1).map_or(folds_receiver, |&next| self.private(next));
            let fold_next = self.folding == Folding::On && !self.reorders(port) && next_is_private;
            hops.push(Hop::new(port, flow, j + 1 == path.len(), fold_next));
        }
    }
}
