//! Scenarios as values of what was read, and the canonical form of values.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::canonical;
use crate::dumbbell::Dumbbell;
use crate::fault::{Fault, Faults};
use crate::file::{Network, ScenarioFile};
use crate::given::Given;
use crate::parts::SCENARIO;
use crate::read::{self, Surroundings};
use crate::value::{Flow, Link, Scenario};

impl Scenario {
    /// Reads the text of a scenario file in TOML. Files that it names are looked for in the current folder.
    ///
    /// # Errors
    /// All faults, each with its path, its value, what was expected and its line.
    pub fn from_toml(text: &str) -> Result<Self, Faults> {
        ScenarioFile::toml(text, Surroundings::default())?.scenario()
    }

    /// Reads JSON: the canonical form, or anything that has the keys of a scenario file.
    ///
    /// # Errors
    /// All faults, each with its path.
    pub fn from_json(text: &str) -> Result<Self, Faults> {
        ScenarioFile::json(text, Surroundings::default())?.scenario()
    }

    /// Reads a scenario file: TOML, or JSON if its name ends in `.json`. Files that it names are looked for beside it.
    ///
    /// # Errors
    /// All faults; that of a file that cannot be read names it.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Faults> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Fault::new("", format!("{} ({error})", path.display()), "a scenario file"))?;
        let surroundings = Surroundings { folder: path.parent(), ..Surroundings::default() };
        if path.extension().is_some_and(|end| end == "json") {
            return ScenarioFile::json(&text, surroundings)?.scenario();
        }
        ScenarioFile::toml(&text, surroundings)?.scenario()
    }

    /// The canonical JSON: SI base units, sorted keys, defaults left out. Equal scenarios have equal text.
    ///
    /// # Errors
    /// The fields whose values no file could have.
    pub fn canonical_json(&self) -> Result<String, Faults> {
        let written = serde_json::to_value(self).map_err(|error| unwritten(&error))?;
        let table = read::read(&SCENARIO, &Given::from(&written), Surroundings::default())?;
        Ok(canonical::table_text(&table))
    }

    /// SHA-256 of the canonical JSON, in hexadecimal: what caches and results go by.
    ///
    /// # Errors
    /// As [`Scenario::canonical_json`].
    pub fn hash(&self) -> Result<String, Faults> {
        self.canonical_json().map(|text| canonical::hashed(&text))
    }
}

fn unwritten(error: &serde_json::Error) -> Fault {
    Fault::new("", error.to_string(), "a scenario that JSON can hold")
}

impl ScenarioFile {
    /// The scenario as a value.
    ///
    /// # Errors
    /// None for what fits the parts, which are held to the values by tests; otherwise a fault without a path.
    pub fn scenario(&self) -> Result<Scenario, Faults> {
        match &self.network {
            Network::Written(table) => Ok(Scenario::deserialize(table).map_err(|error| misread(&error))?),
            Network::Dumbbell(bell) => Ok(network(bell)?),
        }
    }
}

pub(crate) fn value<T: serde::de::DeserializeOwned>(read: Value) -> Result<T, Fault> {
    serde_json::from_value(read).map_err(|error| misread(&error))
}

fn misread(error: &serde_json::Error) -> Fault {
    Fault::new("", error.to_string(), "a scenario")
}

/// The network of a dumbbell. Flows of a group share their transport, links their queue.
fn network(bell: &Dumbbell) -> Result<Scenario, Fault> {
    let mut head = bell.common.clone();
    for (key, items) in
        [("hosts", vec![]), ("flows", vec![]), ("links", vec![Value::Object(bell.bottleneck.clone())])]
    {
        head.insert(key.to_owned(), Value::Array(items));
    }
    head.insert("routers".to_owned(), vec!["r0", "r1"].into());
    let mut scenario: Scenario = value(Value::Object(head))?;
    let templates = bell.templates().map(of_group).collect::<Result<Vec<_>, _>>()?;
    let count = bell.count();
    scenario.hosts =
        ['s', 'd'].iter().flat_map(|side| (1..=count).map(move |n| format!("{side}{n}").into())).collect();
    scenario.links.reserve(2 * count);
    scenario.flows.reserve(count);
    for member in bell.members() {
        let (flow, links) = &templates[member.group];
        let delay = parshall_control::units::Time::from_secs(member.delay);
        for (link, [a, b]) in links.iter().zip(member.links()) {
            scenario.links.push(Link { between: (a.into(), b.into()), delay, ..link.clone() });
        }
        let [source, destination] = member.ends();
        scenario.flows.push(Flow {
            name: member.name.into(),
            source: source.into(),
            destination: destination.into(),
            start: parshall_control::units::Time::from_secs(member.start),
            ..flow.clone()
        });
    }
    Ok(scenario)
}

/// A flow of a group, and its links, whose own names, ends and delays do not count.
fn of_group([flow, left, right]: [&Map<String, Value>; 3]) -> Result<(Flow, [Link; 2]), Fault> {
    let mut flow = flow.clone();
    for key in ["name", "source", "destination"] {
        flow.insert(key.to_owned(), "".into());
    }
    let link = |link: &Map<String, Value>| {
        let mut link = link.clone();
        link.insert("between".to_owned(), vec!["", ""].into());
        link.insert("delay".to_owned(), 0.0.into());
        value(Value::Object(link))
    };
    Ok((value(Value::Object(flow))?, [link(left)?, link(right)?]))
}
