//! The last `k` samples, in order of size as well as in order of arrival.
//!
//! A new sample takes the place of the oldest, and the samples between the two places in the sorted array move
//! up or down by one. Up to [`SMALL`] samples that is done by comparing all of them, without a branch that the
//! processor could mispredict, which takes a third to a half of the time of a search and a move; above, by a
//! binary search and a move of memory.

use alloc::boxed::Box;
use alloc::vec;

use crate::error::ConfigError;

/// Largest window of any estimator here: 2^24 samples.
pub const MAX_WINDOW: u32 = 1 << 24;

/// Largest window without branches. At the next size two heaps would be as fast: `cargo bench` shows both sides.
pub(crate) const SMALL: usize = 64;

/// A window over the newest `k` samples of a stream of finite numbers.
///
/// Places that have no sample yet hold infinity, in both arrays: a sample that enters a window that is not full
/// replaces an infinity, and needs no case of its own.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SortedWindow {
    /// Ring of samples; `oldest` is the next to be replaced.
    arrivals: Box<[f64]>,
    /// Ascending; the first `len` are the samples. A small window is padded to 8, 16, 32 or 64.
    sorted: Box<[f64]>,
    len: usize,
    oldest: usize,
}

impl SortedWindow {
    /// An empty window for `k` samples.
    pub fn new(k: u32) -> Result<Self, ConfigError> {
        check_window("window", k)?;
        let k = k as usize;
        let padded = if k <= SMALL { k.next_power_of_two().max(8) } else { k };
        let empty = |n| vec![f64::INFINITY; n].into_boxed_slice();
        Ok(SortedWindow { arrivals: empty(k), sorted: empty(padded), len: 0, oldest: 0 })
    }

    /// The samples of the window, ascending.
    #[inline]
    pub fn sorted(&self) -> &[f64] {
        &self.sorted[..self.len]
    }

    /// Takes in a finite sample; the oldest leaves a full window.
    #[inline]
    pub fn push(&mut self, x: f64) {
        let old = core::mem::replace(&mut self.arrivals[self.oldest], x);
        self.oldest = if self.oldest + 1 == self.arrivals.len() { 0 } else { self.oldest + 1 };
        self.len = (self.len + 1).min(self.arrivals.len());
        let sorted = &mut self.sorted;
        match sorted.len() {
            8 => replace_small(fixed::<8>(sorted), old, x),
            16 => replace_small(fixed::<16>(sorted), old, x),
            32 => replace_small(fixed::<32>(sorted), old, x),
            64 => replace_small(fixed::<64>(sorted), old, x),
            _ => replace(sorted, old, x),
        }
    }

    /// The middle sample, or the mean of the middle two.
    #[inline]
    pub fn median(&self) -> Option<f64> {
        middle(self.sorted())
    }

    /// Forgets every sample.
    pub fn clear(&mut self) {
        self.arrivals.fill(f64::INFINITY);
        self.sorted.fill(f64::INFINITY);
        self.len = 0;
        self.oldest = 0;
    }
}

/// A slice whose length is known to be `N`.
#[inline]
pub(crate) fn fixed<const N: usize>(slice: &mut [f64]) -> &mut [f64; N] {
    slice.try_into().expect("the length was compared")
}

/// Puts `new` in place of one `old` in an ascending array, and keeps it ascending.
#[inline]
fn replace(sorted: &mut [f64], old: f64, new: f64) {
    let from = sorted.partition_point(|&v| v < old);
    if new >= old {
        let to = from + sorted[from + 1..].partition_point(|&v| v < new);
        sorted.copy_within(from + 1..to + 1, from);
        sorted[to] = new;
    } else {
        let to = sorted[..from].partition_point(|&v| v < new);
        sorted.copy_within(to..from, to + 1);
        sorted[to] = new;
    }
}

/// Replaces without branches. Without `old` the array would be `kept[i]`; with `new` put in, its element `i`
/// is `new` if that lies between `kept[i - 1]` and `kept[i]`, and otherwise whichever of the two is closer to
/// it.
#[inline]
fn replace_small<const N: usize>(sorted: &mut [f64; N], old: f64, new: f64) {
    let mut before = f64::NEG_INFINITY;
    for i in 0..N {
        let next = if i + 1 < N { sorted[i + 1] } else { f64::INFINITY };
        let kept = if sorted[i] < old { sorted[i] } else { next };
        sorted[i] = greater(before, lesser(kept, new));
        before = kept;
    }
}

/// One instruction on most processors, since it need not treat NaN as [`f64::min`] does.
#[inline]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b {
        a
    } else {
        b
    }
}

/// See [`lesser`].
#[inline]
fn greater(a: f64, b: f64) -> f64 {
    if a > b {
        a
    } else {
        b
    }
}

/// Median of an ascending slice: the middle element, or the mean of the middle two; `None` if it is empty.
#[inline]
pub(crate) fn middle(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        Some(upper)
    } else {
        Some(sorted[sorted.len() / 2 - 1].midpoint(upper))
    }
}

/// A window holds between 1 and [`MAX_WINDOW`] samples.
pub(crate) fn check_window(field: &'static str, k: u32) -> Result<(), ConfigError> {
    ConfigError::unless((1..=MAX_WINDOW).contains(&k), field, k, "a whole number from 1 to 16777216")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn holds_the_newest_samples_in_order_at_every_prefix(
            k in prop_oneof![1u32..12, 12u32..80],
            // Few distinct values, so that ties are common.
            xs in prop::collection::vec((-4..5i32).prop_map(f64::from), 1..200),
        ) {
            let mut window = SortedWindow::new(k).unwrap();
            for n in 1..=xs.len() {
                window.push(xs[n - 1]);
                let mut newest = xs[n.saturating_sub(k as usize)..n].to_vec();
                newest.sort_by(f64::total_cmp);
                prop_assert_eq!(window.sorted(), &newest[..]);
            }
        }
    }

    #[test]
    fn the_middle_of_an_even_number_is_a_mean() {
        assert_eq!(middle(&[]), None);
        assert_eq!(middle(&[3.0]), Some(3.0));
        assert_eq!(middle(&[1.0, 4.0]), Some(2.5));
        assert_eq!(middle(&[1.0, 2.0, 9.0]), Some(2.0));
        assert_eq!(middle(&[-f64::MAX, -1.0, f64::MAX, f64::MAX]), Some(f64::MAX / 2.0));
        assert_eq!(middle(&[f64::MAX, f64::MAX]), Some(f64::MAX));
    }

    #[test]
    fn refuses_windows_that_hold_nothing_or_too_much() {
        for k in [0, MAX_WINDOW + 1] {
            assert_eq!(SortedWindow::new(k).unwrap_err().field, "window");
        }
        assert_eq!(MAX_WINDOW, 16_777_216);
    }
}
