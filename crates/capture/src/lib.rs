//! Packet captures, and what happened on the connections in them.
//!
//! - [`source`] reads frames out of files, [`decode`] the numbers in their headers.
//! - [`analysis`] follows connections. It reads neither files nor clocks.
//! - [`result`] is what it says.
//!
//! ```
//! use parshall_capture::{analysis::Analysis, analysis::Settings, decode::decode, source::Source};
//!
//! let mut source = Source::new(std::fs::File::open("examples/transfer.pcap")?, false)?;
//! let mut analysis = Analysis::new(Settings::default());
//! while source.next(&mut |frame| analysis.push(&decode(frame))) {}
//! for connection in analysis.finish().rows.connections {
//!     println!("{}: {} retransmissions", connection.number, connection.ways[0].tally.counters().retransmissions);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
mod clocks;
mod connection;
pub mod counters;
mod datagrams;
pub mod decode;
mod direction;
mod events;
pub mod filter;
mod fragments;
pub mod histogram;
mod identity;
mod index;
mod limit;
pub mod packet;
pub mod passing;
mod pending;
mod recent;
pub mod result;
mod scoreboard;
mod sender;
mod slim;
pub mod source;
pub mod spin;
mod table;
pub mod traffic;
pub mod unread;

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
