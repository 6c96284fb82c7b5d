//! The interface of Parshall's compiled sources of traffic. Made by python -m parshall.own.header.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};

/// Version of this interface.
pub const VERSION: u32 = 1;

/// Functions that the engine lends: they give the same bits in every form of a source.
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

/// Answers of a source, and what it is told. The state of every compiled source begins with them; the engine
/// sets all before each call and reads them afterwards.
#[repr(C)]
pub struct Application {
    /// Packets of a transfer that begins now; 0 unless it is set.
    pub packets_now: i64,
    /// 1 if that transfer has a new connection; 0 unless it is set.
    pub fresh_now: i64,
    /// Seconds until on_time shall be called; infinity, as before each call, leaves what was said before.
    pub wake_in: f64,
    /// Bytes of data in a packet.
    pub payload_bytes: i64,
    /// Functions that the engine lends.
    pub host: *const Host,
    /// The source, for functions of the host that ask for it.
    pub flow: *mut c_void,
}

/// A transfer that is complete, the one that began first of those under way.
#[repr(C)]
pub struct Done {
    /// When it was, in seconds.
    pub now: f64,
    /// Seconds since it was written.
    pub took: f64,
    /// Number of the transfer, from 0.
    pub number: i64,
    /// Packets that it had.
    pub packets: i64,
}

/// A parameter; a list of them ends with one whose name is null.
#[repr(C)]
pub struct Parameter {
    pub name: *const c_char,
    /// Its default.
    pub value: f64,
    pub meaning: *const c_char,
}

/// A source: what a library's function parshall_source() returns. A function that is None does nothing. Those
/// that return an i32 return 0, or the number of what went wrong, which ends the run. The functions of one
/// flow are called by one thread at a time; those of several flows may be called by several.
#[repr(C)]
pub struct Table {
    /// [`VERSION`].
    pub version: u32,
    /// 1 if the destination asks for each transfer, one at a time, and hears of its end, else 0.
    pub requests: u32,
    /// Name in messages.
    pub name: *const c_char,
    /// Bytes of the state of a flow. It begins with an application, then the parameters as doubles in the
    /// order of their list; the rest is zero before on_start. It is neither moved nor freed by the source.
    pub state_size: usize,
    pub parameters: *const Parameter,
    /// The flow is made; it starts later.
    pub on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// The flow starts, or the time that wake_in named has come.
    pub on_time: Option<unsafe extern "C" fn(*mut c_void, f64) -> i32>,
    /// The transfer that began first of those under way is complete. Over UDP nobody hears of that.
    pub on_done: Option<unsafe extern "C" fn(*mut c_void, *const Done) -> i32>,
}

// SAFETY: a table is constant, and what it points to is.
unsafe impl Sync for Table {}
unsafe impl Sync for Parameter {}
