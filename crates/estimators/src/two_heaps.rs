//! The median of the last `k` samples for large `k`: two heaps that hold the lower and the upper half.
//!
//! The tops of the heaps are the middle of the window. Each sample has a slot in order of arrival, and `place`
//! says where the sample of a slot stands, so the oldest sample is found at once and its node is overwritten by
//! the newest. That moves O(log k) nodes, and typically far fewer.

use alloc::boxed::Box;
use alloc::vec;

/// Marks, in `place`, a node of the lower half.
const LOWER: u32 = 1 << 31;

/// A sample in a heap. In the lower half `key` is the negative of the sample, so that both heaps have their
/// least key on top.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Node {
    key: f64,
    slot: u32,
}

/// A heap of nodes with the least key on top.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Half {
    nodes: Box<[Node]>,
    len: usize,
    /// [`LOWER`] or 0.
    mark: u32,
}

/// A window over the newest `k` samples of a stream of finite numbers, which knows its median.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TwoHeaps {
    /// Holds as many samples as the upper half, or one more.
    lower: Half,
    upper: Half,
    /// Index of the node of each slot, marked if it is in the lower half.
    place: Box<[u32]>,
    /// Samples in the window.
    len: usize,
    /// Slot of the next sample; once the window is full, that of the oldest.
    next: usize,
}

impl TwoHeaps {
    /// An empty window for `k` samples; `k` is between 1 and [`crate::MAX_WINDOW`].
    pub fn new(k: u32) -> Self {
        let k = k as usize;
        // One more than half: while the window fills, a half is over-full until the other takes a node.
        let capacity = k.div_ceil(2) + 1;
        TwoHeaps {
            lower: Half::new(capacity, LOWER),
            upper: Half::new(capacity, 0),
            place: vec![0; k].into_boxed_slice(),
            len: 0,
            next: 0,
        }
    }

    /// Takes in a finite sample; the oldest leaves a full window.
    pub fn push(&mut self, x: f64) {
        let slot = self.next;
        self.next = if slot + 1 == self.place.len() { 0 } else { slot + 1 };
        if self.len < self.place.len() {
            self.len += 1;
            self.add(x, slot as u32);
        } else {
            self.overwrite(x, slot);
        }
    }

    /// The middle sample, or the mean of the middle two; `None` before the first sample.
    #[inline]
    pub fn median(&self) -> Option<f64> {
        if self.len == 0 {
            None
        } else if self.lower.len > self.upper.len {
            Some(-self.lower.top())
        } else {
            Some((-self.lower.top()).midpoint(self.upper.top()))
        }
    }

    /// Forgets every sample.
    pub fn clear(&mut self) {
        self.lower.len = 0;
        self.upper.len = 0;
        self.len = 0;
        self.next = 0;
    }

    /// Puts `x` in a window that is not full.
    fn add(&mut self, x: f64, slot: u32) {
        if self.lower.len == 0 || x <= -self.lower.top() {
            self.lower.add(Node { key: -x, slot }, &mut self.place);
        } else {
            self.upper.add(Node { key: x, slot }, &mut self.place);
        }
        if self.lower.len > self.upper.len + 1 {
            let node = self.lower.take_top(&mut self.place);
            self.upper.add(node.negated(), &mut self.place);
        } else if self.upper.len > self.lower.len {
            let node = self.upper.take_top(&mut self.place);
            self.lower.add(node.negated(), &mut self.place);
        }
    }

    /// Puts `x` in place of the sample in `slot`.
    fn overwrite(&mut self, x: f64, slot: usize) {
        let place = self.place[slot];
        let slot = slot as u32;
        if place & LOWER != 0 {
            self.lower.settle((place ^ LOWER) as usize, Node { key: -x, slot }, &mut self.place);
        } else {
            self.upper.settle(place as usize, Node { key: x, slot }, &mut self.place);
        }
        // Only the new sample can be in the wrong half, and then it is on top.
        if self.upper.len > 0 && -self.lower.top() > self.upper.top() {
            let (low, high) = (self.lower.nodes[0], self.upper.nodes[0]);
            self.lower.settle(0, high.negated(), &mut self.place);
            self.upper.settle(0, low.negated(), &mut self.place);
        }
    }
}

