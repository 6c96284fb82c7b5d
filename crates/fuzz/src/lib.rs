//! Fuzz targets, in `tests`: scenarios of any form, the engine on any scenario that compiles, estimators on any
//! numbers, and captures read back.
//!
//! `cargo test -p parshall-fuzz` tries the corpus and then new inputs for a second each;
//! `BOLERO_RANDOM_TEST_TIME_MS=600000` tries for ten minutes, and `cargo bolero test` hands the same targets to a
//! fuzzer that follows coverage.

mod bytes;
mod networks;

pub use bytes::Bytes;
pub use networks::{network, spoiled};
