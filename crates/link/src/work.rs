//! The loop of a relay: take datagrams in, let the network carry them, hand over what arrives.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parshall_sim::net::{Datagram, Ecn, EndpointId, Event, Network};
use parshall_sim::units::Time;

use crate::clock::{Clock, Reading};
use crate::peers::Peers;
use crate::ready::Ready;
use crate::run::Shared;
use crate::socket::{Received, Socket};
use crate::{Lateness, LinkError, Relayed};

/// Time between checks of the relay for a request to end.
const LOOKING: Duration = Duration::from_millis(20);

/// Datagrams of one socket that are taken in before those that are due are handed over.
const AT_ONCE: usize = 64;

/// The largest content of a datagram.
const LARGEST: usize = 65_535;

/// More than these bytes for what is under way are a mistake: at 1 Gbit/s they are two seconds.
const MOST_BYTES: usize = 256 << 20;

/// Bytes that a datagram takes besides its content: without them, empty ones would have no end.
const OWN_BYTES: usize = 2 * size_of::<Datagram>();

/// The number of the socket at which peers are heard; a peer's socket has that of its place.
const LISTENING: u64 = u64::MAX;

/// The state of the loop.
pub(crate) struct Work {
    network: Network,
    /// Endpoints of the scenario's flows.
    pairs: Vec<[EndpointId; 2]>,
    listening: Socket,
    to: SocketAddr,
    shared: Arc<Shared>,
    pub realtime: bool,
    peers: Peers,
    ready: Ready,
    /// Numbers of the sockets that have datagrams.
    numbers: Vec<u64>,
    clock: Clock,
    /// Datagrams that have come.
    received: u64,
    /// Those that are not in order yet.
    came: Vec<Came>,
    /// Bytes of what is under way.
    bytes: usize,
    buffer: Vec<u8>,
    lateness: Lateness,
    refused: u64,
    undeliverable: u64,
}

/// A datagram that has come.
struct Came {
    at: Instant,
    peer: u32,
    /// True if it is the server's.
    back: bool,
    datagram: Datagram,
}

impl Work {
    pub fn new(
        network: Network,
        pairs: Vec<[EndpointId; 2]>,
        listening: Socket,
        to: SocketAddr,
        shared: Arc<Shared>,
    ) -> io::Result<Self> {
        let ready = Ready::new()?;
        ready.add(&listening, LISTENING)?;
        Ok(Work {
            network,
            pairs,
            listening,
            to,
            shared,
            realtime: false,
            peers: Peers::default(),
            ready,
            numbers: Vec::new(),
            clock: Clock::default(),
            received: 0,
            came: Vec::new(),
            bytes: 0,
            buffer: vec![0; LARGEST],
            lateness: Lateness::default(),
            refused: 0,
            undeliverable: 0,
        })
    }

    /// Relays until the end, or until it is asked to end.
    pub fn run(mut self) -> Result<Relayed, LinkError> {
        while !self.shared.stopped.load(Relaxed) && self.clock.now() < self.network.end() {
            self.wait().map_err(LinkError::System)?;
            let known = self.receive().map_err(LinkError::System)?;
            self.send()?;
            self.go_on_to(self.clock.time_of(known))?;
        }
        self.go_on_to(self.clock.now())?;
        self.results()
    }

    fn results(self) -> Result<Relayed, LinkError> {
        Ok(Relayed {
            elapsed: Duration::from_nanos(self.network.now().ps() / 1000),
            recording: self.network.finish()?,
            lateness: self.lateness,
            realtime: self.realtime,
            peers: self.peers.count,
            overflowed: self.listening.overflowed() + self.peers.overflowed(),
            refused: self.refused,
            undeliverable: self.undeliverable + self.listening.undelivered() + self.peers.undelivered(),
        })
    }

    /// Waits for a datagram, or until something happens in the network.
    fn wait(&mut self) -> io::Result<()> {
        let mut timeout = LOOKING;
        if self.clock.has_started() {
            let next = self.network.next_at().min(self.network.end());
            timeout = timeout.min(Duration::from_nanos(next.since(self.clock.now()).ps() / 1000));
        }
        self.ready.wait(timeout)
    }

    /// Takes in what has come. Returns an instant before which nothing else has come.
    fn receive(&mut self) -> io::Result<Instant> {
        let reading = Reading::now();
        let mut known = reading.instant();
        let mut numbers = std::mem::take(&mut self.numbers);
        self.ready.list(&mut numbers)?;
        for &number in &numbers {
            let last = match number {
                LISTENING => self.receive_from_peers(&reading)?,
                place => self.receive_for(place as u32, &reading)?,
            };
            known = known.min(last.unwrap_or(known));
        }
        self.numbers = numbers;
        Ok(known)
    }

