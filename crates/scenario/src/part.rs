//! Parts of a scenario: tables with fields, each with what it takes, its default and its text.

use serde_json::{Map, Value};

use crate::canonical;
use crate::fault::Fault;
use crate::takes::Takes;

/// A part of a scenario: a table of a file.
pub struct Part {
    /// The name of its class, as in `DropTail`.
    pub name: &'static str,
    /// The value of its key `kind`, where it has one.
    pub kind: Option<&'static str>,
    module: &'static str,
    text: &'static str,
    /// Its fields, in the order in which they are read and listed; `kind` is none.
    pub fields: &'static [Field],
    pub(crate) check: Option<Check>,
}

/// Parts of which one is chosen by its kind.
pub struct Kinds {
    /// The name of their union, as in `AnyQueue`.
    pub name: &'static str,
    module: &'static str,
    /// A word for what they are, as in `queue discipline`.
    pub noun: &'static str,
    /// The parts.
    pub parts: &'static [&'static Part],
}

impl Kinds {
    pub(crate) const fn new(
        name: &'static str,
        module: &'static str,
        noun: &'static str,
        parts: &'static [&'static Part],
    ) -> Self {
        Kinds { name, module, noun, parts }
    }

    /// The topic under which they are defined, as in `queues`.
    pub fn topic(&self) -> &'static str {
        topic(self.module)
    }

    /// The part that is the user's own, where there may be one.
    pub(crate) fn own(&self) -> Option<&'static Part> {
        self.parts.iter().copied().find(|part| part.kind == Some("user"))
    }
}

/// A check of what depends on several fields. It is asked once each fits by itself.
pub(crate) type Check = fn(&Fields<'_>) -> Result<(), Fault>;

/// A field of a part.
pub struct Field {
    /// The key.
    pub name: &'static str,
    text: &'static str,
    /// Values that it takes.
    pub takes: Takes,
    /// The value of a field that is left out; none if it must be there.
    pub default: Option<Default>,
}

/// The value of a field that is left out.
#[derive(Clone, Copy)]
pub enum Default {
    /// Nothing.
    Nothing,
    /// A whole number.
    Whole(u64),
    /// Any other number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// Text.
    Text(&'static str),
    /// An empty list.
    List,
    /// An empty table.
    Table,
    /// A table, as canonical JSON.
    Json(&'static str),
}

/// The name of the field that is for people alone.
pub(crate) const TITLE: &str = "title";

impl Part {
    pub(crate) const fn new(
        name: &'static str,
        kind: Option<&'static str>,
        module: &'static str,
        text: &'static str,
        fields: &'static [Field],
        check: Option<Check>,
    ) -> Self {
        Part { name, kind, module, text, fields, check }
    }

    /// The topic under which it is defined, as in `queues`.
    pub fn topic(&self) -> &'static str {
        topic(self.module)
    }

    /// The text of the part, on one line, with literals in backticks.
    pub fn text(&self) -> String {
        on_one_line(self.text)
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// True if nothing but its kind has to be given.
    pub fn is_complete(&self) -> bool {
        self.fields.iter().all(|field| field.default.is_some())
    }
}

impl Field {
    pub(crate) const fn new(
        name: &'static str,
        text: &'static str,
        takes: Takes,
        default: Option<Default>,
    ) -> Self {
        Field { name, text, takes, default }
    }

    /// The text of the field, on one line, with literals in backticks.
    pub fn text(&self) -> String {
        on_one_line(self.text)
    }

    /// True for a value that was read and is its default, which the canonical form leaves out.
    pub(crate) fn is_default(&self, value: &Value) -> bool {
        match self.default {
            None => false,
            Some(Default::Nothing) => value.is_null(),
            Some(Default::Whole(number)) => value.as_u64() == Some(number),
            Some(Default::Number(number)) => value.as_f64() == Some(number),
            Some(Default::Flag(flag)) => value.as_bool() == Some(flag),
            Some(Default::Text(text)) => value.as_str() == Some(text),
            Some(Default::List) => value.as_array().is_some_and(Vec::is_empty),
            Some(Default::Table) => value.as_object().is_some_and(Map::is_empty),
            Some(Default::Json(text)) => value.is_object() && canonical::text(value) == text,
        }
    }
}

impl Default {
    /// The default as a value.
    pub fn value(&self) -> Value {
        match *self {
            Default::Nothing => Value::Null,
            Default::Whole(number) => number.into(),
            Default::Number(number) => number.into(),
            Default::Flag(flag) => flag.into(),
            Default::Text(text) => text.into(),
            Default::List => Value::Array(Vec::new()),
            Default::Table => Value::Object(Map::new()),
            Default::Json(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        }
    }
}

fn topic(module: &'static str) -> &'static str {
    module.rsplit("::").next().unwrap_or(module)
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The fields of a part that was read, defaults included.
pub(crate) struct Fields<'a> {
    pub part: &'static Part,
    pub values: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The fields of a table that was read as `part`.
    pub(crate) fn of(part: &'static Part, value: &'a Value) -> Option<Self> {
        value.as_object().map(|values| Fields { part, values })
    }

    /// A value that was given, or is not at its default.
    pub(crate) fn given(&self, name: &str) -> Option<&'a Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    /// A number, that of its default included.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        let default = || match self.part.field(name)?.default? {
            Default::Number(number) => Some(number),
            Default::Whole(number) => Some(number as f64),
            _ => None,
        };
        self.given(name).map_or_else(default, Value::as_f64)
    }

    /// Text, that of its default included.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        let default = || match self.part.field(name)?.default? {
            Default::Text(text) => Some(text),
            _ => None,
        };
        self.given(name).map_or_else(default, Value::as_str)
    }

    /// The items of a list; none of one that is left out.
    pub(crate) fn items(&self, name: &str) -> &'a [Value] {
        self.given(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// Defines parts: the text of each, the name of its class, its kind, a check, and its fields.
macro_rules! parts {
    ($(
        $(#[doc = $text:literal])*
        $ident:ident: $name:literal $(as $kind:literal)? $(, checked by $check:path)? {
            $($(#[doc = $field_text:literal])* $field:ident: $takes:expr $(=> $default:expr)?,)*
        }
    )*) => {
        $(
            $(#[doc = $text])*
            pub static $ident: crate::part::Part = crate::part::Part::new(
                $name,
                parts!(@optional $($kind)?),
                module_path!(),
                concat!($($text, "\n"),*),
                &[$(crate::part::Field::new(
                    stringify!($field),
                    concat!($($field_text, "\n"),*),
                    $takes,
                    parts!(@optional $($default)?),
                )),*],
                parts!(@optional $($check)?),
            );
        )*
    };
    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };
}

pub(crate) use parts;

pub(crate) const NONE: Default = Default::Nothing;
pub(crate) const EMPTY_LIST: Default = Default::List;
pub(crate) const EMPTY_TABLE: Default = Default::Table;

#[allow(non_snake_case)]
pub(crate) const fn F(number: f64) -> Default {
    Default::Number(number)
}

#[allow(non_snake_case)]
pub(crate) const fn I(number: u64) -> Default {
    Default::Whole(number)
}

#[allow(non_snake_case)]
pub(crate) const fn B(flag: bool) -> Default {
    Default::Flag(flag)
}

#[allow(non_snake_case)]
pub(crate) const fn T(text: &'static str) -> Default {
    Default::Text(text)
}

#[allow(non_snake_case)]
pub(crate) const fn J(json: &'static str) -> Default {
    Default::Json(json)
}
