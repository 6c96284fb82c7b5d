//! Turns a scenario into a network: checks every name and number, finds the routes, decides what to fold.

mod checks;
mod layout;
mod nonresponsive;

use std::collections::HashMap;
use std::sync::Arc;

use checks::{
    check_app, check_capacity, check_durations, check_jitter, check_loss, check_name, check_queue,
    check_rate, check_transport, quoted,
};

use layout::lay_out;
use nonresponsive::queue_observers;

use crate::error::ScenarioError;
use crate::network::{Hop, Router, Topology};
use crate::record::{Estimated, Watch};
use crate::scenario::{Capacity, Flow, Jitter, Link, Loss, Queue, Scenario, Series, ShareSeries};
use crate::transport::TcpOptions;
use crate::units::{Rate, Time};

type Checked<T> = Result<T, ScenarioError>;

/// A port before it has any state.
#[derive(Clone, Debug)]
pub struct PortPlan {
    /// `a->b`.
    pub name: String,
    /// Of the link.
    pub rate: Rate,
    /// Of the link.
    pub delay: Time,
    /// In front of the link.
    pub queue: Queue,
    /// On the link.
    pub loss: Option<Loss>,
    /// In place of the rate.
    pub capacity: Option<Arc<Capacity>>,
    /// On the link.
    pub jitter: Option<Jitter>,
}

/// A flow before it has any state.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// As in the scenario.
    pub flow: Flow,
    /// For a TCP flow.
    pub tcp: Option<Arc<TcpOptions>>,
    /// First hop of its data.
    pub data_hops: u32,
    /// First hop of its ACKs.
    pub ack_hops: u32,
    /// Whether it is a UDP flow without recorded deliveries, alone on its first port: its source may write ahead of time,
    /// each packet when the one before has reached the end of the first link.
    pub feeds: bool,
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
    /// How far apart packets arrive at ports and hosts at most often; a guess.
    pub spacing: Time,
    /// Flows, by index.
    pub flows: Vec<FlowPlan>,
    /// What is recorded.
    pub watch: Watch,
}

/// Whether hops are folded. Folding changes no recording; not folding is there to show that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// Where possible.
    On,
    /// Nowhere.
    Off,
}

impl Plan {
    /// Compiles a scenario.
    pub fn new(scenario: &Scenario, folding: Folding) -> Checked<Self> {
        check_durations(scenario)?;
        let mut names = Names::new(scenario)?;
        let ports = names.add_links(&scenario.links)?;
        let flow_names = flow_names(&scenario.flows)?;
        let mut options = SharedOptions::default();
        let mut flows = Vec::with_capacity(scenario.flows.len());
        let mut paths = Vec::with_capacity(2 * scenario.flows.len());
        let mut router = Router::new(&names.topology);
        for (i, flow) in scenario.flows.iter().enumerate() {
            let at = format!("flows[{i}]");
            let tcp = check_transport(&at, flow)?.map(|tcp| options.share(tcp));
            check_app(&at, flow)?;
            let (data, acks) = names.route(&at, flow, &mut router)?;
            paths.push(data);
            paths.push(acks);
            flows.push(FlowPlan { flow: flow.clone(), tcp, data_hops: 0, ack_hops: 0, feeds: false });
        }
        drop(router);
        let watch = watch(scenario, &flow_names, &names, &ports)?;
        let (hops, spacing) = lay_out(&paths, &mut flows, &ports, &watch, folding);
        Ok(Plan {
            duration: scenario.duration,
            warm_up: scenario.warm_up,
            ports,
            hops,
            spacing,
            flows,
            watch,
        })
    }
}

/// Nodes and ports by name.
struct Names<'a> {
    nodes: HashMap<&'a str, (usize, bool)>,
    ports: HashMap<String, u32>,
    topology: Topology,
}

