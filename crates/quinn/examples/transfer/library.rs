//! The transfer as a shared library, for a control that another language makes at run time: `examples/quic/own.py`.

#![allow(unsafe_code)]

mod flow;

use std::error::Error;
use std::ffi::{c_char, c_void, CStr};
use std::sync::Arc;
use std::time::Duration;

use flow::{Outcome, Transfer};
use parshall_quinn::library::Library;
use parshall_quinn::Controls;

/// See [`Outcome`].
#[repr(C)]
#[derive(Debug)]
pub struct Done {
    bytes: u64,
    goodput: f64,
    packets_sent: u64,
    packets_lost: u64,
    congestion_events: u64,
    srtt: f64,
}

/// Sends from a client to a server over a relay for `time` seconds; bytes before `warm_up` seconds do not count. Returns 0, or
/// 1 after a line on standard error.
///
/// # Safety
/// `table` is a table of `parshall_control.h` that stays as it is until this returns, the addresses are texts that end with a zero, and
/// `done` may be written to.
#[no_mangle]
pub unsafe extern "C" fn parshall_quic_transfer(
    table: *const c_void,
    relay: *const c_char,
    server: *const c_char,
    time: f64,
    warm_up: f64,
    done: *mut Done,
) -> i32 {
    // SAFETY: as the caller promises.
    let outcome = unsafe { transfer(table, relay, server, time, warm_up) };
    match outcome {
        Ok(Outcome { bytes, goodput, packets_sent, packets_lost, congestion_events, srtt }) => {
            // SAFETY: as the caller promises.
            unsafe {
                done.write(Done { bytes, goodput, packets_sent, packets_lost, congestion_events, srtt })
            };
            0
        }
        Err(error) => {
            eprintln!("transfer: {error}");
            1
        }
    }
}

unsafe fn transfer(
    table: *const c_void,
    relay: *const c_char,
    server: *const c_char,
    time: f64,
    warm_up: f64,
) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    // SAFETY: as the caller of `parshall_quic_transfer` promises.
    let (library, relay, server) = unsafe {
        (Library::from_table(table)?, CStr::from_ptr(relay).to_str()?, CStr::from_ptr(server).to_str()?)
    };
    let transfer = Transfer {
        control: Arc::new(Controls::new(library.control())?),
        server: server.parse()?,
        relay: relay.parse()?,
        time: Duration::try_from_secs_f64(time)?,
        warm_up: Duration::try_from_secs_f64(warm_up)?,
    };
    transfer.run()
}
