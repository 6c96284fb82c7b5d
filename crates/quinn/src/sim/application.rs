//! Applications over a connection.

use parshall_sim::units::Time;
use quinn_proto::{Connection, Event};

/// An application over one side of a connection, in place of the transfers that [`Peer`](super::Peer) has by itself.
pub trait Application: Send {
    /// Something has happened to the connection: datagrams or timers gave these events, or [`Application::timer`] has expired. Streams
    /// are opened, written and read here. What is written leaves at this instant if the connection lets it.
    ///
    /// # Errors
    /// The reason why the application cannot go on, which ends the run.
    fn work(&mut self, now: Time, connection: &mut Connection, events: &[Event]) -> Result<(), String>;

    /// The next instant at which it wants to work although nothing happens to the connection.
    fn timer(&self) -> Option<Time> {
        None
    }

    /// True once it has no more to do. A run ends when both sides say so.
    fn is_done(&self) -> bool;
}
