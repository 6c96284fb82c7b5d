//! Readers of single values.

use serde_json::{Map, Number, Value};

use crate::code_points::{code_point, treatment};
use crate::fault::{joined, Fault};
use crate::given::Given;
use crate::quantity::{self, DURATION, RATE};
use crate::shown::{is_printable, shown, shown_number};
use crate::takes::{Most, Range, Takes};

const MOST_PACKET_BYTES: u64 = 65_535;
const U32: u64 = u32::MAX as u64;

/// Reads what is neither a table nor a list of tables.
pub(super) fn read(takes: &Takes, given: &Given) -> Result<Value, Fault> {
    match *takes {
        Takes::Rate { zero } => RATE.read(given, zero).map(number),
        Takes::Duration { zero } => DURATION.read(given, zero).map(number),
        Takes::Size { zero, most } => size(given, zero, most),
        Takes::Whole { least, most } => whole(given, least, most),
        Takes::Real(range) => real(given, range, range.description).map(number),
        Takes::Level(range) => level(given, range).map(number),
        Takes::Flag => flag(given),
        Takes::Text => text(given, "text on one line", is_printable),
        Takes::Name => name(given),
        Takes::CodePoint => code_point(given),
        Takes::Treatment => treatment(given),
        Takes::Values => values(given).map(Value::Object),
        Takes::List { of, least, most, bare } => list_or_bare(of, given, least, most, bare),
        Takes::Span(of) => span(of, given),
        Takes::Instants => instants(given),
        Takes::DurationOrList => duration_or_list(given),
        Takes::Writes => writes(given),
        Takes::Choice(names) => choice(given, names),
        Takes::Numbers(numbers) => one_of_numbers(given, numbers),
        _ => Err(Fault::new("", shown(given), "a single value")),
    }
}

/// A number in a range.
pub(super) fn real(given: &Given, range: Range, expected: &str) -> Result<f64, Fault> {
    let value = match given {
        Given::Whole(whole) => *whole as f64,
        Given::Number(number) => *number,
        Given::Decimal(digits) => digits.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    };
    if range.holds(value) {
        // -0.0 and 0.0 are one value.
        return Ok(value + 0.0);
    }
    Err(Fault::new("", shown(given), expected))
}

/// A number of whatever unit, or a duration as text.
pub(super) fn level(given: &Given, range: Range) -> Result<f64, Fault> {
    match given {
        Given::Text(_) => DURATION.read(given, true),
        _ => real(given, range, range.description),
    }
}

/// A table of plain values.
pub(super) fn values(given: &Given) -> Result<Map<String, Value>, Fault> {
    let Given::Table(entries) = given else {
        return Err(Fault::new("", shown(given), "a table"));
    };
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    sorted.into_iter().map(|(key, value)| Ok((key.clone(), plain(key, value)?))).collect()
}

fn plain(place: &str, given: &Given) -> Result<Value, Fault> {
    let fault = || {
        let expected = "a finite number, true or false, text, or a list of them";
        Fault::new(place, shown(given), expected)
    };
    match given {
        Given::Flag(flag) => Ok((*flag).into()),
        Given::Text(text) => Ok(text.as_str().into()),
        Given::Whole(whole) => i64::try_from(*whole).map(Value::from).map_err(|_| fault()),
        Given::Number(value) if value.is_finite() => Ok(number(*value)),
        Given::Wrong(fault) => Err(Fault::clone(fault).within(place)),
        Given::List(items) => {
            let read = |(index, item)| plain(&format!("{place}[{index}]"), item);
            items.iter().enumerate().map(read).collect::<Result<_, _>>().map(Value::Array)
        }
        _ => Err(fault()),
    }
}

