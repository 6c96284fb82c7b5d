//! Collects what a run's scenario wants to be recorded.

use parshall_estimators::responsiveness::Dither;
use parshall_estimators::rto::RtoEstimator;

use super::flow_series::FlowSeries;
use super::responsiveness::{self, PortObserver};
use super::{
    AverageRow, AverageTable, Called, Captures, ClassStateRow, ClassStateTable, PacketEvent, PacketRow,
    PacketTable, PortSample, PortSeries, QueueObservers, RttRow, RttTable, Table, Watch, WindowRow,
    WindowTable,
};
use crate::limits::Piece;
use crate::network::Outcome;
use crate::packet::Packet;
use crate::queue::Reason;
use crate::room::{self, Room};
use crate::transport::Core;
use crate::units::Time;

/// Facts about a packet's flow that a port needs.
#[derive(Clone, Copy, Debug)]
pub struct FlowFrame {
    /// Index of the flow.
    pub index: u32,
    /// True for a TCP flow.
    pub tcp: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct FlowFlags {
    rtt: bool,
    window: bool,
    deliveries: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct PortFlags {
    packets: bool,
    pcap: bool,
    responsiveness: bool,
    nonresponsive: bool,
    series: bool,
    class_state: bool,
    /// Packets of UDP flows that arrived, where there is a series.
    udp_arrived: u64,
}

impl PortFlags {
    fn any(&self) -> bool {
        self.observed() || self.series || self.class_state || self.pcap
    }

    /// Returns whether more is recorded of a packet than its arrival.
    #[inline]
    fn observed(&self) -> bool {
        self.packets || self.responsiveness || self.nonresponsive
    }
}

/// Collects rows while a run is under way.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    watch: Watch,
    /// Counts start at this instant.
    count_from: Time,
    /// End of the recording: events at or after this instant are left out.
    end: Time,
    /// Empty if no flow, or no port, is watched.
    flows: Vec<FlowFlags>,
    ports: Vec<PortFlags>,
    /// True for each flow of UDP; empty if no port is watched.
    udp: Vec<bool>,
    rtt: RttTable,
    window: WindowTable,
    /// The last row of each flow in `window`.
    last_window: Vec<Option<WindowRow>>,
    flow_series: Option<Box<FlowSeries>>,
    port_series: PortSeries,
    packets: Vec<PacketRow>,
    class_state: ClassStateTable,
    /// Rows in `class_state`.
    class_state_rows: u64,
    averages: AverageTable,
    /// None if no port is captured.
    captures: Option<Box<Captures>>,
    observers: Vec<PortObserver>,
}

impl Recorder {
    /// A recorder for a network of flows that are UDP or not, and of so many ports, and for a run that counts from
    /// `count_from` and ends at `end`.
    pub fn new(watch: Watch, udp: Vec<bool>, ports: usize, count_from: Time, end: Time) -> Self {
        let flows = udp.len();
        let watches_flows = !(watch.rtt.is_empty() && watch.window.is_empty() && watch.deliveries.is_empty());
        let watches_ports = watch.ports().next().is_some();
        let mut recorder = Recorder {
            count_from,
            end,
            flows: vec![FlowFlags::default(); if watches_flows { flows } else { 0 }],
            ports: vec![PortFlags::default(); if watches_ports { ports } else { 0 }],
            udp: if watches_ports { udp } else { Vec::new() },
            port_series: PortSeries::with_capacity(watch.port_samples(end)),
            last_window: if watch.window.is_empty() { Vec::new() } else { vec![None; flows] },
            ..Recorder::default()
        };
        let series = watch.flow_series.as_ref();
        recorder.flow_series = series.map(|(of, every)| Box::new(FlowSeries::new(of, *every, end, flows)));
        for &flow in &watch.rtt {
            recorder.flows[flow as usize].rtt = true;
        }
        for &flow in &watch.window {
            recorder.flows[flow as usize].window = true;
        }
        for &flow in &watch.deliveries {
            recorder.flows[flow as usize].deliveries = true;
        }
        for &port in &watch.packets {
            recorder.ports[port as usize].packets = true;
        }
        for port in watch.captured() {
            recorder.ports[port as usize].pcap = true;
        }
        let captures = || Box::new(Captures::new(&watch.pcap, watch.captures, end));
        recorder.captures = (!watch.pcap.is_empty()).then(captures);
        for &port in &watch.class_state {
            recorder.ports[port as usize].class_state = true;
        }
        for port in watch.responsiveness.iter().flat_map(|estimated| &estimated.ports) {
            recorder.ports[*port as usize].responsiveness = true;
        }
        for port in watch.nonresponsive.iter().flat_map(QueueObservers::ports) {
            recorder.ports[port as usize].nonresponsive = true;
        }
        recorder.observers = watch.responsiveness.as_ref().map_or(Vec::new(), PortObserver::all);
        for &port in watch.port_series.iter().flat_map(|(ports, _)| ports) {
            recorder.ports[port as usize].series = true;
        }
        recorder.watch = watch;
        recorder
    }

