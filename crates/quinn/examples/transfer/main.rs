//! A transfer by QUIC over a relay, with a control of Parshall, of quinn, or of a shared library:
//!
//!     parshall link examples/quic/bottleneck.toml --listen 127.0.0.1:5000 --to 127.0.0.1:6000 &
//!     cargo run --release -p parshall-quinn --features library --example transfer -- --control bbr
//!
//! Prints a line of JSON.

mod flow;
mod names;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use flow::Transfer;
use names::named;
use parshall_quinn::library::Library;
use parshall_quinn::Controls;

const USAGE: &str =
    "transfer [--control NAME | --library FILE] [--relay 127.0.0.1:5000] [--server 127.0.0.1:6000] \
                     [--time 10] [--warm-up 0]";

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
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{option} needs a value; {USAGE}"))?;
        match option.as_str() {
            "--control" => transfer.control = named(&value)?,
            "--library" => {
                let control = Library::open(value.as_ref())?.control();
                transfer.control = Arc::new(Controls::new(control)?);
            }
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
    let outcome = transfer.run()?;
    Ok(serde_json::json!({
        "bytes": outcome.bytes,
        "goodput": outcome.goodput,
        "packets_sent": outcome.packets_sent,
        "packets_lost": outcome.packets_lost,
        "congestion_events": outcome.congestion_events,
        "srtt": outcome.srtt,
    })
    .to_string())
}
