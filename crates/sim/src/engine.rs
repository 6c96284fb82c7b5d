//! The engine: one loop that takes the next event and lets a port, a sender, a receiver or a source act.
//!
//! Three things keep events few. Most ports know a packet's departure when it arrives, so the end of a
//! transmission is no event; those that do not are in `engine/serving.rs`. A hop that one flow uses alone is folded
//! into the one before it, and what a host does at its end likewise. Timers are lazy: an ACK moves a deadline in its
//! flow, and the event that is already waiting looks at the deadline when it comes. Arrivals, which are most events,
//! wait in a calendar of their own.

mod apps;
mod build;
mod captures;
mod counting;
mod diffserv;
mod early;
mod ends;
mod lines;
mod members;
mod order;
mod outcome;
mod outside;
mod serving;
mod treated;
mod tuning;

use build::{build_ports, code_points, conditioners, flow_keys, own_code_point, reverse, FlowKey};
use early::Early;
use lines::Apps;
use order::{EventKind, Ranks, INDEX_BITS, INDEX_MASK};

use crate::blocks::BlockStore;
use crate::compile::{FlowPlan, Plan};
use crate::events::{Event, EventQueue};
use crate::flow::{Counted, Flow, SendingEnd};
use crate::limits::{self, Limits};
use crate::memory::prefetch;
use crate::names::Names;
use crate::network::{
    Calendar, Conditioner, ConditionerPlan, Exchange, Hop, Lead, Outcome, PacketId, Port, PortKind,
    SenderHistory,
};
use crate::outside::{DropCause, Outside};
use crate::packet::{ecn, Packet};
use crate::pulse::Pulse;
use crate::queue::Reason;
use crate::record::{Recorder, Recording};
use crate::room;
use crate::scenario::{self};
use crate::traffic::Source;
use crate::transport::Outbox;
use crate::units::Time;

/// The state of so many flows stays in the caches of most machines.
const CACHED_FLOWS: usize = 4000;

/// The name in messages of what is built at the start.
const FLOWS: &str = "flows";

/// A network in motion. What ends a run before its end unwinds from here; [`crate::run()`] makes an error of it.
#[derive(Debug)]
pub struct Simulation {
    /// Time of the event that is executed.
    now: Time,
    end: Time,
    /// The loop stops before events at this instant: the end, or earlier where the caller has something to do.
    until: Time,
    warm_up: Time,
    /// All events but arrivals; there is one for each flow's timer, but they seldom come.
    events: EventQueue,
    /// Events that are left until the run looks whether it is to end.
    until_check: u64,
    /// The number of the event before which it looks.
    next_check: u64,
    /// True if [`Simulation::advance`] returns whenever it has looked whether the run is to end.
    pauses: bool,
    limits: Limits,
    ports: Vec<Port>,
    kinds: Vec<PortKind>,
    /// Packets in flight, and when they arrive.
    in_flight: Calendar,
    hops: Vec<Hop>,
    /// Ways in which packets come to each hop; empty where that decides no ties.
    leads: Vec<Lead>,
    flows: Vec<Flow>,
    /// Application of each flow.
    sources: Vec<Source>,
    /// Counters of each flow's sender when the warm-up ended for it; empty until it has ended for the first
    /// one.
    before_warm_up: Vec<Option<Counted>>,
    /// Data that each flow's receiver got before the warm-up ended; empty without a warm-up.
    early: Vec<Early>,
    recorder: Recorder,
    /// Applications that hear back.
    apps: Apps,
    /// True if anything observes packets that reach hosts.
    observes_deliveries: bool,
    /// The flow of the scenario that each flow is counted with; empty if there are no others.
    owners: Vec<u32>,
    /// SACK blocks of the ACKs under way.
    blocks: BlockStore,
    outbox: Outbox,
    /// Keys of flows for queues that tell flows apart; empty if there is no such queue.
    flow_keys: Vec<FlowKey>,
    /// Code points of the packets of each flow; empty if all are 0.
    code_points: Vec<u8>,
    /// Conditioners, by the indices of their ports; there are few.
    conditioners: Vec<(u32, Conditioner)>,
    /// Reports that conditioners send to one another.
    exchange: Exchange,
    /// True if senders inform conditioners of their state.
    informs_conditioners: bool,
    /// Recent states of each flow's sender; empty if no conditioner is informed.
    sender_histories: Vec<SenderHistory>,
    ranks: Ranks,
    /// True if the flows are too many for the caches.
    looks_ahead: bool,
    /// The bucket in flight at which it last did.
    looked_at: u64,
    /// Flows whose ends belong to the caller, if there are any.
    outside: Option<Box<Outside>>,
}

