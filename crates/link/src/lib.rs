//! A network in real time: a UDP relay over the links, queues, losses, conditioners, recorded capacity and events of a scenario of
//! [`parshall_sim`]. The engine carries the datagrams, as [`parshall_sim::net`] does in simulated time.
//!
//! ```no_run
//! use std::time::Duration;
//! use parshall_link::{Options, Relay};
//! use parshall_sim::scenario::{DropTail, Flow, Link, Scenario, Tcp};
//! use parshall_sim::units::{Rate, Time};
//!
//! let link = Link::new(("a", "b"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(DropTail::packets(50));
//! let scenario = Scenario::new(Time::from_secs(30.0), [link], [Flow::bulk("f", "a", "b", Tcp::default())]);
//! let options = Options::new("127.0.0.1:5000".parse()?, "127.0.0.1:6000".parse()?);
//! let mut relay = Relay::start(scenario, &options)?;
//! // A client that sends to port 5000 now reaches the server at port 6000 over this network.
//! while !relay.wait(Duration::from_secs(1)) {}
//! let relayed = relay.finish()?;
//! println!("{:?}", relayed.lateness.quantile(0.99));
//! println!("{:?}", relayed.recording.table("ports")?.u64("packets_dropped")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Time
//!
//! The scenario's clock starts with the first datagram. Each datagram enters the network at the time at which the kernel took it
//! in, so that queues decide as if the relay were never late. What arrives at the far end can be handed over late, and [`Lateness`]
//! says by how much. On Linux the relay asks for real-time priority ([`Priority`]).
//!
//! # Addresses
//!
//! Each address that sends to the relay is a peer, with a socket of its own towards the server, as behind a router that
//! translates addresses. The first peer stands for the first flow of the scenario, the second for the second one, further ones
//! for the last: their datagrams go where these flows go, and the recording counts them there. Of the scenario's flows nothing
//! else matters, neither transport nor application. There are at most 500
//! peers at a time; a further one takes the place, and the flow, of the one that has been silent longest.
//!
//! # Headers
//!
//! The code point of differentiated services and the bits of ECN with which a datagram comes are those of its packet: queues and
//! conditioners go by them and change them, and the datagram leaves with what became of them.
//!
//! The relay runs on Linux; elsewhere [`Relay::start`] returns [`LinkError::System`].

mod error;
mod lateness;
mod options;
mod relay;

#[cfg(target_os = "linux")]
mod clock;
#[cfg(target_os = "linux")]
mod peers;
#[cfg(target_os = "linux")]
mod ready;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod socket;
#[cfg(target_os = "linux")]
mod thread;
#[cfg(target_os = "linux")]
mod work;

pub use error::LinkError;
pub use lateness::Lateness;
pub use options::{Options, Priority};
pub use relay::{Relay, Relayed};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
