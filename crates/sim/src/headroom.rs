//! Memory that is left on this computer, so that a run which needs more ends with a message and not by being killed.

use std::fs;
use std::io::Read as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::room::gib;

/// What of the memory stays free: a sixteenth, and at most this.
const MOST_SPARED: u64 = 1 << 30;
const SPARED_PART: u64 = 16;

/// In which /proc counts an address space.
const PAGE_BYTES: u64 = 4096;

/// Why what grows cannot go on, if it cannot: what is free does not hold what it needs to finish, and something to spare.
/// Looks once in a while only, whichever thread asks.
pub fn shortage(to_finish: impl FnOnce() -> u64) -> Option<String> {
    if !is_due() {
        return None;
    }
    let memory = Memory::now()?;
    memory.shortage(to_finish())
}

/// How often memory is looked at, which takes some ten microseconds.
const MEMORY_EVERY: Duration = Duration::from_millis(20);

fn is_due() -> bool {
    static STARTED: OnceLock<Instant> = OnceLock::new();
    static LAST_MS: AtomicU64 = AtomicU64::new(0);
    let now = STARTED.get_or_init(Instant::now).elapsed().as_millis() as u64 + 1;
    let last = LAST_MS.load(Relaxed);
    let due = last == 0 || now >= last + MEMORY_EVERY.as_millis() as u64;
    due && LAST_MS.compare_exchange(last, now, Relaxed, Relaxed).is_ok()
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
    /// As it is now: of the machine, of the control group, and of this process's address space, what is least. `None`
    /// where the system does not tell.
    pub fn now() -> Option<Self> {
        let machine = Read::file("/proc/meminfo").text().and_then(Memory::of_machine)?;
        let limits = [Memory::of_group(), Memory::of_address_space()];
        Some(limits.into_iter().flatten().fold(machine, Memory::lesser))
    }

    fn lesser(self, other: Memory) -> Memory {
        Memory { total: self.total.min(other.total), available: self.available.min(other.available) }
    }

    fn of_machine(meminfo: &str) -> Option<Self> {
        let kib = |name: &str| {
            let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
            first_number(line.trim_start_matches(':'))
        };
        Some(Memory { total: kib("MemTotal")? << 10, available: kib("MemAvailable")? << 10 })
    }

    /// Of the control group, second version, if it has a limit.
    fn of_group() -> Option<Self> {
        let total = Read::file("/sys/fs/cgroup/memory.max").text().and_then(first_number)?;
        let used = Read::file("/sys/fs/cgroup/memory.current").text().and_then(first_number)?;
        Some(Memory { total, available: total.saturating_sub(used) })
    }

    /// Of the address space, if that is limited.
    fn of_address_space() -> Option<Self> {
        let limits = Read::file("/proc/self/limits");
        let line = limits.text()?.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let total = first_number(line)?;
        let used = Read::file("/proc/self/statm").text().and_then(first_number)? * PAGE_BYTES;
        Some(Memory { total, available: total.saturating_sub(used) })
    }

    /// Tells if so many bytes can be used, and what is spared stays free.
    pub(crate) fn holds(self, bytes: u64) -> bool {
        let spared = (self.total / SPARED_PART).min(MOST_SPARED);
        self.available >= bytes.saturating_add(spared)
    }

    fn shortage(self, to_finish: u64) -> Option<String> {
        if self.holds(to_finish) {
            return None;
        }
        Some(format!(
            "memory runs low: {} of {} are left and {} more are taken to finish",
            gib(self.available),
            gib(self.total),
            gib(to_finish)
        ))
    }
}

/// Tells if so many bytes fit into memory now, as far as the system tells.
pub fn fits(bytes: usize) -> bool {
    crate::room::fits::<u8>(bytes)
}

/// The message that `what` does not fit into memory, and how much there is.
pub fn too_large(what: &str, bytes: usize) -> String {
    let left = Memory::now().map_or(String::new(), |memory| {
        format!(", and {} of {} are left", gib(memory.available), gib(memory.total))
    });
    format!("memory runs low: {what} need {}{left}", gib(bytes as u64))
}

/// The number that a text begins with.
fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// The beginning of a file, on the stack: runs that look at their memory allocate none for it.
struct Read {
    bytes: [u8; 2048],
    filled: usize,
}

impl Read {
    /// Nothing of a file that cannot be read.
    fn file(path: &str) -> Self {
        let mut read = Read { bytes: [0; 2048], filled: 0 };
        let opened = fs::File::open(path).and_then(|mut file| file.read(&mut read.bytes));
        read.filled = opened.unwrap_or(0);
        read
    }

    fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes[..self.filled]).ok().filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn what_is_left_is_read() {
        let text = "MemTotal:       24576000 kB\nMemFree:  1 kB\nMemAvailable:   12288000 kB\n";
        let memory = Memory::of_machine(text).expect("a memory");
        assert_eq!(memory, Memory { total: 24_576_000 << 10, available: 12_288_000 << 10 });
        assert_eq!(Memory::of_machine("MemTotal: 3 kB"), None);
    }

    #[test]
    fn a_run_ends_before_the_memory_does() {
        let memory = Memory { total: 24 * GIB, available: 5 * GIB };
        assert_eq!(memory.shortage(3 * GIB), None);
        let reason = memory.shortage(5 * GIB).expect("too little");
        assert!(reason.starts_with("memory runs low: 5.0 GiB of 24.0 GiB are left"), "{reason}");
        let small = Memory { total: GIB, available: GIB / 8 };
        assert!(small.shortage(0).is_none() && small.shortage(GIB / 10).is_some());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory() {
        let memory = Memory::now().expect("Linux tells");
        assert!(memory.available > 0 && memory.available <= memory.total);
    }
}
