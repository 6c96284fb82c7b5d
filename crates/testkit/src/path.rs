//! The way of datagrams in one direction: what it carries, and how long it takes without queues.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parshall_sim::scenario::{Capacity, Link, LinkEvent, Scenario};
use parshall_sim::units::{Rate, Time};

use crate::kit::BOTTLENECK;

/// Values that hold from an instant on, the first from the start.
type Pieces<T> = Vec<(Time, T)>;

/// The way from one host to another, over the fewest links.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    hops: Vec<Hop>,
    bottleneck: usize,
}

/// One direction of a link.
#[derive(Clone, Debug)]
struct Hop {
    port: String,
    delays: Pieces<Time>,
    rates: Pieces<Rate>,
    capacity: Option<Arc<Capacity>>,
    outages: Vec<(Time, Time)>,
}

impl Path {
    /// The way between two hosts; none if it does not lead over the bottleneck.
    pub fn of(scenario: &Scenario, from: &str, to: &str) -> Option<Self> {
        let links = way(scenario, from, to)?;
        let bottleneck = links.iter().position(|(link, _)| link.name.as_deref() == Some(BOTTLENECK))?;
        let hops = links.into_iter().map(|(link, back)| Hop::of(link, back)).collect();
        Some(Path { hops, bottleneck })
    }

    /// The name of the port in front of the bottleneck.
    pub fn port(&self) -> &str {
        &self.narrow().port
    }

    /// The bottleneck's rate at the start; the mean of a recorded capacity.
    pub fn rate(&self) -> Rate {
        let hop = self.narrow();
        match &hop.capacity {
            Some(capacity) => Rate::from_bps(bits_of(capacity) / capacity.period.secs()),
            None => hop.rates[0].1,
        }
    }

    /// Propagation delay at the start.
    pub fn delay(&self) -> Time {
        self.hops.iter().fold(Time::ZERO, |sum, hop| sum + hop.delays[0].1)
    }

    /// The time that a datagram of this size, which arrives at this instant, would have taken over empty queues. A link with a
    /// recorded capacity takes none for its transmission.
    pub fn base_delay(&self, arrival: Time, bytes: u32) -> Time {
        let mut at = arrival;
        for hop in self.hops.iter().rev() {
            let left = at.since(hop.delay_of_arrival(at));
            let rate = in_force(&hop.rates, left);
            let in_transmission = match hop.capacity {
                None if rate.bps() > 0.0 => rate.transmission(bytes),
                _ => Time::ZERO,
            };
            at = left.since(in_transmission);
        }
        arrival.since(at)
    }

    /// Bits that the bottleneck can carry from one instant up to another; none in an outage.
    pub fn bits_between(&self, from: Time, to: Time) -> f64 {
        let hop = self.narrow();
        let mut lit = vec![(from, to)];
        for &(start, end) in &hop.outages {
            let around = |(a, b): (Time, Time)| [(a, b.min(start.max(a))), (a.max(end.min(b)), b)];
            lit = lit.into_iter().flat_map(around).filter(|(a, b)| a < b).collect();
        }
        lit.into_iter().map(|(a, b)| hop.bits_between(a, b)).sum()
    }

    /// The last instant of an outage of the bottleneck before `end`.
    pub fn outage_end(&self, end: Time) -> Option<Time> {
        self.narrow().outages.iter().map(|&(_, over)| over).filter(|&over| over < end).max()
    }

    fn narrow(&self) -> &Hop {
        &self.hops[self.bottleneck]
    }
}

impl Hop {
    fn of(link: &Link, back: bool) -> Self {
        let (a, b) = (&link.between.0, &link.between.1);
        let reverse = &link.reverse;
        let (from, to) = if back { (b, a) } else { (a, b) };
        let (rate, delay) = match back {
            true => (reverse.rate.unwrap_or(link.rate), reverse.delay.unwrap_or(link.delay)),
            false => (link.rate, link.delay),
        };
        let (capacity, events) =
            if back { (&reverse.capacity, &reverse.events) } else { (&link.capacity, &link.events) };
        let mut hop = Hop {
            port: format!("{from}->{to}"),
            delays: vec![(Time::ZERO, delay)],
            rates: vec![(Time::ZERO, rate)],
            capacity: capacity.clone(),
            outages: Vec::new(),
        };
        for event in events {
            match event {
                LinkEvent::Rate(change) => hop.rates.push((change.at, change.rate)),
                LinkEvent::Delay(change) => hop.delays.push((change.at, change.delay)),
                LinkEvent::Outage(outage) => hop.outages.push((outage.start, outage.end)),
                _ => {}
            }
        }
        hop
    }

    /// The delay of a packet that arrives at `at`: that of the instant at which its transmission ended.
    fn delay_of_arrival(&self, at: Time) -> Time {
        let ends = self.delays[1..].iter().map(|&(start, _)| start).chain([Time::NEVER]);
        let mut fitting = self.delays.iter().zip(ends).filter(|((start, delay), end)| {
            let left = at.since(*delay);
            *start <= left && left < *end
        });
        // One that waited for those before it fits none.
        fitting.next().map_or_else(|| in_force(&self.delays, at), |((_, delay), _)| *delay)
    }

