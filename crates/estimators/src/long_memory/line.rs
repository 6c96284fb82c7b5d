//! A straight line through points, by weighted least squares.

use crate::math::{sqrt, square};

/// The slope of a line through points, and its standard error where the weights are the inverse variances of the ordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Regression {
    pub(super) slope: f64,
    pub(super) standard_error: f64,
}

/// Fits a line to points of abscissa, ordinate and weight; there are at least two abscissas.
pub(super) fn line(points: impl Iterator<Item = (f64, f64, f64)> + Clone) -> Regression {
    let sum = |f: fn((f64, f64, f64)) -> f64| points.clone().map(f).sum::<f64>();
    let weight = sum(|(_, _, w)| w);
    let centre = sum(|(x, _, w)| w * x) / weight;
    let squares: f64 = points.clone().map(|(x, _, w)| w * square(x - centre)).sum();
    let products: f64 = points.map(|(x, y, w)| w * (x - centre) * y).sum();
    Regression { slope: products / squares, standard_error: sqrt(squares).recip() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_whatever_the_weights() {
        let points = (1..6).map(|i| (f64::from(i), 3.0 - 0.7 * f64::from(i), f64::from(i * i)));
        assert!((line(points).slope + 0.7).abs() < 1e-14);
        // Two points with variances 1/2 and 1/8: the difference has their sum.
        let two = line([(0.0, 1.0, 2.0), (1.0, 4.0, 8.0)].into_iter());
        assert!((two.slope - 3.0).abs() < 1e-14);
        assert!((two.standard_error - 0.625_f64.sqrt()).abs() < 1e-14);
    }
}