impl<'a> Names<'a> {
    fn new(scenario: &'a Scenario) -> Checked<Self> {
        let mut names = Names { nodes: HashMap::new(), ports: HashMap::new(), topology: Topology::default() };
        let hosts = scenario.hosts.iter().map(|name| (name, false));
        let routers = scenario.routers.iter().map(|name| (name, true));
        for (field, list) in [("hosts", hosts.collect::<Vec<_>>()), ("routers", routers.collect())] {
            for (i, (name, forwards)) in list.into_iter().enumerate() {
                names.add_node(&format!("{field}[{i}]"), name, forwards)?;
            }
        }
        Ok(names)
    }

    fn add_node(&mut self, path: &str, name: &'a str, forwards: bool) -> Checked<()> {
        check_name(path, name)?;
        let index = self.topology.add_node(forwards);
        match self.nodes.insert(name, (index, forwards)) {
            None => Ok(()),
            Some(_) => Err(ScenarioError::new(path, quoted(name), "a name that no other node has")),
        }
    }

    fn node(&self, path: &str, name: &str) -> Checked<(usize, bool)> {
        self.nodes
            .get(name)
            .copied()
            .ok_or_else(|| ScenarioError::new(path, quoted(name), "the name of a host or router"))
    }

    fn host(&self, path: &str, name: &str) -> Checked<usize> {
        match self.nodes.get(name) {
            Some(&(index, false)) => Ok(index),
            _ => Err(ScenarioError::new(path, quoted(name), "the name of a host")),
        }
    }

    fn add_links(&mut self, links: &[Link]) -> Checked<Vec<PortPlan>> {
        let mut ports = Vec::with_capacity(2 * links.len());
        for (i, link) in links.iter().enumerate() {
            let at = format!("links[{i}]");
            let (a, b) = (&link.between.0, &link.between.1);
            let from = self.node(&format!("{at}.between[0]"), a)?.0;
            let to = self.node(&format!("{at}.between[1]"), b)?.0;
            if from == to {
                return Err(ScenarioError::new(format!("{at}.between"), quoted(a), "two different nodes"));
            }
            let reverse = &link.reverse;
            let reverse_at = format!("{at}.reverse");
            let forward = PortPlan {
                name: format!("{a}->{b}"),
                rate: check_rate(&format!("{at}.rate"), link.rate)?,
                delay: link.delay,
                queue: check_queue(&format!("{at}.queue"), &link.queue)?,
                loss: check_loss(&format!("{at}.loss"), &link.loss)?,
                capacity: check_capacity(&format!("{at}.capacity"), &link.capacity)?,
                jitter: check_jitter(&format!("{at}.jitter"), link.jitter)?,
            };
            let back = PortPlan {
                name: format!("{b}->{a}"),
                rate: check_rate(&format!("{reverse_at}.rate"), reverse.rate.unwrap_or(link.rate))?,
                delay: reverse.delay.unwrap_or(link.delay),
                queue: check_queue(
                    &format!("{reverse_at}.queue"),
                    reverse.queue.as_ref().unwrap_or(&link.queue),
                )?,
                loss: check_loss(&format!("{reverse_at}.loss"), &reverse.loss)?,
                capacity: check_capacity(&format!("{reverse_at}.capacity"), &reverse.capacity)?,
                jitter: check_jitter(&format!("{reverse_at}.jitter"), reverse.jitter)?,
            };
            for (port, from, to) in [(forward, from, to), (back, to, from)] {
                let index = ports.len() as u32;
                self.add_port_name(&format!("{at}.between"), port.name.clone(), index)?;
                self.topology.add_edge(from, to, index, port.delay);
                ports.push(port);
            }
            if let Some(name) = &link.name {
                let path = format!("{at}.name");
                check_name(&path, name)?;
                self.add_port_name(&path, name.clone(), ports.len() as u32 - 2)?;
            }
        }
        Ok(ports)
    }

    fn add_port_name(&mut self, path: &str, name: String, index: u32) -> Checked<()> {
        let value = quoted(&name);
        match self.ports.insert(name, index) {
            None => Ok(()),
            Some(_) => Err(ScenarioError::new(path, value, "a link that does not exist yet")),
        }
    }

