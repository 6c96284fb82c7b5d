//! Notices that the level of a series has changed, such as after a change of route: two cumulative sums (Page 1954) of how
//! far samples lie from the median, in units of their usual distance, cut off so that one outlier is never enough.

use alloc::boxed::Box;

use crate::median::SlidingMedian;

/// Samples that the median looks back on.
const WINDOW: u32 = 64;
/// Samples after which a change may be found.
const YOUNG: u32 = 10;
/// Samples after which distances are cut off before they enter the scale, which until then learns fast.
const ADULT: u32 = 32;
/// Usual distances that a sample counts for at most, so that it takes at least five to make a change. One that lies
/// further away has jumped.
const FAR: f64 = 2.5;
/// Slack taken off each sum with each sample.
const SLACK: f64 = 1.0;
/// The sum at which a change is found.
const THRESHOLD: f64 = 6.0;
/// A normal distribution's standard deviation, in mean absolute deviations, is 1.25; heavier tails are expected.
const SCALE: f64 = 1.4;
/// Samples that are kept to begin anew with.
const KEPT: usize = 64;

/// Finds changes of level, and the samples since.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShiftDetector {
    median: SlidingMedian,
    scale: f64,
    seen: u32,
    above: Sum,
    below: Sum,
    jumped: bool,
    /// The newest samples, the oldest of them first.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved"))]
    recent: Box<[f64; KEPT]>,
    since: usize,
}

/// A cumulative sum and for how many samples it has been above 0.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Sum {
    value: f64,
    length: usize,
}

impl Sum {
    fn add(&mut self, step: f64) {
        self.value = (self.value + step - SLACK).max(0.0);
        self.length = if self.value > 0.0 { self.length + 1 } else { 0 };
    }
}

impl ShiftDetector {
    /// No samples yet.
    #[expect(
        clippy::new_without_default,
        reason = "a detector that has seen nothing is not a default of anything"
    )]
    pub fn new() -> Self {
        ShiftDetector {
            median: SlidingMedian::new(WINDOW).expect("a window of samples"),
            scale: 0.0,
            seen: 0,
            above: Sum::default(),
            below: Sum::default(),
            jumped: false,
            recent: Box::new([0.0; KEPT]),
            since: 0,
        }
    }

    /// Takes in a finite sample; whether it makes a change of level certain.
    pub fn update(&mut self, x: f64) -> bool {
        self.recent.copy_within(1.., 0);
        self.recent[KEPT - 1] = x;
        let found = self.judge(x);
        self.median.update(x);
        self.seen = self.seen.saturating_add(1);
        if let Some(length) = found {
            self.begin_anew(length);
        }
        found.is_some()
    }

    /// The median of the last samples of the present level; `None` before the first sample.
    #[inline]
    pub fn level(&self) -> Option<f64> {
        self.median.value()
    }

    /// Returns whether the newest sample lies far from the level.
    #[inline]
    pub fn jumped(&self) -> bool {
        self.jumped
    }

    /// The samples since the last change that was found, at the moment it was found; the oldest first.
    pub fn since(&self) -> &[f64] {
        &self.recent[KEPT - self.since..]
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        self.begin_anew(0);
        self.scale = 0.0;
        self.since = 0;
    }

    /// Number of samples of a new level, if there is one.
    fn judge(&mut self, x: f64) -> Option<usize> {
        let distance = x - self.median.value()?;
        let far = match (self.scale > 0.0, distance == 0.0) {
            (true, _) => distance / self.scale,
            (false, true) => 0.0,
            (false, false) => distance.signum() * f64::INFINITY,
        };
        let known = self.seen >= YOUNG;
        self.jumped = known && far.abs() > FAR;
        if known {
            let counted = far.clamp(-FAR, FAR);
            self.above.add(counted);
            self.below.add(-counted);
        }
        self.rescale(distance.abs());
        let found = [&self.above, &self.below].into_iter().find(|sum| sum.value > THRESHOLD);
        found.map(|sum| sum.length.min(KEPT))
    }

    fn rescale(&mut self, distance: f64) {
        let cut =
            if self.seen < ADULT || self.scale == 0.0 { distance } else { distance.min(3.0 * self.scale) };
        let gain = (1.0 / f64::from(self.seen)).max(1.0 / 64.0);
        let next = self.scale + (SCALE * cut - self.scale) * gain;
        self.scale = if next.is_finite() && next > f64::MIN_POSITIVE { next } else { 0.0 };
    }

    fn begin_anew(&mut self, length: usize) {
        self.since = length;
        self.median.reset();
        for &x in &self.recent[KEPT - length..] {
            self.median.update(x);
        }
        self.above = Sum::default();
        self.below = Sum::default();
        self.jumped = false;
        self.seen = length as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(t: u32) -> f64 {
        (f64::from(t) * 0.618_033_988_749_894_9).fract() - 0.5
    }

    #[test]
    fn a_shift_is_found_within_a_few_samples_and_they_are_named() {
        let mut detector = ShiftDetector::new();
        assert!((0..500).all(|t| !detector.update(50.0 + noise(t))));
        let delay = (0..20).find(|&t| detector.update(80.0 + noise(t))).unwrap();
        assert!(delay <= 5, "{delay}");
        assert_eq!(detector.since().len(), delay as usize + 1);
        assert!(detector.since().iter().all(|&x| x > 79.0));
        assert!((0..500).all(|t| !detector.update(80.0 + noise(t))));
    }

    #[test]
    fn outliers_jump_but_are_no_shift() {
        let mut detector = ShiftDetector::new();
        for t in 0..3000 {
            let outlier = t % 40 < 2 && t > 100;
            assert!(!detector.update(if outlier { 900.0 } else { 50.0 + noise(t) }), "after {t}");
            assert!(detector.jumped() == outlier || t < 40);
        }
    }

    #[test]
    fn a_constant_series_that_moves_has_shifted() {
        let mut detector = ShiftDetector::new();
        assert!((0..100).all(|_| !detector.update(7.0)));
        let delay = (0..20).find(|_| detector.update(8.0)).unwrap();
        assert!(delay <= 5, "{delay}");
        let fresh = format!("{:?}", ShiftDetector::new().since());
        detector.reset();
        assert_eq!(format!("{:?}", detector.since()), fresh);
    }
}
