//! Room in lists that a scenario can make grow without bound. It is asked for: where the memory is not there the run ends
//! with a message that says what has grown, and the process goes on.

use std::collections::VecDeque;

use crate::headroom::Memory;
use crate::pulse::Pulse;
use crate::run::{LowMemory, Need, RunError};

/// A smaller piece is not worth a look at the memory that is left, which takes some ten microseconds, and would leave small pages
/// behind where it is asked for and given back.
const LARGE_BYTES: usize = 32 << 20;

/// Where a list cannot become twice as long, it becomes longer by this part.
const LITTLE: usize = 8;

/// So many bytes a sort of the standard library takes as scratch where the list is not longer.
const SORTED_BYTES: usize = 8_000_000;

/// A list that may grow until there is no memory left.
pub(crate) trait Room {
    /// The items in it.
    type Item;

    /// Makes room for so many items more. Ends the run of this thread if there is no memory for them; `what` is what
    /// grows, in the plural.
    fn make_room(&mut self, more: usize, what: &'static str);

    /// Adds an item at the end, for which there is room or the run ends.
    fn add(&mut self, item: Self::Item, what: &'static str);
}

macro_rules! room {
    ($list:ident, $push:ident, moves: $moves:expr) => {
        impl<T> Room for $list<T> {
            type Item = T;

            #[inline]
            fn make_room(&mut self, more: usize, what: &'static str) {
                if self.capacity() - self.len() < more {
                    grow::<T>(self.len(), more, $moves, what, |items| self.try_reserve_exact(items).is_ok());
                }
            }

            #[inline]
            fn add(&mut self, item: T, what: &'static str) {
                self.make_room(1, what);
                self.$push(item);
            }
        }
    };
}

// Where the system moves pages a vector that grows is not copied.
room!(Vec, push, moves: align_of::<T>() > crate::memory::ALIGNED_ANYWAY);
room!(VecDeque, push_back, moves: true);

/// Lets a list of `length` items grow by `more` or, if there is memory for it, to twice its length. With `moves` it is
/// copied, so that for a while it is there twice.
#[cold]
#[inline(never)]
fn grow<T>(
    length: usize,
    more: usize,
    moves: bool,
    what: &'static str,
    mut reserve: impl FnMut(usize) -> bool,
) {
    const FIRST: usize = 4;
    let fits = |more: usize| !moves || is_free(length.saturating_add(more).saturating_mul(size_of::<T>()));
    let twice = length.max(FIRST.saturating_sub(length));
    let grown = [twice, length / LITTLE].map(|by| by.max(more));
    if !grown.into_iter().any(|more| fits(more) && reserve(more)) {
        refuse(what, length.saturating_add(more).saturating_mul(size_of::<T>()));
    }
}

/// Ends the run of this thread unless `items` of a type fit into memory, for what cannot be asked for one by one.
pub(crate) fn ask<T>(items: usize, what: &'static str) {
    if !fits::<T>(items) {
        refuse(what, items.saturating_mul(size_of::<T>()));
    }
}

/// Tells if so many items of a type fit into memory now.
pub(crate) fn fits<T>(items: usize) -> bool {
    let bytes = items.saturating_mul(size_of::<T>());
    bytes < LARGE_BYTES || (is_free(bytes) && Vec::<T>::new().try_reserve_exact(items).is_ok())
}

/// Ends the run of this thread unless there is memory for a stable sort of a list, which needs half of it once more.
pub(crate) fn to_sort<T>(list: &[T], what: &'static str) {
    ask::<T>(list.len().div_ceil(2).max(list.len().min(SORTED_BYTES / size_of::<T>())), what);
}

/// Items that are all alike, if there is memory for them; else the run of this thread ends.
pub(crate) fn filled<T: Clone>(item: T, items: usize, what: &'static str) -> Vec<T> {
    ask::<T>(items, what);
    vec![item; items]
}

/// An empty list with room for so many items, if there is memory for them; else the run of this thread ends.
pub(crate) fn with_room<T>(items: usize, what: &'static str) -> Vec<T> {
    let mut list = Vec::new();
    if list.try_reserve_exact(items).is_err() {
        refuse(what, items.saturating_mul(size_of::<T>()));
    }
    list
}

/// Tells if so many bytes can be written to, as far as the system tells.
fn is_free(bytes: usize) -> bool {
    bytes < LARGE_BYTES || Memory::now().is_none_or(|memory| memory.holds(bytes as u64))
}

#[cold]
fn refuse(what: &'static str, bytes: usize) -> ! {
    let need = Need::List { items: what, bytes: bytes as u64 };
    RunError::from(LowMemory { at: Pulse::own().simulated(), need, memory: Memory::now() }).end_run()
}

/// A size as messages give it.
pub(crate) fn gib(bytes: u64) -> String {
    let gib = bytes as f64 / f64::from(1 << 30);
    if gib < 1.0 {
        format!("{:.0} MiB", 1024.0 * gib)
    } else {
        format!("{gib:.1} GiB")
    }
}
