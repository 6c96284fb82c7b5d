//! The datagrams that are on the link, by the handles under which the simulator knows them.

use parshall_sim::internal::Given;

/// More than these bytes for what is on a link are a mistake: at 1 Gbit/s they are two seconds.
const MOST_BYTES: usize = 256 << 20;

/// A datagram on the link.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Its description for the simulator.
    pub given: Given,
    /// The two bits of ECN with which it came.
    pub ecn: u8,
    /// Its content.
    pub payload: Vec<u8>,
}

/// Datagrams in places that are used again.
#[derive(Debug, Default)]
pub(crate) struct Store {
    places: Vec<Kept>,
    free: Vec<u32>,
    bytes: usize,
}

/// Bytes that a datagram takes, with its description: without it, empty ones would have no end.
fn taken(payload: &[u8]) -> usize {
    payload.len() + size_of::<Kept>()
}

impl Store {
    /// Keeps a datagram under a handle, which its description gets; none if there are too many.
    pub fn keep(&mut self, given: Given, ecn: u8, payload: &[u8]) -> Option<Given> {
        if self.bytes + taken(payload) > MOST_BYTES {
            return None;
        }
        self.bytes += taken(payload);
        let handle = self.free.pop().unwrap_or(self.places.len() as u32);
        let given = Given { handle, ..given };
        match self.places.get_mut(handle as usize) {
            Some(place) => {
                (place.given, place.ecn) = (given, ecn);
                place.payload.clear();
                place.payload.extend_from_slice(payload);
            }
            None => self.places.push(Kept { given, ecn, payload: payload.to_vec() }),
        }
        Some(given)
    }

    /// The datagram of a handle.
    pub fn get(&self, handle: u32) -> &Kept {
        &self.places[handle as usize]
    }

    /// Gives a datagram other bits of ECN.
    pub fn mark(&mut self, handle: u32, ecn: u8) {
        self.places[handle as usize].ecn = ecn;
    }

    /// Gives the place of a datagram back.
    pub fn remove(&mut self, handle: u32) {
        self.bytes -= taken(&self.places[handle as usize].payload);
        self.free.push(handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: Given = Given { peer: 0, back: false, bytes: 0, ecn_capable: false, handle: 0 };

    #[test]
    fn places_are_used_again() {
        let mut store = Store::default();
        let first = store.keep(GIVEN, 1, b"first").expect("room").handle;
        let second = store.keep(GIVEN, 2, b"second").expect("room").handle;
        assert_eq!((first, second), (0, 1));
        store.remove(first);
        assert_eq!(store.keep(GIVEN, 3, b"third").expect("room").handle, first);
        assert_eq!((store.get(first).payload.as_slice(), store.get(first).ecn), (b"third".as_slice(), 3));
        assert_eq!(store.get(second).payload, b"second");
        assert_eq!(store.bytes, 11 + 2 * size_of::<Kept>());
    }

    #[test]
    fn what_is_too_much_is_not_kept() {
        let mut store = Store { bytes: MOST_BYTES - 5 - size_of::<Kept>(), ..Store::default() };
        assert!(store.keep(GIVEN, 0, b"more than that").is_none());
        let fits = store.keep(GIVEN, 0, b"fits.").expect("room").handle;
        assert!(store.keep(GIVEN, 0, b"").is_none(), "empty ones take memory, too");
        store.remove(fits);
        assert!(store.keep(GIVEN, 0, b"").is_some());
    }
}
