//! Fields that take a table of one of several kinds, and what may stand in its place.

use serde_json::{json, Map, Value};

use super::single::{level, number, real, values};
use super::Reader;
use crate::fault::Fault;
use crate::given::Given;
use crate::part::{Kinds, Part};
use crate::parts::{base_of, ANY_LAW, ANY_WEIGHT};
use crate::shown::{shown, shown_text};
use crate::takes::{Range, Takes, AMOUNT, NOT_NEGATIVE, WEIGHT};

/// Fields of laws that hold one amount each.
const AMOUNTS: [&str; 4] = ["value", "mean", "low", "high"];
/// Ends of the names of shared libraries.
const LIBRARIES: [&str; 3] = [".so", ".dylib", ".dll"];

impl Reader<'_> {
    /// A table of one of these kinds, or the name of one that needs nothing else. What is the user's own may stand as text.
    pub(super) fn one_of(&mut self, kinds: &'static Kinds, given: &Given) -> Option<Value> {
        if let Some(own) = kinds.own() {
            match given {
                Given::Text(text) if names_code(text) => {
                    let table = Given::Table(vec![
                        ("kind".to_owned(), Given::Text("user".to_owned())),
                        ("source".to_owned(), given.clone()),
                    ]);
                    return self.own(own, &table);
                }
                Given::Table(_) if given.get("kind") == Some(&Given::Text("user".to_owned())) => {
                    return self.own(own, given);
                }
                _ => {}
            }
        }
        let expected = || {
            let quoted: Vec<String> =
                kinds.parts.iter().map(|part| format!("\"{}\"", part.kind.unwrap_or_default())).collect();
            quoted.join(" or ")
        };
        if let Given::Wrong(fault) = given {
            return self.kept(Err(Fault::clone(fault)));
        }
        if let Given::Held(held) = given {
            if kinds.parts.iter().any(|part| std::ptr::eq(*part, held.part)) {
                return Some(held.marker());
            }
            if let (Some(own), Some("user")) = (kinds.own(), held.part.kind) {
                let fault = Fault::new(
                    "",
                    held.part.name,
                    format!("one of kind {}, such as a {}", expected(), own.name),
                );
                return self.kept(Err(fault));
            }
            let kind = shown_text(held.part.kind.unwrap_or(held.part.name));
            return self.kept(Err(Fault::new("kind", kind, expected())));
        }
        let (place, kind) = match given {
            Given::Text(_) => ("", given),
            Given::Table(_) => ("kind", given.get("kind").unwrap_or(&Given::Nothing)),
            _ => {
                let mut expected = format!("a table with kind = {}", expected());
                if let (Given::Other(_), Some(base)) = (given, kinds.own().and_then(base_of)) {
                    expected.push_str(&format!(", or an instance of a class derived from parshall.{base}"));
                }
                return self.kept(Err(Fault::new("", shown(given), expected)));
            }
        };
        let is_kind = |part: &&&'static Part| matches!(kind, Given::Text(text) if part.kind == Some(text));
        let Some(part) = kinds.parts.iter().find(is_kind) else {
            return self.kept(Err(Fault::new(place, shown(kind), expected())));
        };
        match given {
            Given::Text(_) => self.table(part, &Given::Table(Vec::new())),
            _ => self.table(part, given),
        }
    }

    /// Law of a time: a time alone is a constant.
    pub(super) fn time_law(&mut self, given: &Given) -> Option<Value> {
        if let Given::Table(_) | Given::Held(_) = given {
            return self.one_of(&ANY_LAW, given);
        }
        let Takes::Level(range) = AMOUNT else { return None };
        self.kept(level(given, range)).map(constant)
    }

    /// Law of a number: a number alone is a constant, and no number has a unit.
    pub(super) fn number_law(&mut self, given: &Given) -> Option<Value> {
        let Takes::Real(range) = NOT_NEGATIVE else { return None };
        let (Given::Table(_) | Given::Held(_)) = given else {
            return self.kept(real(given, range, range.description)).map(constant);
        };
        self.kept(without_units(given, range))?;
        self.one_of(&ANY_LAW, given)
    }

    /// Weight of a queue in its average: a number alone is that.
    pub(super) fn weight(&mut self, given: &Given) -> Option<Value> {
        if let Given::Text(_) | Given::Table(_) | Given::Held(_) = given {
            return self.one_of(&ANY_WEIGHT, given);
        }
        let value = self.kept(real(given, WEIGHT, WEIGHT.description))?;
        Some(json!({"kind": "fixed", "value": number(value)}))
    }

    /// A part of the user's own. Its code is looked for if the hash of it is not given.
    fn own(&mut self, part: &'static Part, given: &Given) -> Option<Value> {
        let has_code = matches!(given.get("code"), Some(Given::Text(code)) if !code.is_empty());
        let Some(Given::Text(source)) = given.get("source").filter(|_| !has_code) else {
            return self.table(part, given);
        };
        let nothing = Given::Table(Vec::new());
        let parameters = match given.get("values") {
            None | Some(Given::Nothing) => &nothing,
            Some(table @ Given::Table(_)) => table,
            Some(other) => return self.kept(Err(Fault::new("values", shown(other), "a table"))),
        };
        let parameters = values(parameters).map_err(|fault| fault.within("values"));
        let parameters = self.kept(parameters)?;
        let found = self.kept(self.find(part, source, &parameters))?;
        if let (Some(form @ Given::Text(text)), Some(Value::String(its))) =
            (given.get("form"), found.get("form"))
        {
            if text != its {
                let expected = format!("{its:?}, which {source} is");
                return self.kept(Err(Fault::new("form", shown(form), expected)));
            }
        }
        let Given::Table(entries) = given else { return None };
        let mut entries: Vec<(String, Given)> =
            entries.iter().filter(|(key, _)| !found.contains_key(key)).cloned().collect();
        entries.extend(found.iter().map(|(key, value)| (key.clone(), value.into())));
        self.table(part, &Given::Table(entries))
    }

    fn find(
        &self,
        part: &Part,
        source: &str,
        parameters: &Map<String, Value>,
    ) -> Result<Map<String, Value>, Fault> {
        match self.surroundings.find_own {
            Some(find) => find(part.name, source, parameters),
            None => {
                let value = shown(&Given::Text(source.to_owned()));
                Err(Fault::new("source", value, "a part of your own with its form and the hash of its code"))
            }
        }
    }
}

