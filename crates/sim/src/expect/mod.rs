//! Estimates packets, events, seconds and memory of a run before it begins, from the demand of its sources and the capacity
//! of its links. A sender held back by the losses of its queue sends less than its share: the estimate is that of busy links,
//! and right within a factor of a few.

mod asks;
mod demand;
mod recorded;
mod shares;
mod waiting;
mod window;

use std::fmt;

use demand::demands;
use recorded::{state_bytes, Recorded};
use shares::shares;
use waiting::waiting_bytes;

use crate::compile::Plan;
use crate::headroom::Memory;
use crate::network::Hop;
use crate::queue::decides_at_departure;
use crate::room::gib;
use crate::scenario::Queue;

/// Seconds that an event takes on the machine of docs/performance.md.
const EVENT_S: f64 = 1.3e-7;

/// Seconds that an update of PIE takes, of which there may be many between two packets.
const UPDATE_S: f64 = 5e-9;

/// A run to come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Packets of data that are sent.
    pub packets: f64,
    /// Events that are executed.
    pub events: f64,
    /// Seconds on one core of today.
    pub seconds: f64,
    /// Bytes of memory at most at one time.
    pub bytes: f64,
}

impl Expected {
    /// The estimate for a plan.
    pub fn of(plan: &Plan) -> Self {
        let demands = demands(plan);
        let shares = shares(plan, &demands);
        let recorded = Recorded::new(plan);
        let mut expected = Expected {
            bytes: state_bytes(plan) + waiting_bytes(plan, &demands, &shares) + recorded.series_bytes(plan),
            events: recorded.looks(plan),
            ..Expected::default()
        };
        for (flow, (demand, share)) in demands.iter().zip(shares).enumerate() {
            let packets = (share.pps * demand.seconds).min(demand.packets);
            let acks = packets * demand.acks;
            let back = crossing(plan.path(demand.ack_hops), plan, &[]);
            let data = crossing(plan.path(demand.data_hops), plan, &share.survive);
            expected.packets += packets;
            // What folds into one event still takes its time.
            expected.events += packets * (data.max(1.0) + demand.own_events) + acks * back + demand.writes;
            expected.bytes += recorded.bytes(plan, flow as u32, demand, (packets, acks));
        }
        expected.seconds = expected.events * EVENT_S + updates(plan) * UPDATE_S;
        expected
    }
}

/// An estimate is this far off at most.
const OFF: f64 = 10.0;

impl Expected {
    /// The reason why there is no use in starting such a run, if it takes more memory than this computer has, however far the
    /// estimate is off.
    pub fn out_of_reach(&self) -> Option<OutOfReach> {
        let memory = Memory::now().filter(|memory| self.bytes > OFF * memory.total as f64)?;
        Some(OutOfReach { bytes: self.bytes as u64, total: memory.total })
    }
}

/// A run that would take far more memory than this computer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutOfReach {
    /// Bytes that it would take, as estimated.
    pub bytes: u64,
    /// Bytes of memory that there are.
    pub total: u64,
}

impl fmt::Display for OutOfReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the run would take about {} of memory, and there are {}; simulate or record less, or over a shorter time, or \
             end it by max_events",
            gib(self.bytes),
            gib(self.total)
        )
    }
}

/// Events that a packet causes on a path, of which this part reaches each hop; all reach those that are not listed.
fn crossing(hops: &[Hop], plan: &Plan, survive: &[f64]) -> f64 {
    let events = |hop: &Hop| {
        let serves = decides_at_departure(&plan.ports[hop.port as usize].queue);
        f64::from(u8::from(!hop.folds_next()) + u8::from(serves))
    };
    hops.iter().enumerate().map(|(n, hop)| events(hop) * survive.get(n).copied().unwrap_or(1.0)).sum()
}

/// Updates of PIE at all ports that packets cross.
fn updates(plan: &Plan) -> f64 {
    let mut crossed = vec![false; plan.ports.len()];
    plan.hops.iter().for_each(|hop| crossed[hop.port as usize] = true);
    let of = |queue: &Queue| match queue {
        Queue::Pie(pie) => plan.duration.ps() as f64 / pie.update.ps() as f64,
        _ => 0.0,
    };
    plan.ports.iter().zip(crossed).filter(|(_, crossed)| *crossed).map(|(port, _)| of(&port.queue)).sum()
}
