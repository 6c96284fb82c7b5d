//! Output of a run: samples of ports on the way, and the tables at the end.

use super::members::{count_with_owners, Counts};
use super::order::EventKind;
use super::Simulation;

use crate::events::EventQueue;
use crate::flow::Flow;
use crate::limits::Piece;
use crate::names::Names;
use crate::network::{Calendar, DeparturePort, Port, PortKind};
use crate::record::{Called, PortRow, PortSample, PortTable, Recording, Table};
use crate::room;
use crate::units::Time;

impl Simulation {
    pub(super) fn sample_ports(&mut self, now: Time) {
        let interval = self.recorder.sample_ports(|index, packets_arrived_udp| {
            let port = &mut self.ports[index as usize];
            let kind = &self.kinds[port.kind()];
            port_sample(port, kind, now, index, packets_arrived_udp)
        });
        if let Some(interval) = interval {
            self.schedule(now + interval, self.ranks.series, EventKind::PortSeries.target(0));
        }
    }

    pub(super) fn look_at_queues(&mut self, now: Time) {
        let Some(observers) = self.recorder.queue_observers() else {
            return;
        };
        observers.sample(now, |index| {
            let port = &mut self.ports[index as usize];
            port.sample_backlog(&self.kinds[port.kind()], now)
        });
        let next = now + observers.interval();
        self.schedule(next, self.ranks.series + 1, EventKind::QueueObservers.target(0));
    }

    /// The piece that takes most memory of all that may grow.
    pub(super) fn largest(&self) -> Piece {
        let waiting = |port: &Port| port.serving_ref().map_or(0, DeparturePort::bytes);
        let at_ports = self.ports.iter().map(waiting).sum();
        let own = [
            Piece("flows", (self.flows.len() * size_of::<Flow>()) as u64),
            Piece("packets in flight", self.in_flight.bytes()),
            Piece("packets at ports", at_ports),
            Piece("rows of transfers", self.apps.bytes()),
            Piece("rows of treatment", self.ports.iter().map(Port::bytes_treated).sum()),
            Piece("rows of red_tuning", self.ports.iter().map(Port::bytes_tuning).sum()),
            Piece("rows of edges", self.conditioners.iter().map(|(_, each)| each.bytes_samples()).sum()),
            Piece("datagrams under way", self.outside.as_ref().map_or(0, |outside| outside.bytes())),
        ];
        Piece::largest(own.into_iter().chain(self.recorder.pieces()))
    }

    /// Nothing waits any more; with many flows the recording needs the room.
    pub(super) fn forget_what_was_to_come(&mut self) {
        self.events = EventQueue::with_capacity(0);
        self.in_flight = Calendar::new(Time::NEVER, 0);
        (self.hops, self.blocks) = Default::default();
    }

    #[inline(never)]
    pub(crate) fn finish(mut self, names: &Names) -> Recording {
        self.feed_to_the_end();
        let executed = self.executed();
        self.limits.heed_most(executed, self.end);
        let mut in_flight = room::filled(0u32, self.flows.len(), "rows of flows");
        for packet in self.in_flight.packets().filter(|p| !p.is_ack()) {
            in_flight[self.hops[packet.hop as usize - 1].flow() as usize] += 1;
        }
        for flow in self.flows_waiting_at_ports() {
            in_flight[flow as usize] += 1;
        }
        self.forget_what_was_to_come();
        let transfers = self.transfers();
        let names = &self.without_silent_flows(names);
        let mut flows = Counts::new(names.flows.len(), &self.owners);
        for (index, flow) in self.flows.iter().enumerate() {
            if self.is_left_out(index, names) {
                continue;
            }
            let before = self.before_warm_up.get(index).copied().flatten().unwrap_or_default();
            let early = self.early.get(index).map_or(0, |early| early.delivered(flow));
            let in_flight = u64::from(in_flight[index]);
            let mut row = flow.row(index, &self.sources[index], &before, early, in_flight);
            row.acks_received += self.outside.as_ref().map_or(0, |outside| outside.answers_received(index));
            flows.push(row, self.apps.asks(index));
        }
        let flows = flows.into_table();
        self.flows = Vec::new();
        let mut of_queues: Vec<Table> = Vec::new();
        of_queues.extend(self.red_tunings());
        of_queues.extend(self.treatments());
        of_queues.extend(self.class_counters());
        of_queues.extend(self.edges());
        // After those, since it lets queues serve what waits.
        let mut ports = PortTable::with_capacity(self.ports.len());
        for (index, port) in self.ports.iter_mut().enumerate() {
            let kind = &self.kinds[port.kind()];
            ports.push(port_row(index, port, kind, self.end));
        }
        let mut tables = vec![flows, ports.into_table()];
        tables.extend(of_queues);
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
            events: executed,
            steps: self.limits.steps(executed),
        }
    }
}

/// Samples a port, at which `packets_arrived_udp` packets of UDP flows have arrived.
fn port_sample(
    port: &mut Port,
    kind: &PortKind,
    now: Time,
    index: u32,
    packets_arrived_udp: u64,
) -> PortSample {
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
}

/// Counters of a port at the end of a run, after which it has nothing more to tell.
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
        mean_delay: port.mean_delay(kind, end),
        max_backlog_packets: c.max_backlog_packets,
    }
}
