//! Scenario files: a network written out, or a `[dumbbell]`.

use serde_json::{Map, Value};

use crate::canonical;
use crate::dumbbell::Dumbbell;
use crate::fault::{joined, Fault, Faults};
use crate::given::Given;
use crate::part::{Part, TITLE};
use crate::parts::{DUMBBELL, SCENARIO};
use crate::read::{self, Surroundings};
use crate::shown::shown;
use crate::toml::Toml;

/// Keys that stand at the top of a file whether its network is written out or a dumbbell.
pub(crate) const COMMON: [&str; 4] = ["title", "duration", "warm_up", "record"];

/// A scenario as it was read: checked field by field, in its canonical form.
pub struct ScenarioFile {
    /// For people; leaves no trace in the hash.
    pub title: String,
    pub(crate) network: Network,
}

pub(crate) enum Network {
    Written(Map<String, Value>),
    Dumbbell(Box<Dumbbell>),
}

impl ScenarioFile {
    /// Reads the text of a scenario file in TOML.
    ///
    /// # Errors
    /// All faults, each with its path and its line.
    pub fn toml(text: &str, surroundings: Surroundings<'_>) -> Result<Self, Faults> {
        let parsed = Toml::new(text)?;
        Self::given(&parsed.given(), surroundings).map_err(|faults| parsed.placed(faults))
    }

    /// Reads JSON: the canonical form, or anything that has the keys of a scenario file.
    ///
    /// # Errors
    /// All faults, each with its path.
    pub fn json(text: &str, surroundings: Surroundings<'_>) -> Result<Self, Faults> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(text).map_err(|error| {
            Fault::of_syntax(format!("text that is not JSON ({error})"), "a scenario", None)
        })?;
        Self::given(&Given::from(&value), surroundings)
    }

    /// Reads the tables of a file.
    ///
    /// # Errors
    /// All faults, each with its path.
    pub fn given(given: &Given, surroundings: Surroundings<'_>) -> Result<Self, Faults> {
        let (part, mut table) = read_file(given, surroundings)?;
        let title = match table.remove(TITLE) {
            Some(Value::String(title)) => title,
            _ => String::new(),
        };
        let network = if std::ptr::eq(part, &SCENARIO) {
            Network::Written(table)
        } else {
            Network::Dumbbell(Box::new(dumbbell_of_file(table)?))
        };
        Ok(ScenarioFile { title, network })
    }

    /// The canonical JSON: SI base units, sorted keys, defaults left out.
    pub fn canonical_json(&self) -> String {
        match &self.network {
            Network::Written(table) => canonical::table_text(table),
            Network::Dumbbell(bell) => bell.canonical_json(),
        }
    }

    /// SHA-256 of the canonical JSON, in hexadecimal: equal for equal scenarios.
    pub fn hash(&self) -> String {
        canonical::hashed(&self.canonical_json())
    }
}

fn refuse_sweep(given: &Given) -> Result<(), Fault> {
    let has = |key| given.get(key).is_some();
    if has("parameters") && has("scenario") && !has("links") {
        return Err(Fault::new("", "a sweep file", "a scenario file; parshall sweep runs this one"));
    }
    Ok(())
}

/// The part that a file is, and its table as [`read_part`](crate::read_part) gives it: a scenario, or a dumbbell with what
/// stands at the top of its file.
///
/// # Errors
/// All faults, each with its path in the file.
pub fn read_file(
    given: &Given,
    surroundings: Surroundings<'_>,
) -> Result<(&'static Part, Map<String, Value>), Faults> {
    refuse_sweep(given)?;
    let Some(bell) = given.get("dumbbell") else {
        refuse_misspelt_dumbbell(given)?;
        return Ok((&SCENARIO, read::read(&SCENARIO, given, surroundings)?));
    };
    let table = flattened(given, bell)?;
    let read = read::read(&DUMBBELL, &table, surroundings);
    Ok((&DUMBBELL, read.map_err(|faults| faults.map(inside))?))
}

/// A file without a network whose unknown key is nearly `dumbbell` needs one message, not one for each part of a network.
fn refuse_misspelt_dumbbell(given: &Given) -> Result<(), Fault> {
    let Given::Table(top) = given else { return Ok(()) };
    if ["hosts", "links", "flows"].iter().any(|key| given.get(key).is_some()) {
        return Ok(());
    }
    let is_known = |key: &str| SCENARIO.fields.iter().any(|field| field.name == key);
    let near = top.iter().find(|(key, _)| !is_known(key) && read::meant_key(key, &["dumbbell"]).is_some());
    near.map_or(Ok(()), |(key, _)| Err(Fault::new(read::step(key), "an unknown key", "the key \"dumbbell\"")))
}

/// Adds the keys at the top of a file to its dumbbell.
fn flattened(given: &Given, bell: &Given) -> Result<Given, Fault> {
    let (Given::Table(top), Given::Table(inner)) = (given, bell) else {
        return Err(Fault::new("dumbbell", shown(bell), "a table"));
    };
    if let Some((key, _)) = top.iter().find(|(key, _)| !COMMON.contains(&key.as_str()) && key != "dumbbell") {
        let known: Vec<&str> = COMMON.iter().copied().chain(["dumbbell"]).collect();
        let expected = read::meant_key(key, &known)
            .map_or_else(|| format!("one of {}", known.join(", ")), |meant| format!("the key \"{meant}\""));
        return Err(Fault::new(read::step(key), "an unknown key at the top", expected));
    }
    if let Some(key) = COMMON.iter().find(|key| bell.get(key).is_some()) {
        let expected = format!("{key} at the top of the file");
        return Err(Fault::new(format!("dumbbell.{key}"), "this key in the dumbbell", expected));
    }
    let common = top.iter().filter(|(key, _)| key != "dumbbell");
    Ok(Given::Table(common.chain(inner).cloned().collect()))
}

/// The network that the table of a dumbbell in a file stands for.
///
/// # Errors
/// The path in the file of a list that has not one value for each flow.
pub fn dumbbell_of_file(table: Map<String, Value>) -> Result<Dumbbell, Faults> {
    Dumbbell::new(table).map_err(|faults| faults.map(inside))
}

/// Puts `dumbbell.` before the path of a fault, unless it is about the top of the file.
fn inside(fault: Fault) -> Fault {
    let first = fault.path.split(['.', '[']).next().unwrap_or_default();
    if COMMON.contains(&first) {
        return fault;
    }
    Fault { path: joined("dumbbell", &fault.path), ..fault }
}
