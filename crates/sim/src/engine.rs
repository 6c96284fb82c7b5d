//! The engine: one loop that takes the next event and lets a port, a sender, a receiver or a source act.
//!
//! Three things keep events few. Most ports know a packet's departure when it arrives, so the end of a
//! transmission is no event; those that do not are in `engine/serving.rs`. A hop that one flow uses alone is folded
//! into the one before it, and what a host does at its end likewise. Timers are lazy: an ACK moves a deadline in its
//! flow, and the event that is already waiting looks at the deadline when it comes. Arrivals, which are most events,
//! wait in a calendar of their own.

mod apps;
mod captures;
mod diffserv;
mod lines;
mod members;
mod serving;
mod tuning;

use std::collections::{HashMap, HashSet};

use lines::Apps;
use members::{count_with_owners, Counts};

use crate::blocks::BlockStore;
use crate::compile::{FlowPlan, Plan, PortPlan};
use crate::events::{Event, EventQueue};
use crate::flow::{Counted, Flow, ReceivingEnd, SendingEnd};
use crate::limits::Limits;
use crate::memory::prefetch;
use crate::names::Names;
use crate::network::{
    Calendar, Conditioner, ConditionerPlan, Exchange, Hop, Jitter, Loss, Managed, Outcome, PacketId, Port,
    PortKind, Probe, Serving, Trace, Transmissions, Words,
};
use crate::packet::{ecn, Packet};
use crate::pulse::Pulse;
use crate::queue::{AnyDepartureQueue, Discipline};
use crate::random::{fnv1a, Stream};
use crate::record::{Called, PortRow, PortSample, PortTable, Recorder, Recording};
use crate::scenario::{self, DropTail, Jitter as Jittering, Queue};
use crate::traffic::Source;
use crate::transport::{Ack, Acknowledgement, Outbox, SackBlocks};
use crate::units::Time;

/// What an event is about that is no arrival: the upper bits of its target, above an index.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Kind {
    /// A receiver's delayed-ACK timer.
    Receiver,
    /// A sender's retransmission timer.
    Sender,
    /// Pacing lets a packet go.
    Pace,
    /// A source wants to write.
    Source,
    /// Ports are sampled.
    PortSeries,
    /// Ports are sampled for the observers of their queues.
    QueueObservers,
    /// Counting starts.
    WarmUp,
    /// A link is free for the next packet of a queue that decides at departure.
    Link,
    /// An application that hears back wants to do something.
    App,
}

/// The state of so many flows stays in the caches of most machines.
const CACHED_FLOWS: usize = 4000;

const INDEX_BITS: u32 = 28;
const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;

impl Kind {
    fn target(self, index: usize) -> u32 {
        debug_assert!(index <= INDEX_MASK as usize);
        ((self as u32) << INDEX_BITS) | index as u32
    }
}

/// Where the ranks of each sort of event begin.
#[derive(Clone, Copy, Debug)]
struct Ranks {
    links: u32,
    sources: u32,
    receivers: u32,
    senders: u32,
    paces: u32,
    arrivals: u32,
    series: u32,
}

impl Ranks {
    /// Comes first at its instant.
    const FIRST: u32 = 0;

    fn new(hops: usize, flows: usize, ports: usize) -> Self {
        let (hops, flows, ports) = (hops as u32, flows as u32, ports as u32);
        let links = Self::FIRST + 1;
        let sources = links + ports;
        let receivers = sources + flows;
        let senders = receivers + flows;
        let paces = senders + flows;
        let arrivals = paces + flows;
        Ranks { links, sources, receivers, senders, paces, arrivals, series: arrivals + hops }
    }

    fn arrival(self, hop: u32) -> u32 {
        self.arrivals + hop
    }
}

