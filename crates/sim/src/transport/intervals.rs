//! A set of packet numbers as intervals: what a receiver holds beyond a gap, what a sender knows to be there.

use crate::room::Room;

/// Half-open intervals in ascending order that neither overlap nor touch. Few in practice: one a gap. Packets have
/// numbers of 32 bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intervals(Vec<(u32, u32)>);

/// The name in messages of what grows here.
const GAPS: &str = "gaps in what has arrived";

fn wide((low, high): (u32, u32)) -> (i64, i64) {
    (i64::from(low), i64::from(high))
}

/// A packet number; those outside 32 bits are as far as any.
fn narrow(n: i64) -> u32 {
    n.clamp(0, i64::from(u32::MAX)) as u32
}

impl Intervals {
    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether there are two intervals or more.
    pub fn has_several(&self) -> bool {
        self.0.len() > 1
    }

    /// The intervals in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes this the same set as `other`, in the room that it has.
    #[inline]
    pub fn copy_from(&mut self, other: &Intervals) {
        self.0.clear();
        if !other.is_empty() {
            self.0.make_room(other.0.len(), GAPS);
            self.0.extend_from_slice(&other.0);
        }
    }

    /// Adds `low..high`, which must not be empty. Returns whether anything in it is new.
    pub fn insert(&mut self, low: i64, high: i64) -> bool {
        let (low, high) = (narrow(low), narrow(high));
        debug_assert!(low < high, "there is something to add");
        // Mostly the last interval grows.
        if let Some((_, end)) = self.0.last_mut().filter(|(start, end)| *start <= low && low <= *end) {
            let is_new = high > *end;
            *end = high.max(*end);
            return is_new;
        }
        // All intervals from `first` to before `last` overlap or touch the new one.
        let first = self.0.partition_point(|&(_, end)| end < low);
        let last = first + self.0[first..].partition_point(|&(start, _)| start <= high);
        if first == last {
            if self.0.capacity() == 0 {
                self.0.reserve_exact(2); // Most flows never know of more gaps at once.
            }
            self.0.make_room(1, GAPS);
            self.0.insert(first, (low, high));
            return true;
        }
        let (start, end) = (self.0[first].0, self.0[last - 1].1);
        if last - first == 1 && start <= low && high <= end {
            return false;
        }
        self.0[first] = (start.min(low), end.max(high));
        self.0.drain(first + 1..last);
        true
    }

    /// Removes everything below `low`.
    pub fn remove_below(&mut self, low: i64) {
        let low = narrow(low);
        if self.0.first().is_none_or(|&(start, _)| start >= low) {
            return;
        }
        let gone = self.0.partition_point(|&(_, end)| end <= low);
        self.0.drain(..gone);
        if let Some(first) = self.0.first_mut() {
            first.0 = first.0.max(low);
        }
    }

    /// The interval that contains `n`.
    pub fn around(&self, n: i64) -> Option<(i64, i64)> {
        let last = self.0.last().copied().map(wide)?;
        let nearest = if last.0 <= n {
            last // Mostly.
        } else {
            wide(self.0[self.0.partition_point(|&(_, end)| i64::from(end) <= n)])
        };
        Some(nearest).filter(|&(start, end)| start <= n && n < end)
    }

    /// The least number at or above `n` that is not in the set.
    pub fn next_missing(&self, n: i64) -> i64 {
        self.around(n).map_or(n, |(_, end)| end)
    }

    /// One more than the greatest number in the set.
    pub fn end(&self) -> Option<i64> {
        self.0.last().map(|&(_, end)| i64::from(end))
    }

    /// Number of members of the set in `low..high`.
    pub fn count_within(&self, low: i64, high: i64) -> i64 {
        let from = self.0.partition_point(|&(_, end)| i64::from(end) <= low);
        let inside = self.0[from..].iter().copied().map(wide).take_while(|&(start, _)| start < high);
        inside.map(|(start, end)| end.min(high) - start.max(low)).sum()
    }

    /// The `k`-th greatest number in the set, counted from 1.
    pub fn kth_from_end(&self, k: i64) -> Option<i64> {
        let mut left = k;
        for (start, end) in self.0.iter().rev().copied().map(wide) {
            if end - start >= left {
                return Some(end - left);
            }
            left -= end - start;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(intervals: &Intervals) -> BTreeSet<i64> {
        intervals.0.iter().flat_map(|&(low, high)| i64::from(low)..i64::from(high)).collect()
    }

    proptest! {
        #[test]
        fn it_is_a_set(steps in prop::collection::vec((0i64..60, 1i64..6, any::<bool>()), 0..60)) {
            let mut intervals = Intervals::default();
            let mut twin = BTreeSet::new();
            for (low, length, insert) in steps {
                if insert {
                    let before = twin.len();
                    twin.extend(low..low + length);
                    prop_assert_eq!(intervals.insert(low, low + length), twin.len() > before);
                } else {
                    twin = twin.split_off(&low);
                    intervals.remove_below(low);
                }
                prop_assert_eq!(set(&intervals), twin.clone());
                prop_assert!(intervals.0.windows(2).all(|w| w[0].1 < w[1].0));
                let mut copy = Intervals(vec![(7, 9); (low % 3) as usize]);
                copy.copy_from(&intervals);
                prop_assert_eq!(&copy, &intervals);
                prop_assert_eq!(intervals.end(), twin.last().map(|n| n + 1));
                prop_assert_eq!(intervals.count_within(low, low + 7), twin.range(low..low + 7).count() as i64);
                let missing = (low..).find(|n| !twin.contains(n)).expect("the set is finite");
                prop_assert_eq!(intervals.next_missing(low), missing);
                let around = |n: &i64| {
                    let start = (0..=*n).rev().take_while(|n| twin.contains(n)).last()?;
                    Some((start, (*n..).find(|n| !twin.contains(n))?))
                };
                prop_assert_eq!(intervals.around(low), around(&low));
                prop_assert_eq!(intervals.kth_from_end(length), twin.iter().nth_back(length as usize - 1).copied());
            }
        }
    }
}
