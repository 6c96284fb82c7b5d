//! The SACK option of one ACK: at most three blocks (RFC 2018, section 3, with room for time stamps).

/// Blocks `[low, high)`, the one to be reported first in front; where there are fewer, what follows is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks([(u32, u32); SackBlocks::MOST]);

/// No block: one that is there ends above 0.
const NONE: (u32, u32) = (0, 0);

impl SackBlocks {
    /// No blocks.
    pub const EMPTY: SackBlocks = SackBlocks([NONE; SackBlocks::MOST]);
    /// Most blocks in an ACK.
    pub const MOST: usize = 3;
    /// Bytes that a block adds to an ACK.
    pub const BYTES_PER_BLOCK: u16 = 8;

    /// Number of blocks.
    #[inline]
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns whether there are no blocks.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0[0] == NONE
    }

    /// The blocks, first things first.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied().take_while(|&block| block != NONE)
    }

    /// Puts a block in front, in place of those that it covers.
    pub fn report(&mut self, low: u32, high: u32) {
        self.forget_within(low, high);
        self.0.copy_within(..Self::MOST - 1, 1);
        self.0[0] = (low, high);
    }

    /// Reports in front that packet `seq` has come twice (RFC 2883).
    pub fn repeat(&mut self, seq: u32) {
        self.0.copy_within(..Self::MOST - 1, 1);
        self.0[0] = (seq, seq + 1);
    }

    /// Returns whether the first block reports a packet that has come twice: it comes before `next`, the one
    /// expected next, or lies within the next block.
    pub fn repeated(&self, next: u32) -> bool {
        let [(low, high), (from, to), _] = self.0;
        self.0[0] != NONE && (high <= next || (self.0[1] != NONE && from <= low && high <= to))
    }

    /// Removes a report of what has come twice.
    pub fn forget_repeat(&mut self, next: u32) {
        if self.repeated(next) {
            self.0.copy_within(1.., 0);
            self.0[Self::MOST - 1] = NONE;
        }
    }

    /// Removes the blocks that lie within `low..high`.
    pub fn forget_within(&mut self, low: u32, high: u32) {
        let mut kept = 0;
        for i in 0..Self::MOST {
            let block = std::mem::replace(&mut self.0[i], NONE);
            if !(low <= block.0 && block.1 <= high) {
                self.0[kept] = block;
                kept += 1;
            }
        }
    }
}

impl FromIterator<(u32, u32)> for SackBlocks {
    /// Blocks that were reported one after the other.
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(blocks: I) -> Self {
        let mut reported = SackBlocks::EMPTY;
        for (low, high) in blocks {
            reported.report(low, high);
        }
        reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block() -> impl Strategy<Value = (u32, u32)> {
        (0u32..20, 1u32..6).prop_map(|(low, length)| (low, low + length))
    }

    proptest! {
        /// The latest first, none that a later one covers, and no more than fit.
        #[test]
        fn blocks_are_those_reported_last(steps in prop::collection::vec((block(), any::<bool>()), 0..30)) {
            let (mut blocks, mut twin) = (SackBlocks::EMPTY, Vec::new());
            for ((low, high), report) in steps {
                twin.retain(|&(start, end)| !(low <= start && end <= high));
                if report {
                    blocks.report(low, high);
                    twin.insert(0, (low, high));
                    twin.truncate(SackBlocks::MOST);
                } else {
                    blocks.forget_within(low, high);
                }
                prop_assert_eq!(blocks.iter().collect::<Vec<_>>(), twin.clone());
                prop_assert_eq!((blocks.len(), blocks.is_empty()), (twin.len(), twin.is_empty()));
            }
        }
    }
}
