//! A measurement for those who maintain the engine, and no example of how to use it: `two_queues`, `own_control` and
//! `run_file` are.
//! Times the engine on a scenario: `cargo run --release --example time_run -- SCENARIO.json [TIMES]`.
//!
//! The file holds what `Scenario.to_json()` writes. This is what docs/performance.md profiles.

use std::process::ExitCode;
use std::time::Instant;

use parshall_sim::internal::{Folding, Plan, Simulation};
use parshall_sim::scenario::Scenario;
use parshall_sim::{LargePages, Recording};

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

/// The run alone, under a name by which callgrind finds it. Inlined, it would have none.
#[inline(never)]
fn run(simulation: Simulation, plan: &Plan) -> Recording {
    simulation.run(plan)
}

fn time(path: &str, times: u32) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let scenario: Scenario = serde_json::from_str(&text).map_err(|e| format!("{path}: {e}"))?;
    let plan = Plan::new(&scenario, Folding::On).map_err(|e| format!("{path}: {e}"))?;
    for _ in 0..times {
        let started = Instant::now();
        let recording = run(Simulation::new(&plan, 1), &plan);
        let seconds = started.elapsed().as_secs_f64();
        let events = recording.events();
        println!("{seconds:.4} s, {events} events, {:.1} ns an event", seconds * 1e9 / events as f64);
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let times = arguments.get(1).map_or(Some(1), |times| times.parse().ok());
    let (Some(path), Some(times)) = (arguments.first(), times) else {
        eprintln!("usage: time_run SCENARIO.json [TIMES]");
        return ExitCode::FAILURE;
    };
    match time(path, times) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
