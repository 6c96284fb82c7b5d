//! Paths into a scenario, such as `flows[tcp*].transport.rto`: they name what is varied.

use serde_json::Value;

use crate::fault::{joined, Fault, Faults};
use crate::given::Given;
use crate::listing::parts_in;
use crate::part::Part;
use crate::parts::SCENARIO;
use crate::read::{self, Surroundings};
use crate::shown::{shown, shown_text};
use crate::takes::Takes;
use crate::value::Scenario;

const SYNTAX: &str = "a path such as flows[*].transport.rto";

impl Scenario {
    /// A copy with another value at a path, for example `links[bottleneck].queue.limit_packets`. The value is given as in a
    /// file: `Value::from("5 Mbit/s")` is a rate.
    ///
    /// `[3]` picks an item of a list by its index, `[f1]` by its name (`*` and `?` stand for any text and for any
    /// character), `[*]` all items. A link has the name of its forward port, `a->b`, too. A pattern changes the items that have
    /// the rest of the path, of which there must be one.
    ///
    /// # Errors
    /// A fault for a path that does not exist, or all of the scenario with the new value.
    pub fn with(&self, path: &str, value: &Value) -> Result<Self, Faults> {
        let written =
            serde_json::to_value(self).map_err(|error| Fault::new("", error.to_string(), "a scenario"))?;
        let canonical = read::read(&SCENARIO, &Given::from(&written), Surroundings::default())?;
        let mut given = Given::from(&Value::Object(canonical));
        let steps = parsed(path)?;
        replace_in_part(&mut given, &SCENARIO, &steps, &Given::from(value), "").map_err(Fault::from)?;
        let changed = read::read(&SCENARIO, &given, Surroundings::default())?;
        crate::built::value(Value::Object(changed)).map_err(Faults::from)
    }
}

/// A step of a path: the name of a field, or what picks items of a list.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Items(String),
}

impl Step {
    fn text(&self) -> String {
        match self {
            Step::Field(name) => name.clone(),
            Step::Items(key) => format!("[{key}]"),
        }
    }
}

/// A path that does not exist here: a pattern then looks at the next item.
struct Miss(Fault);

impl From<Miss> for Fault {
    fn from(miss: Miss) -> Self {
        miss.0
    }
}

fn parsed(path: &str) -> Result<Vec<Step>, Fault> {
    let fault = || Fault::new("path", shown_text(path), SYNTAX);
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[').filter(|_| !steps.is_empty()) {
            let (key, after) = inner.split_once(']').ok_or_else(fault)?;
            if key.is_empty() || key.contains('[') {
                return Err(fault());
            }
            steps.push(Step::Items(key.to_owned()));
            rest = after;
            continue;
        }
        let field = match (rest.strip_prefix('.'), steps.is_empty()) {
            (Some(field), false) => field,
            (None, true) => rest,
            _ => return Err(fault()),
        };
        let end = field.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(field.len());
        if end == 0 || field.starts_with(|c: char| c.is_numeric()) {
            return Err(fault());
        }
        steps.push(Step::Field(field[..end].to_owned()));
        rest = &field[end..];
    }
    if steps.is_empty() {
        return Err(fault());
    }
    Ok(steps)
}

/// Replaces within a table that holds a part.
fn replace_in_part(
    given: &mut Given,
    part: &Part,
    steps: &[Step],
    value: &Given,
    at: &str,
) -> Result<(), Miss> {
    let Some((Step::Field(name), rest)) = steps.split_first() else {
        return Err(no_field(&steps[0], part, at));
    };
    if name == "kind" && part.kind.is_some() && rest.is_empty() {
        set(given, name, value.clone());
        return Ok(());
    }
    let Some(field) = part.field(name) else { return Err(no_field(&steps[0], part, at)) };
    let place = joined(at, name);
    let Given::Table(entries) = given else {
        return Err(Miss(Fault::new(at, shown(given), "a table")));
    };
    if !entries.iter().any(|(key, _)| key == name) {
        let default = field.default.map_or(Given::Nothing, |default| Given::from(&default.value()));
        entries.push((name.clone(), default));
    }
    let Some((_, old)) = entries.iter_mut().find(|(key, _)| key == name) else { return Ok(()) };
    replace_in_field(old, &field.takes, rest, value, &place)
}

