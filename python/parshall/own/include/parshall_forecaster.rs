//! The interface of Parshall's compiled forecasters. Made by python -m parshall.own.header.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};

/// Version of this interface.
pub const VERSION: u32 = 1;

/// Functions that the engine lends: they give the same bits in every form of a forecaster.
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

/// Shared state of a forecaster and the engine. The state of every compiled forecaster begins with it; the
/// engine sets it before each call.
#[repr(C)]
pub struct Series {
    /// Functions that the engine lends; see there.
    pub host: *const Host,
    /// The forecaster, for functions of the host that ask for it.
    pub flow: *mut c_void,
}

/// A parameter; a list of them ends with one whose name is null.
#[repr(C)]
pub struct Parameter {
    pub name: *const c_char,
    /// Its default.
    pub value: f64,
    pub meaning: *const c_char,
}

/// A forecaster: what a library's function parshall_forecaster() returns. A function that is None does
/// nothing. Those that return an i32 return 0 (of one that sets a number, 1 says that there is none yet), or
/// the number of what went wrong, which ends the run. The functions of one series are called by one thread at
/// a time; those of several series may be called by several.
#[repr(C)]
pub struct Table {
    /// [`VERSION`].
    pub version: u32,
    /// 0.
    pub reserved: u32,
    /// Name in messages.
    pub name: *const c_char,
    /// Bytes of the state of a series. It begins with a series, then the parameters as doubles in the order
    /// of their list; the rest is zero before on_start. It is neither moved nor freed by the forecaster. The
    /// engine may copy it byte by byte: of pointers it holds none but those that the host gave.
    pub state_size: usize,
    pub parameters: *const Parameter,
    /// The series begins.
    pub on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// Takes in a sample, a finite number.
    pub update: Option<unsafe extern "C" fn(*mut c_void, f64) -> i32>,
    /// Sets the next sample. A library has to have it.
    pub forecast: Option<unsafe extern "C" fn(*mut c_void, *mut f64) -> i32>,
    /// Sets the sample after so many more, 2 or more; without it, forecast is asked.
    pub forecast_ahead: Option<unsafe extern "C" fn(*mut c_void, i64, *mut f64) -> i32>,
}

// SAFETY: a table is constant, and what it points to is.
unsafe impl Sync for Table {}
unsafe impl Sync for Parameter {}
