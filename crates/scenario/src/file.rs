//! Scenario files: a network written out, or a `[dumbbell]`.

use std::path::Path;

use serde_json::{Map, Value};

use crate::canonical;
use crate::dumbbell::Dumbbell;
use crate::fault::{joined, Fault, Faults};
use crate::given::Given;
use crate::parts::{DUMBBELL, SCENARIO};
use crate::read::{self, Surroundings};
use crate::shown::shown;
use crate::toml::Parsed;

/// Keys that stand at the top of a file whether its network is written out or a dumbbell.
pub(crate) const COMMON: [&str; 4] = ["title", "duration", "warm_up", "record"];

/// A scenario as it was read: checked field by field, in its canonical form.
pub struct Read {
    /// For people; leaves no trace in the hash.
    pub title: String,
    pub(crate) network: Network,
}

pub(crate) enum Network {
    Written(Map<String, Value>),
    Dumbbell(Box<Dumbbell>),
}

impl Read {
    /// Reads the text of a scenario file in TOML.
    ///
    /// # Errors
    /// All faults, each with its path and its line.
    pub fn toml(text: &str, surroundings: Surroundings<'_>) -> Result<Self, Faults> {
        let parsed = Parsed::new(text)?;
        Self::given(&parsed.given(), surroundings).map_err(|faults| parsed.placed(faults))
    }

    /// Reads JSON: the canonical form, or anything that has the keys of a scenario file.
    ///
    /// # Errors
    /// All faults, each with its path.
    pub fn json(text: &str, surroundings: Surroundings<'_>) -> Result<Self, Faults> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            Fault::new("", format!("text that is not JSON ({error})"), "a scenario")
        })?;
        Self::given(&Given::from(&value), surroundings)
    }

    /// Reads the tables of a file.
    ///
    /// # Errors
    /// All faults, each with its path.
    pub fn given(given: &Given, surroundings: Surroundings<'_>) -> Result<Self, Faults> {
        refuse_sweep(given)?;
        let title = match given.get("title") {
            Some(Given::Text(title)) => title.clone(),
            _ => String::new(),
        };
        let network = match given.get("dumbbell") {
            None => Network::Written(read::read(&SCENARIO, given, surroundings)?),
            Some(bell) => Network::Dumbbell(Box::new(dumbbell(given, bell, surroundings)?)),
        };
        Ok(Read { title, network })
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

/// The text of a file.
///
/// # Errors
/// A fault that names the file.
pub(crate) fn text_of(path: &Path) -> Result<String, Faults> {
    let fault = |reason: String| Fault::new("", format!("{} ({reason})", path.display()), "a scenario file");
    let bytes = std::fs::read(path).map_err(|error| fault(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        fault(format!("byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1))
    })?;
    Ok(text)
}

fn refuse_sweep(given: &Given) -> Result<(), Fault> {
    let has = |key| given.get(key).is_some();
    if has("parameters") && has("scenario") && !has("links") {
        return Err(Fault::new("", "a sweep file", "a scenario file; parshall sweep runs this one"));
    }
    Ok(())
}

fn dumbbell(given: &Given, bell: &Given, surroundings: Surroundings<'_>) -> Result<Dumbbell, Faults> {
    let (Given::Table(top), Given::Table(inner)) = (given, bell) else {
        return Err(Fault::new("dumbbell", shown(bell), "a table").into());
    };
    if let Some((key, _)) = top.iter().find(|(key, _)| !COMMON.contains(&key.as_str()) && key != "dumbbell") {
        let expected = format!("one of {}, dumbbell", COMMON.join(", "));
        return Err(Fault::new(read::step(key), "a key beside a dumbbell", expected).into());
    }
    if let Some(key) = COMMON.iter().find(|key| bell.get(key).is_some()) {
        let expected = format!("{key} at the top of the file");
        let path = format!("dumbbell.{key}");
        return Err(Fault::new(path, "a key inside of the dumbbell", expected).into());
    }
    let common = top.iter().filter(|(key, _)| key != "dumbbell");
    let table = Given::Table(common.chain(inner).cloned().collect());
    let read = read::read(&DUMBBELL, &table, surroundings).and_then(Dumbbell::new);
    read.map_err(|faults| faults.map(inside))
}

/// The same fault with `dumbbell.` before its path, unless it is about the top of the file.
fn inside(fault: Fault) -> Fault {
    let first = fault.path.split(['.', '[']).next().unwrap_or_default();
    if COMMON.contains(&first) {
        return fault;
    }
    Fault { path: joined("dumbbell", &fault.path), ..fault }
}
