//! The newest samples and their mean.

use alloc::boxed::Box;
use alloc::vec;

/// The mean of the newest `window` samples, and the samples themselves.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SlidingMean {
    ring: Box<[f64]>,
    len: usize,
    next: usize,
    sum: f64,
}

impl SlidingMean {
    pub fn new(window: u32) -> Self {
        SlidingMean { ring: vec![0.0; window as usize].into_boxed_slice(), len: 0, next: 0, sum: 0.0 }
    }

    /// Takes in a finite sample; the oldest leaves a full window.
    #[inline]
    pub fn push(&mut self, x: f64) {
        if self.len == self.ring.len() {
            self.sum -= self.ring[self.next];
        }
        self.ring[self.next] = x;
        self.sum += x;
        self.len = (self.len + 1).min(self.ring.len());
        self.next = if self.next + 1 == self.ring.len() { 0 } else { self.next + 1 };
        if self.next == 0 {
            // Summed anew each time the ring has gone round, so that rounding does not build up.
            self.sum = self.ring.iter().sum();
        }
        if !self.sum.is_finite() {
            // Samples near the limits of numbers overflow; the window then begins with this one.
            self.clear();
            self.push(x);
        }
    }

    /// The mean; 0 without samples.
    #[inline]
    pub fn value(&self) -> f64 {
        if self.len == 0 {
            0.0
        } else {
            self.sum / self.len as f64
        }
    }

    /// The samples in two parts, the older ones first.
    pub fn samples(&self) -> (&[f64], &[f64]) {
        let (newer, older) = self.ring.split_at(self.next);
        if self.len == self.ring.len() {
            (older, newer)
        } else {
            (&[], newer)
        }
    }

    pub fn clear(&mut self) {
        (self.len, self.next, self.sum) = (0, 0, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_its_definition_at_every_prefix(xs in prop::collection::vec(-1e3..1e3f64, 1..60), window in 1u32..20) {
            let mut mean = SlidingMean::new(window);
            for n in 1..=xs.len() {
                mean.push(xs[n - 1]);
                let newest = &xs[n.saturating_sub(window as usize)..n];
                prop_assert!((mean.value() - newest.iter().sum::<f64>() / newest.len() as f64).abs() < 1e-9);
                let (older, newer) = mean.samples();
                prop_assert_eq!(&[older, newer].concat(), newest);
            }
        }
    }
}
