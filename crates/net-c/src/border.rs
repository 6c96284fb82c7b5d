//! The border between C and Rust: handles, arguments, and errors, which are a number and a line of text.

use std::ffi::{c_char, CStr, CString};
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use parshall_sim::net::{Builder, Datagram, Network, NetworkError};
use parshall_sim::Recording;

use crate::layout::{
    PARSHALL_ERROR_ARGUMENT, PARSHALL_ERROR_ENDPOINT, PARSHALL_ERROR_INTERNAL, PARSHALL_ERROR_RUN,
    PARSHALL_ERROR_SCENARIO, PARSHALL_ERROR_STATE, PARSHALL_NEVER,
};

/// A network: being built, in operation, or finished. It is used by one thread at a time; other networks may be used by
/// other threads meanwhile.
#[derive(Debug, Default)]
pub struct Net {
    pub(crate) state: State,
    /// The datagram of the last event, which C points into.
    pub(crate) held: Option<Datagram>,
    error: CString,
}

#[derive(Debug, Default)]
pub(crate) enum State {
    /// No scenario yet.
    #[default]
    Empty,
    Building(Box<Building>),
    Running(Box<Network>),
    Finished(Box<Finished>),
}

#[derive(Debug)]
pub(crate) struct Building {
    pub builder: Builder,
    /// Endpoints so far.
    pub endpoints: u32,
}

#[derive(Debug)]
pub(crate) struct Finished {
    pub recording: Recording,
    pub trace_digest: Option<u64>,
}

/// A failure: a code of the interface, and the value and what was expected.
#[derive(Debug)]
pub(crate) struct Fault {
    pub code: i32,
    pub text: String,
}

impl Fault {
    pub fn argument(text: impl Into<String>) -> Self {
        Fault { code: PARSHALL_ERROR_ARGUMENT, text: text.into() }
    }
}

impl From<NetworkError> for Fault {
    fn from(error: NetworkError) -> Self {
        let code = match error {
            NetworkError::Scenario(_) => PARSHALL_ERROR_SCENARIO,
            NetworkError::Endpoint(_) => PARSHALL_ERROR_ENDPOINT,
            _ => PARSHALL_ERROR_RUN,
        };
        Fault { code, text: error.to_string() }
    }
}

/// The value that a function returns when it fails.
pub(crate) trait Returned {
    fn failed(code: i32) -> Self;
}

impl Returned for i32 {
    fn failed(code: i32) -> Self {
        code
    }
}

impl Returned for i64 {
    fn failed(code: i32) -> Self {
        code.into()
    }
}

impl Returned for u64 {
    fn failed(_: i32) -> Self {
        PARSHALL_NEVER
    }
}

impl<T> Returned for *const T {
    fn failed(_: i32) -> Self {
        ptr::null()
    }
}

/// Does the work of one function. Its fault, or a panic, becomes what the function returns and the text of the network.
///
/// # Safety
/// As the crate says of a network.
pub(crate) unsafe fn enter<T: Returned>(
    net: *mut Net,
    call: &'static str,
    work: impl FnOnce(&mut Net) -> Result<T, Fault>,
) -> T {
    // SAFETY: the caller says that it is null, or a network that nobody else uses.
    let Some(net) = (unsafe { net.as_mut() }) else { return T::failed(PARSHALL_ERROR_ARGUMENT) };
    let done = catch_unwind(AssertUnwindSafe(|| work(net)));
    let internal = |_| Err(Fault { code: PARSHALL_ERROR_INTERNAL, text: "the library failed".into() });
    done.unwrap_or_else(internal).unwrap_or_else(|fault| {
        net.error = line(call, &fault.text);
        T::failed(fault.code)
    })
}

fn line(call: &str, text: &str) -> CString {
    let text = format!("{call}: {text}").replace('\0', "\\0").replace('\n', "; ");
    CString::new(text).unwrap_or_default()
}

