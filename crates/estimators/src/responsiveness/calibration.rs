//! The table by which flows are judged, as `parshall calibrate` wrote it: `calibration.bin` beside this file.
//! `calibration.toml` says where it comes from.
//!
//! All numbers are little-endian. After eight letters come the version, how many widths and how many trees there are
//! (`u16` each); the widths, pairs of `f32`; and the trees: of each node the number that it looks at (`u8`), then of each
//! the upper half of a threshold (`u16`), then the leaves (`i16`).

use super::judgement::{Tree, NODES};

static BYTES: &[u8] = include_bytes!("calibration.bin");

const HEAD: usize = 14;

/// Version of the format that is read here.
const VERSION: u16 = 1;

/// Doubt of an interval, and half the width of its bounds.
pub(super) static WIDTHS: [(f32, f32); half(10) as usize] = widths();

/// Trees, whose leaves are added up.
pub(super) static TREES: [Tree; half(12) as usize] = trees();

const _: () = assert!(half(8) == VERSION);
const _: () = assert!(BYTES.len() == HEAD + 8 * WIDTHS.len() + 5 * NODES * TREES.len());

const fn half(at: usize) -> u16 {
    u16::from_le_bytes([BYTES[at], BYTES[at + 1]])
}

const fn real(at: usize) -> f32 {
    f32::from_bits((half(at + 2) as u32) << 16 | half(at) as u32)
}

const fn widths<const N: usize>() -> [(f32, f32); N] {
    let mut widths = [(0.0, 0.0); N];
    let mut i = 0;
    while i < N {
        widths[i] = (real(HEAD + 8 * i), real(HEAD + 8 * i + 4));
        i += 1;
    }
    widths
}

const fn trees<const N: usize>() -> [Tree; N] {
    let mut trees = [Tree { numbers: [0; NODES], thresholds: [0; NODES], leaves: [0; NODES] }; N];
    let mut i = 0;
    while i < N {
        let at = HEAD + 8 * half(10) as usize + 5 * NODES * i;
        let mut node = 0;
        while node < NODES {
            trees[i].numbers[node] = BYTES[at + node];
            trees[i].thresholds[node] = half(at + NODES + 2 * node);
            trees[i].leaves[node] = half(at + 3 * NODES + 2 * node) as i16;
            node += 1;
        }
        i += 1;
    }
    trees
}
