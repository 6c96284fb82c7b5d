//! The dumbbell: hosts on either side of one bottleneck, as a preset that stands for a network. Flow number i sends from
//! host `s<i>` to `d<i>`. A million flows are written one after the other, without a table for each.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::canonical;
use crate::fault::{Fault, Faults};

type Table = Map<String, Value>;

/// Keys of the bottleneck that are its link's own.
const BOTTLENECK: [&str; 7] = ["rate", "queue", "capacity", "jitter", "loss", "events", "reverse"];
/// Keys of a group that its flows have.
const OF_FLOWS: [&str; 5] = ["transport", "app", "start_spread", "stop", "dscp"];

/// A dumbbell that was read: hosts on either side of one bottleneck.
pub struct Dumbbell {
    /// Fields of a network other than nodes, links and flows.
    pub common: Table,
    /// The link between the routers.
    pub bottleneck: Table,
    groups: Vec<Group>,
}

/// Flows of one kind.
struct Group {
    name: String,
    count: usize,
    forward: bool,
    starts: Each,
    delays: Each,
    flow: Table,
    left: Table,
    right: Table,
}

/// One value for all flows of a group, or one for each.
enum Each {
    All(f64),
    List(Vec<f64>),
}

/// A flow of a dumbbell.
pub struct Member<'a> {
    /// The number of its hosts, from 1.
    pub number: usize,
    /// The index of its group.
    pub group: usize,
    /// Its name.
    pub name: String,
    /// When it starts, in seconds.
    pub start: f64,
    /// The delay of its access links, in seconds.
    pub delay: f64,
    dumbbell: &'a Dumbbell,
}

impl Dumbbell {
    /// The dumbbell of a table in the canonical form.
    ///
    /// # Errors
    /// The path of a list that has not one value for each flow.
    pub fn new(mut table: Table) -> Result<Self, Faults> {
        let groups = match table.remove("flows") {
            Some(Value::Array(groups)) => groups,
            _ => Vec::new(),
        };
        let mut bottleneck = part_of(&table, &BOTTLENECK);
        bottleneck.insert("between".to_owned(), Value::from(vec!["r0", "r1"]));
        bottleneck.insert("name".to_owned(), "bottleneck".into());
        bottleneck.extend(table.get("delay").map(|delay| ("delay".to_owned(), delay.clone())));
        let groups = groups.iter().enumerate().map(|(index, group)| Group::new(index, group, &table));
        let groups = groups.collect::<Result<_, Fault>>()?;
        let common = part_of(&table, &["duration", "warm_up", "record"]);
        Ok(Dumbbell { common, bottleneck, groups })
    }

    /// Its flows, in order.
    pub fn members(&self) -> impl Iterator<Item = Member<'_>> {
        let mut counted: HashMap<&str, usize> = HashMap::new();
        let mut number = 0;
        self.groups.iter().enumerate().flat_map(move |(index, group)| {
            let first = counted.get(group.name.as_str()).copied().unwrap_or(0);
            counted.insert(&group.name, first + group.count);
            let before = number;
            number += group.count;
            (0..group.count).map(move |item| Member {
                number: before + item + 1,
                group: index,
                name: format!("{}{}", group.name, first + item + 1),
                start: group.starts.of(item),
                delay: group.delays.of(item),
                dumbbell: self,
            })
        })
    }

    /// Number of its flows.
    pub fn count(&self) -> usize {
        self.groups.iter().map(|group| group.count).sum()
    }

    /// Fields that all flows of a group have, and those of their links on either side.
    pub fn templates(&self) -> impl Iterator<Item = [&Table; 3]> {
        self.groups.iter().map(|group| [&group.flow, &group.left, &group.right])
    }

    /// The canonical JSON of the network that it stands for.
    pub(crate) fn canonical_json(&self) -> String {
        let mut text = String::with_capacity(400 * (self.count() + 1));
        let mut fields: Vec<(&str, Option<&Value>)> =
            self.common.iter().map(|(key, value)| (key.as_str(), Some(value))).collect();
        fields.extend(["flows", "hosts", "links", "routers"].map(|key| (key, None)));
        fields.sort_by_key(|(key, _)| *key);
        for (index, (key, value)) in fields.into_iter().enumerate() {
            text.push(if index == 0 { '{' } else { ',' });
            canonical::write_key(&mut text, key);
            match (value, key) {
                (Some(value), _) => canonical::write(&mut text, value),
                (None, "flows") => self.write_flows(&mut text),
                (None, "hosts") => self.write_hosts(&mut text),
                (None, "links") => self.write_links(&mut text),
                (None, _) => text.push_str("[\"r0\",\"r1\"]"),
            }
        }
        text.push('}');
        text
    }

    fn write_hosts(&self, text: &mut String) {
        let names = ['s', 'd'].into_iter().flat_map(|side| (1..=self.count()).map(move |n| (side, n)));
        listed(text, names, |text, (side, number)| {
            text.push_str(&format!("\"{side}{number}\""));
        });
    }

    fn write_flows(&self, text: &mut String) {
        let templates: Vec<Template> = self.groups.iter().map(|group| Template::new(&group.flow)).collect();
        listed(text, self.members(), |text, member| {
            let [source, destination] = member.ends();
            let mut own = vec![
                ("destination", quoted(&destination)),
                ("name", quoted(&member.name)),
                ("source", quoted(&source)),
            ];
            if member.start != 0.0 {
                own.push(("start", number(member.start)));
            }
            templates[member.group].write(text, &own);
        });
    }

    fn write_links(&self, text: &mut String) {
        let sides = |group: &Group| [Template::new(&group.left), Template::new(&group.right)];
        let templates: Vec<[Template; 2]> = self.groups.iter().map(sides).collect();
        text.push('[');
        canonical::write(text, &Value::Object(self.bottleneck.clone()));
        for member in self.members() {
            for (template, [a, b]) in templates[member.group].iter().zip(member.links()) {
                text.push(',');
                let between = format!("[{},{}]", quoted(&a), quoted(&b));
                template.write(text, &[("between", between), ("delay", number(member.delay))]);
            }
        }
        text.push(']');
    }
}

