//! Conditioners in front of ports, and what is kept of them and of queues that tell classes apart.

use parshall_estimators::rto::RtoEstimator;

use super::build::{own_code_point, reverse};
use super::Simulation;
use crate::flow::SendingEnd;
use crate::network::{FlowId, Hop, Outcome, PacketId, Probe, SenderHistory, SenderState};
use crate::packet::Packet;
use crate::queue::{Reason, CODE_POINTS};
use crate::record::{
    AggregateRow, AggregateTable, ClassRow, ClassStateRow, ClassTable, EdgeRow, EdgeTable, Table,
};
use crate::units::Time;

impl Simulation {
    /// The conditioner of a port deals with a packet that arrives there. Returns whether it goes on; if not, it is gone.
    #[inline(never)]
    pub(super) fn condition(&mut self, hop: Hop, id: PacketId, at: Time) -> bool {
        let own = own_code_point(&self.code_points, hop);
        let mut packet = self.in_flight[id].with_other(own);
        let flow = FlowId::new(hop.flow(), packet.is_ack());
        let history = self.sender_histories.get(hop.flow() as usize).filter(|_| !packet.is_ack());
        let state = history.and_then(|history| history.at(packet.stamp())).unwrap_or_default();
        let found = self.conditioners.iter_mut().find(|(port, _)| *port == hop.port);
        let (_, conditioner) = found.expect("a port that conditions has a conditioner");
        if conditioner.condition(at, &mut packet, flow, &state, &mut self.exchange) {
            self.in_flight[id] = packet.with_other(own);
            return true;
        }
        let size = packet.size;
        let port = &mut self.ports[hop.port as usize];
        let kind = &self.kinds[port.kind()];
        port.refuse(kind, at, size);
        if self.recorder.watches_port(hop.port) {
            let outcome = Outcome::Dropped(Reason::Conditioner);
            let frame = |flow| self.flows[flow as usize].frame(flow);
            self.recorder.at_port(at, hop.port, &packet, outcome, hop.flow(), frame);
            self.capture(hop, &packet, outcome, at);
        }
        self.keep_class_state(hop, &packet, at);
        self.drop_packet(id, hop.flow(), at, Outcome::Dropped(Reason::Conditioner));
        false
    }

    /// A sender that acts at `now` says what it knows along with what it sends.
    #[cold]
    pub(super) fn inform_conditioners(&mut self, index: usize, now: Time) {
        let SendingEnd::Tcp(tcp) = &self.flows[index].sender else {
            return;
        };
        let core = tcp.core();
        let timer = core.timer();
        let rto_s = timer.rto() / f64::from(timer.backoff());
        let rtt_s = timer.estimator().srtt().unwrap_or(f64::NAN);
        if self.sender_histories.is_empty() {
            self.sender_histories.resize_with(self.flows.len(), SenderHistory::default);
        }
        self.sender_histories[index].record(now, SenderState { rtt_s, rto_s, cwnd: core.window.cwnd });
    }

    /// A packet that leaves by the link of this hop, marked there or not, is at the far end at `at`. If it is an ACK, the
    /// conditioner of the other direction hears of it.
    #[inline(never)]
    pub(super) fn overhear(&mut self, hop: Hop, packet: &Packet, marked: bool, at: Time) {
        self.capture_arrival(hop, packet, marked, at);
        let port = reverse(hop.port) as u32;
        if !packet.is_ack() || self.is_outside(hop.flow()) {
            return;
        }
        let heard = self.conditioners.iter_mut().find(|(other, _)| *other == port);
        if let Some((_, conditioner)) = heard {
            conditioner.ack_comes(at, hop.flow(), packet.seq);
        }
    }

    /// Table of the conditioners' knowledge of connections.
    pub(super) fn edges(&mut self) -> Option<Table> {
        self.recorder.watch().edges.as_ref()?;
        let mut table = EdgeTable::default();
        for (port, conditioner) in &mut self.conditioners {
            let rows = conditioner.take_samples().into_iter();
            rows.for_each(|row| table.push(EdgeRow { port: *port as i32, ..row }));
        }
        Some(table.into_table())
    }

