#![doc = include_str!("../README.md")]

mod built;
mod canonical;
mod code_points;
mod decimal;
mod described;
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
pub use code_points::CODE_POINTS;
pub use described::described;
pub use dumbbell::{Dumbbell, Member};
pub use fault::{Fault, Faults};
pub use file::{dumbbell_of_file, read_file, ScenarioFile};
pub use given::{Given, Held};
pub use listing::{all_parts, parts_in};
#[doc(no_inline)]
pub use parshall_control::{units, Control};
pub use part::{Default, Field, Kinds, Part};
pub use quantity::read_quantity;
pub use read::{known_keys, mahimahi_times, read as read_part, FindOwn, Surroundings};
pub use schema::{json_schema, part_schema};
pub use slow::slow_links;
pub use takes::{Most, Range, Takes};
pub use toml::Toml;
pub use value::Scenario;
