//! Where the round-trip time stands and how far it swings, by averages of several lengths and a short median.

use crate::ewma::toward;
use crate::median::SlidingMedian;

const GAIN_SHORT: f64 = 1.0 / 2.0;
/// RFC 6298, section 2.3: alpha and beta.
const GAIN: f64 = 1.0 / 8.0;
const DEVIATION_GAIN: f64 = 1.0 / 4.0;
const GAIN_LONG: f64 = 1.0 / 64.0;
/// Step of the standing median, in deviations.
const STEP: f64 = 1.0 / 512.0;
/// Samples of the short median.
const WINDOW: u32 = 9;

/// Which level the next sample is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Level {
    /// Average with a gain of 1/2: follows a level shift within a few samples.
    Short,
    /// Average with RFC 6298's gain of 1/8.
    Medium,
    /// Average with a gain of 1/64.
    Long,
    /// Median that moves by a small step a sample: almost a constant, and below every quantile that is asked for.
    Standing,
    /// Median of 9.
    Median,
}

/// In what unit the distance of a sample from its level is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Scale {
    /// Seconds: the distance does not depend on anything.
    Seconds,
    /// The level itself: the distance grows with it.
    Level,
    /// RFC 6298's deviation, with a gain of 1/4.
    Deviation,
    /// The deviation from the long average, with its gain of 1/64.
    LongDeviation,
}

/// All levels and deviations of a series. All times are seconds.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Levels {
    samples: u32,
    short: f64,
    medium: f64,
    long: f64,
    standing: f64,
    window: SlidingMedian,
    median: f64,
    deviation: f64,
    long_deviation: f64,
}

impl Levels {
    /// Levels without samples.
    pub fn new() -> Self {
        Levels {
            samples: 0,
            short: 0.0,
            medium: 0.0,
            long: 0.0,
            standing: 0.0,
            window: SlidingMedian::new(WINDOW).expect("a valid window"),
            median: 0.0,
            deviation: 0.0,
            long_deviation: 0.0,
        }
    }

    /// Takes in a round-trip time. The averages of more than a few samples see `bounded`, which differs from `rtt_s`
    /// where that is thought to be an outlier.
    #[inline]
    pub fn update(&mut self, rtt_s: f64, bounded_s: f64) {
        self.window.update(rtt_s);
        self.median = self.window.value().unwrap_or(rtt_s);
        self.samples = self.samples.saturating_add(1);
        if self.samples == 1 {
            (self.short, self.medium, self.long, self.standing) = (rtt_s, rtt_s, rtt_s, rtt_s);
            (self.deviation, self.long_deviation) = (rtt_s / 2.0, rtt_s / 2.0);
            return;
        }
        let mean_so_far = 1.0 / f64::from(self.samples);
        self.deviation = toward(self.deviation, (bounded_s - self.medium).abs(), DEVIATION_GAIN);
        self.long_deviation = toward(self.long_deviation, (bounded_s - self.long).abs(), GAIN_LONG);
        self.short = toward(self.short, rtt_s, GAIN_SHORT);
        self.medium = toward(self.medium, bounded_s, GAIN);
        self.long = toward(self.long, bounded_s, GAIN_LONG.max(mean_so_far));
        self.standing = if self.samples <= WINDOW {
            self.median
        } else {
            self.standing + STEP * self.long_deviation * (rtt_s - self.standing).signum()
        };
    }

    /// The level, in seconds.
    #[inline]
    pub fn level(&self, level: Level) -> f64 {
        match level {
            Level::Short => self.short,
            Level::Medium => self.medium,
            Level::Long => self.long,
            Level::Standing => self.standing,
            Level::Median => self.median,
        }
    }

    /// The scale for a distance from a level; above 0.
    #[inline]
    pub fn scale(&self, scale: Scale, level_s: f64) -> f64 {
        const LEAST: f64 = 1e-9;
        match scale {
            Scale::Seconds => 1.0,
            Scale::Level => level_s.max(LEAST),
            Scale::Deviation => self.deviation.max(LEAST),
            Scale::LongDeviation => self.long_deviation.max(LEAST),
        }
    }

    /// Forgets every sample: the next is a first one, which sets every average.
    pub fn reset(&mut self) {
        self.window.reset();
        self.samples = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_of_a_constant_fade_and_those_of_two_levels_are_half_their_distance() {
        let mut levels = Levels::new();
        (0..2000).for_each(|_| levels.update(0.1, 0.1));
        assert!(levels.scale(Scale::Deviation, 0.1) < 1.1e-9);
        assert!(levels.scale(Scale::LongDeviation, 0.1) < 1.1e-9);
        for i in 0..2000 {
            let rtt = if i % 2 == 0 { 0.1 } else { 0.3 };
            levels.update(rtt, rtt);
        }
        let scale = levels.scale(Scale::LongDeviation, 0.2);
        assert!((0.098..0.102).contains(&scale), "{scale}");
    }
}
