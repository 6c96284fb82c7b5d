//! The connections that are open: found by the two ends of a packet, ended when they are over, when another takes their
//! place, or when there are too many.

use std::collections::VecDeque;
use std::hint::black_box;

use hashbrown::HashTable;

use crate::connection::{Found, State};
use crate::identity::choose;
use crate::index::{hash, Slot};
use crate::packet::{Packet, Tcp};
use crate::result::Connection;

/// Silence after which a connection that was closed is over, in nanoseconds: twice the longest life of a segment
/// (RFC 9293, section 3.4.2).
pub const QUIET: i64 = 240_000_000_000;

/// An open connection by place and number.
#[derive(Clone, Copy, Debug)]
struct Named {
    at: u32,
    number: u32,
}

/// The open connections.
#[derive(Debug, Default)]
pub struct Table {
    index: HashTable<Slot>,
    places: Vec<Option<Box<State>>>,
    /// Places that are free.
    free: Vec<u32>,
    /// Connections that have begun.
    begun: u32,
    alive: usize,
    /// Those that are open, in the order of their first packets, among others that have ended.
    order: VecDeque<Named>,
    /// Those that were closed, and when they were last looked at.
    closed: VecDeque<(i64, Named)>,
    /// The next connection that is looked at for room that it does not need.
    hand: usize,
}

impl Table {
    /// Makes room for so many more.
    pub fn try_reserve(&mut self, more: usize) -> Option<()> {
        self.places.try_reserve(more).ok()?;
        self.order.try_reserve(more).ok()?;
        self.closed.try_reserve(more).ok()?;
        self.free.try_reserve(self.places.len() + more).ok()?;
        self.index.try_reserve(more, |slot| slot.spread()).ok()
    }

    /// Connections that are open.
    pub fn alive(&self) -> usize {
        self.alive
    }

    /// Connections that have begun.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// A connection.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut State> {
        self.places.get_mut(at)?.as_deref_mut()
    }

    /// Where a connection with this hash seems to be.
    pub fn guess(&self, hash: u32) -> Option<u32> {
        let wanted = Slot { hash, at: 0 };
        self.index.find(wanted.spread(), |slot| slot.hash == hash).map(|slot| slot.at)
    }

    /// Where the connection of a packet is: at `guess`, or at another place of its hash.
    pub fn place(&self, packet: &Packet, tcp: Option<&Tcp>, hash: u32, guess: Option<u32>) -> Option<usize> {
        let is_alike =
            |at: &u32| self.places[*at as usize].as_ref().is_some_and(|state| state.is_alike(packet));
        let at = guess.filter(is_alike).or_else(|| choose(packet, tcp, self.between(packet, hash)));
        at.map(|at| at as usize)
    }

    /// A connection has the ends of this packet.
    pub fn has_ends(&self, packet: &Packet, hash: u32) -> bool {
        self.between(packet, hash).next().is_some()
    }

    /// The connections between the two ends of a packet.
    fn between<'a>(&'a self, packet: &'a Packet, hash: u32) -> impl Iterator<Item = (u32, &'a State)> {
        let slots = self.index.iter_hash(Slot { hash, at: 0 }.spread()).filter(move |slot| slot.hash == hash);
        let states = slots.filter_map(|slot| Some((slot.at, self.places[slot.at as usize].as_deref()?)));
        states.filter(|(_, state)| state.is_of(packet))
    }

    /// Reads the connections at these places, so that all come into the cache at once.
    pub fn approach(&self, places: impl Iterator<Item = u32> + Clone) {
        let states = || places.clone().filter_map(|at| self.places[at as usize].as_deref());
        black_box(states().count());
        for state in states() {
            black_box(state.approach());
        }
        for state in states() {
            black_box(state.approach_lists());
        }
    }

    /// Begins a connection with this packet, and tells where it is.
    pub fn begin(&mut self, packet: &Packet, tcp: &Tcp, hash: u32) -> usize {
        self.begun += 1;
        self.alive += 1;
        let state = Some(Box::new(State::new(self.begun, packet, tcp)));
        let at = match self.free.pop() {
            Some(at) => {
                self.places[at as usize] = state;
                at as usize
            }
            None => {
                self.places.push(state);
                self.places.len() - 1
            }
        };
        let slot = Slot { hash, at: at as u32 };
        self.index.insert_unique(slot.spread(), slot, |slot| slot.spread());
        if self.order.len() > 2 * self.alive + 64 {
            let places = &self.places;
            self.order.retain(|named| is_open(places, *named));
            self.closed.retain(|(_, named)| is_open(places, *named));
        }
        self.order.push_back(Named { at: slot.at, number: self.begun });
        at
    }

    /// Ends the connection at a place.
    pub fn end(&mut self, at: usize, found: &mut Found) -> Option<Connection> {
        let state = self.places.get_mut(at)?.take()?;
        self.alive -= 1;
        self.free.push(at as u32);
        let slot = Slot { hash: hash(&state.opener, &state.answerer), at: at as u32 };
        if let Ok(entry) = self.index.find_entry(slot.spread(), |each| each.at == slot.at) {
            entry.remove();
        }
        Some(state.end(found))
    }

    /// Ends the oldest connection.
    pub fn end_oldest(&mut self, found: &mut Found) -> Option<Connection> {
        while let Some(named) = self.order.pop_front() {
            if is_open(&self.places, named) {
                return self.end(named.at as usize, found);
            }
        }
        None
    }

    /// Notes that a connection was closed.
    pub fn close(&mut self, at: usize, now: i64) {
        if let Some(state) = self.places.get_mut(at).and_then(|place| place.as_deref_mut()) {
            if !state.closing {
                state.closing = true;
                self.closed.push_back((now, Named { at: at as u32, number: state.number }));
            }
        }
    }

    /// Ends a connection that was closed and has been silent for long, if there is one.
    pub fn end_quiet(&mut self, now: i64, found: &mut Found) -> Option<Connection> {
        while self.closed.front().is_some_and(|(seen, _)| now.saturating_sub(*seen) > QUIET) {
            let (_, named) = self.closed.pop_front()?;
            if !is_open(&self.places, named) {
                continue;
            }
            let last = self.places[named.at as usize].as_ref().map_or(now, |state| state.end);
            if now.saturating_sub(last) > QUIET {
                return self.end(named.at as usize, found);
            }
            self.closed.push_back((last, named));
        }
        None
    }

    /// Lets a connection that has been silent give back room. Each gets its turn.
    pub fn relax(&mut self, now: i64, found: &mut Found) {
        self.hand = if self.hand + 1 < self.places.len() { self.hand + 1 } else { 0 };
        if let Some(Some(state)) = self.places.get_mut(self.hand) {
            state.relax(now, found);
        }
    }
}

/// The connection is the one that is open at its place.
fn is_open(places: &[Option<Box<State>>], named: Named) -> bool {
    places[named.at as usize].as_ref().is_some_and(|state| state.number == named.number)
}
