//! What is known of a flow before it has shown anything: how the other flows at the port behave.

use super::likelihood::{imitates, ratios, LIKELY, WAYS_TO_RESPOND};
use super::table::Watched;
use super::tally::Tally;

/// Before anything is known a flow is as likely to respond as not; that is worth so many flows of each kind.
const FLOWS: f64 = 5.0;

/// What is taken as likely of the ways to respond is worth so many flows.
const FLOWS_OF_WAYS: f64 = 12.0;

/// No more than this many nats are drawn from what a flow has shown, for or against: the laws of what flows do are
/// not known better than that.
const MOST_NATS: f64 = 5.0;

/// Evidence beyond these odds makes a flow's label more than a guess.
const RESOLVED_ODDS: f64 = 7.0;

/// The share of flows that respond, and in which way, by expectation maximisation: one step each interval, over flows
/// that have shown what they do. The others would confirm whatever is believed of them.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Prior {
    /// Odds that a flow responds.
    odds: f64,
    /// Probability of each way to respond if it does.
    ways: [f64; WAYS_TO_RESPOND],
}

impl Default for Prior {
    fn default() -> Self {
        Prior { odds: 1.0, ways: LIKELY }
    }
}

impl Prior {
    /// Labels a flow by what it has shown so far, and counts it.
    pub fn judge(&self, flow: &mut Watched, tally: &mut Tally) {
        let mut ratios = ratios(&flow.evidence);
        ratios.iter_mut().zip(self.ways).for_each(|(ratio, weight)| *ratio *= weight);
        let all: f64 = ratios.iter().sum();
        let ratio = all.clamp(libm::exp(-MOST_NATS), libm::exp(MOST_NATS));
        let honest = 1.0 - imitates(&flow.evidence);
        flow.deaf = 1.0 - honest * self.odds * ratio / (1.0 + self.odds * ratio);
        let odds = honest * ratio / (1.0 + (1.0 - honest) * ratio);
        flow.resolved = !(1.0 / RESOLVED_ODDS..RESOLVED_ODDS).contains(&odds);
        tally.flows += 1;
        if flow.evidence.trials() >= 1.0 && flow.resolved {
            tally.shown += 1.0;
            let responsive = 1.0 - flow.deaf;
            tally.responsive.iter_mut().zip(ratios).for_each(|(sum, r)| *sum += responsive * r / all);
        }
    }

    /// Takes in what the flows of an interval were judged to be.
    pub fn learn(&mut self, tally: &Tally) {
        let responsive: f64 = tally.responsive.iter().sum();
        self.odds = (FLOWS + responsive) / (FLOWS + tally.shown - responsive);
        let all = responsive + FLOWS_OF_WAYS;
        for ((way, sum), likely) in self.ways.iter_mut().zip(tally.responsive).zip(LIKELY) {
            *way = (FLOWS_OF_WAYS * likely + sum) / all;
        }
    }
}
