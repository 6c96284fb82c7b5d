//! Makes a control for each connection.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Instant;

use parshall_control::{Control, InvalidParameter};
use quinn_proto::congestion::{Controller, ControllerFactory};

use crate::Adapter;

/// Packets that may leave before the first ACK (RFC 9002, section 7.2).
const INITIAL_WINDOW: f64 = 10.0;

/// Makes an [`Adapter`] for each connection of an endpoint: a quinn `ControllerFactory`.
#[derive(Debug)]
pub struct Controls {
    control: Control,
    initial_window: f64,
    seed: u64,
    made: AtomicU64,
}

impl Controls {
    /// Connections with this control.
    ///
    /// # Errors
    /// If a parameter of the control is out of its range.
    pub fn new(control: Control) -> Result<Self, InvalidParameter> {
        control.check()?;
        Ok(Controls { control, initial_window: INITIAL_WINDOW, seed: 1, made: AtomicU64::new(0) })
    }

    /// Returns it with another window before the first ACK, in packets; at least 2.
    #[must_use]
    pub fn with_initial_window(self, packets: f64) -> Self {
        Controls { initial_window: packets.max(2.0), ..self }
    }

    /// Returns it with another seed of random numbers, which BBR alone draws. Connections count: each draws others.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Controls { seed, ..self }
    }

    /// An adapter for a connection that begins at `now`.
    pub fn adapter(&self, now: Instant, mtu: u16) -> Adapter {
        let number = self.made.fetch_add(1, Relaxed);
        Adapter::new(&self.control, self.initial_window, (self.seed, number), now, mtu)
    }
}

impl ControllerFactory for Controls {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(self.adapter(now, current_mtu))
    }
}
