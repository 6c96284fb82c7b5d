//! Turns a scenario into a network: checks every name and number, finds the routes, decides what to fold.

mod application;
mod apps;
mod checks;
mod class_queues;
mod diffserv;
mod events;
mod layout;
mod leads;
mod nodes;
mod nonresponsive;
mod own;
mod patterns;
mod place;
mod routing;
mod watched;

use std::collections::HashMap;
use std::sync::Arc;

use application::check_app;
use apps::{add_members, owners, under_their_names};
pub use apps::{AppPlan, Asking};
use checks::{
    check_capacity, check_durations, check_jitter, check_loss, check_name, check_queue, check_rate,
    check_transport,
};
use class_queues::check_dscp;
use diffserv::{check_edges, plan_conditioners, PlacedConditioner, Surroundings};
use events::check_events;
use layout::{lay_out, Paths};
use leads::leads;
use nodes::Nodes;
pub(crate) use own::has_own_parts;
use patterns::check_groups;
pub(crate) use patterns::matches;
use place::{quoted, Place};
use routing::Routes;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use watched::{watch, Known};

use crate::control::user::Code;
use crate::error::ScenarioError;
use crate::names::{NameList, Names};
use crate::network::{ConditionerPlan, Hop, Lead, Topology};
use crate::outside::{OutsidePlan, Protocol};
use crate::record::Watch;
use crate::scenario::{App, Capacity, Flow, Jitter, Link, LinkEvent, Loss, Queue, Scenario, Tcp, Transport};
use crate::transport::TcpOptions;
use crate::units::{Rate, Time};

type Checked<T> = Result<T, ScenarioError>;

/// A port before it has any state.
#[derive(Clone, Debug)]
pub struct PortPlan {
    /// Rate of the link.
    pub rate: Rate,
    /// Propagation delay of the link.
    pub delay: Time,
    /// In front of the link.
    pub queue: Arc<Queue>,
    /// On the link.
    pub loss: Option<Arc<Loss>>,
    /// In place of the rate.
    pub capacity: Option<Arc<Capacity>>,
    /// On the link.
    pub jitter: Option<Jitter>,
    /// Events on the link.
    pub events: Vec<LinkEvent>,
}

/// Compiled part of a flow, in addition to its values in the scenario.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// For a TCP flow.
    pub tcp: Option<Arc<TcpOptions>>,
    /// First hop of its data.
    pub data_hops: u32,
    /// First hop of its ACKs.
    pub ack_hops: u32,
    /// True for a UDP flow without recorded deliveries, alone on its first port: its source may write ahead
    /// of time, each packet when the one before has reached the end of the first link.
    pub writes_ahead: bool,
    /// For a flow whose two ends belong to the caller.
    pub outside: Option<OutsidePlan>,
}

impl FlowPlan {
    /// Returns whether estimators and series count its packets as those of UDP.
    pub fn is_udp(&self) -> bool {
        self.tcp.is_none() && self.outside.is_none_or(|outside| outside.protocol == Protocol::Udp)
    }
}

/// A scenario ready to run with any seed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The run covers `[0, duration)`.
    pub duration: Time,
    /// Counters count from here on.
    pub warm_up: Time,
    /// Ports, by index.
    pub ports: Vec<PortPlan>,
    /// Hops of all paths.
    pub hops: Vec<Hop>,
    /// Ways in which packets come to each hop, if that decides ties; empty if not.
    pub leads: Vec<Lead>,
    /// Least usual spacing of packets that arrive at ports and hosts; a guess.
    pub spacing: Time,
    /// Compiled part of each flow, by index.
    pub flows: Vec<FlowPlan>,
    /// Flows as the scenario gives them: the list is moved here, because copying very many flows takes time
    /// and memory.
    pub scenario_flows: Vec<Flow>,
    /// Names of flows and ports.
    pub names: Names,
    /// The nodes of each port, `a->b`. Random streams depend on these and not on the names of links.
    pub directions: Arc<NameList>,
    /// Quantities to record.
    pub watch: Watch,
    /// Conditioners in front of ports.
    pub conditioners: Vec<ConditionerPlan>,
    /// Applications that hear back.
    pub apps: Vec<AppPlan>,
    /// The flow of the scenario that each flow is counted with; empty if there are no others.
    pub owners: Vec<u32>,
    /// Code of parts that were handed over, one of each form: what they put around a run is put there once.
    pub makers: Vec<Arc<dyn Code>>,
}

/// Folding of hops. It changes no recording; `Off` is there to show that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// Where possible.
    On,
    /// Nowhere.
    Off,
}

