//! Drop-tail beside CoDel: a TCP flow fills whatever buffer there is, and what it costs those who wait in it.
//!
//! `cargo run --release --example two_queues`

use std::error::Error;

use parshall_sim::scenario::{CoDel, DropTail, Flow, Link, Queue, Record, Scenario, Tcp};
use parshall_sim::units::{Rate, Time};

const DURATION_S: f64 = 30.0;

/// Two TCP flows over a link of 10 Mbit/s, a round trip of 42 ms when nobody waits.
fn scenario(queue: impl Into<Queue>) -> Scenario {
    let access = |host, router| Link::new((host, router), Rate::gbit(1.0), Time::ms(0.5));
    let narrow = Link::new(("r1", "r2"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(queue);
    let links = [
        access("s1", "r1"),
        access("s2", "r1"),
        narrow.named("narrow"),
        access("d1", "r2"),
        access("d2", "r2"),
    ];
    let flows = [Flow::bulk("f1", "s1", "d1", Tcp::default()), Flow::bulk("f2", "s2", "d2", Tcp::default())];
    let record = Record { rtt: vec!["*".into()], ..Record::default() };
    let duration = Time::from_secs(DURATION_S);
    Scenario { warm_up: Time::from_secs(5.0), record, ..Scenario::new(duration, links, flows) }
}

/// Results of the flows, and their price.
pub struct Figures {
    /// Goodput of both together, in Mbit/s.
    pub goodput: f64,
    /// Mean time in the queue of the narrow link, in milliseconds.
    pub delay: f64,
    /// The round trip that nineteen samples of twenty are below, in milliseconds.
    pub rtt: f64,
}

/// Runs both flows over a queue.
pub fn measured(queue: impl Into<Queue>) -> Result<Figures, Box<dyn Error>> {
    let scenario = scenario(queue);
    let recording = parshall_sim::run(&scenario, 1)?;
    let bytes: u64 = recording.table("flows")?.u64("bytes_delivered")?.iter().sum();
    let narrow = recording.port("narrow").ok_or("a port")?;
    let delay = recording.table("ports")?.f64("mean_delay")?[narrow];
    let mut rtts = recording.table("rtt")?.f64("rtt")?.to_vec();
    rtts.sort_by(f64::total_cmp);
    let seconds = scenario.duration.since(scenario.warm_up).secs();
    Ok(Figures {
        goodput: 8e-6 * bytes as f64 / seconds,
        delay: 1e3 * delay,
        rtt: 1e3 * rtts[rtts.len() * 19 / 20],
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("queue                 goodput     mean wait    95 % of round trips");
    for (name, queue) in
        [("drop-tail, 200 packets", Queue::from(DropTail::packets(200))), ("CoDel", CoDel::default().into())]
    {
        let Figures { goodput, delay, rtt } = measured(queue)?;
        println!("{name:22} {goodput:.2} Mbit/s {delay:6.1} ms    below {rtt:.1} ms");
    }
    Ok(())
}
