//! The interface of Parshall's compiled markers. Made by python -m parshall.own.header.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};

/// Version of this interface.
pub const VERSION: u32 = 1;

/// Colours of packets, best first.
pub const GREEN: i32 = 0;
pub const YELLOW: i32 = 1;
pub const RED: i32 = 2;

/// Functions that the engine lends: they give the same bits in every form of a marker.
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

/// Exchange between a marker and the engine. The state of every compiled marker begins with it; the engine
/// sets it before each call.
#[repr(C)]
pub struct Edge {
    /// Functions that the engine lends; see there.
    pub host: *const Host,
    /// The marker, for functions of the host that ask for it.
    pub flow: *mut c_void,
}

/// A packet that arrives at an edge.
#[repr(C)]
pub struct MeteredPacket {
    /// Time at which it arrives, in seconds.
    pub now: f64,
    /// `now` in picoseconds, without rounding.
    pub now_ps: i64,
    /// Its bytes on the wire.
    pub size: i64,
    /// Bytes that count: all, or those behind the headers, as the rule has it.
    pub metered: i64,
    /// Number of its flow, not negative, with another one for the ACKs; it depends on the flow's name alone.
    pub flow: i64,
    /// Code point with which it arrives (RFC 2474).
    pub dscp: i64,
    /// Colour that this code point stands for: 0 for green, 1 for yellow, 2 for red.
    pub arriving: i64,
    /// True if it may be marked in place of a drop (RFC 3168).
    pub ecn_capable: bool,
    /// True for an ACK.
    pub ack: bool,
}

/// A parameter; a list of them ends with one whose name is null.
#[repr(C)]
pub struct Parameter {
    pub name: *const c_char,
    /// Its default.
    pub value: f64,
    pub meaning: *const c_char,
}

/// A marker: what a library's function parshall_marker() returns. A function that is None does nothing. Those
/// that return an i32 return 0 (colour its answer), or the number of what went wrong, which ends the run. The
/// functions of one rule are called by one thread at a time; those of several rules may be called by several.
#[repr(C)]
pub struct Table {
    /// [`VERSION`].
    pub version: u32,
    /// 0.
    pub reserved: u32,
    /// Name in messages.
    pub name: *const c_char,
    /// Bytes of the state of a rule. It begins with an edge, then the parameters as doubles in the order of
    /// their list; the rest is zero before on_start. It is neither moved nor freed by the marker.
    pub state_size: usize,
    pub parameters: *const Parameter,
    /// The run begins.
    pub on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// Returns the colour of a packet. A library has to have it.
    pub colour: Option<unsafe extern "C" fn(*mut c_void, *const MeteredPacket) -> i32>,
}

// SAFETY: a table is constant, and what it points to is.
unsafe impl Sync for Table {}
unsafe impl Sync for Parameter {}
