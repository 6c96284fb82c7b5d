//! Construction of the ports, conditioners and keys of a network from its plan.

use std::collections::{HashMap, HashSet};

use super::treated;
use crate::compile::{Plan, PortPlan};
use crate::network::{
    ArrivalPort, Conditioner, ConditionerPlan, DeparturePort, Events, Exchange, Hop, Jitter, LossProcess,
    Port, PortKind, Probe, Rates, Service, Trace, Transmissions,
};
use crate::own::owned_by;
use crate::queue::{AnyArrivalQueue, AnyDepartureQueue};
use crate::random::{fnv1a, Stream};
use crate::room;
use crate::scenario::{DropTail, Jitter as Jittering, Queue};
use crate::units::Time;

/// The other direction of a port's link: both lie side by side.
pub(super) fn reverse(port: u32) -> usize {
    port as usize ^ 1
}

/// The ports of a network, and the kinds that they are of.
pub(super) fn build_ports(plan: &Plan, seed: u64) -> (Vec<PortKind>, Vec<Port>) {
    let mut known = HashMap::new();
    let mut kinds = Vec::new();
    let watched: HashSet<u32> = plan.watch.ports().collect();
    let conditioned: HashSet<u32> = plan.conditioners.iter().map(|conditioner| conditioner.port).collect();
    let listening = plan.conditioners.iter().filter(|conditioner| conditioner.listens());
    let listened = listening.map(|conditioner| reverse(conditioner.port) as u32);
    let overheard: HashSet<u32> = listened.chain(plan.watch.tapped()).collect();
    let build = |(index, port): (usize, &PortPlan)| {
        let streams = PortStreams { seed, name: &plan.directions[index] };
        let serving = serving(port, plan.warm_up, streams);
        let serves = serving.is_some();
        let arrival_port = if serves { None } else { arrival_port(port, streams) };
        let conditions = conditioned.contains(&(index as u32));
        let overheard = overheard.contains(&(index as u32));
        let asked = conditions || overheard || watched.contains(&(index as u32));
        let limit_packets = plain_limit(&port.queue).unwrap_or(u32::MAX);
        // A tie decides whether there is room.
        let ties = !plan.leads.is_empty() && limit_packets < u32::MAX;
        let holds_one_of_ties = ties && limit_packets == 1;
        let simple = arrival_port.is_none() && !(serves || asked || holds_one_of_ties);
        let kind = PortKind {
            ps_per_byte: port.rate.ps_per_byte(),
            transmissions: Transmissions::default(),
            limit_packets,
            count_from: plan.warm_up,
            simple,
            serves,
            conditions,
            overheard,
            ties,
        };
        let flags = [simple, serves, conditions, overheard];
        let key = (kind.ps_per_byte.to_bits(), kind.limit_packets, flags);
        let number = *known.entry(key).or_insert_with(|| {
            kinds.push(kind);
            kinds.len() as u32 - 1
        });
        match serving {
            Some(serving) => Port::serving(number, port.delay, serving),
            None => Port::new(number, port.delay, arrival_port),
        }
    };
    room::ask::<Port>(plan.ports.len(), "ports");
    let mut ports: Vec<Port> = plan.ports.iter().enumerate().map(build).collect();
    treated::enrol(plan, &mut ports);
    for &index in plan.watch.port_series.iter().flat_map(|(ports, _)| ports) {
        if let Probe::TunedRed(red) = ports[index as usize].probe() {
            red.tuning_mut().into_iter().for_each(|tuning| tuning.keep());
        }
    }
    (kinds, ports)
}

/// Code points of the packets of each flow, if there are any but 0.
pub(super) fn code_points(plan: &Plan) -> Vec<u8> {
    let any = plan.scenario_flows.iter().any(|flow| flow.dscp != 0);
    plan.scenario_flows.iter().take(if any { usize::MAX } else { 0 }).map(|flow| flow.dscp).collect()
}

/// The code point that both ends of the flow at a hop give their packets.
pub(super) fn own_code_point(code_points: &[u8], hop: Hop) -> u8 {
    code_points.get(hop.flow() as usize).copied().unwrap_or(0)
}

