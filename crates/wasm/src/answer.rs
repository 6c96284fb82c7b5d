//! Answers to what a host asks, as JSON.

use parshall_sim::internal::{run_plan, Folding, Plan};
use parshall_sim::scenario::Scenario;
use parshall_sim::{check, Expected, NoMemory, Recording, RunError, RunOptions, ScenarioError};
use serde::Serialize;

use crate::head::Head;
use crate::timeouts::compare;

/// JSON.
pub type Answer = Vec<u8>;

/// Why there is no answer.
#[derive(Debug, Default, Serialize)]
pub struct Failed {
    /// `json` for text that is neither JSON nor TOML, `scenario` for a network that cannot be run, `failure` for a run that ended
    /// before its end.
    pub kind: &'static str,
    /// All of it in one line.
    pub message: String,
    /// Path of the field, of a network that cannot be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The value found there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The right values, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Line of the text, from 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl Failed {
    /// Text that is no network.
    pub fn json(error: &dyn std::error::Error) -> Self {
        Failed { kind: "json", message: error.to_string(), ..Failed::default() }
    }

    /// A run that ended before its end.
    pub fn failure(message: impl Into<String>) -> Self {
        Failed { kind: "failure", message: message.into(), ..Failed::default() }
    }

    /// As JSON.
    pub fn answer(&self) -> Answer {
        json(self)
    }
}

impl From<ScenarioError> for Failed {
    fn from(error: ScenarioError) -> Self {
        Failed {
            kind: if error.is_syntax() { "json" } else { "scenario" },
            message: error.to_string(),
            line: error.line.and_then(|line| u32::try_from(line).ok()),
            path: Some(error.path),
            value: Some(error.value),
            expected: Some(error.expected),
        }
    }
}

impl From<RunError> for Failed {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Scenario(error) => error.into(),
            error => Failed::failure(error.to_string()),
        }
    }
}

impl From<NoMemory> for Failed {
    fn from(error: NoMemory) -> Self {
        Failed::failure(error.to_string())
    }
}

/// Cost of a run to come.
#[derive(Serialize)]
struct Takes {
    packets: f64,
    events: f64,
    seconds: f64,
    bytes: f64,
}

fn json(value: &impl Serialize) -> Answer {
    serde_json::to_vec(value).expect("texts and numbers are JSON")
}

/// A scenario file: JSON where it begins as a table of JSON does, TOML otherwise.
fn read(text: &str) -> Result<Scenario, Failed> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let read = if text.trim_start().starts_with('{') {
        Scenario::from_json(text)
    } else {
        Scenario::from_toml(text)
    };
    read.map_err(|faults| Failed::from(faults.first().clone()))
}

/// Runs a network; the answer says where the columns of the recording lie.
///
/// # Errors
/// If the text is no network, if it cannot be run, or if the run ends before its end.
pub fn run(text: &str, seed: u64, options: &RunOptions) -> Result<(Answer, Recording), Failed> {
    let plan = Plan::of(read(text)?, Folding::On)?;
    let mut recording = run_plan(plan, seed, options)?;
    recording.expand()?;
    Ok((json(&Head::of(&recording)?), recording))
}

/// Checks a network without running it; the answer is what a run will take.
///
/// # Errors
/// If the text is no network or cannot be run.
pub fn takes(text: &str) -> Result<Answer, Failed> {
    let Expected { packets, events, seconds, bytes } = check(&read(text)?)?;
    Ok(json(&Takes { packets, events, seconds, bytes }))
}

/// The JSON Schema of scenario files.
///
/// # Errors
/// None.
pub fn schema(_: &str) -> Result<Answer, Failed> {
    Ok(parshall_scenario::json_schema().into_bytes())
}

/// Filters of the retransmission timeout judged on round trips in seconds; the answer has a row for each.
///
/// # Errors
/// If the text is no array of numbers.
pub fn timeouts(text: &str) -> Result<Answer, Failed> {
    let rtts: Vec<f64> = serde_json::from_str(text).map_err(|error| Failed::json(&error))?;
    Ok(json(&compare(&rtts)))
}

