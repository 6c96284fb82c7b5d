//! The timeout of RFC 6298 as a shared library from Rust. Beside `parshall_rto.rs`, which
//! `python -m parshall.own.header DIR` writes there:
//!
//!     rustc -O --edition 2021 --crate-type cdylib jacobson.rs -o libjacobson.so

use std::ffi::{c_char, c_void};
use std::mem::size_of;
use std::ptr::null;

#[path = "parshall_rto.rs"]
mod parshall_rto;

use parshall_rto::{Filter, Parameter, Table, VERSION};

#[repr(C)]
struct State {
    filter: Filter,
    gain: f64,
    deviation_gain: f64,
    multiplier: f64,
    seen: bool,
}

static PARAMETERS: [Parameter; 4] = [
    Parameter { name: text(b"gain\0"), value: 0.125, meaning: text(b"weight of a sample in srtt\0") },
    Parameter { name: text(b"deviation_gain\0"), value: 0.25, meaning: text(b"weight of a sample in rttvar\0") },
    Parameter { name: text(b"multiplier\0"), value: 4.0, meaning: text(b"deviations that are added\0") },
    Parameter { name: null(), value: 0.0, meaning: null() },
];

static TABLE: Table = Table {
    version: VERSION,
    reserved: 0,
    name: text(b"jacobson\0"),
    state_size: size_of::<State>(),
    parameters: PARAMETERS.as_ptr(),
    on_start: None,
    on_sample: Some(on_sample),
    on_timeout: None,
    on_early_timeout: None,
    rto: Some(rto),
};

const fn text(bytes: &'static [u8]) -> *const c_char {
    bytes.as_ptr().cast()
}

unsafe extern "C" fn on_sample(state: *mut c_void, rtt: f64) -> i32 {
    // SAFETY: the engine passes the state that the table asks for.
    let own = unsafe { &mut *state.cast::<State>() };
    let filter = &mut own.filter;
    if !own.seen {
        own.seen = true;
        (filter.srtt, filter.rttvar) = (rtt, rtt / 2.0);
        return 0;
    }
    filter.rttvar += own.deviation_gain * ((rtt - filter.srtt).abs() - filter.rttvar);
    if filter.rttvar < f64::MIN_POSITIVE {
        filter.rttvar = 0.0;
    }
    filter.srtt += own.gain * (rtt - filter.srtt);
    0
}

unsafe extern "C" fn rto(state: *mut c_void) -> f64 {
    // SAFETY: as above.
    let own = unsafe { &*state.cast::<State>() };
    own.filter.srtt + own.multiplier * own.filter.rttvar
}

/// The one function that a library has to have.
#[no_mangle]
pub extern "C" fn parshall_rto() -> *const Table {
    &TABLE
}