/// The conditioners of a network, by the indices of their ports.
pub(super) fn conditioners(plan: &Plan, seed: u64, exchange: &mut Exchange) -> Vec<(u32, Conditioner)> {
    let conditioner = |each: &ConditionerPlan| {
        let streams = PortStreams { seed, name: &plan.directions[each.port as usize] };
        let make = || Conditioner::new(each, plan.warm_up, streams.of("conditioner"), exchange);
        let mut conditioner = owned_by(format!("port {}", streams.name), seed, make);
        let kept = plan.watch.edges.as_ref().filter(|(ports, _)| ports.contains(&each.port));
        kept.into_iter().for_each(|&(_, interval)| conditioner.keep_samples(interval));
        (each.port, conditioner)
    };
    plan.conditioners.iter().map(conditioner).collect()
}

/// The limit of a queue that a plain port can have.
pub(super) fn plain_limit(queue: &Queue) -> Option<u32> {
    match queue {
        Queue::Droptail(DropTail { limit_packets, limit_bytes: None }) => {
            Some(limit_packets.unwrap_or(u32::MAX))
        }
        _ => None,
    }
}

/// Builds the additional state of a port that is not plain.
pub(super) fn arrival_port(port: &PortPlan, streams: PortStreams<'_>) -> Option<ArrivalPort> {
    let plain = plain_limit(&port.queue).is_some();
    let parts = port.loss.is_some() || port.jitter.is_some() || port.capacity.is_some();
    if plain && !parts && port.events.is_empty() {
        return None;
    }
    let discipline = AnyArrivalQueue::new(&port.queue, port.rate, || streams.of("queue"))?;
    let (loss, jitter) = link_parts(port, streams);
    Some(ArrivalPort::new(discipline, loss, jitter, service(port), events(port, streams)))
}

/// Builds the additional state of a port whose queue decides at departure.
pub(super) fn serving(port: &PortPlan, count_from: Time, streams: PortStreams<'_>) -> Option<DeparturePort> {
    let make = || AnyDepartureQueue::new(&port.queue, port.rate, count_from, || streams.of("queue"));
    let queue = match &*port.queue {
        Queue::User(_) => owned_by(format!("port {}", streams.name), streams.seed, make),
        _ => make(),
    }?;
    let (loss, jitter) = link_parts(port, streams);
    Some(DeparturePort::new(queue, loss, jitter, service(port), events(port, streams)))
}

/// The random streams of a port, which depend on the seed and on its name only.
#[derive(Clone, Copy)]
pub(super) struct PortStreams<'a> {
    seed: u64,
    name: &'a str,
}

impl PortStreams<'_> {
    pub(super) fn of(self, what: &str) -> Stream {
        Stream::new(self.seed, &format!("link/{}/{what}", self.name))
    }
}

/// Service of a link.
fn service(port: &PortPlan) -> Service {
    if let Some(capacity) = &port.capacity {
        return Service::Recorded(Trace::new(capacity.clone()));
    }
    Rates::new(port.rate, &port.events).map_or(Service::Constant, Service::Changing)
}

/// Outages, stalls and reordering of a link.
fn events(port: &PortPlan, streams: PortStreams<'_>) -> Option<Box<Events>> {
    Events::new(&port.events, |number| match number {
        0 => streams.of("reordering"),
        _ => streams.of(&format!("reordering/{number}")),
    })
}

/// Losses and jitter of a link.
pub(super) fn link_parts(port: &PortPlan, streams: PortStreams<'_>) -> (Option<LossProcess>, Option<Jitter>) {
    let jitter = |j: Jittering| Jitter::new(j.most, j.reorder, streams.of("jitter"));
    let loss = LossProcess::new(port.loss.as_deref(), &port.events, || streams.of("loss"));
    (loss, port.jitter.map(jitter))
}

/// Key of a flow for queues that tell flows apart: independent of the order of flows in the scenario.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowKey(u64);

impl FlowKey {
    /// Data and ACKs of a flow are two flows to a router.
    pub(super) fn of(self, ack: bool) -> u64 {
        if ack {
            !self.0
        } else {
            self.0
        }
    }
}

/// The keys of all flows, if a queue tells flows apart.
pub(super) fn flow_keys(plan: &Plan) -> Vec<FlowKey> {
    if !plan.ports.iter().any(|port| matches!(*port.queue, Queue::FqCodel(_) | Queue::User(_))) {
        return Vec::new();
    }
    plan.scenario_flows.iter().map(|flow| FlowKey(fnv1a(&flow.name))).collect()
}
