//! H from the rescaled range of blocks, which grows like `k^H` (Hurst 1951), with the correction of Anis and Lloyd (1976).

use alloc::vec::Vec;

use super::line::line;
use super::special::ln_gamma;
use super::Point;
use crate::math::{sqrt, square};

/// The smallest blocks.
const SMALLEST: usize = 16;

/// Fewest blocks of a size.
const LEAST_BLOCKS: usize = 4;

/// Fewest samples: three sizes of blocks.
pub(super) const LEAST_SAMPLES: usize = 4 * SMALLEST * LEAST_BLOCKS;

/// R/S statistics of a series.
pub(super) struct Found {
    pub(super) h: f64,
    /// True if blocks that do not vary were left out: their R/S does not exist.
    pub(super) left_out: bool,
}

/// H, with the logarithms of size and mean R/S; `None` if no block of a size varies. Corrected, each R/S
/// is taken over its expectation in white noise and times `sqrt(k)`.
pub(super) fn estimate(xs: &[f64], corrected: bool, diagram: &mut Vec<Point>) -> Option<Found> {
    let mut size = SMALLEST;
    let mut left_out = false;
    while size <= xs.len() / LEAST_BLOCKS {
        let blocks = xs.chunks_exact(size);
        let count = blocks.len();
        let ranges = blocks.filter_map(rescaled_range);
        let (sum, used) = ranges.fold((0.0, 0_usize), |(sum, used), range| (sum + range, used + 1));
        if used == 0 {
            return None;
        }
        left_out |= used < count;
        let expected = if corrected { expectation(size) / sqrt(size as f64) } else { 1.0 };
        diagram.push(Point {
            x: libm::log2(size as f64),
            y: libm::log2(sum / used as f64 / expected),
            weight: 1.0,
        });
        size *= 2;
    }
    let slope = line(diagram.iter().map(|p| (p.x, p.y, p.weight))).slope;
    Some(Found { h: slope, left_out })
}

/// Range of the cumulated deviations from the mean, 0 before the first of them, over the standard deviation with divisor k.
fn rescaled_range(block: &[f64]) -> Option<f64> {
    let count = block.len() as f64;
    let mean = block.iter().sum::<f64>() / count;
    let (mut at, mut low, mut high, mut squares) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0);
    for x in block {
        at += x - mean;
        low = low.min(at);
        high = high.max(at);
        squares += square(x - mean);
    }
    let deviation = sqrt(squares / count);
    (deviation > 1e-13).then(|| (high - low) / deviation)
}

/// The expectation of R/S in white noise (Anis and Lloyd 1976).
fn expectation(k: usize) -> f64 {
    let half = k as f64 / 2.0;
    let factor = libm::exp(ln_gamma(half - 0.5) - ln_gamma(half)) / sqrt(core::f64::consts::PI);
    factor * (1..k).map(|i| sqrt((k - i) as f64 / i as f64)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_a_block_is_that_of_its_definition() {
        // Deviations -1, 1, 1, -1 cumulate to -1, 0, 1, 0.
        assert_eq!(rescaled_range(&[2.0, 4.0, 4.0, 2.0]), Some(2.0));
        assert_eq!(rescaled_range(&[0.3; 16]), None);
    }

    #[test]
    fn the_expectation_tends_to_its_limit() {
        // E(R/S) / sqrt(k) tends to sqrt(pi / 2); with two samples it is 1 whatever they are.
        assert!((expectation(2) - 1.0).abs() < 1e-12);
        let limit = std::f64::consts::FRAC_PI_2.sqrt();
        assert!((expectation(1 << 20) / 1024.0 - limit).abs() < 0.002);
    }
}