/// A finite number as a value.
pub(super) fn number(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn size(given: &Given, zero: bool, most: Most) -> Result<Value, Fault> {
    let size = quantity::size(given, zero)?;
    let expected = match most {
        Most::Packet if size > MOST_PACKET_BYTES => {
            format!("a size of at most {MOST_PACKET_BYTES} bytes, as IPv4 can carry")
        }
        Most::Bits32 if size > U32 => format!("a size of at most {U32} bytes"),
        _ => return Ok(size.into()),
    };
    Err(Fault::new("", shown(given), expected))
}

pub(crate) fn whole(given: &Given, least: u64, most: u64) -> Result<Value, Fault> {
    let range = i128::from(least)..=i128::from(most);
    match given {
        Given::Whole(whole) if range.contains(whole) => Ok(u64::try_from(*whole).unwrap_or(0).into()),
        _ => {
            let upwards = format!("of at least {least}");
            let limits = if most <= U32 { format!("from {least} to {most}") } else { upwards };
            Err(Fault::new("", shown(given), format!("a whole number {limits}")))
        }
    }
}

fn flag(given: &Given) -> Result<Value, Fault> {
    match given {
        Given::Flag(flag) => Ok((*flag).into()),
        _ => Err(Fault::new("", shown(given), "true or false")),
    }
}

fn text(given: &Given, expected: &str, holds: impl Fn(&str) -> bool) -> Result<Value, Fault> {
    match given {
        Given::Text(text) if holds(text) => Ok(text.as_str().into()),
        _ => Err(Fault::new("", shown(given), expected)),
    }
}

fn name(given: &Given) -> Result<Value, Fault> {
    text(given, "a name: printable text that is not empty", |text| !text.is_empty() && is_printable(text))
}

fn list_or_bare(of: &Takes, given: &Given, least: usize, most: usize, bare: bool) -> Result<Value, Fault> {
    let alone = match of {
        Takes::CodePoint => matches!(given, Given::Text(_) | Given::Whole(_) | Given::Flag(_)),
        _ => matches!(given, Given::Text(_)),
    };
    if bare && alone {
        return Ok(Value::Array(vec![read(of, given)?]));
    }
    list(given, least, most, |item| read(of, item)).map(Value::Array)
}

/// A list, item by item; the fault of an item says which.
fn list<T>(
    given: &Given,
    least: usize,
    most: usize,
    read: impl Fn(&Given) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let items = items(given, least, most)?;
    items.iter().enumerate().map(|(index, item)| read(item).map_err(|fault| within(fault, index))).collect()
}

fn items(given: &Given, least: usize, most: usize) -> Result<&[Given], Fault> {
    match given {
        Given::List(items) if (least..=most).contains(&items.len()) => Ok(items),
        _ if most == least => Err(Fault::new("", shown(given), format!("a list of {least}"))),
        Given::List(items) if items.len() > most => {
            Err(Fault::new("", shown(given), format!("a list of at most {most}")))
        }
        _ if least > 0 => Err(Fault::new("", shown(given), "a list that is not empty")),
        _ => Err(Fault::new("", shown(given), "a list")),
    }
}

fn within(fault: Fault, index: usize) -> Fault {
    fault.within(&format!("[{index}]"))
}

fn span(of: &Takes, given: &Given) -> Result<Value, Fault> {
    let ends = list(given, 2, 2, |item| read(of, item))?;
    if ends[0].as_f64() > ends[1].as_f64() {
        return Err(Fault::new("", shown(given), "the smaller value first"));
    }
    Ok(Value::Array(ends))
}

fn instants(given: &Given) -> Result<Value, Fault> {
    let times = list(given, 1, usize::MAX, |item| DURATION.read(item, true))?;
    ascending(times.iter().copied(), "")?;
    Ok(times.into_iter().map(number).collect())
}

/// Refuses times that are not in order. `inside` leads from an item to its time.
fn ascending(times: impl Iterator<Item = f64>, inside: &str) -> Result<(), Fault> {
    let mut last = f64::NEG_INFINITY;
    for (index, time) in times.enumerate() {
        if time < last {
            let place = joined(&format!("[{index}]"), inside);
            return Err(Fault::new(place, shown_number(time), "times in ascending order"));
        }
        last = time;
    }
    Ok(())
}

fn duration_or_list(given: &Given) -> Result<Value, Fault> {
    match given {
        Given::Text(_) | Given::Whole(_) | Given::Number(_) | Given::Decimal(_) | Given::Flag(_) => {
            DURATION.read(given, true).map(number)
        }
        _ => list(given, 1, usize::MAX, |item| DURATION.read(item, true).map(number)).map(Value::Array),
    }
}

fn writes(given: &Given) -> Result<Value, Fault> {
    let pairs = list(given, 0, usize::MAX, |pair| {
        let ends = items(pair, 2, 2)?;
        let time = DURATION.read(&ends[0], true).map_err(|fault| within(fault, 0))?;
        let packets = whole(&ends[1], 1, U32).map_err(|fault| within(fault, 1))?;
        Ok((time, packets))
    })?;
    ascending(pairs.iter().map(|(time, _)| *time), "[0]")?;
    Ok(pairs.into_iter().map(|(time, packets)| Value::Array(vec![number(time), packets])).collect())
}

fn choice(given: &Given, names: &[&str]) -> Result<Value, Fault> {
    match given {
        Given::Text(text) if names.contains(&text.as_str()) => Ok(text.as_str().into()),
        _ => {
            let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            Err(Fault::new("", shown(given), either(&quoted)))
        }
    }
}

fn one_of_numbers(given: &Given, numbers: &[i64]) -> Result<Value, Fault> {
    match given {
        Given::Whole(whole) if numbers.iter().any(|number| i128::from(*number) == *whole) => {
            Ok(i64::try_from(*whole).unwrap_or(0).into())
        }
        _ => {
            let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
            Err(Fault::new("", shown(given), either(&texts)))
        }
    }
}

/// Several things, of which one is meant: `a, b or c`.
fn either(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
