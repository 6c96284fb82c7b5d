//! The networks of these tests.

use parshall_sim::scenario::{DropTail, Link, Scenario};
use parshall_sim::units::{Rate, Time};
use parshall_smoltcp::{CongestionControl, Options};

/// 10 Mbit/s, a round trip of 40 ms, a queue of 50 packets.
pub fn link() -> Link {
    Link::new(("a", "b"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(DropTail::packets(50))
}

pub fn scenario(seconds: f64, link: Link) -> Scenario {
    Scenario::new(Time::from_secs(seconds), [link], [])
}

pub fn reno() -> Options {
    Options { control: CongestionControl::Reno, ..Options::default() }
}
