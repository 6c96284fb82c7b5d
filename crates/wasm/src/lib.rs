//! The engine as a WebAssembly module. A host writes a network as TOML or JSON into memory that [`input`] makes, calls
//! [`run`], [`check`], [`normalize`], [`timeouts`] or [`schema`], and reads JSON at [`output`]: after a run where each column lies in memory, so that
//! typed arrays over it need no copy. All of it stays until the next call.
//!
//! A run that fails within the engine traps, since nothing unwinds here; what went wrong is in the output all the same.
//! `parshall.mjs` beside this file does all that.

// A C interface has functions without a mangled name, and one that the host gives.
#![allow(unsafe_code)]

mod answer;
mod head;
mod timeouts;

use std::cell::RefCell;

use parshall_sim::{Recording, RunOptions};

use crate::answer::{Answer, Failed};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The recording that the output points into.
    static KEPT: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "parshall")]
extern "C" {
    /// Told the simulated seconds so far; 0 ends the run.
    fn progress(seconds: f64) -> u32;
}

/// Makes room for so many bytes of input and returns where they go. Memory may have grown: a host looks at it afterwards.
#[no_mangle]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    begin();
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; bytes];
        input.as_mut_ptr()
    })
}

/// Runs the network of the input with a seed and returns 0, or 1 if there is an error in the output. `max_events` of 0 is no
/// limit.
#[no_mangle]
pub extern "C" fn run(seed: u64, max_events: u64) -> u32 {
    tell(|text| {
        let options = if max_events > 0 { watched().max_events(max_events) } else { watched() };
        let (answer, recording) = answer::run(text, seed, &options)?;
        KEPT.set(Some(recording));
        Ok(answer)
    })
}

/// Checks the network of the input; the output says what a run will take: packets, events, seconds and bytes.
#[no_mangle]
pub extern "C" fn check() -> u32 {
    tell(answer::takes)
}

/// Fills every default into the network of the input; the output is that network.
#[no_mangle]
pub extern "C" fn normalize() -> u32 {
    tell(answer::normalize)
}

/// Judges filters of the retransmission timeout on the round trips of the input, an array of JSON in seconds; the output has a row
/// for each filter: how many of its timeouts were early, and the mean one.
#[no_mangle]
pub extern "C" fn timeouts() -> u32 {
    tell(answer::timeouts)
}

/// Puts the JSON Schema of scenario files into the output.
#[no_mangle]
pub extern "C" fn schema() -> u32 {
    tell(answer::schema)
}

/// The start of the output.
#[no_mangle]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// The length of the output.
#[no_mangle]
pub extern "C" fn output_bytes() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

fn tell(question: impl FnOnce(&str) -> Result<Answer, Failed>) -> u32 {
    begin();
    KEPT.set(None);
    let bytes = INPUT.take();
    let text = std::str::from_utf8(&bytes).map_err(|error| Failed::json(&error));
    let (code, answer) = match text.and_then(question) {
        Ok(answer) => (0, answer),
        Err(failed) => (1, failed.answer()),
    };
    OUTPUT.set(answer);
    code
}

/// A run whose progress the host hears of.
#[cfg(target_family = "wasm")]
fn watched() -> RunOptions {
    use std::ops::ControlFlow;
    RunOptions::new().progress(|at| {
        // SAFETY: the host gives a function that takes a number and returns one.
        let goes_on = unsafe { progress(at.secs()) } != 0;
        if goes_on {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })
}

#[cfg(not(target_family = "wasm"))]
fn watched() -> RunOptions {
    RunOptions::new()
}

/// The first call lets the host hear of panics, which are the end where nothing unwinds.
#[cfg(target_family = "wasm")]
fn begin() {
    static BEGUN: std::sync::Once = std::sync::Once::new();
    BEGUN.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let text = info.payload().downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| info.payload().downcast_ref::<&str>().copied());
            OUTPUT.set(Failed::failure(text.unwrap_or("the engine failed")).answer());
        }));
    });
}

#[cfg(not(target_family = "wasm"))]
fn begin() {}
