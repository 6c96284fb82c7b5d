//! The loop of a relay: take datagrams in, let the bottleneck decide, hand over what is due.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use nix::errno::Errno;
use nix::poll::{ppoll, PollFd, PollFlags};
use nix::sys::time::TimeSpec;
use parshall_sim::internal::{guarded, Given, Live};
use parshall_sim::scenario::Scenario;
use parshall_sim::units::Time;

use crate::socket::Socket;
use crate::store::Store;
use crate::{thread, Lateness, LinkError, Options, Relayed};

/// Time between checks of the relay for a request to end.
const LOOKING: Duration = Duration::from_millis(20);

/// Datagrams that are taken in before those that are due are handed over.
const AT_ONCE: usize = 64;

/// Peers at a time; each has a socket. A further one takes the place of the one that has been silent longest.
const MOST_PEERS: usize = 500;

/// The largest content of a datagram.
const LARGEST: usize = 65_535;

/// The bits of ECN of a packet that has met congestion.
const MARKED: u8 = 0b11;

type Ended = Result<Relayed, LinkError>;

/// A relay on its thread, for the one who started it.
#[derive(Debug)]
pub(crate) struct Running {
    pub listening: SocketAddr,
    pub realtime: bool,
    pub shared: Arc<Shared>,
    results: Receiver<Ended>,
    ended: Option<Ended>,
    thread: Option<JoinHandle<()>>,
}

/// State that both threads see.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    stopped: AtomicBool,
    /// Nanoseconds since the first datagram, and one; 0 before it.
    elapsed_ns: AtomicU64,
}

impl Shared {
    pub fn elapsed(&self) -> Option<Duration> {
        self.elapsed_ns.load(Relaxed).checked_sub(1).map(Duration::from_nanos)
    }
}

impl Running {
    pub fn start(mut scenario: Scenario, options: &Options) -> Result<Self, LinkError> {
        let Options { listen, to, seed, priority, .. } = *options;
        if let Some(duration) = options.duration {
            scenario.duration = Time::from_secs(duration.as_secs_f64());
        }
        let end = scenario.duration;
        let live = Live::new(scenario, seed)?;
        let socket = Socket::bind(listen).map_err(|reason| LinkError::Listen { at: listen, reason })?;
        let listening = socket.address().map_err(LinkError::System)?;
        check_target(to, listening).map_err(|reason| LinkError::To { at: to, reason })?;
        let shared = Arc::new(Shared::default());
        let (sender, results) = sync_channel(1);
        let (told, priorities) = sync_channel(1);
        let mut work = Work::new(live, socket, to, end, shared.clone());
        let run = move || {
            let granted = thread::prepare(priority);
            work.realtime = matches!(granted, Ok(true));
            let fails = granted.is_err();
            // Where nobody takes a result there is nobody to tell.
            let _ = told.send(granted);
            if !fails {
                work.run_and_tell(&sender);
            }
        };
        let named = std::thread::Builder::new().name("parshall-link".into());
        let thread = named.spawn(run).map_err(LinkError::System)?;
        let failed = || LinkError::System(io::Error::other("its thread ended"));
        let realtime = priorities.recv().map_err(|_| failed())??;
        Ok(Running { listening, realtime, shared, results, ended: None, thread: Some(thread) })
    }

    pub fn wait(&mut self, timeout: Duration) -> bool {
        if self.ended.is_none() {
            self.ended = match self.results.recv_timeout(timeout) {
                Ok(ended) => Some(ended),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => {
                    Some(Err(LinkError::System(io::Error::other("its thread ended"))))
                }
            };
        }
        self.ended.is_some()
    }

