//! Memory of a computer with an operating system: what Linux tells in /proc and in control groups.

use std::fs;
use std::io::Read as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::Memory;

/// In which /proc counts an address space.
const PAGE_BYTES: u64 = 4096;

/// Time between looks at memory, each of which takes some ten microseconds.
const MEMORY_EVERY: Duration = Duration::from_millis(20);

/// Tells once in a while, whichever thread asks, that memory should be looked at.
pub fn is_due() -> bool {
    static STARTED: OnceLock<Instant> = OnceLock::new();
    static LAST_MS: AtomicU64 = AtomicU64::new(0);
    let now = STARTED.get_or_init(Instant::now).elapsed().as_millis() as u64 + 1;
    let last = LAST_MS.load(Relaxed);
    let due = last == 0 || now >= last + MEMORY_EVERY.as_millis() as u64;
    due && LAST_MS.compare_exchange(last, now, Relaxed, Relaxed).is_ok()
}

/// Memory of the machine, of the control group and of this process's address space, whichever has least left. `None`
/// where the system does not tell.
pub fn memory() -> Option<Memory> {
    let machine = Read::file("/proc/meminfo").text().and_then(of_machine)?;
    let limits = [of_group(), of_address_space()];
    Some(limits.into_iter().flatten().fold(machine, Memory::lesser))
}

fn of_machine(meminfo: &str) -> Option<Memory> {
    let kib = |name: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        first_number(line.trim_start_matches(':'))
    };
    Some(Memory { total: kib("MemTotal")? << 10, available: kib("MemAvailable")? << 10 })
}

/// Memory of the control group, second version, if it has a limit.
fn of_group() -> Option<Memory> {
    let total = Read::file("/sys/fs/cgroup/memory.max").text().and_then(first_number)?;
    let used = Read::file("/sys/fs/cgroup/memory.current").text().and_then(first_number)?;
    Some(Memory { total, available: total.saturating_sub(used) })
}

/// The address space, if it is limited.
fn of_address_space() -> Option<Memory> {
    let limits = Read::file("/proc/self/limits");
    let line = limits.text()?.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let total = first_number(line)?;
    let used = Read::file("/proc/self/statm").text().and_then(first_number)? * PAGE_BYTES;
    Some(Memory { total, available: total.saturating_sub(used) })
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

    #[test]
    fn what_is_left_is_read() {
        let text = "MemTotal:       24576000 kB\nMemFree:  1 kB\nMemAvailable:   12288000 kB\n";
        let memory = of_machine(text).expect("a memory");
        assert_eq!(memory, Memory { total: 24_576_000 << 10, available: 12_288_000 << 10 });
        assert_eq!(of_machine("MemTotal: 3 kB"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory() {
        let memory = super::memory().expect("Linux tells");
        assert!(memory.available > 0 && memory.available <= memory.total);
    }
}