/// A network in motion.
#[derive(Debug)]
pub struct Simulation {
    /// Time of the event that is executed.
    now: Time,
    end: Time,
    warm_up: Time,
    /// All events but arrivals; there is one for each flow's timer, but they seldom come.
    events: EventQueue,
    executed: u64,
    /// The event before which the run looks whether it is to end.
    next_look: u64,
    limits: Limits,
    ports: Vec<Port>,
    kinds: Vec<PortKind>,
    /// Packets in flight, and when they arrive.
    in_flight: Calendar,
    hops: Vec<Hop>,
    flows: Vec<Flow>,
    /// What each flow's application does.
    sources: Vec<Source>,
    /// What each flow's sender had counted when the warm-up ended for it; empty until it has for the first one.
    before_warm_up: Vec<Option<Counted>>,
    /// Packets that each flow delivered before the warm-up ended; empty without a warm-up.
    delivered_before: Vec<u64>,
    recorder: Recorder,
    /// Applications that hear back.
    apps: Apps,
    /// Whether anybody wants to know what reaches hosts.
    attends: bool,
    /// The flow of the scenario that each flow is counted with; empty if there are no others.
    owners: Vec<u32>,
    /// SACK blocks of the ACKs under way.
    blocks: BlockStore,
    outbox: Outbox,
    /// What a queue that tells flows apart knows them by; empty if there is no such queue.
    flow_keys: Vec<FlowKey>,
    /// Code points of the packets of each flow; empty if all are 0.
    code_points: Vec<u8>,
    /// Conditioners, by the indices of their ports; there are few.
    conditioners: Vec<(u32, Conditioner)>,
    /// What these tell one another.
    exchange: Exchange,
    /// Whether senders tell conditioners what they know.
    tells: bool,
    /// What each flow's sender knew when it last sent something; empty if nobody is told.
    told: Vec<Words>,
    ranks: Ranks,
    /// Whether the flows are too many for the caches.
    looks_ahead: bool,
    /// The bucket in flight at which it last did.
    looked_at: u64,
}

