//! A fixed number of flows, found by their keys in constant time.
//!
//! Each key has eight places, whose hashes share a cache line. A flow that finds all of them taken by flows that were
//! heard of lately is not watched. When that happens too often, only flows whose hash falls below a limit are let in:
//! the flows in the table are then a random sample of flows, each with all of its packets.

use alloc::boxed::Box;
use alloc::vec;

use super::evidence::Evidence;

/// Places for one key.
const WAYS: usize = 8;

/// The hashes of the flows in them; 0 for nobody.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([u64; WAYS]);

/// A flow that was silent for so long gives its place to another that asks for it, in seconds.
const SILENCE_S: f64 = 5.0;

/// At most `2^-MOST_HALVINGS` of the flows are let in.
const MOST_HALVINGS: u32 = 30;

/// A flow is judged anew in an interval in which it has sent so many packets since it last was, or met a signal.
pub(super) const JUDGED_AFTER: u32 = 16;

/// A watched flow.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Watched {
    /// Its key.
    pub key: u64,
    /// Its evidence.
    pub evidence: Evidence,
    /// The interval that the rest is about.
    pub interval: u64,
    /// Packets in it.
    pub packets: u32,
    /// Packets since the flow was judged, a signal for [`JUDGED_AFTER`] of them.
    pub since: u32,
    /// Probability that the flow does not respond, as known at its first packet in the interval.
    pub deaf: f32,
    /// True if that makes a label.
    pub labelled: bool,
}

// What `Settings::flows` says of memory.
const _: () = assert!(core::mem::size_of::<Watched>() <= 512);

/// Flows by hash.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Table {
    seed: u64,
    #[cfg_attr(feature = "serde", serde(with = "taken"))]
    places: Places,
    /// Number of times that the share of admitted flows was halved.
    halvings: u32,
}

/// Room for flows: a power of two of buckets, and the flows whose hashes they hold, in the same order.
#[derive(Clone, Debug)]
struct Places {
    buckets: Box<[Bucket]>,
    flows: Box<[Watched]>,
}

impl Places {
    fn new(buckets: usize) -> Self {
        let empty = vec![Bucket::default(); buckets];
        Places { buckets: empty.into(), flows: vec![Watched::default(); buckets * WAYS].into() }
    }

    /// A new flow takes a place in this bucket that is free, or that of the flow which has been silent for longest.
    #[cold]
    fn enter(&mut self, at: usize, hash: u64, key: u64, now_s: f64) -> Option<usize> {
        let flows = &mut self.flows[at * WAYS..][..WAYS];
        let hashes = &mut self.buckets[at].0;
        let way = hashes.iter().position(|&other| other == 0).or_else(|| {
            let last_s = |way: &usize| flows[*way].evidence.last_s();
            let oldest = (0..WAYS).min_by(|a, b| last_s(a).total_cmp(&last_s(b)))?;
            (now_s - last_s(&oldest) >= SILENCE_S).then_some(oldest)
        })?;
        hashes[way] = hash;
        flows[way] =
            Watched { key, evidence: Evidence::new(now_s), since: JUDGED_AFTER, ..Watched::default() };
        Some(way)
    }
}

/// A table is mostly empty: only its size and the places that are taken are written.
#[cfg(feature = "serde")]
mod taken {
    use alloc::vec::Vec;

    use serde::{de::Error, Deserialize, Deserializer, Serialize, Serializer};

    use super::{Places, Watched, WAYS};

    /// The most that a file may ask for, in buckets.
    const MOST: usize = 1 << 29;

    pub fn serialize<S: Serializer>(places: &Places, serializer: S) -> Result<S::Ok, S::Error> {
        let hashes = places.buckets.iter().flat_map(|bucket| bucket.0);
        let taken: Vec<(usize, u64, &Watched)> = hashes
            .zip(&places.flows)
            .enumerate()
            .filter(|(_, (hash, _))| *hash != 0)
            .map(|(place, (hash, flow))| (place, hash, flow))
            .collect();
        (places.buckets.len(), taken).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Places, D::Error> {
        let (buckets, taken) = <(usize, Vec<(usize, u64, Watched)>)>::deserialize(deserializer)?;
        if !buckets.is_power_of_two() || buckets > MOST {
            return Err(D::Error::custom("a table of a power of two of buckets"));
        }
        let mut places = Places::new(buckets);
        for (place, hash, flow) in taken {
            *places.flows.get_mut(place).ok_or_else(|| D::Error::custom("a place in the table"))? = flow;
            places.buckets[place / WAYS].0[place % WAYS] = hash;
        }
        Ok(places)
    }
}

/// Result of a look into the table.
pub(super) enum Found<'a> {
    /// The flow, which may be new.
    Watched(&'a mut Watched),
    /// It would be let in, but all of its places are taken.
    Crowded,
    /// It is not in the sample.
    LeftOut,
}

impl Table {
    /// Room for `flows` flows, rounded up to a power of two, 8 at least. Equal seeds make equal hashes.
    pub fn new(flows: u32, seed: u64) -> Self {
        let buckets = (flows as usize).div_ceil(WAYS).next_power_of_two();
        Table { seed, places: Places::new(buckets), halvings: 0 }
    }

