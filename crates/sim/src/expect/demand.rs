//! Demand of each flow, members included.

use super::asks::{number, Asks};
use super::shares::{delay, lost, rate};
use super::window::{rate_with_losses, rounds_of, sent_after};
use crate::compile::{Asking, Plan};
use crate::network::Hop;
use crate::scenario::{App, ConnectionUse, Transport};
use crate::transport::TcpOptions;
use crate::units::Time;

/// Demand of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    pub data_hops: u32,
    pub ack_hops: u32,
    pub packet_bytes: f64,
    /// Packets a second at most.
    pub pps: f64,
    /// For so long.
    pub seconds: f64,
    /// Packets at most in all.
    pub packets: f64,
    /// ACKs for each.
    pub acks: f64,
    /// Events at its ends for each: its pacing and timers, and writes of its source, if that waits for the network.
    pub own_events: f64,
    /// Writes of a source that does not, in all.
    pub writes: f64,
    /// Set for a flow that adapts to the capacity that others leave.
    pub elastic: bool,
    /// The flow that it goes with, and packets for each of that one's.
    pub follows: Option<(u32, f64)>,
}

/// Place of a flow in an application that hears back.
#[derive(Clone, Copy, Debug)]
struct Membership {
    /// Flows among which it divides its demand.
    slots: f64,
    asking: Asking,
    /// For requests: the flow with the responses.
    requests_for: Option<u32>,
}

/// Demands of all flows.
pub fn demands(plan: &Plan) -> Vec<Demand> {
    let members = memberships(plan);
    (0..plan.flows.len()).map(|flow| demand(plan, flow, members.get(flow).copied().flatten())).collect()
}

fn memberships(plan: &Plan) -> Vec<Option<Membership>> {
    let mut members = vec![None; if plan.apps.is_empty() { 0 } else { plan.flows.len() }];
    for app in &plan.apps {
        let slots = if app.together { 1.0 } else { app.slots.len() as f64 };
        let own = Membership { slots, asking: app.asking, requests_for: None };
        for &(data, requests) in &app.slots {
            members[data as usize] = Some(own);
            let asks = requests.into_iter();
            asks.for_each(|it| members[it as usize] = Some(Membership { requests_for: Some(data), ..own }));
        }
    }
    members
}

fn demand(plan: &Plan, index: usize, member: Option<Membership>) -> Demand {
    let (asked, known) = (&plan.scenario_flows[index], &plan.flows[index]);
    let start = asked.start + Time::from_ps(asked.start_spread.ps() / 2);
    let end = asked.stop.unwrap_or(plan.duration).min(plan.duration);
    let seconds = end.since(start).secs();
    let packet_bytes = match &known.tcp {
        Some(options) => f64::from(options.data_bytes),
        None => f64::from(asked.transport.data_bytes()),
    };
    let base = Demand {
        data_hops: known.data_hops,
        ack_hops: known.ack_hops,
        packet_bytes,
        pps: 0.0,
        seconds,
        packets: 0.0,
        acks: 0.0,
        own_events: 0.0,
        writes: 0.0,
        elastic: false,
        follows: None,
    };
    match (&asked.transport, &known.tcp) {
        (Transport::Tcp(_), Some(options)) => {
            let path = Path::new(plan, index, options);
            of_tcp(base, (&asked.app, &asked.transport), &Sender { options, path }, member)
        }
        _ => {
            let asks = Asks::of(&asked.app, &asked.transport, seconds, |_| 0.0);
            let writes = if known.writes_ahead { 0.0 } else { writes(&asks, seconds) };
            Demand { pps: asks.pps, packets: asks.packets, writes, ..base }
        }
    }
}

/// A TCP sender and its way.
struct Sender<'a> {
    options: &'a TcpOptions,
    path: Path,
}

/// The way of a flow's packets, there and back.
struct Path {
    /// The least time around, in seconds.
    rtt: f64,
    /// Packets a second of the slowest link.
    pps: f64,
    /// Part of its data that links lose.
    loss: f64,
}

impl Path {
    fn new(plan: &Plan, index: usize, options: &TcpOptions) -> Self {
        let flow = &plan.flows[index];
        let (data, acks) = (plan.path(flow.data_hops), plan.path(flow.ack_hops));
        let once = |hops: &[Hop], bytes: u16| -> f64 {
            let hop = |hop: &Hop| delay(plan, hop.port) + 8.0 * f64::from(bytes) / rate(plan, hop.port);
            hops.iter().map(hop).sum()
        };
        let slowest = data.iter().map(|hop| rate(plan, hop.port)).fold(f64::INFINITY, f64::min);
        let kept = |hop: &Hop| 1.0 - lost(plan, hop.port);
        Path {
            rtt: (once(data, options.data_bytes) + once(acks, options.ack_bytes)).max(1e-9),
            pps: slowest / (8.0 * f64::from(options.data_bytes)),
            loss: 1.0 - data.iter().map(kept).product::<f64>(),
        }
    }
}

