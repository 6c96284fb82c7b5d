//! Which connection a packet belongs to, where several have the same addresses and ports: by the networks in which they pass.
//!
//! A network is what [`crate::packet::Packet::network`] tells apart: VLAN, label, tunnel. A connection is of one network as a
//! rule. Its two directions may be tagged differently, or only one of them; a mirror may show it in several networks; and a
//! network may use the addresses of another one. So a packet of a new network joins a connection only if its numbers fit.

use std::cmp::Reverse;

use crate::connection::State;
use crate::packet::{flag, Packet, Tcp};

/// Networks of a direction that are remembered.
const MOST: usize = 16;

/// Distance by which numbers of TCP may miss those of a connection that they belong to: what is in flight at most.
const NEAR: u32 = 1 << 26;

/// No network.
const NONE: u32 = u32::MAX;

/// Networks in which the two directions of a connection pass: nearly always one.
#[derive(Clone, Debug)]
pub struct Networks {
    first: [u32; 2],
    others: Option<Box<[Vec<u32>; 2]>>,
}

impl Default for Networks {
    fn default() -> Self {
        Self { first: [NONE; 2], others: None }
    }
}

impl Networks {
    /// Both directions pass in this network first of all.
    pub fn are(&self, network: u32) -> bool {
        self.first == [network; 2]
    }

    /// Nothing has passed in a direction yet.
    pub fn is_empty(&self, way: usize) -> bool {
        self.first[way] == NONE
    }

    /// A direction passes in this network.
    pub fn has(&self, way: usize, network: u32) -> bool {
        self.first[way] == network
            || self.others.as_ref().is_some_and(|others| others[way].contains(&network))
    }

    /// Notes a network.
    pub fn add(&mut self, way: usize, network: u32) {
        if self.has(way, network) {
            return;
        }
        if self.is_empty(way) {
            self.first[way] = network;
            return;
        }
        let others = &mut self.others.get_or_insert_with(Box::default)[way];
        if others.len() == MOST {
            others.remove(0);
        }
        others.push(network);
    }
}

/// Evidence that a packet belongs to a connection, the strongest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// The direction passes in other networks, but this packet is a copy of one there, or the next one.
    Goes,
    /// Nothing of this direction has passed, and the numbers fit.
    Answers,
    /// The direction passes in this network.
    Passes,
    /// The other direction passes in this network, and nothing speaks against this one.
    Both,
}

/// The best of the connections that have the ends of a packet: the places, and their states.
pub fn choose<'a>(
    packet: &Packet,
    tcp: Option<&Tcp>,
    candidates: impl Iterator<Item = (u32, &'a State)>,
) -> Option<u32> {
    let claims = candidates.filter_map(|(at, state)| {
        let claim = claim(state, packet, tcp)?;
        let distance = tcp.and_then(|tcp| distance(state, state.way(packet), tcp)).unwrap_or(NEAR);
        // Numbers decide between connections that share the network of one direction.
        Some((at, (claim == Claim::Both, claim != Claim::Goes, Reverse(distance), claim)))
    });
    claims.max_by_key(|(_, strength)| *strength).map(|(at, _)| at)
}

fn claim(state: &State, packet: &Packet, tcp: Option<&Tcp>) -> Option<Claim> {
    let way = state.way(packet);
    let has = |way| state.networks.has(way, packet.network);
    if has(way) {
        return Some(if has(1 - way) { Claim::Both } else { Claim::Passes });
    }
    let tcp = tcp?;
    let near = distance(state, way, tcp).is_none_or(|distance| distance <= NEAR);
    if state.networks.is_empty(way) {
        return if has(1 - way) { Some(Claim::Both) } else { near.then_some(Claim::Answers) };
    }
    let is_copy = state.ways[way].recent.has_alike(packet, tcp);
    (is_copy || (near && continues(state, way, tcp))).then_some(Claim::Goes)
}

/// The packet begins where its direction ended.
fn continues(state: &State, way: usize, tcp: &Tcp) -> bool {
    tcp.flags & flag::SYN == 0 && state.ways[way].high.get().is_some_and(|high| high as u32 == tcp.seq)
}

/// How far the numbers of a packet are from those of a connection: the farther one. `None` where nothing can be compared.
fn distance(state: &State, way: usize, tcp: &Tcp) -> Option<u32> {
    let apart = |one: u32, other: u64| (one.wrapping_sub(other as u32) as i32).unsigned_abs();
    let acks = tcp.flags & flag::ACK != 0;
    let ack = state.ways[1 - way].high.get().filter(|_| acks).map(|high| apart(tcp.ack, high));
    let (high, acked) = (state.ways[way].high.get(), state.ways[way].acked.get());
    let seq = high.or(acked).map(|expected| apart(tcp.seq, expected));
    ack.max(seq)
}