impl Simulation {
    /// A network at rest, with the random streams of `seed`.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let (kinds, ports) = build_ports(plan, seed);
        let mut exchange = Exchange::default();
        Pulse::own().begin();
        let apps = Apps::new(plan, seed);
        let mut simulation = Simulation {
            now: Time::ZERO,
            end: plan.duration,
            warm_up: plan.warm_up,
            // A timer for each flow and application, and three more.
            events: EventQueue::with_capacity(plan.flows.len() + plan.apps.len() + 3),
            executed: 0,
            next_look: 0,
            limits: Limits::new(None),
            in_flight: Calendar::new(plan.spacing, plan.flows.len()),
            recorder: Recorder::new(
                plan.watch.clone(),
                plan.flows.iter().map(|flow| flow.tcp.is_none()).collect(),
                ports.len(),
                plan.warm_up,
                plan.duration,
            ),
            ports,
            kinds,
            hops: plan.hops.clone(),
            flows: Vec::with_capacity(plan.flows.len()),
            sources: Vec::with_capacity(plan.flows.len()),
            before_warm_up: Vec::new(),
            delivered_before: vec![0; if plan.warm_up > Time::ZERO { plan.flows.len() } else { 0 }],
            apps,
            attends: false,
            owners: plan.owners.clone(),
            blocks: BlockStore::default(),
            outbox: Outbox::default(),
            looked_at: 0,
            looks_ahead: plan.flows.len() > CACHED_FLOWS,
            flow_keys: flow_keys(plan),
            code_points: code_points(plan),
            conditioners: conditioners(plan, seed, &mut exchange),
            exchange,
            tells: plan.watch.edges.is_some() || plan.conditioners.iter().any(ConditionerPlan::is_told),
            told: Vec::new(),
            ranks: Ranks::new(plan.hops.len() + 1, plan.flows.len(), plan.ports.len()),
        };
        for (asked, flow) in plan.asked.iter().zip(&plan.flows) {
            simulation.add_flow(asked, flow, seed);
        }
        simulation.attends = simulation.recorder.watches_flows() || !simulation.apps.is_empty();
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
        self.schedule(first, rank, Kind::Source.target(index));
        if let SendingEnd::Tcp(tcp) = &self.flows[index].sender {
            self.recorder.sender_state(Time::ZERO, index as u32, tcp.core());
        }
    }

    fn schedule_series(&mut self) {
        let watch = self.recorder.watch();
        let ports = watch.port_series.is_some();
        let queues = watch.nonresponsive.is_some();
        if ports {
            self.schedule(Time::ZERO, self.ranks.series, Kind::PortSeries.target(0));
        }
        if queues {
            self.schedule(Time::ZERO, self.ranks.series + 1, Kind::QueueObservers.target(0));
        }
        if self.warm_up > Time::ZERO {
            self.schedule(self.warm_up, Ranks::FIRST, Kind::WarmUp.target(0));
        }
    }

    /// Lets the run end with an error when so many events are over, counting what is done ahead of them.
    pub fn with_max_events(mut self, max_events: Option<u64>) -> Self {
        self.limits = Limits::new(max_events);
        self
    }

    /// Ends the run if it is to end before its time.
    #[cold]
    #[inline(never)]
    fn look(&mut self) {
        self.limits.look(self.executed, self.now, || self.recorder.bytes_to_finish());
        self.next_look = self.limits.next_look(self.executed);
    }

    /// Counts a step that is taken ahead of the events.
    #[inline]
    fn step_ahead(&mut self) {
        if self.limits.step_ahead() {
            self.look();
        }
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

    /// The same for a caller that has let go of the plan.
    pub fn run_named(mut self, names: &Names) -> Recording {
        loop {
            let (arrival, event) = (self.in_flight.first_at(), Event::from_key(self.events.first_key()));
            let first = arrival.min(event.time);
            if first >= self.end {
                return self.finish(names);
            }
            debug_assert!(first >= self.now, "time does not go back");
            self.now = first;
            if self.executed == self.next_look {
                self.look();
            }
            self.executed += 1;
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

    /// Whether the first arrival comes before an event at the same instant.
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
            k if k == Kind::Receiver as u32 => self.on_receiver_timer(index, now),
            k if k == Kind::Sender as u32 => self.on_sender_timer(index, now),
            k if k == Kind::Pace as u32 => self.on_pace(index, now),
            k if k == Kind::Source as u32 => self.on_source(index, now),
            k if k == Kind::PortSeries as u32 => self.sample_ports(now),
            k if k == Kind::QueueObservers as u32 => self.look_at_queues(now),
            k if k == Kind::Link as u32 => self.on_link_free(index, now),
            k if k == Kind::App as u32 => self.on_app(index, now),
            _ => (0..self.flows.len()).for_each(|index| self.end_warm_up(index)),
        }
    }

    /// A packet has come off a link.
    #[inline]
    fn arrived(&mut self, id: PacketId, now: Time) {
        let hop = self.in_flight[id].hop;
        let left = self.hops[hop as usize - 1];
        if left.feeds() {
            self.fed_arrived(left.flow() as usize);
        }
        if left.is_last() {
            self.deliver(id, left, now);
        } else {
            self.forward(id, hop, now);
        }
    }

    /// Takes a packet that is at this hop through the ports up to the next one that others use too, and what hosts
    /// on the way answer, likewise.
    ///
    /// What hosts do here is inline, which gives P1 4 % and P2 3 %.
    #[inline(always)]
    fn forward(&mut self, mut id: PacketId, mut hop_index: u32, now: Time) {
        let mut bytes = self.in_flight[id].size;
        let mut at = now;
        loop {
            let hop = self.hops[hop_index as usize];
            let port = &mut self.ports[hop.port as usize];
            let kind = &self.kinds[port.kind()];
            let arrival = if kind.simple {
                match port.pass(kind, at, bytes) {
                    Some(departure) => departure + port.delay(),
                    None => return self.drop_packet(id, hop.flow(), at),
                }
            } else {
                match self.offer(hop, id, at) {
                    Some(arrival) => arrival,
                    None => return,
                }
            };
            at = arrival;
            hop_index += 1;
            if !(hop.folds_next() && at < self.end) {
                return self.send_off(hop, id, at, hop_index);
            }
            if hop.is_last() {
                let Some(answer) = self.deliver_ahead(hop, id, at, hop_index) else {
                    return;
                };
                id = answer;
                hop_index = self.in_flight[id].hop;
                bytes = self.in_flight[id].size;
            }
        }
    }

    /// Sends a packet that is new.
    #[inline(never)]
    fn set_out(&mut self, id: PacketId, now: Time) {
        self.forward(id, self.in_flight[id].hop, now);
    }

    /// A packet arrives at a port that asks a discipline, or that somebody watches. Returns when it reaches the
    /// far end, or none if it does not, or waits for its turn.
    #[inline(never)]
    fn offer(&mut self, hop: Hop, id: PacketId, at: Time) -> Option<Time> {
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
        let outcome = port.offer(kind, at, &packet);
        if self.recorder.watches_port(hop.port) {
            let frame = |flow| self.flows[flow as usize].frame(flow);
            self.recorder.at_port(at, hop.port, &packet, outcome, hop.flow(), frame);
            self.capture(hop, &packet, outcome, at);
            self.keep_class_state(hop, &packet, at);
        }
        let Outcome::Sent { departure, marked, .. } = outcome else {
            self.drop_packet(id, hop.flow(), at);
            return None;
        };
        if marked {
            self.in_flight[id].ecn |= ecn::EXPERIENCED;
        }
        let port = &mut self.ports[hop.port as usize];
        let kind = &self.kinds[port.kind()];
        let arrival = port.arrival(kind, departure);
        if kind.overheard {
            self.overhear(hop, &packet, marked, arrival);
        }
        Some(arrival)
    }

    /// Sends a packet that has left `hop` on its way to the next one.
    #[inline(always)]
    fn send_off(&mut self, hop: Hop, id: PacketId, at: Time, next: u32) {
        debug_assert!(at >= self.now, "time does not go back");
        if hop.feeds() {
            if let SendingEnd::Udp(udp) = &mut self.flows[hop.flow() as usize].sender {
                udp.under_way += 1;
            }
        }
        self.in_flight.put(id, at, next);
    }

    #[inline(never)]
    fn drop_packet(&mut self, id: PacketId, flow: u32, at: Time) {
        let packet = self.in_flight[id];
        self.in_flight.remove(id);
        self.note_dropped(&packet, flow, at);
    }

    fn note_dropped(&mut self, packet: &Packet, flow: u32, at: Time) {
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
    fn deliver_ahead(&mut self, left: Hop, id: PacketId, at: Time, next: u32) -> Option<PacketId> {
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
        self.send_off(left, id, at, next);
        None
    }

    /// Whether nothing else happens to a sender up to and including `at`: no ACK is on its way that comes before, and
    /// the timer does not expire.
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
            self.before_warm_up = vec![None; self.flows.len()];
        }
        let (flow, source) = (&self.flows[index], &self.sources[index]);
        self.before_warm_up[index].get_or_insert_with(|| flow.snapshot(source));
    }

    /// A packet has reached its host.
    #[inline]
    fn deliver(&mut self, id: PacketId, left: Hop, now: Time) {
        if self.attends {
            return self.deliver_attended(id, left, now);
        }
        self.take_in(id, left, now);
    }

    /// Keeps that a packet has reached its host, if that is wanted.
    fn record_arrival(&mut self, id: PacketId, left: Hop, now: Time) {
        let packet = &self.in_flight[id];
        self.recorder
            .at_host(now, left.flow(), || packet.with_other(own_code_point(&self.code_points, left)));
    }

    /// A host deals with a packet.
    #[inline(always)]
    fn take_in(&mut self, id: PacketId, left: Hop, now: Time) {
        let (flow, index) = (left.flow(), left.flow() as usize);
        let answer = if self.in_flight[id].is_ack() {
            if left.folds_next() {
                self.flows[index].ack_arrived();
            }
            self.on_ack(id, index, now)
        } else {
            self.deliver_data(id, flow, now)
        };
        if let Some(answer) = answer {
            self.set_out(answer, now);
        }
    }

    /// Data reaches its receiver at `at`, which is now, or later if the last hop was folded. Returns the ACK.
    #[inline(always)]
    fn deliver_data(&mut self, id: PacketId, flow: u32, at: Time) -> Option<PacketId> {
        let packet = &self.in_flight[id];
        let index = flow as usize;
        let flow = &mut self.flows[index];
        let counting = at >= self.warm_up;
        flow.received += u64::from(counting);
        let acknowledgement = match &mut flow.receiver {
            ReceivingEnd::Udp(received) => {
                received.packets += 1;
                received.bytes += if counting { u64::from(packet.size) } else { 0 };
                None
            }
            ReceivingEnd::Tcp(tcp) => tcp.on_data(packet.seq, packet.stamp(), packet.ecn, at),
        };
        self.in_flight.remove(id);
        self.recorder.delivered(at, index as u32, || flow.delivered());
        if !counting {
            self.delivered_before[index] = flow.delivered();
        }
        match acknowledgement {
            // With its ACK sent, the receiver waits for nothing.
            Some(ack) => Some(self.acknowledge(index, ack, at)),
            None => {
                self.arm_receiver(index);
                None
            }
        }
    }

    /// Makes the ACK that a receiver sends at `at`.
    #[inline(always)]
    fn acknowledge(&mut self, index: usize, ack: Acknowledgement, at: Time) -> PacketId {
        let flow = &self.flows[index];
        let ReceivingEnd::Tcp(receiver) = &flow.receiver else {
            unreachable!("only TCP receivers send ACKs");
        };
        let blocks = receiver.reported();
        let size = flow.ack_bytes + blocks.len() as u16 * SackBlocks::BYTES_PER_BLOCK;
        let ecn = if ack.ecn_echo { ecn::ECHO } else { 0 };
        let mut packet = Packet::ack(ack.next, size, ecn, at, ack.stamp);
        if !blocks.is_empty() {
            packet = packet.reporting(ack.number, self.blocks.put(ack.stamp, blocks));
        }
        self.in_flight.add(packet.to(flow.ack_hops))
    }

    /// An ACK reaches its sender. Returns the last packet that the sender sends.
    fn on_ack(&mut self, id: PacketId, index: usize, now: Time) -> Option<PacketId> {
        let packet = &self.in_flight[id];
        let flow = &mut self.flows[index];
        let SendingEnd::Tcp(tcp) = &mut flow.sender else {
            unreachable!("only TCP senders receive ACKs");
        };
        let samples = tcp.core().counters.rtt_samples;
        let report = packet.report();
        let (echo, blocks) = match report.map(|handle| self.blocks.get(handle)) {
            Some(report) => (report.stamp, &report.blocks),
            None => (packet.stamp(), &SackBlocks::EMPTY),
        };
        let high = i64::from(packet.seq) - 1;
        let ack = Ack { high, echo, blocks, ecn_echo: packet.ecn & ecn::ECHO != 0 };
        self.in_flight.remove(id);
        tcp.on_ack(&ack, now, &mut self.outbox);
        if let Some(handle) = report {
            self.blocks.remove(handle);
        }
        if flow.completed_at == Time::NEVER && tcp.finished() {
            flow.completed_at = now;
        }
        if tcp.core().counters.rtt_samples > samples {
            self.recorder.rtt_sample(now, index as u32, tcp.core());
        }
        self.sender_acted(index, now)
    }

    fn on_receiver_timer(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.receiver_event != now {
            return; // An earlier event took its place.
        }
        flow.receiver_event = Time::NEVER;
        let ReceivingEnd::Tcp(tcp) = &mut flow.receiver else {
            return;
        };
        let due = tcp.deadline() <= now;
        let acknowledgement = if due { tcp.on_timer() } else { None };
        if let Some(ack) = acknowledgement {
            let id = self.acknowledge(index, ack, now);
            self.set_out(id, now);
        }
        self.arm_receiver(index);
    }

    fn on_sender_timer(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.sender_event != now {
            return; // An earlier event took its place.
        }
        flow.sender_event = Time::NEVER;
        let SendingEnd::Tcp(tcp) = &mut flow.sender else {
            return;
        };
        if tcp.core().deadline() <= now {
            tcp.on_timeout(now, &mut self.outbox);
            self.send_all(index, now);
        } else {
            self.arm_sender(index);
        }
    }

    fn on_pace(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.pace_event != now {
            return; // An earlier event took its place.
        }
        flow.pace_event = Time::NEVER;
        let SendingEnd::Tcp(tcp) = &mut flow.sender else {
            return;
        };
        tcp.on_wake(now, &mut self.outbox);
        self.send_all(index, now);
    }

    fn on_source(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.feeds {
            return self.feed(index);
        }
        let emission = self.sources[index].emit(now);
        if let Some(next) = emission.next {
            let rank = self.ranks.sources + index as u32;
            self.schedule(next, rank, Kind::Source.target(index));
        }
        self.write(index, emission.packets, emission.close, now);
    }

    /// What feeding flows still send although it arrives nowhere before the end.
    fn feed_to_the_end(&mut self) {
        for index in 0..self.flows.len() {
            if self.flows[index].feeds {
                while self.write_ahead(index) {}
            }
        }
    }

    /// A packet of a feeding flow has arrived at the first port that others use too.
    fn fed_arrived(&mut self, index: usize) {
        if let SendingEnd::Udp(udp) = &mut self.flows[index].sender {
            udp.under_way -= 1;
        }
        self.feed(index);
    }

    /// Lets the source of a feeding flow write until a packet is under way to the first port that others use too.
    ///
    /// Nobody else uses the ports before it and nothing the network does reaches a UDP source, so writing ahead of
    /// time changes nothing; what it saves is the event of each write.
    fn feed(&mut self, index: usize) {
        let waits = |flow: &Flow| matches!(&flow.sender, SendingEnd::Udp(udp) if udp.under_way == 0);
        while waits(&self.flows[index]) && self.write_ahead(index) {}
    }

    /// Lets the source of a feeding flow write once more, if it does so before the end.
    fn write_ahead(&mut self, index: usize) -> bool {
        self.step_ahead();
        let flow = &mut self.flows[index];
        let SendingEnd::Udp(udp) = &mut flow.sender else {
            return false;
        };
        let at = udp.next_write;
        if at >= self.end {
            return false;
        }
        let emission = self.sources[index].emit(at);
        udp.next_write = emission.next.unwrap_or(Time::NEVER);
        self.write(index, emission.packets, emission.close, at);
        true
    }

    /// The application of flow `index` hands over packets.
    fn write(&mut self, index: usize, packets: u32, close: bool, now: Time) {
        let flow = &mut self.flows[index];
        let counting = now >= self.warm_up;
        if packets < u32::MAX && counting {
            flow.offered += u64::from(packets);
        }
        match &mut flow.sender {
            SendingEnd::Tcp(tcp) => {
                if close {
                    tcp.close();
                } else {
                    tcp.on_data(packets, now, &mut self.outbox);
                }
                self.send_all(index, now);
            }
            SendingEnd::Udp(udp) => {
                let first = udp.sent;
                udp.sent += u64::from(packets);
                if !counting {
                    udp.sent_before = udp.sent;
                }
                self.recorder.sent(now, index as u32, first + u64::from(packets));
                for seq in first..first + u64::from(packets) {
                    self.step_ahead();
                    let id = self.packet(index, seq as u32, 0, now);
                    self.set_out(id, now);
                }
            }
        }
    }

    /// Sends what the sender of flow `index` has put into the outbox, and looks after its timer.
    fn send_all(&mut self, index: usize, now: Time) {
        if let Some(last) = self.sender_acted(index, now) {
            self.set_out(last, now);
        }
    }

    /// The same, but for the last packet, which it returns: mostly it is the only one.
    #[inline(always)]
    fn sender_acted(&mut self, index: usize, now: Time) -> Option<PacketId> {
        if self.tells {
            self.tell(index, now);
        }
        let last = self.outbox.packets.pop();
        if !self.outbox.packets.is_empty() {
            self.send_outbox(index, now);
        }
        if let SendingEnd::Tcp(tcp) = &self.flows[index].sender {
            self.recorder.sender_state(now, index as u32, tcp.core());
        }
        self.arm_sender(index);
        last.map(|(seq, ecn)| self.packet(index, seq, ecn, now))
    }

    /// Sends all packets in the outbox.
    #[inline(never)]
    fn send_outbox(&mut self, index: usize, now: Time) {
        let mut outbox = std::mem::take(&mut self.outbox);
        for (seq, ecn) in outbox.packets.drain(..) {
            let id = self.packet(index, seq, ecn, now);
            self.set_out(id, now);
        }
        self.outbox = outbox;
    }

    /// Makes sure that an event waits when a sender's timer expires, or its pacing lets a packet go.
    #[inline]
    fn arm_sender(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        let SendingEnd::Tcp(tcp) = &flow.sender else {
            return;
        };
        let core = tcp.core();
        let (deadline, pace) = (core.deadline(), core.wake_deadline());
        let (timer_moved, pace_moved) = (deadline < flow.sender_event, pace < flow.pace_event);
        if timer_moved {
            flow.sender_event = deadline;
        }
        if pace_moved {
            flow.pace_event = pace;
        }
        if timer_moved {
            self.schedule(deadline, self.ranks.senders + index as u32, Kind::Sender.target(index));
        }
        if pace_moved {
            self.schedule(pace, self.ranks.paces + index as u32, Kind::Pace.target(index));
        }
    }

    fn arm_receiver(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        if let ReceivingEnd::Tcp(tcp) = &flow.receiver {
            let deadline = tcp.deadline();
            if deadline < flow.receiver_event {
                flow.receiver_event = deadline;
                let rank = self.ranks.receivers + index as u32;
                self.schedule(deadline, rank, Kind::Receiver.target(index));
            }
        }
    }

    /// Makes a packet of data that flow `index` sends.
    #[inline]
    fn packet(&mut self, index: usize, seq: u32, ecn: u8, now: Time) -> PacketId {
        let flow = &mut self.flows[index];
        let size = flow.packet_bytes(seq);
        if now >= self.warm_up {
            flow.bytes_sent += u64::from(size);
        }
        self.in_flight.add(Packet::data(seq, size, ecn, now).to(flow.data_hops))
    }

    fn sample_ports(&mut self, now: Time) {
        let interval = self.recorder.sample_ports(|index, packets_arrived_udp| {
            let port = &mut self.ports[index as usize];
            let kind = &self.kinds[port.kind()];
            // First, because it may have to look back at the end of the warm-up.
            let (packets_departed, bytes_departed) = port.departed(kind, now);
            let (backlog_packets, backlog_bytes) = port.backlog(kind, now);
            let counters = port.counters();
            PortSample {
                time: now.secs(),
                port: index as i32,
                backlog_packets,
                backlog_bytes,
                packets_arrived: counters.packets_arrived,
                packets_arrived_udp,
                packets_dropped: counters.packets_dropped + counters.packets_lost,
                packets_marked: counters.packets_marked,
                packets_departed,
                bytes_arrived: counters.bytes_arrived,
                bytes_departed,
            }
        });
        if let Some(interval) = interval {
            self.schedule(now + interval, self.ranks.series, Kind::PortSeries.target(0));
        }
    }

    fn look_at_queues(&mut self, now: Time) {
        let Some(observers) = self.recorder.queue_observers() else {
            return;
        };
        observers.look(now, |index| {
            let port = &mut self.ports[index as usize];
            port.look(&self.kinds[port.kind()], now)
        });
        let next = now + observers.interval();
        self.schedule(next, self.ranks.series + 1, Kind::QueueObservers.target(0));
    }

    /// Nothing waits any more; with many flows the recording needs the room.
    fn forget_what_was_to_come(&mut self) {
        self.events = EventQueue::with_capacity(0);
        self.in_flight = Calendar::new(Time::NEVER, 0);
        (self.hops, self.blocks) = Default::default();
    }

    #[inline(never)]
    fn finish(mut self, names: &Names) -> Recording {
        self.feed_to_the_end();
        let mut in_flight = vec![0u32; self.flows.len()];
        for packet in self.in_flight.packets().filter(|p| !p.is_ack()) {
            in_flight[self.hops[packet.hop as usize - 1].flow() as usize] += 1;
        }
        for flow in self.flows_waiting_at_ports() {
            in_flight[flow as usize] += 1;
        }
        self.forget_what_was_to_come();
        let transfers = self.transfers();
        let mut flows = Counts::new(names.flows.len(), &self.owners);
        for (index, flow) in self.flows.iter().enumerate() {
            let before = self.before_warm_up.get(index).copied().flatten().unwrap_or_default();
            let delivered_before = self.delivered_before.get(index).copied().unwrap_or_default();
            let in_flight = u64::from(in_flight[index]);
            let row = flow.row(index, &self.sources[index], &before, delivered_before, in_flight);
            flows.push(row, self.apps.asks(index));
        }
        let flows = flows.into_table();
        self.flows = Vec::new();
        let mut ports = PortTable::with_capacity(self.ports.len());
        for (index, port) in self.ports.iter_mut().enumerate() {
            let kind = &self.kinds[port.kind()];
            ports.push(port_row(index, port, kind, self.end));
        }
        let mut tables = vec![flows, ports.into_table()];
        tables.extend(self.red_tunings());
        tables.extend(self.class_counters());
        tables.extend(self.edges());
        let called = Called { flows: &names.flows, owners: &self.owners, ports: &names.ports };
        let (more, captures) = self.recorder.finish(called);
        tables.extend(more);
        tables.extend(transfers);
        count_with_owners(&mut tables, &self.owners);
        let port_name = |index: u32| names.ports[index as usize].to_string();
        Recording {
            names: names.clone(),
            tables,
            captures: captures.into_iter().map(|(p, c)| (port_name(p), c)).collect(),
            events: self.executed,
        }
    }
}

