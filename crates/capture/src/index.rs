//! Index of open connections by the two ends of a packet, from either side.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::packet::Endpoint;

/// An open connection in the index: a hash of its ends, and its place among those that are open.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Hash of its two ends.
    pub hash: u32,
    /// Its place.
    pub at: u32,
}

impl Slot {
    /// The hash as a table wants it.
    pub fn spread(self) -> u64 {
        // The table looks at the highest bits, too.
        u64::from(self.hash) | u64::from(self.hash) << 32
    }
}

/// A hash of two ends, the same from either side.
pub fn hash(one: &Endpoint, other: &Endpoint) -> u32 {
    let of = |end: &Endpoint| {
        let mut hasher = FxHasher::default();
        hasher.write_u64((end.address >> 64) as u64);
        hasher.write_u64(end.address as u64);
        hasher.write_u16(end.port);
        hasher.finish()
    };
    let both = of(one).wrapping_add(of(other)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (both >> 32) as u32
}