impl Plan {
    /// Compiles a copy of a scenario.
    pub fn new(scenario: &Scenario, folding: Folding) -> Checked<Self> {
        Plan::of(scenario.clone(), folding)
    }

    /// Compiles a scenario, whose parts move into the plan: with very many flows a copy takes time and memory.
    pub fn of(scenario: Scenario, folding: Folding) -> Checked<Self> {
        check_durations(&scenario)?;
        let Scenario { duration, warm_up, hosts, routers, routing, links, mut flows, record } = scenario;
        let mut directory = Directory::new(&hosts, &routers, links.len())?;
        let ports = directory.add_links(links)?;
        let named = flows.len();
        let apps = add_members(&mut flows)?;
        let owners = owners(named, flows.len(), &apps);
        let flow_numbers = flow_numbers(&flows[..named])?;
        let mut options = SharedOptions::default();
        let mut plans = Vec::with_capacity(flows.len());
        let mut paths = Paths { ends: Vec::with_capacity(2 * flows.len()), ..Paths::default() };
        let mut router = Routes::new(&directory, routing);
        let list = Place::of("flows");
        for (i, flow) in flows.iter().enumerate() {
            let at = list.item(i);
            let tcp = options.of(&at, flow)?;
            plans.push(FlowPlan { tcp, data_hops: 0, ack_hops: 0, writes_ahead: false, outside: None });
            check_app(&at, flow, duration)?;
            check_dscp(&at, "dscp", flow.dscp)?;
            router.add(&at, flow, i < named, &mut paths)?;
        }
        drop(router);
        check_groups(&ports, &flows[..named])?;
        let asked = std::mem::take(&mut directory.conditioners);
        let under_their_names = under_their_names(&flows, &owners);
        let around = Surroundings {
            flows: if owners.is_empty() { &flows } else { &under_their_names },
            paths: &paths,
            ports: &ports,
            port_names: &directory.port_names,
            is_host: &|name| directory.is_host(name),
        };
        let conditioners = plan_conditioners(asked, &around)?;
        let known = Known { flows: &flow_numbers, owners: &owners, apps: &apps };
        let mut watch = watch(&record, duration, known, &directory, &ports)?;
        check_edges(&watch, &conditioners, &directory.port_names)?;
        watch.classes = !conditioners.is_empty() || flows.iter().any(|flow| flow.dscp != 0);
        let flow_names = names_of(&flows[..named]);
        let listening: Vec<u32> = conditioners.iter().filter(|it| it.listens()).map(|it| it.port).collect();
        let (hops, spacing) = lay_out(&paths, &flows, &mut plans, &ports, &watch, &listening, folding);
        let leads = leads(&paths, &flows, &ports);
        let makers = own::makers(&flows, &plans, &ports, &conditioners);
        let (directions, ports_by_name) = directory.into_port_names();
        let names = Names { flows: flow_names.into(), ports: ports_by_name };
        let (scenario_flows, flows) = (flows, plans);
        Ok(Plan {
            duration,
            warm_up,
            ports,
            hops,
            leads,
            spacing,
            flows,
            scenario_flows,
            names,
            directions,
            watch,
            conditioners,
            apps,
            owners,
            makers,
        })
    }
}

impl Plan {
    /// The hops of a path, from its first.
    pub fn path(&self, first: u32) -> &[Hop] {
        let hops = &self.hops[first as usize..];
        let last = hops.iter().position(Hop::is_last).unwrap_or(hops.len() - 1);
        &hops[..=last]
    }

    /// The flows of the scenario, without the members of applications.
    pub fn named_flows(&self) -> impl Iterator<Item = &FlowPlan> {
        self.flows.iter().take(self.names.flows.len())
    }
}

/// Between the nodes of a port in its name.
const ARROW: &str = "->";

/// Nodes and ports, and what they are called.
struct Directory<'a> {
    nodes: Nodes<'a>,
    topology: Topology,
    port_names: NameList,
    /// The forward ports of links that have a name of their own.
    named: HashMap<SmolStr, u32>,
    /// In the order of their ports.
    conditioners: Vec<PlacedConditioner>,
}

/// The standard library collects in place what is no larger, though it promises nothing; see [`Directory::add_links`].
const _: () = assert!(size_of::<[PortPlan; 2]>() <= size_of::<Link>());

