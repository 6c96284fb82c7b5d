//! The fault of a scenario that cannot be run: the one that reading it knows, too.

pub use parshall_scenario::Fault as ScenarioError;
