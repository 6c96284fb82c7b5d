//! A transfer from one host to another, and what came of it.

use std::fmt;

use parshall_sim::net::{Builder, Endpoint, EndpointId, NetworkError, Protocol, Trace};
use parshall_sim::scenario::Scenario;
use parshall_sim::units::Time;
use parshall_sim::Recording;
use smoltcp::iface::SocketSet;
use smoltcp::socket::tcp::{Socket, SocketBuffer};

use crate::host::{address, Host};
use crate::options::Options;
use crate::stream::{Content, Receiver, Sender};

/// Name of the pair of endpoints that [`Transfer::run`] attaches.
const NAME: &str = "transfer";
/// Port of the receiver.
const PORT: u16 = 80;
/// Port of the sender: the first that is nobody's (RFC 6335).
const SENDER_PORT: u16 = 49_152;

/// A stream that one host sends to another by smoltcp's TCP.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    bytes: u64,
    options: Options,
}

impl Transfer {
    /// A stream of so many bytes. The run ends when both hosts have closed the connection.
    pub fn of(bytes: u64) -> Self {
        Transfer { bytes, options: Options::default() }
    }

    /// A stream without an end. The run goes on to the end of the scenario.
    pub fn endless() -> Self {
        Transfer::of(u64::MAX)
    }

    /// The transfer with these settings, for both hosts.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The two hosts of the transfer, for a network with other endpoints besides. What [`Receiver::counted`] counts came at
    /// `count_from` or later. The sender is the first endpoint.
    pub fn between(&self, ends: [EndpointId; 2], seed: u64, count_from: Time) -> Pair {
        let Transfer { bytes, options } = self;
        let content = Content::new(seed);
        let mut sockets = [self.socket(), self.socket()];
        let receiver_socket = &mut sockets[1];
        receiver_socket.listen(PORT).unwrap_or_else(|fault| panic!("listen at port {PORT}: {fault}"));
        let [(sender_sockets, sender), (receiver_sockets, receiver)] = sockets.map(|socket| {
            let mut set = SocketSet::new(Vec::new());
            let handle = set.add(socket);
            (set, handle)
        });
        let to = (address(ends[1], options.version), PORT).into();
        let sender = Sender::new(sender, to, SENDER_PORT, *bytes, content.clone());
        let receiver = Receiver::new(receiver, count_from, content);
        Pair {
            ends,
            sender: Host::new(ends[0], options, seed, sender_sockets, sender),
            receiver: Host::new(ends[1], options, seed, receiver_sockets, receiver),
        }
    }

    /// Runs the transfer in a scenario, from the first of these hosts to the second, beside the scenario's own flows.
    ///
    /// # Errors
    /// If the scenario cannot be run, or has no such hosts; if its simulation ends before its end; or if a byte arrives that
    /// was not sent.
    pub fn run(&self, scenario: Scenario, between: [&str; 2], seed: u64) -> Result<Run, NetworkError> {
        let warm_up = scenario.warm_up;
        let mut builder = Builder::new(scenario).seed(seed).mtu(self.options.mtu).traced();
        let ends = builder.attach(NAME, between[0], between[1])?;
        builder.set_protocol(ends[0], Protocol::Tcp);
        let mut network = builder.build()?;
        let mut pair = self.between(ends, seed, warm_up);
        network.run(&mut pair.endpoints())?;
        let trace = network.trace().cloned().unwrap_or_default();
        let ended_at = network.now();
        Ok(Run { pair, warm_up, ended_at, trace, recording: network.finish()? })
    }

    fn socket(&self) -> Socket<'static> {
        let options = &self.options;
        let buffer = |bytes| SocketBuffer::new(vec![0; bytes]);
        let mut socket = Socket::new(buffer(options.receive_buffer), buffer(options.send_buffer));
        socket.set_congestion_control(options.control);
        socket.set_ack_delay(options.ack_delay.map(smoltcp::time::Duration::from));
        socket.set_nagle_enabled(options.nagle);
        socket
    }
}

/// The two hosts of a transfer.
#[derive(Debug)]
pub struct Pair {
    ends: [EndpointId; 2],
    /// The one that sends.
    pub sender: Host<Sender>,
    /// The one that receives.
    pub receiver: Host<Receiver>,
}

impl Pair {
    /// Both, as [`Network::run`](parshall_sim::net::Network::run) takes them.
    pub fn endpoints(&mut self) -> [(EndpointId, &mut dyn Endpoint); 2] {
        [(self.ends[0], &mut self.sender), (self.ends[1], &mut self.receiver)]
    }
}

/// Outcome of a transfer.
pub struct Run {
    pair: Pair,
    warm_up: Time,
    ended_at: Time,
    trace: Trace,
    recording: Recording,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let receiver = &self.pair.receiver.application;
        f.debug_struct("Run")
            .field("receiver", receiver)
            .field("ended_at", &self.ended_at)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// Bits per second that reached the receiver's program from the warm-up to the end of the stream, or to that of the
    /// scenario. NaN if there is no time between.
    pub fn goodput(&self) -> f64 {
        let end = self.completed_at().unwrap_or(self.ended_at);
        8.0 * self.pair.receiver.application.counted() as f64 / end.since(self.warm_up).secs()
    }

    /// Bytes that reached the receiver's program, in order and each as it was sent.
    pub fn received(&self) -> u64 {
        self.pair.receiver.application.received()
    }

    /// When the end of the stream reached the receiver's program.
    pub fn completed_at(&self) -> Option<Time> {
        self.pair.receiver.application.completed_at()
    }

    /// The tables of the scenario. The flow `transfer` is this one; what counts as delivered is the payload of TCP, with what
    /// arrived twice.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// All packets that were sent and received.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// A hash of the trace and of all bytes of all packets that the hosts sent.
    pub fn digest(&self) -> [u64; 3] {
        [self.trace.digest(), self.pair.sender.digest(), self.pair.receiver.digest()]
    }

    /// The two hosts, with smoltcp's interfaces and sockets as they were at the end.
    pub fn hosts(&self) -> &Pair {
        &self.pair
    }
}
