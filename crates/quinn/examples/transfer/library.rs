//! The transfer as a shared library, for a control that another language makes at run time: `examples/quic/own.py`.

#![allow(unsafe_code)]

mod flow;
mod simulated;

use std::ffi::{c_char, c_void, CStr};
use std::sync::Arc;
use std::time::Duration;

use flow::{Fallible, Outcome, Transfer};
use parshall_quinn::library::Library;
use parshall_quinn::Controls;
use simulated::{simulated, Queue};

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
    // SAFETY: as the caller promises.
    told(outcome.map(|outcome| unsafe { done.write(outcome.into()) }))
}

/// Sends in simulated time, in the place of the first flow of a scenario file, with what the queue of its first link recorded.
///
/// # Safety
/// As [`parshall_quic_transfer`]; `queue` may be written to, too.
#[no_mangle]
pub unsafe extern "C" fn parshall_quic_transfer_simulated(
    table: *const c_void,
    scenario: *const c_char,
    done: *mut Done,
    queue: *mut Queue,
) -> i32 {
    // SAFETY: as the caller promises.
    told(unsafe { in_simulated_time(table, scenario) }.map(|(outcome, recorded)| unsafe {
        done.write(outcome.into());
        queue.write(recorded);
    }))
}

/// The code of a result, whose error goes to standard error.
fn told(result: Fallible<()>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("transfer: {error}");
            1
        }
    }
}

impl From<Outcome> for Done {
    fn from(outcome: Outcome) -> Self {
        let Outcome { bytes, goodput, packets_sent, packets_lost, congestion_events, srtt } = outcome;
        Done { bytes, goodput, packets_sent, packets_lost, congestion_events, srtt }
    }
}

unsafe fn in_simulated_time(table: *const c_void, scenario: *const c_char) -> Fallible<(Outcome, Queue)> {
    // SAFETY: as the caller of `parshall_quic_transfer_simulated` promises.
    let (library, scenario) = unsafe { (Library::from_table(table)?, CStr::from_ptr(scenario).to_str()?) };
    let run = simulated(scenario, Arc::new(Controls::new(library.control())?))?;
    Ok((run.outcome, run.queue))
}

unsafe fn transfer(
    table: *const c_void,
    relay: *const c_char,
    server: *const c_char,
    time: f64,
    warm_up: f64,
) -> Fallible<Outcome> {
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
