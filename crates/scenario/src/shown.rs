//! Values as text for messages: as they would stand in a file, on one line, shortened when long.

use std::fmt::Write;

use crate::canonical::number;
use crate::given::Given;

/// Characters of a value that a message shows.
const LONGEST: usize = 60;

/// A value as text for a message.
pub fn shown(value: &Given) -> String {
    let mut text = String::new();
    if matches!(value, Given::Nothing) {
        return "nothing".to_owned();
    }
    write(&mut text, value, true);
    on_one_line(&text)
}

/// Text, quoted, as a message shows it.
pub fn shown_text(text: &str) -> String {
    on_one_line(&quoted(text))
}

/// A number as a message shows it.
pub fn shown_number(value: f64) -> String {
    shown(&Given::Number(value))
}

/// A number with six digits that mean something, as C's `%g` writes it.
pub fn brief(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { value.to_string() };
    }
    let exact = format!("{value:.5e}");
    let (digits, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let places = usize::try_from(5 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.places$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

/// True for a text of nothing but characters that can be seen, and blanks.
pub fn is_printable(text: &str) -> bool {
    text.chars().all(printable)
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if printable(character) {
            line.push(character);
        } else {
            escape(&mut line, character);
        }
    }
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}

fn escape(line: &mut String, character: char) {
    let code = u32::from(character);
    let _ = match code {
        0..=0xff => write!(line, "\\x{code:02x}"),
        0x100..=0xffff => write!(line, "\\u{code:04x}"),
        _ => write!(line, "\\U{code:08x}"),
    };
}

/// True for a character that can be seen, or is a blank.
fn printable(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    // The standard library escapes what cannot be seen, and of what joins the character before only the first.
    let mut pair = String::with_capacity(5);
    pair.push('a');
    pair.push(character);
    pair.escape_debug().count() == 2
}

fn write(text: &mut String, value: &Given, outermost: bool) {
    match value {
        Given::Nothing => text.push_str("null"),
        Given::Flag(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Given::Whole(whole) => {
            let _ = write!(text, "{whole}");
        }
        Given::Number(value) if !value.is_finite() => text.push_str(&not_finite(*value, outermost)),
        Given::Number(value) => number(text, *value),
        Given::Decimal(digits) => text.push_str(digits),
        Given::Held(held) => text.push_str(held.part.name),
        Given::Wrong(fault) => text.push_str(&fault.value),
        Given::Text(inner) => text.push_str(&quoted(inner)),
        Given::Other(inner) if outermost => text.push_str(inner),
        Given::Other(inner) => text.push_str(&quoted(inner)),
        Given::List(items) => {
            between(text, ['[', ']'], items, |text, item| write(text, item, false));
        }
        Given::Table(entries) => between(text, ['{', '}'], entries, |text, (key, value)| {
            text.push_str(&quoted(key));
            text.push_str(": ");
            write(text, value, false);
        }),
    }
}

fn not_finite(value: f64, outermost: bool) -> String {
    let name = if value.is_nan() {
        "nan"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    };
    if outermost {
        return name.to_owned();
    }
    name.replace("nan", "NaN").replace("inf", "Infinity")
}

fn between<T>(text: &mut String, ends: [char; 2], items: &[T], mut write: impl FnMut(&mut String, &T)) {
    text.push(ends[0]);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write(text, item);
    }
    text.push(ends[1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_as_in_a_file() {
        let list = Given::List(vec![Given::Whole(1), Given::Number(1e-5), Given::Text("a\"".into())]);
        assert_eq!(shown(&list), r#"[1, 1e-05, "a\""]"#);
        assert_eq!(shown(&Given::Table(vec![("a b".into(), Given::Flag(true))])), r#"{"a b": true}"#);
        assert_eq!(shown(&Given::Nothing), "nothing");
        assert_eq!(shown(&Given::Number(f64::NAN)), "nan");
    }

    #[test]
    fn long_and_invisible_text_stays_on_one_short_line() {
        let text = shown_text(&"x".repeat(100));
        assert_eq!(text.chars().count(), 60);
        assert!(text.ends_with('…'));
        assert_eq!(shown_text("a\u{2028}b\u{a0}\u{301}é"), "\"a\\u2028b\\xa0\u{301}é\"");
    }

    #[test]
    fn brief_numbers_have_six_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (1e15, "1e+15"),
            (1e-12, "1e-12"),
            (1234567.0, "1.23457e+06"),
            (100000.0, "100000"),
            (0.0001, "0.0001"),
        ] {
            assert_eq!(brief(value), text);
        }
    }
}
