//! Unsorted lists of future items, one per time span.
//!
//! With half a million packets in flight, a slot for each lies outside the caches and has to be waited for
//! when the packet arrives; so does the place in a heap of a timer among a hundred thousand. The ends of some
//! hundred spans do not, and a span is read in one go when its time comes (docs/performance.md has what that
//! gives).

use crate::memory::prefetch;
use crate::room::{self, Room};

/// Items in a block.
const BLOCK: usize = 16;

/// In place of a block. There is none of this number.
const NONE: u32 = 0;

/// A list for each of so many spans in a row, around and around.
#[derive(Clone, Debug)]
pub struct Spans<T> {
    /// End of the list of each span.
    ends: Vec<End>,
    /// The last items of each list, which are no block yet. They are kept side by side, because to write to as many places all
    /// over the memory would be to wait for the address of each.
    tails: Vec<[T; BLOCK]>,
    blocks: Vec<[T; BLOCK]>,
    /// The block before each block; of one that is free, the next one that is.
    before: Vec<u32>,
    /// The first block that is free.
    free: u32,
    /// The name in messages of what is here.
    what: &'static str,
}

/// End of a list.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// Items that are no block yet.
    tail: u32,
    /// The last block, which is full.
    block: u32,
}

/// A list that has been taken away: its last block, and what that holds.
#[must_use = "its items would be lost"]
pub struct Detached {
    count: u32,
    block: u32,
}

impl Detached {
    /// Returns whether there is nothing in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.block == NONE
    }
}

impl<T: Copy> Spans<T> {
    /// Nothing in so many spans, a power of two, and room for about so many items; `any` item will do.
    ///
    /// Room that is not needed is not touched; to grow by copying touches more than twice as much as is used
    /// (docs/performance.md).
    pub fn new(spans: usize, any: T, room: usize, what: &'static str) -> Self {
        let mut blocks = room::with_room(1 + room / BLOCK, what);
        blocks.push([any; BLOCK]);
        Spans {
            ends: vec![End::default(); spans],
            tails: vec![[any; BLOCK]; spans],
            blocks,
            before: vec![NONE],
            free: NONE,
            what,
        }
    }

    /// Number of spans.
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
        let count = self.ends[place].tail as usize;
        self.tails[place][count] = item;
        self.ends[place].tail = count as u32 + 1;
        if count + 1 == BLOCK {
            self.end_block(place);
        }
    }

    /// Makes a block of the last items of a list.
    #[inline(never)]
    fn end_block(&mut self, place: usize) {
        let mut block = self.free;
        if block == NONE {
            block = self.blocks.len() as u32;
            self.blocks.add(self.tails[place], self.what);
            self.before.add(NONE, self.what);
        } else {
            self.blocks[block as usize] = self.tails[place];
        }
        let before = std::mem::replace(&mut self.ends[place], End { tail: 0, block });
        self.free = std::mem::replace(&mut self.before[block as usize], before.block);
    }

    /// Has so many spans from now on, with nothing in them. Returns the lists of those before.
    pub fn change(&mut self, spans: usize) -> Vec<Detached> {
        let lists = (0..self.len()).map(|span| self.detach(span)).collect();
        self.ends.resize(spans, End::default());
        self.tails.resize(spans, self.tails[0]);
        lists
    }

    /// Takes the list of a span away.
    pub fn detach(&mut self, span: u64) -> Detached {
        let place = self.place(span);
        let count = self.ends[place].tail;
        if count > 0 {
            self.end_block(place);
        }
        let block = std::mem::take(&mut self.ends[place]).block;
        Detached { count: if count > 0 { count } else { BLOCK as u32 }, block }
    }

    /// Takes an item off a list that has been taken away and is not empty.
    #[inline]
    pub fn pop(&mut self, list: &mut Detached) -> T {
        list.count -= 1;
        let item = self.blocks[list.block as usize][list.count as usize];
        if list.count == 0 {
            let before = std::mem::replace(&mut self.before[list.block as usize], self.free);
            self.free = std::mem::replace(&mut list.block, before);
            list.count = BLOCK as u32;
        }
        item
    }

    /// Starts to fetch the items of a span, but for the last ones, which are near anyway.
    pub fn prefetch(&self, span: u64) {
        let place = self.place(span);
        self.blocks_up_to(self.ends[place].block).for_each(prefetch);
    }

    /// All items, in any order.
    pub fn items(&self) -> impl Iterator<Item = &T> {
        let list = |(end, tail): (&End, _)| {
            let tail: &[T; BLOCK] = tail;
            self.blocks_up_to(end.block).flatten().chain(&tail[..end.tail as usize])
        };
        self.ends.iter().zip(&self.tails).flat_map(list)
    }

    /// The blocks of a list, whose last one is given.
    fn blocks_up_to(&self, last: u32) -> impl Iterator<Item = &[T; BLOCK]> {
        let block = |number: u32| (number != NONE).then_some(number);
        std::iter::successors(block(last), move |&number| block(self.before[number as usize]))
            .map(|number| &self.blocks[number as usize])
    }
}

impl<T> Spans<T> {
    /// Bytes of all items, and of the room for more.
    pub fn bytes(&self) -> u64 {
        (self.blocks.capacity() * size_of::<[T; BLOCK]>()) as u64
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
            let mut spans = Spans::new(4, 0, 20, "numbers");
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