    /// Returns whether any event at the ends of flows is recorded.
    pub fn watches_flows(&self) -> bool {
        !self.flows.is_empty()
    }

    /// Quantities to record.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    #[inline]
    fn flags(&self, flow: u32) -> FlowFlags {
        self.flows.get(flow as usize).copied().unwrap_or_default()
    }

    /// Returns whether packets at this port are recorded.
    #[inline]
    pub fn watches_port(&self, port: u32) -> bool {
        self.ports.get(port as usize).is_some_and(PortFlags::any)
    }

    /// Returns whether the state of conditioner and class queues is recorded after each arrival at this port.
    #[inline]
    pub fn keeps_class_state(&self, port: u32) -> bool {
        self.ports.get(port as usize).is_some_and(|flags| flags.class_state)
    }

    /// Keeps that state, and the averages that belong to it.
    pub fn class_state(&mut self, row: ClassStateRow, averages: &[f64]) {
        self.class_state.push(row);
        for (precedence, &average) in (0..).zip(averages) {
            self.averages.push(AverageRow { arrival: self.class_state_rows, precedence, average });
        }
        self.class_state_rows += 1;
    }

    /// Takes the drop probability and draw of a port's dither for the next packet.
    #[inline]
    pub fn dithered(&mut self, port: u32, dither: Dither) {
        if self.ports[port as usize].responsiveness {
            self.observer(port).dither = dither;
        }
    }

    /// A packet of a flow arrived at a port and met this fate; `frame` says more of the flow, where that matters.
    #[inline]
    pub fn at_port(
        &mut self,
        now: Time,
        port: u32,
        packet: &Packet,
        outcome: Outcome,
        flow: u32,
        frame: impl FnOnce(u32) -> FlowFrame,
    ) {
        if !self.ports[port as usize].observed() {
            return self.count_arrival(now, port, flow);
        }
        let frame = frame(flow);
        self.note_arrival(now, port, packet, frame);
        if self.ports[port as usize].responsiveness {
            self.observer(port).packet(now, packet, outcome, frame);
        }
        self.note_fate(now, port, packet, outcome, frame);
    }

    /// A packet arrived at a port; [`Recorder::left_port`] will tell what became of it.
    pub fn arrived_at_port(&mut self, now: Time, port: u32, packet: &Packet, frame: FlowFrame) {
        self.note_arrival(now, port, packet, frame);
        if self.ports[port as usize].responsiveness {
            self.observer(port).arrived(now, packet, frame);
        }
    }

    /// It was decided at `now` that a packet that had arrived at a port meets this fate.
    pub fn left_port(&mut self, now: Time, port: u32, packet: &Packet, outcome: Outcome, frame: FlowFrame) {
        if self.ports[port as usize].responsiveness {
            self.observer(port).left(packet, outcome, frame);
        }
        self.note_fate(now, port, packet, outcome, frame);
    }

    fn note_arrival(&mut self, now: Time, port: u32, packet: &Packet, frame: FlowFrame) {
        self.count_arrival(now, port, frame.index);
        let flags = self.ports[port as usize];
        if flags.packets {
            self.event(now, PacketEvent::Arrival, packet, (frame.index, port as i32), Reason::Full);
        }
        if let (true, Some(observers)) = (flags.nonresponsive, &mut self.watch.nonresponsive) {
            observers.arrived(port, packet, frame.tcp);
        }
    }

    #[inline]
    fn count_arrival(&mut self, now: Time, port: u32, flow: u32) {
        let counts = self.udp[flow as usize] && now >= self.count_from;
        self.ports[port as usize].udp_arrived += u64::from(counts);
    }

    /// The observer of responses at a port that has one.
    fn observer(&mut self, port: u32) -> &mut PortObserver {
        self.observers.iter_mut().find(|o| o.port() == port).expect("an estimated port has an observer")
    }

