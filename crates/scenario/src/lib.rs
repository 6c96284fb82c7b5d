#![doc = include_str!("../README.md")]

mod built;
mod canonical;
mod code_points;
mod decimal;
mod dumbbell;
mod fault;
mod file;
mod given;
mod listing;
mod part;
pub mod parts;
mod paths;
mod quantity;
mod read;
mod schema;
mod shown;
mod slow;
mod takes;
mod toml;
pub mod value;

pub use canonical::hashed;
pub use fault::{Fault, Faults};
pub use file::ScenarioFile;
pub use given::Given;
pub use listing::{all_parts, parts_in};
#[doc(no_inline)]
pub use parshall_control::{units, Control};
pub use part::{Default, Field, Kinds, Part};
pub use read::{FindControl, Surroundings};
pub use schema::json_schema;
pub use slow::slow_links;
pub use takes::{Most, Range, Takes};
pub use toml::Toml;
pub use value::Scenario;
