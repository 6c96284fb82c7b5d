//! Median of the last `k` samples, for any `k`.

use crate::error::ConfigError;
use crate::sample::is_finite;
use crate::sorted_window::{check_window, SortedWindow, SMALL};
use crate::two_heaps::TwoHeaps;

/// The median of the newest `k` samples of a stream.
///
/// Before `k` samples exist, the median of those that do. Of an even number of samples, the mean of the middle
/// two. An update costs O(log k), and no memory is allocated after construction.
///
/// # Examples
///
/// ```
/// use parshall_estimators::median::SlidingMedian;
/// let mut median = SlidingMedian::new(3)?;
/// assert_eq!(median.value(), None);
/// let medians = [5.0, 1.0, 9.0, 9.0].map(|x| {
///     median.update(x);
///     median.value()
/// });
/// assert_eq!(medians, [Some(5.0), Some(3.0), Some(5.0), Some(9.0)]);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SlidingMedian {
    window: Window,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Window {
    Small(SortedWindow),
    Large(TwoHeaps),
}

impl SlidingMedian {
    /// An empty window for `k` samples: at least 1, at most [`crate::MAX_WINDOW`].
    pub fn new(k: u32) -> Result<Self, ConfigError> {
        check_window("window", k)?;
        let window = if k as usize <= SMALL {
            Window::Small(SortedWindow::new(k)?)
        } else {
            Window::Large(TwoHeaps::new(k))
        };
        Ok(SlidingMedian { window })
    }

    /// Takes in a sample; one that is not finite is left out.
    #[inline]
    pub fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        match &mut self.window {
            Window::Small(window) => window.push(x),
            Window::Large(window) => window.push(x),
        }
    }

    /// The median of the window; `None` before the first sample.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        match &self.window {
            Window::Small(window) => window.median(),
            Window::Large(window) => window.median(),
        }
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        match &mut self.window {
            Window::Small(window) => window.clear(),
            Window::Large(window) => window.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_sorting(xs: &[f64]) -> f64 {
        let mut sorted = xs.to_vec();
        sorted.sort_by(f64::total_cmp);
        (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
    }

    /// Windows of every size up to 20, around each limit between two ways of keeping one, and larger.
    fn windows() -> impl Strategy<Value = u32> {
        prop_oneof![1u32..20, 30u32..35, 62u32..68, 68u32..150]
    }

    fn samples() -> impl Strategy<Value = Vec<f64>> {
        let smooth = prop::collection::vec(-1e3..1e3f64, 1..400);
        let tied = prop::collection::vec((-3..4i32).prop_map(f64::from), 1..400);
        let rising = (1usize..400).prop_map(|n| (0..n).map(|i| i as f64).collect());
        let falling = (1usize..400).prop_map(|n| (0..n).rev().map(|i| i as f64).collect());
        prop_oneof![smooth, tied, rising, falling]
    }

    proptest! {
        #[test]
        fn equals_the_sorted_window_at_every_prefix(k in windows(), xs in samples()) {
            let mut median = SlidingMedian::new(k).unwrap();
            for n in 1..=xs.len() {
                median.update(xs[n - 1]);
                let window = &xs[n.saturating_sub(k as usize)..n];
                prop_assert_eq!(median.value(), Some(by_sorting(window)), "after {}", n);
            }
        }

        #[test]
        fn a_reset_filter_is_a_fresh_one(k in windows(), xs in samples(), ys in samples()) {
            let mut used = SlidingMedian::new(k).unwrap();
            xs.iter().for_each(|&x| used.update(x));
            used.reset();
            prop_assert_eq!(used.value(), None);
            let mut fresh = SlidingMedian::new(k).unwrap();
            for y in ys {
                used.update(y);
                fresh.update(y);
                prop_assert_eq!(used.value(), fresh.value());
            }
        }
    }

    #[test]
    fn an_impulse_shorter_than_half_the_window_does_not_show() {
        for k in [5, 9, 65, 101] {
            let mut median = SlidingMedian::new(k).unwrap();
            (0..k).for_each(|_| median.update(0.1));
            for _ in 0..k / 2 {
                median.update(60.0);
                assert_eq!(median.value(), Some(0.1));
            }
            median.update(60.0);
            assert_eq!(median.value(), Some(60.0));
        }
    }

    #[test]
    fn leaves_out_what_is_not_finite() {
        for k in [3, 65] {
            let mut median = SlidingMedian::new(k).unwrap();
            median.update(f64::NAN);
            assert_eq!(median.value(), None);
            median.update(0.0);
            median.update(f64::INFINITY);
            median.update(f64::NEG_INFINITY);
            assert_eq!(median.value(), Some(0.0));
        }
    }

    #[test]
    fn refuses_an_empty_window() {
        let error = SlidingMedian::new(0).unwrap_err();
        assert_eq!(error.to_string(), "window: got 0, expected a whole number from 1 to 16777216");
    }
}
