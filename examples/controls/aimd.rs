//! AIMD (RFC 5681) as a shared library from Rust. Beside `parshall_control.rs`, which
//! `python -m parshall.control.header DIR` writes there:
//!
//!     rustc -O --edition 2021 --crate-type cdylib aimd.rs -o libaimd.so

use std::ffi::{c_char, c_void};
use std::mem::size_of;
use std::ptr::null;

#[path = "parshall_control.rs"]
mod parshall_control;

use parshall_control::{Ack, Loss, Parameter, Table, Window, VERSION};

#[repr(C)]
struct State {
    window: Window,
    increase: f64,
    left: f64,
}

static PARAMETERS: [Parameter; 3] = [
    Parameter { name: text(b"increase\0"), value: 1.0, meaning: text(b"packets a round trip up\0") },
    Parameter { name: text(b"left\0"), value: 0.5, meaning: text(b"of the window after a loss\0") },
    Parameter { name: null(), value: 0.0, meaning: null() },
];

static TABLE: Table = Table {
    version: VERSION,
    exact_echo: 0,
    name: text(b"aimd\0"),
    state_size: size_of::<State>(),
    parameters: PARAMETERS.as_ptr(),
    on_start: None,
    on_ack: Some(on_ack),
    on_loss: Some(on_loss),
    on_mark: None,
    on_timeout: None,
    on_restart: None,
    on_timer: None,
};

const fn text(bytes: &'static [u8]) -> *const c_char {
    bytes.as_ptr().cast()
}

unsafe extern "C" fn on_ack(state: *mut c_void, ack: *const Ack) -> i32 {
    // SAFETY: the engine passes the state that the table asks for, and an ACK.
    let (own, ack) = unsafe { (&mut *state.cast::<State>(), &*ack) };
    let window = &mut own.window;
    if ack.may_grow {
        if window.cwnd < window.ssthresh {
            window.cwnd = (window.cwnd + ack.slow_start).min(window.ssthresh.max(window.cwnd + 1.0));
        } else {
            window.cwnd += own.increase * ack.growth / window.cwnd;
        }
    }
    0
}

unsafe extern "C" fn on_loss(state: *mut c_void, loss: *const Loss) -> f64 {
    // SAFETY: as above.
    let (own, loss) = unsafe { (&*state.cast::<State>(), &*loss) };
    own.left * loss.in_use
}

/// The one function that a library has to have.
#[no_mangle]
pub extern "C" fn parshall_control() -> *const Table {
    &TABLE
}
