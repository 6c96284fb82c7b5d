//! quinn in simulated time.

mod network;
mod oddities;
mod repeat;
mod transfers;

use parshall_quinn::sim::Setup;
use parshall_sim::net::Builder;
use parshall_sim::scenario::{DropTail, Link, Queue, Scenario};
use parshall_sim::units::{Rate, Time};
use quinn_proto::{TransportConfig, VarInt};

fn seconds(seconds: f64) -> Time {
    Time::from_secs(seconds)
}

/// A client and a server at the ends of a link of 10 Mbit/s and 20 ms.
fn over(duration: f64, queue: impl Into<Queue>) -> Setup {
    between(Link::new(("client", "server"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(queue), duration)
}

/// A client and a server at the ends of this link.
fn between(link: Link, duration: f64) -> Setup {
    let scenario = Scenario::new(seconds(duration), [link], []);
    Setup::between(Builder::new(scenario), "client", "server").expect("two hosts")
}

/// A queue that holds two round trips of the link of [`over`].
fn deep() -> DropTail {
    DropTail::packets(67)
}

/// Packets of 1500 bytes on the wire, and windows of flow control that hold nothing back.
fn large_windows() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport.initial_mtu(1472).min_mtu(1472).mtu_discovery_config(None);
    let much = VarInt::from_u32(1 << 26);
    transport.receive_window(much).stream_receive_window(much).send_window(1 << 26);
    transport
}
