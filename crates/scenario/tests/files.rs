//! Files of the examples, as text and as values.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use parshall_scenario::{Scenario, ScenarioFile, Surroundings};

const BELL: &str = r#"
title = "a bell"
duration = "10 s"
[dumbbell]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "codel", limit_packets = 100 }
access_rate = "1 Gbit/s"
access_delay = "1 ms"
[[dumbbell.flows]]
count = 3
transport = "tcp"
app = "bulk"
start = ["0 s", "1 s", "2 s"]
access_jitter = { most = "1 ms" }
[[dumbbell.flows]]
name = "u"
count = 2
direction = "reverse"
transport = { kind = "udp", payload_bytes = "500 B" }
app = { kind = "cbr", rate = "1 Mbit/s" }
access_delay = ["2 ms", "3 ms"]
access_rate = "100 Mbit/s"
access_queue = { kind = "droptail", limit_packets = 5 }
access_jitter = { most = "1 ms" }
dscp = "EF"
[record]
rtt = "*"
"#;

/// Scenario files beside the crate; none where it stands alone.
fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folders = [root.clone(), root.join("classics")];
    let files = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "toml")).collect()
}

#[test]
fn values_have_the_canonical_form_of_their_files() {
    for path in examples() {
        let text = fs::read_to_string(&path).expect("text");
        if text.contains("[parameters") {
            continue;
        }
        let surroundings = Surroundings { folder: path.parent(), ..Surroundings::default() };
        let read = ScenarioFile::toml(&text, surroundings)
            .unwrap_or_else(|faults| panic!("{}: {faults}", path.display()));
        let canonical = read.canonical_json();
        let scenario = Scenario::from_file(&path).expect("a scenario");
        assert_eq!(scenario.canonical_json().as_deref(), Ok(canonical.as_str()), "{}", path.display());
        assert_eq!(Scenario::from_json(&canonical).as_ref(), Ok(&scenario), "{}", path.display());
    }
}

#[test]
fn a_dumbbell_is_the_network_that_it_stands_for() {
    let read = ScenarioFile::toml(BELL, Surroundings::default()).expect("a dumbbell");
    assert_eq!(read.title, "a bell");
    let canonical = read.canonical_json();
    let scenario = read.scenario().expect("a scenario");
    assert_eq!(scenario.canonical_json().as_deref(), Ok(canonical.as_str()));
    assert_eq!(Scenario::from_json(&canonical).as_ref(), Ok(&scenario));
    let names: Vec<&str> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["f1", "f2", "f3", "u1", "u2"]);
    assert_eq!((scenario.flows[4].source.as_str(), scenario.flows[4].dscp), ("d5", 46));
    assert_eq!(scenario.links.len(), 11);
}

#[test]
fn every_fault_has_its_path_and_its_line() {
    let text = BELL
        .replace("\"10 ms\"", "\"10 MS\"")
        .replace("count = 2", "count = 0")
        .replace("limit_packets = 100", "limit_pakets = 100");
    let faults = Scenario::from_toml(&text).expect_err("three faults");
    let found: Vec<String> = faults.all().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "line 6: dumbbell.delay: got \"10 MS\", expected a duration of at least 0 such as \"50 ms\" (the unit is \"ms\")",
            "line 7: dumbbell.queue.limit_pakets: got an unknown key, expected the key \"limit_packets\"",
            "line 18: dumbbell.flows[1].count: got 0, expected a whole number from 1 to 4194304",
        ]
    );
}

#[test]
fn lists_have_one_value_for_each_flow() {
    let faults = Scenario::from_toml(&BELL.replace("\"0 s\", ", "")).expect_err("a fault");
    assert_eq!(
        faults.to_string(),
        "line 14: dumbbell.flows[0].start: got 2 starts, expected one for each of 3 flows"
    );
}

#[test]
fn the_schema_is_json() {
    let schema: serde_json::Value = serde_json::from_str(&parshall_scenario::json_schema()).expect("JSON");
    assert_eq!(schema["$defs"]["DropTail"]["properties"]["limit_packets"]["minimum"], 1);
}

/// A text at which `toml_edit` panics where it goes on behind a fault of syntax.
#[test]
fn keys_that_are_missing_are_a_fault() {
    for text in ["\n=='\n.", "==\n=1", "=\n[]\n[]", "[[]]\n=1\n=2"] {
        let fault = Scenario::from_toml(text).expect_err("a fault");
        assert!(fault.first().is_syntax(), "{fault}");
        assert!(fault.first().line.is_some(), "{fault}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Whatever a file holds, it is a scenario or has faults of one line each; nothing panics.
    #[test]
    fn no_text_is_answered_by_more_than_lines(
        from in 0..BELL.len(),
        length in 0usize..40,
        text in "(?s).{0,20}|[\\[\\]{}=\"'.#\n0-9a-z]{0,20}",
    ) {
        let end = (from + length).min(BELL.len());
        let marred = format!("{}{text}{}", &BELL[..from], &BELL[end..]);
        for read in [ScenarioFile::toml(&marred, Surroundings::default()), ScenarioFile::json(&marred, Surroundings::default())] {
            match read.and_then(|read| read.scenario()) {
                Ok(scenario) => prop_assert!(scenario.canonical_json().is_ok()),
                Err(faults) => {
                    for fault in faults.all() {
                        prop_assert_eq!(fault.to_string().lines().count(), 1, "{}", fault);
                    }
                }
            }
        }
    }
}
