//! The event queue: a 4-ary heap of small keys.
//!
//! An event is a time, a rank and a target. Ranks make the order total without counting insertions: events at
//! one instant run in the order of their rank, and a rank belongs to one place of the network and one flow,
//! whatever has happened before. So a run does not depend on how the network was folded. See
//! `docs/architecture.md`, 'Order of events'.

use crate::units::Time;

/// When, in what order among equals, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When it happens.
    pub time: Time,
    /// Order among events at one instant.
    pub rank: u32,
    /// What happens: the engine packs a kind and an index into it.
    pub target: u32,
}

impl Event {
    #[inline]
    fn key(&self) -> (u64, u32) {
        (self.time.ps(), self.rank)
    }
}

/// A priority queue of events.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    heap: Vec<Event>,
}

/// Four children share a cache line: 4 x 16 bytes.
const ARITY: usize = 4;

impl EventQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        let mut hole = self.heap.len();
        self.heap.push(event);
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.heap[parent].key() <= event.key() {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = event;
    }

    /// The first event.
    #[inline]
    pub fn first(&self) -> Option<Event> {
        self.heap.first().copied()
    }

    /// Removes the first event. There must be one.
    #[inline]
    pub fn remove_first(&mut self) {
        if let Some(last) = self.heap.pop() {
            if !self.heap.is_empty() {
                self.sink(last);
            }
        }
    }

    /// Puts an event in the place of the first one. There must be one.
    #[inline]
    pub fn replace_first(&mut self, event: Event) {
        self.sink(event);
    }

    /// Places `event` at the root and lets it sink.
    #[inline]
    fn sink(&mut self, event: Event) {
        let len = self.heap.len();
        let mut hole = 0;
        loop {
            let first = hole * ARITY + 1;
            if first >= len {
                break;
            }
            let mut least = first;
            for child in first + 1..(first + ARITY).min(len) {
                if self.heap[child].key() < self.heap[least].key() {
                    least = child;
                }
            }
            if event.key() <= self.heap[least].key() {
                break;
            }
            self.heap[hole] = self.heap[least];
            hole = least;
        }
        self.heap[hole] = event;
    }

    /// Events waiting.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(time: u64, rank: u32) -> Event {
        Event { time: Time::from_ps(time), rank, target: rank }
    }

    fn key(event: Event) -> (u64, u32) {
        (event.time.ps(), event.rank)
    }

    fn pop(queue: &mut EventQueue) -> Option<(u64, u32)> {
        let first = queue.first()?;
        queue.remove_first();
        Some(key(first))
    }

    proptest! {
        #[test]
        fn events_leave_in_order(keys in prop::collection::vec((0u64..50, 0u32..50), 0..300)) {
            let mut queue = EventQueue::new();
            for &(time, rank) in &keys {
                queue.push(event(time, rank));
            }
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            let left: Vec<_> = std::iter::from_fn(|| pop(&mut queue)).collect();
            prop_assert_eq!(left, sorted);
        }

        #[test]
        fn it_agrees_with_a_sorted_list_after_every_step(
            steps in prop::collection::vec((0u8..3, 0u64..20), 0..300),
        ) {
            let mut queue = EventQueue::new();
            let mut twin: Vec<(u64, u32)> = Vec::new();
            for (i, (step, time)) in steps.into_iter().enumerate() {
                let new = (time, i as u32);
                match step {
                    0 => {
                        queue.push(event(new.0, new.1));
                        twin.push(new);
                    }
                    1 if !twin.is_empty() => {
                        queue.replace_first(event(new.0, new.1));
                        twin[0] = new;
                    }
                    _ => {
                        queue.remove_first();
                        twin = twin.split_off(twin.len().min(1));
                    }
                }
                twin.sort_unstable();
                prop_assert_eq!(queue.first().map(key), twin.first().copied());
                prop_assert_eq!(queue.len(), twin.len());
            }
        }
    }
}