    /// Keeps the state after the arrival of a packet, where it is recorded.
    #[inline(never)]
    pub(super) fn keep_class_state(&mut self, hop: Hop, packet: &Packet, at: Time) {
        if !self.recorder.keeps_class_state(hop.port) {
            return;
        }
        let conditioner = self.conditioners.iter().find(|(port, _)| *port == hop.port);
        let metered = conditioner.and_then(|(_, conditioner)| conditioner.last());
        let (rule, meter) = metered.map_or((-1, Default::default()), |(rule, meter)| (rule as i32, meter));
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let mut row = ClassStateRow {
            time: at.secs(),
            port: hop.port as i32,
            flow: hop.flow() as i32,
            ack: packet.is_ack(),
            seq: i64::from(packet.seq) - i64::from(packet.is_ack()),
            dscp: packet.dscp(),
            rule,
            committed_bytes: number(meter.committed),
            excess_bytes: number(meter.excess),
            peak_bytes: number(meter.peak),
            rate: number(meter.rate) * 8.0,
            queue: -1,
            precedence: -1,
        };
        let mut averages = Vec::new();
        if let Probe::DiffServ(queue) = self.ports[hop.port as usize].probe() {
            let seat = queue.seat(packet.dscp());
            (row.queue, row.precedence) = (i32::from(seat.queue), i32::from(seat.precedence));
            averages.extend(queue.averages(seat.queue));
        }
        self.recorder.class_state(row, &averages);
    }

    /// Counters of the aggregates of all conditioners, and of the classes at all ports that tell them apart.
    pub(super) fn class_counters(&mut self) -> impl Iterator<Item = Table> {
        let classes = self.classes();
        [self.aggregates(), classes].into_iter().flatten()
    }

    fn aggregates(&self) -> Option<Table> {
        let mut table = AggregateTable::default();
        for (port, conditioner) in &self.conditioners {
            for (rule, counts) in (0..).zip(conditioner.counts()) {
                table.push(AggregateRow {
                    port: *port as i32,
                    rule,
                    packets_green: counts.packets[0],
                    packets_yellow: counts.packets[1],
                    packets_red: counts.packets[2],
                    bytes_green: counts.bytes[0],
                    bytes_yellow: counts.bytes[1],
                    bytes_red: counts.bytes[2],
                    packets_dropped: counts.packets_dropped,
                    packets_protected: counts.packets_protected,
                });
            }
        }
        (!self.conditioners.is_empty()).then(|| table.into_table())
    }

    fn classes(&mut self) -> Option<Table> {
        let mut table = ClassTable::default();
        let mut any = false;
        for (index, port) in (0..).zip(&mut self.ports) {
            let Probe::DiffServ(queue) = port.probe() else {
                continue;
            };
            any = true;
            for dscp in 0..CODE_POINTS as u8 {
                let (seat, counts) = (queue.seat(dscp), queue.counts(dscp));
                if !seat.named && counts.packets_arrived == 0 && counts.packets_sent == 0 {
                    continue;
                }
                let average = queue.averages(seat.queue).nth(usize::from(seat.precedence));
                table.push(ClassRow {
                    port: index,
                    dscp,
                    queue: i32::from(seat.queue),
                    precedence: i32::from(seat.precedence),
                    packets_arrived: counts.packets_arrived,
                    bytes_arrived: counts.bytes_arrived,
                    packets_sent: counts.packets_sent,
                    bytes_sent: counts.bytes_sent,
                    early_drops: counts.early_drops,
                    forced_drops: counts.forced_drops,
                    packets_marked: counts.packets_marked,
                    mean_wait: counts.waited_ps as f64 / 1e12 / counts.packets_sent as f64,
                    average_packets: average.unwrap_or(f64::NAN),
                });
            }
        }
        any.then(|| table.into_table())
    }
}
