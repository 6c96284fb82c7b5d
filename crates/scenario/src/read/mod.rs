//! Reading: from what somebody wrote to the canonical form, with every fault named by its path.

mod checks;
mod keys;
mod kinds;
mod recorded;
mod single;

pub(crate) use checks::*;
pub use keys::{known as known_keys, meant as meant_key};
pub use recorded::mahimahi_times;

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value};

use crate::fault::{joined, Fault, Faults};
use crate::given::{Given, Held};
use crate::part::{Default, Field, Fields, Part};
use crate::parts::ANY_CONTROL;
use crate::shown::{shown, shown_text};
use crate::takes::Takes;

/// Finds the code of a part of the user's own that is named without its hash: of the name of its class, such as `UserControl`, a
/// source and the values of its parameters the keys `form`, `source` and `code`.
pub type FindOwn<'a> = dyn Fn(&str, &str, &Map<String, Value>) -> Result<Map<String, Value>, Fault> + 'a;

/// Things that reading needs besides the text.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The folder in which files are looked for that a scenario names; none is the current one.
    pub folder: Option<&'a Path>,
    /// Finder of parts of the user's own; without it such a part must come with the hash of its code.
    pub find_own: Option<&'a FindOwn<'a>>,
    /// The canonical form of held parts, by their numbers.
    pub held: Option<&'a dyn Fn(usize) -> Value>,
}

/// Reads a part. The table that is returned has no field at its default; without its title it is the canonical form. Held
/// parts stand in it as tables of which [`Held::index_of`] tells the number.
///
/// # Errors
/// All faults, each with its path.
pub fn read(
    part: &'static Part,
    given: &Given,
    surroundings: Surroundings<'_>,
) -> Result<Map<String, Value>, Faults> {
    let mut reader = Reader { surroundings, faults: Vec::new(), at: Vec::new() };
    let table = reader.part(part, given);
    Faults::check(reader.faults)?;
    Ok(table)
}

/// A step of the path to what is being read.
enum Step {
    Field(&'static str),
    Item(usize),
}

struct Reader<'a> {
    surroundings: Surroundings<'a>,
    faults: Vec<Fault>,
    at: Vec<Step>,
}

