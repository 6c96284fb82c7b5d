//! What a run leaves behind: counters always, and whatever else the scenario asks for.

mod capture;
mod flow_series;
mod joined;
mod nonresponsive;
mod recorder;
mod responsiveness;
mod rows;
mod table;
mod watch;

use crate::names::Names;

pub use capture::{Called, CaptureOptions, Captures, Carried, FlowFacts, TcpFacts};
pub use flow_series::Compact;
pub use joined::Joined;
pub use nonresponsive::{QueueEstimator, QueueObservers};
pub use recorder::{FlowFrame, Recorder};
pub use responsiveness::Estimated;
pub use rows::*;
pub use table::{Column, IntoColumn, Table};
pub use watch::Watch;

/// All that is known of a run once it has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What flows and ports are called.
    pub names: Names,
    /// `flows` and `ports`, then what was asked for.
    pub tables: Vec<Table>,
    /// Packet captures by port.
    pub captures: Vec<(String, Vec<u8>)>,
    /// Events that the engine executed.
    pub events: u64,
    /// These, and what was done ahead of them: what a limit of events is about.
    pub steps: u64,
}