/// Sets the value of a key of a table.
fn set(given: &mut Given, key: &str, value: Given) {
    let Given::Table(entries) = given else { return };
    match entries.iter_mut().find(|(known, _)| known == key) {
        Some((_, old)) => *old = value,
        None => entries.push((key.to_owned(), value)),
    }
}

fn replace_in_field(
    old: &mut Given,
    takes: &Takes,
    rest: &[Step],
    value: &Given,
    place: &str,
) -> Result<(), Miss> {
    let Some(next) = rest.first() else {
        *old = value.clone();
        return Ok(());
    };
    if let Given::List(items) = old {
        return replace_in_items(items, takes, rest, value, place);
    }
    match part_of(old, takes) {
        Some(part) => replace_in_part(old, part, rest, value, place),
        None => {
            let expected = format!("a table or list to look up {} in", next.text());
            Err(Miss(Fault::new(place, shown(old), expected)))
        }
    }
}

/// Replaces in each item that the first step picks and that has the rest of the path.
fn replace_in_items(
    items: &mut [Given],
    takes: &Takes,
    steps: &[Step],
    value: &Given,
    at: &str,
) -> Result<(), Miss> {
    let count = items.len();
    let none = || {
        let expected = format!("[*], or an index or name among {count} items");
        Miss(Fault::new(joined(at, &steps[0].text()), "an unknown item", expected))
    };
    let Step::Items(key) = &steps[0] else { return Err(none()) };
    let picked = items.iter_mut().enumerate().filter(|(index, item)| picks(key, *index, item));
    let (mut changed, mut missed) = (false, None);
    for (index, item) in picked {
        match replace_in_field(item, takes, &steps[1..], value, &format!("{at}[{index}]")) {
            Ok(()) => changed = true,
            Err(miss) => missed = missed.or(Some(miss)),
        }
    }
    match missed {
        _ if changed => Ok(()),
        Some(miss) => Err(miss),
        None => Err(none()),
    }
}

/// The part that a table of a field holds.
fn part_of(given: &Given, takes: &Takes) -> Option<&'static Part> {
    match (given, takes) {
        (Given::Table(_), Takes::Table(part) | Takes::Tables(part)) => Some(part),
        (Given::Table(_), takes) => {
            let parts = parts_in(takes);
            let kind = |part: &&&'static Part| match given.get("kind") {
                Some(Given::Text(kind)) => part.kind == Some(kind),
                _ => part.kind.is_none(),
            };
            parts.iter().find(kind).copied()
        }
        _ => None,
    }
}

fn no_field(step: &Step, part: &Part, at: &str) -> Miss {
    let name = step.text();
    Miss(Fault::new(joined(at, &name), "an unknown field", read::known_keys(&name, part)))
}

/// True if a key in brackets picks the item of a list at `index`.
fn picks(key: &str, index: usize, item: &Given) -> bool {
    if key == "*" {
        return true;
    }
    if key.bytes().all(|byte| byte.is_ascii_digit()) {
        return key.parse() == Ok(index);
    }
    names_of(item).iter().any(|name| fits(key, name))
}

/// Names by which an item is picked: its own, and for a link its ends as in `a->b`.
fn names_of(item: &Given) -> Vec<String> {
    let text = |given: &Given| match given {
        Given::Text(text) => Some(text.clone()),
        _ => None,
    };
    let mut names: Vec<String> = text(item).or_else(|| text(item.get("name")?)).into_iter().collect();
    if let Some(Given::List(ends)) = item.get("between") {
        names.push(ends.iter().filter_map(text).collect::<Vec<_>>().join("->"));
    }
    names
}

