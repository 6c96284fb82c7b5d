//! Output of a run: counters always, and the tables that the scenario asks for.

mod capture;
mod column;
mod flow_series;
mod joined;
mod lookup;
mod nonresponsive;
mod recorder;
mod recording;
mod responsiveness;
mod rows;
mod table;
mod watch;

pub use capture::{Called, CaptureOptions, Captures, Carried, FlowFacts, TcpFacts};
pub use column::{Column, NoMemory, ValueType, Values};
pub use joined::Joined;
pub use lookup::LookupError;
pub use nonresponsive::{QueueEstimator, QueueObservers};
pub use recorder::{FlowFrame, Recorder};
pub use recording::Recording;
pub use responsiveness::Estimated;
pub use rows::*;
pub use table::Table;
pub use watch::Watch;