impl<'a> Directory<'a> {
    fn new(hosts: &'a [SmolStr], routers: &'a [SmolStr], links: usize) -> Checked<Self> {
        let mut directory = Directory {
            nodes: Nodes::new(hosts, routers.len()),
            topology: Topology::with_capacity(hosts.len() + routers.len(), links),
            port_names: NameList::default(),
            named: HashMap::new(),
            conditioners: Vec::new(),
        };
        for (field, names, forwards) in [("hosts", hosts, false), ("routers", routers, true)] {
            let list = Place::of(field);
            for (i, name) in names.iter().enumerate() {
                directory.add_node(&list.item(i), name, forwards)?;
            }
        }
        Ok(directory)
    }

    fn add_node(&mut self, at: &Place<'_>, name: &'a str, forwards: bool) -> Checked<()> {
        check_name(at, name)?;
        let index = self.topology.add_node(forwards);
        if self.nodes.add(name, index as u32) {
            return Ok(());
        }
        Err(ScenarioError::new(at, quoted(name), "a name that no other node has"))
    }

    fn node(&self, at: &Place<'_>, name: &str) -> Checked<u32> {
        let known = self.nodes.number(name);
        known.ok_or_else(|| ScenarioError::new(at, quoted(name), "the name of a host or router"))
    }

    fn host(&self, at: &Place<'_>, name: &str) -> Checked<usize> {
        let known = self.nodes.number(name).map(|node| node as usize);
        let host = known.filter(|&node| !self.topology.forwards(node));
        host.ok_or_else(|| ScenarioError::new(at, quoted(name), "the name of a host"))
    }

    fn is_host(&self, name: &str) -> bool {
        self.nodes.number(name).is_some_and(|node| !self.topology.forwards(node as usize))
    }

    /// Adds the links of a scenario. Their ports take the place of the links: both are of about the same size, and with
    /// very many a second place for them would be memory that is touched for the first time.
    fn add_links(&mut self, links: Vec<Link>) -> Checked<Vec<PortPlan>> {
        let bytes = |link: &Link| 2 * (link.between.0.len() + ARROW.len() + link.between.1.len());
        self.port_names = NameList::with_capacity(2 * links.len(), links.iter().map(bytes).sum());
        let list = Place::of("links");
        let add = |(index, link)| self.add_link(&list.item(index), index, link);
        let ports: Vec<[PortPlan; 2]> = links.into_iter().enumerate().map(add).collect::<Checked<_>>()?;
        self.topology.sort_ports();
        if let Some(link) = self.topology.first_doubled_link() {
            return Err(already_there(&list.item(link).field("between"), &self.port_names[2 * link]));
        }
        Ok(ports.into_flattened())
    }

    fn add_link(&mut self, at: &Place<'_>, index: usize, mut link: Link) -> Checked<[PortPlan; 2]> {
        let between = at.field("between");
        let (a, b) = std::mem::take(&mut link.between);
        let (from, to) = (self.node(&between.item(0), &a)?, self.node(&between.item(1), &b)?);
        if from == to {
            return Err(ScenarioError::new(&between, quoted(&a), "two different nodes"));
        }
        let name = link.name.take();
        let both = [link.conditioner.take(), link.reverse.conditioner.clone()];
        let numbered = (2 * index as u32..).zip(both);
        let asked =
            numbered.filter_map(|(port, config)| config.map(|config| PlacedConditioner { port, config }));
        self.conditioners.extend(asked);
        let ports = port_plans(at, link)?;
        if let Some(name) = name {
            let at = at.field("name");
            check_name(&at, &name)?;
            if self.named.contains_key(&name) {
                return Err(already_there(&at, &name));
            }
            self.named.insert(name, 2 * index as u32);
        }
        self.topology.add_link((from, to), [ports[0].delay, ports[1].delay]);
        self.port_names.push(&[&a, ARROW, &b]);
        self.port_names.push(&[&b, ARROW, &a]);
        Ok(ports)
    }

    /// The nodes of each port, `a->b`, and the name that a recording has for it.
    fn into_port_names(self) -> (Arc<NameList>, Arc<NameList>) {
        let directions = Arc::new(self.port_names);
        if self.named.is_empty() {
            return (directions.clone(), directions);
        }
        let own: HashMap<u32, &str> = self.named.iter().map(|(name, &port)| (port, name.as_str())).collect();
        let mut names = NameList::with_capacity(directions.len(), directions.bytes());
        for (port, direction) in (0..).zip(directions.iter()) {
            names.push(&[own.get(&port).copied().unwrap_or(direction)]);
        }
        (directions, names.into())
    }

