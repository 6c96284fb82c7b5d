//! What is to come, by span of time: as it is, one behind the other, in no order within a span.
//!
//! With half a million packets in flight, a slot for each lies outside the caches and has to be waited for when the
//! packet arrives; so does the place in a heap of a timer among a hundred thousand. The ends of some hundred spans do
//! not, and a span is read in one go when its time comes (docs/performance.md has what that gives).

use crate::memory::{prefetch, push_large};

/// Items in a block.
const BLOCK: usize = 32;

/// Where the list of an empty span ends. There is no such block.
const EMPTY: u32 = 0;

/// A list for each of so many spans in a row, around and around.
#[derive(Clone, Debug)]
pub struct Spans<T> {
    /// Where the next item of each span goes, or its next block, if the last one is full: a place in the blocks,
    /// counted in items.
    ends: Vec<u32>,
    blocks: Vec<[T; BLOCK]>,
    /// Where the block before each block ends; of a block that is free, the next one that is.
    before: Vec<u32>,
    /// The first block that is free.
    free: u32,
}

/// A list that has been taken away: where it ends.
pub struct Detached(u32);

impl Detached {
    /// Whether there is nothing in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == EMPTY
    }
}

impl<T: Copy> Spans<T> {
    /// Nothing in so many spans, a power of two; `any` item will do.
    pub fn new(spans: usize, any: T) -> Self {
        Spans { ends: vec![EMPTY; spans], blocks: vec![[any; BLOCK]], before: vec![EMPTY], free: EMPTY }
    }

    /// How many spans there are.
    pub fn len(&self) -> u64 {
        self.ends.len() as u64
    }

    #[inline]
    fn place(&self, span: u64) -> usize {
        span as usize & (self.ends.len() - 1)
    }

    /// Puts an item into a span.
    #[inline]
    pub fn put(&mut self, span: u64, item: T) {
        let place = self.place(span);
        let mut end = self.ends[place] as usize;
        if end % BLOCK == 0 {
            end = self.block_behind(end);
        }
        self.blocks[end / BLOCK][end % BLOCK] = item;
        self.ends[place] = end as u32 + 1;
    }

    /// A new block behind the one that ends there. Returns where it starts.
    fn block_behind(&mut self, end: usize) -> usize {
        let mut block = self.free as usize;
        if self.free == EMPTY {
            block = self.blocks.len();
            let any = self.blocks[0];
            push_large(&mut self.blocks, any);
            self.before.push(EMPTY);
        }
        self.free = std::mem::replace(&mut self.before[block], end as u32);
        block * BLOCK
    }

    /// Has so many spans from now on, with nothing in them. Returns the lists of those before.
    pub fn change(&mut self, spans: usize) -> Vec<Detached> {
        let lists = std::mem::replace(&mut self.ends, vec![EMPTY; spans]);
        lists.into_iter().map(Detached).collect()
    }

    /// Takes the list of a span away.
    #[inline]
    pub fn detach(&mut self, span: u64) -> Detached {
        let place = self.place(span);
        Detached(std::mem::replace(&mut self.ends[place], EMPTY))
    }

    /// Takes an item off a list that has been taken away and is not empty.
    #[inline]
    pub fn pop(&mut self, list: &mut Detached) -> T {
        let last = list.0 as usize - 1;
        let item = self.blocks[last / BLOCK][last % BLOCK];
        list.0 = last as u32;
        if last % BLOCK == 0 {
            list.0 = std::mem::replace(&mut self.before[last / BLOCK], self.free);
            self.free = (last / BLOCK) as u32;
        }
        item
    }

    /// Starts to fetch the items of a span.
    pub fn prefetch(&self, span: u64) {
        self.up_to(self.ends[self.place(span)]).flatten().for_each(prefetch);
    }

    /// All items, in any order.
    pub fn items(&self) -> impl Iterator<Item = &T> {
        self.ends.iter().flat_map(|&end| self.up_to(end)).flatten()
    }

    /// The items of a span whose list ends there.
    fn up_to(&self, mut end: u32) -> impl Iterator<Item = &[T]> {
        std::iter::from_fn(move || {
            let last = (end as usize).checked_sub(1)?;
            end = self.before[last / BLOCK];
            Some(&self.blocks[last / BLOCK][..=last % BLOCK])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(items: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut items: Vec<u32> = items.into_iter().collect();
        items.sort_unstable();
        items
    }

    fn take(spans: &mut Spans<u32>, mut list: Detached) -> Vec<u32> {
        let mut taken = Vec::new();
        while !list.is_empty() {
            taken.push(spans.pop(&mut list));
        }
        taken
    }

    #[derive(Clone, Debug)]
    enum Step {
        Put(u64, usize),
        Take(u64),
        Change(u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0u64..32, 0usize..100).prop_map(|(span, count)| Step::Put(span, count)),
            3 => (0u64..32).prop_map(Step::Take),
            1 => (0u32..5).prop_map(Step::Change),
        ]
    }

    proptest! {
        /// Each span gives back what was put into it, and rooms are used again.
        #[test]
        fn spans_keep_what_is_put_into_them(steps in prop::collection::vec(step(), 0..60)) {
            let mut spans = Spans::new(4, 0);
            let mut twin = vec![Vec::new(); 4];
            let (mut number, mut most) = (0, 0);
            for step in steps {
                match step {
                    Step::Put(span, count) => {
                        for _ in 0..count {
                            spans.put(span, number);
                            twin[span as usize % spans.len() as usize].push(number);
                            number += 1;
                        }
                    }
                    Step::Take(span) => {
                        let list = spans.detach(span);
                        let taken = take(&mut spans, list);
                        let place = span as usize % spans.len() as usize;
                        prop_assert_eq!(sorted(taken), std::mem::take(&mut twin[place]));
                    }
                    Step::Change(bits) => {
                        let lists = spans.change(1 << bits);
                        let taken: Vec<_> = lists.into_iter().flat_map(|list| take(&mut spans, list)).collect();
                        prop_assert_eq!(sorted(taken), sorted(twin.concat()));
                        twin = vec![Vec::new(); 1 << bits];
                    }
                }
                prop_assert_eq!(sorted(spans.items().copied()), sorted(twin.concat()));
                most = most.max(twin.iter().map(|span| span.len().div_ceil(BLOCK)).sum());
                prop_assert!(spans.blocks.len() <= 1 + most);
            }
        }
    }
}
