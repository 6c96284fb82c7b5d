//! One way to foresee the upper quantile of the next round-trip time: a level, and the tail of the distances from it.

use super::levels::{Level, Levels, Scale};
use super::tail::Tail;

/// The ways that compete. Which is best depends on the path: an almost constant one where round-trip times are
/// independent, a short one where the level shifts, and one with the deviation where calm and storm alternate.
pub const WAYS: [(Level, Scale); 8] = [
    (Level::Standing, Scale::Seconds),
    (Level::Short, Scale::Seconds),
    (Level::Median, Scale::Seconds),
    (Level::Median, Scale::Level),
    (Level::Medium, Scale::Deviation),
    (Level::Long, Scale::LongDeviation),
    (Level::Short, Scale::Level),
    (Level::Medium, Scale::Level),
];

/// The least distance that is told from smaller ones, in the unit of its scale; for seconds a share of the level.
const LEAST_SHARE: f64 = 1.0 / 512.0;
const LEAST_SECONDS: f64 = 1e-9;
const LEAST_DEVIATIONS: f64 = 1.0 / 16.0;
/// No timeout is longer (RFC 6298, section 2.5), so that what is beyond costs no more.
pub const LONGEST_S: f64 = 60.0;
/// Tails count as no heavier than this where they are continued beyond what has been seen: the index of a Pareto law
/// whose variance is just infinite.
const HEAVIEST: f64 = 0.5;
/// A tail that shrinks by less to the next look is taken to shrink by this.
const LEAST_SHRINKAGE: f64 = 0.02;

/// An expert: its tail, the quantile that it foresees, and what following it has cost.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Expert {
    level: Level,
    scale: Scale,
    tail: Tail,
    /// d ln(distance) / d ln(1 / risk) at the end of the tail.
    steepness: f64,
    /// The quantile, in seconds.
    pub quantile_s: f64,
    /// The mean wait so far, and the price of each early timeout with it; in seconds.
    pub cost_s: f64,
}

/// The weight of all samples that a tail remembers, and how much of it a question is about.
#[derive(Clone, Copy, Debug)]
pub struct TailWeight {
    /// Weight above the quantile.
    pub above: f64,
    /// Weight below which the tail is too thin to be read and is continued instead.
    pub thin: f64,
}

impl Expert {
    /// Knows nothing.
    pub fn new((level, scale): (Level, Scale)) -> Self {
        Expert { level, scale, tail: Tail::new(1.0), steepness: HEAVIEST, quantile_s: 0.0, cost_s: 0.0 }
    }

    /// Forgets everything; round-trip times will be around `rtt_s`.
    pub fn restart(&mut self, rtt_s: f64) {
        self.tail.restart(match self.scale {
            Scale::Seconds => (rtt_s * LEAST_SHARE).max(LEAST_SECONDS),
            Scale::Level => LEAST_SHARE,
            Scale::Deviation | Scale::LongDeviation => LEAST_DEVIATIONS,
        });
        (self.steepness, self.quantile_s, self.cost_s) = (HEAVIEST, 0.0, 0.0);
    }

    /// Accounts for a round-trip time: the wait, and the price of a timeout that was early. `gain` is its weight in the
    /// mean.
    #[inline]
    pub fn pay(&mut self, rtt_s: f64, price_s: f64, gain: f64) {
        let early = if rtt_s > self.quantile_s { price_s } else { 0.0 };
        self.cost_s += gain * (self.quantile_s.min(LONGEST_S) + early - self.cost_s);
    }

    /// Takes in the distance of a round-trip time from the level before it.
    #[inline]
    pub fn learn(&mut self, rtt_s: f64, levels: &Levels, weight: f32) {
        let level = levels.level(self.level);
        self.tail.add((rtt_s - level) / levels.scale(self.scale, level), weight);
    }

    /// See [`Tail::rescale`].
    pub fn rescale(&mut self, factor: f32) {
        self.tail.rescale(factor);
    }

    /// Foresees the quantile of the next round-trip time.
    #[inline]
    pub fn foresee(&mut self, levels: &Levels, asked: TailWeight) {
        let level = levels.level(self.level);
        let mut distance = self.tail.below(asked.above.max(asked.thin));
        if asked.above < asked.thin && distance > 0.0 {
            // A tail that is a power law where it was seen goes on as one.
            distance *= libm::pow(asked.thin / asked.above, self.steepness);
        }
        self.quantile_s = level + distance * levels.scale(self.scale, level);
    }

    /// Looks how steep the end of the tail is, between `thin` and four times as much.
    pub fn measure_steepness(&mut self, asked: TailWeight) {
        let (far, near) = (self.tail.search(asked.thin), self.tail.search(4.0 * asked.thin));
        let shrinks = if far > 0.0 { 1.0 - near / far } else { 0.0 };
        self.steepness = (shrinks.max(LEAST_SHRINKAGE) / libm::log(4.0)).min(HEAVIEST);
    }

    /// By how many seconds the quantile grows when the risk falls e-fold.
    pub fn seconds_for_less(&self, levels: &Levels, asked: TailWeight) -> f64 {
        let scale = levels.scale(self.scale, levels.level(self.level));
        let (far, near) = (self.tail.search(asked.above / 2.0), self.tail.search(asked.above * 2.0));
        scale * (far - near) / libm::log(4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Growth of the logarithm of the distance when the risk falls e-fold: 1 / index for a Pareto law of this
    /// index.
    fn steepness(index: f64) -> f64 {
        let mut expert = Expert::new((Level::Standing, Scale::Seconds));
        expert.restart(0.1);
        let levels = Levels::new();
        for i in 0..20_000 {
            let risk = (f64::from(i) + 0.5) / 20_000.0;
            expert.learn(0.1 * libm::pow(risk, -1.0 / index), &levels, 1.0);
        }
        expert.measure_steepness(TailWeight { above: 5.0, thin: 20.0 });
        expert.steepness
    }

    #[test]
    fn the_steepness_of_a_tail_is_measured_at_its_end() {
        let (light, heavy) = (steepness(8.0), steepness(4.0));
        assert!(light < heavy && heavy < HEAVIEST, "{light} {heavy}");
        // Between two looks a power law falls by 4 to the power of 1 / index, of which this is the first-order share.
        for (found, index) in [(light, 8.0), (heavy, 4.0)] {
            let expected = (1.0 - libm::pow(4.0, -1.0 / index)) / libm::log(4.0);
            assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
        }
        assert_eq!(steepness(0.9), HEAVIEST);
    }
}
