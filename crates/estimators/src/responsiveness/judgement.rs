//! Judges flows by trees that were learned from simulated ones, whose nature is known, and says how far off a share may
//! be.
//!
//! `parshall calibrate` makes the table (`calibration`). Each tree asks seven times whether one number of a flow is at
//! most so much; what the trees say adds up to the logarithm of the odds that the flow does not respond. Of numbers and
//! thresholds the upper half counts, which has three digits. A number that does not exist (NaN) is on the greater side of
//! every threshold. Those who learn the table do all of it alike.

use super::calibration::{TREES, WIDTHS};
use super::evidence::numbers::COUNT;

/// Questions from the root of a tree to a leaf.
pub(super) const DEPTH: usize = 7;

/// Inner nodes of a tree, and one more; leaves.
pub(super) const NODES: usize = 1 << DEPTH;

/// Trees that are walked side by side.
const TOGETHER: usize = 8;

/// Units of the leaves for 1 of log-odds.
const LEAF_SCALE: f64 = 4096.0;

/// Logarithm of the fewest trials by queue or dither of a flow that is judged, as in its numbers: more than one signal, as
/// a rule, since each counts `1 - p` of a trial, and fades.
const LEAST_TRIALS: f32 = 0.04;

/// A flow is labelled where the probability of the other label is at most this.
const SURE: f64 = 0.05;

/// Room for numbers: a power of two, so that no index is ever beyond it.
const ROOM: usize = COUNT.next_power_of_two();

/// Behaviour of a flow after drops and marks, as far as it has shown that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// It backs off.
    Responds,
    /// It has not shown enough, or what both kinds of flows show.
    Unknown,
    /// It goes on.
    Deaf,
}

impl Label {
    /// The label of a flow that does not respond with this probability.
    pub fn of(deaf: f64) -> Self {
        if deaf <= SURE {
            Label::Responds
        } else if deaf >= 1.0 - SURE {
            Label::Deaf
        } else {
            Label::Unknown
        }
    }
}

/// A whole binary tree: node `i` is followed by `2 i + 1` on the left and `2 i + 2` on the right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    /// Places of the numbers that inner nodes look at, and the upper halves of the most that goes left.
    pub numbers: [u8; NODES],
    pub thresholds: [u16; NODES],
    /// Log-odds that leaves add, times [`LEAF_SCALE`].
    pub leaves: [i16; NODES],
}

impl Tree {
    /// The node that follows for a flow of these numbers.
    #[inline]
    fn after(&self, node: usize, numbers: &[f32; ROOM]) -> usize {
        let number = numbers[usize::from(self.numbers[node % NODES]) % ROOM];
        let at_most = number <= from_upper_half(self.thresholds[node % NODES]);
        2 * node + 2 - usize::from(at_most)
    }

    /// Adds up the leaves that trees reach. They are walked side by side, so that the processor waits for all of them
    /// at once: eight take less than half of the time that one after the other takes.
    #[inline]
    #[allow(clippy::needless_range_loop)] // An iterator over both takes half as long again.
    fn leaves<const MANY: usize>(trees: &[Tree; MANY], numbers: &[f32; ROOM]) -> i32 {
        let mut nodes = [0; MANY];
        for _ in 0..DEPTH {
            for i in 0..MANY {
                nodes[i] = trees[i].after(nodes[i], numbers);
            }
        }
        nodes.iter().zip(trees).map(|(node, tree)| i32::from(tree.leaves[(node + 1) % NODES])).sum()
    }
}

fn from_upper_half(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// Probability that a flow which has shown these numbers does not respond. A flow with less than a trial has shown nothing:
/// that such flows are mostly short ones of TCP is no evidence of what this one does.
pub(super) fn deaf(numbers: &[f32; COUNT]) -> f64 {
    let [trials, dither_trials, ..] = numbers;
    if trials.max(*dither_trials) < LEAST_TRIALS {
        return 0.5;
    }
    let mut room = [0.0; ROOM];
    for (place, number) in room.iter_mut().zip(numbers) {
        *place = f32::from_bits(number.to_bits() & 0xffff_0000);
    }
    let (together, rest) = TREES.split_at(TREES.len() / TOGETHER * TOGETHER);
    let together =
        together.chunks_exact(TOGETHER).filter_map(|trees| <&[Tree; TOGETHER]>::try_from(trees).ok());
    let sum: i32 = together.map(|trees| Tree::leaves(trees, &room)).sum();
    let rest: i32 = rest.iter().map(|tree| Tree::leaves(core::array::from_ref(tree), &room)).sum();
    1.0 / (1.0 + libm::exp(f64::from(-sum - rest) / LEAF_SCALE))
}

/// Half the width of the bounds of a share of so much doubt, from 0 to 1: along straight lines between the table's
/// points.
pub(super) fn half_width(doubt: f64) -> f64 {
    let mut before = (0.0, f64::from(WIDTHS[0].1));
    for (at, half) in WIDTHS.map(|(at, half)| (f64::from(at), f64::from(half))) {
        if doubt <= at {
            let part = if at > before.0 { (doubt - before.0) / (at - before.0) } else { 1.0 };
            return before.1 + part * (half - before.1);
        }
        before = (at, half);
    }
    before.1
}

#[cfg(test)]
mod tests;
