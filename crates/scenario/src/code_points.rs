//! Code points of DiffServ: the six bits of a packet that say how routers treat it, and their names.

use serde_json::Value;

use crate::fault::Fault;
use crate::given::Given;
use crate::shown::shown;

const MOST: i128 = 63;
const EXPECTED: &str = "a code point from 0 to 63, or a name such as AF11, EF, CS1 or DF";

/// Names of the standard code points: the default class (RFC 2474), lower effort (RFC 8622), class selectors, assured
/// forwarding (RFC 2597) and expedited forwarding (RFC 3246).
pub static CODE_POINTS: &[(&str, u8)] = &[
    ("DF", 0),
    ("LE", 1),
    ("CS1", 8),
    ("CS2", 16),
    ("CS3", 24),
    ("CS4", 32),
    ("CS5", 40),
    ("CS6", 48),
    ("CS7", 56),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("VOICE-ADMIT", 44),
    ("EF", 46),
];

/// A code point by its number or its name, in capitals or not.
pub(crate) fn code_point(given: &Given) -> Result<Value, Fault> {
    let found = match given {
        Given::Whole(number) if (0..=MOST).contains(number) => u8::try_from(*number).ok(),
        Given::Text(text) => {
            let name = text.to_uppercase();
            CODE_POINTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
        }
        _ => None,
    };
    found.map(Value::from).ok_or_else(|| Fault::new("", shown(given), EXPECTED))
}

/// A code point, or the word drop.
pub(crate) fn treatment(given: &Given) -> Result<Value, Fault> {
    if *given == Given::Text("drop".to_owned()) {
        return Ok("drop".into());
    }
    code_point(given).map_err(|fault| Fault { expected: format!("{EXPECTED}, or \"drop\""), ..fault })
}