impl Node {
    /// Mirrors the sample, as a node of the other half.
    fn negated(self) -> Node {
        Node { key: -self.key, slot: self.slot }
    }
}

impl Half {
    fn new(capacity: usize, mark: u32) -> Self {
        Half { nodes: vec![Node::default(); capacity].into_boxed_slice(), len: 0, mark }
    }

    /// The least key. The heap is not empty.
    #[inline]
    fn top(&self) -> f64 {
        self.nodes[0].key
    }

    fn add(&mut self, node: Node, place: &mut [u32]) {
        self.len += 1;
        self.settle(self.len - 1, node, place);
    }

    fn take_top(&mut self, place: &mut [u32]) -> Node {
        let top = self.nodes[0];
        self.len -= 1;
        if self.len > 0 {
            self.settle(0, self.nodes[self.len], place);
        }
        top
    }

    /// Writes `node` at index `hole`, or as far above or below as its key belongs.
    #[inline]
    fn settle(&mut self, hole: usize, node: Node, place: &mut [u32]) {
        let raised = self.raise(hole, node.key, place);
        let settled = if raised == hole { self.lower(hole, node.key, place) } else { raised };
        self.write(settled, node, place);
    }

    /// Moves ancestors of `hole` with greater keys down a level, and returns where the hole ends up.
    #[inline]
    fn raise(&mut self, mut hole: usize, key: f64, place: &mut [u32]) -> usize {
        while hole > 0 {
            let parent = (hole - 1) / 2;
            if self.nodes[parent].key <= key {
                break;
            }
            self.write(hole, self.nodes[parent], place);
            hole = parent;
        }
        hole
    }

    /// Moves descendants of `hole` with lesser keys up a level, and returns where the hole ends up.
    #[inline]
    fn lower(&mut self, mut hole: usize, key: f64, place: &mut [u32]) -> usize {
        loop {
            let mut child = 2 * hole + 1;
            if child >= self.len {
                return hole;
            }
            if child + 1 < self.len && self.nodes[child + 1].key < self.nodes[child].key {
                child += 1;
            }
            if self.nodes[child].key >= key {
                return hole;
            }
            self.write(hole, self.nodes[child], place);
            hole = child;
        }
    }

    #[inline]
    fn write(&mut self, at: usize, node: Node, place: &mut [u32]) {
        self.nodes[at] = node;
        place[node.slot as usize] = at as u32 | self.mark;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every invariant that [`TwoHeaps::median`] relies on.
    fn check(heaps: &TwoHeaps) {
        assert!(heaps.lower.len == heaps.upper.len || heaps.lower.len == heaps.upper.len + 1);
        assert_eq!(heaps.lower.len + heaps.upper.len, heaps.len);
        for half in [&heaps.lower, &heaps.upper] {
            for at in 0..half.len {
                assert!(at == 0 || half.nodes[(at - 1) / 2].key <= half.nodes[at].key);
                assert_eq!(heaps.place[half.nodes[at].slot as usize], at as u32 | half.mark);
            }
        }
        assert!(heaps.upper.len == 0 || -heaps.lower.top() <= heaps.upper.top());
    }

    proptest! {
        #[test]
        fn invariants_hold_after_every_sample(
            k in 1u32..40,
            xs in prop::collection::vec((-9..10i32).prop_map(f64::from), 1..200),
        ) {
            let mut heaps = TwoHeaps::new(k);
            for x in xs {
                heaps.push(x);
                check(&heaps);
            }
            heaps.clear();
            prop_assert_eq!(heaps.median(), None);
            heaps.push(1.0);
            check(&heaps);
        }
    }
}
