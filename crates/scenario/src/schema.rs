//! JSON Schema of scenario files, for editors and for checking files without Parshall.

mod json;

use json::{array, object, Json};

use crate::code_points::CODE_POINTS;
use crate::file::COMMON;
use crate::listing::{all_parts, kinds_in};
use crate::part::{Default, Field, Kinds, Part};
use crate::parts::{CAPACITY, CBR, DUMBBELL, SCENARIO};
use crate::quantity::{Dimension, DURATION, RATE, SIZE};
use crate::takes::{Range, Takes, WEIGHT};

/// The JSON Schema of a scenario file: a network written out, or a `[dumbbell]`. Fields stand in their order.
pub fn json_schema() -> String {
    let mut definitions: Vec<(&str, Json)> = Vec::new();
    for part in all_parts() {
        let is_dumbbell = std::ptr::eq(part, &DUMBBELL);
        definitions.push((part.name, table(part, |name| !is_dumbbell || !COMMON.contains(&name))));
    }
    definitions.push(("DumbbellFile", dumbbell_file()));
    let schema = object([
        ("$schema", "https://json-schema.org/draft/2020-12/schema".into()),
        ("title", "Parshall scenario".into()),
        ("description", SCENARIO.text().into()),
        ("oneOf", array([reference("Scenario"), reference("DumbbellFile")])),
        ("$defs", object(definitions)),
    ]);
    schema.to_string()
}

/// The JSON Schema of one part, whose references are to the definitions of [`json_schema`].
pub fn part_schema(part: &'static Part) -> String {
    table(part, |_| true).to_string()
}

/// Top of a file with a dumbbell.
fn dumbbell_file() -> Json {
    let of_top = |field: &&Field| COMMON.contains(&field.name);
    let mut properties: Vec<(&str, Json)> =
        DUMBBELL.fields.iter().filter(of_top).map(|each| (each.name, field(each))).collect();
    properties.push(("dumbbell", reference("Dumbbell")));
    object([
        ("title", "A scenario with a dumbbell".into()),
        ("type", "object".into()),
        ("additionalProperties", false.into()),
        ("properties", object(properties)),
        ("required", array([Json::from("duration"), "dumbbell".into()])),
    ])
}

fn table(part: &'static Part, has: impl Fn(&str) -> bool) -> Json {
    let fields = || part.fields.iter().filter(|field| has(field.name));
    let kind = part.kind.map(|kind| ("kind", kind_of(part, kind)));
    let required = fields().filter(|field| field.default.is_none()).map(|field| field.name);
    let required = part.kind.map(|_| "kind").into_iter().chain(required);
    let mut schema = vec![
        ("title", part.name.into()),
        ("description", part.text().into()),
        ("type", "object".into()),
        ("additionalProperties", false.into()),
        ("properties", object(kind.into_iter().chain(fields().map(|each| (each.name, field(each)))))),
    ];
    let required: Vec<Json> = required.map(Json::from).collect();
    if !required.is_empty() {
        schema.push(("required", Json::Array(required)));
    }
    if std::ptr::eq(part, &CBR) {
        let only = |name: &str| object([("required", array([name.into()]))]);
        schema.push(("oneOf", array([only("rate"), only("interval")])));
    }
    object(schema)
}

fn kind_of(part: &Part, kind: &'static str) -> Json {
    object([
        ("description", format!("Names this {}.", noun(part)).into()),
        ("const", kind.into()),
        ("default", kind.into()),
        ("type", "string".into()),
    ])
}

/// A word for what a part with a kind is.
fn noun(part: &Part) -> &'static str {
    let holds = |kinds: &&'static Kinds| kinds.parts.iter().any(|each| std::ptr::eq(*each, part));
    let fields = all_parts().into_iter().flat_map(|each| each.fields);
    fields.filter_map(|field| kinds_in(&field.takes)).find(holds).map_or("kind", |kinds| kinds.noun)
}

fn field(field: &Field) -> Json {
    let mut schema = vec![("description", Json::from(field.text()))];
    schema.extend(takes(&field.takes));
    match field.default {
        None | Some(Default::Nothing) => {}
        Some(default) => schema.push(("default", Json::from(&default.value()))),
    }
    object(schema)
}

