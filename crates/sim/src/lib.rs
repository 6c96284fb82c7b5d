//! A packet-level network simulator.
//!
//! A [`scenario::Scenario`] is a plain value; [`compile::Plan`] checks it and turns names into indices;
//! [`engine::Simulation`] runs it with a seed; [`record::Recording`] is what is left. Equal scenario and seed
//! give an equal recording, bit for bit.
//!
//! ```
//! use parshall_sim::record::Column;
//! use parshall_sim::scenario::Scenario;
//!
//! let scenario: Scenario = serde_json::from_str(
//!     r#"{
//!         "duration": 10.0, "hosts": ["a", "b"], "routers": ["r"],
//!         "links": [
//!             {"between": ["a", "r"], "rate": 1e9, "delay": 0.001},
//!             {"between": ["r", "b"], "rate": 1e6, "delay": 0.02, "queue": {"kind": "droptail", "limit_packets": 20}}
//!         ],
//!         "flows": [{"name": "f", "source": "a", "destination": "b", "transport": {"kind": "tcp"}, "app": {"kind": "bulk"}}]
//!     }"#,
//! )?;
//! let recording = parshall_sim::run(&scenario, 1)?;
//! let flows = &recording.tables[0];
//! let delivered = flows.columns.iter().find(|(name, _)| *name == "bytes_delivered");
//! let Some((_, Column::U64(bytes))) = delivered else { panic!("counts") };
//! assert!((0.7e6..1e6).contains(&(8.0 * bytes[0] as f64 / 10.0)), "goodput of {bytes:?} bytes in 10 s");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
pub mod compile;
pub mod engine;
pub mod error;
mod events;
pub mod expect;
mod flow;
pub mod headroom;
mod limits;
pub mod memory;
pub mod names;
mod network;
pub mod packet;
pub mod pulse;
pub mod queue;
pub mod record;
mod room;
pub mod run;
pub mod scenario;
mod spans;
mod traffic;
mod transport;
mod worker;

pub use error::ScenarioError;
#[doc(no_inline)]
pub use parshall_control as control;
#[doc(no_inline)]
pub use parshall_control::{random, units};
pub use run::run;
