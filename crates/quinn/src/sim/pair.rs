//! A client and a server over a network.

use parshall_sim::net::{EndpointId, Network, NetworkError, Trace};
use parshall_sim::units::Time;
use parshall_sim::Recording;
use quinn_proto::{Connection, ConnectionStats};

use super::{Peer, SimError, TransferId};

/// A client and a server over a network, in simulated time.
#[derive(Debug)]
pub struct Pair {
    /// The network between them.
    pub network: Network,
    pub(super) ends: [EndpointId; 2],
    pub(super) warm_up: Time,
    /// The side that connects.
    pub client: Peer,
    /// The side that is connected to.
    pub server: Peer,
}

/// Results of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Run {
    /// The client's part.
    pub client: Report,
    /// The server's part.
    pub server: Report,
    /// The network's recording.
    pub recording: Recording,
    /// Datagrams that both sides sent and received. Its times, sizes and ECN bits are a matter of the seed; bytes are not, since keys are random.
    pub trace: Trace,
    /// The end of the run.
    pub ended: Time,
}

/// Results of one side.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Bytes that it has read from streams.
    pub received_bytes: u64,
    /// Bits a second that it read from streams after the scenario's warm-up; 0 if the run ended before.
    pub goodput: f64,
    /// quinn's statistics; `None` if there was no connection.
    pub stats: Option<ConnectionStats>,
    /// Its transfers, in the order in which they were added.
    pub transfers: Vec<TransferReport>,
}

/// Fate of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransferReport {
    /// When it was to begin.
    pub at: Time,
    /// Bytes of its stream.
    pub bytes: u64,
    /// Bytes of the answer, if it is a request.
    pub answer: Option<u64>,
    /// When the receiver had read all, or the sender the whole answer; `None` if the run ended before.
    pub finished: Option<Time>,
}

impl TransferReport {
    /// Time from when it was to begin to its end; `None` if it has not ended.
    pub fn completion_time(&self) -> Option<Time> {
        Some(self.finished? - self.at)
    }
}

impl Report {
    /// Looks up a transfer of this side.
    pub fn transfer(&self, TransferId(number): TransferId) -> TransferReport {
        self.transfers[number]
    }
}

impl Pair {
    /// The endpoints of client and server.
    pub fn endpoints(&self) -> [EndpointId; 2] {
        self.ends
    }

    /// Goes on until both sides are done, or to the end of the scenario.
    ///
    /// # Errors
    /// If a connection is lost, an application fails, or the simulation does. [`Pair::finish`] then has what came before.
    pub fn drive(&mut self) -> Result<(), SimError> {
        self.go_on(Time::NEVER, false)
    }

    /// Goes on to an instant, whether or not there is something to do.
    ///
    /// # Errors
    /// As [`Pair::drive`].
    pub fn drive_until(&mut self, limit: Time) -> Result<(), SimError> {
        self.go_on(limit, true)
    }

    fn go_on(&mut self, limit: Time, without_work: bool) -> Result<(), SimError> {
        (self.client.goes_on, self.server.goes_on) = (without_work, without_work);
        let [client, server] = self.ends;
        let driven =
            self.network.run_until(limit, &mut [(client, &mut self.client), (server, &mut self.server)]);
        Ok(driven?)
    }

    /// Ends the run and returns its results so far.
    ///
    /// # Errors
    /// If memory runs low.
    pub fn finish(self) -> Result<Run, SimError> {
        let Pair { network, client, server, warm_up, .. } = self;
        let ended = network.now();
        let trace = network.trace().cloned().unwrap_or_default();
        let recording = network.finish().map_err(NetworkError::from)?;
        let counted = (ended.max(warm_up) - warm_up).secs();
        let report = |own: &Peer, other: &Peer| own.report(other, counted);
        let (client, server) = (report(&client, &server), report(&server, &client));
        Ok(Run { client, server, recording, trace, ended })
    }

    /// Goes on until both sides are done, or to the end of the scenario, and tells what the run gave.
    ///
    /// # Errors
    /// As [`Pair::drive`] and [`Pair::finish`].
    pub fn run(mut self) -> Result<Run, SimError> {
        self.drive()?;
        self.finish()
    }
}

impl Peer {
    /// Results of this side; the other one knows when its sends arrived.
    fn report(&self, other: &Peer, counted_secs: f64) -> Report {
        let transfers = self.transfers.list.iter().map(|transfer| {
            let reader = if transfer.answer.is_some() { self } else { other };
            let received = transfer.stream.and_then(|id| reader.transfers.received.get(&id));
            TransferReport {
                at: transfer.at,
                bytes: transfer.bytes,
                answer: transfer.answer,
                finished: received.and_then(|received| received.finished),
            }
        });
        let bits = 8.0 * self.transfers.counted as f64;
        Report {
            received_bytes: self.transfers.bytes,
            goodput: if counted_secs > 0.0 { bits / counted_secs } else { 0.0 },
            stats: self.connection().map(Connection::stats),
            transfers: transfers.collect(),
        }
    }
}
