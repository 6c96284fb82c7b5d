//! The estimation interval that is under way: sums that a packet changes in constant time.

use super::flags::Flags;
use super::likelihood::WAYS_TO_RESPOND;
use super::table::Watched;
use super::Estimate;
use crate::math::sqrt;

/// Deviation of the share of flows that respond, as long as nothing is known of it: uniform from 0 to 1.
const PRIOR_DEVIATION: f64 = 0.289;

/// A greater standard error than this makes an estimate doubtful.
const DOUBTFUL_FROM: f64 = 0.1;

/// Sums over the packets of an interval.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Tally {
    pub packets: f64,
    pub signals: f64,
    /// Packets of flows that would be let in, but found no place.
    pub crowded: f64,
    /// Whether a packet could not be used.
    pub bad: bool,
    /// Packets of watched flows, and those of them whose flows have shown what they do.
    watched: f64,
    resolved: f64,
    /// Watched packets, each times the probability that its flow does not respond; and of resolved flows only.
    deaf: f64,
    deaf_resolved: f64,
    /// Over watched flows with `c` packets and probability `d`: sums of `c^2 d (1 - d)`, `c^2`, `c^2 d`, `c^2 d^2`.
    doubt: f64,
    /// Over packets, `4 d (1 - d)`: how much labels depend on the prior that flows share.
    shared_doubt: f64,
    squares: [f64; 3],
    /// Watched flows, those of them that have shown what they do, and the sum of the latter's probabilities that they
    /// respond, by the way in which they do.
    pub flows: u32,
    pub shown: f64,
    pub responsive: [f64; WAYS_TO_RESPOND],
}

impl Tally {
    /// Counts a packet of a watched flow that had `flow.packets` before it.
    #[inline]
    pub fn packet(&mut self, flow: &Watched) {
        let deaf = flow.deaf;
        self.watched += 1.0;
        self.deaf += deaf;
        if flow.resolved {
            self.resolved += 1.0;
            self.deaf_resolved += deaf;
        }
        let growth = 2.0 * flow.packets + 1.0;
        self.doubt += growth * deaf * (1.0 - deaf);
        self.shared_doubt += 4.0 * deaf * (1.0 - deaf);
        for (sum, x) in self.squares.iter_mut().zip([1.0, deaf, deaf * deaf]) {
            *sum += growth * x;
        }
    }

    /// Part of the watched packets that belong to flows which have shown what they do.
    pub fn resolved(&self) -> f64 {
        part(self.resolved, self.watched)
    }

    /// Part of the packets that belong to watched flows.
    fn watched(&self) -> f64 {
        part(self.watched, self.packets)
    }

    /// What the interval that ends at `end_s` says, but for flags that need more than one interval.
    pub fn estimate(&self, end_s: f64) -> Estimate {
        let known = self.watched > 0.0;
        let share = self.deaf / self.watched;
        let unresolved = self.watched - self.resolved;
        let share_se = known.then(|| self.standard_error(share));
        Estimate {
            end_s,
            share: known.then_some(share),
            share_se,
            share_upper: known.then(|| (self.deaf_resolved + unresolved) / self.watched),
            resolved: self.resolved(),
            watched: self.watched(),
            packets: self.packets as u64,
            signals: self.signals as u64,
            flows: self.flows,
            flags: Flags::NO_PACKETS.when(self.packets == 0.0)
                | Flags::NO_SIGNALS.when(self.signals == 0.0)
                | Flags::LOW_EXCITATION.when(self.resolved() < 0.5)
                | Flags::SAMPLED.when(self.packets > 0.0 && self.watched() < 0.95)
                | Flags::BAD_SAMPLE.when(self.bad)
                | Flags::DOUBTFUL.when(share_se.is_some_and(|se| se > DOUBTFUL_FROM)),
        }
    }

    /// Flows may have been taken for what they are not, one by one or all together; and watched flows may not be like
    /// the others (the error of a ratio over a sample of flows, each with all of its packets).
    fn standard_error(&self, share: f64) -> f64 {
        let [one, deaf, deaf_squared] = self.squares;
        let scatter = deaf_squared - 2.0 * share * deaf + share * share * one;
        // A few flows that agree do not speak for all: as if there were one more of each kind (Agresti and Coull 1998).
        let flows = self.watched * self.watched / one;
        let cautious = (share * flows + 1.0) / (flows + 2.0);
        let scatter = scatter.max(cautious * (1.0 - cautious) * one);
        let shared = self.shared_doubt * PRIOR_DEVIATION;
        let variance = self.doubt + shared * shared + (1.0 - self.watched()) * scatter;
        sqrt(variance) / self.watched
    }
}

/// `x / all`, or 0 of nothing.
fn part(x: f64, all: f64) -> f64 {
    if all > 0.0 {
        x / all
    } else {
        0.0
    }
}
