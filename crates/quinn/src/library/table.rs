//! The structures of `parshall_control.h`, version 1, and the functions that this host lends. The header says what each means.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use parshall_control::random::Stream;
use parshall_control::{AckKind, AckSample};

/// The version of the interface.
pub const VERSION: u32 = 1;

/// `parshall_window`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Window {
    pub cwnd: f64,
    pub ssthresh: f64,
    pub pacing_rate: f64,
    pub wake_at: f64,
    pub host: *const Host,
    pub flow: *mut c_void,
}

/// `parshall_ack`.
#[repr(C)]
pub struct Ack {
    pub now: f64,
    pub now_ps: i64,
    pub rtt: f64,
    pub srtt: f64,
    pub min_rtt: f64,
    pub delivery_rate: f64,
    pub growth: f64,
    pub slow_start: f64,
    pub high_ack: i64,
    pub next_seq: i64,
    pub in_flight: i64,
    pub delivered: i64,
    pub prior_delivered: i64,
    pub acked: i64,
    pub newly_delivered: i64,
    pub newly_lost: i64,
    pub kind: i64,
    pub ecn_echo: bool,
    pub window_limited: bool,
    pub may_grow: bool,
    pub app_limited: bool,
    pub in_recovery: bool,
}

impl Ack {
    /// An ACK for a compiled control. The adapter always measures the path.
    pub fn of(ack: &AckSample<'_>) -> Self {
        let path = ack.path;
        let number = |of: fn(&parshall_control::PathSample) -> f64| path.map_or(f64::NAN, of);
        let count = |of: fn(&parshall_control::PathSample) -> i64| path.map_or(0, of);
        Ack {
            now: ack.now.secs(),
            now_ps: ack.now.ps() as i64,
            rtt: ack.rtt(),
            srtt: number(|path| path.srtt),
            min_rtt: number(|path| path.min_rtt),
            delivery_rate: number(|path| path.delivery_rate),
            growth: ack.growth,
            slow_start: ack.slow_start,
            high_ack: ack.high_ack,
            next_seq: ack.next_seq,
            in_flight: count(|path| path.in_flight),
            delivered: count(|path| path.delivered as i64),
            prior_delivered: count(|path| path.prior_delivered as i64),
            acked: i64::from(ack.acked),
            newly_delivered: count(|path| i64::from(path.newly_delivered)),
            newly_lost: count(|path| i64::from(path.newly_lost)),
            kind: match ack.kind {
                AckKind::New => 0,
                AckKind::Partial => 1,
                AckKind::Duplicate => 2,
                AckKind::Old => 3,
            },
            ecn_echo: ack.ecn_echo,
            window_limited: ack.window_limited,
            may_grow: ack.may_grow,
            app_limited: path.is_some_and(|path| path.app_limited),
            in_recovery: path.is_some_and(|path| path.in_recovery),
        }
    }
}

/// `parshall_loss`.
#[repr(C)]
pub struct Lost {
    pub now: f64,
    pub now_ps: i64,
    pub in_use: f64,
}

/// `parshall_moment`.
#[repr(C)]
pub struct Moment {
    pub now: f64,
    pub now_ps: i64,
}

/// `parshall_parameter`.
#[repr(C)]
pub struct Parameter {
    pub name: *const c_char,
    pub value: f64,
    pub meaning: *const c_char,
}

/// Returns 0, or the number of what went wrong.
pub type OnStart = unsafe extern "C" fn(state: *mut c_void) -> i32;
pub type OnAck = unsafe extern "C" fn(state: *mut c_void, ack: *const Ack) -> i32;
pub type OnMoment = unsafe extern "C" fn(state: *mut c_void, moment: *const Moment) -> i32;
/// Returns the window after it, in packets.
pub type OnLoss = unsafe extern "C" fn(state: *mut c_void, loss: *const Lost) -> f64;

/// `parshall_control_table`.
#[repr(C)]
pub struct Table {
    pub version: u32,
    pub exact_echo: u32,
    pub name: *const c_char,
    pub state_size: usize,
    pub parameters: *const Parameter,
    pub on_start: Option<OnStart>,
    pub on_ack: Option<OnAck>,
    pub on_loss: Option<OnLoss>,
    pub on_mark: Option<OnLoss>,
    pub on_timeout: Option<OnLoss>,
    pub on_restart: Option<OnMoment>,
    pub on_timer: Option<OnMoment>,
}

/// `parshall_host`.
#[repr(C)]
pub struct Host {
    cbrt: extern "C" fn(f64) -> f64,
    pow: extern "C" fn(f64, f64) -> f64,
    exp: extern "C" fn(f64) -> f64,
    log: extern "C" fn(f64) -> f64,
    random: extern "C" fn(*mut c_void) -> f64,
    estimator: extern "C" fn(*mut c_void, *const c_char, f64) -> *mut c_void,
    update: extern "C" fn(*mut c_void, f64) -> f64,
    value: extern "C" fn(*mut c_void) -> f64,
}

/// The only one.
pub static HOST: Host = Host { cbrt, pow, exp, log, random, estimator, update, value };

extern "C" fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

extern "C" fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

extern "C" fn exp(x: f64) -> f64 {
    libm::exp(x)
}

extern "C" fn log(x: f64) -> f64 {
    libm::log(x)
}

#[allow(unsafe_code)]
extern "C" fn random(flow: *mut c_void) -> f64 {
    // SAFETY: the pointer is the one that the window of this flow holds, or null; one thread calls a flow's control at a time.
    let stream = unsafe { flow.cast::<Stream>().as_mut() };
    stream.map_or(f64::NAN, Stream::uniform)
}

extern "C" fn estimator(_: *mut c_void, _: *const c_char, _: f64) -> *mut c_void {
    null_mut()
}

extern "C" fn update(_: *mut c_void, _: f64) -> f64 {
    f64::NAN
}

extern "C" fn value(_: *mut c_void) -> f64 {
    f64::NAN
}
