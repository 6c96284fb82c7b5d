//! Memory that is left on this computer, so that a run which needs more ends with a message and not by being killed.

#[cfg(not(target_family = "wasm"))]
mod system;
#[cfg(target_family = "wasm")]
#[path = "headroom/wasm.rs"]
mod system;

use std::fmt;

use crate::room::gib;

/// Memory kept free: 1/16 of it, at most 1 GiB.
const MOST_SPARED: u64 = 1 << 30;
const SPARED_PART: u64 = 16;

/// Why what grows cannot go on, if it cannot: what is free does not hold what it needs to finish, and something to spare.
/// Looks once in a while only, whichever thread asks.
// How often it looks depends on the clock. `make bench-gate` leaves it out of its counts by this name.
#[cold]
#[inline(never)]
pub fn shortage(to_finish: impl FnOnce() -> u64) -> Option<Shortage> {
    if !system::is_due() {
        return None;
    }
    let memory = Memory::now()?;
    memory.shortage(to_finish())
}

/// The memory of this computer as far as this process may use it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// In all.
    pub total: u64,
    /// Not in use, or to be had back from what is only cached.
    pub available: u64,
}

impl Memory {
    /// As it is now. `None` where the system does not tell.
    pub fn now() -> Option<Self> {
        system::memory()
    }

    #[cfg(not(target_family = "wasm"))]
    fn lesser(self, other: Memory) -> Memory {
        Memory { total: self.total.min(other.total), available: self.available.min(other.available) }
    }

    /// Tells if so many bytes can be used, and what is spared stays free.
    pub(crate) fn holds(self, bytes: u64) -> bool {
        let spared = (self.total / SPARED_PART).min(MOST_SPARED);
        self.available >= bytes.saturating_add(spared)
    }

    fn shortage(self, to_finish: u64) -> Option<Shortage> {
        (!self.holds(to_finish)).then_some(Shortage { memory: self, to_finish })
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} are left", gib(self.available), gib(self.total))
    }
}

/// Less memory than it takes to finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The memory there is.
    pub memory: Memory,
    /// Bytes that it still takes.
    pub to_finish: u64,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory runs low: {} and {} more are taken to finish", self.memory, gib(self.to_finish))
    }
}

/// Tells if so many bytes fit into memory now, as far as the system tells.
pub fn fits(bytes: usize) -> bool {
    crate::room::fits::<u8>(bytes)
}

/// The message that `what` does not fit into memory, and how much there is.
pub fn too_large(what: &str, bytes: usize) -> String {
    too_large_for(what, bytes as u64, Memory::now())
}

/// Writes the message where the memory is known.
pub(crate) fn too_large_for(what: &str, bytes: u64, memory: Option<Memory>) -> String {
    let left = memory.map_or(String::new(), |memory| format!(", and {memory}"));
    format!("memory runs low: {what} need {}{left}", gib(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn a_run_ends_before_the_memory_does() {
        let memory = Memory { total: 24 * GIB, available: 5 * GIB };
        assert_eq!(memory.shortage(3 * GIB), None);
        let reason = memory.shortage(5 * GIB).expect("too little").to_string();
        assert!(reason.starts_with("memory runs low: 5.0 GiB of 24.0 GiB are left"), "{reason}");
        let small = Memory { total: GIB, available: GIB / 8 };
        assert!(small.shortage(0).is_none() && small.shortage(GIB / 10).is_some());
    }
}