    fn note_fate(&mut self, now: Time, port: u32, packet: &Packet, outcome: Outcome, frame: FlowFrame) {
        let flags = self.ports[port as usize];
        if flags.packets {
            let (at, event, reason) = match outcome {
                Outcome::Sent { start, .. } => (start, PacketEvent::Departure, Reason::Full),
                Outcome::Dropped(reason) => (now, PacketEvent::Drop, reason),
                Outcome::Lost => (now, PacketEvent::Loss, Reason::Full),
            };
            self.event(at, event, packet, (frame.index, port as i32), reason);
        }
        if let (true, Some(observers)) = (flags.nonresponsive, &mut self.watch.nonresponsive) {
            observers.left(port, packet, outcome);
        }
    }

    /// The captures that note packets at this port.
    #[inline]
    pub fn captures_of(&mut self, port: u32) -> Option<&mut Captures> {
        let captured = self.ports.get(port as usize).is_some_and(|flags| flags.pcap);
        self.captures.as_deref_mut().filter(|_| captured)
    }

    /// A packet reached its host; `seen` is the packet as others see it.
    #[inline]
    pub fn at_host(&mut self, now: Time, flow: u32, seen: impl FnOnce() -> Packet) {
        if self.flags(flow).deliveries {
            self.event(now, PacketEvent::Received, &seen(), (flow, -1), Reason::Full);
        }
    }

    fn event(
        &mut self,
        at: Time,
        event: PacketEvent,
        packet: &Packet,
        (flow, port): (u32, i32),
        reason: Reason,
    ) {
        // A departure is known, and noted, ahead of its time.
        if at >= self.end {
            return;
        }
        self.packets.make_room(1, PACKETS);
        self.packets.push(PacketRow {
            time: at.secs(),
            event: event as u8,
            ack: packet.is_ack(),
            flow: flow as i32,
            seq: i64::from(packet.seq) - i64::from(packet.is_ack()),
            size_bytes: u64::from(packet.size),
            port,
            dscp: packet.dscp(),
            reason: reason as u8,
        });
    }

    /// The sender of `flow` took an RTT sample.
    #[inline]
    pub fn rtt_sample(&mut self, now: Time, flow: u32, core: &Core) {
        if !self.flags(flow).rtt {
            return;
        }
        let timer = core.timer();
        self.rtt.push(RttRow {
            time: now.secs(),
            flow: flow as i32,
            rtt: core.last_rtt,
            srtt: timer.estimator().srtt().unwrap_or(f64::NAN),
            rttvar: timer.estimator().rttvar().unwrap_or(f64::NAN),
            rto: core.rto(),
        });
    }

    /// The sender of `flow` has dealt with an event.
    #[inline(always)]
    pub fn sender_state(&mut self, now: Time, flow: u32, core: &Core) {
        if self.flags(flow).window {
            self.window_row(now, flow, core);
        }
        if let Some(series) = &mut self.flow_series {
            series.sender_state(now, flow, core);
        }
    }

    /// From `at` on, which may lie ahead or behind, a flow without windows has sent so many packets.
    #[inline(always)]
    pub fn sent(&mut self, at: Time, flow: u32, packets: u64) {
        if let Some(series) = &mut self.flow_series {
            series.sent(at, flow, packets);
        }
    }

    /// From `at` on, which may lie ahead, so many packets of a flow have been delivered, and so many more have arrived.
    #[inline]
    pub fn data_arrived(&mut self, at: Time, flow: u32, packets: impl FnOnce() -> (u64, u64)) {
        if let Some(series) = &mut self.flow_series {
            let (delivered, held) = packets();
            series.data_arrived(at, flow, delivered, held);
        }
    }

    fn window_row(&mut self, now: Time, flow: u32, core: &Core) {
        let timer = core.timer();
        let row = WindowRow {
            time: now.secs(),
            flow: flow as i32,
            cwnd: core.window.cwnd,
            ssthresh: core.window.ssthresh,
            dupacks: u64::from(core.dupacks),
            backoff: u64::from(timer.backoff()),
            next_seq: core.next_seq,
            max_seq: core.max_seq,
            high_ack: core.high_ack,
            srtt: timer.estimator().srtt().unwrap_or(f64::NAN),
            rttvar: timer.estimator().rttvar().unwrap_or(f64::NAN),
            rto: core.rto(),
        };
        let key = |r: &WindowRow| {
            let bits = [r.cwnd, r.ssthresh, r.srtt, r.rttvar].map(f64::to_bits);
            (bits, r.dupacks, r.backoff)
        };
        let last = &mut self.last_window[flow as usize];
        if last.is_none_or(|last| key(&last) != key(&row)) {
            *last = Some(row);
            self.window.push(row);
        }
    }

