//! One side of a connection, as an endpoint of a network.

use std::collections::VecDeque;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use parshall_sim::net::{Datagram, Ecn, Endpoint};
use parshall_sim::units::Time;
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, DatagramEvent, EcnCodepoint, EndpointConfig,
    Event, Incoming, ServerConfig, Transmit,
};

use super::tls::SERVER_NAME;
use super::transfers::Transfers;
use super::{Application, SimError, TransferId};

/// Addresses of both sides, from a block for documentation (RFC 5737).
const CLIENT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 50_000);
const SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2)), 443);

/// One side of a connection: quinn's endpoint, its connection, and what it transfers. It is an [`Endpoint`] of a
/// [`Network`](parshall_sim::net::Network).
pub struct Peer {
    endpoint: quinn_proto::Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    remote: SocketAddr,
    /// The instant at which simulated time is zero.
    base: Instant,
    pub(super) transfers: Transfers,
    own: Option<Box<dyn Application>>,
    /// Datagrams that belong to no connection.
    responses: VecDeque<Datagram>,
    now: Time,
    /// True after events that the application does not know.
    is_stale: bool,
    is_connected: bool,
    /// True if the run is to go on although there is no more to do.
    pub(super) goes_on: bool,
    lost: Option<ConnectionError>,
    failure: Option<String>,
}

/// A client and a server, for a network of your own: two connections beside each other, say. Equal seeds draw equal random numbers, but for
/// keys.
///
/// # Errors
/// If the client's configuration is refused.
pub fn peers(
    client: ClientConfig,
    server: ServerConfig,
    endpoint: EndpointConfig,
    seed: u64,
) -> Result<(Peer, Peer), SimError> {
    let base = Instant::now();
    let endpoint = Arc::new(endpoint);
    let made = |server, number| {
        let mut bytes = [number; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        quinn_proto::Endpoint::new(endpoint.clone(), server, true, Some(bytes))
    };
    let mut initiating = made(None, 1);
    let connection = initiating
        .connect(base, client, SERVER, SERVER_NAME)
        .map_err(|fault| SimError::Setup(format!("client's configuration: {fault}")))?;
    let answering = made(Some(Arc::new(server)), 2);
    Ok((Peer::new(initiating, Some(connection), SERVER, base), Peer::new(answering, None, CLIENT, base)))
}

impl Peer {
    fn new(
        endpoint: quinn_proto::Endpoint,
        connection: Option<(ConnectionHandle, Connection)>,
        remote: SocketAddr,
        base: Instant,
    ) -> Self {
        Peer {
            endpoint,
            connection,
            remote,
            base,
            transfers: Transfers::default(),
            own: None,
            responses: VecDeque::new(),
            now: Time::ZERO,
            is_stale: true,
            is_connected: false,
            goes_on: false,
            lost: None,
            failure: None,
        }
    }

    /// Sends so many bytes on a stream of its own, from `at` on, or as soon as the connection stands. With [`UNBOUNDED`](super::UNBOUNDED)
    /// it sends to the end of the run.
    pub fn send(&mut self, at: Time, bytes: u64) -> TransferId {
        self.is_stale = true;
        self.transfers.add(at, bytes, None)
    }

    /// Sends a request on a stream of its own, to which the other side answers with so many bytes. A request has at least the 8 bytes
    /// that tell the length of its answer.
    pub fn request(&mut self, at: Time, bytes: u64, answer: u64) -> TransferId {
        self.is_stale = true;
        self.transfers.add(at, bytes, Some(answer))
    }

    /// Sets the priority of a transfer's stream, which has to begin yet; see [`quinn_proto::SendStream::set_priority`].
    pub fn set_priority(&mut self, transfer: TransferId, priority: i32) {
        self.transfers.set_priority(transfer, priority);
    }

    /// Puts an application in the place of transfers.
    pub fn set_application(&mut self, application: impl Application + 'static) {
        self.is_stale = true;
        self.own = Some(Box::new(application));
    }

    /// Counts what arrives from this instant on for the goodput.
    pub fn count_from(&mut self, warm_up: Time) {
        self.transfers.count_from = warm_up;
    }

    /// The connection; `None` at a server that no client has reached.
    pub fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref().map(|(_, connection)| connection)
    }

    /// The connection, to do with it whatever quinn can. What it has to send leaves when the run goes on.
    pub fn connection_mut(&mut self) -> Option<&mut Connection> {
        self.is_stale = true;
        self.connection.as_mut().map(|(_, connection)| connection)
    }

    /// The instant that quinn is given for a simulated time.
    pub fn instant(&self, time: Time) -> Instant {
        self.base + Duration::from(time)
    }

    /// The reason why the connection has ended, if it has.
    pub fn lost(&self) -> Option<&ConnectionError> {
        self.lost.as_ref()
    }

    fn application(&mut self) -> &mut dyn Application {
        match &mut self.own {
            Some(own) => own.as_mut(),
            None => &mut self.transfers,
        }
    }

    /// The simulated time of an instant that quinn gives.
    fn time(&self, instant: Instant) -> Time {
        instant.saturating_duration_since(self.base).into()
    }

    fn handle(&mut self, datagram: Datagram) {
        let now = self.instant(self.now);
        let ecn = EcnCodepoint::from_bits(datagram.ecn().bits());
        let data = BytesMut::from(Bytes::from(datagram.into_bytes()));
        let mut response = Vec::new();
        match self.endpoint.handle(now, self.remote, None, ecn, data, &mut response) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.accept(incoming, now, response),
            Some(DatagramEvent::Response(transmit)) => {
                self.responses.push_back(on_wire(response, &transmit));
            }
            None => {}
        }
    }

    /// Accepts the first connection; others are refused.
    fn accept(&mut self, incoming: Incoming, now: Instant, mut response: Vec<u8>) {
        if self.connection.is_some() {
            let transmit = self.endpoint.refuse(incoming, &mut response);
            return self.responses.push_back(on_wire(response, &transmit));
        }
        match self.endpoint.accept(incoming, now, &mut response, None) {
            Ok(accepted) => self.connection = Some(accepted),
            Err(refused) => {
                self.failure = Some(format!("connection not accepted: {}", refused.cause));
                if let Some(transmit) = refused.response {
                    self.responses.push_back(on_wire(response, &transmit));
                }
            }
        }
    }

    /// Tells the application what has happened, until nothing happens any more.
    fn work(&mut self) {
        self.is_stale = false;
        loop {
            let Some((handle, connection)) = &mut self.connection else { return };
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            let events: Vec<_> = std::iter::from_fn(|| connection.poll()).collect();
            events.iter().for_each(|event| self.note(event));
            let now = self.now;
            let Some((handle, mut connection)) = self.connection.take() else { return };
            let worked = self.application().work(now, &mut connection, &events);
            self.connection = Some((handle, connection));
            if let Err(fault) = worked {
                self.failure.get_or_insert(fault);
            }
            if events.is_empty() {
                return;
            }
        }
    }

    fn note(&mut self, event: &Event) {
        match event {
            Event::Connected => self.is_connected = true,
            Event::ConnectionLost { reason } => {
                let was_closed =
                    matches!(reason, ConnectionError::LocallyClosed | ConnectionError::ApplicationClosed(_));
                if !was_closed {
                    self.failure.get_or_insert(format!("connection lost: {reason}"));
                }
                self.lost = Some(reason.clone());
            }
            _ => {}
        }
    }
}