    /// The ports that the flow's data and its ACKs cross.
    fn route(&self, at: &str, flow: &Flow, router: &mut Router<'_>) -> Checked<(Vec<u32>, Vec<u32>)> {
        let source = self.host(&format!("{at}.source"), &flow.source)?;
        let path = format!("{at}.destination");
        let destination = self.host(&path, &flow.destination)?;
        if source == destination {
            return Err(ScenarioError::new(path, quoted(&flow.destination), "another host than the source"));
        }
        let data = router.path(source, destination).ok_or_else(|| {
            ScenarioError::new(
                &path,
                quoted(&flow.destination),
                format!("a host that {} can reach over routers", quoted(&flow.source)),
            )
        })?;
        // Links are full duplex, so there is a way back.
        let acks = router.path(destination, source).unwrap_or_default();
        Ok((data, acks))
    }
}

fn flow_names(flows: &[Flow]) -> Checked<HashMap<String, u32>> {
    if flows.is_empty() {
        return Err(ScenarioError::new("flows", "none", "at least one flow"));
    }
    let mut names = HashMap::new();
    for (i, flow) in flows.iter().enumerate() {
        let path = format!("flows[{i}].name");
        check_name(&path, &flow.name)?;
        if names.insert(flow.name.clone(), i as u32).is_some() {
            return Err(ScenarioError::new(path, quoted(&flow.name), "a name that no other flow has"));
        }
    }
    Ok(names)
}

/// Flows with equal options share them.
#[derive(Default)]
struct SharedOptions(Vec<Arc<TcpOptions>>);

impl SharedOptions {
    fn share(&mut self, options: TcpOptions) -> Arc<TcpOptions> {
        // Flows of one kind tend to follow one another.
        if let Some(known) = self.0.iter().rev().find(|known| ***known == options) {
            return known.clone();
        }
        let shared = Arc::new(options);
        self.0.push(shared.clone());
        shared
    }
}

fn watch(
    scenario: &Scenario,
    flows: &HashMap<String, u32>,
    names: &Names<'_>,
    ports: &[PortPlan],
) -> Checked<Watch> {
    let record = &scenario.record;
    let flow = |field: &str, list: &[String]| select(field, list, flows, "flow");
    let port = |field: &str, list: &[String]| select(field, list, &names.ports, "port or link");
    let series = |field: &str, series: &Option<Series>, of_flows: bool| match series {
        None => Ok(None),
        Some(series) => {
            if series.interval == Time::ZERO {
                let path = format!("record.{field}.interval");
                return Err(ScenarioError::new(path, "0 s", "a time above 0"));
            }
            let field = format!("{field}.of");
            let of = if of_flows { flow(&field, &series.of)? } else { port(&field, &series.of)? };
            Ok(Some((of, series.interval)))
        }
    };
    Ok(Watch {
        rtt: flow("rtt", &record.rtt)?,
        window: flow("window", &record.window)?,
        flow_series: series("flow_series", &record.flow_series, true)?,
        port_series: series("port_series", &record.port_series, false)?,
        responsiveness: match &record.responsiveness {
            None => None,
            Some(asked) => {
                let ShareSeries { of, interval, signals } = asked.clone();
                let series = series("responsiveness", &Some(Series { of, interval }), false)?;
                series.map(|(ports, interval)| Estimated { ports, interval, signals })
            }
        },
        nonresponsive: match &record.nonresponsive {
            None => None,
            Some(asked) => Some(queue_observers(asked, &port("nonresponsive.of", &asked.of)?, ports)?),
        },
        packets: port("packets", &record.packets)?,
        deliveries: flow("deliveries", &record.deliveries)?,
        pcap: port("pcap", &record.pcap)?,
    })
}

fn select(field: &str, list: &[String], known: &HashMap<String, u32>, what: &str) -> Checked<Vec<u32>> {
    let mut indices = Vec::new();
    for (i, name) in list.iter().enumerate() {
        if name == "*" {
            indices.extend(known.values().copied());
        } else if let Some(&index) = known.get(name) {
            indices.push(index);
        } else {
            return Err(ScenarioError::new(
                format!("record.{field}[{i}]"),
                quoted(name),
                format!("the name of a {what}, or \"*\" for all"),
            ));
        }
    }
    indices.sort_unstable();
    indices.dedup();
    Ok(indices)
}
