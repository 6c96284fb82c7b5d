//! The recursive weighted median filter.
//!
//! G. R. Arce and J. L. Paredes, "Recursive weighted median filters admitting negative weights and their
//! optimization", IEEE Transactions on Signal Processing 48(3), 2000. The weights here are not negative.

use alloc::boxed::Box;
use alloc::vec;

use crate::error::ConfigError;
use crate::sample::is_finite;

/// Most samples that a filter weighs: its time grows with their square.
pub const MAX_WEIGHTS: usize = 63;

/// Weighted median of the newest samples and of the filter's own last output.
///
/// With weights `b[0], b[1], ...` for the newest sample, the one before it and so on, and `a` for the last
/// output, the output is the value at which the weights of all smaller values and of all greater values both
/// stay within half of the total: the `y` that minimises `a |y - y_last| + sum of b[j] |x[n-j] - y|`. Where an
/// interval does, its middle.
///
/// The first sample is its own median, there being no output before it. Until every weight has a sample, the
/// samples that exist are weighed, the newest with `b[0]`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RecursiveWeightedMedian {
    /// The last output, then the samples from the newest to the oldest, then padding to a power of two. What
    /// does not exist is infinite, so that it is greater than every sample and never below a median.
    values: Box<[f64]>,
    /// Weight of each value; 0 for padding.
    weights: Box<[f64]>,
    /// Half of the total weight when 1, 2, ... samples and an output exist.
    halves: Box<[f64]>,
    len: usize,
}

impl RecursiveWeightedMedian {
    /// A filter with the given weight of its last output and weights of the newest samples, 1 to
    /// [`MAX_WEIGHTS`] of them. No weight is negative, and that of the newest sample is not 0.
    pub fn new(feedback: f64, weights: &[f64]) -> Result<Self, ConfigError> {
        ConfigError::unless(
            (1..=MAX_WEIGHTS).contains(&weights.len()),
            "weights",
            format_args!("{} of them", weights.len()),
            "1 to 63 weights",
        )?;
        check_weight("feedback", feedback)?;
        weights.iter().try_for_each(|&w| check_weight("weights", w))?;
        ConfigError::unless(weights[0] > 0.0, "weights", weights[0], "a first weight above 0")?;
        let padded = (weights.len() + 1).next_power_of_two().max(8);
        let mut by_value = vec![0.0; padded];
        by_value[0] = feedback;
        by_value[1..=weights.len()].copy_from_slice(weights);
        Ok(RecursiveWeightedMedian {
            values: vec![f64::INFINITY; padded].into(),
            weights: by_value.into(),
            halves: running_halves(feedback, weights),
            len: 0,
        })
    }

    /// Takes in a sample; one that is not finite is left out.
    pub fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        let window = self.halves.len();
        self.values.copy_within(1..window, 2);
        self.values[1] = x;
        self.values[0] = if self.len == 0 { x } else { self.weigh(self.halves[self.len.min(window - 1)]) };
        self.len = (self.len + 1).min(window);
    }

    /// The last output; `None` before the first sample.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        (self.len > 0).then_some(self.values[0])
    }

    /// Forgets every sample and output.
    pub fn reset(&mut self) {
        self.values.fill(f64::INFINITY);
        self.len = 0;
    }

    fn weigh(&self, half: f64) -> f64 {
        match self.values.len() {
            8 => weigh::<8>(&self.values, &self.weights, half),
            16 => weigh::<16>(&self.values, &self.weights, half),
            32 => weigh::<32>(&self.values, &self.weights, half),
            _ => weigh::<64>(&self.values, &self.weights, half),
        }
    }
}

/// Weighted median of `N` values, where `half` is half of the total weight of the finite ones.
///
/// Comparing every value with every other needs neither a sorted order nor a branch; for a handful of values
/// that is the fastest way.
fn weigh<const N: usize>(values: &[f64], weights: &[f64], half: f64) -> f64 {
    let (values, weights) = (&values[..N], &weights[..N]);
    let mut up_to = [0.0; N];
    for (&value, &weight) in values.iter().zip(weights) {
        for (sum, &limit) in up_to.iter_mut().zip(values) {
            *sum += if value <= limit { weight } else { 0.0 };
        }
    }
    // The two differ where exactly half of the weight is on each side.
    let (mut low, mut high) = (f64::INFINITY, f64::INFINITY);
    for (&value, sum) in values.iter().zip(up_to) {
        low = if sum >= half && value < low { value } else { low };
        high = if sum > half && value < high { value } else { high };
    }
    low.midpoint(high)
}

/// Half of `feedback` plus the first 1, 2, ... weights.
fn running_halves(feedback: f64, weights: &[f64]) -> Box<[f64]> {
    let totals = weights.iter().scan(feedback, |total, w| {
        *total += w;
        Some(*total)
    });
    totals.map(|total| total / 2.0).collect()
}