impl Endpoint for Peer {
    fn receive(&mut self, now: Time, datagram: Datagram) {
        self.now = now;
        self.handle(datagram);
        self.work();
    }

    fn expire(&mut self, now: Time) {
        self.now = now;
        let instant = self.instant(now);
        if let Some((_, connection)) = &mut self.connection {
            if connection.poll_timeout().is_some_and(|at| at <= instant) {
                connection.handle_timeout(instant);
            }
        }
        self.work();
    }

    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        self.now = now;
        if self.is_stale {
            self.work();
        }
        if let Some(response) = self.responses.pop_front() {
            return Some(response);
        }
        let instant = self.instant(now);
        let (_, connection) = self.connection.as_mut()?;
        let mut bytes = Vec::new();
        // One at a time: batches are for system calls.
        let transmit = connection.poll_transmit(instant, 1, &mut bytes)?;
        Some(on_wire(bytes, &transmit))
    }

    fn timer(&mut self) -> Option<Time> {
        let instant = self.connection.as_mut().and_then(|(_, connection)| connection.poll_timeout());
        let expires = instant.map(|at| self.time(at));
        [expires, self.application().timer()].into_iter().flatten().min()
    }

    fn is_done(&self) -> bool {
        let application: &dyn Application = self.own.as_deref().unwrap_or(&self.transfers);
        match self.connection() {
            // What closes it may have to be sent again.
            Some(connection) if connection.is_closed() => connection.is_drained() && !self.goes_on,
            _ => self.is_connected && application.is_done() && !self.goes_on,
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Peer");
        shown.field("remote", &self.remote).field("now", &self.now).field("lost", &self.lost);
        shown.finish_non_exhaustive()
    }
}

/// Makes a datagram of the bytes that quinn has written.
fn on_wire(mut bytes: Vec<u8>, transmit: &Transmit) -> Datagram {
    bytes.truncate(transmit.size);
    Datagram::udp(bytes).with_ecn(transmit.ecn.map_or(Ecn::NotEct, |ecn| Ecn::from_bits(ecn as u8)))
}
