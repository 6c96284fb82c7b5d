//! A description of all parts as JSON, from which faces in other languages are made.

use serde_json::{json, Value};

use crate::listing::{all_parts, kinds_in};
use crate::part::{Field, Kinds, Part};
use crate::schema::bare_kinds;
use crate::takes::Takes;

/// All parts and all unions of kinds as JSON: their names, topics, texts, and of each field its name, its text, its default
/// and what it takes.
pub fn described() -> String {
    let parts = all_parts();
    let mut unions: Vec<&Kinds> = Vec::new();
    for kinds in parts.iter().flat_map(|part| part.fields).filter_map(|field| kinds_in(&field.takes)) {
        if !unions.iter().any(|known| known.name == kinds.name) {
            unions.push(kinds);
        }
    }
    let parts: Vec<Value> = parts.into_iter().map(part).collect();
    let unions: Vec<Value> = unions.into_iter().map(union).collect();
    json!({ "parts": parts, "unions": unions }).to_string()
}

fn part(part: &'static Part) -> Value {
    let fields: Vec<Value> = part.fields.iter().map(field).collect();
    json!({
        "name": part.name,
        "kind": part.kind,
        "topic": part.topic(),
        "text": part.text(),
        "fields": fields,
    })
}

fn union(kinds: &Kinds) -> Value {
    let names: Vec<&str> = kinds.parts.iter().map(|part| part.name).collect();
    let bare: Vec<&str> = bare_kinds(kinds).collect();
    json!({ "name": kinds.name, "noun": kinds.noun, "topic": kinds.topic(), "parts": names, "bare": bare })
}

fn field(field: &Field) -> Value {
    let mut entries = json!({ "name": field.name, "text": field.text(), "takes": takes(&field.takes) });
    if let Some(default) = field.default {
        entries["default"] = default.value();
    }
    entries
}

/// The kind of values that a field takes: a word, or a table of one key.
fn takes(takes: &Takes) -> Value {
    match *takes {
        Takes::Rate { .. } => "rate".into(),
        Takes::Duration { .. } => "duration".into(),
        Takes::Size { .. } => "size".into(),
        Takes::Whole { .. } => "whole".into(),
        Takes::Real(_) => "number".into(),
        Takes::Level(_) => "level".into(),
        Takes::Flag => "flag".into(),
        Takes::Text | Takes::Name => "text".into(),
        Takes::CodePoint => "code point".into(),
        Takes::Treatment => "treatment".into(),
        Takes::Values => "values".into(),
        Takes::List { of, least, most, bare } if least == most => {
            json!({ "list": self::takes(of), "length": least, "bare": bare })
        }
        Takes::List { of, bare, .. } => json!({ "list": self::takes(of), "bare": bare }),
        Takes::Span(of) => json!({ "list": self::takes(of), "length": 2, "bare": false }),
        Takes::Instants => "instants".into(),
        Takes::DurationOrList => "duration or list".into(),
        Takes::Writes => "writes".into(),
        Takes::Choice(names) => json!({ "choice": names }),
        Takes::Numbers(numbers) => json!({ "choice": numbers }),
        Takes::Table(part) => json!({ "part": part.name }),
        Takes::Tables(part) => json!({ "parts": part.name }),
        Takes::OneOf(kinds) => json!({ "union": kinds.name }),
        Takes::EachOf(kinds) => json!({ "unions": kinds.name }),
        Takes::TimeLaw => json!({ "union": kinds_in(takes).map(|kinds| kinds.name), "or": "level" }),
        Takes::NumberLaw | Takes::Weight => {
            json!({ "union": kinds_in(takes).map(|kinds| kinds.name), "or": "number" })
        }
        Takes::Control => json!({ "union": kinds_in(takes).map(|kinds| kinds.name), "or": "control" }),
        Takes::Capacity => json!({ "part": "Capacity" }),
    }
}
