//! The estimation interval that is under way: sums that a packet changes in constant time.

use super::flags::Flags;
use super::imitation::imitates;
use super::judgement::{deaf, half_width, Label};
use super::table::Watched;
use super::Estimate;
use crate::math::sqrt;

/// Bounds that are further apart leave no share to tell.
pub const WIDEST: f64 = 0.2;

/// Deviations from the middle to the bounds.
const NORMAL_95: f64 = 1.96;

/// Sums over the packets of an interval.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Tally {
    pub packets: f64,
    pub signals: f64,
    /// Packets of flows that would be let in, but found no place.
    pub crowded: f64,
    /// True if a packet could not be used.
    pub bad: bool,
    /// Packets of watched flows, and those of them whose flows have a label.
    watched: f64,
    labelled: f64,
    /// Watched packets, each times the probability `d` that its flow does not respond, and times `4 d (1 - d)`.
    deaf: f64,
    doubt: f64,
    /// Over watched flows with `c` packets and probability `d`: sums of `c^2`, `c^2 d`, `c^2 d^2`.
    squares: [f64; 3],
    /// Watched flows.
    pub flows: u32,
}

impl Tally {
    /// Counts a packet of a watched flow that had `flow.packets` before it.
    #[inline]
    pub fn packet(&mut self, flow: &Watched) {
        let deaf = f64::from(flow.deaf);
        self.watched += 1.0;
        self.labelled += f64::from(u8::from(flow.labelled));
        self.deaf += deaf;
        self.doubt += 4.0 * deaf * (1.0 - deaf);
        let growth = 2.0 * f64::from(flow.packets) + 1.0;
        for (sum, x) in self.squares.iter_mut().zip([1.0, deaf, deaf * deaf]) {
            *sum += growth * x;
        }
    }

    /// Part of the watched packets that belong to flows with a label.
    pub fn resolved(&self) -> f64 {
        part(self.labelled, self.watched)
    }

    /// Part of the packets that belong to watched flows.
    fn watched(&self) -> f64 {
        part(self.watched, self.packets)
    }

    /// Estimate of the interval that ends at `end_s`, but for flags that need more than one interval.
    pub fn estimate(&self, end_s: f64) -> Estimate {
        let known = self.watched > 0.0;
        let mean = part(self.deaf, self.watched);
        let doubt = part(self.doubt, self.watched);
        let half = self.half_width(mean, doubt);
        let (lower, upper) = ((mean - half).max(0.0), (mean + half).min(1.0));
        let told = known && upper - lower <= WIDEST;
        Estimate {
            end_s,
            share: told.then_some(mean),
            share_se: told.then_some(half / NORMAL_95),
            share_lower: known.then_some(lower),
            share_upper: known.then_some(upper),
            doubt: known.then_some(doubt),
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
                | Flags::DOUBTFUL.when(known && !told),
        }
    }

    /// Flows may have been taken for what they are not, by errors that those at a port share: the table's widths are of
    /// whole ports. And watched flows may not be like the others.
    fn half_width(&self, mean: f64, doubt: f64) -> f64 {
        let (by_labels, by_sample) = (half_width(doubt), NORMAL_95 * self.sampling_error(mean));
        sqrt(by_labels * by_labels + by_sample * by_sample)
    }

    /// The error of a ratio over a sample of flows, each with all of its packets.
    fn sampling_error(&self, mean: f64) -> f64 {
        let left_out = 1.0 - self.watched();
        if left_out <= 0.0 || self.watched == 0.0 {
            return 0.0;
        }
        let [one, deaf, deaf_squared] = self.squares;
        let scatter = deaf_squared - 2.0 * mean * deaf + mean * mean * one;
        // A few flows that agree do not speak for all: as if there were one more of each kind (Agresti and Coull 1998).
        let flows = self.watched * self.watched / one;
        let cautious = (mean * flows + 1.0) / (flows + 2.0);
        let scatter = scatter.max(cautious * (1.0 - cautious) * one);
        sqrt(left_out * scatter) / self.watched
    }
}

impl Watched {
    /// Judges the flow anew, by what it has shown so far.
    pub fn judge(&mut self) {
        let (learned, imitates) = (deaf(&self.evidence.numbers()), imitates(&self.evidence));
        let deaf = if imitates > 0.5 { learned.max(imitates) } else { learned };
        self.deaf = deaf as f32;
        self.labelled = Label::of(deaf) != Label::Unknown;
        self.since = 0;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_of_billions_of_packets_is_counted() {
        let mut tally = Tally::default();
        tally.packet(&Watched { packets: u32::MAX, ..Watched::default() });
        assert_eq!(tally.squares[0], 2.0 * f64::from(u32::MAX) + 1.0);
    }
}
