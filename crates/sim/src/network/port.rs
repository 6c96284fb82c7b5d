//! A port: the queue in front of one direction of a link, and the link.

use super::loss::Loss;
use super::service::Service;
use crate::packet::{ecn, Packet};
use crate::queue::{Arrival, Backlog, Discipline, Queue, Verdict};
use crate::random::Stream;
use crate::units::Time;

/// What a port has seen since the start of counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Packets that arrived, whatever became of them.
    pub packets_arrived: u64,
    /// Their bytes.
    pub bytes_arrived: u64,
    /// Packets that the queue dropped.
    pub packets_dropped: u64,
    /// Their bytes.
    pub bytes_dropped: u64,
    /// Packets that the queue marked.
    pub packets_marked: u64,
    /// Packets that the link lost.
    pub packets_lost: u64,
    /// Their bytes.
    pub bytes_lost: u64,
    /// Most packets held at an arrival, that packet included.
    pub max_backlog_packets: u64,
    /// Sum over accepted packets of the time from arrival to the end of transmission, in picoseconds.
    pub total_delay_ps: u128,
}

/// What a port decided about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is transmitted in this span of time.
    Sent {
        /// Start of transmission.
        start: Time,
        /// End of transmission.
        departure: Time,
        /// Whether the queue marked it.
        marked: bool,
    },
    /// The queue dropped it.
    Dropped,
    /// The link lost it.
    Lost,
}

/// Random delay on top of the propagation delay.
#[derive(Clone, Debug)]
pub struct Jitter {
    most: Time,
    reorder: bool,
    last: Time,
    stream: Stream,
}

impl Jitter {
    /// Delays drawn uniformly from 0 to `most`; unless `reorder`, a packet waits for those before it.
    pub fn new(most: Time, reorder: bool, stream: Stream) -> Self {
        Jitter { most, reorder, last: Time::ZERO, stream }
    }

    fn delay(&mut self, arrival: Time) -> Time {
        let arrival = arrival + self.stream.time_between(Time::ZERO, self.most);
        if self.reorder {
            return arrival;
        }
        self.last = arrival.max(self.last + Time::from_ps(1));
        self.last
    }
}

/// One direction of a link with its queue. Service is first in, first out.
#[derive(Clone, Debug)]
pub struct Port {
    service: Service,
    delay: Time,
    jitter: Option<Box<Jitter>>,
    busy_until: Time,
    count_from: Time,
    /// Packets and bytes held at `count_from`, once that instant has passed.
    held_at_first: Option<(u64, u64)>,
    backlog: Backlog,
    discipline: Discipline,
    loss: Option<Box<Loss>>,
    counters: PortCounters,
}

impl Port {
    /// An idle port that counts from `count_from` on.
    pub fn new(
        service: Service,
        delay: Time,
        discipline: Discipline,
        jitter: Option<Jitter>,
        loss: Option<Loss>,
        count_from: Time,
    ) -> Self {
        Port {
            service,
            delay,
            jitter: jitter.map(Box::new),
            busy_until: Time::ZERO,
            count_from,
            held_at_first: None,
            backlog: Backlog::default(),
            discipline,
            loss: loss.map(Box::new),
            counters: PortCounters::default(),
        }
    }

    /// When a packet that departs at `departure` reaches the far end.
    #[inline]
    pub fn arrival(&mut self, departure: Time) -> Time {
        let arrival = departure + self.delay;
        match &mut self.jitter {
            None => arrival,
            Some(jitter) => jitter.delay(arrival),
        }
    }

