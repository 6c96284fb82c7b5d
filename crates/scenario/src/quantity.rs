//! Quantities: numbers in base units, or text with a unit such as `"28 Mbit/s"`.
//!
//! Rates are rounded to 0.001 bit/s and durations to a picosecond, so that `"23.71 ms"` and `0.02371` are one value.

use crate::decimal::{self, Decimal};
use crate::fault::Fault;
use crate::given::Given;
use crate::shown::shown;

/// A unit: its name, and the factor and power of ten that make base units of it.
pub struct Unit {
    /// The name, as in `Mbit/s`.
    pub name: &'static str,
    factor: u64,
    exponent: i32,
}

/// A kind of quantity: its units, the step that it is rounded to, and its greatest value.
pub struct Dimension {
    /// The kind, as in `rate`.
    pub name: &'static str,
    /// A quantity of this kind, as a message shows it.
    pub example: &'static str,
    /// The base unit.
    pub base: &'static str,
    /// All units.
    pub units: &'static [Unit],
    places: i32,
    least: &'static str,
    greatest_exponent: u32,
    greatest: &'static str,
}

const fn unit(name: &'static str, factor: u64, exponent: i32) -> Unit {
    Unit { name, factor, exponent }
}

/// Rates in bit/s.
pub static RATE: Dimension = Dimension {
    name: "rate",
    example: "28 Mbit/s",
    base: "bit/s",
    units: &[
        unit("bit/s", 1, 0),
        unit("kbit/s", 1, 3),
        unit("Mbit/s", 1, 6),
        unit("Gbit/s", 1, 9),
        unit("Tbit/s", 1, 12),
        unit("B/s", 8, 0),
        unit("kB/s", 8, 3),
        unit("MB/s", 8, 6),
        unit("GB/s", 8, 9),
        unit("b/s", 1, 0),
        unit("kb/s", 1, 3),
        unit("Mb/s", 1, 6),
        unit("Gb/s", 1, 9),
        unit("Tb/s", 1, 12),
        unit("bps", 1, 0),
        unit("kbps", 1, 3),
        unit("Mbps", 1, 6),
        unit("Gbps", 1, 9),
        unit("Tbps", 1, 12),
    ],
    places: 3,
    least: "0.001",
    greatest_exponent: 15,
    greatest: "1e+15",
};

/// Durations in seconds.
pub static DURATION: Dimension = Dimension {
    name: "duration",
    example: "50 ms",
    base: "s",
    units: &[
        unit("ps", 1, -12),
        unit("ns", 1, -9),
        unit("us", 1, -6),
        unit("ms", 1, -3),
        unit("s", 1, 0),
        unit("min", 60, 0),
        unit("h", 3600, 0),
        unit("\u{b5}s", 1, -6),
        unit("\u{3bc}s", 1, -6),
    ],
    places: 12,
    least: "1e-12",
    greatest_exponent: 7,
    greatest: "1e+07",
};

/// Sizes in bytes.
pub static SIZE: Dimension = Dimension {
    name: "size",
    example: "64 kB",
    base: "bytes",
    units: &[
        unit("B", 1, 0),
        unit("kB", 1, 3),
        unit("MB", 1, 6),
        unit("GB", 1, 9),
        unit("KiB", 1 << 10, 0),
        unit("MiB", 1 << 20, 0),
        unit("GiB", 1 << 30, 0),
    ],
    places: 3,
    least: "0.001",
    greatest_exponent: 15,
    greatest: "1e+15",
};

impl Dimension {
    /// A quantity in base units; `zero` is allowed where it makes sense.
    pub(crate) fn read(&self, given: &Given, zero: bool) -> Result<f64, Fault> {
        let steps = self.steps(given, zero)?;
        // The nearest double to a decimal: a division would miss it by rounding twice.
        Ok(format!("{steps}e-{}", self.places).parse().unwrap_or(f64::NAN))
    }

