//! Store of the SACK blocks of ACKs under way, so that packets stay small.

use crate::memory::prefetch;
use crate::room::Room;
use crate::transport::SackBlocks;
use crate::units::Time;

/// Contents of an ACK that reports blocks, with the stamp of the packet that it answers: the handle takes the
/// stamp's place.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Report {
    /// The stamp.
    pub stamp: Time,
    /// The blocks.
    pub blocks: SackBlocks,
}

const _: () = assert!(std::mem::size_of::<Report>() == 32);

/// A slot for each ACK under way that carries blocks. Slots are used again, so nothing is allocated once there
/// are as many as were ever needed at once.
#[derive(Clone, Debug, Default)]
pub struct BlockStore {
    slots: Vec<Report>,
    free: Vec<u32>,
}

/// The name in messages of what is here.
const WHAT: &str = "SACK blocks in flight";

impl BlockStore {
    /// Keeps stamp and blocks of an ACK; the handle under which they are.
    #[inline]
    pub fn put(&mut self, stamp: Time, blocks: &SackBlocks) -> u32 {
        let report = Report { stamp, blocks: *blocks };
        if let Some(handle) = self.free.pop() {
            self.slots[handle as usize] = report;
            return handle;
        }
        self.slots.add(report, WHAT);
        self.slots.len() as u32 - 1
    }

    /// Starts to fetch what an ACK reports.
    #[inline]
    pub fn prefetch(&self, handle: u32) {
        if let Some(report) = self.slots.get(handle as usize) {
            prefetch(report);
        }
    }

    /// Report kept under a handle.
    #[inline]
    pub fn get(&self, handle: u32) -> &Report {
        &self.slots[handle as usize]
    }

    /// Forgets what is kept under a handle.
    #[inline]
    pub fn remove(&mut self, handle: u32) {
        self.free.add(handle, WHAT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again() {
        let blocks = |n| {
            let mut blocks = SackBlocks::default();
            blocks.report(n, n + 1);
            blocks
        };
        let at = |n| Time::from_ps(n);
        let mut store = BlockStore::default();
        let (a, b) = (store.put(at(1), &blocks(1)), store.put(at(2), &blocks(2)));
        let kept = |store: &BlockStore, handle| (store.get(handle).stamp, store.get(handle).blocks);
        assert_eq!(kept(&store, a), (at(1), blocks(1)));
        store.remove(a);
        let c = store.put(at(3), &blocks(3));
        assert_eq!((c, store.slots.len()), (a, 2));
        assert_eq!(kept(&store, b), (at(2), blocks(2)));
        assert_eq!(kept(&store, c), (at(3), blocks(3)));
    }
}
