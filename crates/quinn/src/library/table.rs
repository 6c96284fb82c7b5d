//! Functions that this host lends, and ACKs for a compiled control. Their types are in `header.rs`, which is made with `parshall_control.h`.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use parshall_control::random::Stream;
use parshall_control::{AckKind, AckSample, PathSample};

use super::header::{Ack, Host, Loss, Moment, DUPLICATE, NEW, OLD, PARTIAL};

/// Returns 0, or the number of what went wrong.
pub type OnMoment = unsafe extern "C" fn(state: *mut c_void, moment: *const Moment) -> i32;
/// Returns the window after it, in packets.
pub type OnLoss = unsafe extern "C" fn(state: *mut c_void, loss: *const Loss) -> f64;

impl Ack {
    /// An ACK for a compiled control. The adapter always measures the path.
    pub fn of(ack: &AckSample<'_>) -> Self {
        let path = ack.path;
        let number = |of: fn(&PathSample) -> f64| path.map_or(f64::NAN, of);
        let count = |of: fn(&PathSample) -> i64| path.map_or(0, of);
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
                AckKind::New => NEW,
                AckKind::Partial => PARTIAL,
                AckKind::Duplicate => DUPLICATE,
                AckKind::Old => OLD,
            },
            ecn_echo: ack.ecn_echo,
            window_limited: ack.window_limited,
            may_grow: ack.may_grow,
            app_limited: path.is_some_and(|path| path.app_limited),
            in_recovery: path.is_some_and(|path| path.in_recovery),
        }
    }
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
