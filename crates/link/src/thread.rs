//! Priority and timers of the thread that relays.

use std::io;

use nix::sys::prctl::set_timerslack;

use crate::{LinkError, Priority};

/// Above threads without a real-time priority of their own, below those of the kernel.
const LEVEL: libc::c_int = 10;

/// Makes the timers of this thread exact, and gives it this priority; returns true for a real-time one.
pub(crate) fn prepare(priority: Priority) -> Result<bool, LinkError> {
    // Where timers cannot be made exact they are 50 us late.
    let _ = set_timerslack(1);
    if priority == Priority::Normal {
        return Ok(false);
    }
    match real_time() {
        Err(reason) if priority == Priority::RealTime => Err(LinkError::Priority(reason)),
        granted => Ok(granted.is_ok()),
    }
}

#[allow(unsafe_code)]
fn real_time() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: LEVEL };
    // SAFETY: the call reads `parameters` alone, and 0 is the calling thread.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