/// The network with every default filled in.
///
/// # Errors
/// If the text is no network.
pub fn normalize(text: &str) -> Result<Answer, Failed> {
    Ok(json(&read(text)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_slice, Value};

    const NETWORK: &str = r#"{"duration": 2.0, "hosts": ["a", "b"], "routers": [],
        "links": [{"between": ["a", "b"], "rate": 1e6, "delay": 0.01, "queue": {"kind": "droptail", "limit_packets": 9}}],
        "flows": [{"name": "f", "source": "a", "destination": "b", "transport": {"kind": "tcp"}, "app": {"kind": "bulk"}}],
        "record": {"rtt": ["f"]}}"#;

    #[test]
    fn columns_lie_where_the_head_says() {
        let (answer, recording) = run(NETWORK, 1, &RunOptions::new()).expect("it runs");
        let head: Value = from_slice(&answer).expect("JSON");
        assert_eq!(head["flows"], serde_json::json!(["f"]));
        let rtt = recording.tables().iter().position(|table| table.name() == "rtt").expect("it was recorded");
        let told = &head["tables"][rtt]["columns"][0];
        let times = recording.table("rtt").and_then(|table| table.f64("time")).expect("times");
        assert_eq!((&told["name"], &told["type"]), (&"time".into(), &"f64".into()));
        assert_eq!(told["at"], times.as_ptr().addr());
        assert_eq!(head["tables"][rtt]["rows"], times.len());
    }

    #[test]
    fn what_is_wrong_is_told() {
        let told = |text: &str| takes(text).expect_err("it is wrong");
        assert_eq!(told("{").kind, "json");
        assert_eq!((told("a = = 1").kind, told("a = = 1").line), ("json", Some(1)));
        let failed = told(&NETWORK.replace("\"b\", \"transport\"", "\"c\", \"transport\""));
        assert_eq!((failed.kind, failed.path.as_deref()), ("scenario", Some("flows[0].destination")));
        let failed = run(NETWORK, 1, &RunOptions::new().max_events(10)).expect_err("too few");
        assert_eq!(failed.kind, "failure");
        assert!(failed.message.contains("reached max_events"), "{}", failed.message);
    }

    #[test]
    fn a_file_in_toml_is_a_network_too() {
        let bell = "duration = \"2 s\"\n[dumbbell]\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\naccess_rate = \"8 Mbit/s\"\n\
                    access_delay = 0\n[[dumbbell.flows]]\ntransport = \"tcp\"\napp = \"bulk\"\n";
        assert!(run(bell, 1, &RunOptions::new()).is_ok());
        let failed = takes(&bell.replace("10 ms", "10 MS")).expect_err("a wrong unit");
        assert_eq!((failed.path.as_deref(), failed.line), (Some("dumbbell.delay"), Some(4)));
        let schema: Value = from_slice(&schema("").expect("a schema")).expect("JSON");
        assert!(schema["$defs"]["Dumbbell"].is_object());
    }

    #[test]
    fn round_trips_are_an_array_of_numbers() {
        let rows: Value =
            from_slice(&timeouts(&format!("[{}0.04]", "0.03,".repeat(30))).expect("rows")).expect("JSON");
        assert_eq!((&rows[1]["filter"], &rows[1]["samples"]), (&"jacobson".into(), &28.into()));
        assert_eq!(timeouts("[0.03, null]").expect_err("no number").kind, "json");
    }

    #[test]
    fn a_check_says_what_a_run_takes() {
        let takes: Value = from_slice(&takes(NETWORK).expect("it can be run")).expect("JSON");
        assert!(takes["packets"].as_f64().is_some_and(|packets| packets > 100.0));
        let normal: Value = from_slice(&normalize(NETWORK).expect("it is one")).expect("JSON");
        assert_eq!(normal["warm_up"], 0.0);
    }
}
