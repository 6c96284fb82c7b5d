//! A packet-level network simulator: TCP, queue disciplines, DiffServ and traffic at congested links.
//!
//! A [`Scenario`](scenario::Scenario) is a plain value: built in Rust, as below, or read from TOML
//! or JSON ([`Scenario::from_toml`](scenario::Scenario::from_toml)). [`run()`] runs it with a seed, and a
//! [`Recording`] is what is left: tables of named columns. Equal scenario and seed give an equal recording, bit for bit,
//! on any machine and any number of threads.
//!
//! ```
//! use parshall_sim::scenario::{DropTail, Flow, Link, Scenario, Tcp};
//! use parshall_sim::units::{Rate, Time};
//!
//! let duration = Time::from_secs(10.0);
//! let access = Link::new(("a", "r"), Rate::gbit(1.0), Time::ms(1.0));
//! let narrow = Link::new(("r", "b"), Rate::mbit(1.0), Time::ms(20.0)).with_queue(DropTail::packets(20));
//! let scenario = Scenario::new(duration, [access, narrow], [Flow::bulk("f", "a", "b", Tcp::default())]);
//!
//! let recording = parshall_sim::run(&scenario, 1)?;
//! let bytes = recording.table("flows")?.u64("bytes_delivered")?[0];
//! let goodput = 8.0 * bytes as f64 / duration.secs();
//! assert!((0.7e6..1e6).contains(&goodput), "{goodput} bit/s");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`check`] says what is wrong with a scenario, or what a run of it will take; [`run_with`] limits and watches a run,
//!   [`run_many`] runs many seeds on several threads. What ends a run before its end is a [`RunError`]: nothing panics.
//! - [`Scenario::record`](scenario::Scenario::record) asks for more than counters: samples of the round-trip time, series of flows and ports,
//!   packets, captures. [`Table`] reads them.
//! - [`control`] has the congestion controls, and what a control of one's own looks like.
//! - A program that declares [`LargePages`] as its allocator runs very many flows faster.

mod blocks;
mod compile;
mod engine;
mod error;
mod events;
mod expect;
mod flow;
mod headroom;
mod limits;
mod memory;
mod names;
pub mod net;
mod network;
mod outside;
pub mod own;
mod packet;
mod pulse;
mod queue;
mod record;
mod room;
mod run;
mod spans;
mod traffic;
mod transport;
mod unwind;
mod worker;

pub use error::ScenarioError;
pub use expect::{Expected, OutOfReach};
pub use headroom::Memory;
pub use memory::LargePages;
#[doc(no_inline)]
pub use parshall_control as control;
#[doc(no_inline)]
pub use parshall_control::{random, units};
#[doc(no_inline)]
pub use parshall_scenario::value as scenario;
pub use record::{Column, LookupError, NoMemory, Recording, Table, ValueType, Values};
pub use run::{
    check, run, run_many, run_with, starts, LowMemory, Need, PartFailure, RunError, RunOptions, Runs,
    ENGINE_VERSION,
};

/// Parts of the engine for the other crates of this project and for its tests. They change without notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::compile::{Folding, Plan};
    pub use crate::engine::Simulation;
    pub use crate::headroom::{fits, shortage, too_large};
    pub use crate::names::{NameList, Names};
    pub use crate::packet::{ecn, Packet};
    pub use crate::pulse::Pulse;
    pub use crate::queue::{
        AnyDepartureQueue, Arrival, ArrivalQueue, Backlog, DepartureQueue, Held, Pie, Reason, Verdict,
    };
    pub use crate::record::Joined;
    pub use crate::run::{run_once, run_plan, Batch, Done, DoneTogether, Job, Single};
    pub use crate::transport::filled;
    pub use crate::unwind::caught;
}

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
