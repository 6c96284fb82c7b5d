//! Optional parts of a port that decides at arrival: a queue discipline, losses, jitter, a recorded capacity,
//! events.

use parshall_estimators::responsiveness::Dither;

use super::events::{far_end, Events};
use super::jitter::Jitter;
use super::loss::{Fate, LossProcess};
use super::port_kind::PortKind;
use super::report::{Outcome, Probe};
use super::service::Service;
use super::treated::Treated;
use crate::packet::{ecn, Packet};
use crate::queue::{AnyArrivalQueue, Arrival, ArrivalQueue, Backlog, Reason, Verdict};
use crate::units::Time;

/// The part of a port that decides about each packet.
#[derive(Clone, Debug)]
pub struct ArrivalPort {
    backlog: Backlog,
    discipline: AnyArrivalQueue,
    loss: Option<LossProcess>,
    jitter: Option<Jitter>,
    service: Service,
    events: Option<Box<Events>>,
}

impl ArrivalPort {
    /// An empty queue.
    pub fn new(
        discipline: AnyArrivalQueue,
        loss: Option<LossProcess>,
        jitter: Option<Jitter>,
        service: Service,
        events: Option<Box<Events>>,
    ) -> Self {
        ArrivalPort { backlog: Backlog::default(), discipline, loss, jitter, service, events }
    }

    /// Decides about a packet that arrives at `now` at a port that is busy until then.
    pub fn offer(
        &mut self,
        kind: &PortKind,
        now: Time,
        busy_until: Time,
        packet: &Packet,
        lead: impl Fn() -> Time + Copy,
    ) -> Outcome {
        let ecn_capable = packet.ecn & ecn::CAPABLE != 0;
        self.backlog.advance(now);
        let leaving = self.backlog.leaving(now).filter(|_| self.service.is_constant());
        if leaving.is_some_and(|bytes| lead() > kind.transmission(bytes)) {
            self.backlog.hold_leaving();
        }
        let backlog = self.backlog.bytes();
        let fate = self
            .loss
            .as_mut()
            .map_or(Fate::Passes, |loss| loss.fate(now, packet.hop, packet.is_ack(), ecn_capable, backlog));
        let dark = self.events.as_ref().is_some_and(|events| events.loses(now, packet.is_ack()));
        if dark || fate == Fate::Lost {
            return Outcome::Lost;
        }
        // Each direction of a flow has hops of its own.
        let flow = u64::from(packet.hop);
        let arrival = Arrival { now, size: packet.size, ecn_capable, idle_since: busy_until, flow };
        let verdict = self.discipline.arrive(&arrival, &self.backlog);
        if let Some(loss) = &mut self.loss {
            loss.observe_queue(packet.hop, packet.is_ack(), verdict != Verdict::Accept, backlog);
        }
        if verdict == Verdict::Drop {
            return Outcome::Dropped(Reason::Full);
        }
        // A recorded capacity goes on where the packet before left it. It may let several go at once, and their order
        // must show: then `busy_until` is later than the instant, of which something may be left.
        let earliest = if self.service.is_recorded() { now } else { now.max(busy_until) };
        let (start, departure) = self.service.transmit(kind, earliest, packet.size);
        let departure = departure.max(busy_until + Time::from_ps(1));
        self.backlog.push(departure, packet.size);
        self.discipline.accepted(now, start, packet.size);
        Outcome::Sent { start, departure, marked: verdict == Verdict::Mark || fate == Fate::Marked }
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

    /// Arrival at the far end of a packet that has left at `departure`; `arrival` is that without jitter and events.
    pub fn far_end(&mut self, departure: Time, arrival: Time, ack: bool) -> Time {
        if self.jitter.is_none() && self.events.is_none() {
            return arrival;
        }
        far_end((self.jitter.as_mut(), self.events.as_deref_mut()), departure, arrival, ack)
    }

    /// Bytes of the queue's record of moved thresholds.
    pub fn bytes_tuning(&self) -> u64 {
        match &self.discipline {
            AnyArrivalQueue::Red(red) => red.bytes_tuning(),
            _ => 0,
        }
    }

    /// Observable state of the queue.
    pub fn probe(&mut self) -> Probe<'_> {
        match &mut self.discipline {
            AnyArrivalQueue::Red(red) if red.tunes() => Probe::TunedRed(red),
            _ => Probe::Nothing,
        }
    }

    /// Packets and bytes held at `now`.
    pub fn backlog(&mut self, now: Time) -> (u64, u64) {
        self.backlog.advance(now);
        (self.backlog.packets() as u64, self.backlog.bytes())
    }
}
