//! The interface of Parshall's compiled queues. Made by python -m parshall.own.header.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};

/// Version of this interface.
pub const VERSION: u32 = 1;

/// Answers about a packet.
pub const PASS: i32 = 0;
pub const MARK: i32 = 1;
pub const DROP: i32 = 2;
pub const PUSH_OUT: i32 = 3;

/// Functions that the engine lends: they give the same bits in every form of a queue.
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

/// Shared state of a queue and the engine. The state of every compiled queue begins with it; the engine sets
/// it before each call and reads it afterwards.
#[repr(C)]
pub struct Port {
    /// Class that an arriving packet joins, or that one is pushed out of, 0 to 1023; 0 unless it is set.
    pub into: i64,
    /// Rate of the link at first, in bit/s; nominal, where a recorded capacity takes its place.
    pub rate: f64,
    /// Functions that the engine lends; see there.
    pub host: *const Host,
    /// The queue, for functions of the host that ask for it.
    pub flow: *mut c_void,
}

/// A packet that arrives at a queue, or is about to leave it.
#[repr(C)]
pub struct QueuedPacket {
    /// Time at which the queue is asked, in seconds.
    pub now: f64,
    /// In picoseconds, without rounding.
    pub now_ps: i64,
    /// Seconds that it has waited.
    pub waited: f64,
    /// In picoseconds, without rounding.
    pub waited_ps: i64,
    /// Its bytes.
    pub size: i64,
    /// Number of its flow, not negative, with another one for the ACKs; the flow's name alone decides it.
    pub flow: i64,
    /// Its code point (RFC 2474).
    pub dscp: i64,
    /// Class in which it waits; 0 for one that arrives.
    pub class_id: i64,
    /// Other packets that wait, in all classes; the one in transmission does not.
    pub packets: i64,
    /// Bytes of these.
    pub bytes: i64,
    /// Bytes of the packet in transmission; 0 while the link is free, as it is at each departure.
    pub on_link: i64,
    /// True if it may be marked in place of a drop (RFC 3168).
    pub ecn_capable: bool,
    /// True if it carries a mark.
    pub marked: bool,
    /// True for an ACK.
    pub ack: bool,
}

/// An instant.
#[repr(C)]
pub struct Instant {
    /// In seconds.
    pub now: f64,
    /// In picoseconds, without rounding.
    pub now_ps: i64,
}

/// A parameter; a list of them ends with one whose name is null.
#[repr(C)]
pub struct Parameter {
    pub name: *const c_char,
    /// Its default.
    pub value: f64,
    pub meaning: *const c_char,
}

/// A queue: what a library's function parshall_queue() returns. A function that is None does nothing. Those
/// that return an i32 return 0 (on_arrival, next_class and on_departure their answer), or the number of what
/// went wrong, which ends the run. The functions of one port are called by one thread at a time; those of
/// several ports may be called by several.
#[repr(C)]
pub struct Table {
    /// [`VERSION`].
    pub version: u32,
    /// 0.
    pub reserved: u32,
    /// Name in messages.
    pub name: *const c_char,
    /// Bytes of the state of a port. It begins with a port, then the parameters as doubles in the order of
    /// their list; the rest is zero before on_start. It is neither moved nor freed by the queue.
    pub state_size: usize,
    pub parameters: *const Parameter,
    /// The run begins.
    pub on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// Decides about a packet that arrives: it passes, or is marked, into the class that into is set to; it
    /// is dropped; or the first packet of that class is pushed out, and this is asked again.
    pub on_arrival: Option<unsafe extern "C" fn(*mut c_void, *const QueuedPacket) -> i32>,
    /// Returns the class whose turn it is, as the link is free and packets wait; -1 for the first in which
    /// some do. It is not asked while no packet has been in a class but 0.
    pub next_class: Option<unsafe extern "C" fn(*mut c_void, *const Instant) -> i32>,
    /// Decides about a packet that is about to leave: it passes, or is marked, or it is dropped, and the next
    /// one is looked for.
    pub on_departure: Option<unsafe extern "C" fn(*mut c_void, *const QueuedPacket) -> i32>,
    /// The link is free, and nothing waits.
    pub on_idle: Option<unsafe extern "C" fn(*mut c_void, *const Instant) -> i32>,
}

// SAFETY: a table is constant, and what it points to is.
unsafe impl Sync for Table {}
unsafe impl Sync for Parameter {}
