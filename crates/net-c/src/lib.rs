#![doc = include_str!("../README.md")]
//!
//! # This crate in Rust
//!
//! [`parshall_sim::net`] is the same interface in Rust. The functions here are for programs in other languages, and their
//! documentation is that of the header `parshall_net.h`, which is generated from it.
//!
//! # Safety
//!
//! What the functions ask of a caller: a network is null, or comes from [`parshall_net_new`] and has not been freed, and no
//! other thread uses it during the call. Texts are null or end with a zero. Pointers to structs and numbers are null, or valid for
//! the one struct or number that they point to, and an array of endpoints has two. Bytes are valid for their length.

// A C interface has functions without a mangled name, and reads what its callers point to.
#![allow(unsafe_code)]
// The crate's documentation says it once for all functions.
#![allow(clippy::missing_safety_doc)]

mod border;
mod building;
mod layout;
mod results;
mod running;

pub use border::{parshall_net_error, parshall_net_free, parshall_net_new, Net};
pub use building::*;
pub use layout::*;
pub use results::*;
pub use running::*;
