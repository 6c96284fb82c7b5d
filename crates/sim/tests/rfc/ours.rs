//! The simulator's disciplines behind the link of [`super::through_link`].

use parshall_sim::internal::{
    ecn, AnyDepartureQueue, Arrival, ArrivalQueue, Backlog, DepartureQueue, Held, Packet, Pie, Reason,
    Verdict,
};
use parshall_sim::units::Time;

use super::{Discipline, Fate, Pkt};

fn held(packet: Pkt) -> Held {
    let arrived = Time::from_ps(packet.arrived);
    let ecn = if packet.ecn { ecn::CAPABLE } else { 0 };
    let packet = Packet::data(packet.id, packet.size, ecn, arrived);
    Held { packet, arrived, marked: false, reason: Reason::Full }
}

fn pkt(held: &Held) -> Pkt {
    let Held { packet, arrived, .. } = held;
    let ecn = packet.ecn & ecn::CAPABLE != 0;
    Pkt { id: packet.seq, flow: 0, size: packet.size, ecn, arrived: arrived.ps() }
}

/// A queue that decides at departure.
pub struct AtDeparture(pub AnyDepartureQueue);

impl Discipline for AtDeparture {
    fn enqueue(&mut self, _now: u64, packet: Pkt) -> Vec<Pkt> {
        let mut dropped = Vec::new();
        self.0.push(held(packet), packet.flow, &mut dropped);
        dropped.iter().map(pkt).collect()
    }

    fn dequeue(&mut self, now: u64) -> (Option<(Pkt, bool)>, Vec<Pkt>) {
        let mut dropped = Vec::new();
        let leaving = self.0.pop(Time::from_ps(now), &mut dropped);
        let counted = self.0.packets().count() as u64;
        assert_eq!(self.0.waiting().0, counted);
        let sent = leaving.map(|leaving| (pkt(&leaving.held), leaving.marked));
        (sent, dropped.iter().map(pkt).collect())
    }
}

/// PIE decides at arrival and knows departures then; the fates of packets up to `end`, in order of time.
pub fn through_pie(pie: &mut Pie, ps_per_byte: f64, arrivals: &[Pkt], end: u64) -> Vec<(u64, u32, Fate)> {
    let mut fates = Vec::new();
    let mut free_at = 0;
    let none = Backlog::default();
    for packet in arrivals {
        let now = Time::from_ps(packet.arrived);
        let idle_since = Time::from_ps(free_at);
        let arrival = Arrival { now, size: packet.size, ecn_capable: packet.ecn, idle_since, flow: 0 };
        let fate = match pie.arrive(&arrival, &none) {
            Verdict::Drop => {
                fates.push((packet.arrived, packet.id, Fate::Dropped));
                continue;
            }
            Verdict::Mark => Fate::Marked,
            Verdict::Accept => Fate::Sent,
        };
        let start = packet.arrived.max(free_at);
        pie.accepted(now, Time::from_ps(start), packet.size);
        free_at = start + ((f64::from(packet.size) * ps_per_byte + 0.5) as u64).max(1);
        fates.push((start, packet.id, fate));
    }
    fates.retain(|&(time, ..)| time < end);
    fates
}
