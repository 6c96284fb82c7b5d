//! Sample autocovariances of the newest samples, kept up in O(lags) a sample.
//!
//! Sums of products are kept of `x - origin`; what the mean takes off them is reckoned when they are asked for. Each time
//! the ring has gone round they are summed anew, around a new origin, so that rounding does not build up.

use alloc::boxed::Box;
use alloc::vec;

/// Mean and autocovariances, with divisor n and the mean removed, of the newest `window` samples.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SlidingAutocovariance {
    /// Samples less the origin.
    ring: Box<[f64]>,
    /// The newest `lags` samples less the origin, twice over, so that they lie in one piece: the newest first at `front`.
    recent: Box<[f64]>,
    front: usize,
    /// Sum of products of samples `k` apart.
    products: Box<[f64]>,
    sum: f64,
    origin: f64,
    len: usize,
    /// Where the next sample goes, which is the oldest of a full ring.
    next: usize,
}

impl SlidingAutocovariance {
    /// No samples yet; lags from 0 to `lags`, below `window`.
    pub(crate) fn new(lags: u32, window: u32) -> Self {
        let zeros = |n: u32| vec![0.0; n as usize].into_boxed_slice();
        SlidingAutocovariance {
            ring: zeros(window),
            recent: zeros(2 * lags),
            front: 0,
            products: zeros(lags + 1),
            sum: 0.0,
            origin: 0.0,
            len: 0,
            next: 0,
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the next sample pushes one out.
    pub fn is_full(&self) -> bool {
        self.len == self.ring.len()
    }

    /// Takes in a finite sample; the oldest leaves a full window.
    #[inline]
    pub fn push(&mut self, x: f64) {
        if self.len == 0 {
            self.origin = x;
        }
        if self.is_full() {
            self.drop_oldest();
        }
        let y = x - self.origin;
        self.products[0] += y * y;
        let lags = self.recent.len() / 2;
        let recent = &self.recent[self.front..self.front + lags];
        // Samples that there are not yet count as zeros.
        self.products[1..].iter_mut().zip(recent).for_each(|(product, before)| *product += y * before);
        self.sum += y;
        self.remember(y);
        self.ring[self.next] = y;
        self.next = if self.next + 1 == self.ring.len() { 0 } else { self.next + 1 };
        self.len = (self.len + 1).min(self.ring.len());
        if self.next == 0 {
            self.sum_anew();
        }
        if !(self.products[0].is_finite() && self.sum.is_finite()) {
            // Samples near the limits of numbers overflow; the window then begins with this one.
            self.clear();
            self.push(x);
        }
    }

    #[inline]
    fn drop_oldest(&mut self) {
        let (after, before) = self.ring.split_at(self.next);
        let oldest = before[0];
        self.sum -= oldest;
        // In two pieces, which is three times as fast as one chained iterator.
        let (near, far) = self.products.split_at_mut(before.len().min(self.products.len()));
        near.iter_mut().zip(before).for_each(|(product, y)| *product -= oldest * y);
        far.iter_mut().zip(after).for_each(|(product, y)| *product -= oldest * y);
    }

    #[inline]
    fn remember(&mut self, y: f64) {
        let lags = self.recent.len() / 2;
        self.front = if self.front == 0 { lags - 1 } else { self.front - 1 };
        self.recent[self.front] = y;
        self.recent[self.front + lags] = y;
    }

    /// The mean; `None` without a sample.
    #[inline]
    pub fn mean(&self) -> Option<f64> {
        let mean = self.origin + self.sum / self.len as f64;
        (self.len > 0).then(|| if mean.is_finite() { mean } else { self.origin })
    }

    /// As many of the newest samples as there are lags, less the mean, the newest first; 0 where there is none.
    #[inline]
    pub fn newest(&self) -> impl Iterator<Item = f64> + '_ {
        let mean = self.sum / self.len as f64;
        self.recent().iter().map(move |y| y - mean)
    }

    #[inline]
    fn recent(&self) -> &[f64] {
        &self.recent[self.front..self.front + self.recent.len() / 2]
    }

    /// The samples less the origin, the oldest first.
    fn oldest(&self) -> impl Iterator<Item = f64> + '_ {
        let (before, after) = self.ring.split_at(self.next);
        let since = if self.is_full() { after } else { &[] };
        since.iter().chain(before).copied()
    }

    /// Writes the autocovariances of lags 0, 1 and on.
    pub fn write(&self, r: &mut [f64]) {
        let n = self.len as f64;
        let mean = self.sum / n;
        // Of the samples k apart, the earlier ones leave out the newest k and the later ones the oldest k.
        let (mut earlier, mut later) = (self.sum, self.sum);
        let mut ends = self.recent().iter().zip(self.oldest());
        for (k, r) in r.iter_mut().enumerate() {
            if k > 0 {
                let Some((newest, oldest)) = ends.next() else {
                    *r = 0.0;
                    continue;
                };
                earlier -= newest;
                later -= oldest;
            }
            *r = (self.products[k] - mean * (earlier + later) + (n - k as f64) * mean * mean) / n;
        }
        // What rounding leaves of a variance is not a variance.
        if r[0] <= 1e-14 * self.products[0] / n {
            r.fill(0.0);
        }
    }

    /// Sums of a full ring whose oldest sample is its first, around its mean.
    fn sum_anew(&mut self) {
        let n = self.ring.len();
        let shift = self.sum / n as f64;
        self.origin += shift;
        self.ring.iter_mut().for_each(|y| *y -= shift);
        self.recent.iter_mut().for_each(|y| *y -= shift);
        self.sum = self.ring.iter().sum();
        for (k, product) in self.products.iter_mut().enumerate() {
            *product =
                self.ring[k..].iter().zip(&self.ring[..]).map(|(later, earlier)| later * earlier).sum();
        }
    }

    /// Forgets every sample.
    pub fn clear(&mut self) {
        self.recent.fill(0.0);
        self.products.fill(0.0);
        self.sum = 0.0;
        self.len = 0;
        self.next = 0;
    }
}
