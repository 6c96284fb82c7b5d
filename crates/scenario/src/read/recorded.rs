//! Recorded capacities, and the files that Mahimahi keeps them in (Netravali et al., USENIX ATC 2015): each line is a
//! time in milliseconds at which one packet of 1500 bytes may leave, and the recording repeats from its last time.

use std::path::Path;

use serde_json::{Map, Value};

use super::single::number;
use super::Reader;
use crate::fault::Fault;
use crate::given::Given;
use crate::parts::CAPACITY;
use crate::shown::{shown, shown_text};

const FILE: &str = "mahimahi";
const MOST_MS: u64 = 10_000_000_000;
const MOST_DIGITS: usize = 11;
const EXPECTED: &str = "a whole number of milliseconds, at most 1e10";

impl Reader<'_> {
    /// A recorded capacity, or the file that has one.
    pub(super) fn capacity(&mut self, given: &Given) -> Option<Value> {
        let Some(name) = given.get(FILE) else { return self.table(&CAPACITY, given) };
        let Given::Table(entries) = given else { return None };
        if let Some((other, _)) = entries.iter().find(|(key, _)| key != FILE) {
            let value = format!("the key {} beside mahimahi", shown_text(other));
            return self.kept(Err(Fault::new("", value, "either a file or times")));
        }
        let read = match name {
            Given::Text(text) if !text.is_empty() => self.recorded(text),
            _ => Err(Fault::new(FILE, shown(name), "the name of a file")),
        };
        self.kept(read).map(Value::Object)
    }

    fn recorded(&self, name: &str) -> Result<Map<String, Value>, Fault> {
        let path =
            self.surroundings.folder.map_or_else(|| Path::new(name).to_owned(), |folder| folder.join(name));
        let times = mahimahi_times(&path).map_err(|fault| {
            if fault.is_syntax() {
                return Fault::new(FILE, format!("{} ({})", shown_text(name), fault.value), fault.expected);
            }
            let line = fault.line.map_or(String::new(), |line| format!(", line {line}"));
            Fault::new(FILE, format!("{} in {}{line}", fault.value, shown_text(name)), fault.expected)
        })?;
        let mut table = Map::new();
        table.insert("times".to_owned(), times.iter().copied().map(number).collect());
        table.insert("period".to_owned(), times.last().copied().map_or(Value::Null, number));
        Ok(table)
    }
}

/// The times of a file as Mahimahi keeps them, plain or compressed by gzip, in seconds.
///
/// # Errors
/// The line, and what it has; for a file that cannot be read a fault that [`Fault::is_syntax`], whose value is the reason.
pub fn mahimahi_times(path: &Path) -> Result<Vec<f64>, Fault> {
    let content = content(path).map_err(|reason| Fault::of_syntax(reason, "a recorded capacity", None))?;
    let times = times(&content)
        .map_err(|(line, value, expected)| Fault { line, ..Fault::new("", value, expected) })?;
    Ok(times.iter().map(|ms| *ms as f64 / 1000.0).collect())
}

/// The content of a file: there is none in a browser.
#[cfg(target_family = "wasm")]
fn content(_: &Path) -> Result<Vec<u8>, String> {
    Err("there are no files here".to_owned())
}

/// The content of a file, plain or compressed by gzip; or why there is none.
#[cfg(not(target_family = "wasm"))]
fn content(path: &Path) -> Result<Vec<u8>, String> {
    use std::fs;
    use std::io::Read;

    use flate2::read::MultiGzDecoder;

    const GZIP: &[u8] = b"\x1f\x8b";
    let reason = |error: std::io::Error| {
        let text = error.to_string();
        text.split(" (os error").next().unwrap_or_default().to_owned()
    };
    // A pipe may wait for ever.
    if !fs::metadata(path).map_err(reason)?.is_file() {
        return Err("is no regular file".to_owned());
    }
    let content = fs::read(path).map_err(reason)?;
    if !content.starts_with(GZIP) {
        return Ok(content);
    }
    let mut plain = Vec::new();
    let read = MultiGzDecoder::new(content.as_slice()).read_to_end(&mut plain);
    read.map_err(|error| format!("damaged ({error})"))?;
    Ok(plain)
}

/// The times of a recording in milliseconds; or the line, what it has, and what was expected.
fn times(content: &[u8]) -> Result<Vec<u64>, (Option<usize>, String, String)> {
    let content = stripped_end(content);
    if content.is_empty() {
        return Err((None, "an empty file".to_owned(), "at least one time in milliseconds".to_owned()));
    }
    let mut times: Vec<u64> = Vec::new();
    for (index, line) in content.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(stripped(line));
        let fault = |value, expected: String| (Some(index + 1), value, expected);
        let time = milliseconds(&text).ok_or_else(|| fault(shown_text(&text), EXPECTED.to_owned()))?;
        let last = times.last().copied().unwrap_or(0);
        if time < last {
            return Err(fault(time.to_string(), format!("times in ascending order, at least {last}")));
        }
        times.push(time);
    }
    if times.last() == Some(&0) {
        return Err((Some(times.len()), "0".to_owned(), "a last time above 0".to_owned()));
    }
    Ok(times)
}

/// Bytes without the blanks around them.
fn stripped(bytes: &[u8]) -> &[u8] {
    let first = bytes.iter().position(|byte| !is_blank(byte)).unwrap_or(bytes.len());
    stripped_end(&bytes[first..])
}

fn stripped_end(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
    &bytes[..length]
}

fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == b'\x0b'
}

fn milliseconds(text: &str) -> Option<u64> {
    let digits = text.len() <= MOST_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|time| *time <= MOST_MS)
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn recordings_are_milliseconds_in_ascending_order() {
        assert_eq!(times(b"0\n5\r\n5\n12\n"), Ok(vec![0, 5, 5, 12]));
        let fault = |content: &[u8]| times(content).expect_err("a fault");
        assert_eq!(fault(b"").1, "an empty file");
        assert_eq!(fault(b"5\nx\n"), (Some(2), "\"x\"".to_owned(), super::EXPECTED.to_owned()));
        assert_eq!(fault(b"5\n4\n").2, "times in ascending order, at least 5");
        assert_eq!(fault(b"0\n0\n").2, "a last time above 0");
        assert_eq!(fault(b"10000000001\n").0, Some(1));
    }
}
