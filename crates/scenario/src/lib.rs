//! Scenarios of the Parshall network simulator.

mod canonical;
mod code_points;
mod decimal;
mod dumbbell;
mod fault;
mod file;
mod given;
mod part;
pub mod parts;
mod quantity;
mod read;
mod shown;
mod takes;
mod toml;

pub use fault::{Fault, Faults};
pub use file::Read;
pub use given::Given;
pub use part::{Default, Field, Part};
pub use read::{FindControl, Surroundings};
