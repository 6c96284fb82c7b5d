//! Reports between conditioners about their aggregates: sent at intervals, and delayed on the way.

use std::collections::VecDeque;

use parshall_estimators::meter::{AggregateView, Surroundings};

use crate::room::Room;
use crate::units::Time;

/// Reports under way between the conditioners of a network, and the last ones that arrived.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    peers: Vec<Peer>,
}

/// An aggregate that reports to the others.
#[derive(Clone, Debug)]
struct Peer {
    interval: Time,
    delay: Time,
    /// Time of the next report.
    next: Time,
    /// Reports of the aggregate with their times of arrival; the first is the one that the others know.
    reports: VecDeque<(Time, AggregateView)>,
}

impl Exchange {
    /// Adds an aggregate; returns its number.
    pub fn join(&mut self, interval: Time, delay: Time) -> usize {
        self.peers.push(Peer { interval, delay, next: Time::ZERO, reports: VecDeque::new() });
        self.peers.len() - 1
    }

    /// Lets an aggregate tell others how it is at `now`, if it is time.
    pub fn report(&mut self, number: usize, now: Time, view: &AggregateView) {
        let peer = &mut self.peers[number];
        if now >= peer.next {
            peer.next = now + peer.interval;
            peer.reports.add((now + peer.delay, *view), "what conditioners tell one another");
        }
    }

    /// Returns the view that an aggregate, itself in the state `own`, has of its neighbours at `now`. Calls
    /// must be in order of time.
    pub fn around(&mut self, number: usize, now: Time, own: AggregateView) -> Surroundings {
        let mut around = Surroundings {
            own,
            nearest: own,
            is_nearest: true,
            least_rto_s: own.rto_s,
            mean_excess: own.excess,
        };
        let mut known = 1.0;
        for (other, peer) in self.peers.iter_mut().enumerate() {
            let Some(view) = peer.arrived(now).filter(|_| other != number) else {
                continue;
            };
            // What is not known yet is neither less nor more.
            if view.rtt_s < around.nearest.rtt_s {
                (around.nearest, around.is_nearest) = (view, false);
            }
            around.least_rto_s = around.least_rto_s.min(view.rto_s);
            around.mean_excess += view.excess;
            known += 1.0;
        }
        around.mean_excess /= known;
        around
    }
}

impl Peer {
    /// The last reports that have arrived.
    fn arrived(&mut self, now: Time) -> Option<AggregateView> {
        while self.reports.get(1).is_some_and(|&(at, _)| at <= now) {
            self.reports.pop_front();
        }
        self.reports.front().filter(|&&(at, _)| at <= now).map(|&(_, view)| view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(rtt_s: f64, excess: f64) -> AggregateView {
        AggregateView { rtt_s, rto_s: 10.0 * rtt_s, loss: 0.0, excess }
    }

    #[test]
    fn news_take_their_time() {
        let ms = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        let mut exchange = Exchange::default();
        let (one, other) = (exchange.join(ms(100), ms(50)), exchange.join(ms(100), ms(50)));
        exchange.report(other, ms(10), &view(0.02, 3e5));
        exchange.report(other, ms(20), &view(0.01, 9e5)); // too early to say more
        let own = view(0.1, 1e5);
        let early = exchange.around(one, ms(59), own);
        assert_eq!((early.is_nearest, early.mean_excess), (true, 1e5));
        let later = exchange.around(one, ms(60), own);
        assert_eq!((later.is_nearest, later.nearest.rtt_s, later.mean_excess), (false, 0.02, 2e5));
        assert_eq!(later.least_rto_s, 0.2);
        exchange.report(other, ms(110), &view(0.2, 3e5));
        assert!(!exchange.around(one, ms(159), own).is_nearest);
        assert!(exchange.around(one, ms(160), own).is_nearest);
    }

    #[test]
    fn nobody_is_their_own_neighbour() {
        let mut exchange = Exchange::default();
        let one = exchange.join(Time::ZERO, Time::ZERO);
        exchange.report(one, Time::ZERO, &view(0.001, 0.0));
        assert!(exchange.around(one, Time::ZERO, view(0.1, 1.0)).is_nearest);
    }
}
