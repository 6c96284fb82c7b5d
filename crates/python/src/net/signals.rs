//! Ctrl-C while the engine is at work on this thread.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parshall_sim::internal::Pulse;
use pyo3::prelude::*;

/// Time between two looks for signals.
pub const LOOKING: Duration = Duration::from_millis(20);

/// Time after which the engine itself looks: it has not come back, so it is within one event that takes long.
const PATIENCE: Duration = Duration::from_millis(200);

thread_local! {
    /// When signals were looked for; none since the engine has begun to work.
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

/// The engine begins to work on this thread, or works on: no signal waits.
pub fn looked() {
    LOOKED.set(None);
    if !WATCHED.replace(true) {
        // Threads of Python's have no other runs of the engine.
        Pulse::own().on_look(Some(Arc::new(|_| goes_on())));
    }
}

/// The exception of a signal that ended the engine's work, once.
pub fn raised() -> Option<PyErr> {
    RAISED.take()
}

/// Looks for signals if the engine has been at work for long. Returns false if there was one that raised an exception.
fn goes_on() -> bool {
    let since = LOOKED.get().unwrap_or_else(Instant::now);
    let looks = since.elapsed() >= PATIENCE;
    LOOKED.set(Some(if looks { Instant::now() } else { since }));
    if !looks {
        return true;
    }
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => true,
        Err(error) => {
            RAISED.set(Some(error));
            false
        }
    }
}
