//! The interface of Parshall's compiled congestion controls. Made by python -m parshall.control.header.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};

/// Version of this interface.
pub const VERSION: u32 = 1;

/// Kinds of ACKs: [`Ack::kind`].
pub const NEW: i64 = 0;
pub const PARTIAL: i64 = 1;
pub const DUPLICATE: i64 = 2;
pub const OLD: i64 = 3;

/// Functions that the engine lends: they give the same bits in every form of a control.
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

/// Answer of a control. The state of every compiled control begins with it; the engine sets it before each
/// call and reads it afterwards.
#[repr(C)]
pub struct Window {
    /// Congestion window, in packets.
    pub cwnd: f64,
    /// Slow start threshold, in packets.
    pub ssthresh: f64,
    /// Packets a second that may leave; 0 leaves that to the sender.
    pub pacing_rate: f64,
    /// When on_timer shall be called, in seconds; infinity for not at all. It is forgotten when it is.
    pub wake_at: f64,
    /// Functions that the engine lends; see there.
    pub host: *const Host,
    /// The flow, for functions of the host that ask for it.
    pub flow: *mut c_void,
}

/// State of a connection that a control gets with an ACK. Packets are numbered from 0. What cannot be known
/// yet is NaN.
#[repr(C)]
pub struct Ack {
    /// When it came, in seconds.
    pub now: f64,
    /// Time of the ACK in picoseconds, without rounding.
    pub now_ps: i64,
    /// Seconds since the last packet that it answers was sent.
    pub rtt: f64,
    /// Smoothed round-trip time, in seconds.
    pub srtt: f64,
    /// Least round-trip time so far, in seconds.
    pub min_rtt: f64,
    /// Packets a second that were delivered since the packet that it reports was sent.
    pub delivery_rate: f64,
    /// Packets that it acknowledges and that count for growth: all, or one an ACK.
    pub growth: f64,
    /// Packets that count for growth in slow start: growth, or less where packets beyond a gap were counted
    /// before.
    pub slow_start: f64,
    /// Highest packet acknowledged.
    pub high_ack: i64,
    /// Next packet to be sent.
    pub next_seq: i64,
    /// Packets sent that have neither left the network nor are thought to be lost.
    pub in_flight: i64,
    /// Packets delivered so far.
    pub delivered: i64,
    /// Packets that had been delivered when the packet that it reports was sent.
    pub prior_delivered: i64,
    /// Packets that it acknowledges for the first time, cumulatively.
    pub acked: i64,
    /// Packets that it reports for the first time, cumulatively or beyond a gap.
    pub newly_delivered: i64,
    /// Packets that it makes the sender think lost.
    pub newly_lost: i64,
    /// Kind of the ACK: 0 for new data, 1 for part of a repair, 2 for a duplicate, 3 for an old one.
    pub kind: i64,
    /// True if it reports a mark.
    pub ecn_echo: bool,
    /// True if cwnd limited the sender.
    pub window_limited: bool,
    /// True if the window may grow: new data outside recovery, no mark, and a window that is used.
    pub may_grow: bool,
    /// True if the application's data or the receiver's window limited delivery_rate.
    pub app_limited: bool,
    /// True if the sender repairs losses.
    pub in_recovery: bool,
}

/// State of a connection that a control gets at a loss, a mark or a timeout.
#[repr(C)]
pub struct Loss {
    /// When it was noticed, in seconds.
    pub now: f64,
    /// Time in picoseconds, without rounding.
    pub now_ps: i64,
    /// Packets in use: in flight, or the window, as the options of the transport have it.
    pub in_use: f64,
}

/// An instant: of a start after silence, or of the control's own timer.
#[repr(C)]
pub struct Moment {
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

/// A control: what a library's function parshall_control() returns. A function that is None does nothing, or
/// what RFC 5681 asks for after a loss. Those that return an i32 return 0, or the number of what went wrong,
/// which ends the run. The functions of one flow are called by one thread at a time; those of several flows
/// may be called by several.
#[repr(C)]
pub struct Table {
    /// [`VERSION`].
    pub version: u32,
    /// 1 if receivers report marks packet by packet (RFC 8257, section 3.2), else 0.
    pub exact_echo: u32,
    /// Name in messages.
    pub name: *const c_char,
    /// Bytes of the state of a flow. It begins with a window, then the parameters as doubles in the order of
    /// their list; the rest is zero before on_start. It is neither moved nor freed by the control.
    pub state_size: usize,
    pub parameters: *const Parameter,
    /// The flow begins; cwnd is its initial window.
    pub on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// An ACK has come, any.
    pub on_ack: Option<unsafe extern "C" fn(*mut c_void, *const Ack) -> i32>,
    /// Duplicate ACKs have shown a loss. Returns the window after it, in packets.
    pub on_loss: Option<unsafe extern "C" fn(*mut c_void, *const Loss) -> f64>,
    /// A mark has been reported. Returns the window after it; without it, on_loss is asked.
    pub on_mark: Option<unsafe extern "C" fn(*mut c_void, *const Loss) -> f64>,
    /// The timer has expired. Returns where slow start shall end; without it, on_loss is asked.
    pub on_timeout: Option<unsafe extern "C" fn(*mut c_void, *const Loss) -> f64>,
    /// The sender is about to send after a time with nothing in flight.
    pub on_restart: Option<unsafe extern "C" fn(*mut c_void, *const Moment) -> i32>,
    /// The time wake_at has come.
    pub on_timer: Option<unsafe extern "C" fn(*mut c_void, *const Moment) -> i32>,
}

// SAFETY: a table is constant, and what it points to is.
unsafe impl Sync for Table {}
unsafe impl Sync for Parameter {}