/// True if a name fits a pattern, in which `*` stands for any text and `?` for any character.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (p, n) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::{Queue, Transport};

    const BELL: &str = "duration = 10\n[dumbbell]\nrate = 8e6\ndelay = 0\nqueue = { kind = \"droptail\", limit_packets = 9 }\n\
                        access_rate = 8e6\naccess_delay = 0\n[[dumbbell.flows]]\ncount = 2\ntransport = \"tcp\"\napp = \"bulk\"\n\
                        [[dumbbell.flows]]\nname = \"u\"\ntransport = \"udp\"\napp = { kind = \"cbr\", rate = 1e6 }\n";

    fn bell() -> Scenario {
        Scenario::from_toml(BELL).expect("a scenario")
    }

    fn fault(path: &str, value: &Value) -> String {
        bell().with(path, value).expect_err("a fault").to_string()
    }

    #[test]
    fn a_value_is_replaced_where_a_path_leads() {
        let changed = bell().with("links[bottleneck].queue.limit_packets", &json!(20)).expect("a scenario");
        let Queue::Droptail(queue) = &*changed.links[0].queue else { panic!("drop-tail") };
        assert_eq!(queue.limit_packets, Some(20));
        let changed = bell().with("links[r0->r1].rate", &json!("5 Mbit/s")).expect("a scenario");
        assert_eq!((changed.links[0].rate.bps(), changed.links[1].rate.bps()), (5e6, 8e6));
        assert_eq!(bell().with("duration", &json!("2 s")).expect("a scenario").duration.secs(), 2.0);
        assert_eq!(bell().with("record.rtt", &json!("*")).expect("a scenario").record.rtt, ["*"]);
    }

    #[test]
    fn a_pattern_changes_the_items_that_have_the_rest() {
        let changed = bell().with("flows[*].transport.ecn", &json!(true)).expect("a scenario");
        let marked =
            changed.flows.iter().filter(|flow| matches!(&flow.transport, Transport::Tcp(tcp) if tcp.ecn));
        assert_eq!(marked.count(), 2);
        let changed = bell().with("flows[?2].start", &json!(1)).expect("a scenario");
        assert_eq!(changed.flows.iter().map(|flow| flow.start.secs()).collect::<Vec<_>>(), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn a_kind_is_replaced_where_the_other_fields_fit() {
        let changed = bell().with("links[bottleneck].queue.kind", &json!("codel")).expect("a scenario");
        assert!(matches!(&*changed.links[0].queue, Queue::Codel(codel) if codel.limit_packets == Some(9)));
        assert!(fault("links[0].queue.kind", &json!("cake"))
            .starts_with("links[0].queue.kind: got \"cake\", expected"));
    }

    #[test]
    fn what_is_wrong_with_a_path_is_told() {
        assert_eq!(
            fault("links[9].rate", &json!(1)),
            "links[9]: got an unknown item, expected [*], or an index or name among 7 items"
        );
        assert_eq!(
            fault("links[0].rat", &json!(1)),
            "links[0].rat: got an unknown field, expected the key \"rate\""
        );
        assert_eq!(
            fault("duration.x", &json!(1)),
            "duration: got 10.0, expected a table or list to look up x in"
        );
        assert_eq!(
            fault("links[0].rate", &json!("x")),
            "links[0].rate: got \"x\", expected a rate above 0 such as \"28 Mbit/s\""
        );
        for path in ["", ".a", "[0]", "a..b", "links[", "links[]", "links[0]rate", "1"] {
            assert!(fault(path, &json!(1)).starts_with("path: got "), "{path}");
        }
    }

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (pattern, name, holds) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abb", false),
            ("?", "", false),
            ("a?", "ab", true),
            ("*b*", "abc", true),
        ] {
            assert_eq!(fits(pattern, name), holds, "{pattern} {name}");
        }
    }
}
