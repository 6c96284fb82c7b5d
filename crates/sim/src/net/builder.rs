//! Makes a network from a scenario and the endpoints that are attached to its hosts.

use std::path::Path;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Network, NetworkError};
use crate::compile::{Folding, Plan};
use crate::names::NameList;
use crate::outside::{OutsidePlan, Protocol};
use crate::scenario::{Flow, Routing, Scenario, Schedule, Udp};
use crate::units::Time;

/// Bytes of an IPv4 and a UDP header, which a capture writes around what has no bytes of its own.
const HEADER_BYTES: u32 = 28;

/// Flows of the engine for each pair of endpoints where routers choose among equal paths by the keys of datagrams.
const LANES: usize = 16;

/// An endpoint of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointId(u32);

impl EndpointId {
    /// Its number, from 0, in the order in which endpoints were attached.
    #[inline]
    pub fn number(self) -> u32 {
        self.0
    }

    /// The endpoint of this number. A network that has none of it panics or returns an error when it is used.
    #[inline]
    pub fn from_number(number: u32) -> Self {
        EndpointId(number)
    }

    #[inline]
    pub(super) fn of(pair: usize, back: bool) -> Self {
        EndpointId((pair as u32) << 1 | u32::from(back))
    }

    #[inline]
    pub(super) fn pair(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// True for the second one of its pair.
    #[inline]
    pub(super) fn sends_back(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A network to be: a scenario, a seed, and endpoints.
#[derive(Clone, Debug)]
pub struct Builder {
    scenario: Scenario,
    seed: u64,
    mtu: u32,
    traced: bool,
    pairs: Vec<Pair>,
}

/// Two endpoints, which are the ends of one flow.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub name: SmolStr,
    pub hosts: [SmolStr; 2],
    /// Index of the flow.
    pub flow: usize,
    /// True if the scenario does not have the flow.
    added: bool,
    pub protocol: Protocol,
    /// Larger datagrams are dropped on the way.
    pub path_mtu: u32,
    /// For each endpoint, true if what it sends loses its ECN bits on the way.
    pub bleaches: [bool; 2],
    /// Flows of the engine that carry it, the flow itself first.
    pub lanes: Vec<u32>,
}

impl Builder {
    /// A network of this scenario, with seed 1.
    pub fn new(scenario: Scenario) -> Self {
        Builder { scenario, seed: 1, mtu: u32::from(u16::MAX), traced: false, pairs: Vec::new() }
    }

    /// A network of a scenario file: TOML, or JSON if its name ends in `.json`. Files that it names are looked for beside it.
    ///
    /// # Errors
    /// If the file cannot be read or is no scenario, with its faults.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        let read = Scenario::from_file(path).map_err(|faults| NetworkError::Scenario(faults.to_string()));
        read.map(Builder::new)
    }

    /// Sets the seed of all random numbers: of losses, jitter, queues and the scenario's own flows.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the MTU of the endpoints' own links, in bytes: to send a larger datagram is an error. At first it is 65,535.
    #[must_use]
    pub fn mtu(mut self, bytes: u16) -> Self {
        self.mtu = u32::from(bytes);
        self
    }

    /// Keeps a [`Trace`](super::Trace) of all that endpoints send and receive.
    #[must_use]
    pub fn traced(mut self) -> Self {
        self.traced = true;
        self
    }

    /// The scenario, to be changed before the network is made. Its flows keep their places.
    pub fn scenario_mut(&mut self) -> &mut Scenario {
        &mut self.scenario
    }

    /// Attaches two endpoints, at two hosts, that send datagrams to each other. The name is that of a new flow. A node at the
    /// end of a single link becomes a host if it is none.
    ///
    /// # Errors
    /// If a host is unknown, both are one, or the scenario has a flow of this name.
    pub fn attach(
        &mut self,
        name: &str,
        source: &str,
        destination: &str,
    ) -> Result<[EndpointId; 2], NetworkError> {
        let fault = |what: &str| Err(NetworkError::Scenario(format!("endpoints {name}: {what}")));
        if self.scenario.flows.iter().any(|flow| flow.name == name) {
            return fault("got the name of a flow, expected one that no other flow has");
        }
        if source == destination {
            return fault(&format!("got {source:?} twice, expected two hosts"));
        }
        for host in [source, destination] {
            if !self.becomes_host(host) {
                return fault(&format!("got {host:?}, expected {}", self.hosts()));
            }
        }
        let flow = self.scenario.flows.len();
        self.scenario.flows.push(Flow::new(name, source, destination, transport(), silence()));
        Ok(self.add_pair(flow, true))
    }

    /// Puts two endpoints in the place of a flow of the scenario: at its source and at its destination. What the file says of its
    /// transport and its application does not matter then, nor does what it records of them.
    ///
    /// # Errors
    /// If there is no such flow.
    pub fn replace(&mut self, flow: &str) -> Result<[EndpointId; 2], NetworkError> {
        let index = self.scenario.flows.iter().position(|other| other.name == flow);
        let Some(index) = index.filter(|&index| self.pairs.iter().all(|pair| pair.flow != index)) else {
            let fault = format!("endpoints {flow}: got {flow:?}, expected {}", self.flows());
            return Err(NetworkError::Scenario(fault));
        };
        let taken = &mut self.scenario.flows[index];
        (taken.transport, taken.app) = (transport().into(), silence().into());
        (taken.start, taken.start_spread, taken.stop, taken.dscp) = (Time::ZERO, Time::ZERO, None, 0);
        let record = &mut self.scenario.record;
        for list in [&mut record.rtt, &mut record.window, &mut record.transfers] {
            list.retain(|name| name != flow);
        }
        record.flow_series.iter_mut().for_each(|series| series.of.retain(|name| name != flow));
        Ok(self.add_pair(index, false))
    }

    /// Sets what the datagrams of a pair count as where estimators and series tell TCP from UDP. At first it is UDP.
    ///
    /// # Panics
    /// If the endpoint is not one of this builder's.
    pub fn set_protocol(&mut self, endpoint: EndpointId, protocol: Protocol) {
        self.pairs[endpoint.pair()].protocol = protocol;
    }

    /// Sets the path MTU of a pair, in bytes: larger datagrams vanish on the way, and nobody is told.
    ///
    /// # Panics
    /// If the endpoint is not one of this builder's.
    pub fn set_path_mtu(&mut self, endpoint: EndpointId, bytes: u16) {
        self.pairs[endpoint.pair()].path_mtu = u32::from(bytes);
    }

    /// Clears the ECN bits of all that this endpoint sends, before the first queue sees it, as some middleboxes do. The trace
    /// has a datagram as it was sent, and as it arrives.
    pub fn bleach_ecn(&mut self, endpoint: EndpointId) {
        self.pairs[endpoint.pair()].bleaches[usize::from(endpoint.sends_back())] = true;
    }

    /// Makes the network, at rest.
    ///
    /// # Errors
    /// If the scenario cannot be run, or takes more memory than there is.
    pub fn build(mut self) -> Result<Network, NetworkError> {
        let flows = &self.scenario.flows;
        if let Some(pair) =
            self.pairs.iter().find(|pair| flows.get(pair.flow).is_none_or(|flow| flow.name != pair.name))
        {
            let fault = format!(
                "endpoints {}: got a scenario whose flow {} is another one, expected it in its place",
                pair.name, pair.flow
            );
            return Err(NetworkError::Scenario(fault));
        }
        let named = self.scenario.flows.len();
        self.add_lanes();
        let mut plan = Plan::of(self.scenario, Folding::Off)?;
        for pair in &self.pairs {
            pair.take_ends(&mut plan);
        }
        if plan.names.flows.len() > named {
            let mut names = NameList::default();
            plan.names.flows.iter().take(named).for_each(|name| names.push(&[name]));
            plan.names.flows = Arc::new(names);
        }
        Network::new(plan, self.seed, self.pairs, self.mtu, self.traced)
    }

    /// Adds the flows by which routers that choose among equal paths tell datagrams of one pair apart.
    fn add_lanes(&mut self) {
        let Routing::Ecmp(_) = self.scenario.routing else { return };
        let flows = &mut self.scenario.flows;
        for pair in &mut self.pairs {
            for number in 1..LANES {
                let mut lane = flows[pair.flow].clone();
                lane.name = format!("{}:lane{number}", pair.name).into();
                pair.lanes.push(flows.len() as u32);
                flows.push(lane);
            }
        }
    }

    fn add_pair(&mut self, flow: usize, added: bool) -> [EndpointId; 2] {
        let Flow { name, source, destination, .. } = &self.scenario.flows[flow];
        self.pairs.push(Pair {
            name: name.clone(),
            hosts: [source.clone(), destination.clone()],
            flow,
            added,
            protocol: Protocol::default(),
            path_mtu: u32::MAX,
            bleaches: [false; 2],
            lanes: vec![flow as u32],
        });
        [false, true].map(|back| EndpointId::of(self.pairs.len() - 1, back))
    }

    /// Makes a host of a node; false if it is none, or has to forward.
    fn becomes_host(&mut self, name: &str) -> bool {
        let Scenario { hosts, routers, links, .. } = &mut self.scenario;
        if hosts.iter().any(|host| host == name) {
            return true;
        }
        let ends = links.iter().flat_map(|link| [&link.between.0, &link.between.1]);
        let at_the_edge = ends.filter(|&end| end == name).count() == 1;
        let Some(place) = routers.iter().position(|router| router == name).filter(|_| at_the_edge) else {
            return false;
        };
        hosts.push(routers.remove(place));
        true
    }

    fn hosts(&self) -> String {
        listed("a host", &self.scenario.hosts)
    }

    fn flows(&self) -> String {
        let free = |&(index, _): &(usize, &Flow)| self.pairs.iter().all(|pair| pair.flow != index);
        let names: Vec<_> =
            self.scenario.flows.iter().enumerate().filter(free).map(|(_, flow)| flow.name.clone()).collect();
        listed("a flow", &names)
    }
}

/// The most names that a message lists.
const MOST_LISTED: usize = 8;

fn listed(what: &str, names: &[SmolStr]) -> String {
    let more = if names.len() > MOST_LISTED { ", ..." } else { "" };
    let first = names[..names.len().min(MOST_LISTED)].join(", ");
    if names.is_empty() {
        what.to_string()
    } else {
        format!("{what}: {first}{more}")
    }
}

impl Pair {
    /// Takes the ends of the pair's flows away from the engine.
    fn take_ends(&self, plan: &mut Plan) {
        let OutsidePlan { protocol, added } = OutsidePlan { protocol: self.protocol, added: self.added };
        let is_own = |flow: &u32| self.lanes.contains(flow);
        for &lane in &self.lanes {
            plan.flows[lane as usize].outside = Some(OutsidePlan { protocol, added });
        }
        if let [first, others @ ..] = &self.lanes[..] {
            if !others.is_empty() && plan.owners.is_empty() {
                plan.owners = (0..plan.flows.len() as u32).collect();
            }
            others.iter().for_each(|&lane| plan.owners[lane as usize] = *first);
        }
        let watch = &mut plan.watch;
        for flows in [&mut watch.rtt, &mut watch.window] {
            flows.retain(|flow| !is_own(flow));
        }
        if let Some((flows, _)) = &mut watch.flow_series {
            flows.retain(|flow| !is_own(flow));
        }
        if watch.deliveries.iter().any(is_own) {
            watch.deliveries.retain(|flow| !is_own(flow));
            watch.deliveries.extend(&self.lanes);
        }
    }
}

fn transport() -> Udp {
    Udp { payload_bytes: 1, header_bytes: HEADER_BYTES }
}

/// A source that hands over nothing.
fn silence() -> Schedule {
    Schedule { writes: Vec::new(), payloads: Vec::new() }
}