fn check_weight(field: &'static str, weight: f64) -> Result<(), ConfigError> {
    ConfigError::unless(weight >= 0.0 && weight.is_finite(), field, weight, "a finite weight of at least 0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition for whole weights: as many copies of each value as its weight says, and their median.
    fn by_expansion(weighted: &[(f64, u32)]) -> f64 {
        let copies = |&(value, weight): &(f64, u32)| std::iter::repeat_n(value, weight as usize);
        let mut all: Vec<f64> = weighted.iter().flat_map(copies).collect();
        all.sort_by(f64::total_cmp);
        let middle = all.len() / 2;
        if all.len() % 2 == 1 {
            all[middle]
        } else {
            (all[middle - 1] + all[middle]) / 2.0
        }
    }

    /// All outputs of the filter, from its definition alone.
    fn slow_twin(feedback: u32, weights: &[u32], xs: &[f64]) -> Vec<f64> {
        let mut outputs: Vec<f64> = Vec::new();
        for n in 0..xs.len() {
            let newest_first = xs[..=n].iter().rev().copied();
            let mut weighted: Vec<_> = newest_first.zip(weights.iter().copied()).collect();
            let output = match outputs.last() {
                None => xs[0],
                Some(&last) => {
                    weighted.push((last, feedback));
                    by_expansion(&weighted)
                }
            };
            outputs.push(output);
        }
        outputs
    }

    proptest! {
        #[test]
        fn equals_the_expanded_median_at_every_prefix(
            feedback in 0u32..9,
            first in 1u32..9,
            others in prop_oneof![
                prop::collection::vec(0u32..9, 0..7),
                prop::collection::vec(0u32..9, 7..MAX_WEIGHTS),
            ],
            xs in prop_oneof![
                prop::collection::vec(-1e3..1e3f64, 1..60),
                prop::collection::vec((-3..4i32).prop_map(f64::from), 1..60),
            ],
        ) {
            let weights = [vec![first], others].concat();
            let scaled: Vec<f64> = weights.iter().map(|&w| f64::from(w) / 8.0).collect();
            let mut filter = RecursiveWeightedMedian::new(f64::from(feedback) / 8.0, &scaled).unwrap();
            for (n, expected) in slow_twin(feedback, &weights, &xs).into_iter().enumerate() {
                filter.update(xs[n]);
                prop_assert_eq!(filter.value(), Some(expected), "at {}", n);
            }
        }

        #[test]
        fn a_reset_filter_is_a_fresh_one(xs in prop::collection::vec(0.0..9.0f64, 1..30)) {
            let fresh = RecursiveWeightedMedian::new(0.5, &[1.0, 0.875, 0.75]).unwrap();
            let mut used = fresh.clone();
            xs.iter().for_each(|x| used.update(x * 3.0));
            used.reset();
            prop_assert_eq!(used.value(), None);
            let mut fresh = fresh;
            for &x in &xs {
                used.update(x);
                fresh.update(x);
                prop_assert_eq!(used.value(), fresh.value());
            }
        }
    }

    #[test]
    fn a_majority_weight_passes_its_sample_through() {
        let mut filter = RecursiveWeightedMedian::new(0.5, &[2.0, 1.0]).unwrap();
        for x in [3.0, 1.0, 8.0, 2.0] {
            filter.update(x);
            assert_eq!(filter.value(), Some(x));
        }
    }

    #[test]
    fn equal_weights_without_feedback_are_a_plain_median() {
        let mut filter = RecursiveWeightedMedian::new(0.0, &[1.0; 4]).unwrap();
        let outputs = [4.0, 8.0, 1.0, 9.0, 2.0].map(|x| {
            filter.update(x);
            filter.value().unwrap()
        });
        assert_eq!(outputs, [4.0, 6.0, 4.0, 6.0, 5.0]);
    }

    #[test]
    fn leaves_out_what_is_not_finite() {
        let mut filter = RecursiveWeightedMedian::new(0.5, &[1.0, 0.5]).unwrap();
        filter.update(f64::NAN);
        assert_eq!(filter.value(), None);
        filter.update(3.0);
        filter.update(f64::INFINITY);
        assert_eq!(filter.value(), Some(3.0));
    }

    #[test]
    fn refuses_weights_that_weigh_nothing() {
        let field =
            |feedback, weights: &[f64]| RecursiveWeightedMedian::new(feedback, weights).unwrap_err().field;
        assert_eq!(field(-0.5, &[1.0]), "feedback");
        assert_eq!(field(f64::NAN, &[1.0]), "feedback");
        assert_eq!(field(0.5, &[]), "weights");
        assert_eq!(field(0.5, &[1.0, -1.0]), "weights");
        assert_eq!(field(0.5, &[1.0, f64::INFINITY]), "weights");
        assert_eq!(field(0.5, &[0.0, 1.0]), "weights");
        assert_eq!(field(0.5, &[1.0; MAX_WEIGHTS + 1]), "weights");
    }
}