    /// A quantity in steps.
    fn steps(&self, given: &Given, zero: bool) -> Result<u128, Fault> {
        let (negative, number) = self.number(given).ok_or_else(|| self.fault(given, zero))?;
        if (number.is_zero() && !zero) || (negative && !number.is_zero()) {
            return Err(self.fault(given, zero));
        }
        let greatest = 10u128.pow(self.greatest_exponent + self.places.unsigned_abs());
        let steps = number.steps(self.places).filter(|steps| *steps <= greatest);
        let beyond = steps == Some(greatest) && !number.is_multiple(self.places) && self.above(number);
        let Some(steps) = steps.filter(|_| !beyond) else {
            let expected = format!("a {} of at most {} {}", self.name, self.greatest, self.base);
            return Err(Fault::new("", shown(given), expected));
        };
        if steps == 0 && !number.is_zero() {
            let expected = format!("a {} of at least {} {}", self.name, self.least, self.base);
            return Err(Fault::new("", shown(given), expected));
        }
        Ok(steps)
    }

    /// True for a number above the greatest value that is rounded to it.
    fn above(&self, number: Decimal) -> bool {
        let fine = self.places + 6;
        let greatest = 10u128.pow(self.greatest_exponent + fine.unsigned_abs());
        number.steps(fine).is_none_or(|steps| steps > greatest)
    }

    fn number(&self, given: &Given) -> Option<(bool, Decimal)> {
        match given {
            Given::Whole(whole) => Some((*whole < 0, Decimal::whole(whole.unsigned_abs()))),
            Given::Number(number) => Decimal::of(*number),
            Given::Decimal(digits) => {
                let parsed = decimal::parse(digits)?;
                // Four digits of an exponent are beyond all bounds; there may be more.
                let whole = parsed.rest.bytes().all(|byte| byte.is_ascii_digit());
                whole.then_some((parsed.negative, parsed.number))
            }
            Given::Text(text) => {
                let parsed = decimal::parse(decimal::stripped(text))?;
                let unit = self.units.iter().find(|unit| unit.name == parsed.rest)?;
                Some((parsed.negative, parsed.number.times(unit.factor, unit.exponent)))
            }
            _ => None,
        }
    }

    fn fault(&self, given: &Given, zero: bool) -> Fault {
        let least = if zero { "of at least 0" } else { "above 0" };
        let hint = self.meant(given).map_or(String::new(), |unit| format!(" (the unit is \"{unit}\")"));
        Fault::new("", shown(given), format!("a {} {least} such as \"{}\"{hint}", self.name, self.example))
    }

    /// The unit that was meant where only the case is wrong.
    fn meant(&self, given: &Given) -> Option<&'static str> {
        let Given::Text(text) = given else { return None };
        let rest = decimal::parse(decimal::stripped(text))?.rest;
        let mut alike = self.units.iter().filter(|unit| unit.name.to_lowercase() == rest.to_lowercase());
        let first = alike.next()?;
        (first.name != rest && alike.all(|unit| unit.name != rest)).then_some(first.name)
    }
}

/// A quantity of the kind with this name, `rate`, `duration` or `size`, in base units; `zero` is allowed where it makes
/// sense. None for any other name.
///
/// # Errors
/// What was given, and what was expected.
pub fn read_quantity(name: &str, given: &Given, zero: bool) -> Option<Result<f64, Fault>> {
    let dimension = [&RATE, &DURATION].into_iter().find(|dimension| dimension.name == name);
    match dimension {
        Some(dimension) => Some(dimension.read(given, zero)),
        None => (name == SIZE.name).then(|| size(given, zero).map(|bytes| bytes as f64)),
    }
}

/// Whole bytes.
pub(crate) fn size(given: &Given, zero: bool) -> Result<u64, Fault> {
    let steps = SIZE.steps(given, zero)?;
    let step = 10u128.pow(SIZE.places.unsigned_abs());
    if steps % step != 0 {
        let expected = format!("a whole number of bytes, or a size such as \"{}\"", SIZE.example);
        return Err(Fault::new("", shown(given), expected));
    }
    Ok(u64::try_from(steps / step).unwrap_or(u64::MAX))
}