fn of_tcp(
    base: Demand,
    (app, transport): (&App, &Transport),
    sender: &Sender<'_>,
    member: Option<Membership>,
) -> Demand {
    let Sender { options, path } = sender;
    let asking = member.map_or(Asking::Nobody, |member| member.asking);
    let fresh = is_fresh(app);
    let before = path.rtt * opening(asking, fresh, options) + waiting_for_ack(asking, options);
    // What is lost of a transfer is missed for a timeout, as few others follow.
    let lost = path.loss * options.rto_rules.min_s.max(path.rtt);
    let network = |packets: f64| {
        before + path.rtt * rounds_of(packets, options) + packets / path.pps + lost * (packets + 2.0)
    };
    let asks = Asks::of(app, transport, base.seconds, network);
    let own = |packets: f64| Demand {
        packets,
        pps: asks.pps.min(options.max_window / path.rtt).min(rate_with_losses(path.loss, path.rtt, options)),
        acks: acks_a_packet(options, &asks),
        own_events: timers(options, &asks) + asks.transfer.map_or(0.0, |_| asks.writes),
        writes: if asks.transfer.is_some() { 0.0 } else { writes(&asks, base.seconds) },
        elastic: true,
        ..base
    };
    let Some(member) = member else {
        return own(asks.packets.min(sent_after(base.seconds / path.rtt, options)));
    };
    let transfer = asks.transfer.unwrap_or(1.0);
    let syn = f64::from(u8::from(fresh && options.handshake));
    if let Some(data) = member.requests_for {
        // A request is a packet, and opens the connection first.
        return Demand { follows: Some((data, (1.0 + syn) / transfer)), ..own(f64::INFINITY) };
    }
    let more = if member.asking == Asking::Http { 1.0 } else { 1.0 + syn / transfer };
    let whole = own(more * asks.packets / member.slots);
    Demand { pps: whole.pps.min(more * asks.pps / member.slots), ..whole }
}

/// Times that an application hands something over in so many seconds, if it does not wait for the network.
fn writes(asks: &Asks, seconds: f64) -> f64 {
    if asks.writes == 0.0 {
        return 0.0;
    }
    asks.writes * (asks.pps * seconds).min(asks.packets)
}

/// Round trips before the data of a transfer: a handshake, and the way of a request, which goes with the handshake where the
/// client opens the connection.
fn opening(asking: Asking, fresh: bool, options: &TcpOptions) -> f64 {
    let handshake = f64::from(u8::from(fresh && options.handshake));
    match asking {
        Asking::Nobody => handshake,
        Asking::Http => 0.5 + f64::from(u8::from(fresh)),
        Asking::Ns2 => 1.0 + 2.0 * handshake,
    }
}

/// Seconds for which the ACK of a request waits that must come before the data do.
fn waiting_for_ack(asking: Asking, options: &TcpOptions) -> f64 {
    match (asking, options.delayed_ack) {
        (Asking::Ns2, Some(delay)) => delay.secs(),
        _ => 0.0,
    }
}

/// True for an application with a connection for each transfer.
fn is_fresh(app: &App) -> bool {
    match app {
        App::TransferSequence(config) => config.connection == ConnectionUse::New,
        App::Barrier(config) => config.connection == ConnectionUse::New,
        App::Telnet(config) => config.connection == ConnectionUse::New && number(&config.packets) < 2.0,
        App::Web(_) => true,
        _ => false,
    }
}

/// A packet that comes alone is acknowledged alone.
fn acks_a_packet(options: &TcpOptions, asks: &Asks) -> f64 {
    let alone = asks.writes > 0.4;
    if options.delayed_ack.is_some() && !alone {
        0.5
    } else {
        1.0
    }
}

/// Events of timers for a packet: pacing lets each go, and what comes alone waits for the timer of its ACK. Now and then
/// one of retransmission looks for its deadline, several times for each transfer.
fn timers(options: &TcpOptions, asks: &Asks) -> f64 {
    let paced = f64::from(u8::from(options.paced()));
    let delayed = f64::from(u8::from(options.delayed_ack.is_some() && asks.writes > 0.4));
    paced + delayed + asks.writes.min(1.0)
}
