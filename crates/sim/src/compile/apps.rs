//! Applications that hear back: checks them, and gives each the connections that it needs.
//!
//! A flow carries one connection at a time. One whose application has several at once, or whose destination asks for what
//! it gets, has further flows behind those of the scenario, its *members*, which nobody else sees: a recording
//! counts them with the flow that they belong to.

use std::collections::HashMap;
use std::sync::Arc;

use super::checks::MAX_PACKET_BYTES;
use super::place::{quoted, Place};
use super::{own, Checked};
use crate::error::ScenarioError;
use crate::scenario::{
    App, Barrier, Flow, Tcp, Telnet, TransferSequence, Transport, Variate, Web, WebRequests, LEAST_INTERVAL,
};
use crate::traffic::apps::{self, MOST, MOST_CONNECTIONS, MOST_OBJECTS};
use crate::units::Time;

/// A law has no more values to choose from.
const MOST_CHOICES: usize = 10_000;

/// Form of a transfer's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// Not at all: the source knows.
    Nobody,
    /// The destination opens a connection, and the response follows on it.
    Http,
    /// A packet on a connection of its own; when its ACK is there the source opens another one.
    Ns2,
}

/// The flows of an application that hears back.
#[derive(Clone, Debug)]
pub struct AppPlan {
    /// The one of the scenario, which is that of its first slot.
    pub flow: u32,
    /// True if its slots are flows of the scenario, which wait for one another.
    pub together: bool,
    /// Form of the transfers' requests.
    pub asking: Asking,
    /// Flows of each slot: the one with the data, and the one with the requests if there are any.
    pub slots: Vec<(u32, Option<u32>)>,
}

/// Adds the members of all applications behind the flows. Their errors are those of their flows.
pub fn add_members(flows: &mut Vec<Flow>) -> Checked<Vec<AppPlan>> {
    let mut plans: Vec<AppPlan> = Vec::new();
    let mut groups: HashMap<String, usize> = HashMap::new();
    let list = Place::of("flows");
    for index in 0..flows.len() {
        let Some(slots) = apps::slots_of(&flows[index]) else {
            continue;
        };
        let place = list.item(index);
        check(&place, &flows[index])?;
        let asking = asking(&flows[index].app);
        let group = match &flows[index].app {
            App::Barrier(barrier) => Some(barrier.group.clone()),
            _ => None,
        };
        let number = match &group {
            Some(name) => *groups.entry(name.clone()).or_insert(plans.len()),
            None => plans.len(),
        };
        match plans.get(number) {
            Some(plan) => check_alike(&place, &flows[plan.flow as usize], &flows[index])?,
            None => plans.push(AppPlan {
                flow: index as u32,
                together: group.is_some(),
                asking,
                slots: Vec::new(),
            }),
        }
        let own = flows[index].clone();
        if asking == Asking::Http {
            // The handshake is that of the request.
            change_tcp(&mut flows[index], |tcp| tcp.handshake = Some(false));
        }
        for slot in 0..slots {
            let data = if slot == 0 { index } else { flows.len() };
            if slot > 0 {
                let member = Flow { name: format!("{}#{slot}", own.name).into(), ..flows[index].clone() };
                flows.push(member);
            }
            let requests = (asking != Asking::Nobody).then(|| {
                flows.push(requests_of(&own, slot));
                flows.len() as u32 - 1
            });
            plans[number].slots.push((data as u32, requests));
        }
    }
    Ok(plans)
}

/// The flow of which each flow is a member, itself for those of the scenario; empty if there are no others.
pub fn owners(named: usize, flows: usize, plans: &[AppPlan]) -> Vec<u32> {
    if named == flows {
        return Vec::new();
    }
    let mut owners: Vec<u32> = (0..flows as u32).collect();
    for plan in plans {
        for (data, requests) in &plan.slots {
            let owner = if plan.together { *data } else { plan.flow };
            owners[*data as usize] = owner;
            requests.iter().for_each(|&requests| owners[requests as usize] = owner);
        }
    }
    owners
}

/// Copies of flows in which members have the names of those that they belong to, for rules that go by names.
pub fn under_their_names(flows: &[Flow], owners: &[u32]) -> Vec<Flow> {
    let named =
        |(flow, &owner): (&Flow, &u32)| Flow { name: flows[owner as usize].name.clone(), ..flow.clone() };
    flows.iter().zip(owners).map(named).collect()
}

fn change_tcp(flow: &mut Flow, change: impl FnOnce(&mut Tcp)) {
    if let Transport::Tcp(tcp) = &mut flow.transport {
        change(Arc::make_mut(tcp));
    }
}

