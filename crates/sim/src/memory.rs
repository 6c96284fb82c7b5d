//! Hints to the machine about the memory of very many flows: addresses that will be needed soon, and places
//! where large pages pay.
//!
//! With a hundred thousand flows their state lies far beyond the caches, and without these hints an event
//! waits for memory five times as long as it works (docs/performance.md has the figures). They change no
//! result.

// Hints to the processor and to the kernel cannot be given without, nor can an allocator be made of another one.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::Range;

const LINE_BYTES: usize = 64;
#[cfg(target_os = "linux")]
const PAGE_BYTES: usize = 4096;

/// Largest alignment that the system's allocator gives to any block, and keeps by moving pages when a block
/// grows.
pub(crate) const ALIGNED_ANYWAY: usize = 16;

/// So much may fill a large page together with what lies beside it.
const LARGE_BYTES: usize = 1 << 20;

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

/// The system's allocator, whose large pieces lie in large pages where the system has them.
///
/// The engine needs no other allocator than any program's, but is faster with this one, which a program declares as its
/// `#[global_allocator]`. Nothing is said of pieces that are asked for as zeros: much of them may never be touched.
#[derive(Clone, Copy, Debug, Default)]
pub struct LargePages;

// SAFETY: all is done by the system's allocator; the advice changes nothing that is in memory.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that it asks for; here and below.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if bytes >= LARGE_BYTES && layout.align() > ALIGNED_ANYWAY {
            // SAFETY: see above.
            return unsafe { self.moved(start, layout, bytes) };
        }
        // SAFETY: see above.
        advised(unsafe { System.realloc(start, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: see above.
        unsafe { System.dealloc(start, layout) }
    }
}

impl LargePages {
    /// Reallocates as the system does where it cannot move pages, but the advice comes before the copy: pages that
    /// are there stay small.
    #[cold]
    unsafe fn moved(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises that the new size fits the alignment, and that `start` has the layout. The pieces
        // are two.
        unsafe {
            let to = self.alloc(Layout::from_size_align_unchecked(bytes, layout.align()));
            if !to.is_null() {
                std::ptr::copy_nonoverlapping(start, to, layout.size().min(bytes));
                self.dealloc(start, layout);
            }
            to
        }
    }
}

#[inline]
fn advised(start: *mut u8, bytes: usize) -> *mut u8 {
    if bytes >= LARGE_BYTES && !start.is_null() {
        use_large_pages(start, bytes);
    }
    start
}

#[cold]
#[cfg(target_os = "linux")]
fn use_large_pages(start: *mut u8, bytes: usize) {
    // From the start of a page on; what else lies there may as well be in a large one.
    let before = start.addr() % PAGE_BYTES;
    // SAFETY: should the kernel not follow the advice, nothing is lost.
    unsafe {
        libc::madvise(start.wrapping_sub(before).cast(), before + bytes, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn use_large_pages(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_changes_nothing() {
        let numbers: Vec<u64> = (0..1000).collect();
        prefetch(&numbers[100]);
        assert!(numbers.into_iter().eq(0..1000));
    }

    fn layout(bytes: usize) -> Layout {
        aligned(bytes, 8)
    }

    fn aligned(bytes: usize, align: usize) -> Layout {
        Layout::from_size_align(bytes, align).expect("a layout")
    }

    #[test]
    fn what_grows_and_shrinks_keeps_what_it_has() {
        const SIZES: [usize; 6] = [100, LARGE_BYTES, 7 * LARGE_BYTES, 2 * LARGE_BYTES, LARGE_BYTES - 1, 8];
        for align in [1, 8, 16, 32, 4096] {
            // SAFETY: what is written and read lies within the piece, which is of the layout that is named.
            unsafe {
                let (mut start, mut bytes) = (LargePages.alloc(aligned(8, align)), 8);
                (0..8).for_each(|byte| start.add(byte).write(byte as u8));
                for size in SIZES {
                    start = LargePages.realloc(start, aligned(bytes, align), size);
                    bytes = size;
                    assert!(
                        start.addr() % align == 0 && (0..8).all(|byte| start.add(byte).read() == byte as u8)
                    );
                    start.add(bytes - 1).write(7);
                }
                LargePages.dealloc(start, aligned(bytes, align));
            }
        }
    }

    #[test]
    fn zeros_are_zeros() {
        // SAFETY: as above.
        unsafe {
            let start = LargePages.alloc_zeroed(layout(LARGE_BYTES));
            assert!((0..LARGE_BYTES).all(|byte| start.add(byte).read() == 0));
            LargePages.dealloc(start, layout(LARGE_BYTES));
        }
    }

    /// Returns whether the kernel has an advice for the mapping that holds an address.
    #[cfg(target_os = "linux")]
    fn is_advised(address: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells");
        let mut within = false;
        for line in maps.lines() {
            let first = line.split(' ').next().expect("a word");
            if let Some((low, high)) = first.split_once('-') {
                let number = |text| usize::from_str_radix(text, 16).expect("an address");
                within = (number(low)..number(high)).contains(&address);
            } else if within && first == "VmFlags:" {
                return line.split(' ').any(|flag| flag == "hg");
            }
        }
        unreachable!("the address is somewhere");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_kernel_knows_what_is_large() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            return; // It has no such pages.
        }
        const BYTES: usize = 64 << 20;
        // SAFETY: as above.
        unsafe {
            let (start, zeros) = (LargePages.alloc(layout(BYTES)), LargePages.alloc_zeroed(layout(BYTES)));
            assert!(is_advised(start.add(BYTES / 2).addr()) && !is_advised(zeros.add(BYTES / 2).addr()));
            LargePages.dealloc(start, layout(BYTES));
            LargePages.dealloc(zeros, layout(BYTES));
            for align in [8, 32] {
                let small = LargePages.alloc(aligned(100, align));
                let grown = LargePages.realloc(small, aligned(100, align), BYTES);
                assert!(is_advised(grown.add(BYTES / 2).addr()), "aligned to {align}");
                LargePages.dealloc(grown, aligned(BYTES, align));
            }
        }
    }
}
