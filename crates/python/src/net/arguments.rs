//! Arguments of calls to a network, each with one line about what is wrong with it.

use std::fmt::Display;

use parshall_sim::net::Ecn;
use parshall_sim::units::Time;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMemoryView, PyString};

use super::fault::{wrong_type, wrong_value};

/// Names of the code points of ECN, by their two bits.
const ECN_NAMES: [&str; 4] = ["not-ect", "ect1", "ect0", "ce"];
const AN_ECN: &str = "a member of Ecn, or one of not-ect, ect0, ect1, ce";
const AN_INSTANT: &str = "seconds, at least 0, or text such as \"20 ms\"";

/// Facts of a datagram besides its bytes.
pub struct Headers<'a, 'py> {
    pub ecn: Option<&'a Bound<'py, PyAny>>,
    pub dscp: Option<&'a Bound<'py, PyAny>>,
    pub key: Option<&'a Bound<'py, PyAny>>,
    pub tag: Option<&'a Bound<'py, PyAny>>,
    pub ip: bool,
}

impl Headers<'_, '_> {
    /// Returns whether nothing is said.
    pub fn is_empty(&self) -> bool {
        [self.ecn, self.dscp, self.key, self.tag].iter().all(Option::is_none) && !self.ip
    }
}

/// Content of a datagram.
pub enum Content<'py> {
    Size(u32),
    Bytes(Bound<'py, PyBytes>),
}

/// Bytes, or a size.
pub fn content<'py>(place: &dyn Display, data: &Bound<'py, PyAny>, ip: bool) -> PyResult<Content<'py>> {
    if let Ok(bytes) = data.cast::<PyBytes>() {
        return Ok(Content::Bytes(bytes.clone()));
    }
    if data.is_instance_of::<PyByteArray>() || data.is_instance_of::<PyMemoryView>() {
        let copied = data.py().get_type::<PyBytes>().call1((data,))?;
        return Ok(Content::Bytes(copied.cast_into::<PyBytes>()?));
    }
    let place = &format_args!("{place}, data");
    if ip || !data.is_instance_of::<PyInt>() || data.is_instance_of::<PyBool>() {
        let expected = if ip { "the bytes of an IP packet" } else { "bytes, or a size in bytes" };
        return Err(wrong_type(place, data, expected));
    }
    data.extract().map(Content::Size).map_err(|_| wrong_value(place, data, "bytes, or a size in bytes"))
}

/// A whole number within bounds.
pub fn whole(
    place: &dyn Display,
    name: &str,
    given: &Bound<'_, PyAny>,
    least: u64,
    most: u64,
) -> PyResult<u64> {
    let expected = || format!("a whole number from {least} to {most}");
    if !given.is_instance_of::<PyInt>() || given.is_instance_of::<PyBool>() {
        return Err(wrong_type(&format_args!("{place}, {name}"), given, &expected()));
    }
    let number = given.extract().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| wrong_value(&format_args!("{place}, {name}"), given, &expected()))
}

/// A code point of ECN: its name, or a member of the enumeration, which is its two bits.
pub fn ecn(place: &dyn Display, given: &Bound<'_, PyAny>) -> PyResult<Ecn> {
    if let Ok(name) = given.cast::<PyString>() {
        let bits = ECN_NAMES.iter().position(|known| name == known);
        let point = bits.map(|bits| Ecn::from_bits(bits as u8));
        return point.ok_or_else(|| wrong_value(&format_args!("{place}, ecn"), given, AN_ECN));
    }
    if !given.is_instance_of::<PyInt>() || given.is_instance_of::<PyBool>() {
        return Err(wrong_type(&format_args!("{place}, ecn"), given, AN_ECN));
    }
    let bits = given.extract().ok().filter(|bits| *bits <= 3);
    bits.map(Ecn::from_bits).ok_or_else(|| wrong_value(&format_args!("{place}, ecn"), given, AN_ECN))
}

/// The name of a code point of ECN.
pub fn ecn_name(ecn: Ecn) -> &'static str {
    ECN_NAMES[usize::from(ecn.bits())]
}

/// An instant. One that rounds to `now` in seconds is `now`, so that the time of an event is the event's own picosecond however
/// long the run.
pub fn instant(place: &dyn Display, given: &Bound<'_, PyAny>, now: Time) -> PyResult<Time> {
    let seconds = seconds(place, given)?;
    Ok(if seconds == now.secs() { now } else { Time::from_secs(seconds) })
}

/// The first instant that is not before this number of seconds: who is woken then finds a timer expired that was set for it.
pub fn not_before(place: &dyn Display, given: &Bound<'_, PyAny>, now: Time) -> PyResult<Time> {
    let at = instant(place, given, now)?;
    let seconds = seconds(place, given)?;
    Ok(if at.secs() < seconds { Time::from_ps(at.ps().saturating_add(1)) } else { at })
}

fn seconds(place: &dyn Display, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    if let Ok(number) = given.cast::<PyFloat>() {
        return checked(place, given, number.value());
    }
    if given.is_instance_of::<PyString>() {
        let parsed = given.py().import("parshall.units")?.call_method1("parse_duration", (given,));
        return parsed.map_err(|_| wrong_value(place, given, AN_INSTANT))?.extract();
    }
    let number = given.extract().ok().filter(|_| !given.is_instance_of::<PyBool>());
    number.map_or_else(|| Err(wrong_type(place, given, AN_INSTANT)), |number| checked(place, given, number))
}

fn checked(place: &dyn Display, given: &Bound<'_, PyAny>, seconds: f64) -> PyResult<f64> {
    if seconds.is_finite() && seconds >= 0.0 {
        return Ok(seconds);
    }
    Err(wrong_value(place, given, AN_INSTANT))
}
