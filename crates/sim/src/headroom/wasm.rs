//! Memory of a WebAssembly module: addresses have 32 bits. There is no clock, and none is needed to look at it.

use super::Memory;

const PAGE_BYTES: u64 = 1 << 16;

/// All that can be addressed, less what a host keeps for itself.
const TOTAL_BYTES: u64 = 4 << 30;

/// Tells that memory should be looked at, which takes an instruction.
pub fn is_due() -> bool {
    true
}

/// Memory that the module can still grow by. Pieces that were given back lie within what it has, and are not counted.
pub fn memory() -> Option<Memory> {
    let used = core::arch::wasm32::memory_size(0) as u64 * PAGE_BYTES;
    Some(Memory { total: TOTAL_BYTES, available: TOTAL_BYTES.saturating_sub(used) })
}
