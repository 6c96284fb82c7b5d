//! All tests of the crate from outside, in one binary.

#[allow(dead_code, missing_docs)]
#[path = "../examples/ack_log.rs"]
mod ack_log;

mod replayed;
