//! quinn in simulated time: a client and a server over a network of [`parshall_sim`], for tests of what goes over QUIC.
//!
//! Feature `sim`. A [`Pair`] is quinn's own protocol code (`quinn-proto`), twice, with a simulated network where sockets would be.
//! Nothing waits: 20 s of a transfer take a fraction of a second, and equal seeds give equal runs.
//!
//! ```
//! use parshall_quinn::sim::{Setup, UNBOUNDED};
//! use parshall_sim::net::Builder;
//! use parshall_sim::scenario::{CoDel, Link, Scenario};
//! use parshall_sim::units::{Rate, Time};
//!
//! let dsl = Link::new(("home", "server"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(CoDel::default());
//! let scenario = Scenario::new(Time::from_secs(10.0), [dsl], []);
//! let mut pair = Setup::between(Builder::new(scenario), "home", "server")?.seed(7).build()?;
//! pair.client.send(Time::ZERO, UNBOUNDED);
//! let call = pair.client.request(Time::from_secs(5.0), 200, 20_000);
//! let run = pair.run()?;
//!
//! assert!(run.server.goodput > 8.5e6);
//! // The call shares the connection with the upload, and comes back within a few round trips.
//! let took = run.client.transfer(call).completion_time().expect("an answer");
//! assert!(took < Time::ms(250.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What can be transferred
//!
//! Each side has [`Peer::send`] and [`Peer::request`], which need no code of yours: both sides know what to do with such streams. For all
//! else there are two ways. [`Peer::set_application`] takes an [`Application`], which is called whenever something has happened to the
//! connection. Or drive the pair in steps, and use the connection between them:
//!
//! ```
//! use parshall_quinn::sim::Setup;
//! use parshall_sim::net::Builder;
//! use parshall_sim::scenario::{Link, Scenario};
//! use parshall_sim::units::{Rate, Time};
//! use quinn_proto::Dir;
//!
//! let link = Link::new(("a", "b"), Rate::mbit(10.0), Time::ms(20.0));
//! let mut pair = Setup::between(Builder::new(Scenario::new(Time::from_secs(1.0), [link], [])), "a", "b")?.build()?;
//! pair.drive()?; // Neither side has anything to transfer, so that it is done after the handshake.
//! let connection = pair.client.connection_mut().expect("a connection");
//! connection.datagrams().send(b"hello"[..].into(), true)?;
//! pair.drive_until(pair.network.now() + Time::ms(30.0))?;
//! let connection = pair.server.connection_mut().expect("a connection");
//! assert_eq!(connection.datagrams().recv().as_deref(), Some(&b"hello"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Both sides are [endpoints](parshall_sim::net::Endpoint) of a network, and [`peers`] makes them without one: any number of connections
//! go over one network, beside its own flows and other endpoints.
//!
//! # What is the same in each run
//!
//! Times, sizes and ECN bits of all datagrams: random numbers of quinn come from the seed, and the certificate, which [`configs`] makes for
//! tests alone, has a constant length. Bytes differ, since TLS draws its keys by itself.
//!
//! # Errors
//!
//! A lost connection ends the run with an error, which names the side, the simulated time and the call. One that either side has
//! closed is no error.

mod application;
mod error;
mod pair;
mod peer;
mod setup;
mod tls;
mod transfers;

pub use application::Application;
pub use error::SimError;
pub use pair::{Pair, Report, Run, TransferReport};
pub use peer::{peers, Peer};
pub use setup::Setup;
pub use tls::{configs, SERVER_NAME};
pub use transfers::{TransferId, UNBOUNDED};
