//! What is known of a flow before it has shown anything: how the other flows at the port behave.

use super::evidence::SCALES;
use super::table::Watched;
use super::tally::Tally;

/// Before anything is known a flow is as likely to respond as not; that is worth so many flows of each kind.
const FLOWS: f64 = 5.0;

/// Each time scale is as likely as the others to be that of the response; that is worth so many flows of each.
const FLOWS_PER_SCALE: f64 = 1.0;

/// Evidence beyond these odds makes a flow's label more than a guess.
const RESOLVED_ODDS: f64 = 7.0;

/// The share of flows that respond, and at which time scale, by expectation maximisation: one step each interval.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Prior {
    /// Odds that a flow responds.
    odds: f64,
    /// Probability of each time scale if it does.
    scales: [f64; SCALES],
}

impl Default for Prior {
    fn default() -> Self {
        Prior { odds: 1.0, scales: [1.0 / SCALES as f64; SCALES] }
    }
}

impl Prior {
    /// Labels a flow by what it has shown so far, and counts it.
    pub fn judge(&self, flow: &mut Watched, tally: &mut Tally) {
        let mut ratios = flow.evidence.likelihood_ratios();
        ratios.iter_mut().zip(self.scales).for_each(|(ratio, weight)| *ratio *= weight);
        let ratio: f64 = ratios.iter().sum();
        flow.deaf = 1.0 / (1.0 + self.odds * ratio);
        flow.resolved = !(1.0 / RESOLVED_ODDS..RESOLVED_ODDS).contains(&ratio);
        tally.flows += 1;
        if flow.evidence.trials() >= 1.0 {
            tally.tried += 1.0;
            let responsive = 1.0 - flow.deaf;
            tally.responsive.iter_mut().zip(ratios).for_each(|(sum, r)| *sum += responsive * r / ratio);
        }
    }

    /// Takes in what the flows of an interval were judged to be.
    pub fn learn(&mut self, tally: &Tally) {
        let responsive: f64 = tally.responsive.iter().sum();
        self.odds = (FLOWS + responsive) / (FLOWS + tally.tried - responsive);
        let all = responsive + FLOWS_PER_SCALE * SCALES as f64;
        for (scale, sum) in self.scales.iter_mut().zip(tally.responsive) {
            *scale = (FLOWS_PER_SCALE + sum) / all;
        }
    }
}
