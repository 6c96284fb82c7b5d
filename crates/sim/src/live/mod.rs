//! The two ports of a bottleneck without an engine: packets come from outside, in the order of their times.
//!
//! A relay in real time is made of this: queue, losses, jitter, recorded capacity and events of a link, and its recorder, are
//! those of a run. Whoever has packets calls [`Live::arrive`] for each, [`Live::advance`] when time has passed, and
//! takes from [`Live::decided`] what becomes of them.

mod bottleneck;
mod count;

use std::vec::Drain;

use bottleneck::Bottleneck;
use count::Counts;

use crate::compile::{Folding, Plan};
use crate::engine::{build_ports, port_row, port_sample};
use crate::names::Names;
use crate::network::{Next, Outcome, Port, PortKind, Transmission};
use crate::packet::{ecn, Packet};
use crate::pulse::Pulse;
use crate::queue::Held;
use crate::random::fnv1a;
use crate::record::{Called, FlowFrame, PortTable, Recorder, Recording, Watch};
use crate::run::RunError;
use crate::scenario::Scenario;
use crate::units::Time;
use crate::unwind::caught;

/// A packet that comes to the bottleneck.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Number of the sender, in the order in which they came. It stands for the flow of that number, or for the last one.
    pub peer: u32,
    /// True on the way back, where the scenario's ACKs go.
    pub back: bool,
    /// Bytes on the wire.
    pub bytes: u16,
    /// Tells if it may be marked instead of dropped.
    pub ecn_capable: bool,
    /// The caller's name for it.
    pub handle: u32,
}

/// A packet whose fate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The caller's name for it.
    pub handle: u32,
    /// Arrival at the far end, and true if it carries a mark; none if it never gets there.
    pub arrival: Option<(Time, bool)>,
}

/// A bottleneck in operation.
#[derive(Debug)]
pub struct Live {
    bottleneck: Bottleneck,
    kinds: Vec<PortKind>,
    ports: Vec<Port>,
    names: Names,
    recorder: Recorder,
    counts: Counts,
    /// Numbers of the next packets of each peer, there and back.
    numbers: Vec<[u32; 2]>,
    /// Keys by which queues tell peers apart.
    keys: Vec<u64>,
    /// Everything up to here has been done.
    now: Time,
    next_sample: Time,
    next_check: Time,
    decided: Vec<Decided>,
}

/// Does what may find no memory.
///
/// # Errors
/// If it finds none, or the simulator fails.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, RunError> {
    caught(work)
}

impl Live {
    /// The bottleneck of a scenario, with the random streams of `seed`.
    ///
    /// # Errors
    /// If the scenario cannot be run, or has more than one bottleneck.
    pub fn new(scenario: Scenario, seed: u64) -> Result<Self, RunError> {
        let mut plan = Plan::of(scenario, Folding::Off)?;
        let bottleneck = Bottleneck::of(&plan)?;
        plan.leads = Vec::new();
        keep_ports(&mut plan.watch, [bottleneck.port, bottleneck.port ^ 1]);
        caught(|| Live::built(&plan, bottleneck, seed))
    }

    fn built(plan: &Plan, bottleneck: Bottleneck, seed: u64) -> Self {
        Pulse::own().begin();
        let (kinds, ports) = build_ports(plan, seed);
        let flows = plan.names.flows.len();
        let (start, end) = (plan.warm_up, plan.duration);
        let recorder = Recorder::new(plan.watch.clone(), vec![true; flows], ports.len(), start, end);
        let starts = |wanted: bool| if wanted { Time::ZERO } else { Time::NEVER };
        Live {
            bottleneck,
            kinds,
            ports,
            names: plan.names.clone(),
            next_sample: starts(plan.watch.port_series.is_some()),
            next_check: starts(plan.watch.nonresponsive.is_some()),
            recorder,
            counts: Counts::new(flows, start),
            numbers: Vec::new(),
            keys: Vec::new(),
            now: Time::ZERO,
            decided: Vec::new(),
        }
    }

    /// Takes a packet that arrives at `now`, or, if time has gone on, at that later instant.
    pub fn arrive(&mut self, now: Time, given: &Given) {
        self.advance(now);
        let now = self.now;
        let flow = self.flow(given.peer);
        self.counts.arrived(now, flow, given.back, given.bytes);
        let packet = self.packet(now, given);
        let index = self.bottleneck.port ^ u32::from(given.back);
        if self.kinds[self.ports[index as usize].kind()].serves {
            self.wait_at_port(index, packet, now);
        } else {
            self.offer(index, packet, now);
        }
    }

