//! TOML: from the text of a file to what was given, and from the path of a fault to its line.

use std::borrow::Cow;

use toml_edit::{Array, Document, InlineTable, Item, Table, Value};
use toml_parser::parser::{parse_document, RecursionGuard, ValidateWhitespace};
use toml_parser::{ParseError, Source};

use crate::fault::{Fault, Faults};
use crate::given::Given;

/// The text of a file in TOML, parsed.
pub struct Toml<'a> {
    /// Offsets of the ends of lines.
    ends: Vec<usize>,
    document: Document<&'a str>,
}

impl<'a> Toml<'a> {
    /// Parses a text.
    ///
    /// # Errors
    /// A fault with a line for what is no TOML.
    pub fn new(text: &'a str) -> Result<Self, Faults> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        check_syntax(text)?;
        let document = Document::parse(text).map_err(|error| {
            // What the parser expected would stand beside what is expected of the whole text.
            let message = error.message().split(", expected ").next().unwrap_or_default();
            no_toml(text, message, error.span().map(|span| span.start))
        })?;
        Ok(Toml { ends: ends(text), document })
    }

    /// The tables of the file.
    pub fn given(&self) -> Given {
        table(self.document.as_table())
    }

    /// Gives faults their lines: that of the value, or of the closest thing around it that the file has.
    pub fn placed(&self, faults: Faults) -> Faults {
        faults.map(|fault| {
            let line = fault.line.or_else(|| self.line(&fault.path));
            Fault { line, ..fault }
        })
    }

    /// The line of the value at a path, or of the closest thing around it that the file has.
    pub fn line(&self, path: &str) -> Option<usize> {
        let mut at = At::Table(self.document.as_table());
        let mut found = None;
        for step in steps(path) {
            let Some((offset, next)) = at.step(step) else { break };
            found = offset.or(found);
            at = next;
        }
        found.map(|offset| 1 + self.ends.partition_point(|end| *end < offset))
    }
}

/// Lists and tables in one another that a file may have, as many as `toml_edit` reads.
const DEEPEST: u32 = 80;

/// Refuses a text with a fault of syntax. `toml_edit` goes on behind one, and panics at some that it then meets.
fn check_syntax(text: &str) -> Result<(), Fault> {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut nobody = ();
    let mut blanks = ValidateWhitespace::new(&mut nobody, source);
    let mut guarded = RecursionGuard::new(&mut blanks, DEEPEST);
    let mut first: Option<ParseError> = None;
    parse_document(&tokens, &mut guarded, &mut first);
    first.map_or(Ok(()), |error| {
        Err(no_toml(text, error.description(), error.unexpected().map(|span| span.start())))
    })
}

/// The fault of a text that is no TOML, in a line.
fn no_toml(text: &str, message: &str, at: Option<usize>) -> Fault {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = at.map(|start| 1 + ends(text).partition_point(|end| *end < start));
    Fault::of_syntax(format!("text that is not TOML: {message}"), "a scenario file", line)
}

fn ends(text: &str) -> Vec<usize> {
    text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect()
}

/// A step of a path: a key, or the index of an item.
enum Step<'a> {
    Key(Cow<'a, str>),
    Item(usize),
}

/// The steps of a path. A key in quotes may hold dots and brackets.
fn steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = match rest.as_bytes()[0] {
            b'.' => {
                rest = &rest[1..];
                continue;
            }
            b'"' => {
                let end = closing_quote(rest);
                let key = serde_json::from_str(&rest[..end]).map_or_else(|_| rest[..end].into(), Cow::Owned);
                (Step::Key(key), &rest[end..])
            }
            b'[' => {
                let end = rest.find(']').unwrap_or(rest.len());
                let item = &rest[1..end];
                let step = item.parse().map_or(Step::Key(item.into()), Step::Item);
                (step, rest.get(end + 1..).unwrap_or_default())
            }
            _ => {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                (Step::Key(rest[..end].into()), &rest[end..])
            }
        };
        steps.push(step);
        rest = after;
    }
    steps
}

/// The end of a key in quotes, with which a text begins.
fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '"' if !escaped => return at + 1,
            _ => escaped = character == '\\' && !escaped,
        }
    }
    text.len()
}

