//! A port whose queue decides at departure: it holds the packets, and the engine lets it go on when the link is free.

use parshall_estimators::responsiveness::Dither;

use super::events::{far_end, Events};
use super::jitter::Jitter;
use super::loss::{Fate, LossProcess};
use super::port_kind::PortKind;
use super::report::{PortCounters, Probe};
use super::service::Service;
use super::treated::Treated;
use crate::limits::Steps;
use crate::packet::{ecn, Packet};
use crate::queue::{AnyDepartureQueue, Backlog, DepartureQueue, Held, Reason};
use crate::units::Time;

/// Next action of a port at an instant.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    /// Nothing waits.
    Idle,
    /// The link is free at this time.
    At(Time),
    /// It starts to transmit a packet.
    Send(Transmission),
}

/// A packet that is transmitted.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// The packet.
    pub packet: Packet,
    /// End of its transmission.
    pub departure: Time,
    /// True if the queue marked it.
    pub marked: bool,
}

/// The queue of a port, the packets on the link, and counts.
#[derive(Debug)]
pub struct DeparturePort {
    queue: AnyDepartureQueue,
    loss: Option<LossProcess>,
    jitter: Option<Jitter>,
    service: Service,
    events: Option<Box<Events>>,
    /// Packets in transmission.
    on_link: Backlog,
    /// Start of the newest transmission, and earliest start of the next.
    started_at: Time,
    free_at: Time,
    /// True if the queue has been asked for a packet since then: it is asked as soon as the link is free,
    /// even if it is empty, which matters only when something arrives.
    asked: bool,
    /// Bytes of the newest packet on the link.
    newest_bytes: u16,
    /// End of the newest transmission. Later than the one before, so that the order of packets shows.
    last_departure: Time,
    /// Time of the event that waits for the link; [`Time::NEVER`] if none does.
    pub event_at: Time,
    /// Packets that the queue has dropped and nobody has taken yet.
    pub dropped: Vec<Held>,
    counters: PortCounters,
    /// Packets and bytes whose transmission ends after the start of counting.
    sent: (u64, u64),
}

impl DeparturePort {
    /// An idle port.
    pub fn new(
        queue: AnyDepartureQueue,
        loss: Option<LossProcess>,
        jitter: Option<Jitter>,
        service: Service,
        events: Option<Box<Events>>,
    ) -> Self {
        DeparturePort {
            queue,
            loss,
            jitter,
            service,
            events,
            on_link: Backlog::default(),
            started_at: Time::ZERO,
            free_at: Time::ZERO,
            asked: true,
            newest_bytes: 0,
            last_departure: Time::ZERO,
            event_at: Time::NEVER,
            dropped: Vec::new(),
            counters: PortCounters::default(),
            sent: (0, 0),
        }
    }

    /// Returns whether packets take time on the link, as they do unless it has a recorded capacity.
    pub fn has_transmissions(&self) -> bool {
        !self.service.is_recorded()
    }

    /// Returns whether a transmission ends at `now` and started after an arriving packet was put on its way,
    /// `lead` ago: the arrival then comes first (see [`super::Lead`]).
    pub fn leaves_later(&self, now: Time, lead: Time) -> bool {
        self.free_at == now && self.has_transmissions() && !self.asked && lead > now - self.started_at
    }

    /// A packet of the flow with this key arrives, so long after it was put on its way: whether it reaches the queue. What
    /// the queue drops is in `dropped` then.
    pub fn arrive(&mut self, kind: &PortKind, now: Time, packet: Packet, flow: u64, lead: Time) -> bool {
        let counted = u64::from(now >= kind.count_from);
        let bytes = counted * u64::from(packet.size);
        self.counters.packets_arrived += counted;
        self.counters.bytes_arrived += bytes;
        let ecn_capable = packet.ecn & ecn::CAPABLE != 0;
        let waiting = self.queue.waiting().1;
        let fate = self
            .loss
            .as_mut()
            .map_or(Fate::Passes, |loss| loss.fate(now, packet.hop, packet.is_ack(), ecn_capable, waiting));
        let dark = self.events.as_ref().is_some_and(|events| events.loses(now, packet.is_ack()));
        if dark || fate == Fate::Lost {
            self.counters.packets_lost += counted;
            self.counters.bytes_lost += bytes;
            return false;
        }
        let leaves_later = self.leaves_later(now, lead);
        if !leaves_later {
            self.ask_when_free(now);
        }
        let held = Held { packet, arrived: now, marked: fate == Fate::Marked, reason: Reason::Full };
        self.counters.packets_marked += counted * u64::from(held.marked);
        if let AnyDepartureQueue::Own(queue) = &mut self.queue {
            queue.tell_link(if self.free_at > now || leaves_later { self.newest_bytes } else { 0 });
        }
        self.queue.push(held, flow, &mut self.dropped);
        if let AnyDepartureQueue::Own(queue) = &self.queue {
            self.counters.packets_marked += counted * u64::from(queue.marked_last());
        }
        self.count_drops(kind, now);
        if counted > 0 {
            let held = self.backlog(now).0;
            self.counters.max_backlog_packets = self.counters.max_backlog_packets.max(held);
        }
        true
    }

    /// Drop probability and draw for the last packet that arrived.
    pub fn dither(&self) -> Dither {
        self.loss.as_ref().map_or(Dither::NONE, LossProcess::draw)
    }

    /// The experiments that are made before the queue, to look at.
    pub fn treated_ref(&self) -> Option<&Treated> {
        self.loss.as_ref()?.treated_ref()
    }

    /// The experiments that are made before the queue.
    pub fn treated(&mut self) -> Option<&mut Treated> {
        self.loss.as_mut()?.treated()
    }