    /// Number of flows that it can hold.
    pub fn capacity(&self) -> usize {
        self.places.flows.len()
    }

    /// The flow with this key, at `now_s`.
    #[inline]
    pub fn find(&mut self, key: u64, now_s: f64) -> Found<'_> {
        // An odd hash is never that of nobody; the bit is not used for anything else.
        let hash = mixed(key ^ self.seed) | 1;
        if !is_let_in(hash, self.halvings) {
            return Found::LeftOut;
        }
        let at = (hash >> 1) as usize & (self.places.buckets.len() - 1);
        let found = self.places.buckets[at].0.iter().position(|&other| other == hash);
        match found.or_else(|| self.places.enter(at, hash, key, now_s)) {
            Some(way) => Found::Watched(&mut self.places.flows[at * WAYS + way]),
            None => Found::Crowded,
        }
    }

    /// Flows that have a place.
    pub fn taken(&self) -> impl Iterator<Item = &Watched> {
        let hashes = self.places.buckets.iter().flat_map(|bucket| &bucket.0);
        hashes.zip(&self.places.flows).filter(|(hash, _)| **hash != 0).map(|(_, flow)| flow)
    }

    /// Share of flows that are let in.
    pub fn admitted(&self) -> f64 {
        libm::exp2(-f64::from(self.halvings))
    }

    /// Lets half as many flows in. The others give up their places.
    pub fn narrow(&mut self) {
        self.halvings = (self.halvings + 1).min(MOST_HALVINGS);
        for hash in self.places.buckets.iter_mut().flat_map(|bucket| &mut bucket.0) {
            if !is_let_in(*hash, self.halvings) {
                *hash = 0;
            }
        }
    }

    /// Lets twice as many flows in.
    pub fn widen(&mut self) {
        self.halvings = self.halvings.saturating_sub(1);
    }
}

/// Returns whether a flow is in the sample that is left after `halvings` halvings.
#[inline]
fn is_let_in(hash: u64, halvings: u32) -> bool {
    halvings == 0 || hash >> (64 - halvings) == 0
}

/// A bijection of 64 bits without visible structure (the finaliser of SplitMix64).
#[inline]
fn mixed(key: u64) -> u64 {
    let mut x = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(table: &mut Table, key: u64, now_s: f64) -> bool {
        matches!(table.find(key, now_s), Found::Watched(_))
    }

    #[test]
    fn a_flow_is_found_again() {
        let mut table = Table::new(4096, 1);
        for key in 0..200 {
            match table.find(key, 1.0) {
                Found::Watched(flow) => flow.packets = key as u32,
                _ => panic!("there is room for {key}"),
            }
        }
        for key in 0..200 {
            match table.find(key, 1.0) {
                Found::Watched(flow) => assert_eq!(flow.packets, key as u32),
                _ => panic!("{key} was lost"),
            }
        }
    }

    #[test]
    fn a_full_table_takes_no_more_until_somebody_falls_silent() {
        let mut table = Table::new(8, 1);
        let in_table = |table: &mut Table, now| (0..100).filter(|&key| watched(table, key, now)).count();
        assert_eq!(in_table(&mut table, 0.0), 8);
        assert_eq!(in_table(&mut table, SILENCE_S - 0.1), 8);
        assert!(watched(&mut table, 1000, SILENCE_S + 0.1));
    }

    #[test]
    fn a_table_that_is_two_thirds_full_turns_few_away() {
        let mut table = Table::new(4096, 1);
        let n = 2731;
        let found = (0..n).filter(|&key| watched(&mut table, key, 0.0)).count() as f64;
        assert!(found > 0.95 * n as f64, "{found}");
    }

    #[test]
    fn who_is_left_out_gives_up_his_place() {
        let mut table = Table::new(8, 1);
        let all: Vec<u64> = (0..100).filter(|&key| watched(&mut table, key, 0.0)).collect();
        assert_eq!(all.len(), 8);
        table.narrow();
        let left: Vec<u64> = all.iter().copied().filter(|&key| watched(&mut table, key, 0.0)).collect();
        assert!(left.len() < 8);
        // There is room for others of the sample at once.
        assert_eq!((100..200).filter(|&key| watched(&mut table, key, 0.0)).count(), 8 - left.len());
    }

    #[test]
    fn the_sample_is_a_share_of_the_flows() {
        let mut table = Table::new(1 << 16, 7);
        table.narrow();
        table.narrow();
        let n = 20_000;
        let admitted = (0..n).filter(|&key| !matches!(table.find(key, 0.0), Found::LeftOut)).count() as f64;
        assert_eq!(table.admitted(), 0.25);
        // Four standard deviations of a binomial.
        assert!((admitted / n as f64 - 0.25).abs() < 4.0 * (0.25 * 0.75 / n as f64).sqrt());
        table.widen();
        assert_eq!(table.admitted(), 0.5);
    }
}
