//! The upper tail of what has been seen: a histogram whose bins grow with the values, and whose old entries fade.

use alloc::vec;
use alloc::vec::Vec;

/// Bins to an octave: a bin is at most 1/8 of its values wide, and inside it the tail is taken for straight.
const PER_OCTAVE: usize = 8;
/// Octaves of values above and below 0. Tails lie above; what is below is needed where a level is above the quantile.
const ABOVE: usize = 20 * PER_OCTAVE;
const BELOW: usize = 8 * PER_OCTAVE;
const BINS: usize = BELOW + 1 + ABOVE;
/// The bin of what is less than a unit from 0.
const ZERO: usize = BELOW;
/// Bits of a number below those that tell its bin: 52 of the mantissa, less the 3 that tell 8 bins.
const SHIFT: u32 = 49;

/// Weights of values by size. Values less than a unit from 0 share a bin, those above 2^20 units the highest, those below
/// -2^8 units the lowest.
///
/// Callers pass the weight above the value. It rarely changes much, so the place of the last answer is kept.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tail {
    bins: Vec<Bin>,
    /// The least value that is told from smaller ones.
    unit: f64,
    per_unit: f64,
    place: usize,
    /// The weight in the bins above the place.
    above: f64,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Bin {
    weight: f32,
    /// The values here are within these, in units, and taken for spread evenly. A bin of one value gives that value back.
    smallest: f32,
    largest: f32,
}

const EMPTY: Bin = Bin { weight: 0.0, smallest: f32::INFINITY, largest: f32::NEG_INFINITY };

impl Tail {
    /// Empty.
    pub fn new(unit: f64) -> Self {
        Tail { bins: vec![EMPTY; BINS], unit, per_unit: 1.0 / unit, place: 0, above: 0.0 }
    }

    /// Forgets everything; from now on values are told apart from `unit` on.
    pub fn restart(&mut self, unit: f64) {
        self.bins.fill(EMPTY);
        *self =
            Tail { bins: core::mem::take(&mut self.bins), unit, per_unit: 1.0 / unit, place: 0, above: 0.0 };
    }

    /// Takes in a value with a weight.
    #[inline]
    pub fn add(&mut self, value: f64, weight: f32) {
        let scaled = value * self.per_unit;
        let index = index(scaled);
        let bin = &mut self.bins[index];
        let before = f64::from(bin.weight);
        bin.weight += weight;
        bin.smallest = bin.smallest.min(scaled as f32);
        bin.largest = bin.largest.max(scaled as f32);
        if index > self.place {
            self.above += f64::from(bin.weight) - before;
        }
    }

    /// Multiplies every weight, so that the next ones may be small again.
    pub fn rescale(&mut self, factor: f32) {
        for bin in &mut self.bins {
            let weight = bin.weight * factor;
            *bin = if weight < 1e-9 { EMPTY } else { Bin { weight, ..*bin } };
        }
        self.above = self.bins[self.place + 1..].iter().map(|bin| f64::from(bin.weight)).sum();
    }

    /// The value that has `weight` above it.
    #[inline]
    pub fn below(&mut self, weight: f64) -> f64 {
        while self.place + 1 < BINS && self.above > weight {
            self.place += 1;
            self.above = (self.above - f64::from(self.bins[self.place].weight)).max(0.0);
        }
        while self.place > 0 && self.above + f64::from(self.bins[self.place].weight) <= weight {
            self.above += f64::from(self.bins[self.place].weight);
            self.place -= 1;
        }
        self.inside(self.place, weight - self.above)
    }

    /// Searches without a place to begin at, for questions off the beaten track.
    pub fn search(&self, weight: f64) -> f64 {
        let mut above = 0.0;
        for place in (0..BINS).rev() {
            let here = f64::from(self.bins[place].weight);
            if above + here > weight {
                return self.inside(place, weight - above);
            }
            above += here;
        }
        self.inside(0, 0.0)
    }

    /// The value in a bin that has `weight` of the bin above it; 0 in an empty one.
    #[inline]
    fn inside(&self, place: usize, weight: f64) -> f64 {
        let bin = self.bins[place];
        if bin.weight <= 0.0 {
            return 0.0;
        }
        let share = (weight / f64::from(bin.weight)).clamp(0.0, 1.0);
        self.unit * (f64::from(bin.largest) - share * f64::from(bin.largest - bin.smallest))
    }
}

/// The bin of a value in units: from the exponent and the first bits of the mantissa.
#[inline]
fn index(scaled: f64) -> usize {
    let size = scaled.abs();
    if size < 1.0 || size.is_nan() {
        return ZERO;
    }
    let steps = ((size.to_bits() - 1f64.to_bits()) >> SHIFT) as usize + 1;
    if scaled > 0.0 {
        ZERO + steps.min(ABOVE)
    } else {
        ZERO - steps.min(BELOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bin_is_an_eighth_of_an_octave() {
        assert_eq!([0.0, 0.99, -0.99, f64::NAN].map(index), [ZERO; 4]);
        assert_eq!(
            [1.0, 1.12, 1.13, 2.0, -1.0, -2.0].map(|x| index(x) as i64 - ZERO as i64),
            [1, 1, 2, 9, -1, -9]
        );
        assert_eq!((index(f64::INFINITY), index(f64::NEG_INFINITY)), (BINS - 1, 0));
    }

    #[test]
    fn single_values_come_back_as_they_are() {
        let mut tail = Tail::new(0.001);
        assert_eq!((tail.below(0.0), tail.search(0.0)), (0.0, 0.0));
        [0.25, 0.125, 0.125, 0.0, -0.5].into_iter().for_each(|value| tail.add(value, 1.0));
        for (weight, value) in [(0.5, 0.25), (1.5, 0.125), (2.9, 0.125), (3.5, 0.0), (4.5, -0.5)] {
            assert!((tail.below(weight) - value).abs() < 1e-7);
            assert!((tail.search(weight) - value).abs() < 1e-7);
        }
        tail.restart(1.0);
        assert_eq!(tail.below(0.0), 0.0);
    }

    proptest! {
        #[test]
        fn the_value_is_within_a_bin_of_the_true_quantile(
            values in prop::collection::vec(-2.0..100.0f64, 1..400),
            shares in prop::collection::vec(0.0..0.999f64, 1..20),
            factor in prop::sample::select(vec![1.0f32, 0.125, 1e-6]),
        ) {
            let mut tail = Tail::new(0.01);
            values.iter().for_each(|&value| tail.add(value, 1.0));
            tail.rescale(factor);
            let mut sorted = values.clone();
            sorted.sort_by(|a, b| f64::total_cmp(b, a));
            for share in shares {
                let above = (share * values.len() as f64).floor() + 0.5;
                let value = tail.below(above * f64::from(factor));
                let same = tail.search(above * f64::from(factor));
                prop_assert!((value - same).abs() <= 1e-6 * value.abs(), "{value} and {same}");
                let exact = sorted[above as usize];
                prop_assert!((value - exact).abs() <= exact.abs() / 7.0 + 0.01, "{value}, not {exact}");
            }
        }
    }
}
