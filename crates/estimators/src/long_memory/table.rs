//! Values that were tabulated over the length of a series and an estimate of H.

/// A value of lengths and H, for the estimates that a method gives at these on average.
#[derive(Debug)]
pub(super) struct Table<const H: usize, const N: usize> {
    /// Lengths of series, in ascending order.
    pub(super) lengths: [usize; N],
    /// For each length, pairs of the mean estimate and of the value, in ascending order of the first.
    pub(super) rows: [[(f64, f64); H]; N],
}

impl<const H: usize, const N: usize> Table<H, N> {
    /// The value at a length and an estimate: lines between the points, over the logarithm of the length; beyond the ends the
    /// value there.
    pub(super) fn at(&self, length: usize, h: f64) -> f64 {
        let along = |row: &[(f64, f64); H]| between(row.iter().copied(), h);
        let logarithms = self.lengths.iter().map(|&n| libm::log(n as f64));
        between(logarithms.zip(self.rows.iter().map(along)), libm::log(length as f64))
    }
}

/// A line through the two points that enclose `x`.
fn between(points: impl Iterator<Item = (f64, f64)>, x: f64) -> f64 {
    let mut before: Option<(f64, f64)> = None;
    for (right, value) in points {
        match before {
            _ if x > right => {}
            Some((left, low)) => return low + (value - low) * (x - left) / (right - left),
            None => return value,
        }
        before = Some((right, value));
    }
    before.map_or(f64::NAN, |(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_on_lines_between_points_and_stay_beyond_the_ends() {
        let table =
            Table { lengths: [100, 10_000], rows: [[(0.5, 1.0), (0.7, 2.0)], [(0.4, 3.0), (0.8, 5.0)]] };
        assert_eq!((table.at(100, 0.3), table.at(50, 0.9)), (1.0, 2.0));
        assert!((table.at(100, 0.6) - 1.5).abs() < 1e-12);
        assert!((table.at(1_000_000, 0.6) - 4.0).abs() < 1e-12);
        assert!((table.at(1000, 0.6) - 2.75).abs() < 1e-12);
    }
}
