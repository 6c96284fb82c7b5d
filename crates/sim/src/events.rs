//! The event queue: a 4-ary heap of small keys, and spans for what comes later, if there is very much.
//!
//! An event is a time, a rank and a target. Ranks make the order total without counting insertions: events at
//! one instant run in the order of their rank, and a rank belongs to one place of the network and one flow,
//! whatever has happened before. So a run does not depend on how the network was folded. See
//! `docs/architecture.md`, 'Order of events'.

use crate::room::{self, Room};
use crate::spans::Spans;
use crate::units::Time;

/// Time, order among equals, and kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time of the event.
    pub time: Time,
    /// Order among events at one instant.
    pub rank: u32,
    /// Kind and index of the event, packed by the engine.
    pub target: u32,
}

/// An event as one number, so that a comparison is two instructions: time, rank, target from the top.
pub type Key = u128;

impl Event {
    #[inline]
    fn key(self) -> Key {
        (u128::from(self.time.ps()) << 64) | (u128::from(self.rank) << 32) | u128::from(self.target)
    }

    /// The event of a number.
    #[inline]
    pub fn from_key(key: Key) -> Self {
        Event { time: Time::from_ps((key >> 64) as u64), rank: (key >> 32) as u32, target: key as u32 }
    }
}

/// If a queue is made for so many events, those that do not come soon wait in spans: most are timers, which look
/// for their flow's deadline when they come and wait again, and a heap of all of them lies outside the caches.
const MANY: usize = 4096;

/// Spans of about 2 ms, for half a second.
const SPAN_SHIFT: u32 = 31;
const SPANS: u64 = 256;

/// A priority queue of events.
#[derive(Clone, Debug)]
pub struct EventQueue {
    /// The events up to the end of a span, and behind them at least [`ARITY`] times [`NONE`], so that every event
    /// has all its children.
    heap: Vec<Key>,
    count: usize,
    /// The span up to which events are in the heap: all, if there are few.
    span: u64,
    /// The others; there are some only if there are some in the heap.
    later: Spans<Key>,
    later_count: usize,
}

/// Four children share a cache line: 4 x 16 bytes.
const ARITY: usize = 4;

/// Comes after all events.
const NONE: Key = Key::MAX;

/// The name in messages of what is here.
const WHAT: &str = "timers";

impl EventQueue {
    /// An empty queue with room for this many events; it grows if there are more.
    pub fn with_capacity(events: usize) -> Self {
        EventQueue::with_spans_from(MANY, events)
    }

    /// Makes a queue whose later events wait in spans if there are at least `many` of them.
    fn with_spans_from(many: usize, events: usize) -> Self {
        let room = events.min(many) + 1 + ARITY;
        let (span, spans) = if events < many { (u64::MAX, 1) } else { (0, SPANS as usize) };
        EventQueue {
            heap: room::filled(NONE, room, WHAT),
            count: 0,
            span,
            later: Spans::new(spans, NONE, 0, WHAT),
            later_count: 0,
        }
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        let span = event.time.ps() >> SPAN_SHIFT;
        if span <= self.span {
            return self.rise(event.key());
        }
        self.put_later(span, event.key());
        if self.count == 0 {
            self.bring_next();
        }
    }

    #[inline(never)]
    fn put_later(&mut self, span: u64, key: Key) {
        // The last span keeps what comes later still until it is looked at.
        self.later.put(span.min(self.span + SPANS - 1), key);
        self.later_count += 1;
    }

    /// Puts the events of the next span that has some into the heap, which is empty.
    #[inline(never)]
    fn bring_next(&mut self) {
        while self.count == 0 && self.later_count > 0 {
            self.span += 1;
            let mut list = self.later.detach(self.span);
            while !list.is_empty() {
                self.later_count -= 1;
                let key = self.later.pop(&mut list);
                let span = Event::from_key(key).time.ps() >> SPAN_SHIFT;
                if span <= self.span {
                    self.rise(key);
                } else {
                    self.put_later(span, key);
                }
            }
        }
    }

    /// Adds a key to the heap.
    #[inline]
    fn rise(&mut self, key: Key) {
        let mut hole = self.count;
        self.count += 1;
        if self.heap.len() < self.count + ARITY {
            self.grow();
        }
        let heap = &mut self.heap[..];
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if heap[parent] <= key {
                break;
            }
            heap[hole] = heap[parent];
            hole = parent;
        }
        heap[hole] = key;
    }

    #[cold]
    fn grow(&mut self) {
        self.heap.make_room(self.heap.len(), WHAT);
        self.heap.resize(2 * self.heap.len(), NONE);
    }

    /// The number of the first event, which tells it from others by its size; the greatest number if there is none.
    #[inline]
    pub fn first_key(&self) -> Key {
        self.heap[0]
    }

    /// Removes the first event. There must be one.
    #[inline]
    pub fn remove_first(&mut self) {
        if self.count > 0 {
            self.count -= 1;
            let last = std::mem::replace(&mut self.heap[self.count], NONE);
            if self.count > 0 {
                self.sink(last);
            } else {
                self.bring_next();
            }
        }
    }

    /// Places `key` at the root and lets it sink.
    #[inline]
    fn sink(&mut self, key: Key) {
        let heap = &mut self.heap[..];
        let mut hole = 0;
        loop {
            let first = hole * ARITY + 1;
            let Some(children) = heap.get(first..first + ARITY) else {
                break;
            };
            // Without branches: which of four is least cannot be predicted.
            let least = first + least_of_four(children);
            if key <= heap[least] {
                break;
            }
            heap[hole] = heap[least];
            hole = least;
        }
        heap[hole] = key;
    }
}

#[inline]
fn least_of_four(keys: &[Key]) -> usize {
    let left = usize::from(keys[1] < keys[0]);
    let right = 2 + usize::from(keys[3] < keys[2]);
    if keys[right] < keys[left] {
        right
    } else {
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(time: u64, rank: u32) -> Event {
        Event { time: Time::from_ps(time), rank, target: rank }
    }

    /// Close to others, in one of the spans, or beyond the last one.
    fn time() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..50, 0u64..1 << 38, 0u64..1 << 42]
    }

    fn first(queue: &EventQueue) -> Option<(u64, u32)> {
        let event = Event::from_key(queue.first_key());
        (queue.first_key() < Key::MAX).then(|| (event.time.ps(), event.rank))
    }

    fn pop(queue: &mut EventQueue) -> Option<(u64, u32)> {
        let first = first(queue)?;
        queue.remove_first();
        Some(first)
    }

    proptest! {
        #[test]
        fn events_leave_in_order(many in 0usize..2, keys in prop::collection::vec((time(), 0u32..50), 0..300)) {
            let mut queue = EventQueue::with_spans_from(many, 0);
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
            many in 0usize..2,
            steps in prop::collection::vec((0u8..2, time()), 0..300),
        ) {
            let mut queue = EventQueue::with_spans_from(many, 0);
            let mut twin: Vec<(u64, u32)> = Vec::new();
            for (i, (step, time)) in steps.into_iter().enumerate() {
                let new = (time, i as u32);
                match step {
                    0 => {
                        queue.push(event(new.0, new.1));
                        twin.push(new);
                    }
                    _ => {
                        queue.remove_first();
                        twin = twin.split_off(twin.len().min(1));
                    }
                }
                twin.sort_unstable();
                prop_assert_eq!(first(&queue), twin.first().copied());
                prop_assert_eq!(queue.count + queue.later_count, twin.len());
            }
        }
    }
}
