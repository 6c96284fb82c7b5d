//! The controls that a transfer knows by name.

use std::sync::Arc;

use parshall_quinn::control::Control;
use parshall_quinn::Controls;
use quinn::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};

use crate::flow::{Fallible, PACKET_BYTES};

/// A control by its name: `quinn-cubic`, `quinn-bbr` and `quinn-newreno` are quinn's own, others those of Parshall.
pub fn named(name: &str) -> Fallible<Arc<dyn ControllerFactory + Send + Sync>> {
    let window = 10 * u64::from(PACKET_BYTES);
    Ok(match name {
        "quinn-cubic" => Arc::new(CubicConfig::default().initial_window(window).to_owned()),
        "quinn-bbr" => Arc::new(BbrConfig::default().initial_window(window).to_owned()),
        "quinn-newreno" => Arc::new(NewRenoConfig::default().initial_window(window).to_owned()),
        _ => Arc::new(Controls::new(name.parse::<Control>()?)?),
    })
}
