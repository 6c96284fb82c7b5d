//! Normal scores: the ranks of samples as quantiles of the standard normal law.

use alloc::vec::Vec;

use crate::math::{sqrt, square};

/// Room for the scores of a series, which are in its order and have mean 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Scores {
    order: Vec<usize>,
    values: Vec<f64>,
    varied: usize,
}

impl Scores {
    /// For series of at most `longest` samples.
    pub(super) fn new(longest: usize) -> Self {
        Scores { order: Vec::with_capacity(longest), values: Vec::with_capacity(longest), varied: 0 }
    }

    /// Takes in a series. Equal samples get one score, that of their mean rank (Blom 1958: `(rank - 3/8) / (n + 1/4)`).
    pub(super) fn take(&mut self, xs: &[f64]) {
        self.order.clear();
        self.order.extend(0..xs.len());
        self.order.sort_unstable_by(|&a, &b| xs[a].total_cmp(&xs[b]));
        self.values.clear();
        self.values.resize(xs.len(), 0.0);
        let (mut start, mut commonest) = (0, 0);
        while start < xs.len() {
            let value = xs[self.order[start]];
            let equal = self.order[start..].iter().take_while(|&&i| xs[i] == value).count();
            let rank = start as f64 + 0.5 * (equal as f64 + 1.0);
            let score = normal_quantile((rank - 0.375) / (xs.len() as f64 + 0.25));
            self.order[start..start + equal].iter().for_each(|&i| self.values[i] = score);
            commonest = commonest.max(equal);
            start += equal;
        }
        self.varied = xs.len() - commonest;
        let mean = self.values.iter().sum::<f64>() / xs.len() as f64;
        self.values.iter_mut().for_each(|score| *score -= mean);
    }

    /// The scores, one for each sample.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of samples that differ from the commonest value.
    pub(super) fn varied(&self) -> usize {
        self.varied
    }
}

/// The quantile of the standard normal law at `p`, between 0 and 1: Abramowitz and Stegun 26.2.23, and two steps of Newton's.
fn normal_quantile(p: f64) -> f64 {
    let tail = p.min(1.0 - p);
    let t = sqrt(-2.0 * libm::log(tail));
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut z = t - above / below;
    for _ in 0..2 {
        let excess = 0.5 * libm::erfc(z * core::f64::consts::FRAC_1_SQRT_2) - tail;
        z += excess * sqrt(core::f64::consts::TAU) * libm::exp(0.5 * square(z));
    }
    if p < 0.5 {
        -z
    } else {
        z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_normal_law() {
        for (p, z) in [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (1e-3, -3.090_232_306_167_813)] {
            assert!((normal_quantile(p) - z).abs() < 1e-9, "{p}");
        }
    }

    #[test]
    fn scores_follow_ranks_and_ties_share_one() {
        let mut scores = Scores::new(8);
        scores.take(&[5.0, 1e9, 5.0, -3.0]);
        let found = scores.values();
        assert!(found[0] == found[2] && found[1] > found[0] && found[0] > found[3]);
        assert!(found.iter().sum::<f64>().abs() < 1e-12);
        assert_eq!(scores.varied(), 2);
    }
}
