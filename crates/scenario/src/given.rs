//! Values as they were written: what TOML, JSON and Python have in common.

use std::fmt;

use serde_json::{json, Value};

use crate::fault::Fault;
use crate::part::Part;

/// A value as somebody wrote it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Given {
    /// Nothing: JSON's `null`, Python's `None`.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(i128),
    /// Any other number, NaN and infinities included.
    Number(f64),
    /// A finite number with more digits than the others hold, in decimal notation.
    Decimal(String),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Given>),
    /// Values by keys, in the order in which they were written.
    Table(Vec<(String, Given)>),
    /// A value that no field takes, such as a date, as text for messages.
    Other(String),
    /// A part that was read before, and is kept as it is.
    Held(Held),
    /// A value that has a fault wherever it stands.
    Wrong(Box<Fault>),
}

/// A part that its owner has read before: only the owner knows its fields.
#[derive(Clone, Copy)]
pub struct Held {
    /// The part.
    pub part: &'static Part,
    /// The number by which the owner knows it.
    pub index: usize,
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.part, other.part) && self.index == other.index
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.part.name, self.index)
    }
}

/// The key of the table that stands for a held part. No field has it, and tables of plain values, which may have any key,
/// hold no tables.
const HELD: &str = "\0";

impl Held {
    /// The table that stands for it in what is read.
    pub(crate) fn marker(self) -> Value {
        json!({ HELD: { HELD: self.index } })
    }

    /// The number of the held part that a value stands for.
    pub fn index_of(value: &Value) -> Option<usize> {
        usize::try_from(value.get(HELD)?.get(HELD)?.as_u64()?).ok()
    }
}

impl Given {
    /// The value of a key of a table.
    pub fn get(&self, key: &str) -> Option<&Given> {
        match self {
            Given::Table(entries) => entries.iter().find(|(known, _)| known == key).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl From<&Value> for Given {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Given::Nothing,
            Value::Bool(flag) => Given::Flag(*flag),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(whole), _) => Given::Whole(whole.into()),
                (None, Some(whole)) => Given::Whole(whole.into()),
                (None, None) => Given::Number(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Given::Text(text.clone()),
            Value::Array(items) => Given::List(items.iter().map(Given::from).collect()),
            Value::Object(entries) => {
                Given::Table(entries.iter().map(|(key, value)| (key.clone(), value.into())).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Given;

    #[test]
    fn a_value_takes_little_room() {
        // A million flows written out are some ten million of them.
        assert_eq!(size_of::<Given>(), 32);
    }
}