type Entries = Vec<(&'static str, Json)>;

fn takes(takes: &Takes) -> Entries {
    match *takes {
        Takes::Rate { zero } => quantity(&RATE, zero, "number"),
        Takes::Duration { zero } => quantity(&DURATION, zero, "number"),
        Takes::Size { zero, .. } => quantity(&SIZE, zero, "integer"),
        Takes::Whole { least, most } => whole(least, most),
        Takes::Real(range) => real(range),
        Takes::Level(range) => level(range),
        Takes::Flag => vec![("type", "boolean".into())],
        Takes::Text => vec![("type", "string".into())],
        Takes::Name => vec![("minLength", 1u64.into()), ("type", "string".into())],
        Takes::CodePoint => vec![("anyOf", array(code_points(&[])))],
        Takes::Treatment => vec![("anyOf", array(code_points(&["drop"])))],
        Takes::Values => vec![("type", "object".into())],
        Takes::List { of, least, most, bare } => list_or_bare(of, least, most, bare),
        Takes::Span(of) => list(object(self::takes(of)), 2, 2),
        Takes::Instants => list(object(quantity(&DURATION, true, "number")), 1, usize::MAX),
        Takes::DurationOrList => duration_or_list(),
        Takes::Writes => writes(),
        Takes::Choice(names) => {
            vec![("enum", array(names.iter().map(|name| (*name).into()))), ("type", "string".into())]
        }
        Takes::Numbers(numbers) => {
            vec![("enum", array(numbers.iter().map(|number| (*number).into()))), ("type", "integer".into())]
        }
        Takes::Table(part) => vec![("$ref", link(part.name))],
        Takes::Tables(part) => items(reference(part.name)),
        Takes::OneOf(kinds) => any_kind(kinds),
        Takes::EachOf(kinds) => items(object(one_of(kinds))),
        Takes::TimeLaw => kinds_in(takes)
            .map_or(Vec::new(), |kinds| or_else(kinds, Some(object(level(range_of_amounts()))))),
        Takes::NumberLaw => {
            kinds_in(takes).map_or(Vec::new(), |kinds| or_else(kinds, Some(object(real(range_of_amounts())))))
        }
        Takes::Weight => kinds_in(takes).map_or(Vec::new(), |kinds| {
            any_of([Some(object(one_of(kinds))), bare(kinds), Some(object(real(WEIGHT)))])
        }),
        Takes::Control => kinds_in(takes).map_or(Vec::new(), any_kind),
        Takes::Capacity => any_of([Some(reference(CAPACITY.name)), Some(recorded_file())]),
    }
}

fn range_of_amounts() -> Range {
    match crate::takes::NOT_NEGATIVE {
        Takes::Real(range) => range,
        _ => WEIGHT,
    }
}

/// A number in base units, or text that ends in one of the units.
fn quantity(dimension: &Dimension, zero: bool, kind: &'static str) -> Entries {
    let least = if zero { "minimum" } else { "exclusiveMinimum" };
    let number = object([("type", kind.into()), (least, 0u64.into())]);
    vec![
        ("anyOf", array([number, object(text_with_unit(dimension))])),
        ("examples", array([dimension.example.into()])),
    ]
}

fn text_with_unit(dimension: &Dimension) -> Entries {
    let units: Vec<&str> = dimension.units.iter().map(|unit| unit.name).collect();
    let pattern = format!(r"^\s*\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*({})\s*$", units.join("|"));
    vec![("type", "string".into()), ("pattern", pattern.into())]
}

fn whole(least: u64, most: u64) -> Entries {
    let mut schema = vec![("type", "integer".into()), ("minimum", least.into())];
    if most <= u32::MAX.into() {
        schema.push(("maximum", most.into()));
    }
    schema
}

fn real(range: Range) -> Entries {
    let mut schema = vec![("type", "number".into())];
    if range.least.is_finite() {
        schema.push((if range.with_least { "minimum" } else { "exclusiveMinimum" }, range.least.into()));
    }
    if range.most.is_finite() {
        schema.push((if range.with_most { "maximum" } else { "exclusiveMaximum" }, range.most.into()));
    }
    schema
}

/// A number of whatever unit, or a duration as text.
fn level(range: Range) -> Entries {
    vec![
        ("anyOf", array([object(real(range)), object(text_with_unit(&DURATION))])),
        ("examples", array([DURATION.example.into()])),
    ]
}

fn code_points(more: &[&'static str]) -> [Json; 2] {
    let names = CODE_POINTS.iter().map(|(name, _)| *name).chain(more.iter().copied());
    [object(whole(0, 63)), object([("enum", array(names.map(Json::from)))])]
}

fn list(of: Json, least: usize, most: usize) -> Entries {
    let mut schema = vec![("type", "array".into()), ("items", of), ("minItems", least.into())];
    if most < usize::MAX {
        schema.push(("maxItems", most.into()));
    }
    schema
}

fn list_or_bare(of: &Takes, least: usize, most: usize, bare: bool) -> Entries {
    let listed = list(object(takes(of)), least, most);
    match (bare, of) {
        (false, _) => listed,
        (true, Takes::CodePoint) => {
            vec![("anyOf", array(code_points(&[]).into_iter().chain([object(listed)])))]
        }
        (true, _) => vec![("anyOf", array([object(takes(of)), object(listed)]))],
    }
}

fn duration_or_list() -> Entries {
    let number = object([("type", "number".into()), ("minimum", 0u64.into())]);
    let listed = list(object(quantity(&DURATION, true, "number")), 1, usize::MAX);
    vec![
        ("anyOf", array([number, object(text_with_unit(&DURATION)), object(listed)])),
        ("examples", array([DURATION.example.into()])),
    ]
}

fn writes() -> Entries {
    let ends = [object(quantity(&DURATION, true, "number")), object(whole(1, u32::MAX.into()))];
    let pair = object([
        ("type", "array".into()),
        ("prefixItems", array(ends)),
        ("minItems", 2u64.into()),
        ("maxItems", 2u64.into()),
    ]);
    list(pair, 0, usize::MAX)
}

fn items(of: Json) -> Entries {
    vec![("type", "array".into()), ("items", of)]
}

fn one_of(kinds: &Kinds) -> Entries {
    let mut mapping: Vec<(&str, Json)> =
        kinds.parts.iter().map(|part| (part.kind.unwrap_or_default(), link(part.name))).collect();
    mapping.sort_by_key(|(kind, _)| *kind);
    vec![
        ("discriminator", object([("mapping", object(mapping)), ("propertyName", "kind".into())])),
        ("oneOf", array(kinds.parts.iter().map(|part| reference(part.name)))),
    ]
}

/// The kinds that may stand as text: those that need no further key.
pub(crate) fn bare_kinds(kinds: &Kinds) -> impl Iterator<Item = &'static str> + '_ {
    let stands = |part: &&&'static Part| part.is_complete() && !std::ptr::eq(**part, &CBR);
    kinds.parts.iter().filter(stands).filter_map(|part| part.kind)
}

fn bare(kinds: &Kinds) -> Option<Json> {
    let names: Vec<Json> = bare_kinds(kinds).map(Json::from).collect();
    (!names.is_empty()).then(|| object([("enum", Json::Array(names))]))
}

/// One of some kinds, the name of one, or the code of one of the user's own.
fn any_kind(kinds: &Kinds) -> Entries {
    if kinds.own().is_none() {
        return or_else(kinds, bare(kinds));
    }
    let code = [("type", "string".into()), ("pattern", r":|\.(so|dylib|dll)$".into())];
    any_of([Some(object(one_of(kinds))), bare(kinds), Some(object(code))])
}

/// One of some kinds, or something else in its place.
fn or_else(kinds: &Kinds, other: Option<Json>) -> Entries {
    match other {
        Some(other) => any_of([Some(object(one_of(kinds))), Some(other)]),
        None => one_of(kinds),
    }
}

fn any_of<const N: usize>(options: [Option<Json>; N]) -> Entries {
    vec![("anyOf", array(options.into_iter().flatten()))]
}

fn recorded_file() -> Json {
    let name = object([("type", "string".into()), ("minLength", 1u64.into())]);
    object([
        ("type", "object".into()),
        ("properties", object([("mahimahi", name)])),
        ("required", array(["mahimahi".into()])),
        ("additionalProperties", false.into()),
    ])
}

fn link(name: &str) -> Json {
    format!("#/$defs/{name}").into()
}

fn reference(name: &str) -> Json {
    object([("$ref", link(name))])
}
