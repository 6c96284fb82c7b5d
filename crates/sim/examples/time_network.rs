//! A measurement for those who maintain the engine, and no example of how to use it: the documentation of
//! `parshall_sim::net` has some.
//! Times what a network costs a packet: `cargo run --release --example time_network -- [MBIT/S [PACKETS]]`.
//!
//! One endpoint sends packets of 1500 bytes, without content, a little more slowly than the link; the other one counts
//! them. Once they are endpoints of `Network::run`, once the loop is here.

use std::error::Error;
use std::time::Instant;

use parshall_sim::net::{Builder, Datagram, Endpoint, Event};
use parshall_sim::scenario::{DropTail, Link, Scenario};
use parshall_sim::units::{Rate, Time};

const BYTES: u32 = 1500;

/// Sends a packet each `gap`.
struct Ticker {
    next: Time,
    gap: Time,
    received: u64,
}

impl Endpoint for Ticker {
    fn receive(&mut self, _: Time, _: Datagram) {
        self.received += 1;
    }
    fn expire(&mut self, _: Time) {}
    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        (now >= self.next).then(|| {
            self.next += self.gap;
            Datagram::sized(BYTES)
        })
    }
    fn timer(&mut self) -> Option<Time> {
        Some(self.next)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mbit = arguments.next().map_or(Ok(10.0), |text| text.parse())?;
    let packets: f64 = arguments.next().map_or(Ok(1e6), |text| text.parse())?;
    let rate = Rate::mbit(mbit);
    let gap = Time::from_ps(rate.transmission(BYTES).ps() * 101 / 100);
    let duration = Time::from_secs(gap.secs() * packets);
    let link = Link::new(("a", "b"), rate, Time::ms(20.0)).with_queue(DropTail::packets(50));
    for pulled in [false, true] {
        let mut builder = Builder::new(Scenario::new(duration, [link.clone()], []));
        let [a, b] = builder.attach("ticks", "a", "b")?;
        let mut network = builder.build()?;
        let started = Instant::now();
        let received = if pulled {
            let (mut next, mut received) = (Time::ZERO, 0);
            network.wake(a, next)?;
            loop {
                match network.next()? {
                    Event::Wake { at, .. } => {
                        network.send(a, at, Datagram::sized(BYTES))?;
                        next += gap;
                        network.wake(a, next)?;
                    }
                    Event::Arrival(_) => received += 1,
                    Event::Dropped(_) => {}
                    Event::End => break received,
                }
            }
        } else {
            let mut sender = Ticker { next: Time::ZERO, gap, received: 0 };
            let mut receiver = Ticker { next: Time::NEVER, gap, received: 0 };
            network.run(&mut [(a, &mut sender), (b, &mut receiver)])?;
            receiver.received
        };
        let each = started.elapsed().as_secs_f64() / received as f64;
        let way = if pulled { "Network::next" } else { "Network::run" };
        println!("{mbit} Mbit/s, {way}: {received} packets, {:.0} ns each", 1e9 * each);
    }
    Ok(())
}
