//! Reads scenario files and prints the hash of each, or all that is wrong with it: `check FILE...`.

use std::path::Path;
use std::process::ExitCode;

use parshall_scenario::{Fault, Faults, ScenarioFile, Surroundings};

fn main() -> ExitCode {
    let mut passed = true;
    for file in std::env::args().skip(1) {
        match read(Path::new(&file)) {
            Ok(scenario) => println!("{file}: {}", scenario.hash()),
            Err(faults) => {
                passed = false;
                faults.all().iter().for_each(|fault| println!("{file}: {fault}"));
            }
        }
    }
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn read(file: &Path) -> Result<ScenarioFile, Faults> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Fault::new("", error.to_string(), "a scenario file"))?;
    let surroundings = Surroundings { folder: file.parent(), ..Surroundings::default() };
    if file.extension().is_some_and(|end| end == "json") {
        return ScenarioFile::json(&text, surroundings);
    }
    ScenarioFile::toml(&text, surroundings)
}
