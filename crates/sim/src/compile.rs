//! Turns a scenario into a network: checks every name and number, finds the routes, decides what to fold.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::ScenarioError;
use crate::network::{Hop, Router, Topology};
use crate::record::Watch;
use crate::scenario::{
    App, Control, DropTail, Flow, Law, Link, Loss, Queue, Red, RedWeight, Scenario, Series, Tcp, Transport,
    Udp,
};
use crate::transport::TcpOptions;
use crate::units::{Rate, Time};

type Checked<T> = Result<T, ScenarioError>;

/// What IPv4 can carry in one packet.
const MAX_PACKET_BYTES: u32 = 65_535;

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
            flows.push(FlowPlan { flow: flow.clone(), tcp, data_hops: 0, ack_hops: 0 });
        }
        drop(router);
        let watch = watch(scenario, &flow_names, &names)?;
        let hops = lay_out(&paths, &mut flows, ports.len(), &watch, folding);
        Ok(Plan { duration: scenario.duration, warm_up: scenario.warm_up, ports, hops, flows, watch })
    }
}

fn check_durations(scenario: &Scenario) -> Checked<()> {
    if scenario.duration == Time::ZERO {
        return Err(ScenarioError::new("duration", "0 s", "a time above 0"));
    }
    if scenario.warm_up >= scenario.duration {
        return Err(ScenarioError::new(
            "warm_up",
            format!("{} s", scenario.warm_up.secs()),
            format!("less than the duration, {} s", scenario.duration.secs()),
        ));
    }
    Ok(())
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

fn quoted(name: &str) -> String {
    format!("{name:?}")
}

fn check_name(path: &str, name: &str) -> Checked<()> {
    let allowed = |c: char| c.is_alphanumeric() || "_-./:".contains(c);
    if name.is_empty() || !name.chars().all(allowed) || name.contains("->") {
        return Err(ScenarioError::new(
            path,
            quoted(name),
            "a name of letters, digits and _ - . / : (without ->)",
        ));
    }
    Ok(())
}

fn check_rate(path: &str, rate: Rate) -> Checked<Rate> {
    if rate.bps() > 0.0 && rate.bps().is_finite() {
        Ok(rate)
    } else {
        let value = format!("{} bit/s", rate.bps());
        Err(ScenarioError::new(path, value, "a rate above 0"))
    }
}

fn check_queue(path: &str, queue: &Queue) -> Checked<Queue> {
    let DropTail { limit_packets, limit_bytes } = match queue {
        Queue::Droptail(limits) => limits,
        Queue::Red(red) => return check_red(path, red).map(|()| queue.clone()),
    };
    if *limit_packets == Some(0) {
        let path = format!("{path}.limit_packets");
        return Err(ScenarioError::new(path, 0, "at least 1 packet"));
    }
    if *limit_bytes == Some(0) {
        let path = format!("{path}.limit_bytes");
        return Err(ScenarioError::new(path, 0, "at least 1 byte"));
    }
    Ok(queue.clone())
}

fn check_red(path: &str, red: &Red) -> Checked<()> {
    let weight = match red.weight {
        RedWeight::Fixed { value } => value,
        RedWeight::FromRate {} => 1.0,
    };
    let (low, high) = (red.min_threshold_packets, red.max_threshold_packets);
    let probability = red.max_probability;
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let checks = [
        (positive(low), "min_threshold_packets", low, "a number above 0".to_string()),
        (
            positive(high) && high >= low,
            "max_threshold_packets",
            high,
            format!("at least min_threshold_packets, {low}"),
        ),
        (
            positive(probability) && probability <= 1.0,
            "max_probability",
            probability,
            "a probability above 0, at most 1".into(),
        ),
        (positive(weight) && weight <= 1.0, "weight.value", weight, "a number above 0, at most 1".into()),
        (red.limit_packets > 0, "limit_packets", f64::from(red.limit_packets), "at least 1 packet".into()),
        (
            red.mean_packet_bytes > 0,
            "mean_packet_bytes",
            f64::from(red.mean_packet_bytes),
            "at least 1 byte".into(),
        ),
    ];
    for (holds, field, value, expected) in checks {
        if !holds {
            return Err(ScenarioError::new(format!("{path}.{field}"), value, expected));
        }
    }
    Ok(())
}

fn check_loss(path: &str, loss: &Option<Loss>) -> Checked<Option<Loss>> {
    match loss {
        Some(Loss::Bernoulli(config)) if !(0.0..=1.0).contains(&config.probability) => {
            Err(ScenarioError::new(
                format!("{path}.probability"),
                config.probability,
                "a probability from 0 to 1",
            ))
        }
        Some(Loss::Listed(config)) => {
            for (i, &arrival) in config.arrivals.iter().enumerate() {
                if arrival == 0 {
                    let path = format!("{path}.arrivals[{i}]");
                    return Err(ScenarioError::new(path, 0, "an arrival number, 1 or more"));
                }
            }
            Ok(loss.clone())
        }
        _ => Ok(loss.clone()),
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

fn check_transport(at: &str, flow: &Flow) -> Checked<Option<TcpOptions>> {
    let at = format!("{at}.transport");
    match &flow.transport {
        Transport::Udp(udp) => check_udp(&at, udp).map(|()| None),
        Transport::Tcp(tcp) => check_tcp(&at, tcp).map(Some),
    }
}

fn check_sizes(at: &str, payload_bytes: u32, header_bytes: u32) -> Checked<()> {
    if payload_bytes == 0 {
        let path = format!("{at}.payload_bytes");
        return Err(ScenarioError::new(path, 0, "at least 1 byte"));
    }
    let total = payload_bytes.saturating_add(header_bytes);
    if total > MAX_PACKET_BYTES {
        return Err(ScenarioError::new(
            format!("{at}.payload_bytes"),
            payload_bytes,
            format!("at most {MAX_PACKET_BYTES} bytes with the header"),
        ));
    }
    Ok(())
}

fn check_udp(at: &str, udp: &Udp) -> Checked<()> {
    check_sizes(at, udp.payload_bytes, udp.header_bytes)
}

fn check_tcp(at: &str, tcp: &Tcp) -> Checked<TcpOptions> {
    check_sizes(at, tcp.payload_bytes, tcp.header_bytes)?;
    for (field, bytes) in [("header_bytes", tcp.header_bytes), ("ack_bytes", tcp.ack_bytes)] {
        if bytes == 0 || bytes > MAX_PACKET_BYTES {
            let expected = format!("1 to {MAX_PACKET_BYTES} bytes");
            return Err(ScenarioError::new(format!("{at}.{field}"), bytes, expected));
        }
    }
    check_control(&format!("{at}.control"), &tcp.control)?;
    let options = TcpOptions::resolve(tcp);
    options
        .rto
        .validate()
        .map_err(|e| ScenarioError::new(format!("{at}.rto.{}", e.field), &e.value, e.expected))?;
    let seconds = |t: Time| format!("{} s", t.secs());
    let checks = [
        (
            options.initial_window >= 1.0,
            "initial_window_packets",
            options.initial_window.to_string(),
            "at least 1 packet",
        ),
        (
            options.max_window >= 1.0,
            "max_window_packets",
            options.max_window.to_string(),
            "at least 1 packet",
        ),
        (
            options.initial_ssthresh >= 1.0,
            "initial_ssthresh_packets",
            options.initial_ssthresh.to_string(),
            "at least 1 packet",
        ),
        (
            options.dupack_threshold >= 1,
            "dupack_threshold",
            options.dupack_threshold.to_string(),
            "at least 1",
        ),
        (options.initial_rto > Time::ZERO, "initial_rto", seconds(options.initial_rto), "a time above 0"),
        (options.min_rto > Time::ZERO, "min_rto", seconds(options.min_rto), "a time above 0"),
        (options.max_rto >= options.min_rto, "max_rto", seconds(options.max_rto), "at least min_rto"),
        (options.delayed_ack != Some(Time::ZERO), "delayed_ack_timer", "0 s".into(), "a time above 0"),
    ];
    for (holds, field, value, expected) in checks {
        if !holds {
            return Err(ScenarioError::new(format!("{at}.{field}"), value, expected));
        }
    }
    Ok(options)
}

fn check_control(at: &str, control: &Control) -> Checked<()> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let not_negative = |x: f64| x >= 0.0 && x.is_finite();
    let above = "a number above 0";
    let from = "a number, 0 or more";
    let checks = match control {
        Control::Aimd {} => vec![],
        Control::Binomial(c) => vec![
            (not_negative(c.k), "k", c.k, from),
            (not_negative(c.l), "l", c.l, from),
            (positive(c.alpha), "alpha", c.alpha, above),
            (positive(c.beta), "beta", c.beta, above),
        ],
        Control::Cubic(c) => vec![
            (positive(c.c), "c", c.c, above),
            (positive(c.beta) && c.beta < 1.0, "beta", c.beta, "a number between 0 and 1"),
        ],
        Control::Vegas(c) => vec![
            (not_negative(c.alpha), "alpha", c.alpha, from),
            (c.beta >= c.alpha && c.beta.is_finite(), "beta", c.beta, "at least alpha"),
            (not_negative(c.gamma), "gamma", c.gamma, from),
        ],
        Control::Veno(c) => vec![(positive(c.beta), "beta", c.beta, above)],
    };
    for (holds, field, value, expected) in checks {
        if !holds {
            return Err(ScenarioError::new(format!("{at}.{field}"), value, expected));
        }
    }
    Ok(())
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

fn check_app(at: &str, flow: &Flow) -> Checked<()> {
    if flow.stop.is_some_and(|stop| stop <= flow.start) {
        return Err(ScenarioError::new(
            format!("{at}.stop"),
            format!("{} s", flow.stop.unwrap_or_default().secs()),
            format!("later than the start, {} s", flow.start.secs()),
        ));
    }
    let at = format!("{at}.app");
    let udp = matches!(flow.transport, Transport::Udp(_));
    match &flow.app {
        App::Bulk {} if udp => Err(needs_tcp(&at, "bulk")),
        App::Transfer(_) if udp => Err(needs_tcp(&at, "transfer")),
        App::Bulk {} => Ok(()),
        App::Transfer(transfer) if transfer.packets == 0 || transfer.packets == u32::MAX => {
            Err(ScenarioError::new(
                format!("{at}.packets"),
                transfer.packets,
                "at least 1 packet and less than 2^32 - 1",
            ))
        }
        App::Transfer(_) => Ok(()),
        App::Cbr(cbr) => check_rate(&format!("{at}.rate"), cbr.rate).map(drop),
        App::Vbr(vbr) => {
            check_rate(&format!("{at}.rates[0]"), vbr.rates.0)?;
            let ordered = vbr.rates.0 <= vbr.rates.1 && vbr.rates.1.bps().is_finite();
            if !ordered {
                let value = format!("{} bit/s", vbr.rates.1.bps());
                let path = format!("{at}.rates[1]");
                return Err(ScenarioError::new(path, value, "at least rates[0]"));
            }
            let intervals = vbr.intervals;
            if intervals.0 == Time::ZERO || intervals.0 > intervals.1 {
                return Err(ScenarioError::new(
                    format!("{at}.intervals"),
                    format!("[{} s, {} s]", intervals.0.secs(), intervals.1.secs()),
                    "two times above 0, the lower one first",
                ));
            }
            Ok(())
        }
        App::OnOff(config) => {
            check_rate(&format!("{at}.rate"), config.rate)?;
            for (field, time) in [("on", config.on), ("off", config.off)] {
                if time == Time::ZERO {
                    let path = format!("{at}.{field}");
                    return Err(ScenarioError::new(path, "0 s", "a time above 0"));
                }
            }
            match config.law {
                Law::Pareto { shape } if !(shape > 1.0 && shape.is_finite()) => Err(ScenarioError::new(
                    format!("{at}.law.shape"),
                    shape,
                    "a number above 1, so that the mean exists",
                )),
                _ => Ok(()),
            }
        }
        App::Schedule(schedule) => {
            for (i, pair) in schedule.writes.windows(2).enumerate() {
                if pair[1].0 < pair[0].0 {
                    return Err(ScenarioError::new(
                        format!("{at}.writes[{}][0]", i + 1),
                        format!("{} s", pair[1].0.secs()),
                        "times in ascending order",
                    ));
                }
            }
            Ok(())
        }
    }
}

fn needs_tcp(at: &str, app: &str) -> ScenarioError {
    ScenarioError::new(
        format!("{at}.kind"),
        quoted(app),
        "an application with a rate of its own, as the transport is udp",
    )
}

fn watch(scenario: &Scenario, flows: &HashMap<String, u32>, names: &Names<'_>) -> Checked<Watch> {
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

/// Lays the hops of all paths out in a row and folds those that lead to a port which only one path uses and
/// nobody observes.
fn lay_out(
    paths: &[Vec<u32>],
    flows: &mut [FlowPlan],
    ports: usize,
    watch: &Watch,
    folding: Folding,
) -> Vec<Hop> {
    let mut users = vec![0u32; ports];
    for &port in paths.iter().flatten() {
        users[port as usize] += 1;
    }
    for port in watch.ports() {
        // An observed port must see time pass as others do.
        users[port as usize] += 1;
    }
    let mut hops = Vec::new();
    for (i, path) in paths.iter().enumerate() {
        let first = hops.len() as u32;
        let plan = &mut flows[i / 2];
        if i % 2 == 0 {
            plan.data_hops = first;
        } else {
            plan.ack_hops = first;
        }
        for (j, &port) in path.iter().enumerate() {
            let private = |next: &u32| users[*next as usize] == 1;
            let fold_next = folding == Folding::On && path.get(j + 1).is_some_and(private);
            hops.push(Hop { port, flow: i as u32 / 2, fold_next });
        }
        hops.push(Hop { port: Hop::END, flow: i as u32 / 2, fold_next: false });
    }
    hops
}