/// A duration as text with the largest unit that leaves at least one before the point.
pub(crate) fn duration_text(seconds: f64) -> String {
    let Some(ps) = Decimal::of(seconds).and_then(|(_, number)| number.steps(12)) else {
        return seconds.to_string();
    };
    if ps == 0 {
        return "0 s".to_owned();
    }
    in_largest(ps, &[("s", 12), ("ms", 9), ("us", 6), ("ns", 3), ("ps", 0)])
}

/// A rate as text with the largest unit that leaves at least one before the point.
pub(crate) fn rate_text(rate: f64) -> String {
    let Some(thousandths) = Decimal::of(rate).and_then(|(_, number)| number.steps(3)) else {
        return rate.to_string();
    };
    if thousandths == 0 {
        return "0 bit/s".to_owned();
    }
    in_largest(thousandths, &[("Tbit/s", 15), ("Gbit/s", 12), ("Mbit/s", 9), ("kbit/s", 6), ("bit/s", 3)])
}

fn in_largest(steps: u128, units: &[(&str, usize)]) -> String {
    let fits = |(_, places): &&(&str, usize)| steps >= 10u128.pow(u32::try_from(*places).unwrap_or(0));
    let (name, places) = *units.iter().find(fits).unwrap_or(&units[units.len() - 1]);
    let digits = format!("{steps:0>width$}", width = places + 1);
    let (whole, rest) = digits.split_at(digits.len() - places);
    let rest = rest.trim_end_matches('0');
    let point = if rest.is_empty() { "" } else { "." };
    format!("{whole}{point}{rest} {name}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> Given {
        Given::Text(text.to_owned())
    }

    #[test]
    fn units_and_bare_numbers_are_one_value() {
        for given in [text("23.71 ms"), Given::Number(0.02371), Given::Number(23.71 * 1e-3), text("23710us")]
        {
            assert_eq!(DURATION.read(&given, false), Ok(0.02371));
        }
        assert_eq!(RATE.read(&text("3.5 MB/s"), false), Ok(28e6));
        assert_eq!(RATE.read(&text("28Mbps"), false), Ok(28e6));
        assert_eq!(size(&text("1.5 KiB"), false), Ok(1536));
    }

    #[test]
    fn faults_say_what_was_expected() {
        let expected = |given: &Given, zero| DURATION.read(given, zero).expect_err("a fault").expected;
        assert_eq!(
            expected(&text("5 MS"), true),
            "a duration of at least 0 such as \"50 ms\" (the unit is \"ms\")"
        );
        assert_eq!(expected(&Given::Whole(0), false), "a duration above 0 such as \"50 ms\"");
        assert_eq!(expected(&text("1e8 s"), false), "a duration of at most 1e+07 s");
        assert_eq!(expected(&text("10000000.0000000000001 s"), false), "a duration of at most 1e+07 s");
        assert_eq!(expected(&text("0.1 ps"), false), "a duration of at least 1e-12 s");
        assert_eq!(expected(&Given::Number(f64::NAN), true), "a duration of at least 0 such as \"50 ms\"");
        assert_eq!(
            size(&text("0.5 B"), false).expect_err("a fault").expected,
            "a whole number of bytes, or a size such as \"64 kB\""
        );
    }

    #[test]
    fn quantities_are_written_in_the_largest_unit() {
        assert_eq!(duration_text(0.02371), "23.71 ms");
        assert_eq!(duration_text(90.0), "90 s");
        assert_eq!(duration_text(0.0), "0 s");
        assert_eq!(rate_text(28e6), "28 Mbit/s");
        assert_eq!(rate_text(0.5), "0.5 bit/s");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(ps in 1u64..10_000_000_000_000_000) {
            let seconds: f64 = format!("{ps}e-12").parse().expect("a number");
            prop_assert_eq!(DURATION.read(&text(&duration_text(seconds)), false), Ok(seconds));
        }
    }
}