    /// Lets everything happen that is due by `now`.
    pub fn advance(&mut self, now: Time) {
        loop {
            let link = self.next_at();
            let next = link.min(self.next_sample).min(self.next_check);
            if next > now || next == Time::NEVER {
                break;
            }
            self.now = self.now.max(next);
            if link == next {
                self.on_links_free(next);
            } else if self.next_check == next {
                self.look_at_queues(next);
            } else {
                self.sample(next);
            }
        }
        self.now = self.now.max(now);
    }

    /// Time of the next call of [`Live::advance`], if nothing arrives; [`Time::NEVER`] if that has time.
    pub fn next_at(&self) -> Time {
        let at = |back: u32| {
            let port = &self.ports[(self.bottleneck.port ^ back) as usize];
            port.serving_ref().map_or(Time::NEVER, |serving| serving.event_at)
        };
        at(0).min(at(1))
    }

    /// Takes the packets whose fate has been decided since the last call.
    pub fn decided(&mut self) -> Drain<'_, Decided> {
        self.decided.drain(..)
    }

    /// Counts a packet that has been handed over at the far end, with its payload.
    pub fn delivered(&mut self, now: Time, given: &Given, payload: u16) {
        let flow = self.flow(given.peer);
        self.counts.delivered(now, flow, given.back, payload);
    }

    /// The recording of what happened before `end`.
    pub fn finish(mut self, end: Time) -> Recording {
        if end > Time::ZERO {
            self.advance(end - Time::from_ps(1));
        }
        self.recorder.cut(end);
        let mut ports = PortTable::default();
        for (index, port) in self.ports.iter_mut().enumerate() {
            ports.push(port_row(index, port, &self.kinds[port.kind()], end));
        }
        let mut tables = vec![self.counts.into_table(), ports.into_table()];
        let called = Called { flows: &self.names.flows, owners: &[], ports: &self.names.ports };
        tables.extend(self.recorder.finish(called).0);
        Recording { names: self.names, tables, captures: Vec::new(), events: 0, steps: 0 }
    }

    /// The flow that a peer stands for.
    fn flow(&self, peer: u32) -> u32 {
        peer.min(self.names.flows.len() as u32 - 1)
    }

    /// A packet as ports know it: the caller's handle lies where an engine links packets.
    fn packet(&mut self, now: Time, given: &Given) -> Packet {
        let peer = given.peer as usize;
        while self.numbers.len() <= peer {
            let number = self.numbers.len();
            let name = &self.names.flows[number.min(self.names.flows.len() - 1)];
            let further = number >= self.names.flows.len();
            self.keys.push(if further { fnv1a(&format!("{name}#{number}")) } else { fnv1a(name) });
            self.numbers.push([0; 2]);
        }
        let number = &mut self.numbers[peer][usize::from(given.back)];
        let ecn = if given.ecn_capable { ecn::CAPABLE } else { 0 };
        let mut made = match given.back {
            false => Packet::data(*number, given.bytes, ecn, now),
            // An ACK is known by the packet before the one that it expects.
            true => Packet::ack(number.wrapping_add(1), given.bytes, ecn, now, now),
        };
        *number = number.wrapping_add(1);
        made.next = given.handle;
        made.to(given.peer << 1 | u32::from(given.back))
    }

    fn frame(&self, packet: &Packet) -> FlowFrame {
        FlowFrame { index: self.flow(packet.hop >> 1), tcp: false }
    }

    /// A packet arrives at a port that decides at once.
    fn offer(&mut self, index: u32, packet: Packet, now: Time) {
        let frame = self.frame(&packet);
        let port = &mut self.ports[index as usize];
        let kind = &self.kinds[port.kind()];
        let outcome = port.offer(kind, now, &packet, || Time::ZERO);
        if self.recorder.watches_port(index) {
            self.recorder.at_port(now, index, &packet, outcome, frame.index, |_| frame);
        }
        match outcome {
            Outcome::Sent { departure, marked, .. } => self.leaves(index, &packet, departure, marked),
            Outcome::Dropped(_) | Outcome::Lost => self.gone(&packet, now),
        }
    }

    /// A packet arrives at a port that decides at departure.
    fn wait_at_port(&mut self, index: u32, packet: Packet, now: Time) {
        let own = self.keys[packet.hop as usize >> 1];
        let key = if packet.is_ack() { !own } else { own };
        let frame = self.frame(&packet);
        let port = &mut self.ports[index as usize];
        let kind = &self.kinds[port.kind()];
        let Some(serving) = port.serving_mut() else { return };
        let reaches_the_queue = serving.arrive(kind, now, packet, key, Time::ZERO);
        if self.recorder.watches_port(index) {
            self.recorder.arrived_at_port(now, index, &packet, frame);
        }
        if !reaches_the_queue {
            return self.end_at_port(index, &packet, Outcome::Lost, now);
        }
        self.drop_what_the_queue_dropped(index, now);
        self.serve(index, now);
    }

    fn on_links_free(&mut self, now: Time) {
        for index in [self.bottleneck.port, self.bottleneck.port ^ 1] {
            let Some(serving) = self.ports[index as usize].serving_mut() else { continue };
            if serving.event_at == now {
                serving.event_at = Time::NEVER;
                self.serve(index, now);
            }
        }
    }

    /// Lets a port transmit what it can at `now`.
    fn serve(&mut self, index: u32, now: Time) {
        loop {
            let port = &mut self.ports[index as usize];
            let kind = &self.kinds[port.kind()];
            let Some(serving) = port.serving_mut() else { return };
            let next = serving.next(kind, now);
            if let (Next::At(time), Time::NEVER) = (next, serving.event_at) {
                serving.event_at = time;
            }
            self.drop_what_the_queue_dropped(index, now);
            match next {
                Next::Idle | Next::At(_) => return,
                Next::Send(transmission) => self.send(index, transmission, now),
            }
        }
    }

    fn send(&mut self, index: u32, transmission: Transmission, now: Time) {
        let Transmission { packet, departure, marked } = transmission;
        if self.recorder.watches_port(index) {
            let outcome = Outcome::Sent { start: now, departure, marked };
            self.recorder.left_port(now, index, &packet, outcome, self.frame(&packet));
        }
        self.leaves(index, &packet, departure, marked);
    }

    /// A packet leaves the bottleneck at `departure`.
    fn leaves(&mut self, index: u32, packet: &Packet, departure: Time, marked: bool) {
        let flow = self.flow(packet.hop >> 1) as usize;
        let port = &mut self.ports[index as usize];
        let arrival = port.arrival(&self.kinds[port.kind()], departure, packet);
        let beyond = self.bottleneck.beyond[flow][usize::from(packet.is_ack())];
        let arrival = Some((arrival + beyond.time(packet.size), marked));
        self.decided.push(Decided { handle: packet.next, arrival });
    }

    fn gone(&mut self, packet: &Packet, now: Time) {
        let flow = self.flow(packet.hop >> 1);
        self.counts.gone(now, flow, packet.is_ack());
        self.decided.push(Decided { handle: packet.next, arrival: None });
    }

    fn end_at_port(&mut self, index: u32, packet: &Packet, outcome: Outcome, now: Time) {
        if self.recorder.watches_port(index) {
            self.recorder.left_port(now, index, packet, outcome, self.frame(packet));
        }
        self.gone(packet, now);
    }

    fn drop_what_the_queue_dropped(&mut self, index: u32, now: Time) {
        let Some(serving) = self.ports[index as usize].serving_mut() else { return };
        let mut dropped: Vec<Held> = std::mem::take(&mut serving.dropped);
        for held in dropped.drain(..) {
            self.end_at_port(index, &held.packet, Outcome::Dropped(held.reason), now);
        }
        if let Some(serving) = self.ports[index as usize].serving_mut() {
            serving.dropped = dropped;
        }
    }

    fn sample(&mut self, now: Time) {
        let Live { recorder, ports, kinds, .. } = self;
        let interval = recorder.sample_ports(|index, packets_arrived_udp| {
            let port = &mut ports[index as usize];
            port_sample(port, &kinds[port.kind()], now, index, packets_arrived_udp)
        });
        self.next_sample = interval.map_or(Time::NEVER, |interval| now + interval);
    }

    fn look_at_queues(&mut self, now: Time) {
        let Live { recorder, ports, kinds, .. } = self;
        let Some(observers) = recorder.queue_observers() else { return };
        observers.sample(now, |index| {
            let port = &mut ports[index as usize];
            port.sample_backlog(&kinds[port.kind()], now)
        });
        self.next_check = now + observers.interval();
    }
}

/// Leaves of what is watched the series, packets and observers of two ports.
fn keep_ports(watch: &mut Watch, kept: [u32; 2]) {
    let packets = watch.packets.iter().copied().filter(|port| kept.contains(port)).collect();
    let series = watch
        .port_series
        .take()
        .map(|(ports, interval)| (ports.into_iter().filter(|port| kept.contains(port)).collect(), interval));
    let mut nonresponsive = watch.nonresponsive.take();
    nonresponsive.iter_mut().for_each(|observers| observers.keep(&kept));
    *watch = Watch { packets, port_series: series, nonresponsive, ..Watch::default() };
}

#[cfg(test)]
mod tests;
