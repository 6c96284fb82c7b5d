//! The SACK option of one ACK: at most three blocks (RFC 2018, section 3, with room for time stamps).

/// Blocks `[low, high)`, the one to be reported first in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u32, u32); SackBlocks::MOST],
    count: u8,
}

impl SackBlocks {
    /// Most blocks in an ACK.
    pub const MOST: usize = 3;
    /// Bytes that a block adds to an ACK.
    pub const BYTES_PER_BLOCK: u16 = 8;

    /// How many blocks there are.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The blocks, first things first.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.blocks[..self.len()].iter().copied()
    }

    /// Puts a block in front, in place of those that it covers.
    pub fn report(&mut self, low: u32, high: u32) {
        self.forget_within(low, high);
        let kept = self.len().min(Self::MOST - 1);
        self.blocks.copy_within(..kept, 1);
        self.blocks[0] = (low, high);
        self.count = kept as u8 + 1;
    }

    /// Removes the blocks that lie within `low..high`.
    pub fn forget_within(&mut self, low: u32, high: u32) {
        let mut kept = 0;
        for i in 0..self.len() {
            let block = self.blocks[i];
            if !(low <= block.0 && block.1 <= high) {
                self.blocks[kept] = block;
                kept += 1;
            }
        }
        self.count = kept as u8;
    }
}
