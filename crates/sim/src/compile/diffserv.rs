//! Checks conditioners, and finds which flows belong to which aggregate.

use std::sync::Arc;

use parshall_estimators::meter::MeterConfig;

use super::class_queues::check_dscp;
use super::layout::Paths;
use super::patterns::{check_patterns, matches};
use super::place::{error, quoted, Place};
use super::{own, Checked, PortPlan};
use crate::error::ScenarioError;
use crate::names::NameList;
use crate::network::{ConditionerPlan, FlowId, FlowSet};
use crate::random::fnv1a;
use crate::record::Watch;
use crate::scenario::{
    Conditioner, DiffServProfile, Flow, LossOf, Meter, MeteredBytes, OwnMeter, Queue, Rule, Transport,
    Treatment,
};
use crate::units::Time;

/// A conditioner of a scenario, and the port that it stands in front of.
pub(super) struct PlacedConditioner {
    pub port: u32,
    pub config: Arc<Conditioner>,
}

/// Parts of the network that a conditioner is checked against.
pub(super) struct Surroundings<'a> {
    pub flows: &'a [Flow],
    pub paths: &'a Paths,
    pub ports: &'a [PortPlan],
    pub port_names: &'a NameList,
    pub is_host: &'a dyn Fn(&str) -> bool,
}

/// Finds the aggregates of conditioners, and checks them.
pub(super) fn plan_conditioners(
    asked: Vec<PlacedConditioner>,
    around: &Surroundings<'_>,
) -> Checked<Vec<ConditionerPlan>> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let header = |flow: &Flow| (flow.transport.data_bytes() - flow.transport.payload_bytes()) as u16;
    let headers: Arc<[u16]> = around.flows.iter().map(header).collect();
    let conditioned: Vec<u32> = asked.iter().map(|each| each.port).collect();
    let links = Place::of("links");
    let mut plans = Vec::with_capacity(asked.len());
    for PlacedConditioner { port, config } in asked {
        let (link, reverse) = (links.item(port as usize / 2), port % 2 == 1);
        let direction = link.field("reverse");
        let place = if reverse { direction.field("conditioner") } else { link.field("conditioner") };
        let rules = place.field("rules");
        if config.rules.is_empty() {
            return error(&place, "rules", "none", "at least one rule");
        }
        if config.knowledge.exchange_interval == Time::ZERO {
            return error(&place, "knowledge.exchange_interval", "0 s", "a time above 0");
        }
        let mut members = Vec::with_capacity(config.rules.len());
        let mut known = Vec::with_capacity(config.rules.len());
        for (index, rule) in config.rules.iter().enumerate() {
            let at = rules.item(index);
            let found = aggregate(&at, rule, port, &config, &conditioned, around)?;
            known.push(known_flows(&at, rule, port, &found, around)?);
            members.push(found);
        }
        plans.push(ConditionerPlan {
            port,
            keys: keys(&config, around),
            config,
            members,
            headers: headers.clone(),
            known,
        });
    }
    Ok(plans)
}

/// The keys of all flows, if a marker of the caller's own asks for them.
fn keys(config: &Conditioner, around: &Surroundings<'_>) -> Arc<[u64]> {
    let asks = config.rules.iter().any(|rule| matches!(rule.meter, Some(Meter::Own(_))));
    let flows = if asks { around.flows } else { &[] };
    flows.iter().map(|flow| fnv1a(&flow.name)).collect()
}