/// True for a text that names a part of one's own: its class, or the file of its library.
fn names_code(text: &str) -> bool {
    text.contains(':') || LIBRARIES.iter().any(|end| text.ends_with(end))
}

fn constant(value: f64) -> Value {
    json!({"kind": "constant", "value": number(value)})
}

/// Refuses amounts with a unit.
fn without_units(given: &Given, range: Range) -> Result<(), Fault> {
    let refuse = |place: String, value: &Given| match value {
        Given::Text(_) => Err(Fault::new(place, shown(value), range.description)),
        _ => Ok(()),
    };
    for name in AMOUNTS {
        given.get(name).map_or(Ok(()), |value| refuse(name.to_owned(), value))?;
    }
    let Some(Given::List(items)) = given.get("values") else { return Ok(()) };
    items.iter().enumerate().try_for_each(|(index, item)| refuse(format!("values[{index}]"), item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Surroundings;
    use crate::ScenarioFile;

    const BELL: &str =
        "duration = 1\n[dumbbell]\nrate = 8e6\ndelay = 0\naccess_rate = 8e6\naccess_delay = 0\n\
                        [[dumbbell.flows]]\napp = \"bulk\"\n\
                        transport = { kind = \"tcp\", control = \"mine:Control\", rto = \"mine:Filter\" }\n";

    #[test]
    fn a_part_of_ones_own_is_found_by_its_source() {
        let find = |part: &str, source: &str, _: &Map<String, Value>| {
            let entries = [("form", "python"), ("source", source), ("code", part)];
            Ok(entries.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect())
        };
        let surroundings = Surroundings { find_own: Some(&find), ..Surroundings::default() };
        let text = ScenarioFile::toml(BELL, surroundings).expect("a scenario").canonical_json();
        let control =
            r#""control":{"code":"UserControl","form":"python","kind":"user","source":"mine:Control"}"#;
        assert!(text.contains(control), "{text}");
        let rto = r#""rto":{"code":"UserRto","form":"python","kind":"user","source":"mine:Filter"}"#;
        assert!(text.contains(rto), "{text}");
        let unfound = ScenarioFile::toml(BELL, Surroundings::default()).err().expect("a fault");
        assert_eq!(unfound.first().path, "dumbbell.flows[0].transport.control.source");
        assert_eq!(unfound.first().line, Some(9));
    }
}
