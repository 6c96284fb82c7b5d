//! When endpoints are to be woken: one instant each.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::EndpointId;
use crate::units::Time;

/// Entries of the heap beyond those in force, before it is made anew.
const MOST_STALE: usize = 64;

/// The timers of all endpoints.
///
/// Endpoints set theirs anew with almost every datagram. What was set before stays in the heap until it comes to the top, since to
/// find it there would cost more; the instant in `set` says whether an entry is in force.
#[derive(Debug)]
pub(super) struct Timers {
    /// By endpoint; [`Time::NEVER`] for none.
    set: Vec<Time>,
    heap: BinaryHeap<Reverse<(Time, EndpointId)>>,
}

impl Timers {
    pub fn new(endpoints: usize) -> Self {
        Timers { set: vec![Time::NEVER; endpoints], heap: BinaryHeap::new() }
    }

    /// Sets the timer of an endpoint, in place of the one before; [`Time::NEVER`] for none.
    pub fn set(&mut self, endpoint: EndpointId, at: Time) {
        let place = &mut self.set[endpoint.number() as usize];
        if std::mem::replace(place, at) == at {
            return;
        }
        if at < Time::NEVER {
            self.heap.push(Reverse((at, endpoint)));
        }
        if self.heap.len() > 2 * self.set.len() + MOST_STALE {
            self.forget_stale();
        }
        self.bare();
    }

    /// The earliest timer; [`Time::NEVER`] if none is set.
    #[inline]
    pub fn first_at(&self) -> Time {
        self.heap.peek().map_or(Time::NEVER, |&Reverse((at, _))| at)
    }

    /// The earliest timer, which is set no longer. Of several at one instant, that of the endpoint attached first.
    pub fn take_first(&mut self) -> Option<(Time, EndpointId)> {
        let Reverse((at, endpoint)) = self.heap.pop()?;
        self.set[endpoint.number() as usize] = Time::NEVER;
        self.bare();
        Some((at, endpoint))
    }

    /// Takes entries that are in force no longer from the top.
    #[inline]
    fn bare(&mut self) {
        while let Some(&Reverse((at, endpoint))) = self.heap.peek() {
            if self.set[endpoint.number() as usize] == at {
                return;
            }
            self.heap.pop();
        }
    }

    #[cold]
    fn forget_stale(&mut self) {
        let timers = (0..).map(EndpointId::from_number).zip(&self.set);
        let in_force = timers.filter(|&(_, &at)| at < Time::NEVER);
        self.heap = in_force.map(|(endpoint, &at)| Reverse((at, endpoint))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const ENDPOINTS: u32 = 5;

    proptest! {
        #[test]
        fn timers_come_in_order_and_each_as_it_was_set_last(
            calls in prop::collection::vec((0..ENDPOINTS, 0..40u64, any::<bool>()), 0..600),
        ) {
            let mut timers = Timers::new(ENDPOINTS as usize);
            let mut simple: BTreeSet<(Time, EndpointId)> = BTreeSet::new();
            for (number, at, takes) in calls {
                let endpoint = EndpointId::from_number(number);
                // Some are taken back.
                let at = if at > 35 { Time::NEVER } else { Time::from_ps(at) };
                simple.retain(|&(_, other)| other != endpoint);
                if at < Time::NEVER {
                    simple.insert((at, endpoint));
                }
                timers.set(endpoint, at);
                prop_assert_eq!(timers.first_at(), simple.first().map_or(Time::NEVER, |&(at, _)| at));
                if takes {
                    prop_assert_eq!(timers.take_first(), simple.pop_first());
                }
                prop_assert!(timers.heap.len() <= 2 * ENDPOINTS as usize + MOST_STALE + 1);
            }
        }
    }
}
