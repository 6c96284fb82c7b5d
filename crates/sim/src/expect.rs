//! What a run will take, said before it begins: packets, events, seconds and memory, from the rates of sources and
//! links alone. A sender that is held back by losses sends less than its share; what is said is what a run takes whose
//! links are busy, and right within a factor of a few.

use crate::compile::Plan;
use crate::flow::Flow;
use crate::network::{Hop, Port};
use crate::packet::Packet;
use crate::queue::decides_at_departure;
use crate::record::{PacketRow, RttRow, Watch, WindowRow};
use crate::scenario::{self, App, Transport};
use crate::traffic::{apps, cbr_interval};
use crate::units::Time;

/// What an event takes on the machine of docs/performance.md, in seconds.
const EVENT_S: f64 = 1.3e-7;

/// What a packet that is captured takes: a note, and its headers in the file.
const CAPTURED_BYTES: f64 = 200.0;

/// A run to come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Packets of data that are sent.
    pub packets: f64,
    /// Events that are executed.
    pub events: f64,
    /// Seconds on one core of today.
    pub seconds: f64,
    /// Bytes of memory at most at one time.
    pub bytes: f64,
}

impl Expected {
    /// What running a plan will take.
    pub fn of(plan: &Plan) -> Self {
        let demands: Vec<Demand> = (0..plan.flows.len()).map(|flow| Demand::of(plan, flow)).collect();
        let shares = shares(plan, &demands);
        let mut expected = Expected { bytes: state_bytes(plan), ..Expected::default() };
        let recorded = Recorded::new(&plan.watch, plan.ports.len());
        for (flow, (demand, pps)) in demands.iter().zip(shares).enumerate() {
            let packets = (pps * demand.seconds).min(demand.packets);
            let acks = packets * demand.acks;
            let data = crossing(path(plan, demand.data_hops), plan);
            let back = crossing(path(plan, demand.ack_hops), plan);
            expected.packets += packets;
            // What folds into one event still takes its time.
            expected.events += packets * data.max(1.0) + acks * back + packets * demand.writes;
            expected.bytes += recorded.bytes(plan, flow as u32, demand, (packets, acks));
        }
        expected.seconds = expected.events * EVENT_S;
        expected
    }
}

/// What a flow asks for.
struct Demand {
    data_hops: u32,
    ack_hops: u32,
    packet_bytes: f64,
    /// Packets a second at most.
    pps: f64,
    /// For so long.
    seconds: f64,
    /// Packets at most in all.
    packets: f64,
    /// ACKs for each.
    acks: f64,
    /// Events of its source for each.
    writes: f64,
    elastic: bool,
}

impl Demand {
    fn of(plan: &Plan, index: usize) -> Self {
        let (asked, known) = (&plan.asked[index], &plan.flows[index]);
        let start = asked.start + Time::from_ps(asked.start_spread.ps() / 2);
        let end = asked.stop.unwrap_or(plan.duration).min(plan.duration);
        let (payload, packet_bytes) = match (&asked.transport, &known.tcp) {
            (Transport::Udp(udp), _) => (udp.payload_bytes, udp.payload_bytes + udp.header_bytes),
            (Transport::Tcp(_), Some(options)) => (options.payload_bytes, u32::from(options.data_bytes)),
            (Transport::Tcp(tcp), None) => (tcp.payload_bytes, tcp.payload_bytes + tcp.header_bytes),
        };
        let (pps, packets) = asks(&asked.app, payload);
        let options = known.tcp.as_deref();
        Demand {
            data_hops: known.data_hops,
            ack_hops: known.ack_hops,
            packet_bytes: f64::from(packet_bytes),
            pps: options.map_or(pps, |options| pps.min(options.max_window / round_trip(plan, index))),
            seconds: end.since(start).secs(),
            packets,
            acks: options.map_or(0.0, |options| if options.delayed_ack.is_some() { 0.5 } else { 1.0 }),
            writes: f64::from(u8::from(pps.is_finite() && !known.feeds)),
            elastic: options.is_some(),
        }
    }
}

/// Packets a second that an application hands over at most, and how many in all.
fn asks(app: &App, payload_bytes: u32) -> (f64, f64) {
    let pps = |bps: f64| bps / (8.0 * f64::from(payload_bytes.max(1)));
    let endless = f64::INFINITY;
    match app {
        App::Bulk {} | App::TransferSequence(_) | App::Web(_) => (endless, endless),
        App::Transfer(transfer) => (endless, f64::from(transfer.packets)),
        App::Cbr(cbr) => (1.0 / cbr_interval(cbr, payload_bytes).secs(), endless),
        App::Vbr(vbr) => (pps(0.5 * (vbr.rates.0.bps() + vbr.rates.1.bps())), endless),
        App::OnOff(config) => {
            let on = config.on.secs() / (config.on.secs() + config.off.secs());
            (pps(config.rate.bps() * on), endless)
        }
        App::SelfSimilar(config) => (pps(config.rate.bps()), endless),
        App::Schedule(schedule) => {
            (endless, schedule.writes.iter().map(|&(_, packets)| f64::from(packets)).sum())
        }
        App::Telnet(telnet) => (1.0 / apps::mean(&telnet.interval).max(1e-12), endless),
    }
}

/// The hops of a path, from its first.
fn path(plan: &Plan, first: u32) -> &[Hop] {
    let hops = &plan.hops[first as usize..];
    let last = hops.iter().position(Hop::is_last).unwrap_or(hops.len() - 1);
    &hops[..=last]
}