/// A text of the caller's.
///
/// # Safety
/// It is null, or ends with a zero and stays as it is while the result is used.
pub(crate) unsafe fn text<'a>(name: &str, text: *const c_char) -> Result<&'a str, Fault> {
    if text.is_null() {
        return Err(Fault::argument(format!("{name}: got NULL, expected a text")));
    }
    // SAFETY: it is not null, and the caller says that it ends with a zero.
    let text = unsafe { CStr::from_ptr(text) };
    let invalid = |_| Fault::argument(format!("{name}: got {text:?}, expected UTF-8"));
    text.to_str().map_err(invalid)
}

/// Writes a value where the caller wants it.
///
/// # Safety
/// The place is null or valid for the value.
pub(crate) unsafe fn write<T>(name: &str, place: *mut T, value: T) -> Result<(), Fault> {
    check_place(name, place)?;
    // SAFETY: it is not null, and the caller says that it is valid.
    unsafe { place.write(value) };
    Ok(())
}

/// Checks that there is a place for a value.
pub(crate) fn check_place<T>(name: &str, place: *mut T) -> Result<(), Fault> {
    match place.is_null() {
        true => Err(Fault::argument(format!("{name}: got NULL, expected a place for the result"))),
        false => Ok(()),
    }
}

impl Net {
    pub(crate) fn building(&mut self) -> Result<&mut Building, Fault> {
        match &mut self.state {
            State::Building(building) => Ok(building),
            other => Err(other.unlike("one that is loaded and not built")),
        }
    }

    pub(crate) fn running(&mut self) -> Result<&mut Network, Fault> {
        match &mut self.state {
            State::Running(network) => Ok(network),
            other => Err(other.unlike("one in operation")),
        }
    }

    pub(crate) fn finished(&mut self) -> Result<&Finished, Fault> {
        match &mut self.state {
            State::Finished(finished) => Ok(finished),
            other => Err(other.unlike("one that is finished")),
        }
    }
}

impl State {
    pub(crate) fn unlike(&self, expected: &str) -> Fault {
        Fault { code: PARSHALL_ERROR_STATE, text: format!("got a network {self}, expected {expected}") }
    }
}

/// Goes on after `a network`.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Empty => "without a scenario",
            State::Building(_) => "that is not built",
            State::Running(_) => "in operation",
            State::Finished(_) => "that is finished",
        })
    }
}

/// Makes a network without a scenario. parshall_net_free frees it, in any state.
#[no_mangle]
pub extern "C" fn parshall_net_new() -> *mut Net {
    Box::into_raw(Box::default())
}

/// Frees a network, and all that its functions have returned pointers to. NULL is ignored.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_free(net: *mut Net) {
    if net.is_null() {
        return;
    }
    // SAFETY: the caller says that it comes from `parshall_net_new`, which made it of a box, and was not freed before.
    let net = unsafe { Box::from_raw(net) };
    // A user's part may panic when it is dropped. There is nobody left to tell.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(net)));
}

/// Returns one line about the last call that failed: the function, the value, what was expected. It is empty if none has
/// failed. It stays where it is until the next call that fails.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_error(net: *const Net) -> *const c_char {
    // SAFETY: the caller says that it is null or a network that nobody else uses.
    match unsafe { net.as_ref() } {
        Some(net) => net.error.as_ptr(),
        None => c"got NULL, expected a network".as_ptr(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_code() {
        let net = parshall_net_new();
        let panics = |_: &mut Net| -> Result<i32, Fault> { std::panic::resume_unwind(Box::new("a fault")) };
        // SAFETY: the network was made above.
        assert_eq!(unsafe { enter(net, "parshall_net_next", panics) }, PARSHALL_ERROR_INTERNAL);
        // SAFETY: the text is the network's, which is still there.
        let error = unsafe { CStr::from_ptr(parshall_net_error(net)) };
        assert_eq!(error, c"parshall_net_next: the library failed");
        // SAFETY: it is not used afterwards.
        unsafe { parshall_net_free(net) };
    }

    #[test]
    fn an_error_is_one_line() {
        assert_eq!(line("f", "a\nb\0c").to_bytes(), b"f: a; b\\0c");
    }

    #[test]
    fn a_network_may_go_to_another_thread() {
        fn moves<T: Send>() {}
        moves::<Net>();
    }
}