/// The connections that a rule must know more of, and the bytes of their packets that count.
fn known_flows(
    at: &Place<'_>,
    rule: &Rule,
    port: u32,
    members: &FlowSet,
    around: &Surroundings<'_>,
) -> Checked<Vec<(u32, u16)>> {
    if let Some(small) = rule.small_window {
        if !(small.below_packets > 0.0 && small.below_packets.is_finite()) {
            return error(at, "small_window.below_packets", small.below_packets, "a number above 0");
        }
        if rule.meter.as_ref().and_then(Meter::native).is_none() {
            return error(
                at,
                "small_window",
                "one",
                "none, or one of the engine's meters from which it protects",
            );
        }
    }
    if rule.small_window.is_none()
        && !rule.meter.as_ref().and_then(Meter::native).is_some_and(MeterConfig::asks_around)
    {
        return Ok(Vec::new());
    }
    let mut known = Vec::new();
    for (index, flow) in around.flows.iter().enumerate() {
        let crosses = |path: usize, port: u32| around.paths.get(path).contains(&port);
        let passes = members.contains(FlowId::new(index as u32, false)) && crosses(2 * index, port);
        if !passes || !matches!(flow.transport, Transport::Tcp(_)) {
            continue;
        }
        if !crosses(2 * index + 1, port ^ 1) {
            let expected =
                format!("flows whose ACKs come back over {}", &around.port_names[(port ^ 1) as usize]);
            return error(at, "flows", quoted(&flow.name), expected);
        }
        known.push((index as u32, metered(rule.count, flow, false) as u16));
    }
    if known.is_empty() {
        return error(at, "meter", "one that goes by round trips or windows", "an aggregate of TCP flows");
    }
    Ok(known)
}

/// Checks that there are conditioners whose knowledge can be recorded.
pub(super) fn check_edges(watch: &Watch, plans: &[ConditionerPlan], names: &NameList) -> Checked<()> {
    let asked = watch.edges.iter().flat_map(|(ports, _)| ports).enumerate();
    for (index, port) in asked {
        if !plans.iter().any(|plan| plan.port == *port && plan.listens()) {
            let expected = "a port whose conditioner goes by round trips, timeouts or windows";
            let path = format!("record.edges.of[{index}]");
            return Err(ScenarioError::new(path, quoted(&names[*port as usize]), expected));
        }
    }
    Ok(())
}

/// Checks a rule, and compiles it to the aggregate of its flows.
fn aggregate(
    at: &Place<'_>,
    rule: &Rule,
    port: u32,
    config: &Conditioner,
    conditioned: &[u32],
    around: &Surroundings<'_>,
) -> Checked<FlowSet> {
    check_names(at, rule, around)?;
    let strict = config.profile == DiffServProfile::Rfc;
    let place = at.field("meter");
    match &rule.meter {
        Some(Meter::Native(meter)) => meter.validate(strict).map_err(|error| {
            ScenarioError::new(format!("{place}.{}", error.field), error.value, error.expected)
        })?,
        Some(Meter::Own(OwnMeter::User(config))) => own::found(&place, config).map(drop)?,
        None => {}
    }
    let mut members = FlowSet::default();
    let (mut crosses, mut largest) = (false, 0);
    for (flow, ack) in (0..around.flows.len()).flat_map(|flow| [(flow, false), (flow, true)]) {
        let asked = &around.flows[flow];
        if !matches_rule(rule, asked, ack) {
            continue;
        }
        members.insert(FlowId::new(flow as u32, ack));
        let path = around.paths.get(2 * flow + usize::from(ack));
        if let Some(hop) = path.iter().position(|&each| each == port) {
            crosses = true;
            largest = largest.max(metered(rule.count, asked, ack));
            check_marks(at, rule, &path[hop..], conditioned, around)?;
        }
    }
    if !crosses {
        let named =
            if rule.flows.is_empty() { "any flow".to_string() } else { quoted(&rule.flows.join(", ")) };
        let expected = format!("an aggregate that crosses {}", &around.port_names[port as usize]);
        return error(at, "flows", named, expected);
    }
    match (rule.meter.as_ref().and_then(Meter::native), strict) {
        (Some(meter), true) => check_bursts(&place, meter, largest).map(|()| members),
        _ => Ok(members),
    }
}