/// The flow of the requests of a slot: from the destination to the source, each of one packet.
fn requests_of(own: &Flow, slot: u32) -> Flow {
    let (bytes, _) = request_bytes(&own.app);
    let mut requests = Flow {
        name: format!("{}#{slot}.requests", own.name).into(),
        source: own.destination.clone(),
        destination: own.source.clone(),
        ..own.clone()
    };
    change_tcp(&mut requests, |tcp| tcp.payload_bytes = bytes.unwrap_or(tcp.payload_bytes));
    requests
}

fn request_bytes(app: &App) -> (Option<u32>, bool) {
    match app {
        App::TransferSequence(sequence) => (sequence.request_bytes, sequence.requests),
        App::Barrier(barrier) => (barrier.request_bytes, true),
        App::Web(web) => (web.request_bytes, true),
        _ => (None, false),
    }
}

fn asking(app: &App) -> Asking {
    match app {
        App::TransferSequence(sequence) if sequence.requests => Asking::Http,
        App::Barrier(_) => Asking::Http,
        App::Web(web) if web.requests == WebRequests::Ns2 => Asking::Ns2,
        App::Web(_) => Asking::Http,
        App::User(config) if config.maker.0.as_ref().is_some_and(|maker| maker.requests()) => Asking::Http,
        _ => Asking::Nobody,
    }
}

fn check(place: &Place<'_>, flow: &Flow) -> Checked<()> {
    let at = &place.field("app");
    let Transport::Tcp(tcp) = &flow.transport else {
        let kind = match &flow.app {
            App::Telnet(_) => "telnet",
            App::Barrier(_) => "barrier",
            App::Web(_) => "web",
            _ => "transfer-sequence",
        };
        let expected = "an application that does not hear back, as the transport is udp";
        return Err(ScenarioError::new(at.field("kind").to_string(), quoted(kind), expected));
    };
    match &flow.app {
        App::TransferSequence(sequence) => check_sequence(at, sequence),
        App::Barrier(barrier) => check_barrier(at, barrier),
        App::Telnet(telnet) => check_telnet(at, telnet),
        App::Web(web) => check_web(at, web),
        App::User(config) => own::found(at, config).map(drop),
        _ => Ok(()),
    }?;
    match request_bytes(&flow.app) {
        (Some(bytes), false) => {
            let expected = "none, as there are no requests";
            Err(ScenarioError::new(at.field("request_bytes").to_string(), bytes, expected))
        }
        (Some(bytes), true) if bytes == 0 || bytes.saturating_add(tcp.header_bytes) > MAX_PACKET_BYTES => {
            let expected = format!("1 to {MAX_PACKET_BYTES} bytes with the header");
            Err(ScenarioError::new(at.field("request_bytes").to_string(), bytes, expected))
        }
        _ => Ok(()),
    }
}

fn check_sequence(at: &Place<'_>, sequence: &TransferSequence) -> Checked<()> {
    check_number(&at.field("packets"), &sequence.packets, MOST)?;
    check_time(&at.field("think"), &sequence.think)?;
    check_count(&at.field("transfers_at_most"), sequence.transfers_at_most, u32::MAX, "transfer")
}

fn check_barrier(at: &Place<'_>, barrier: &Barrier) -> Checked<()> {
    check_count(&at.field("packets"), Some(barrier.packets), MOST, "packet")?;
    check_time(&at.field("think"), &barrier.think)?;
    check_count(&at.field("rounds"), barrier.rounds, u32::MAX, "round")
}

/// Checks that a flow does as the first of its group.
fn check_alike(place: &Place<'_>, first: &Flow, flow: &Flow) -> Checked<()> {
    let expected = |what: &str| format!("{what} of {}, which is of the same group", quoted(&first.name));
    if flow.app != first.app {
        return Err(ScenarioError::new(&place.field("app"), "another barrier", expected("that")));
    }
    if flow.stop != first.stop {
        return Err(ScenarioError::new(&place.field("stop"), "another time", expected("that")));
    }
    Ok(())
}

fn check_telnet(at: &Place<'_>, telnet: &Telnet) -> Checked<()> {
    check_number(&at.field("packets"), &telnet.packets, MOST)?;
    check_time(&at.field("interval"), &telnet.interval)?;
    let mean = Time::from_secs(apps::mean(&telnet.interval));
    if mean < LEAST_INTERVAL {
        let (value, least) = (format!("a mean of {} s", mean.secs()), LEAST_INTERVAL.secs());
        let expected = format!("a mean of at least {least} s");
        return Err(ScenarioError::new(at.field("interval").to_string(), value, expected));
    }
    check_time(&at.field("idle"), &telnet.idle)?;
    check_count(&at.field("sessions"), telnet.sessions, u32::MAX, "session")
}