impl Member<'_> {
    /// The hosts from which and to which it sends.
    pub fn ends(&self) -> [String; 2] {
        let [left, right] = [format!("s{}", self.number), format!("d{}", self.number)];
        if self.dumbbell.groups[self.group].forward {
            [left, right]
        } else {
            [right, left]
        }
    }

    /// The ends of its access links, that on the left first.
    pub fn links(&self) -> [[String; 2]; 2] {
        [[format!("s{}", self.number), "r0".to_owned()], ["r1".to_owned(), format!("d{}", self.number)]]
    }
}

impl Group {
    fn new(index: usize, group: &Value, bell: &Table) -> Result<Self, Fault> {
        let empty = Table::new();
        let group = group.as_object().unwrap_or(&empty);
        let count = group.get("count").and_then(Value::as_u64).unwrap_or(1);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let place = |field| format!("flows[{index}].{field}");
        let access = |name: &str| bell.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        let forward = group.get("direction").is_none_or(|direction| direction == "forward");
        let mut links = Table::new();
        for (own, common, field) in
            [("access_rate", "access_rate", "rate"), ("access_queue", "access_queue", "queue")]
        {
            let value = group.get(own).or_else(|| bell.get(common));
            links.extend(
                value.filter(|value| !is_default_queue(value)).map(|value| (field.to_owned(), value.clone())),
            );
        }
        let (mut left, mut right) = (links.clone(), links);
        if let Some(jitter) = group.get("access_jitter") {
            if forward {
                left.insert("jitter".to_owned(), jitter.clone());
            } else {
                right.insert("reverse".to_owned(), serde_json::json!({ "jitter": jitter }));
            }
        }
        Ok(Group {
            name: group.get("name").and_then(Value::as_str).unwrap_or("f").to_owned(),
            count,
            forward,
            starts: Each::new(group.get("start"), 0.0, count, "starts", || place("start"))?,
            delays: Each::new(group.get("access_delay"), access("access_delay"), count, "delays", || {
                place("access_delay")
            })?,
            flow: part_of(group, &OF_FLOWS),
            left,
            right,
        })
    }
}

/// True for the queue that links have unless one is given.
fn is_default_queue(value: &Value) -> bool {
    value.as_object().is_some_and(|table| table.len() == 1 && table.get("kind") == Some(&"droptail".into()))
}

impl Each {
    fn new(
        given: Option<&Value>,
        default: f64,
        count: usize,
        what: &str,
        place: impl Fn() -> String,
    ) -> Result<Self, Fault> {
        match given {
            Some(Value::Array(items)) if items.len() != count => {
                let expected = format!("one for each of {count} flows");
                Err(Fault::new(place(), format!("{} {what}", items.len()), expected))
            }
            Some(Value::Array(items)) => Ok(Each::List(items.iter().filter_map(Value::as_f64).collect())),
            given => Ok(Each::All(given.and_then(Value::as_f64).unwrap_or(default))),
        }
    }

    fn of(&self, item: usize) -> f64 {
        match self {
            Each::All(value) => *value,
            Each::List(values) => values[item],
        }
    }
}

/// A table of which many differ in a few keys, written already but for these.
struct Template(Vec<(String, String)>);

impl Template {
    fn new(table: &Table) -> Self {
        let written = |(key, value): (&String, &Value)| {
            let mut text = String::new();
            canonical::write_key(&mut text, key);
            canonical::write(&mut text, value);
            (key.clone(), text)
        };
        Template(table.iter().map(written).collect())
    }

    /// Writes the table with these keys and texts besides; both are in order.
    fn write(&self, text: &mut String, own: &[(&str, String)]) {
        let mut own = own.iter().peekable();
        let mut before = '{';
        let mut push = |text: &mut String, written: &[&str]| {
            text.push(before);
            before = ',';
            written.iter().for_each(|part| text.push_str(part));
        };
        for (key, written) in &self.0 {
            while let Some((name, value)) = own.next_if(|(name, _)| *name < key.as_str()) {
                push(text, &["\"", name, "\":", value]);
            }
            push(text, &[written]);
        }
        for (name, value) in own {
            push(text, &["\"", name, "\":", value]);
        }
        text.push('}');
    }
}

fn part_of(table: &Table, keys: &[&str]) -> Table {
    let entry = |key: &&str| table.get(*key).map(|value| ((*key).to_owned(), value.clone()));
    keys.iter().filter_map(entry).collect()
}

fn listed<T>(text: &mut String, items: impl Iterator<Item = T>, mut write: impl FnMut(&mut String, T)) {
    text.push('[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            text.push(',');
        }
        write(text, item);
    }
    text.push(']');
}

fn quoted(inner: &str) -> String {
    let mut text = String::new();
    canonical::write_text(&mut text, inner);
    text
}

fn number(value: f64) -> String {
    let mut text = String::new();
    canonical::number(&mut text, value);
    text
}
