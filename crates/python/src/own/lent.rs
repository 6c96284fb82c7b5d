//! The functions that the engine lends to parts, as C sees them.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_void, CStr};
use std::fmt;
use std::ptr::null_mut;

use parshall_estimators::ewma::Ewma;
use parshall_estimators::mad::SlidingMad;
use parshall_estimators::median::SlidingMedian;
use parshall_sim::random::Stream;

use crate::filter::Filter;

/// Knowledge that the functions have of a flow, or of whatever else a part belongs to.
pub struct LentFlow {
    /// Random numbers of its part.
    pub stream: Stream,
    /// Estimators of its part, which are freed with it; the part has copies of these pointers.
    estimators: Vec<*mut Box<dyn Filter>>,
}

impl LentFlow {
    /// A flow without estimators.
    pub fn new(stream: Stream) -> Self {
        LentFlow { stream, estimators: Vec::new() }
    }

    /// Keeps an estimator as long as the flow; returns the pointer by which its part knows it.
    pub fn keep(&mut self, filter: Box<dyn Filter>) -> *mut c_void {
        let pointer = Box::into_raw(Box::new(filter));
        self.estimators.push(pointer);
        pointer.cast()
    }

    /// A copy in the same state, and where each of its estimators was and is.
    pub fn copy(&self) -> (Self, Vec<(*mut c_void, *mut c_void)>) {
        let mut copy = LentFlow::new(self.stream.clone());
        let moved = self.estimators.iter().map(|&pointer| {
            // SAFETY: it is from `Box::into_raw`, and nobody changes it while it is borrowed.
            let filter = unsafe { &*pointer };
            (pointer.cast(), copy.keep(filter.copy()))
        });
        let moved = moved.collect();
        (copy, moved)
    }
}

impl Drop for LentFlow {
    fn drop(&mut self) {
        for pointer in self.estimators.drain(..) {
            // SAFETY: it is from `Box::into_raw`, and the part, which has the only copies, is gone.
            drop(unsafe { Box::from_raw(pointer) });
        }
    }
}

impl fmt::Debug for LentFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LentFlow").field("stream", &self.stream).finish_non_exhaustive()
    }
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
    // SAFETY: the engine sets this pointer before each call of a part, and what it points to outlives the call; one part
    // is called by one thread at a time. A null pointer is what a caller of its own may pass.
    let flow = unsafe { flow.cast::<LentFlow>().as_mut() };
    flow.map_or(f64::NAN, |flow| flow.stream.uniform())
}

pub extern "C" fn estimator(flow: *mut c_void, name: *const c_char, parameter: f64) -> *mut c_void {
    // SAFETY: as for `random`; a name is text that ends with a zero, or null.
    let (flow, name) = unsafe {
        let name = if name.is_null() { c"" } else { CStr::from_ptr(name) };
        (flow.cast::<LentFlow>().as_mut(), name)
    };
    let made = named(name.to_bytes(), parameter);
    flow.zip(made).map_or(null_mut(), |(flow, made)| flow.keep(made))
}

fn named(name: &[u8], parameter: f64) -> Option<Box<dyn Filter>> {
    let window = || (parameter >= 1.0 && parameter <= f64::from(u32::MAX)).then_some(parameter as u32);
    match name {
        b"ewma" => Some(Box::new(Ewma::new(parameter).ok()?)),
        b"median" => Some(Box::new(SlidingMedian::new(window()?).ok()?)),
        b"mad" => Some(Box::new(SlidingMad::new(window()?).ok()?)),
        _ => None,
    }
}

pub extern "C" fn update(estimator: *mut c_void, sample: f64) -> f64 {
    // SAFETY: the pointer is one that `LentFlow::keep` has given to this part, or null.
    let filter = unsafe { estimator.cast::<Box<dyn Filter>>().as_mut() };
    filter.map_or(f64::NAN, |filter| filter.update(sample))
}

pub extern "C" fn value(estimator: *mut c_void) -> f64 {
    // SAFETY: as for `update`.
    let filter = unsafe { estimator.cast::<Box<dyn Filter>>().as_ref() };
    filter.map_or(f64::NAN, |filter| filter.value())
}