/// A place in a document.
enum At<'a> {
    Table(&'a Table),
    Inline(&'a InlineTable),
    Tables(&'a toml_edit::ArrayOfTables),
    Array(&'a Array),
    Single,
}

impl<'a> At<'a> {
    /// The place to which a step leads, and the offset at which that begins in the text if it stands there itself.
    fn step(&self, step: Step<'_>) -> Option<(Option<usize>, At<'a>)> {
        match (self, step) {
            (At::Table(table), Step::Key(key)) => {
                let (key, item) = table.get_key_value(&key)?;
                Some((key_start(key, item), At::item(item)))
            }
            (At::Inline(table), Step::Key(key)) => {
                let (key, item) = table.get_key_value(&key)?;
                Some((key_start(key, item), At::item(item)))
            }
            (At::Tables(tables), Step::Item(index)) => {
                let table = tables.get(index)?;
                Some((table.span().map(|span| span.start), At::Table(table)))
            }
            (At::Array(array), Step::Item(index)) => {
                let value = array.get(index)?;
                Some((value.span().map(|span| span.start), At::value(value)))
            }
            _ => None,
        }
    }

    fn item(item: &'a Item) -> Self {
        match item {
            Item::Table(table) => At::Table(table),
            Item::ArrayOfTables(tables) => At::Tables(tables),
            Item::Value(value) => At::value(value),
            Item::None => At::Single,
        }
    }

    fn value(value: &'a Value) -> Self {
        match value {
            Value::InlineTable(table) => At::Inline(table),
            Value::Array(array) => At::Array(array),
            _ => At::Single,
        }
    }
}

/// Offset of a key; none for a table that only the header of another one implies.
fn key_start(key: &toml_edit::Key, item: &Item) -> Option<usize> {
    if item.as_table().is_some_and(Table::is_implicit) {
        return None;
    }
    key.span().map(|span| span.start)
}

fn table(table: &Table) -> Given {
    Given::Table(table.iter().map(|(key, inner)| (key.to_owned(), item(inner))).collect())
}

fn item(item: &Item) -> Given {
    match item {
        Item::None => Given::Nothing,
        Item::Value(inner) => value(inner),
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(tables) => Given::List(tables.iter().map(table).collect()),
    }
}

fn value(value_: &Value) -> Given {
    match value_ {
        Value::String(text) => Given::Text(text.value().clone()),
        Value::Integer(whole) => Given::Whole((*whole.value()).into()),
        Value::Float(number) => Given::Number(*number.value()),
        Value::Boolean(flag) => Given::Flag(*flag.value()),
        Value::Datetime(date) => Given::Other(date.value().to_string()),
        Value::Array(array) => Given::List(array.iter().map(value).collect()),
        Value::InlineTable(inner) => {
            Given::Table(inner.iter().map(|(key, inner)| (key.to_owned(), value(inner))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "duration = \"1 s\"\n\n[dumbbell]\nrate = 5\nqueue = { kind = \"red\",\n  limit = 3 }\n[[dumbbell.flows]]\ncount = 1\n[[dumbbell.flows]]\nstarts = [\n 1,\n 2]\n[record.series]\nof = 1\n";

    #[test]
    fn faults_find_the_line_of_what_they_name() {
        let parsed = Toml::new(TEXT).expect("TOML");
        for (path, line) in [
            ("duration", Some(1)),
            ("dumbbell", Some(3)),
            ("dumbbell.rate", Some(4)),
            ("dumbbell.queue.kind", Some(5)),
            ("dumbbell.queue.limit", Some(6)),
            ("dumbbell.flows", Some(7)),
            ("dumbbell.flows[0].app", Some(7)),
            ("dumbbell.flows[1]", Some(9)),
            ("dumbbell.flows[1].starts[1]", Some(12)),
            ("record", None),
            ("record.series.of", Some(14)),
            ("nowhere", None),
        ] {
            assert_eq!(parsed.line(path), line, "{path}");
        }
    }

    #[test]
    fn what_is_no_toml_is_a_fault_with_a_line() {
        let fault = Toml::new("a = 1\nb = = 2\n").err().expect("a fault").first().clone();
        assert_eq!(fault.line, Some(2));
        assert_eq!(
            fault.to_string(),
            "line 2: got text that is not TOML: extra `=`, expected a scenario file"
        );
    }
}
