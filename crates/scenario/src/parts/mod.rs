//! The parts of a scenario, by topic: the one place that says what each field takes, its default and its text.

mod applications;
mod class_queues;
mod conditioner;
mod control;
mod dumbbell;
mod events;
mod forecaster;
mod laws;
mod losses;
mod meters;
mod network;
mod queue_share;
mod queues;
mod record;
mod rto;
mod traffic;
mod transport;
mod weights;

pub use applications::*;
pub use class_queues::*;
pub use conditioner::*;
pub use control::*;
pub use dumbbell::*;
pub use events::*;
pub use forecaster::*;
pub use laws::*;
pub use losses::*;
pub use meters::*;
pub use network::*;
pub use queue_share::*;
pub use queues::*;
pub use record::*;
pub use rto::*;
pub use traffic::*;
pub use transport::*;
pub use weights::*;
