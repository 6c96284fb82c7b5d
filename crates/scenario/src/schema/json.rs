//! JSON whose keys stand in the order in which they were given.

use std::fmt::{self, Write};

use serde_json::Value;

use crate::canonical;

/// A value of JSON.
pub(super) enum Json {
    Text(String),
    Flag(bool),
    Whole(i128),
    Number(f64),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
    Null,
}

pub(super) fn object<K: Into<String>>(entries: impl IntoIterator<Item = (K, Json)>) -> Json {
    Json::Object(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

pub(super) fn array(items: impl IntoIterator<Item = Json>) -> Json {
    Json::Array(items.into_iter().collect())
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::Text(text)
    }
}

impl From<bool> for Json {
    fn from(flag: bool) -> Self {
        Json::Flag(flag)
    }
}

impl From<u64> for Json {
    fn from(whole: u64) -> Self {
        Json::Whole(whole.into())
    }
}

impl From<i64> for Json {
    fn from(whole: i64) -> Self {
        Json::Whole(whole.into())
    }
}

impl From<usize> for Json {
    fn from(whole: usize) -> Self {
        Json::Whole(whole as i128)
    }
}

impl From<f64> for Json {
    /// A number, as a whole one where it is one.
    fn from(number: f64) -> Self {
        if number.fract() == 0.0 && number.abs() < 1e15 {
            Json::Whole(number as i128)
        } else {
            Json::Number(number)
        }
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Flag(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(whole) => Json::Whole(whole.into()),
                None => Json::Number(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Json::Text(text.clone()),
            Value::Array(items) => array(items.iter().map(Json::from)),
            Value::Object(entries) => object(entries.iter().map(|(key, value)| (key, Json::from(value)))),
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        match self {
            Json::Text(inner) => canonical::write_text(&mut text, inner),
            Json::Flag(flag) => return flag.fmt(f),
            Json::Whole(whole) => return whole.fmt(f),
            Json::Number(number) => canonical::number(&mut text, *number),
            Json::Null => text.push_str("null"),
            Json::Array(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    write!(text, "{}{item}", if index > 0 { "," } else { "" })?;
                }
                text.push(']');
            }
            Json::Object(entries) => {
                text.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    canonical::write_key(&mut text, key);
                    write!(text, "{value}")?;
                }
                text.push('}');
            }
        }
        f.write_str(&text)
    }
}