/// The least time around, in seconds; a nanosecond where links have no delay.
fn round_trip(plan: &Plan, index: usize) -> f64 {
    let flow = &plan.flows[index];
    let hops = path(plan, flow.data_hops).iter().chain(path(plan, flow.ack_hops));
    hops.map(|hop| plan.ports[hop.port as usize].delay.secs()).sum::<f64>().max(1e-9)
}

/// Events that a packet causes on a path.
fn crossing(hops: &[Hop], plan: &Plan) -> f64 {
    let serves = |hop: &&Hop| decides_at_departure(&plan.ports[hop.port as usize].queue);
    let unfolded = hops.iter().filter(|hop| !hop.folds_next()).count();
    (unfolded + hops.iter().filter(serves).count()) as f64
}

/// Bits a second that a port can send.
fn rate(plan: &Plan, port: u32) -> f64 {
    let port = &plan.ports[port as usize];
    port.capacity.as_ref().map_or(port.rate.bps(), |capacity: &std::sync::Arc<scenario::Capacity>| {
        8.0 * f64::from(capacity.bytes) * capacity.times.len() as f64 / capacity.period.secs()
    })
}

/// Packets a second of each flow: UDP first, and then TCP in equal shares of what is left, and of what others leave.
fn shares(plan: &Plan, demands: &[Demand]) -> Vec<f64> {
    let mut left: Vec<f64> = (0..plan.ports.len() as u32).map(|port| rate(plan, port)).collect();
    let mut shares = vec![0.0; demands.len()];
    for (share, demand) in shares.iter_mut().zip(demands).filter(|(_, demand)| !demand.elastic) {
        *share = demand.pps;
        for hop in path(plan, demand.data_hops) {
            // What a queue drops is sent all the same.
            let left = &mut left[hop.port as usize];
            *left = (*left - 8.0 * demand.packet_bytes * demand.pps).max(0.02 * rate(plan, hop.port));
        }
    }
    for _ in 0..3 {
        let mut users = vec![0u32; plan.ports.len()];
        let wants = |share: f64, demand: &Demand| demand.elastic && share < 0.99 * demand.pps;
        for (_, demand) in shares.iter().zip(demands).filter(|(share, demand)| wants(**share, demand)) {
            path(plan, demand.data_hops).iter().for_each(|hop| users[hop.port as usize] += 1);
        }
        let before = left.clone();
        for (share, demand) in shares.iter_mut().zip(demands).filter(|(share, d)| wants(**share, d)) {
            let hops = path(plan, demand.data_hops);
            let fair = |hop: &Hop| before[hop.port as usize] / f64::from(users[hop.port as usize]);
            let bits = hops.iter().map(fair).fold(f64::INFINITY, f64::min);
            let more = (bits / (8.0 * demand.packet_bytes)).min(demand.pps - *share);
            *share += more;
            hops.iter().for_each(|hop| left[hop.port as usize] -= 8.0 * demand.packet_bytes * more);
        }
    }
    shares
}

/// What flows, ports and packets in flight take.
fn state_bytes(plan: &Plan) -> f64 {
    let under_way = |port: &crate::compile::PortPlan| {
        (port.rate.bps() * port.delay.secs() / 8000.0).min(1e9) * size_of::<Packet>() as f64
    };
    let in_flight = plan.ports.iter().map(under_way).fold(0.0, f64::max);
    let flows = plan.flows.len() * (size_of::<Flow>() + 64);
    let ports = plan.ports.len() * size_of::<Port>();
    (flows + ports + plan.hops.len() * size_of::<Hop>()) as f64 + in_flight
}

/// What is recorded of packets and ACKs.
struct Recorded {
    /// Bytes that a packet's way through each port takes.
    at_ports: Vec<f64>,
    series: bool,
}

impl Recorded {
    fn new(watch: &Watch, ports: usize) -> Self {
        let mut at_ports = vec![0.0; ports];
        let row = event_bytes();
        watch.packets.iter().for_each(|&port| at_ports[port as usize] += 2.0 * row);
        watch.pcap.iter().for_each(|&port| at_ports[port as usize] += CAPTURED_BYTES);
        Recorded { at_ports, series: watch.flow_series.is_some() }
    }

    fn bytes(&self, plan: &Plan, flow: u32, demand: &Demand, (packets, acks): (f64, f64)) -> f64 {
        let along = |first: u32| -> f64 {
            path(plan, first).iter().map(|hop| self.at_ports[hop.port as usize]).sum()
        };
        let mut bytes = packets * along(demand.data_hops) + acks * along(demand.ack_hops);
        let has = |list: &[u32]| list.binary_search(&flow).is_ok();
        let watch = &plan.watch;
        bytes += if has(&watch.rtt) { acks * size_of::<RttRow>() as f64 } else { 0.0 };
        bytes += if has(&watch.window) { acks * size_of::<WindowRow>() as f64 } else { 0.0 };
        bytes += if has(&watch.deliveries) { (packets + acks) * event_bytes() } else { 0.0 };
        if let (true, Some((of, interval))) = (self.series, &watch.flow_series) {
            let samples = plan.duration.ps().div_ceil(interval.ps()) as f64;
            bytes += if of.binary_search(&flow).is_ok() { 16.0 * samples } else { 0.0 };
        }
        bytes
    }
}

/// A row of an event, which is put in order and becomes columns at the end.
fn event_bytes() -> f64 {
    2.5 * size_of::<PacketRow>() as f64
}
