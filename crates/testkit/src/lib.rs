//! Ready networks and assertions for tests of transport protocols, in simulated time.
//!
//! A stack without sockets and without a clock (sans-I/O: quinn-proto, smoltcp, or one of your own) is an
//! [`Endpoint`](parshall_sim::net::Endpoint) of the network simulator [`parshall_sim`]. This crate has the networks that its author
//! wants to see it on, and what is to be asserted there. A run of 20 s takes a fraction of a second, and one seed gives
//! one trace, to the picosecond.
//!
//! ```
//! use parshall_sim::units::Time;
//! use parshall_testkit::reference::{Receiver, Sender};
//!
//! let mut run = parshall_testkit::dsl().seed(7).build()?;
//! let (mut client, mut server) = (Receiver::new(), Sender::bulk());
//! run.drive(&mut client, &mut server)?;
//!
//! let report = run.finish()?.with_marks(client.marks().clone());
//! report.goodput_at_least(0.9).p95_delay_at_most(Time::ms(80.0));
//! # Ok::<(), parshall_sim::net::NetworkError>(())
//! ```
//!
//! [`mod@reference`] is a small sender and receiver to try things with: your own stack stands in its place.
//!
//! # Networks
//!
//! Each is a function that returns a [`Kit`], and its documentation says where the numbers come from. [`all()`] has them all, for tests that go
//! from one to the next. [`Kit::scenario_mut`] changes anything, [`Kit::with_linux_cubic`] adds cross traffic. Data goes from the
//! server to the client unless [`Kit::upload`] turns that around.
//!
#![doc = include_str!("networks.md")]
//!
//! # When an assertion fails
//!
//! It panics with one message: what was expected and what came out, the network and its seed, the picture of the run (SVG:
//! goodput, time in queues, losses), and what the endpoints sent and received around the worst instant. Pictures are
//! below `target/parshall-testkit/`, or in the folder that the environment variable `PARSHALL_TESTKIT_OUT` names. [`Report::check`] has
//! the same assertions as results.
//!
//! # What a stack says of itself
//!
//! Packets do not show what the application got, nor whether a packet of QUIC repeats another one. A stack notes both in
//! [`Marks`]; for TCP in IP packets [`TcpWatch`] reads it off the sequence numbers. Without marks goodput is the payload of arriving
//! datagrams.

mod cell;
mod checks;
mod failure;
mod kit;
mod marks;
mod networks;
mod path;
mod picture;
pub mod reference;
mod report;
mod run;
mod tcp;

pub use checks::{check_same_trace_twice, same_trace_twice, Checks};
pub use failure::Failure;
pub use kit::{Kit, BOTTLENECK, CLIENT, SERVER};
pub use marks::Marks;
pub use networks::{
    all, bufferbloat, codel, dsl, ecn_bleaching, fq_codel, handover, lan, lte, one_percent_loss,
    path_mtu_1280, satellite, shallow_buffer, wifi_like,
};
pub use report::{Delay, Report};
pub use run::Run;
pub use tcp::TcpWatch;

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