fn check_web(at: &Place<'_>, web: &Web) -> Checked<()> {
    check_number(&at.field("pages"), &web.pages, MOST)?;
    check_time(&at.field("inter_page"), &web.inter_page)?;
    check_number(&at.field("objects"), &web.objects, MOST_OBJECTS)?;
    check_time(&at.field("inter_object"), &web.inter_object)?;
    check_number(&at.field("object_packets"), &web.object_packets, MOST)?;
    if let Some(pause) = &web.inter_session {
        check_time(&at.field("inter_session"), pause)?;
    }
    check_count(&at.field("connections"), web.connections, MOST_CONNECTIONS, "connection")
}

fn check_count(at: &Place<'_>, count: Option<u32>, most: u32, unit: &str) -> Checked<()> {
    match count {
        Some(0) => Err(ScenarioError::new(at, 0, format!("at least 1 {unit}"))),
        Some(count) if count > most => Err(ScenarioError::new(at, count, format!("at most {most} {unit}s"))),
        _ => Ok(()),
    }
}

/// A number is drawn as a fraction, and rounded up to at least 1.
fn check_number(at: &Place<'_>, law: &Variate, most: u32) -> Checked<()> {
    check_law(at, law, f64::from(most), &format!("a number from 0 to {most}"))
}

fn check_time(at: &Place<'_>, law: &Variate) -> Checked<()> {
    check_law(at, law, 1e7, "a time from 0 to 1e7 s")
}

fn check_law(at: &Place<'_>, law: &Variate, most: f64, expected: &str) -> Checked<()> {
    let wrong = |field: &str, value: f64, expected: &str| {
        Err(ScenarioError::new(at.field(field).to_string(), value, expected.to_string()))
    };
    let within = |value: f64| (0.0..=most).contains(&value);
    match *law {
        Variate::Constant { value } if !within(value) => wrong("value", value, expected),
        Variate::Exponential { mean }
        | Variate::Pareto { mean, .. }
        | Variate::Lomax { mean, .. }
        | Variate::Lognormal { mean, .. }
            if !within(mean) =>
        {
            wrong("mean", mean, expected)
        }
        Variate::Pareto { shape, .. } | Variate::Lomax { shape, .. }
            if !(shape > 1.0 && shape.is_finite()) =>
        {
            wrong("shape", shape, "a number above 1, so that the mean exists")
        }
        Variate::Lognormal { sigma, .. } if !(0.0..=100.0).contains(&sigma) => {
            wrong("sigma", sigma, "a number from 0 to 100")
        }
        Variate::Uniform { low, .. } if !within(low) => wrong("low", low, expected),
        Variate::Uniform { low, high } if !(within(high) && high >= low) => {
            wrong("high", high, &format!("{expected}, at least low"))
        }
        Variate::Choice { ref values, ref weights } => check_choice(at, values, weights, most, expected),
        _ => Ok(()),
    }
}

fn check_choice(at: &Place<'_>, values: &[f64], weights: &[f64], most: f64, expected: &str) -> Checked<()> {
    let wrong = |field: String, value: String, expected: &str| {
        Err(ScenarioError::new(field, value, expected.to_string()))
    };
    if values.is_empty() || values.len() > MOST_CHOICES {
        let count = format!("{} values", values.len());
        return wrong(at.field("values").to_string(), count, &format!("1 to {MOST_CHOICES} of them"));
    }
    if weights.len() != values.len() {
        let count = format!("{} weights", weights.len());
        return wrong(at.field("weights").to_string(), count, &format!("{}, one a value", values.len()));
    }
    for (place, &value) in values.iter().enumerate() {
        if !(0.0..=most).contains(&value) {
            return wrong(format!("{}[{place}]", at.field("values")), value.to_string(), expected);
        }
    }
    for (place, &weight) in weights.iter().enumerate() {
        if !(0.0..=1e12).contains(&weight) {
            return wrong(
                format!("{}[{place}]", at.field("weights")),
                weight.to_string(),
                "a number from 0 to 1e12",
            );
        }
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        return wrong(at.field("weights").to_string(), "zeros".to_string(), "one above 0");
    }
    Ok(())
}

/// The numbers of all members of the flows of these numbers, and these.
pub fn with_members(flows: Vec<u32>, owners: &[u32]) -> Vec<u32> {
    if owners.is_empty() {
        return flows;
    }
    let wanted = |flow: &u32| flows.binary_search(&owners[*flow as usize]).is_ok();
    (0..owners.len() as u32).filter(wanted).collect()
}
