//! The goodput of each flow of a scenario in a file, over many seeds on all cores.
//!
//! `cargo run --release --example run_file -- FILE.toml [SEEDS]`

use std::error::Error;
use std::thread::available_parallelism;

use parshall_sim::run_many;
use parshall_sim::scenario::Scenario;

/// A flow, and its mean, least and most goodput over the seeds, in Mbit/s.
pub type Goodput = (String, [f64; 3]);

/// Runs a scenario with the seeds 1, 2, ...
pub fn goodputs(scenario: &Scenario, seeds: u64) -> Result<Vec<Goodput>, Box<dyn Error>> {
    let seconds = scenario.duration.since(scenario.warm_up).secs();
    let mut of_flows = vec![Vec::new(); scenario.flows.len()];
    let threads = available_parallelism()?.get();
    for (seed, recording) in run_many(scenario, 1..=seeds, threads)? {
        let recording = recording.map_err(|error| format!("seed {seed}: {error}"))?;
        let delivered = recording.table("flows")?.u64("bytes_delivered")?;
        for (goodputs, &bytes) in of_flows.iter_mut().zip(delivered) {
            goodputs.push(8e-6 * bytes as f64 / seconds);
        }
    }
    let figures = |goodputs: Vec<f64>| {
        let mean = goodputs.iter().sum::<f64>() / goodputs.len() as f64;
        [mean, goodputs.iter().copied().fold(mean, f64::min), goodputs.iter().copied().fold(mean, f64::max)]
    };
    let names = scenario.flows.iter().map(|flow| flow.name.to_string());
    Ok(names.zip(of_flows.into_iter().map(figures)).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.first().ok_or("expected FILE.toml, and how many seeds")?;
    let seeds = arguments.get(1).map_or(Ok(10), |seeds| seeds.parse())?;
    for (flow, [mean, least, most]) in goodputs(&Scenario::from_file(file)?, seeds)? {
        println!("{flow:12} {mean:.3} Mbit/s, {least:.3} to {most:.3}");
    }
    Ok(())
}