fn check_names(at: &Place<'_>, rule: &Rule, around: &Surroundings<'_>) -> Checked<()> {
    for &dscp in &rule.dscp {
        check_dscp(at, "dscp", dscp)?;
    }
    for (field, treatment) in
        [("if_green", rule.if_green), ("if_yellow", rule.if_yellow), ("if_red", rule.if_red)]
    {
        if let Some(Treatment::Mark(dscp)) = treatment {
            check_dscp(at, field, dscp)?;
        }
    }
    for (field, hosts) in [("sources", &rule.sources), ("destinations", &rule.destinations)] {
        if let Some(index) = hosts.iter().position(|name| !(around.is_host)(name)) {
            return error(at, &format!("{field}[{index}]"), quoted(&hosts[index]), "the name of a host");
        }
    }
    check_patterns(at, &rule.flows, around.flows)
}

/// Returns whether packets of one direction of a flow match a rule, code points aside.
fn matches_rule(rule: &Rule, flow: &Flow, ack: bool) -> bool {
    let (from, to) = if ack { (&flow.destination, &flow.source) } else { (&flow.source, &flow.destination) };
    let named = rule.flows.is_empty() || rule.flows.iter().any(|pattern| matches(pattern, &flow.name));
    let hosts = |hosts: &[smol_str::SmolStr], host| hosts.is_empty() || hosts.contains(host);
    let kind = match rule.of {
        LossOf::All => true,
        LossOf::Data => !ack,
        LossOf::Acks => ack,
    };
    // UDP has no ACKs.
    let exists = !ack || matches!(flow.transport, Transport::Tcp(_));
    exists && named && kind && hosts(&rule.sources, from) && hosts(&rule.destinations, to)
}

/// Bytes of the largest packet of one direction of a flow that a meter counts.
fn metered(count: MeteredBytes, flow: &Flow, ack: bool) -> u64 {
    let payload = super::payloads(flow).max().unwrap_or_else(|| flow.transport.payload_bytes());
    let header = flow.transport.data_bytes() - flow.transport.payload_bytes();
    match (count, &flow.transport) {
        (MeteredBytes::Wire, Transport::Tcp(tcp)) if ack => u64::from(tcp.ack_bytes),
        (MeteredBytes::Wire, _) => u64::from(payload + header),
        (MeteredBytes::Payload, _) if ack => 0,
        (MeteredBytes::Payload, _) => u64::from(payload),
    }
}

/// RFC 2697 and 2698: a burst that is not zero should hold the largest packet, or none of these ever conforms.
fn check_bursts(place: &Place<'_>, meter: &MeterConfig, largest: u64) -> Checked<()> {
    for (field, bytes) in meter.bursts() {
        // [RFC 2697 2-b] [RFC 2698 2-b] [RFC 2698 2-c]
        let may_be_none = !matches!(meter, MeterConfig::Trtcm(_) | MeterConfig::TokenBucket(_));
        if bytes < largest && !(bytes == 0 && may_be_none) {
            let expected = format!("at least a packet of this aggregate, {largest} bytes");
            return error(place, field, bytes, expected);
        }
    }
    Ok(())
}

/// Class queues behind a conditioner, up to the next one, must know the precedences that it marks.
fn check_marks(
    at: &Place<'_>,
    rule: &Rule,
    path: &[u32],
    conditioned: &[u32],
    around: &Surroundings<'_>,
) -> Checked<()> {
    for (hop, &port) in path.iter().enumerate() {
        if hop > 0 && conditioned.contains(&port) {
            break;
        }
        let Queue::Diffserv(queue) = &*around.ports[port as usize].queue else {
            continue;
        };
        let known = |dscp: &u8| {
            queue.queues.iter().flat_map(|each| &each.precedences).any(|it| it.dscp.contains(dscp))
        };
        for (field, treatment) in
            [("if_green", rule.if_green), ("if_yellow", rule.if_yellow), ("if_red", rule.if_red)]
        {
            match treatment {
                Some(Treatment::Mark(dscp)) if !known(&dscp) => {
                    let port = &around.port_names[port as usize];
                    let expected = format!("a code point that a precedence of the queue of {port} names");
                    return error(at, field, dscp, expected);
                }
                _ => {}
            }
        }
    }
    Ok(())
}