/// The other direction of a port's link: both lie side by side.
fn reverse(port: u32) -> usize {
    port as usize ^ 1
}

/// The ports of a network, and the kinds that they are of.
fn build_ports(plan: &Plan, seed: u64) -> (Vec<PortKind>, Vec<Port>) {
    let mut known = HashMap::new();
    let mut kinds = Vec::new();
    let watched: HashSet<u32> = plan.watch.ports().collect();
    let conditioned: HashSet<u32> = plan.conditioners.iter().map(|conditioner| conditioner.port).collect();
    let listening = plan.conditioners.iter().filter(|conditioner| conditioner.listens());
    let listened = listening.map(|conditioner| reverse(conditioner.port) as u32);
    let overheard: HashSet<u32> = listened.chain(plan.watch.tapped()).collect();
    let build = |(index, port): (usize, &PortPlan)| {
        let streams = PortStreams { seed, name: &plan.names.ports[index] };
        let serving = serving(port, plan.warm_up, streams);
        let serves = serving.is_some();
        let managed = if serves { None } else { managed(port, streams) };
        let conditions = conditioned.contains(&(index as u32));
        let overheard = overheard.contains(&(index as u32));
        let asked = conditions || overheard || watched.contains(&(index as u32));
        let simple = managed.is_none() && !serves && !asked;
        let kind = PortKind {
            ps_per_byte: port.rate.ps_per_byte(),
            transmissions: Transmissions::default(),
            limit_packets: plain_limit(&port.queue).unwrap_or(u32::MAX),
            count_from: plan.warm_up,
            simple,
            serves,
            conditions,
            overheard,
        };
        let flags = [simple, serves, conditions, overheard];
        let key = (kind.ps_per_byte.to_bits(), kind.limit_packets, flags);
        let number = *known.entry(key).or_insert_with(|| {
            kinds.push(kind);
            kinds.len() as u32 - 1
        });
        match serving {
            Some(serving) => Port::serving(number, port.delay, serving),
            None => Port::new(number, port.delay, managed),
        }
    };
    let mut ports: Vec<Port> = plan.ports.iter().enumerate().map(build).collect();
    for &index in plan.watch.port_series.iter().flat_map(|(ports, _)| ports) {
        if let Probe::TunedRed(red) = ports[index as usize].probe() {
            red.tuning_mut().into_iter().for_each(|tuning| tuning.keep());
        }
    }
    (kinds, ports)
}