impl Reader<'_> {
    fn part(&mut self, part: &'static Part, given: &Given) -> Map<String, Value> {
        let mut table = Map::new();
        let Given::Table(entries) = given else {
            self.fault(Fault::new("", shown(given), "a table"));
            return table;
        };
        let before = self.faults.len();
        self.kind(part, given, &mut table);
        for field in part.fields {
            self.at.push(Step::Field(field.name));
            self.field(field, given.get(field.name), &mut table);
            self.at.pop();
        }
        for (key, _) in entries {
            if part.field(key).is_none() && !(part.kind.is_some() && key == "kind") {
                self.fault(Fault::new(step(key), "an unknown key", keys::known(key, part)));
            }
        }
        if let Some(check) = part.check.filter(|_| self.faults.len() == before) {
            let checked = check(&Fields { part, values: &self.expanded(&table) });
            self.kept(checked);
        }
        table
    }

    /// The table with the fields of the parts that are held in it, which checks look at.
    fn expanded<'t>(&self, table: &'t Map<String, Value>) -> Cow<'t, Map<String, Value>> {
        let Some(held) = self.surroundings.held.filter(|_| table.values().any(holds)) else {
            return Cow::Borrowed(table);
        };
        let expanded = table.iter().map(|(key, value)| (key.clone(), with_held(value, held)));
        Cow::Owned(expanded.collect())
    }

    fn kind(&mut self, part: &'static Part, given: &Given, table: &mut Map<String, Value>) {
        let Some(kind) = part.kind else { return };
        match given.get("kind") {
            None => {}
            Some(Given::Text(text)) if text == kind => {}
            Some(other) => self.fault(Fault::new("kind", shown(other), format!("\"{kind}\""))),
        }
        table.insert("kind".to_owned(), kind.into());
    }

    fn field(&mut self, field: &'static Field, given: Option<&Given>, table: &mut Map<String, Value>) {
        let Some(given) = given else {
            if field.default.is_none() {
                self.fault(Fault::new("", "nothing", needed(field)));
            }
            return;
        };
        if matches!((given, field.default), (Given::Nothing, Some(Default::Nothing))) {
            return;
        }
        if let Some(value) = self.value(&field.takes, given) {
            if !field.is_default(&value) {
                table.insert(field.name.to_owned(), value);
            }
        }
    }

    /// Reads a value; none if it has a fault, which is kept.
    fn value(&mut self, takes: &Takes, given: &Given) -> Option<Value> {
        if let Given::Wrong(fault) = given {
            return self.kept(Err(Fault::clone(fault)));
        }
        match *takes {
            Takes::Table(part) => self.table(part, given),
            Takes::Tables(part) => self.items(given, |reader, item| reader.table(part, item)),
            Takes::OneOf(kinds) => self.one_of(kinds, given),
            Takes::EachOf(kinds) => self.items(given, |reader, item| reader.one_of(kinds, item)),
            Takes::TimeLaw => self.time_law(given),
            Takes::NumberLaw => self.number_law(given),
            Takes::Weight => self.weight(given),
            Takes::Control => self.one_of(&ANY_CONTROL, given),
            Takes::Capacity => self.capacity(given),
            ref single => self.kept(single::read(single, given)),
        }
    }

    fn table(&mut self, part: &'static Part, given: &Given) -> Option<Value> {
        match given {
            Given::Held(held) if std::ptr::eq(held.part, part) => return Some(held.marker()),
            Given::Wrong(fault) => return self.kept(Err(Fault::clone(fault))),
            _ => {}
        }
        let before = self.faults.len();
        let table = self.part(part, given);
        (self.faults.len() == before).then_some(Value::Object(table))
    }

    fn items(
        &mut self,
        given: &Given,
        mut read: impl FnMut(&mut Self, &Given) -> Option<Value>,
    ) -> Option<Value> {
        let Given::List(items) = given else {
            return self.kept(Err(Fault::new("", shown(given), "a list")));
        };
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            self.at.push(Step::Item(index));
            values.extend(read(self, item));
            self.at.pop();
        }
        (values.len() == items.len()).then_some(Value::Array(values))
    }

    /// The value of a result; its fault is kept.
    fn kept<T>(&mut self, result: Result<T, Fault>) -> Option<T> {
        result.map_err(|fault| self.fault(fault)).ok()
    }

    /// Keeps a fault, whose path leads on from here.
    fn fault(&mut self, fault: Fault) {
        let place = self.at.iter().fold(String::new(), |path, step| match step {
            Step::Field(name) => joined(&path, name),
            Step::Item(index) => joined(&path, &format!("[{index}]")),
        });
        self.faults.push(fault.within(&place));
    }
}

/// True for a value in which parts are held.
fn holds(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds),
        Value::Object(table) => Held::index_of(value).is_some() || table.values().any(holds),
        _ => false,
    }
}

fn with_held(value: &Value, held: &dyn Fn(usize) -> Value) -> Value {
    if let Some(index) = Held::index_of(value) {
        return held(index);
    }
    match value {
        Value::Array(items) => items.iter().map(|item| with_held(item, held)).collect(),
        Value::Object(table) => {
            table.iter().map(|(key, value)| (key.clone(), with_held(value, held))).collect()
        }
        _ => value.clone(),
    }
}

/// A key as a step of a path, in quotes if it is an odd one.
pub(crate) fn step(key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(plain) {
        key.to_owned()
    } else {
        shown_text(key)
    }
}

/// Purpose of a field that has to be there, as a message tells it.
fn needed(field: &Field) -> String {
    let text = field.text().replace('`', "");
    match text.trim_end_matches('.') {
        "" => "a value".to_owned(),
        text => format!("a value: {text}"),
    }
}
