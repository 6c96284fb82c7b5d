//! Bounds of an effect from differences whose signs are drawn at random.
//!
//! If nothing responds, each difference is as likely `x` as `-x`, independently of the others given how large they
//! are. `exp(l S - l^2 V / 2)` is then a supermartingale for every `l`, where `S` is their sum and `V` that of their squares,
//! since `cosh(x) <= exp(x^2 / 2)`. Mixed over a normal `l` it bounds `S` at all times at once (de la Pena, Klass and
//! Lai 2004): looking after each pair, and stopping when it is clear, costs no coverage. Of an effect `d` the same is
//! asked of the differences less `d` times what both blocks had. Who is asked in a pair may depend on all pairs before, and on
//! draws that are independent of the coins that decide blocks: neither tells anything about the coins of this pair.

use libm::log;

/// The bounds fail in at most so many experiments.
const ALPHA: f64 = 0.05;

/// Inverse variance of `l`: bounds are tightest when the sum of squares is about this.
const TIGHTEST: f64 = 0.02;

/// Steps in which bounds are sought.
const STEPS: u32 = 256;

/// Effects are from -1 to 1; these are the relative differences `d` for them.
const LEAST: f64 = -1.0 / 3.0;
const MOST: f64 = 1.0;

/// Sums over the differences of all pairs.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Differences {
    pairs: u32,
    sum: f64,
    /// Sum of what both blocks had.
    both: f64,
    /// Sums of squares of differences, of products with what both blocks had, and of the squares of that.
    squares: f64,
    products: f64,
    weights: f64,
}

impl Differences {
    /// Adds a difference, and what both blocks had together; the latter sum to at most 1 in a pair.
    pub fn add(&mut self, difference: f64, both: f64) {
        self.sum += difference;
        self.both += both;
        self.squares += difference * difference;
        self.products += difference * both;
        self.weights += both * both;
    }

    /// A pair is over: it counts if it has told something.
    pub fn count(&mut self, told: bool) {
        self.pairs = self.pairs.saturating_add(u32::from(told));
    }

    pub fn pairs(&self) -> u32 {
        self.pairs
    }

    /// Part of their packets that flows give up; `None` if nobody was asked.
    pub fn effect(&self) -> Option<f64> {
        (self.both > 0.0).then(|| part_given_up(self.difference()))
    }

    /// The least and the greatest effect that the differences do not contradict.
    pub fn bounds(&self) -> (f64, f64) {
        let middle = self.difference();
        if self.both <= 0.0 {
            return (-1.0, 1.0);
        }
        (part_given_up(self.outermost(LEAST, middle)), part_given_up(self.outermost(MOST, middle)))
    }

    fn difference(&self) -> f64 {
        if self.both > 0.0 {
            (self.sum / self.both).clamp(LEAST, MOST)
        } else {
            0.0
        }
    }

    /// The value nearest to `end` that is not contradicted, between there and the middle.
    fn outermost(&self, end: f64, middle: f64) -> f64 {
        let step = (middle - end) / f64::from(STEPS);
        let mut outside = end;
        for i in 0..STEPS {
            let value = end + step * f64::from(i);
            if !self.contradicts(value) {
                return outside;
            }
            outside = value;
        }
        outside
    }

    fn contradicts(&self, d: f64) -> bool {
        let rest = self.sum - self.both * d;
        let variance = (self.squares - 2.0 * d * self.products + d * d * self.weights).max(0.0) + TIGHTEST;
        rest * rest > variance * log(variance / (TIGHTEST * ALPHA * ALPHA))
    }
}

/// The part that `d = (spared - treated) / (spared + treated)` is of what was spared.
fn part_given_up(d: f64) -> f64 {
    2.0 * d / (1.0 + d)
}