/// Code points of the packets of each flow, if there are any but 0.
fn code_points(plan: &Plan) -> Vec<u8> {
    let any = plan.asked.iter().any(|flow| flow.dscp != 0);
    plan.asked.iter().take(if any { usize::MAX } else { 0 }).map(|flow| flow.dscp).collect()
}

/// The code point that both ends of the flow at a hop give their packets.
fn own_code_point(code_points: &[u8], hop: Hop) -> u8 {
    code_points.get(hop.flow() as usize).copied().unwrap_or(0)
}

/// The conditioners of a network, by the indices of their ports.
fn conditioners(plan: &Plan, seed: u64, exchange: &mut Exchange) -> Vec<(u32, Conditioner)> {
    let conditioner = |each: &ConditionerPlan| {
        let streams = PortStreams { seed, name: &plan.names.ports[each.port as usize] };
        let mut conditioner = Conditioner::new(each, plan.warm_up, streams.of("conditioner"), exchange);
        let kept = plan.watch.edges.as_ref().filter(|(ports, _)| ports.contains(&each.port));
        kept.into_iter().for_each(|&(_, interval)| conditioner.keep_samples(interval));
        (each.port, conditioner)
    };
    plan.conditioners.iter().map(conditioner).collect()
}

/// The limit of a queue that a plain port can have.
fn plain_limit(queue: &Queue) -> Option<u32> {
    match queue {
        Queue::Droptail(DropTail { limit_packets, limit_bytes: None }) => {
            Some(limit_packets.unwrap_or(u32::MAX))
        }
        _ => None,
    }
}

