//! A fixed number of flows, found by their keys in constant time.
//!
//! Each key has two places. A flow that finds both taken by flows that were heard of lately is not watched. When
//! that happens too often, only flows whose hash falls below a limit are let in: the flows in the table are then a
//! random sample of flows, each with all of its packets.

use super::evidence::Evidence;

/// Places for one key.
const WAYS: usize = 2;

/// A flow that was silent for so long gives its place to another that asks for it, in seconds.
const SILENCE_S: f64 = 5.0;

/// At most `2^-MOST_HALVINGS` of the flows are let in.
const MOST_HALVINGS: u32 = 30;

/// A watched flow.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Watched {
    /// Hash of its key; 0 for nobody.
    hash: u64,
    /// What it showed.
    pub evidence: Evidence,
    /// The interval that the rest is about.
    pub interval: u64,
    /// Packets in it.
    pub packets: f64,
    /// Probability that the flow does not respond, as known at its first packet in the interval.
    pub deaf: f64,
    /// Whether that is more than a guess.
    pub resolved: bool,
}

// What `Settings::flows` says of memory.
const _: () = assert!(std::mem::size_of::<Watched>() <= 520);

/// Flows by hash.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Table {
    seed: u64,
    /// Number of pairs of places less one; the number is a power of two.
    mask: u64,
    #[cfg_attr(feature = "serde", serde(with = "taken"))]
    flows: Box<[Watched]>,
    /// How often the share of flows that are let in was halved.
    halvings: u32,
}

/// A table is mostly empty: only its length and the places that are taken are written.
#[cfg(feature = "serde")]
mod taken {
    use serde::{de::Error, Deserialize, Deserializer, Serialize, Serializer};

    use super::Watched;

    pub fn serialize<S: Serializer>(flows: &[Watched], serializer: S) -> Result<S::Ok, S::Error> {
        let taken: Vec<(usize, &Watched)> =
            flows.iter().enumerate().filter(|(_, flow)| flow.hash != 0).collect();
        (flows.len(), taken).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<[Watched]>, D::Error> {
        let (places, taken) = <(usize, Vec<(usize, Watched)>)>::deserialize(deserializer)?;
        let mut flows = vec![Watched::default(); places].into_boxed_slice();
        for (place, flow) in taken {
            *flows.get_mut(place).ok_or_else(|| D::Error::custom("a place in the table"))? = flow;
        }
        Ok(flows)
    }
}

/// What a look into the table found.
pub(super) enum Found<'a> {
    /// The flow, which may be new.
    Watched(&'a mut Watched),
    /// It would be let in, but both places are taken.
    Crowded,
    /// It is not in the sample.
    LeftOut,
}

impl Table {
    /// Room for `flows` flows, rounded up to a power of two. Equal seeds make equal hashes.
    pub fn new(flows: u32, seed: u64) -> Self {
        let places = (flows.max(WAYS as u32) as usize).next_power_of_two();
        let mask = (places / WAYS) as u64 - 1;
        Table { seed, mask, flows: vec![Watched::default(); places].into_boxed_slice(), halvings: 0 }
    }

    /// How many flows it can hold.
    pub fn capacity(&self) -> usize {
        self.flows.len()
    }

    /// The flow with this key, at `now_s`.
    #[inline]
    pub fn find(&mut self, key: u64, now_s: f64) -> Found<'_> {
        // An odd hash is never that of nobody; the bit is not used for anything else.
        let hash = mixed(key ^ self.seed) | 1;
        if self.halvings > 0 && hash >> (64 - self.halvings) != 0 {
            return Found::LeftOut;
        }
        let first = ((hash >> 1) & self.mask) as usize * WAYS;
        let pair = &mut self.flows[first..first + WAYS];
        let place = match pair.iter().position(|flow| flow.hash == hash) {
            Some(place) => place,
            None => {
                let older = usize::from(pair[1].evidence.last_s() < pair[0].evidence.last_s());
                let place = pair.iter().position(|flow| flow.hash == 0).unwrap_or(older);
                let taken = pair[place].hash != 0;
                if taken && now_s - pair[place].evidence.last_s() < SILENCE_S {
                    return Found::Crowded;
                }
                pair[place] = Watched { hash, evidence: Evidence::new(now_s), ..Watched::default() };
                place
            }
        };
        Found::Watched(&mut pair[place])
    }

    /// Share of flows that are let in.
    pub fn admitted(&self) -> f64 {
        (-f64::from(self.halvings)).exp2()
    }

    /// Lets half as many flows in.
    pub fn narrow(&mut self) {
        self.halvings = (self.halvings + 1).min(MOST_HALVINGS);
    }

    /// Lets twice as many flows in.
    pub fn widen(&mut self) {
        self.halvings = self.halvings.saturating_sub(1);
    }
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
                Found::Watched(flow) => flow.packets = key as f64,
                _ => panic!("there is room for {key}"),
            }
        }
        for key in 0..200 {
            match table.find(key, 1.0) {
                Found::Watched(flow) => assert_eq!(flow.packets, key as f64),
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
