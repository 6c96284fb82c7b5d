//! A network that carries the datagrams of your own transport, in simulated time.
//!
//! A [`Network`] is made from any scenario: several links, a reverse path, every queue, losses, events, recorded capacity,
//! conditioners. Endpoints of yours are attached to its hosts; the scenario's own flows run beside them as cross traffic.
//! Nothing waits for a clock: a stack without sockets (sans-I/O) goes as fast as it computes, and the same scenario,
//! seed and datagrams give the same arrivals, to the picosecond.
//!
//! ```
//! use parshall_sim::net::{Builder, Datagram, Event};
//! use parshall_sim::scenario::{DropTail, Link, Scenario};
//! use parshall_sim::units::{Rate, Time};
//!
//! let access = Link::new(("client", "router"), Rate::mbit(100.0), Time::ms(1.0));
//! let dsl = Link::new(("router", "server"), Rate::mbit(8.0), Time::ms(10.0)).with_queue(DropTail::packets(20));
//! let mut builder = Builder::new(Scenario::new(Time::from_secs(1.0), [access, dsl], []));
//! let [client, server] = builder.attach("echo", "client", "server")?;
//! let mut network = builder.build()?;
//!
//! network.send(client, Time::ZERO, Datagram::udp(*b"hello"))?;
//! loop {
//!     match network.next()? {
//!         Event::Arrival(arrival) if arrival.endpoint == server => {
//!             network.send(server, arrival.at, arrival.datagram)?;
//!         }
//!         Event::Arrival(arrival) => {
//!             assert_eq!(arrival.datagram.bytes(), b"hello");
//!             assert!(arrival.at > Time::ms(22.0) && arrival.at < Time::ms(22.1));
//!         }
//!         Event::Wake { .. } | Event::Dropped(_) => {}
//!         Event::End => break,
//!     }
//! }
//! let recording = network.finish()?;
//! assert_eq!(recording.table("flows")?.u64("packets_delivered")?, [1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are two ways to drive it. With [`Network::send`], [`Network::wake`] and [`Network::next`] you write the loop, as above. With
//! the trait [`Endpoint`] you write five methods, and [`Network::run`] is the loop.
//!
//! # Time
//!
//! The clock is the network's, from [`Time::ZERO`](crate::units::Time::ZERO) to the scenario's duration. A stack that wants a
//! [`std::time::Instant`] gets `base + Duration::from(now)`, with any `base`. Datagrams that are sent at one instant leave their
//! host in the order of the calls.
//!
//! # What is recorded
//!
//! Ports record datagrams as they record packets of the scenario's flows: counters, series, estimators, packets, and captures
//! with the bytes that the datagrams carry. In the tables, a pair of endpoints is a flow: `source` is the first endpoint, and what
//! the second one sends counts as ACKs. A pair that was never used leaves no trace: the recording is that of the
//! scenario alone.

mod builder;
mod endpoint;
mod error;
mod network;
mod timers;
mod trace;

pub use builder::{Builder, EndpointId};
pub use endpoint::Endpoint;
pub use error::{EndpointFailure, NetworkError};
pub use network::{Arrival, Dropped, Event, Network};
pub use trace::{Trace, TraceEntry, TraceEvent};

pub use crate::outside::{Content, Datagram, DropCause, Ecn, Protocol};