/// What a port needs that is not plain.
fn managed(port: &PortPlan, streams: PortStreams<'_>) -> Option<Managed> {
    let plain = plain_limit(&port.queue).is_some();
    if plain && port.loss.is_none() && port.jitter.is_none() && port.capacity.is_none() {
        return None;
    }
    let discipline = Discipline::new(&port.queue, port.rate, || streams.of("queue"))?;
    let (loss, jitter, trace) = link_parts(port, streams);
    Some(Managed::new(discipline, loss, jitter, trace))
}

/// What a port needs whose queue decides at departure.
fn serving(port: &PortPlan, count_from: Time, streams: PortStreams<'_>) -> Option<Serving> {
    let queue = AnyDepartureQueue::new(&port.queue, port.rate, count_from, || streams.of("queue"))?;
    let (loss, jitter, trace) = link_parts(port, streams);
    Some(Serving::new(queue, loss, jitter, trace))
}

/// The random streams of a port, which depend on the seed and on its name only.
#[derive(Clone, Copy)]
struct PortStreams<'a> {
    seed: u64,
    name: &'a str,
}

impl PortStreams<'_> {
    fn of(self, what: &str) -> Stream {
        Stream::new(self.seed, &format!("link/{}/{what}", self.name))
    }
}

/// What a link has that is not plain.
fn link_parts(port: &PortPlan, streams: PortStreams<'_>) -> (Option<Loss>, Option<Jitter>, Option<Trace>) {
    let jitter = |j: Jittering| Jitter::new(j.most, j.reorder, streams.of("jitter"));
    (
        port.loss.as_ref().map(|loss| Loss::new(loss, streams.seed, streams.name)),
        port.jitter.map(jitter),
        port.capacity.as_ref().map(|capacity| Trace::new(capacity.clone())),
    )
}