    fn bits_between(&self, from: Time, to: Time) -> f64 {
        if let Some(capacity) = &self.capacity {
            return bits_until(capacity, to) - bits_until(capacity, from);
        }
        let ends = self.rates[1..].iter().map(|&(start, _)| start).chain([Time::NEVER]);
        let piece = |(&(start, rate), end): (&(Time, Rate), Time)| {
            rate.bps() * to.min(end).since(from.max(start)).secs()
        };
        self.rates.iter().zip(ends).map(piece).sum()
    }
}

/// The links of the way over the fewest of them, each with whether it is passed backwards.
fn way<'a>(scenario: &'a Scenario, from: &str, to: &str) -> Option<Vec<(&'a Link, bool)>> {
    let mut reached = HashMap::new();
    let mut ahead = VecDeque::from([from]);
    while let Some(node) = ahead.pop_front() {
        for link in &scenario.links {
            let (a, b) = (link.between.0.as_str(), link.between.1.as_str());
            for (near, far, back) in [(a, b, false), (b, a, true)] {
                if near == node && far != from && !reached.contains_key(far) {
                    reached.insert(far, (near, link, back));
                    ahead.push_back(far);
                }
            }
        }
    }
    let mut links = Vec::new();
    let mut node = to;
    while node != from {
        let &(near, link, back) = reached.get(node)?;
        links.push((link, back));
        node = near;
    }
    links.reverse();
    Some(links)
}

/// The value that holds at an instant.
fn in_force<T: Copy>(pieces: &Pieces<T>, at: Time) -> T {
    let begun = pieces.iter().filter(|&&(start, _)| start <= at);
    begun.last().unwrap_or(&pieces[0]).1
}

/// Bits of one period.
fn bits_of(capacity: &Capacity) -> f64 {
    8.0 * f64::from(capacity.bytes) * capacity.times.len() as f64
}

/// Bits that may leave before an instant.
fn bits_until(capacity: &Capacity, at: Time) -> f64 {
    let period = capacity.period.ps().max(1);
    let rest = Time::from_ps(at.ps() % period);
    let begun = capacity.times.partition_point(|&time| time < rest);
    let whole = (at.ps() / period) as f64;
    whole * bits_of(capacity) + 8.0 * f64::from(capacity.bytes) * begun as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use parshall_sim::scenario::{DelayChange, LossOf, Outage, RateChange};

    fn scenario(narrow: Link) -> Scenario {
        let fast = Link::new(("server", "router"), Rate::mbit(100.0), Time::ms(5.0));
        Scenario::new(Time::from_secs(10.0), [fast, narrow], [])
    }

    fn narrow() -> Link {
        Link::new(("router", "client"), Rate::mbit(8.0), Time::ms(10.0)).named(BOTTLENECK)
    }

    #[test]
    fn a_datagram_takes_delays_and_transmissions() {
        let path = Path::of(&scenario(narrow()), "server", "client").expect("a way");
        assert_eq!(
            (path.port(), path.rate(), path.delay()),
            ("router->client", Rate::mbit(8.0), Time::ms(15.0))
        );
        assert_eq!(path.base_delay(Time::from_secs(1.0), 1000), Time::ms(15.0 + 1.0 + 0.08));
        assert_eq!(Path::of(&scenario(narrow()), "server", "nowhere").map(|_| ()), None);
    }

    #[test]
    fn events_change_delay_and_capacity() {
        let at = Time::from_secs;
        let mut link = narrow();
        link.events = vec![
            LinkEvent::Outage(Outage { start: at(2.0), end: at(3.0), of: LossOf::All }),
            LinkEvent::Rate(RateChange { at: at(4.0), rate: Rate::mbit(2.0) }),
            LinkEvent::Delay(DelayChange { at: at(4.0), delay: Time::ms(50.0) }),
        ];
        let path = Path::of(&scenario(link), "server", "client").expect("a way");
        // What arrives at 4.005 s had left before the change.
        assert_eq!(path.base_delay(at(4.005), 1000), Time::ms(16.08));
        assert_eq!(path.base_delay(at(4.1), 1000), Time::ms(5.0 + 50.0 + 4.0 + 0.08));
        assert!((path.bits_between(at(1.0), at(5.0)) - (8e6 * 2.0 + 2e6)).abs() < 1e-3);
        assert!((path.bits_between(at(2.5), at(2.7))).abs() < 1e-9);
        assert_eq!(path.outage_end(at(10.0)), Some(at(3.0)));
        assert_eq!(path.outage_end(at(2.9)), None);
    }

    #[test]
    fn a_recorded_capacity_repeats() {
        let mut link = narrow();
        let times = [1.0, 1.0, 7.0].map(Time::ms).to_vec();
        link.capacity = Some(Arc::new(Capacity { times, period: Time::ms(10.0), bytes: 1500 }));
        let path = Path::of(&scenario(link), "server", "client").expect("a way");
        assert!((path.rate().bps() - 3.6e6).abs() < 1e-3);
        assert!((path.bits_between(Time::ms(1.5), Time::ms(21.5)) - 6.0 * 12e3).abs() < 1e-6);
        assert!((path.bits_between(Time::ms(7.0), Time::ms(8.0)) - 12e3).abs() < 1e-6);
        assert_eq!(path.base_delay(Time::from_secs(1.0), 1000), Time::ms(15.08));
    }
}