    /// The port of a name, `a->b` or a link's own.
    fn port(&self, name: &str) -> Option<u32> {
        let Some((a, b)) = name.split_once(ARROW) else {
            return self.named.get(name).copied();
        };
        self.topology.port(self.nodes.number(a)?, self.nodes.number(b)?)
    }
}

fn already_there(at: &Place<'_>, name: &str) -> ScenarioError {
    ScenarioError::new(at, quoted(name), "a link that does not exist yet")
}

/// The two ports of a link: forward and back.
fn port_plans(at: &Place<'_>, link: Link) -> Checked<[PortPlan; 2]> {
    let forward = PortPlan {
        rate: check_rate(&at.field("rate"), link.rate)?,
        delay: link.delay,
        queue: check_queue(&at.field("queue"), link.queue, link.rate)?,
        loss: check_loss(&at.field("loss"), link.loss)?,
        events: check_events(&at.field("events"), link.events, link.capacity.is_some())?,
        capacity: check_capacity(&at.field("capacity"), link.capacity)?,
        jitter: check_jitter(&at.field("jitter"), link.jitter)?,
    };
    let (at, reverse) = (at.field("reverse"), &link.reverse);
    let back = PortPlan {
        rate: check_rate(&at.field("rate"), reverse.rate.unwrap_or(link.rate))?,
        delay: reverse.delay.unwrap_or(link.delay),
        queue: check_queue(
            &at.field("queue"),
            reverse.queue.as_ref().unwrap_or(&forward.queue).clone(),
            reverse.rate.unwrap_or(link.rate),
        )?,
        loss: check_loss(&at.field("loss"), reverse.loss.clone())?,
        events: check_events(&at.field("events"), reverse.events.clone(), reverse.capacity.is_some())?,
        capacity: check_capacity(&at.field("capacity"), reverse.capacity.clone())?,
        jitter: check_jitter(&at.field("jitter"), reverse.jitter)?,
    };
    Ok([forward, back])
}

/// The payloads of a flow's packets, if they differ.
fn payloads(flow: &Flow) -> impl Iterator<Item = u32> + '_ {
    let listed: &[u32] = match &flow.app {
        App::Schedule(schedule) => &schedule.payloads,
        _ => &[],
    };
    listed.iter().copied()
}

fn flow_numbers(flows: &[Flow]) -> Checked<FxHashMap<&str, u32>> {
    if flows.is_empty() {
        return Err(ScenarioError::new("flows", "none", "at least one flow"));
    }
    let mut numbers = FxHashMap::with_capacity_and_hasher(flows.len(), Default::default());
    let list = Place::of("flows");
    for (i, flow) in flows.iter().enumerate() {
        let item = list.item(i);
        let at = item.field("name");
        check_name(&at, &flow.name)?;
        if numbers.insert(flow.name.as_str(), i as u32).is_some() {
            return Err(ScenarioError::new(&at, quoted(&flow.name), "a name that no other flow has"));
        }
    }
    Ok(numbers)
}

fn names_of(flows: &[Flow]) -> NameList {
    let bytes = flows.iter().map(|flow| flow.name.len()).sum();
    let mut names = NameList::with_capacity(flows.len(), bytes);
    flows.iter().for_each(|flow| names.push(&[&flow.name]));
    names
}

/// Flows with equal options share them.
#[derive(Default)]
struct SharedOptions {
    /// The last transport, which the next flow may share, and its options.
    last: Option<(Arc<Tcp>, Arc<TcpOptions>)>,
    known: Vec<Arc<TcpOptions>>,
}

/// Among so many kinds of options an equal one is looked for: flows of one kind tend to follow one another.
const KINDS: usize = 64;

impl SharedOptions {
    /// The options of a flow's TCP, which are checked.
    fn of(&mut self, at: &Place<'_>, flow: &Flow) -> Checked<Option<Arc<TcpOptions>>> {
        if let (Transport::Tcp(tcp), Some((last, options))) = (&flow.transport, &self.last) {
            if Arc::ptr_eq(tcp, last) {
                return Ok(Some(options.clone()));
            }
        }
        let options = check_transport(at, flow)?.map(|options| self.share(options));
        if let (Transport::Tcp(tcp), Some(options)) = (&flow.transport, &options) {
            self.last = Some((tcp.clone(), options.clone()));
        }
        Ok(options)
    }

    fn share(&mut self, options: TcpOptions) -> Arc<TcpOptions> {
        if let Some(known) = self.known.iter().rev().take(KINDS).find(|known| ***known == options) {
            return known.clone();
        }
        let shared = Arc::new(options);
        self.known.push(shared.clone());
        shared
    }
}
