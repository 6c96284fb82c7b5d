//! A relay's thread: how it is started, asked, and ended.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parshall_sim::net::{Builder, EndpointId, Network};
use parshall_sim::scenario::Scenario;
use parshall_sim::units::Time;
use parshall_sim::{RunError, ScenarioError};

use crate::socket::Socket;
use crate::work::Work;
use crate::{thread, LinkError, Options, Relayed};

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
    pub stopped: AtomicBool,
    /// Nanoseconds since the first datagram, and one; 0 before it.
    pub elapsed_ns: AtomicU64,
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
        let (network, pairs) = network(scenario, seed)?;
        let socket = Socket::bind(listen).map_err(|reason| LinkError::Listen { at: listen, reason })?;
        let listening = socket.address().map_err(LinkError::System)?;
        check_target(to, listening).map_err(|reason| LinkError::To { at: to, reason })?;
        let shared = Arc::new(Shared::default());
        let (sender, results) = sync_channel(1);
        let (told, priorities) = sync_channel(1);
        let mut work = Work::new(network, pairs, socket, to, shared.clone()).map_err(LinkError::System)?;
        let run = move || {
            let granted = thread::prepare(priority);
            work.realtime = matches!(granted, Ok(true));
            let fails = granted.is_err();
            // Where nobody takes a result there is nobody to tell.
            let _ = told.send(granted);
            if !fails {
                let _ = sender.send(work.run());
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

/// The network of a scenario whose flows are carried by endpoints, and these.
fn network(scenario: Scenario, seed: u64) -> Result<(Network, Vec<[EndpointId; 2]>), LinkError> {
    let faulty = |fault: ScenarioError| LinkError::Scenario(RunError::from(fault));
    parshall_sim::check(&scenario).map_err(faulty)?;
    let names: Vec<_> = scenario.flows.iter().map(|flow| flow.name.clone()).collect();
    let mut builder = Builder::new(scenario).seed(seed);
    let pairs = names.iter().map(|name| builder.replace(name)).collect::<Result<_, _>>()?;
    // Parts that are about TCP find none.
    parshall_sim::check(builder.scenario_mut()).map_err(
        |ScenarioError { path, value, expected, .. }| {
            let expected = format!("{expected}; a relay puts sockets in the place of flows");
            faulty(ScenarioError::new(path, value, expected))
        },
    )?;
    Ok((builder.build()?, pairs))
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
