//! The interface of Parshall's compiled filters of retransmission timeouts. Made by python -m
//! parshall.own.header.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};

/// Version of this interface.
pub const VERSION: u32 = 1;

/// Functions that the engine lends: they give the same bits in every form of a filter.
#[repr(C)]
pub struct Host {
    /// Cube root.
    pub cbrt: extern "C" fn(f64) -> f64,
    /// x to the power of y.
    pub pow: extern "C" fn(f64, f64) -> f64,
    /// e to the power of x.
    pub exp: extern "C" fn(f64) -> f64,
    /// Natural logarithm.
    pub log: extern "C" fn(f64) -> f64,
    /// A random number from 0 to below 1, of the part's own stream.
    pub random: extern "C" fn(*mut c_void) -> f64,
    /// An estimator of the library's for this part, which the engine frees with it: "ewma" with its gain,
    /// "median" or "mad" with its window. NULL for any other name. To be called in on_start.
    pub estimator: extern "C" fn(*mut c_void, *const c_char, f64) -> *mut c_void,
    /// Takes in a sample and returns the value after it; a sample that is no finite number is left out.
    pub update: extern "C" fn(*mut c_void, f64) -> f64,
    /// The value of an estimator; NaN if it has none yet.
    pub value: extern "C" fn(*mut c_void) -> f64,
}

/// Shared state of a filter of timeouts and the engine. The state of every compiled filter begins with it;
/// the engine sets it before each call and reads it afterwards.
#[repr(C)]
pub struct Filter {
    /// Smoothed round-trip time for recordings and the granularity of clocks, in seconds; NaN, as at first,
    /// for none.
    pub srtt: f64,
    /// Deviation of the round-trip time for recordings, in seconds; NaN, as at first, for none.
    pub rttvar: f64,
    /// Backoff factor, which the engine applies to the timeout: 1 after a sample, doubled by each timeout.
    pub backoff: f64,
    /// 1 if the sample is one of the same round trip as that before, else 0.
    pub amid_round: i64,
    /// Functions that the engine lends; see there.
    pub host: *const Host,
    /// The filter, for functions of the host that ask for it.
    pub flow: *mut c_void,
}

/// A parameter; a list of them ends with one whose name is null.
#[repr(C)]
pub struct Parameter {
    pub name: *const c_char,
    /// Its default.
    pub value: f64,
    pub meaning: *const c_char,
}

/// A filter of timeouts: what a library's function parshall_rto() returns. A function that is None does
/// nothing. Those that return an i32 return 0, or the number of what went wrong, which ends the run. The
/// functions of one sender are called by one thread at a time; those of several senders may be called by
/// several.
#[repr(C)]
pub struct Table {
    /// [`VERSION`].
    pub version: u32,
    /// 0.
    pub reserved: u32,
    /// Name in messages.
    pub name: *const c_char,
    /// Bytes of the state of a sender. It begins with a filter, then the parameters as doubles in the order
    /// of their list; the rest is zero before on_start. It is neither moved nor freed by the filter. The
    /// engine may copy it byte by byte: of pointers it holds none but those that the host gave.
    pub state_size: usize,
    pub parameters: *const Parameter,
    /// The sender begins.
    pub on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// A packet that was sent once has been acknowledged.
    pub on_sample: Option<unsafe extern "C" fn(*mut c_void, f64) -> i32>,
    /// The timer has expired; backoff is the factor from now on.
    pub on_timeout: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// A timeout was early, or may have been, and its round trip is withheld (Karn).
    pub on_early_timeout: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// Returns the timeout before any rule, in seconds; asked for after each of the others, from the first
    /// sample on. A library has to have it.
    pub rto: Option<unsafe extern "C" fn(*mut c_void) -> f64>,
}

// SAFETY: a table is constant, and what it points to is.
unsafe impl Sync for Table {}
unsafe impl Sync for Parameter {}
