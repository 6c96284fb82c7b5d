//! `controls [SECONDS]`: smoltcp's congestion controls, and the engine's own Reno and CUBIC, over 10 Mbit/s, a round trip of
//! 40 ms and a queue of 50 packets. Prints goodput and mean queueing delay after 5 s, drops, and the speed of the run.

use std::error::Error;
use std::time::Instant;

use parshall_sim::scenario::{Control, DropTail, Flow, Link, RecoveryName, Scenario, Tcp};
use parshall_sim::units::{Rate, Time};
use parshall_sim::Recording;
use parshall_smoltcp::{CongestionControl, Options, Transfer};

fn scenario(duration: Time) -> Scenario {
    let link = Link::new(("a", "b"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(DropTail::packets(50));
    let mut scenario = Scenario::new(duration, [link], []);
    scenario.warm_up = Time::from_secs(5.0);
    scenario
}

fn show(name: &str, goodput: f64, recording: &Recording, speed: f64) -> Result<(), Box<dyn Error>> {
    let ports = recording.table("ports")?;
    let (delay, drops) = (1e3 * ports.f64("mean_delay")?[0], ports.u64("packets_dropped")?[0]);
    let goodput = goodput * 1e-6;
    println!("{name:16} {goodput:7.3} Mbit/s {delay:7.2} ms {drops:4} drops {speed:6.0} x real time");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1).map_or(Ok(20.0), |text| text.parse())?;
    let duration = Time::from_secs(seconds);
    for control in [CongestionControl::Reno, CongestionControl::Cubic, CongestionControl::None] {
        let transfer = Transfer::endless().with_options(Options { control, ..Options::default() });
        let started = Instant::now();
        let run = transfer.run(scenario(duration), ["a", "b"], 1)?;
        let speed = seconds / started.elapsed().as_secs_f64();
        show(&format!("smoltcp {control:?}"), run.goodput(), run.recording(), speed)?;
    }
    for name in ["aimd", "cubic"] {
        let control: Control = name.parse()?;
        let tcp = Tcp {
            control: Some(control),
            recovery: Some(RecoveryName::Sack),
            payload_bytes: 1460,
            ..Tcp::default()
        };
        let mut scenario = scenario(duration);
        scenario.hosts = std::mem::take(&mut scenario.routers);
        scenario.flows.push(Flow::bulk("engine", "a", "b", tcp));
        let started = Instant::now();
        let recording = parshall_sim::run(&scenario, 1)?;
        let speed = seconds / started.elapsed().as_secs_f64();
        let bytes = recording.table("flows")?.u64("bytes_delivered")?[0];
        let goodput = 8.0 * bytes as f64 / (seconds - 5.0);
        show(&format!("engine {name}"), goodput, &recording, speed)?;
    }
    Ok(())
}
