//! A transfer by QUIC over a relay, with a control of Parshall, of quinn, or of a shared library:
//!
//!     parshall link examples/quic/bottleneck.toml --listen 127.0.0.1:5000 --to 127.0.0.1:6000 &
//!     cargo run --release -p parshall-quinn --features library,sim --example transfer -- --control bbr
//!
//! Or in simulated time, over the network of a scenario in the place of its first flow:
//!
//!     cargo run --release -p parshall-quinn --features library,sim --example transfer -- --scenario examples/quic/bottleneck.toml
//!
//! Prints a line of JSON.

mod flow;
mod names;
mod simulated;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use flow::{Outcome, Transfer};
use names::named;
use parshall_quinn::library::Library;
use parshall_quinn::Controls;

const USAGE: &str =
    "transfer [--control NAME | --library FILE] [--relay 127.0.0.1:5000] [--server 127.0.0.1:6000] \
                     [--time 10] [--warm-up 0] | --scenario FILE";

fn main() -> ExitCode {
    match transfer(std::env::args().skip(1)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("transfer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn transfer(mut arguments: impl Iterator<Item = String>) -> Result<String, Box<dyn Error + Send + Sync>> {
    let mut transfer = Transfer {
        control: named("cubic")?,
        server: "127.0.0.1:6000".parse()?,
        relay: "127.0.0.1:5000".parse()?,
        time: Duration::from_secs(10),
        warm_up: Duration::ZERO,
    };
    let mut scenario = None;
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{option} needs a value; {USAGE}"))?;
        match option.as_str() {
            "--control" => transfer.control = named(&value)?,
            "--library" => {
                let control = Library::open(value.as_ref())?.control();
                transfer.control = Arc::new(Controls::new(control)?);
            }
            "--scenario" => scenario = Some(value),
            "--relay" => transfer.relay = value.parse()?,
            "--server" => transfer.server = value.parse()?,
            "--time" => transfer.time = Duration::try_from_secs_f64(value.parse()?)?,
            "--warm-up" => transfer.warm_up = Duration::try_from_secs_f64(value.parse()?)?,
            _ => return Err(format!("{option} is no option; {USAGE}").into()),
        }
    }
    if transfer.warm_up >= transfer.time {
        return Err("--warm-up has to end before --time".into());
    }
    let shown = match scenario {
        Some(file) => {
            let run = simulated::simulated(&file, transfer.control)?;
            let mut shown = told(&run.outcome);
            shown["mean_delay"] = run.queue.mean_delay.into();
            shown["packets_arrived"] = run.queue.packets_arrived.into();
            shown["packets_dropped"] = run.queue.packets_dropped.into();
            shown
        }
        None => told(&transfer.run()?),
    };
    Ok(shown.to_string())
}

fn told(outcome: &Outcome) -> serde_json::Value {
    serde_json::json!({
        "bytes": outcome.bytes,
        "goodput": outcome.goodput,
        "packets_sent": outcome.packets_sent,
        "packets_lost": outcome.packets_lost,
        "congestion_events": outcome.congestion_events,
        "srtt": outcome.srtt,
    })
}
