//! What the engine tells the machine about its memory: what it will need soon, and where large pages pay.
//!
//! With a hundred thousand flows their state lies far beyond the caches, and without these hints an event waits
//! for memory five times as long as it works (docs/performance.md has the figures). They change no result.

// Hints to the processor and to the kernel cannot be given without; neither reads or writes through the pointers.
#![allow(unsafe_code)]

use std::ops::Range;

const LINE_BYTES: usize = 64;
const LARGE_PAGE_BYTES: usize = 2 << 20;

/// Starts to fetch all cache lines of a value.
#[inline]
pub fn prefetch<T>(value: &T) {
    prefetch_part(value, 0..std::mem::size_of::<T>());
}

/// Starts to fetch the cache lines of these bytes of a value.
#[inline]
pub fn prefetch_part<T>(value: &T, bytes: Range<usize>) {
    let start = std::ptr::from_ref(value).cast::<i8>();
    for offset in bytes.clone().step_by(LINE_BYTES) {
        prefetch_line(start.wrapping_add(offset));
    }
    // A part of what is in whole lines is so too; a small value of its own alignment is in one.
    let may_straddle = bytes.len() > align_of::<T>() && align_of::<T>() < LINE_BYTES;
    if may_straddle {
        prefetch_line(start.wrapping_add(bytes.end - 1));
    }
}

#[inline]
fn prefetch_line(address: *const i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint, whatever the address.
    unsafe {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch::<_MM_HINT_T0>(address);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// An empty vector with room for `count` values, in large pages where the system has them.
pub fn large<T>(count: usize) -> Vec<T> {
    let vector: Vec<T> = Vec::with_capacity(count);
    let bytes = count * std::mem::size_of::<T>();
    if bytes >= 2 * LARGE_PAGE_BYTES {
        use_large_pages(vector.as_ptr().cast(), bytes);
    }
    vector
}

/// Appends a value; a vector that has to grow does so into large pages where the system has them.
#[inline]
pub fn push_large<T>(vector: &mut Vec<T>, value: T) {
    if vector.len() == vector.capacity() {
        double(vector);
    }
    vector.push(value);
}

#[cold]
fn double<T>(vector: &mut Vec<T>) {
    // The kernel moves pages rather than what is in them.
    vector.reserve_exact(vector.capacity().max(8));
    let bytes = vector.capacity() * std::mem::size_of::<T>();
    if bytes >= 2 * LARGE_PAGE_BYTES {
        use_large_pages(vector.as_ptr().cast(), bytes);
    }
}

#[cfg(target_os = "linux")]
fn use_large_pages(start: *const u8, bytes: usize) {
    let skipped = start.align_offset(LARGE_PAGE_BYTES);
    let Some(within) = bytes.checked_sub(skipped) else {
        return;
    };
    let whole = within - within % LARGE_PAGE_BYTES;
    // SAFETY: the range lies within one allocation of ours, and the advice does not change what is in it. Should
    // the kernel not follow it, nothing is lost.
    unsafe {
        libc::madvise(start.wrapping_add(skipped).cast_mut().cast(), whole, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn use_large_pages(_: *const u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_change_nothing() {
        let mut numbers = large::<u64>(1 << 20);
        numbers.extend(0..1 << 20);
        prefetch(&numbers[1000]);
        assert!(numbers.iter().copied().eq(0..1 << 20));
        assert_eq!(numbers.capacity(), 1 << 20);
    }

    #[test]
    fn what_grows_keeps_what_it_has() {
        let mut numbers = Vec::new();
        (0..1 << 20).for_each(|number: u64| push_large(&mut numbers, number));
        assert!(numbers.into_iter().eq(0..1 << 20));
    }
}
