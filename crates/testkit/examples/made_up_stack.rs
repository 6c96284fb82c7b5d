//! A made-up stack, and its tests: `cargo test --example made_up_stack` runs them, `cargo run --example made_up_stack` shows a message.
//!
//! The stack sends a datagram every so often, whatever happens, as a sensor or a game does.

use parshall_sim::net::{Datagram, Endpoint, NetworkError};
use parshall_sim::units::Time;
use parshall_testkit::{bufferbloat, Kit, Report};

/// One end: it sends a datagram of 1228 bytes each `interval`, or nothing.
struct Metronome {
    interval: Option<Time>,
    next: Time,
}

impl Endpoint for Metronome {
    fn receive(&mut self, _: Time, _: Datagram) {}

    fn expire(&mut self, _: Time) {}

    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        let interval = self.interval.filter(|_| now >= self.next)?;
        self.next += interval;
        Some(Datagram::udp([0; 1200]))
    }

    fn timer(&mut self) -> Option<Time> {
        self.interval.map(|_| self.next)
    }
}

/// A run in which the server sends a datagram each millisecond, which is 9.8 Mbit/s.
fn run(kit: Kit) -> Result<Report, NetworkError> {
    let mut run = kit.build()?;
    let mut client = Metronome { interval: None, next: Time::ZERO };
    let mut server = Metronome { interval: Some(Time::ms(1.0)), next: Time::ZERO };
    run.drive(&mut client, &mut server)?;
    run.finish()
}

fn main() -> Result<(), NetworkError> {
    let report = run(bufferbloat().with_linux_cubic(1).seed(7))?;
    println!("{:.2} Mbit/s of goodput", report.goodput() / 1e6);
    if let Err(failure) = report.check().p95_delay_at_most(Time::ms(100.0)) {
        println!("{failure}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parshall_testkit::{dsl, same_trace_twice};

    #[test]
    fn a_constant_stream_needs_no_queue() {
        let report = same_trace_twice(|| run(dsl().seed(7)).expect("a run"));
        report.no_loss().goodput_at_least(0.6).p95_delay_at_most(Time::ms(1.0));
    }

    #[test]
    fn a_stream_that_never_gives_way_is_not_fair() {
        let report = run(bufferbloat().with_linux_cubic(1)).expect("a run");
        assert!(report.check().fair_beside_linux_cubic(0.5..=2.0).is_err());
    }
}
