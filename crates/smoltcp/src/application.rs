//! A program on top of smoltcp.

use parshall_sim::units::Time;
use smoltcp::iface::{Interface, SocketSet};

/// A program, which works with the sockets of its host.
pub trait Application {
    /// Looks after the sockets. It is called at the start, after packets have arrived or timers of smoltcp have expired, and at
    /// [`Application::timer`]. `interface.context()` is what `connect` of a TCP socket wants.
    fn poll(&mut self, now: Time, interface: &mut Interface, sockets: &mut SocketSet<'static>);

    /// When to be called next even if nothing happens; `None` if that need not be. An instant that has passed means as soon as
    /// possible.
    fn timer(&self) -> Option<Time> {
        None
    }

    /// True once the program has no more to do. A run ends when all endpoints say so.
    fn is_done(&self) -> bool {
        false
    }
}