    /// Takes a packet that arrives at `now` and decides its fate. Calls must be in order of time.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: &Packet) -> Outcome {
        let size = u64::from(packet.size);
        let counting = now >= self.count_from;
        if counting {
            self.start_counting();
            self.counters.packets_arrived += 1;
            self.counters.bytes_arrived += size;
        }
        if let Some(loss) = &mut self.loss {
            if loss.takes(packet.ack) {
                if counting {
                    self.counters.packets_lost += 1;
                    self.counters.bytes_lost += size;
                }
                return Outcome::Lost;
            }
        }
        self.backlog.advance(now);
        let arrival = Arrival {
            now,
            size: packet.size,
            ecn_capable: packet.ecn & ecn::CAPABLE != 0,
            idle_since: self.busy_until,
        };
        let verdict = self.discipline.arrive(&arrival, &self.backlog);
        if verdict == Verdict::Drop {
            if counting {
                self.counters.packets_dropped += 1;
                self.counters.bytes_dropped += size;
            }
            return Outcome::Dropped;
        }
        let (start, departure) = self.service.transmit(now.max(self.busy_until), packet.size);
        // A trace may let two packets go at once; their order must show.
        let departure = departure.max(self.busy_until + Time::from_ps(1));
        self.busy_until = departure;
        self.backlog.push(departure, packet.size);
        let marked = verdict == Verdict::Mark;
        if counting {
            self.counters.packets_marked += u64::from(marked);
            let held = self.backlog.packets() as u64;
            self.counters.max_backlog_packets = self.counters.max_backlog_packets.max(held);
            self.counters.total_delay_ps += u128::from((departure - now).ps());
        }
        Outcome::Sent { start, departure, marked }
    }

    /// Packets and bytes held at `now`, the packet in transmission included.
    pub fn backlog(&mut self, now: Time) -> (u64, u64) {
        self.backlog.advance(now);
        (self.backlog.packets() as u64, self.backlog.bytes())
    }

    #[inline]
    fn start_counting(&mut self) -> (u64, u64) {
        if let Some(held) = self.held_at_first {
            return held;
        }
        self.backlog.advance(self.count_from);
        let held = (self.backlog.packets() as u64, self.backlog.bytes());
        self.held_at_first = Some(held);
        held
    }

    /// Packets and bytes whose transmission ended between the start of counting and `now`.
    pub fn departed(&mut self, now: Time) -> (u64, u64) {
        if now < self.count_from {
            return (0, 0);
        }
        let (packets_before, bytes_before) = self.start_counting();
        let (packets_held, bytes_held) = self.backlog(now);
        let c = &self.counters;
        let packets = c.packets_arrived - c.packets_dropped - c.packets_lost;
        let bytes = c.bytes_arrived - c.bytes_dropped - c.bytes_lost;
        (packets_before + packets - packets_held, bytes_before + bytes - bytes_held)
    }

    /// What it has seen.
    pub fn counters(&self) -> &PortCounters {
        &self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use crate::units::Rate;

    fn port(limit: Option<u32>) -> Port {
        let queue = scenario::Queue::Droptail(scenario::DropTail { limit_packets: limit, limit_bytes: None });
        Port::new(
            Service::new(Rate::from_bps(8e6), None),
            Time::from_secs(0.01),
            Discipline::new(&queue, Rate::from_bps(8e6), || unreachable!()),
            None,
            None,
            Time::ZERO,
        )
    }

    fn packet(size: u16) -> Packet {
        Packet { at: Time::ZERO, stamp: Time::ZERO, seq: 0, hop: 0, blocks: 0, size, ack: false, ecn: 0 }
    }

    fn departure(outcome: Outcome) -> f64 {
        match outcome {
            Outcome::Sent { departure, .. } => departure.secs(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn packets_wait_for_those_in_front() {
        let mut port = port(None);
        assert_eq!(departure(port.offer(Time::ZERO, &packet(1000))), 0.001);
        assert_eq!(departure(port.offer(Time::from_secs(0.0005), &packet(500))), 0.0015);
        assert_eq!(departure(port.offer(Time::from_secs(0.01), &packet(1000))), 0.011);
    }

    #[test]
    fn a_departure_at_an_arrival_makes_room() {
        let mut port = port(Some(1));
        port.offer(Time::ZERO, &packet(1000));
        assert_eq!(port.offer(Time::from_secs(0.0009), &packet(1000)), Outcome::Dropped);
        assert_eq!(departure(port.offer(Time::from_secs(0.001), &packet(1000))), 0.002);
        assert_eq!(port.counters().packets_dropped, 1);
        assert_eq!(port.counters().packets_arrived, 3);
    }

    #[test]
    fn jitter_keeps_the_order_unless_asked() {
        for reorder in [false, true] {
            let stream = Stream::new(1, "jitter");
            let mut jitter = Jitter::new(Time::from_secs(0.01), reorder, stream);
            let arrivals: Vec<Time> =
                (0..200).map(|i| jitter.delay(Time::from_secs(f64::from(i) * 0.001))).collect();
            assert_eq!(arrivals.windows(2).any(|w| w[1] <= w[0]), reorder);
        }
    }

    #[test]
    fn what_waits_when_counting_starts_departs_later() {
        let mut port = port(None);
        port.count_from = Time::from_secs(0.0015);
        for _ in 0..3 {
            port.offer(Time::ZERO, &packet(1000));
        }
        port.offer(Time::from_secs(0.002), &packet(500));
        assert_eq!(port.departed(Time::from_secs(0.001)), (0, 0));
        assert_eq!(port.departed(Time::from_secs(0.003)), (2, 2000));
        assert_eq!(port.departed(Time::from_secs(1.0)), (3, 2500));
        assert_eq!(port.counters().packets_arrived, 1);
    }
}
