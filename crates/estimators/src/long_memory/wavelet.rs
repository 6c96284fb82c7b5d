//! H from the energy of wavelet coefficients over octaves (Abry and Veitch 1998; Veitch and Abry 1999), with Daubechies'
//! wavelet of 3 vanishing moments (1988): straight lines and parabolas in the series change nothing.

use alloc::vec::Vec;

use super::line::line;
use super::special::{digamma, trigamma};
use super::Point;
use crate::math::{sqrt, square};

/// Number of coefficients of a filter.
const TAPS: usize = 6;

/// Fewest wavelet coefficients of an octave.
const LEAST_COEFFICIENTS: usize = 4;

/// Fewest octaves that a line is drawn through.
const LEAST_OCTAVES: u32 = 2;

/// Fewest samples that have coefficients in the octaves from `first` on.
pub(super) fn least_samples(first: u32) -> usize {
    let octaves = first + LEAST_OCTAVES - 1;
    (0..octaves).fold(LEAST_COEFFICIENTS, |n, _| 2 * (n - 1) + TAPS)
}

/// The scaling filter.
fn scaling_filter() -> [f64; TAPS] {
    let ten = sqrt(10_f64);
    let root = sqrt(5.0 + 2.0 * ten);
    [
        1.0 + ten + root,
        5.0 + ten + 3.0 * root,
        10.0 - 2.0 * ten + 2.0 * root,
        10.0 - 2.0 * ten - 2.0 * root,
        5.0 + ten - 3.0 * root,
        1.0 + ten - root,
    ]
    .map(|x| x / (16.0 * core::f64::consts::SQRT_2))
}

/// H and its standard error, with the octaves and the logarithms of their energies; `None` if an octave has no energy. The
/// pyramid uses samples of the series alone, nothing is put at its ends. `xs` is written over.
pub(super) fn estimate(mut xs: &mut [f64], first: u32, diagram: &mut Vec<Point>) -> Option<(f64, f64)> {
    let low = scaling_filter();
    let sign = |i: usize| if i % 2 == 0 { 1.0 } else { -1.0 };
    let mut high = [0.0; TAPS];
    high.iter_mut().enumerate().for_each(|(i, h)| *h = sign(i) * low[TAPS - 1 - i]);
    for octave in 1.. {
        let count = if xs.len() < TAPS { 0 } else { (xs.len() - TAPS) / 2 + 1 };
        if count < LEAST_COEFFICIENTS {
            break;
        }
        let mut energy = 0.0;
        for k in 0..count {
            let window = &xs[2 * k..2 * k + TAPS];
            let filtered = |taps: &[f64; TAPS]| window.iter().zip(taps).map(|(x, t)| x * t).sum::<f64>();
            let (detail, coarse) = (filtered(&high), filtered(&low));
            energy += detail * detail;
            xs[k] = coarse;
        }
        xs = &mut xs[..count];
        if octave >= first {
            diagram.push(point(octave, energy / count as f64, count)?);
        }
    }
    let fitted = line(diagram.iter().map(|p| (p.x, p.y, p.weight)));
    Some((0.5 * (fitted.slope + 1.0), 0.5 * fitted.standard_error))
}

/// The logarithm of an octave's mean energy without its bias, and the inverse of its variance if the coefficients are independent
/// and normal (Veitch and Abry 1999, section II).
fn point(octave: u32, energy: f64, count: usize) -> Option<Point> {
    let half = count as f64 / 2.0;
    let bias = digamma(half) / core::f64::consts::LN_2 - libm::log2(half);
    let weight = square(core::f64::consts::LN_2) / trigamma(half);
    (energy > 1e-25).then(|| Point { x: f64::from(octave), y: libm::log2(energy) - bias, weight })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_orthonormal_and_has_three_vanishing_moments() {
        let h = scaling_filter();
        for shift in [0, 2, 4] {
            let product: f64 = (shift..TAPS).map(|i| h[i] * h[i - shift]).sum();
            assert!((product - f64::from(shift == 0)).abs() < 1e-15);
        }
        for moment in 0..3 {
            let sum: f64 = (0..TAPS)
                .map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } * h[TAPS - 1 - i] * (i as f64).powi(moment))
                .sum();
            assert!(sum.abs() < 1e-13, "{moment}: {sum}");
        }
    }

    #[test]
    fn fewest_samples_have_two_octaves() {
        for first in 1..5 {
            let n = least_samples(first);
            for (length, octaves) in [(n, 2), (n - 1, 1)] {
                let mut xs: Vec<f64> = (0..length).map(|t| ((t * t * 7) % 11) as f64).collect();
                let mut diagram = Vec::new();
                estimate(&mut xs, first, &mut diagram);
                assert_eq!(diagram.len(), octaves, "{first}");
            }
        }
    }
}
