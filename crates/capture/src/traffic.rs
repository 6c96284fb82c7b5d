//! Packets and bytes of a capture in equal intervals, in bounded memory: where a capture is too long for the interval, the
//! interval doubles.

/// Intervals at most.
const MOST: usize = 1 << 17;

/// Length of the intervals at first, in nanoseconds.
const FINEST: i64 = 1_000_000;

/// Counts in equal intervals.
#[derive(Clone, Debug)]
pub struct Traffic {
    start: i64,
    interval: i64,
    counts: Vec<Count>,
}

/// Packets and bytes of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Bytes of IP packets.
    pub bytes: u64,
}

impl Default for Traffic {
    fn default() -> Self {
        Self { start: 0, interval: FINEST, counts: Vec::new() }
    }
}

impl Traffic {
    /// Takes in a packet. One from before the first counts in the first interval.
    pub fn add(&mut self, time: i64, bytes: u32) {
        if self.counts.is_empty() {
            self.start = time;
        }
        let since = time.saturating_sub(self.start).max(0);
        while since / self.interval >= MOST as i64 {
            self.double();
        }
        let at = (since / self.interval) as usize;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, Count::default());
        }
        self.counts[at].packets += 1;
        self.counts[at].bytes += u64::from(bytes);
    }

    fn double(&mut self) {
        self.interval *= 2;
        let pairs = self.counts.chunks(2).map(|pair| Count {
            packets: pair.iter().map(|count| count.packets).sum(),
            bytes: pair.iter().map(|count| count.bytes).sum(),
        });
        self.counts = pairs.collect();
    }

    /// When the first interval begins, in nanoseconds since 1970.
    pub fn start(&self) -> i64 {
        self.start
    }

    /// Length of an interval, in nanoseconds.
    pub fn interval(&self) -> i64 {
        self.interval
    }

    /// Counts, an interval each.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::{Traffic, FINEST, MOST};

    #[test]
    fn intervals_double_and_nothing_is_lost() {
        let mut traffic = Traffic::default();
        for second in 0..1000_i64 {
            traffic.add(second * 1_000_000_000, 100);
        }
        assert_eq!(traffic.interval(), 8 * FINEST);
        assert!(traffic.counts().len() <= MOST);
        assert_eq!(traffic.counts().iter().map(|count| count.bytes).sum::<u64>(), 100_000);
        assert_eq!(traffic.counts()[125].packets, 1);
    }

    #[test]
    fn a_clock_that_jumps_ends() {
        let mut traffic = Traffic::default();
        for time in [i64::MIN / 2, i64::MAX, 0] {
            traffic.add(time, 1);
        }
        assert_eq!(traffic.counts().iter().map(|count| count.packets).sum::<u64>(), 3);
    }
}
