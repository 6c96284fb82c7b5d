//! Median absolute deviation of a sliding window.

use crate::error::ConfigError;
use crate::sample::is_finite;
use crate::sorted_window::{middle, SortedWindow};

/// The median of the last `k` samples, and the median of their distances from it, without a scale factor.
///
/// Before `k` samples exist, those that do count. An update moves part of an array of `k` samples; the deviation
/// is then found in O(log k).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SlidingMad {
    window: SortedWindow,
}

impl SlidingMad {
    /// An empty window for `k` samples, at least 1.
    pub fn new(k: u32) -> Result<Self, ConfigError> {
        Ok(SlidingMad { window: SortedWindow::new(k)? })
    }

    /// Takes in a sample; one that is not finite is left out.
    #[inline]
    pub fn update(&mut self, x: f64) {
        if is_finite(x) {
            self.window.push(x);
        }
    }

    /// Median of the window; `None` before the first sample.
    #[inline]
    pub fn median(&self) -> Option<f64> {
        self.window.median()
    }

    /// Median absolute deviation of the window; `None` before the first sample.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        median_absolute_deviation(self.window.sorted())
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        self.window.clear();
    }
}

/// Median of the distances of the elements of an ascending slice from their median; `None` if it is empty.
///
/// # Examples
///
/// ```
/// use parshall_estimators::mad::median_absolute_deviation;
/// // The median is 3, the distances are 2, 1, 0, 1 and 97.
/// assert_eq!(median_absolute_deviation(&[1.0, 2.0, 3.0, 4.0, 100.0]), Some(1.0));
/// ```
pub fn median_absolute_deviation(sorted: &[f64]) -> Option<f64> {
    let center = middle(sorted)?;
    let upper = nth_distance(sorted, center, sorted.len() / 2 + 1);
    if sorted.len() % 2 == 1 {
        Some(upper)
    } else {
        Some(nth_distance(sorted, center, sorted.len() / 2).midpoint(upper))
    }
}

/// The `n`-th smallest distance from `center`, counted from 1.
///
/// The `n` elements closest to `center` stand side by side in an ascending slice. Sliding a run of `n` elements
/// to the right takes its left end closer to `center` and its right end farther away, so the largest distance
/// in the run is least where the two cross, which a binary search finds.
fn nth_distance(sorted: &[f64], center: f64, n: usize) -> f64 {
    let left = |start: usize| center - sorted[start];
    let right = |start: usize| sorted[start + n - 1] - center;
    let (mut low, mut high) = (0, sorted.len() - n);
    while low < high {
        let start = (low + high) / 2;
        if left(start) <= right(start) {
            high = start;
        } else {
            low = start + 1;
        }
    }
    let here = left(low).max(right(low));
    if low == 0 {
        here
    } else {
        here.min(left(low - 1).max(right(low - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_definition(xs: &[f64]) -> f64 {
        let median = |xs: &[f64]| {
            let mut sorted = xs.to_vec();
            sorted.sort_by(f64::total_cmp);
            middle(&sorted).unwrap()
        };
        let center = median(xs);
        median(&xs.iter().map(|x| (x - center).abs()).collect::<Vec<_>>())
    }

    fn samples() -> impl Strategy<Value = Vec<f64>> {
        let smooth = prop::collection::vec(-1e3..1e3f64, 1..80);
        let tied = prop::collection::vec((-3..4i32).prop_map(f64::from), 1..80);
        let heavy = prop::collection::vec((1e-6..1.0f64).prop_map(|u| u.powi(-3)), 1..80);
        prop_oneof![smooth, tied, heavy]
    }

    proptest! {
        #[test]
        fn equals_its_definition_at_every_prefix(k in 1u32..20, xs in samples()) {
            let mut mad = SlidingMad::new(k).unwrap();
            for n in 1..=xs.len() {
                mad.update(xs[n - 1]);
                let window = &xs[n.saturating_sub(k as usize)..n];
                prop_assert_eq!(mad.value(), Some(by_definition(window)));
            }
        }
    }

    #[test]
    fn leaves_out_what_is_not_finite_and_forgets_on_reset() {
        let mut mad = SlidingMad::new(3).unwrap();
        mad.update(f64::NAN);
        assert_eq!((mad.median(), mad.value()), (None, None));
        [5.0, f64::INFINITY, 7.0].into_iter().for_each(|x| mad.update(x));
        assert_eq!((mad.median(), mad.value()), (Some(6.0), Some(1.0)));
        mad.reset();
        assert_eq!((mad.median(), mad.value()), (None, None));
        mad.update(2.0);
        assert_eq!((mad.median(), mad.value()), (Some(2.0), Some(0.0)));
    }
}