    pub fn finish(mut self) -> Ended {
        self.shared.stopped.store(true, Relaxed);
        while !self.wait(Duration::from_secs(1)) {}
        self.ended.take().unwrap_or_else(|| Err(LinkError::System(io::Error::other("it was ended twice"))))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

/// Refuses an address that no datagram can be handed over at.
fn check_target(to: SocketAddr, listening: SocketAddr) -> io::Result<()> {
    if to.port() == 0 {
        return Err(io::Error::other("expected a port from 1 to 65535"));
    }
    if is_heard(to, listening) {
        return Err(io::Error::other("it is where the relay listens"));
    }
    Socket::connected(to).map(drop)
}

/// Tells if the relay that listens here would hear what it sends there.
fn is_heard(to: SocketAddr, listening: SocketAddr) -> bool {
    let target = match to.ip() {
        // To any address is to this machine.
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip.to_canonical(),
    };
    // At any address of IPv6 is at those of IPv4 as well.
    let at_any = listening.ip().is_unspecified() && (target.is_ipv4() || listening.is_ipv6());
    let is_own = || !target.is_multicast() && UdpSocket::bind((target, 0)).is_ok();
    to.port() == listening.port() && (target == listening.ip().to_canonical() || (at_any && is_own()))
}

/// A datagram that is due at a time; the number keeps those of one instant in order.
type Due = Reverse<(Time, u64, u32)>;

/// An address that sends datagrams.
struct Peer {
    address: SocketAddr,
    /// The socket by which they go on; none if the peer has been forgotten.
    socket: Option<Socket>,
    /// Datagrams from and to it that are on the link.
    on_link: u32,
    /// Number of the last datagram from or to it, in the order of arrival at the relay.
    last: u64,
}

/// The state of the loop.
struct Work {
    live: Live,
    listening: Socket,
    to: SocketAddr,
    end: Time,
    shared: Arc<Shared>,
    realtime: bool,
    peers: Vec<Peer>,
    by_address: HashMap<SocketAddr, u32>,
    /// Places in `peers` whose peers have been forgotten.
    free: Vec<u32>,
    /// Peers that there have been.
    all_peers: usize,
    /// Datagrams that have come.
    received: u64,
    store: Store,
    due: BinaryHeap<Due>,
    numbered: u64,
    /// The arrival of the first datagram.
    started: Option<Instant>,
    /// Datagrams that have come and are not in order yet.
    came: Vec<(Instant, Given)>,
    buffer: Vec<u8>,
    lateness: Lateness,
    refused: u64,
    undeliverable: u64,
    /// Datagrams that found no room in the sockets of peers that have been forgotten.
    overflowed: u64,
}

impl Work {
    fn new(live: Live, listening: Socket, to: SocketAddr, end: Time, shared: Arc<Shared>) -> Self {
        Work {
            live,
            listening,
            to,
            end,
            shared,
            realtime: false,
            peers: Vec::new(),
            by_address: HashMap::new(),
            free: Vec::new(),
            all_peers: 0,
            received: 0,
            store: Store::default(),
            due: BinaryHeap::new(),
            numbered: 0,
            started: None,
            came: Vec::new(),
            buffer: vec![0; LARGEST],
            lateness: Lateness::default(),
            refused: 0,
            undeliverable: 0,
            overflowed: 0,
        }
    }

    fn run_and_tell(mut self, results: &SyncSender<Ended>) {
        let ended = guarded(|| self.run()).map_err(LinkError::from).and_then(|ended| ended);
        let ended = ended.and_then(|end| guarded(|| self.results(end)).map_err(LinkError::from));
        let _ = results.send(ended);
    }

    /// Relays until the end, and returns it.
    fn run(&mut self) -> Result<Time, LinkError> {
        while !self.shared.stopped.load(Relaxed) && self.now() < self.end {
            self.wait().map_err(LinkError::System)?;
            self.receive().map_err(LinkError::System)?;
            self.decide();
            self.hand_over();
        }
        Ok(self.now().min(self.end))
    }

    fn results(self, end: Time) -> Relayed {
        let (mut overflowed, mut undeliverable) = (self.overflowed, self.undeliverable);
        for socket in self.sockets() {
            overflowed += socket.overflowed();
            undeliverable += socket.undelivered();
        }
        Relayed {
            recording: self.live.finish(end),
            elapsed: Duration::from_nanos(end.ps() / 1000),
            lateness: self.lateness,
            realtime: self.realtime,
            peers: self.all_peers,
            overflowed,
            refused: self.refused,
            undeliverable,
        }
    }

    fn sockets(&self) -> impl Iterator<Item = &Socket> {
        self.peers.iter().filter_map(|peer| peer.socket.as_ref()).chain([&self.listening])
    }

    /// The scenario's time.
    fn now(&self) -> Time {
        self.time_of(Instant::now())
    }

    fn time_of(&self, instant: Instant) -> Time {
        let since = self.started.map_or(Duration::ZERO, |started| instant.saturating_duration_since(started));
        Time::from_ps((since.as_nanos() as u64).saturating_mul(1000))
    }

    /// Waits for a datagram, or until something is due.
    fn wait(&self) -> io::Result<()> {
        let due = self.due.peek().map_or(Time::NEVER, |due| due.0 .0);
        let next = due.min(self.live.next_at()).min(self.end);
        let left = Duration::from_nanos(next.since(self.now()).ps() / 1000);
        let timeout = if self.started.is_some() { left.min(LOOKING) } else { LOOKING };
        let mut fds: Vec<PollFd<'_>> =
            self.sockets().map(|socket| PollFd::new(socket.as_fd(), PollFlags::POLLIN)).collect();
        match ppoll(&mut fds, Some(TimeSpec::from_duration(timeout)), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes in what has come.
    fn receive(&mut self) -> io::Result<()> {
        let clock = RelayClock::now();
        for _ in 0..AT_ONCE {
            let Some(received) = self.listening.receive(&mut self.buffer)? else { break };
            let Some(peer) = received.from.and_then(|from| self.peer(from)) else {
                self.refused += 1;
                continue;
            };
            self.keep(peer, false, received.bytes, received.ecn, clock.instant(received.at));
        }
        for peer in 0..self.peers.len() {
            for _ in 0..AT_ONCE {
                let Some(socket) = &mut self.peers[peer].socket else { break };
                let Some(received) = socket.receive(&mut self.buffer)? else { break };
                self.keep(peer as u32, true, received.bytes, received.ecn, clock.instant(received.at));
            }
        }
        Ok(())
    }

    /// The number of the peer at an address; none if there is no room for another.
    fn peer(&mut self, address: SocketAddr) -> Option<u32> {
        if let Some(&known) = self.by_address.get(&address) {
            return Some(known);
        }
        if self.by_address.len() == MOST_PEERS {
            self.forget_one()?;
        }
        let socket = match Socket::connected(self.to) {
            Ok(socket) => socket,
            Err(_) => {
                // A process may have fewer descriptors than there may be peers.
                self.forget_one()?;
                Socket::connected(self.to).ok()?
            }
        };
        let peer = Peer { address, socket: Some(socket), on_link: 0, last: self.received };
        let number = match self.free.pop() {
            Some(place) => {
                self.peers[place as usize] = peer;
                place
            }
            None => {
                self.peers.push(peer);
                self.peers.len() as u32 - 1
            }
        };
        self.by_address.insert(address, number);
        self.all_peers += 1;
        Some(number)
    }

    /// Forgets the peer that has been silent longest, of those that have nothing on the link; none if all have.
    fn forget_one(&mut self) -> Option<()> {
        let idle = self.peers.iter_mut().enumerate();
        let idle = idle.filter(|(_, peer)| peer.socket.is_some() && peer.on_link == 0);
        let (place, peer) = idle.min_by_key(|(_, peer)| peer.last)?;
        let socket = peer.socket.take()?;
        self.overflowed += socket.overflowed();
        self.undeliverable += socket.undelivered();
        self.by_address.remove(&peer.address);
        self.free.push(place as u32);
        Some(())
    }

    fn keep(&mut self, peer: u32, back: bool, bytes: usize, ecn: u8, at: Instant) {
        let headers = if self.to.is_ipv4() { 28 } else { 48 };
        let size = (bytes + headers).min(usize::from(u16::MAX)) as u16;
        let given = Given { peer, back, bytes: size, ecn_capable: ecn != 0, handle: 0 };
        self.received += 1;
        let from = &mut self.peers[peer as usize];
        from.last = self.received;
        match self.store.keep(given, ecn, &self.buffer[..bytes]) {
            Some(given) => {
                from.on_link += 1;
                self.came.push((at, given));
            }
            None => self.refused += 1,
        }
    }

    /// Removes a datagram that has left the link.
    fn remove(&mut self, handle: u32) {
        self.peers[self.store.get(handle).given.peer as usize].on_link -= 1;
        self.store.remove(handle);
    }

    /// Lets the bottleneck decide about what has come, in order, and go on to now.
    fn decide(&mut self) {
        self.came.sort_by_key(|&(at, given)| (at, given.back));
        let mut came = std::mem::take(&mut self.came);
        for (at, given) in came.drain(..) {
            self.started.get_or_insert(at);
            let at = self.time_of(at).min(self.end - Time::from_ps(1));
            self.live.arrive(at, &given);
        }
        self.came = came;
        if self.started.is_some() {
            let now = self.now();
            self.live.advance(now.min(self.end - Time::from_ps(1)));
            self.shared.elapsed_ns.store(now.ps() / 1000 + 1, Relaxed);
        }
        let mut dropped = Vec::new();
        for decided in self.live.decided() {
            match decided.arrival {
                Some((at, marked)) => {
                    if marked {
                        self.store.mark(decided.handle, MARKED);
                    }
                    self.numbered += 1;
                    self.due.push(Reverse((at, self.numbered, decided.handle)));
                }
                None => dropped.push(decided.handle),
            }
        }
        dropped.into_iter().for_each(|handle| self.remove(handle));
    }

    /// Hands over what is due.
    fn hand_over(&mut self) {
        while let Some(&Reverse((due, _, handle))) = self.due.peek() {
            if due > self.now() {
                return;
            }
            self.due.pop();
            let kept = self.store.get(handle);
            let peer = &self.peers[kept.given.peer as usize];
            let sent = match (kept.given.back, &peer.socket) {
                (true, _) => self.listening.send(&kept.payload, Some(peer.address), kept.ecn),
                (false, Some(socket)) => socket.send(&kept.payload, None, kept.ecn),
                (false, None) => unreachable!("a peer with a datagram on the link is not forgotten"),
            };
            let now = self.now();
            match sent {
                Ok(()) => self.live.delivered(now, &kept.given, kept.payload.len() as u16),
                Err(_) => self.undeliverable += 1,
            }
            self.lateness.add(Duration::from_nanos(now.since(due).ps() / 1000));
            self.remove(handle);
        }
    }
}

/// The relay's clock and the system's at one instant.
struct RelayClock {
    instant: Instant,
    system: Duration,
}

impl RelayClock {
    /// Datagrams do not wait longer than this, unless somebody has set the system's clock.
    const LONGEST: Duration = Duration::from_secs(10);

    fn now() -> Self {
        let system = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        RelayClock { instant: Instant::now(), system }
    }

    /// The instant of a time that the kernel gives; now, if it gives none.
    fn instant(&self, at: Option<Duration>) -> Instant {
        let Some(at) = at else { return self.instant };
        match self.system.checked_sub(at) {
            Some(ago) if ago < RelayClock::LONGEST => self.instant.checked_sub(ago).unwrap_or(self.instant),
            Some(_) => self.instant,
            // It came after the clocks were read.
            None => self.instant + (at - self.system).min(LOOKING),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_hears_itself_at_any_address_of_this_machine() {
        let heard = |to: &str, listening: &str| {
            is_heard(to.parse().expect("an address"), listening.parse().expect("an address"))
        };
        assert!(heard("127.0.0.1:5000", "127.0.0.1:5000"));
        assert!(heard("127.0.0.1:5000", "0.0.0.0:5000"));
        assert!(heard("127.0.0.2:5000", "0.0.0.0:5000"));
        assert!(heard("0.0.0.0:5000", "127.0.0.1:5000"));
        assert!(heard("0.0.0.0:5000", "0.0.0.0:5000"));
        assert!(heard("127.0.0.1:5000", "[::]:5000"));
        assert!(heard("[::ffff:127.0.0.1]:5000", "0.0.0.0:5000"));
        assert!(!heard("127.0.0.1:5001", "0.0.0.0:5000"));
        assert!(!heard("127.0.0.2:5000", "127.0.0.1:5000"));
        assert!(!heard("192.0.2.1:5000", "0.0.0.0:5000"));
        assert!(!heard("[::1]:5000", "0.0.0.0:5000"));
        assert!(!heard("224.0.0.1:5000", "0.0.0.0:5000"));
    }
}
