//! All tests of the simulator from outside, in one binary: each binary would hold the whole engine once more.

mod apps;
mod bad_scenarios;
mod bits;
mod common;
mod controls;
mod diffserv;
mod examples;
mod flow_series;
mod folding;
mod knowledge;
mod memory;
mod net;
mod net_path;
mod net_replayed;
mod own_markers;
mod own_queues;
mod own_sources;
mod properties;
mod reductions;
mod rfc;
mod rfc_queues;
mod run_errors;
mod serving;
mod tcp;
mod tuned_red;
