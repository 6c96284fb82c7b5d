//! Addresses that send datagrams, each with a socket of its own towards the server.

use std::collections::HashMap;
use std::net::SocketAddr;

use crate::ready::Ready;
use crate::socket::Socket;

/// Peers at a time; each has a socket. A further one takes the place of the one that has been silent longest.
const MOST: usize = 500;

/// An address that sends datagrams.
#[derive(Debug)]
pub(crate) struct Peer {
    pub address: SocketAddr,
    /// The socket by which they go on; none if the peer has been forgotten.
    pub socket: Option<Socket>,
    /// Datagrams from and to it that are on their way.
    pub under_way: u32,
    /// Number of the last datagram from or to it, in the order of arrival at the relay.
    pub last: u64,
}

/// Peers, by their places.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    places: Vec<Peer>,
    by_address: HashMap<SocketAddr, u32>,
    /// Places whose peers have been forgotten.
    free: Vec<u32>,
    /// Peers that there have been.
    pub count: usize,
    /// Datagrams that found no room in the sockets of those that have been forgotten.
    overflowed: u64,
    /// Datagrams of those sockets that did not get where they were to go.
    undelivered: u64,
}

impl Peers {
    /// The place of the peer at an address; none if there is no room for another. A new one gets a socket towards `to`, and is
    /// as if the datagram numbered `last` had been its last.
    pub fn at(&mut self, address: SocketAddr, to: SocketAddr, last: u64, ready: &Ready) -> Option<u32> {
        if let Some(&known) = self.by_address.get(&address) {
            return Some(known);
        }
        if self.by_address.len() == MOST {
            self.forget_one()?;
        }
        let socket = match Socket::connected(to) {
            Ok(socket) => socket,
            Err(_) => {
                // A process may have fewer descriptors than there may be peers.
                self.forget_one()?;
                Socket::connected(to).ok()?
            }
        };
        let place = self.free.last().copied().unwrap_or(self.places.len() as u32);
        ready.add(&socket, u64::from(place)).ok()?;
        let peer = Peer { address, socket: Some(socket), under_way: 0, last };
        match self.free.pop() {
            Some(place) => self.places[place as usize] = peer,
            None => self.places.push(peer),
        }
        self.by_address.insert(address, place);
        self.count += 1;
        Some(place)
    }

    pub fn get(&self, place: u32) -> &Peer {
        &self.places[place as usize]
    }

    pub fn get_mut(&mut self, place: u32) -> &mut Peer {
        &mut self.places[place as usize]
    }

    /// Datagrams that found no room in the sockets.
    pub fn overflowed(&self) -> u64 {
        self.overflowed + self.sockets().map(Socket::overflowed).sum::<u64>()
    }

    /// Datagrams of the sockets that did not get where they were to go, as the network reports it.
    pub fn undelivered(&self) -> u64 {
        self.undelivered + self.sockets().map(Socket::undelivered).sum::<u64>()
    }

    fn sockets(&self) -> impl Iterator<Item = &Socket> {
        self.places.iter().filter_map(|peer| peer.socket.as_ref())
    }

    /// Forgets the peer that has been silent longest, of those that have nothing under way; none if all have.
    fn forget_one(&mut self) -> Option<()> {
        let idle = self.places.iter_mut().enumerate();
        let idle = idle.filter(|(_, peer)| peer.socket.is_some() && peer.under_way == 0);
        let (place, peer) = idle.min_by_key(|(_, peer)| peer.last)?;
        let socket = peer.socket.take()?;
        self.overflowed += socket.overflowed();
        self.undelivered += socket.undelivered();
        self.by_address.remove(&peer.address);
        self.free.push(place as u32);
        Some(())
    }
}
