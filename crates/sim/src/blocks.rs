//! Where the SACK blocks of ACKs under way are kept, so that packets stay small.

use crate::memory::{prefetch, push_large};
use crate::transport::SackBlocks;

/// A slot for each ACK under way that carries blocks. Slots are used again, so nothing is allocated once there
/// are as many as were ever needed at once.
#[derive(Clone, Debug, Default)]
pub struct BlockStore {
    slots: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl BlockStore {
    /// Keeps blocks; the handle is 0 if there are none.
    #[inline]
    pub fn put(&mut self, blocks: &SackBlocks) -> u32 {
        if blocks.is_empty() {
            return 0;
        }
        if let Some(handle) = self.free.pop() {
            self.slots[handle as usize - 1] = *blocks;
            return handle;
        }
        push_large(&mut self.slots, *blocks);
        self.slots.len() as u32
    }

    /// Starts to fetch blocks.
    #[inline]
    pub fn prefetch(&self, handle: u32) {
        if let Some(blocks) = self.slots.get((handle as usize).wrapping_sub(1)) {
            prefetch(blocks);
        }
    }

    /// Gives the blocks back and frees their slot.
    #[inline]
    pub fn take(&mut self, handle: u32) -> SackBlocks {
        if handle == 0 {
            return SackBlocks::default();
        }
        self.free.push(handle);
        self.slots[handle as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again() {
        let block = |n| {
            let mut blocks = SackBlocks::default();
            blocks.report(n, n + 1);
            blocks
        };
        let mut store = BlockStore::default();
        assert_eq!(store.put(&SackBlocks::default()), 0);
        let (a, b) = (store.put(&block(1)), store.put(&block(2)));
        assert_eq!(store.take(a), block(1));
        let c = store.put(&block(3));
        assert_eq!((c, store.slots.len()), (a, 2));
        assert_eq!((store.take(b), store.take(c)), (block(2), block(3)));
        assert_eq!(store.take(0), SackBlocks::default());
    }
}
