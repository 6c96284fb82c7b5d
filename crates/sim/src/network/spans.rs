//! Packets that arrive later than a calendar's wheel reaches, by span of time, as they are and one behind the other.
//!
//! With half a million packets in flight, a slot for each lies outside the caches and has to be waited for when the
//! packet arrives. The ends of some hundred spans do not, and a span is read in one go when its time comes
//! (docs/performance.md has what that gives).

use crate::memory::{prefetch, push_large};
use crate::packet::Packet;
use crate::units::Time;

/// Packets in a block.
const BLOCK: usize = 32;

/// Where the list of an empty span ends. There is no such block.
const EMPTY: u32 = 0;

/// A list for each of so many spans in a row, around and around.
#[derive(Clone, Debug)]
pub struct Spans {
    /// Where the next packet of each span goes, or its next block, if the last one is full: a place in the blocks,
    /// counted in packets.
    ends: Vec<u32>,
    blocks: Vec<Block>,
    /// Where the block before each block ends; of a block that is free, the next one that is.
    before: Vec<u32>,
    /// The first block that is free.
    free: u32,
}

type Block = [Packet; BLOCK];

/// A list that has been taken away: where it ends.
pub struct Detached(u32);

impl Detached {
    /// Whether it has no packets.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == EMPTY
    }
}

impl Spans {
    /// No packets in so many spans, a power of two.
    pub fn new(spans: usize) -> Self {
        let nothing = [Packet::data(0, 0, 0, Time::ZERO); BLOCK];
        Spans { ends: vec![EMPTY; spans], blocks: vec![nothing], before: vec![EMPTY], free: EMPTY }
    }

    /// How many spans there are.
    pub fn len(&self) -> u64 {
        self.ends.len() as u64
    }

    #[inline]
    fn place(&self, span: u64) -> usize {
        span as usize & (self.ends.len() - 1)
    }

    /// Puts a packet into a span.
    #[inline]
    pub fn put(&mut self, span: u64, packet: Packet) {
        let place = self.place(span);
        let mut end = self.ends[place] as usize;
        if end % BLOCK == 0 {
            end = self.block_behind(end);
        }
        self.blocks[end / BLOCK][end % BLOCK] = packet;
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

    /// Has so many spans from now on, without packets. Returns the lists of those before.
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

    /// Takes a packet off a list that has been taken away and is not empty.
    #[inline]
    pub fn pop(&mut self, list: &mut Detached) -> Packet {
        let last = list.0 as usize - 1;
        let packet = self.blocks[last / BLOCK][last % BLOCK];
        list.0 = last as u32;
        if last % BLOCK == 0 {
            list.0 = std::mem::replace(&mut self.before[last / BLOCK], self.free);
            self.free = (last / BLOCK) as u32;
        }
        packet
    }

    /// Starts to fetch the packets of a span.
    pub fn prefetch(&self, span: u64) {
        self.up_to(self.ends[self.place(span)]).flatten().step_by(2).for_each(prefetch);
    }

    /// All packets, in any order.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.ends.iter().flat_map(|&end| self.up_to(end)).flatten()
    }

    /// The packets of a span whose list ends there.
    fn up_to(&self, mut end: u32) -> impl Iterator<Item = &[Packet]> {
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

    fn numbers<'a>(packets: impl Iterator<Item = &'a Packet>) -> Vec<u32> {
        let mut numbers: Vec<u32> = packets.map(|packet| packet.seq).collect();
        numbers.sort_unstable();
        numbers
    }

    fn take(spans: &mut Spans, mut list: Detached) -> Vec<Packet> {
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
            1 => (0u32..5).prop_map(|bits| Step::Change(bits)),
        ]
    }

    proptest! {
        /// Each span gives back what was put into it, and rooms are used again.
        #[test]
        fn spans_keep_what_is_put_into_them(steps in prop::collection::vec(step(), 0..60)) {
            let mut spans = Spans::new(4);
            let mut twin = vec![Vec::new(); 4];
            let (mut number, mut most) = (0, 0);
            for step in steps {
                match step {
                    Step::Put(span, count) => {
                        for _ in 0..count {
                            spans.put(span, Packet::data(number, 0, 0, Time::ZERO));
                            twin[span as usize % spans.len() as usize].push(number);
                            number += 1;
                        }
                    }
                    Step::Take(span) => {
                        let list = spans.detach(span);
                        let taken = take(&mut spans, list);
                        let place = span as usize % spans.len() as usize;
                        prop_assert_eq!(numbers(taken.iter()), std::mem::take(&mut twin[place]));
                    }
                    Step::Change(bits) => {
                        let lists = spans.change(1 << bits);
                        let taken: Vec<_> = lists.into_iter().flat_map(|list| take(&mut spans, list)).collect();
                        let mut all = twin.concat();
                        all.sort_unstable();
                        prop_assert_eq!(numbers(taken.iter()), all);
                        twin = vec![Vec::new(); 1 << bits];
                    }
                }
                let mut all = twin.concat();
                all.sort_unstable();
                prop_assert_eq!(numbers(spans.packets()), all);
                most = most.max(twin.iter().map(|span| span.len().div_ceil(BLOCK)).sum());
                prop_assert!(spans.blocks.len() <= 1 + most);
            }
        }
    }
}