    /// Lets the port go on at `now`. What the queue drops is in `dropped` then.
    pub fn next(&mut self, kind: &PortKind, now: Time) -> Next {
        if self.queue.waiting().0 == 0 {
            if self.free_at <= now {
                // A packet came that was dropped.
                self.ask(now);
            }
            return Next::Idle;
        }
        let earliest = now.max(self.free_at);
        let start = self.service.start(earliest);
        if start > now {
            return Next::At(start);
        }
        self.asked = true;
        let leaving = self.queue.pop(now, &mut self.dropped);
        self.count_drops(kind, now);
        let Some(leaving) = leaving else {
            return Next::Idle;
        };
        let packet = leaving.held.packet;
        if let Some(loss) = &mut self.loss {
            loss.observe_queue(packet.hop, packet.is_ack(), leaving.marked, self.queue.waiting().1);
        }
        let departure = self.transmit(kind, now, &leaving.held);
        let newly_marked = leaving.marked && !leaving.held.marked;
        self.counters.packets_marked += u64::from(newly_marked && now >= kind.count_from);
        Next::Send(Transmission { packet, departure, marked: leaving.marked || leaving.held.marked })
    }

    /// The link fell idle because the queue had nothing for it, which the queue must have been asked.
    fn ask_when_free(&mut self, now: Time) {
        if self.queue.waiting().0 == 0 && self.free_at <= now && !self.asked {
            self.ask(self.free_at);
        }
    }

    fn ask(&mut self, at: Time) {
        self.asked = true;
        let none = self.queue.pop(at, &mut self.dropped);
        debug_assert!(none.is_none());
    }

    /// Puts a packet on the link, which is free; the end of its transmission.
    fn transmit(&mut self, kind: &PortKind, now: Time, held: &Held) -> Time {
        let size = held.packet.size;
        self.asked = false;
        self.started_at = now;
        self.newest_bytes = size;
        self.free_at = self.service.transmit(kind, now, size).1;
        // A trace may let two packets go at once.
        let departure = self.free_at.max(self.last_departure + Time::from_ps(1));
        self.last_departure = departure;
        self.on_link.advance(now);
        self.on_link.push(departure, size);
        // A trace may let a packet start and end as counting starts, which no count before that has seen.
        if now.max(departure - Time::from_ps(1)) >= kind.count_from {
            self.sent.0 += 1;
            self.sent.1 += u64::from(size);
        }
        if held.arrived >= kind.count_from {
            self.counters.packets_delayed += 1;
            self.counters.total_delay_ps += u128::from((departure - held.arrived).ps());
        }
        departure
    }

    fn count_drops(&mut self, kind: &PortKind, now: Time) {
        if let Some(loss) = &mut self.loss {
            let waiting = self.queue.waiting().1;
            self.dropped
                .iter()
                .for_each(|held| loss.observe_queue(held.packet.hop, held.packet.is_ack(), true, waiting));
        }
        if now >= kind.count_from {
            for held in &self.dropped {
                self.counters.packets_dropped += 1;
                self.counters.bytes_dropped += u64::from(held.packet.size);
            }
        }
    }

    /// A packet arrives, which counts if `counted`, and is discarded before it reaches the queue.
    pub fn refuse(&mut self, counted: bool, bytes: u16) {
        let (packets, bytes) = (u64::from(counted), u64::from(counted) * u64::from(bytes));
        self.counters.packets_arrived += packets;
        self.counters.bytes_arrived += bytes;
        self.counters.packets_dropped += packets;
        self.counters.bytes_dropped += bytes;
    }

    /// Observable state of the queue.
    pub fn probe(&self) -> Probe<'_> {
        match &self.queue {
            AnyDepartureQueue::DiffServ(queue) => Probe::DiffServ(queue),
            _ => Probe::Nothing,
        }
    }

    /// Arrival at the far end of a packet that has left at `departure`; `arrival` is that without jitter and events.
    pub fn far_end(&mut self, departure: Time, arrival: Time, ack: bool) -> Time {
        far_end((self.jitter.as_mut(), self.events.as_deref_mut()), departure, arrival, ack)
    }

    /// Packets and bytes held, the packet in transmission included.
    pub fn backlog(&mut self, now: Time) -> (u64, u64) {
        self.on_link.advance(now);
        let (packets, bytes) = self.queue.waiting();
        (packets + self.on_link.packets() as u64, bytes + self.on_link.bytes())
    }

    /// Packets and bytes whose transmission ended between the start of counting and `now`.
    pub fn departed(&mut self, now: Time) -> (u64, u64) {
        self.on_link.advance(now);
        (self.sent.0 - self.on_link.packets() as u64, self.sent.1 - self.on_link.bytes())
    }

    /// Bytes of the packets that wait.
    pub fn bytes(&self) -> u64 {
        self.queue.waiting().0 * size_of::<Held>() as u64
    }

    /// Counters since the start of counting.
    pub fn counters(&self) -> PortCounters {
        self.counters
    }

    /// Serves what waits at the end of a run, as if nothing more came, and returns the counters of delays. All else that
    /// the port tells is no longer that of the run. Where a queue decides at arrival, too, a packet's delay counts that
    /// arrived before the end, whenever it leaves.
    pub fn delays_in_the_end(&mut self, kind: &PortKind, end: Time) -> (u64, u128) {
        let (mut now, mut steps) = (end, Steps::default());
        loop {
            steps.next();
            self.dropped.clear();
            match self.next(kind, now) {
                Next::Idle => return (self.counters.packets_delayed, self.counters.total_delay_ps),
                Next::At(time) => now = time,
                Next::Send(_) => {}
            }
        }
    }

    /// The packets that wait.
    pub fn waiting(&self) -> impl Iterator<Item = &Packet> {
        self.queue.packets().map(|held| &held.packet)
    }
}