    /// Takes in what peers have sent. If that may not be all, returns when the last of it came.
    fn receive_from_peers(&mut self, reading: &Reading) -> io::Result<Option<Instant>> {
        for _ in 0..AT_ONCE {
            let Some(received) = self.listening.receive(&mut self.buffer)? else { return Ok(None) };
            let at = self.listening.later(reading.instant_of(received.at));
            let peer =
                received.from.and_then(|from| self.peers.at(from, self.to, self.received, &self.ready));
            match peer {
                Some(peer) => self.keep(peer, false, &received, at),
                None => self.refused += 1,
            }
        }
        Ok(Some(self.listening.latest()))
    }

    /// Takes in what the server has sent to a peer, likewise.
    fn receive_for(&mut self, place: u32, reading: &Reading) -> io::Result<Option<Instant>> {
        let mut last = None;
        for _ in 0..AT_ONCE {
            // A peer may have been forgotten since its socket was listed.
            let Some(socket) = &mut self.peers.get_mut(place).socket else { return Ok(None) };
            let Some(received) = socket.receive(&mut self.buffer)? else { return Ok(None) };
            let at = socket.later(reading.instant_of(received.at));
            last = Some(at);
            self.keep(place, true, &received, at);
        }
        Ok(last)
    }

    fn keep(&mut self, peer: u32, back: bool, received: &Received, at: Instant) {
        self.received += 1;
        let from = self.peers.get_mut(peer);
        from.last = self.received;
        let content = &self.buffer[..received.bytes];
        if self.bytes + content.len() + OWN_BYTES > MOST_BYTES {
            self.refused += 1;
            return;
        }
        self.bytes += content.len() + OWN_BYTES;
        from.under_way += 1;
        let headers = if self.to.is_ipv4() { 28 } else { 48 };
        let mut datagram = Datagram::udp(content)
            .with_wire_bytes((content.len() + headers).min(usize::from(u16::MAX)) as u32)
            .with_ecn(Ecn::from_bits(received.class))
            .with_dscp(received.class >> 2)
            .with_tag(u64::from(peer) << 1 | u64::from(back));
        if peer as usize >= self.pairs.len() {
            // It shares the last flow, as one that queues tell apart.
            datagram = datagram.with_key(peer.into());
        }
        self.came.push(Came { at, peer, back, datagram });
    }

    /// Sends what has come over the network, in order. What is late leaves now.
    fn send(&mut self) -> Result<(), LinkError> {
        self.came.sort_by_key(|came| (came.at, came.back));
        for Came { at, peer, back, datagram } in self.came.drain(..) {
            self.clock.start(at);
            let pair = self.pairs[(peer as usize).min(self.pairs.len() - 1)];
            let at = self.clock.time_of(at).max(self.network.now());
            self.network.send(pair[usize::from(back)], at, datagram)?;
        }
        Ok(())
    }

    /// Lets the network go on to a time, and hands over what arrives.
    fn go_on_to(&mut self, until: Time) -> Result<(), LinkError> {
        if !self.clock.has_started() {
            return Ok(());
        }
        while let Some(event) = self.network.next_before(until)? {
            match event {
                Event::Arrival(arrival) => self.hand_over(arrival.at, arrival.datagram),
                Event::Dropped(dropped) => {
                    self.forget(dropped.datagram.tag(), dropped.datagram.bytes().len());
                }
                Event::Wake { .. } | Event::End => {}
            }
        }
        self.shared.elapsed_ns.store(self.network.now().ps() / 1000 + 1, Relaxed);
        Ok(())
    }

    fn hand_over(&mut self, due: Time, datagram: Datagram) {
        let (tag, class) = (datagram.tag(), datagram.dscp() << 2 | datagram.ecn().bits());
        let (peer, back) = (self.peers.get((tag >> 1) as u32), tag & 1 == 1);
        let sent = match (back, &peer.socket) {
            (true, _) => self.listening.send(datagram.bytes(), Some(peer.address), class),
            (false, Some(socket)) => socket.send(datagram.bytes(), None, class),
            (false, None) => unreachable!("a peer with a datagram under way is not forgotten"),
        };
        self.undeliverable += u64::from(sent.is_err());
        self.lateness.add(Duration::from_nanos(self.clock.now().since(due).ps() / 1000));
        self.forget(tag, datagram.bytes().len());
    }

    /// A datagram with so many bytes is under way no longer.
    fn forget(&mut self, tag: u64, content: usize) {
        self.peers.get_mut((tag >> 1) as u32).under_way -= 1;
        self.bytes -= content + OWN_BYTES;
    }
}
