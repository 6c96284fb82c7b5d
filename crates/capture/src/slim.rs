//! Small things of which a connection has many: numbers that may be missing in no more room than numbers, and queues that
//! hold no room before they need it.

use std::collections::VecDeque;

/// Elements from which a queue that was emptied gives back its room.
const LARGE: usize = 16;

/// A number that may be missing. The least of its kind stands for none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Maybe<T>(T);

macro_rules! maybe {
    ($($number:ty),*) => {
        $(impl Maybe<$number> {
            /// No number.
            pub const NONE: Self = Self(<$number>::MIN);

            /// A number.
            #[inline]
            pub fn new(number: $number) -> Self {
                Self(number)
            }

            /// The number, if there is one.
            #[inline]
            pub fn get(self) -> Option<$number> {
                (self != Self::NONE).then_some(self.0)
            }
        }

        impl Default for Maybe<$number> {
            fn default() -> Self {
                Self::NONE
            }
        }

        impl std::fmt::Debug for Maybe<$number> {
            fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.get().fmt(to)
            }
        }
    )*
    };
}

maybe!(i64, u64);

/// Adds an element at the end. Room grows slowly, since most queues stay short.
pub fn append<T>(queue: &mut VecDeque<T>, element: T) {
    if queue.len() == queue.capacity() {
        let more = match queue.capacity() {
            0 => 1,
            1 => 3,
            few if few < LARGE => 4,
            many => many / 2,
        };
        queue.reserve_exact(more);
    }
    queue.push_back(element);
}

/// Gives back the room of a queue that was long and is empty.
pub fn relax<T>(queue: &mut VecDeque<T>) {
    if queue.is_empty() && queue.capacity() > LARGE {
        *queue = VecDeque::new();
    }
}