impl Simulation {
    /// A network at rest, with the random streams of `seed`.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        // Queues of the caller's own are made with the ports.
        Pulse::own().begin();
        let (kinds, ports) = build_ports(plan, seed);
        let mut exchange = Exchange::default();
        let apps = Apps::new(plan, seed);
        let mut simulation = Simulation {
            now: Time::ZERO,
            end: plan.duration,
            until: plan.duration,
            warm_up: plan.warm_up,
            // A timer for each flow and application, and three more.
            events: EventQueue::with_capacity(plan.flows.len() + plan.apps.len() + 3),
            until_check: 0,
            next_check: 0,
            pauses: false,
            limits: Limits::new(None),
            in_flight: Calendar::new(plan.spacing, plan.flows.len()),
            recorder: Recorder::new(
                plan.watch.clone(),
                plan.flows.iter().map(FlowPlan::is_udp).collect(),
                ports.len(),
                plan.warm_up,
                plan.duration,
            ),
            ports,
            kinds,
            hops: plan.hops.clone(),
            leads: plan.leads.clone(),
            flows: room::with_room(plan.flows.len(), FLOWS),
            sources: room::with_room(plan.flows.len(), FLOWS),
            before_warm_up: Vec::new(),
            early: room::filled(
                Early::default(),
                if plan.warm_up > Time::ZERO { plan.flows.len() } else { 0 },
                FLOWS,
            ),
            apps,
            observes_deliveries: false,
            owners: plan.owners.clone(),
            blocks: BlockStore::default(),
            outbox: Outbox::default(),
            looked_at: 0,
            outside: Outside::of(&plan.flows),
            looks_ahead: plan.flows.len() > CACHED_FLOWS,
            flow_keys: flow_keys(plan),
            code_points: code_points(plan),
            conditioners: conditioners(plan, seed, &mut exchange),
            exchange,
            informs_conditioners: plan.watch.edges.is_some()
                || plan.conditioners.iter().any(ConditionerPlan::is_informed),
            sender_histories: Vec::new(),
            ranks: Ranks::new(plan.hops.len() + 1, plan.flows.len(), plan.ports.len()),
        };
        for (asked, flow) in plan.scenario_flows.iter().zip(&plan.flows) {
            limits::check_memory(|| Some(simulation.largest()));
            simulation.add_flow(asked, flow, seed);
        }
        simulation.observes_deliveries = simulation.recorder.watches_flows() || !simulation.apps.is_empty();
        simulation.schedule_apps();
        simulation.schedule_series();
        simulation
    }

    fn add_flow(&mut self, asked: &scenario::Flow, plan: &FlowPlan, seed: u64) {
        let index = self.flows.len();
        let (flow, source, first) = Flow::new(asked, plan, self.end, seed);
        self.flows.push(flow);
        self.sources.push(source);
        let rank = self.ranks.sources + index as u32;
        self.schedule(first, rank, EventKind::Source.target(index));
        if let SendingEnd::Tcp(tcp) = &self.flows[index].sender {
            self.recorder.sender_state(Time::ZERO, index as u32, tcp.core());
        }
    }

    fn schedule_series(&mut self) {
        let watch = self.recorder.watch();
        let ports = watch.port_series.is_some();
        let queues = watch.nonresponsive.is_some();
        if ports {
            self.schedule(Time::ZERO, self.ranks.series, EventKind::PortSeries.target(0));
        }
        if queues {
            self.schedule(Time::ZERO, self.ranks.series + 1, EventKind::QueueObservers.target(0));
        }
        if self.warm_up > Time::ZERO {
            self.schedule(self.warm_up, Ranks::FIRST, EventKind::WarmUp.target(0));
        }
    }

    /// Lets the run end with an error when so many events are over, counting what is done ahead of them.
    pub fn with_max_events(mut self, max_events: Option<u64>) -> Self {
        self.limits = Limits::new(max_events);
        self
    }

    #[inline]
    fn schedule(&mut self, time: Time, rank: u32, target: u32) {
        debug_assert!(time >= self.now, "time does not go back");
        // What lies beyond the end never happens; leaving it out keeps the queue short.
        if time < self.end {
            self.events.push(Event { time, rank, target });
        }
    }

    /// Runs to the end and hands over what was recorded.
    pub fn run(self, plan: &Plan) -> Recording {
        self.run_named(&plan.names)
    }

    /// Runs like [`Simulation::run`], for a caller that has let go of the plan.
    pub fn run_named(mut self, names: &Names) -> Recording {
        self.advance(self.end);
        self.finish(names)
    }

    /// Executes what happens before `until`, or less of it if a packet reaches an end that belongs to the caller.
    pub(crate) fn advance(&mut self, until: Time) {
        self.until = until;
        loop {
            let (arrival, event) = (self.in_flight.first_at(), Event::from_key(self.events.first_key()));
            let first = arrival.min(event.time);
            if first >= self.until {
                return;
            }
            debug_assert!(first >= self.now, "time does not go back");
            self.now = first;
            self.begin_event();
            if arrival < event.time || (arrival == event.time && self.arrives_before(event)) {
                let id = self.in_flight.take_first();
                if self.looks_ahead {
                    self.look_ahead();
                }
                self.arrived(id, first);
            } else {
                self.events.remove_first();
                self.execute(event);
            }
        }
    }

    /// Returns whether the first arrival comes before an event at the same instant.
    fn arrives_before(&self, event: Event) -> bool {
        self.in_flight.first_hop().is_some_and(|hop| self.ranks.arrival(hop) < event.rank)
    }

    /// Starts to fetch what arrivals soon to come will touch, step by step: their hops, and what these
    /// lead to.
    fn look_ahead(&mut self) {
        let bucket = self.in_flight.open_bucket_number();
        if std::mem::replace(&mut self.looked_at, bucket) == bucket {
            return;
        }
        for packet in self.in_flight.ahead(4) {
            let hop = packet.hop as usize;
            prefetch(&self.hops[hop - 1]);
            prefetch(&self.hops[(hop + 1).min(self.hops.len() - 1)]);
            if let Some(handle) = packet.report() {
                self.blocks.prefetch(handle);
            }
        }
        for packet in self.in_flight.ahead(2) {
            self.fetch_touched(packet);
        }
    }

    /// Starts to fetch what the arrival of a packet touches.
    fn fetch_touched(&self, packet: &Packet) {
        let hop = packet.hop as usize;
        let left = self.hops[hop - 1];
        if left.is_last() {
            self.flows[left.flow() as usize].prefetch_end(packet.is_ack());
            // What is sent in answer leaves by the same link.
            return prefetch(&self.ports[reverse(left.port)]);
        }
        // Behind a port that flows share lies the flow's own, and perhaps its host, which answers.
        let beyond = self.hops[(hop + 1).min(self.hops.len() - 1)];
        prefetch(&self.ports[beyond.port as usize]);
        if beyond.folds_next() {
            self.flows[beyond.flow() as usize].prefetch_end(packet.is_ack());
            prefetch(&self.ports[reverse(beyond.port)]);
        }
    }

    /// Executes what is no arrival. Kept out of the loop, like [`Simulation::finish`]: that lets the loop's variables
    /// stay in registers, which gives P1 3 % and P2 5 %.
    #[inline(never)]
    fn execute(&mut self, event: Event) {
        let index = (event.target & INDEX_MASK) as usize;
        let now = event.time;
        match event.target >> INDEX_BITS {
            k if k == EventKind::Receiver as u32 => self.on_receiver_timer(index, now),
            k if k == EventKind::Sender as u32 => self.on_sender_timer(index, now),
            k if k == EventKind::Pace as u32 => self.on_pace(index, now),
            k if k == EventKind::Source as u32 => self.on_source(index, now),
            k if k == EventKind::PortSeries as u32 => self.sample_ports(now),
            k if k == EventKind::QueueObservers as u32 => self.look_at_queues(now),
            k if k == EventKind::Link as u32 => self.on_link_free(index, now),
            k if k == EventKind::App as u32 => self.on_app(index, now),
            _ => (0..self.flows.len()).for_each(|index| self.end_warm_up(index)),
        }
    }

    /// A packet has come off a link.
    #[inline]
    fn arrived(&mut self, id: PacketId, now: Time) {
        let Packet { hop, size, .. } = self.in_flight[id];
        let left = self.hops[hop as usize - 1];
        if left.writes_ahead() {
            self.fed_arrived(left.flow() as usize);
        }
        if left.is_last() {
            self.deliver(id, left, now);
        } else {
            self.forward(Leaving { id, hop, bytes: size }, now);
        }
    }

    /// Takes a packet that is at this hop through the ports up to the next one that others use too, and what hosts
    /// on the way answer, likewise.
    ///
    /// What hosts do here is inline, which gives P1 4 % and P2 3 %.
    #[inline(always)]
    fn forward(&mut self, packet: Leaving, now: Time) {
        let Leaving { mut id, hop: mut hop_index, mut bytes } = packet;
        let mut at = now;
        loop {
            let hop = self.hops[hop_index as usize];
            let port = &mut self.ports[hop.port as usize];
            let kind = &self.kinds[port.kind()];
            let arrival = if kind.simple {
                let leads = &self.leads;
                match port.pass(kind, at, bytes, move || lead(leads, hop_index, bytes)) {
                    Some(departure) => departure + port.delay(),
                    None => return self.drop_packet(id, hop.flow(), at, Outcome::Dropped(Reason::Full)),
                }
            } else {
                match self.offer(hop, hop_index, id, at) {
                    Some(arrival) => arrival,
                    None => return,
                }
            };
            at = arrival;
            hop_index += 1;
            if !(hop.folds_next() && at < self.end) {
                return self.put_on_link(hop, id, at, hop_index);
            }
            if hop.is_last() {
                let Some(answer) = self.deliver_ahead(hop, id, at, hop_index) else {
                    return;
                };
                Leaving { id, hop: hop_index, bytes } = answer;
            }
        }
    }

    /// Sends a packet that is new.
    #[inline(never)]
    fn leave_host(&mut self, packet: Leaving, now: Time) {
        self.forward(packet, now);
    }

    /// A packet arrives at a port that asks a discipline, or that is watched. Returns when it reaches the
    /// far end, or none if it does not, or waits for its turn.
    #[inline(never)]
    fn offer(&mut self, hop: Hop, hop_index: u32, id: PacketId, at: Time) -> Option<Time> {
        let port = &self.ports[hop.port as usize];
        if self.kinds[port.kind()].conditions && !self.condition(hop, id, at) {
            return None;
        }
        let port = &mut self.ports[hop.port as usize];
        let kind = &self.kinds[port.kind()];
        if kind.serves {
            self.wait_at_port(hop, id, at);
            return None;
        }
        let packet = self.in_flight[id].with_other(own_code_point(&self.code_points, hop));
        let leads = &self.leads;
        let outcome = port.offer(kind, at, &packet, || lead(leads, hop_index, packet.size));
        if self.recorder.watches_port(hop.port) {
            let frame = |flow| self.flows[flow as usize].frame(flow);
            self.recorder.dithered(hop.port, port.dither());
            self.recorder.at_port(at, hop.port, &packet, outcome, hop.flow(), frame);
            self.capture(hop, &packet, outcome, at);
            self.keep_class_state(hop, &packet, at);
        }
        let Outcome::Sent { departure, marked, .. } = outcome else {
            self.drop_packet(id, hop.flow(), at, outcome);
            return None;
        };
        if marked {
            self.in_flight[id].ecn |= ecn::EXPERIENCED;
        }
        let port = &mut self.ports[hop.port as usize];
        let kind = &self.kinds[port.kind()];
        let arrival = port.arrival(kind, departure, &packet);
        if kind.overheard {
            self.overhear(hop, &packet, marked, arrival);
        }
        Some(arrival)
    }

    /// Sends a packet that has left `hop` on its way to the next one.
    #[inline(always)]
    fn put_on_link(&mut self, hop: Hop, id: PacketId, at: Time, next: u32) {
        debug_assert!(at >= self.now, "time does not go back");
        if hop.writes_ahead() {
            if let SendingEnd::Udp(udp) = &mut self.flows[hop.flow() as usize].sender {
                udp.under_way += 1;
            }
        }
        self.in_flight.put(id, at, next);
    }

    #[inline(never)]
    fn drop_packet(&mut self, id: PacketId, flow: u32, at: Time, outcome: Outcome) {
        let packet = self.in_flight[id];
        self.in_flight.remove(id);
        self.note_dropped(&packet, flow, at, outcome);
    }

    fn note_dropped(&mut self, packet: &Packet, flow: u32, at: Time, outcome: Outcome) {
        if let Some(outside) = &mut self.outside {
            if outside.dropped(flow, packet, at, DropCause::of(outcome)) {
                self.until = Time::ZERO;
            }
        }
        if let Some(handle) = packet.report() {
            self.blocks.remove(handle);
        }
        if at >= self.warm_up {
            let flow = &mut self.flows[flow as usize];
            if packet.is_ack() {
                flow.acks_dropped += 1;
            } else {
                flow.dropped += 1;
            }
        }
    }

    /// A packet will reach its host at `at`, behind the hop that it has left, and the host may know that now. Returns
    /// the packet that the host sends then.
    #[inline(always)]
    fn deliver_ahead(&mut self, left: Hop, id: PacketId, at: Time, next: u32) -> Option<Leaving> {
        let index = left.flow() as usize;
        if !self.in_flight[id].is_ack() {
            return self.deliver_data(id, left.flow(), at);
        }
        if self.sender_knows_till(index, at) {
            if self.now < self.warm_up && at >= self.warm_up {
                self.end_warm_up(index);
            }
            return self.on_ack(id, index, at);
        }
        let flow = &mut self.flows[index];
        flow.acks_under_way = flow.acks_under_way.saturating_add(1);
        self.put_on_link(left, id, at, next);
        None
    }

    /// Returns whether nothing else happens to a sender up to and including `at`: no ACK that comes before is
    /// on its way, and the timer does not expire.
    #[inline]
    fn sender_knows_till(&self, index: usize, at: Time) -> bool {
        let flow = &self.flows[index];
        let SendingEnd::Tcp(tcp) = &flow.sender else {
            return false;
        };
        flow.acks_under_way == 0 && tcp.core().deadline() > at
    }

    /// The warm-up ends for a sender: now, or before, if the sender acts ahead of time beyond it.
    #[cold]
    fn end_warm_up(&mut self, index: usize) {
        if self.before_warm_up.is_empty() {
            self.before_warm_up = room::filled(None, self.flows.len(), FLOWS);
        }
        let (flow, source) = (&self.flows[index], &self.sources[index]);
        self.before_warm_up[index].get_or_insert_with(|| flow.snapshot(source));
    }
}

/// A packet that goes to a port.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    id: PacketId,
    /// Index of the hop.
    hop: u32,
    bytes: u16,
}

/// Time that a packet of this size was on its way to a hop, where that decides ties.
#[cold]
fn lead(leads: &[Lead], hop: u32, bytes: u16) -> Time {
    leads.get(hop as usize).map_or(Time::ZERO, |lead| lead.of(bytes))
}