/// What tells a flow from others, whatever their order in the scenario.
#[derive(Clone, Copy, Debug)]
struct FlowKey(u64);

impl FlowKey {
    /// Data and ACKs of a flow are two flows to a router.
    fn of(self, ack: bool) -> u64 {
        if ack {
            !self.0
        } else {
            self.0
        }
    }
}

/// The keys of all flows, if a queue tells flows apart.
fn flow_keys(plan: &Plan) -> Vec<FlowKey> {
    if !plan.ports.iter().any(|port| matches!(*port.queue, Queue::FqCodel(_))) {
        return Vec::new();
    }
    plan.asked.iter().map(|flow| FlowKey(fnv1a(&flow.name))).collect()
}

fn port_row(index: usize, port: &mut Port, kind: &PortKind, end: Time) -> PortRow {
    let (packets_departed, bytes_departed) = port.departed(kind, end);
    let (packets_queued, _) = port.backlog(kind, end);
    let c = port.counters();
    PortRow {
        port: index as i32,
        packets_arrived: c.packets_arrived,
        packets_dropped: c.packets_dropped,
        packets_marked: c.packets_marked,
        packets_lost: c.packets_lost,
        packets_departed,
        packets_queued,
        bytes_arrived: c.bytes_arrived,
        bytes_dropped: c.bytes_dropped,
        bytes_departed,
        mean_delay: c.total_delay_ps as f64 / 1e12 / c.packets_delayed as f64,
        max_backlog_packets: c.max_backlog_packets,
    }
}
