//! The scenario as a plain value: what a user asks for, before names become indices.
//!
//! Times are seconds, rates bit/s, sizes bytes unless a field's name says packets. [`crate::parts`] says what may be given
//! for each field, and a test holds the two together; names of nodes and flows are checked where a scenario is run.

mod alike;
mod apps;
mod build;
mod defaults;
mod diffserv;
mod events;
mod losses;
mod own;
mod own_app;
mod own_marker;
mod own_queue;
mod queues;
mod record;
mod routing;
mod traffic;
mod transport;

use std::sync::Arc;

pub use alike::{push_alike, Alike};
pub use apps::*;
pub use diffserv::*;
pub use events::*;
pub use losses::*;
pub use own::OwnPart;
pub use own_app::*;
pub use own_marker::*;
pub use own_queue::*;
pub use parshall_control::Control;
pub use queues::*;
pub use record::*;
pub use routing::*;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
pub use traffic::*;
pub use transport::*;

use parshall_control::units::{Rate, Time};

/// A network, the flows that cross it, how long it runs and what is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Simulated time; the run covers `[0, duration)`.
    pub duration: Time,
    /// Counters count from this instant on.
    #[serde(default)]
    pub warm_up: Time,
    /// Nodes where flows start and end. A host forwards nothing.
    pub hosts: Vec<SmolStr>,
    /// Nodes that forward.
    #[serde(default)]
    pub routers: Vec<SmolStr>,
    /// Which of several paths a flow takes.
    #[serde(default)]
    pub routing: Routing,
    /// Full-duplex links; at most one between two nodes.
    #[serde(deserialize_with = "alike::list")]
    pub links: Vec<Link>,
    /// Traffic.
    #[serde(deserialize_with = "alike::list")]
    pub flows: Vec<Flow>,
    /// Quantities to record besides the counters.
    #[serde(default)]
    pub record: Record,
}

/// A full-duplex link. Its two directions are the ports `a->b` and `b->a` for `between = ["a", "b"]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two nodes; the first is where the forward direction starts.
    pub between: (SmolStr, SmolStr),
    /// A short name for the forward direction.
    #[serde(default)]
    pub name: Option<SmolStr>,
    /// Bits per second.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Time,
    /// Queue in front of the link.
    #[serde(default)]
    pub queue: Arc<Queue>,
    /// Instants at which packets may leave, in place of the rate, which then only tells RED, and the observers of
    /// `record.nonresponsive`, what to expect.
    #[serde(default)]
    pub capacity: Option<Arc<Capacity>>,
    /// Random delay on top of the propagation delay.
    #[serde(default)]
    pub jitter: Option<Jitter>,
    /// Packets lost on arrival at the port, before the queue.
    #[serde(default)]
    pub loss: Option<Arc<Loss>>,
    /// Conditioner of arriving packets, before all else.
    #[serde(default)]
    pub conditioner: Option<Arc<Conditioner>>,
    /// Events at given times: changes of each kind, and stalls, in order of time.
    #[serde(default)]
    pub events: Vec<LinkEvent>,
    /// Properties of the direction from the second node to the first that differ. A field left out is as
    /// above, except `loss`, `jitter`, `capacity`, `conditioner` and `events`, which are none.
    #[serde(default)]
    pub reverse: Arc<Reverse>,
}

/// The reverse direction of a [`Link`], where it differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Bits per second.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Propagation delay.
    #[serde(default)]
    pub delay: Option<Time>,
    /// Queue in front of the link.
    #[serde(default)]
    pub queue: Option<Arc<Queue>>,
    /// Instants at which packets may leave.
    #[serde(default)]
    pub capacity: Option<Arc<Capacity>>,
    /// Random delay.
    #[serde(default)]
    pub jitter: Option<Jitter>,
    /// Packets lost on arrival at the port.
    #[serde(default)]
    pub loss: Option<Arc<Loss>>,
    /// Conditioner of arriving packets, before all else.
    #[serde(default)]
    pub conditioner: Option<Arc<Conditioner>>,
    /// Events at given times.
    #[serde(default)]
    pub events: Vec<LinkEvent>,
}

/// A recorded capacity: at each of `times` a number of bytes may leave; after `period` all repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// In ascending order, equal ones allowed.
    pub times: Vec<Time>,
    /// At least the last of `times`, and above 0.
    pub period: Time,
    /// Bytes that may leave at one of the times.
    #[serde(default = "default_mtu")]
    pub bytes: u32,
}

fn default_mtu() -> u32 {
    1500
}

/// Random delay on a link, uniform from 0 to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jitter {
    /// Longest delay.
    pub most: Time,
    /// True if a packet may overtake another; otherwise it waits for it.
    #[serde(default)]
    pub reorder: bool,
}

/// One flow: an application over a transport between two hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Unique. Random draws of the flow depend on the seed and on this name only.
    pub name: SmolStr,
    /// Host that sends data.
    pub source: SmolStr,
    /// Host that receives it.
    pub destination: SmolStr,
    /// Transport of the data.
    pub transport: Transport,
    /// When there is data to send.
    pub app: App,
    /// Earliest start.
    #[serde(default)]
    pub start: Time,
    /// The start is drawn uniformly from `[start, start + start_spread)`.
    #[serde(default)]
    pub start_spread: Time,
    /// From this instant on the application hands nothing more to the transport.
    #[serde(default)]
    pub stop: Option<Time>,
    /// Code point of the packets that both ends send.
    #[serde(default)]
    pub dscp: u8,
    /// Routers that data passes, in this order; ACKs pass them in the opposite one. Between them paths are the shortest.
    #[serde(default)]
    pub via: Vec<SmolStr>,
}