    /// Ends the recording sooner than it was to end.
    pub fn cut(&mut self, end: Time) {
        self.end = self.end.min(end);
        self.packets.retain(|row| row.time < end.secs());
        self.captures.iter_mut().for_each(|captures| captures.cut(end));
    }

    /// From here on packets have code points, and rows of packets show them.
    pub fn show_classes(&mut self) {
        self.watch.classes = true;
    }

    /// Adds a sample of each port that is sampled. `look` makes it, knowing how many packets of UDP flows have
    /// arrived from the warm-up on. Returns the time to the next samples, if there are any.
    pub fn sample_ports(&mut self, mut look: impl FnMut(u32, u64) -> PortSample) -> Option<Time> {
        let (ports, interval) = self.watch.port_series.as_ref()?;
        for &port in ports {
            self.port_series.push(look(port, self.ports[port as usize].udp_arrived));
        }
        Some(*interval)
    }

    /// Observers of queues, if there are any.
    pub fn queue_observers(&mut self) -> Option<&mut QueueObservers> {
        self.watch.nonresponsive.as_mut()
    }

    /// Bytes that it takes to make the tables and captures, besides what they hold already: rows of packets are put
    /// in order and become columns, and what is full moves to twice the room.
    pub fn bytes_to_finish(&self) -> u64 {
        let (row, rows) = (size_of::<PacketRow>() as u64, self.packets.len() as u64);
        let captured = self.captures.as_ref().map_or(0, |captures| captures.bytes_to_finish());
        rows * (row / 2 + row) + self.packets.capacity() as u64 * row + captured
    }

    /// The pieces that may grow, and how large they are.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece> {
        let packets = (self.packets.capacity() * size_of::<PacketRow>()) as u64;
        let captured = self.captures.as_ref().map_or(0, |captures| captures.bytes());
        let responsiveness = self.observers.iter().map(PortObserver::bytes).sum();
        let nonresponsive = self.watch.nonresponsive.as_ref().map_or(0, QueueObservers::bytes);
        [
            Piece("rows of rtt", self.rtt.bytes()),
            Piece("rows of window", self.window.bytes()),
            Piece("rows of flow_series", self.flow_series.as_ref().map_or(0, |series| series.bytes())),
            Piece("rows of port_series", self.port_series.bytes()),
            Piece(PACKETS, packets),
            Piece("captured packets", captured),
            Piece("rows of class_state", self.class_state.bytes() + self.averages.bytes()),
            Piece("rows of responsiveness", responsiveness),
            Piece("rows of nonresponsive", nonresponsive),
        ]
        .into_iter()
    }

    /// The tables and captures, these with the indices of their ports.
    pub fn finish(mut self, called: Called<'_>) -> (Vec<Table>, Vec<(u32, Vec<u8>)>) {
        let queues = self.watch.nonresponsive.take();
        let watch = &self.watch;
        let mut tables = Vec::new();
        if !watch.rtt.is_empty() {
            tables.push(self.rtt.into_table());
        }
        if !watch.window.is_empty() {
            tables.push(self.window.into_table());
        }
        tables.extend(self.flow_series.map(|series| series.into_table()));
        if watch.port_series.is_some() {
            tables.push(self.port_series.into_table());
        }
        if watch.responsiveness.is_some() {
            tables.extend(responsiveness::tables(self.observers, self.end));
        }
        if let Some(observers) = queues {
            tables.push(observers.into_table());
        }
        if !watch.packets.is_empty() || !watch.deliveries.is_empty() {
            tables.push(packet_table(self.packets, watch.classes));
        }
        if !watch.class_state.is_empty() {
            tables.push(self.class_state.into_table());
            tables.push(self.averages.into_table());
        }
        let captures = self.captures.map_or(Vec::new(), |captures| captures.into_files(called));
        (tables, captures)
    }
}

/// The name in messages of what grows here.
const PACKETS: &str = "rows of packets";

/// Departures were noted ahead of their time: puts the rows in order.
/// Without code points in the scenario there are no columns for what follows from them.
fn packet_table(mut rows: Vec<PacketRow>, classes: bool) -> Table {
    room::to_sort(&rows, PACKETS);
    rows.sort_by(|a, b| a.time.total_cmp(&b.time));
    let mut table = PacketTable::default();
    rows.into_iter().for_each(|row| table.push(row));
    let mut table = table.into_table();
    table.columns.retain(|(name, _)| classes || !["dscp", "reason"].contains(name));
    table
}
