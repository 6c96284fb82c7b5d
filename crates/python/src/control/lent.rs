//! The functions that the engine lends to controls, as C sees them.

#![allow(unsafe_code)]

use std::ffi::c_void;

use parshall_sim::random::Stream;

/// What the functions know of a flow.
#[derive(Debug)]
pub struct LentFlow {
    /// Random numbers of its control.
    pub stream: Stream,
}

pub extern "C" fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

pub extern "C" fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

pub extern "C" fn exp(x: f64) -> f64 {
    libm::exp(x)
}

pub extern "C" fn log(x: f64) -> f64 {
    libm::log(x)
}

pub extern "C" fn random(flow: *mut c_void) -> f64 {
    // SAFETY: the engine sets this pointer before each call of a control, and that control's flow outlives the call;
    // one flow's control is called by one thread at a time. A null pointer is what a caller of its own may pass.
    let flow = unsafe { flow.cast::<LentFlow>().as_mut() };
    flow.map_or(f64::NAN, |flow| flow.stream.uniform())
}
