//! A packet-level network simulator.
//!
//! A [`scenario::Scenario`] is a plain value; [`compile::Plan`] checks it and turns names into indices;
//! [`engine::Simulation`] runs it with a seed; [`record::Recording`] is what is left. Equal scenario and seed
//! give an equal recording, bit for bit.

mod blocks;
pub mod compile;
pub mod control;
pub mod engine;
pub mod error;
pub mod events;
pub mod expect;
mod flow;
pub mod headroom;
mod limits;
pub mod memory;
pub mod names;
pub mod network;
pub mod packet;
pub mod pulse;
pub mod queue;
pub mod random;
pub mod record;
pub mod run;
pub mod scenario;
mod spans;
pub mod traffic;
pub mod transport;
pub mod units;
mod worker;

pub use error::ScenarioError;
pub use run::run;
