//! Lateness of datagrams.

use std::time::Duration;

/// Bins in each doubling of a lateness: a quantile is right to 3 %.
const BINS: usize = 32;
/// From 1 ns to 4 s.
const DOUBLINGS: usize = 32;

/// The distribution of times from the instant at which a datagram should have left to that at which it did.
#[derive(Clone, Debug)]
pub struct Lateness {
    counts: Vec<u64>,
    datagrams: u64,
    most: Duration,
}

impl Default for Lateness {
    fn default() -> Self {
        Lateness { counts: vec![0; BINS * DOUBLINGS], datagrams: 0, most: Duration::ZERO }
    }
}

impl Lateness {
    /// Counts a datagram.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn add(&mut self, late: Duration) {
        let ns = late.as_nanos().max(1) as f64;
        let bin = (libm::log2(ns) * BINS as f64) as usize;
        self.counts[bin.min(BINS * DOUBLINGS - 1)] += 1;
        self.datagrams += 1;
        self.most = self.most.max(late);
    }

    /// Number of datagrams.
    pub fn datagrams(&self) -> u64 {
        self.datagrams
    }

    /// The greatest lateness; 0 without a datagram.
    pub fn most(&self) -> Duration {
        self.most
    }

    /// The lateness that this share of all datagrams, from 0 to 1, did not exceed, to 3 %; none without a datagram.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let wanted = ((share * self.datagrams as f64).ceil() as u64).max(1);
        let mut sum = 0;
        let bin = self.counts.iter().position(|&count| {
            sum += count;
            sum >= wanted
        })?;
        let ns = libm::exp2((bin + 1) as f64 / BINS as f64);
        Some(Duration::from_nanos(ns as u64).min(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_times_to_three_percent() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.quantile(0.5), None);
        (1..=1000).for_each(|us| lateness.add(Duration::from_micros(us)));
        for (share, us) in [(0.0, 1.0), (0.5, 500.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = lateness.quantile(share).expect("datagrams").as_secs_f64() * 1e6;
            assert!((us * 0.999..=us * 1.03).contains(&found), "{share}: {found} us");
        }
        assert_eq!((lateness.datagrams(), lateness.most()), (1000, Duration::from_millis(1)));
    }

    #[test]
    fn the_longest_and_the_shortest_have_a_bin() {
        let mut lateness = Lateness::default();
        lateness.add(Duration::from_secs(100));
        lateness.add(Duration::ZERO);
        assert_eq!(lateness.quantile(0.5), Some(Duration::from_nanos(1)));
        assert_eq!(lateness.datagrams(), 2);
    }
}
