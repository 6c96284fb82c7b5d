//! The fullest of bins that all have the same relative width.

use alloc::boxed::Box;
use alloc::vec;

use super::{Mode, Pair, RATES};

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Histogram {
    /// Logarithm of the ratio of a bin's ends.
    width: f64,
    counts: Box<[u32]>,
    /// The bin of each sample.
    bins: Box<[u32]>,
}

impl Histogram {
    pub fn new(width: f64, window: u32) -> Self {
        let width = libm::log1p(width);
        let bins = (libm::log(RATES.end() / RATES.start()) / width) as usize + 1;
        Histogram {
            width,
            counts: vec![0; bins].into_boxed_slice(),
            bins: vec![0; window as usize].into_boxed_slice(),
        }
    }

    /// Puts a sample into `slot`, from where another one leaves if it is `taken`.
    #[inline]
    pub fn put(&mut self, slot: usize, rate: f64, taken: bool) {
        if taken {
            self.counts[self.bins[slot] as usize] -= 1;
        }
        let bin = (libm::log(rate / RATES.start()) / self.width) as usize;
        let bin = bin.min(self.counts.len() - 1);
        self.counts[bin] += 1;
        self.bins[slot] = bin as u32;
    }

    /// The mean of the fullest bin; `None` without samples.
    pub fn mode(&self, pairs: &[Pair]) -> Option<Mode> {
        let bins = &self.bins[..pairs.len()];
        let count = |bin: u32| self.counts[bin as usize];
        let &fullest = bins.iter().max_by_key(|&&bin| count(bin))?;
        let inside = pairs.iter().zip(bins).filter(|(_, &bin)| bin == fullest).map(|(pair, _)| pair.rate);
        let height = f64::from(count(fullest));
        // A mode may lie on the edge of two bins.
        let rival = bins.iter().filter(|bin| bin.abs_diff(fullest) > 1).map(|&bin| count(bin)).max();
        Some(Mode { rate: inside.sum::<f64>() / height, height, rival: f64::from(rival.unwrap_or(0)) })
    }

    pub fn clear(&mut self) {
        self.counts.fill(0);
    }
}
