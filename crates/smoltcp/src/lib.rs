//! [smoltcp]'s TCP in simulated time, over the networks of Parshall.
//!
//! A test of a program on smoltcp wants a network with a rate, a queue, losses and other traffic, and wants the same result each
//! time. Here both stacks run in the simulator: nothing waits for a clock, no socket is opened, and one seed gives the
//! same bytes at the same picoseconds.
//!
//! ```
//! use parshall_sim::scenario::{DropTail, Link, Scenario};
//! use parshall_sim::units::{Rate, Time};
//! use parshall_smoltcp::{CongestionControl, Options, Transfer};
//!
//! // A DSL line: 10 Mbit/s, a round trip of 40 ms, a queue of 50 packets.
//! let line = Link::new(("client", "server"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(DropTail::packets(50));
//! let mut scenario = Scenario::new(Time::from_secs(20.0), [line], []);
//! scenario.warm_up = Time::from_secs(5.0);
//!
//! let transfer = Transfer::endless()
//!     .with_options(Options { control: CongestionControl::Reno, ..Options::default() });
//! let run = transfer.run(scenario.clone(), ["client", "server"], 1)?;
//! assert!(run.goodput() > 9.7e6);
//! let ports = run.recording().table("ports")?;
//! assert!(ports.f64("mean_delay")?[0] < 0.040);
//!
//! let again = transfer.run(scenario, ["client", "server"], 1)?;
//! assert_eq!(run.digest(), again.digest());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Programs of your own
//!
//! [`Transfer`] sends a stream from one host to the other and checks each byte of it. A program of your own implements
//! [`Application`]: it gets the interface and the sockets of smoltcp whenever something has happened, and does with them what
//! it does in a device. A [`Host`] runs it, and is an [`Endpoint`](parshall_sim::net::Endpoint), which
//! [`Network::run`](parshall_sim::net::Network::run) drives beside any others and beside the scenario's own flows.
//!
//! ```
//! use parshall_sim::net::Builder;
//! use parshall_sim::scenario::{Link, Scenario};
//! use parshall_sim::units::{Rate, Time};
//! use parshall_smoltcp::smoltcp::iface::{Interface, SocketHandle, SocketSet};
//! use parshall_smoltcp::smoltcp::socket::udp::{PacketBuffer, PacketMetadata, Socket};
//! use parshall_smoltcp::{address, Application, Host, Options};
//!
//! /// Says hello to a peer, or waits for it.
//! struct Greeter {
//!     socket: SocketHandle,
//!     heard_at: Option<Time>,
//! }
//!
//! fn buffer() -> PacketBuffer<'static> {
//!     PacketBuffer::new(vec![PacketMetadata::EMPTY; 4], vec![0; 1000])
//! }
//!
//! impl Application for Greeter {
//!     fn poll(&mut self, now: Time, _: &mut Interface, sockets: &mut SocketSet<'static>) {
//!         if sockets.get_mut::<Socket>(self.socket).recv().is_ok() {
//!             self.heard_at = Some(now);
//!         }
//!     }
//! }
//!
//! let link = Link::new(("a", "b"), Rate::mbit(10.0), Time::ms(20.0));
//! let mut builder = Builder::new(Scenario::new(Time::from_secs(1.0), [link], []));
//! let ends = builder.attach("greeting", "a", "b")?;
//! let options = Options::default();
//! let mut hosts = ends.map(|end| {
//!     let mut sockets = SocketSet::new(Vec::new());
//!     let mut socket = Socket::new(buffer(), buffer());
//!     socket.bind(7).expect("a free port");
//!     let socket = sockets.add(socket);
//!     Host::new(end, &options, 1, sockets, Greeter { socket, heard_at: None })
//! });
//! let [a, b] = &mut hosts;
//! let socket = a.application.socket;
//! a.sockets.get_mut::<Socket>(socket).send_slice(b"hello", (address(ends[1], options.version), 7))?;
//! builder.build()?.run(&mut [(ends[0], a), (ends[1], b)])?;
//! // 33 bytes at 10 Mbit/s, and 20 ms.
//! assert_eq!(hosts[1].application.heard_at, Some(Time::us(20_026.4)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Time
//!
//! The network counts in picoseconds and smoltcp in microseconds. A host reads its clock as a microcontroller does: the
//! microseconds that are over. A timer of smoltcp comes at its microsecond, exactly; one that has passed comes at the next. A packet
//! that arrives within a microsecond is answered then, not at its end.
//!
//! # smoltcp 0.14.0
//!
//! The version is pinned, since results depend on it. [The README] says where its CUBIC differs from RFC 9438, and what a sender
//! without congestion control does to itself.
//!
//! [The README]: https://docs.rs/parshall-smoltcp

mod application;
mod clock;
mod device;
mod digest;
mod host;
mod options;
mod packet;
mod stream;
mod transfer;

pub use application::Application;
pub use host::{address, Host};
pub use options::{IpVersion, Options};
#[doc(no_inline)]
pub use smoltcp;
#[doc(no_inline)]
pub use smoltcp::socket::tcp::CongestionControl;
pub use stream::{Receiver, Sender};
pub use transfer::{Pair, Run, Transfer};

/// The examples of the README, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
