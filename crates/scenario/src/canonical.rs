//! The canonical form of a scenario: JSON with sorted keys and without blanks or defaults. Equal scenarios have equal
//! text, and its SHA-256 is their hash.

use std::fmt::Write;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Writes a number with the fewest digits that stand for it, with an exponent where Python writes one.
pub(crate) fn number(text: &mut String, value: f64) {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        let _ = write!(text, "{value:?}");
        return;
    }
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(size) => ('-', size),
        None => ('+', exponent),
    };
    let _ = write!(text, "{digits}e{sign}{exponent:0>2}");
}

/// The canonical text of a value.
pub(crate) fn text(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

/// The canonical text of a table.
pub(crate) fn table_text(table: &Map<String, Value>) -> String {
    let mut text = String::new();
    write_table(&mut text, table);
    text
}

/// Writes the canonical text of a value.
pub(crate) fn write(text: &mut String, value: &Value) {
    match value {
        Value::Number(given) if given.is_f64() => number(text, given.as_f64().unwrap_or(f64::NAN)),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(text, item);
            }
            text.push(']');
        }
        Value::Object(table) => write_table(text, table),
        _ => {
            let _ = write!(text, "{value}");
        }
    }
}

fn write_table(text: &mut String, table: &Map<String, Value>) {
    text.push('{');
    for (index, (key, value)) in table.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_key(text, key);
        write(text, value);
    }
    text.push('}');
}

/// Writes a key and the colon behind it.
pub(crate) fn write_key(text: &mut String, key: &str) {
    write_text(text, key);
    text.push(':');
}

/// Writes text in quotes.
pub(crate) fn write_text(text: &mut String, inner: &str) {
    text.push_str(&serde_json::to_string(inner).unwrap_or_default());
}

/// The SHA-256 of a text, in hexadecimal.
pub fn hashed(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_stand_as_python_writes_them() {
        let cases = [
            (0.0, "0.0"),
            (28e6, "28000000.0"),
            (1e16, "1e+16"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (1e100, "1e+100"),
        ];
        for (value, expected) in cases {
            let mut text = String::new();
            number(&mut text, value);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn keys_are_sorted_and_nothing_is_blank() {
        let value = json!({"b": [1, 2.0, "é\n"], "a": {"d": true, "c": null}});
        assert_eq!(text(&value), "{\"a\":{\"c\":null,\"d\":true},\"b\":[1,2.0,\"é\\n\"]}");
        assert_eq!(hashed("{}"), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    }
}
