//! A congestion control of one's own, handed to the simulator from Rust, beside Reno's (AIMD) on the same link.
//!
//! `cargo run --release --example own_control`

use std::error::Error;
use std::time::Duration;

use parshall_sim::control::user::{Answer, Code, Failure, Maker, Method, UserControl};
use parshall_sim::control::{AckSample, Loss, Start};
use parshall_sim::scenario::{DropTail, Flow, Link, Record, Scenario, Tcp};
use parshall_sim::units::{Rate, Time};

/// Grows its window by a packet a round trip until packets wait longer than it tolerates, and then shrinks it as slowly.
#[derive(Clone, Debug)]
pub struct Patient {
    /// Seconds that packets may wait in queues.
    pub tolerated: f64,
    /// The least round trip so far, in seconds.
    least: f64,
}

impl Patient {
    /// A control that tolerates so many seconds.
    pub fn new(tolerated: f64) -> Self {
        Patient { tolerated, least: f64::INFINITY }
    }
}

impl UserControl for Patient {
    fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure> {
        self.least = self.least.min(ack.rtt());
        if !ack.may_grow {
            return Ok(());
        }
        let window = &mut answer.window;
        if ack.rtt() - self.least <= self.tolerated {
            window.open_as_reno(ack);
        } else {
            window.ssthresh = window.ssthresh.min(window.cwnd);
            window.cwnd = (window.cwnd - ack.growth / window.cwnd).max(2.0);
        }
        Ok(())
    }

    fn after_loss(&mut self, _: &mut Answer, loss: &Loss, _: Method) -> Result<f64, Failure> {
        Ok((loss.in_use / 2.0).max(2.0))
    }

    fn on_restart(&mut self, _: &mut Answer, _: Time) -> Result<(), Failure> {
        Ok(())
    }

    fn on_timer(&mut self, _: &mut Answer, _: Time) -> Result<(), Failure> {
        Ok(())
    }
}

/// Each flow gets a copy.
impl Code for Patient {
    fn name(&self) -> &str {
        "Patient"
    }

    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

impl Maker for Patient {
    fn make(&self, _: &Start<'_>, _: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
        Ok(Box::new(self.clone()))
    }

    fn exact_echo(&self) -> bool {
        false
    }
}

/// The goodput of a flow with such a TCP over a link of 10 Mbit/s, in Mbit/s, and its median round trip in milliseconds.
pub fn measured(tcp: Tcp) -> Result<(f64, f64), Box<dyn Error>> {
    let link = Link::new(("a", "b"), Rate::mbit(10.0), Time::ms(20.0)).with_queue(DropTail::packets(100));
    let record = Record { rtt: vec!["*".into()], ..Record::default() };
    let scenario = Scenario::new(Time::from_secs(30.0), [link], [Flow::bulk("f", "a", "b", tcp)]);
    let recording = parshall_sim::run(&Scenario { record, ..scenario }, 1)?;
    let bytes = recording.table("flows")?.u64("bytes_delivered")?[0];
    let mut rtts = recording.table("rtt")?.f64("rtt")?.to_vec();
    rtts.sort_by(f64::total_cmp);
    Ok((8e-6 * bytes as f64 / 30.0, 1e3 * rtts[rtts.len() / 2]))
}

fn main() -> Result<(), Box<dyn Error>> {
    for (name, tcp) in [("AIMD", Tcp::default()), ("Patient", Tcp::with_control_of(Patient::new(0.005)))] {
        let (goodput, rtt) = measured(tcp)?;
        println!("{name:8} {goodput:.2} Mbit/s, median round trip {rtt:.1} ms");
    }
    Ok(())
}
