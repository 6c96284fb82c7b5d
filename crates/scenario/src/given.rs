//! Values as they were written: what TOML, JSON and Python have in common.

use serde_json::Value;

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
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Given>),
    /// Values by keys, in the order in which they were written.
    Table(Vec<(String, Given)>),
    /// A value that no field takes, such as a date, as text for messages.
    Other(String),
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
