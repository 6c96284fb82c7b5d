//! Transfers in simulated time: the scenario's network is between client and server, and no socket.

use std::sync::Arc;

use parshall_quinn::sim::{Setup, UNBOUNDED};
use parshall_sim::net::Builder;
use parshall_sim::units::Time;
use quinn::congestion::ControllerFactory;

use crate::flow::{transport, Fallible, Outcome};

/// The outcome of a transfer in simulated time.
#[derive(Debug)]
pub struct Simulated {
    /// Figures that the real transfer tells, too. Time is that of the scenario, and so is the warm-up.
    pub outcome: Outcome,
    /// The queue of the scenario's first link.
    pub queue: Queue,
}

/// Counters of a port.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// Mean time in the queue and in transmission, in seconds.
    pub mean_delay: f64,
    /// Packets that came.
    pub packets_arrived: u64,
    /// Packets that it dropped.
    pub packets_dropped: u64,
}

/// Does a transfer in the place of the first flow of a scenario file.
pub fn simulated(file: &str, control: Arc<dyn ControllerFactory + Send + Sync>) -> Fallible<Simulated> {
    let mut network = Builder::load(file)?;
    let scenario = network.scenario_mut();
    let counted = scenario.duration.since(scenario.warm_up).secs();
    let flow = scenario.flows.first().ok_or_else(|| format!("{file}: expected a flow"))?.name.clone();
    let mut sender = transport();
    sender.congestion_controller_factory(control);
    let setup = Setup::replacing(network, &flow)?.transport(transport()).client_transport(Arc::new(sender));
    let mut pair = setup.build()?;
    pair.client.send(Time::ZERO, UNBOUNDED);
    let run = pair.run()?;
    let path = run.client.stats.ok_or("no connection")?.path;
    let ports = run.recording.table("ports")?;
    Ok(Simulated {
        outcome: Outcome {
            bytes: (run.server.goodput * counted / 8.0).round() as u64,
            goodput: run.server.goodput,
            packets_sent: path.sent_packets,
            packets_lost: path.lost_packets,
            congestion_events: path.congestion_events,
            srtt: path.rtt.as_secs_f64(),
        },
        queue: Queue {
            mean_delay: ports.f64("mean_delay")?[0],
            packets_arrived: ports.u64("packets_arrived")?[0],
            packets_dropped: ports.u64("packets_dropped")?[0],
        },
    })
}
