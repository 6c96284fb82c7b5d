//! H from the variance of block means, which falls like `m^(2H-2)` (Taqqu, Teverovsky and Willinger 1995).

use alloc::vec::Vec;

use super::line::line;
use super::Point;
use crate::math::square;

/// The smallest blocks.
const SMALLEST: usize = 4;

/// Fewest blocks of a size.
const LEAST_BLOCKS: usize = 16;

/// Fewest samples: three sizes of blocks.
pub(super) const LEAST_SAMPLES: usize = 4 * SMALLEST * LEAST_BLOCKS;

/// H, with the logarithms of size and variance; `None` if block means do not vary.
pub(super) fn estimate(xs: &[f64], diagram: &mut Vec<Point>) -> Option<f64> {
    let mut size = SMALLEST;
    while size <= xs.len() / LEAST_BLOCKS {
        let variance = variance_of_means(xs, size);
        if variance <= 1e-25 {
            return None;
        }
        diagram.push(Point { x: libm::log2(size as f64), y: libm::log2(variance), weight: 1.0 });
        size *= 2;
    }
    Some(1.0 + 0.5 * line(diagram.iter().map(|p| (p.x, p.y, p.weight))).slope)
}

/// Divisor: the number of blocks.
fn variance_of_means(xs: &[f64], size: usize) -> f64 {
    let blocks = xs.chunks_exact(size);
    let count = blocks.len() as f64;
    let means = blocks.map(|block| block.iter().sum::<f64>() / size as f64);
    let mean = means.clone().sum::<f64>() / count;
    means.map(|x| square(x - mean)).sum::<f64>() / count
}
