//! Decimal numbers as they are written, rounded once: to the step of a quantity.

/// Digits that are kept. More make no difference but to which side of a half a number lies.
const DIGITS: u32 = 27;

/// A decimal number of at least 0: `digits * 10^exponent`, and a little more if digits were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: u128,
    exponent: i32,
    more: bool,
}

/// A number and the text behind it: sign, decimal, rest without blanks around it.
pub(crate) struct Parsed<'a> {
    pub negative: bool,
    pub number: Decimal,
    pub rest: &'a str,
}

impl Decimal {
    /// The shortest decimal that stands for a double; none for what is not finite. The flag is its sign.
    pub(crate) fn of(value: f64) -> Option<(bool, Self)> {
        if !value.is_finite() {
            return None;
        }
        let shortest = format!("{:e}", value.abs());
        parse(&shortest).map(|parsed| (value < 0.0, parsed.number))
    }

    /// A whole number.
    pub(crate) fn whole(value: u128) -> Self {
        let mut number = Decimal { digits: 0, exponent: 0, more: false };
        for digit in value.to_string().bytes() {
            number.push(digit - b'0');
        }
        number
    }

    pub(crate) fn is_zero(self) -> bool {
        self.digits == 0 && !self.more
    }

    /// The number times `factor * 10^exponent`. The factor has ten digits at most.
    pub(crate) fn times(self, factor: u64, exponent: i32) -> Self {
        Decimal {
            digits: self.digits * u128::from(factor),
            exponent: self.exponent.saturating_add(exponent),
            more: self.more,
        }
    }

    /// Its number of steps of `10^-places`, rounded to the nearest, halves to even; none for more than `u128` holds.
    pub(crate) fn steps(self, places: i32) -> Option<u128> {
        if self.digits == 0 {
            return Some(0);
        }
        let shift = self.exponent.saturating_add(places);
        if shift >= 0 {
            let factor = 10u128.checked_pow(shift.unsigned_abs())?;
            return self.digits.checked_mul(factor);
        }
        let Some(divisor) = 10u128.checked_pow(shift.unsigned_abs()) else { return Some(0) };
        let (whole, rest) = (self.digits / divisor, self.digits % divisor);
        let half = divisor / 2;
        let up = rest > half || rest == half && (self.more || whole % 2 == 1);
        Some(whole + u128::from(up))
    }

    /// True for a whole number of steps of `10^-places`.
    pub(crate) fn is_multiple(self, places: i32) -> bool {
        let shift = self.exponent.saturating_add(places);
        if self.more || self.digits == 0 || shift >= 0 {
            return !self.more;
        }
        10u128.checked_pow(shift.unsigned_abs()).is_some_and(|divisor| self.digits % divisor == 0)
    }

    /// Adds a digit on the right.
    fn push(&mut self, digit: u8) {
        if self.digits < 10u128.pow(DIGITS - 1) {
            self.digits = 10 * self.digits + u128::from(digit);
        } else {
            self.more |= digit > 0;
            self.exponent += 1;
        }
    }
}

/// Blanks that may stand between a number and its unit.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// A text without the blanks around it, the separators of ASCII among them.
pub(crate) fn stripped(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c))
}

/// Reads a number from the start of a text.
pub(crate) fn parse(text: &str) -> Option<Parsed<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let negative = bytes.first() == Some(&b'-');
    if negative || bytes.first() == Some(&b'+') {
        at += 1;
    }
    let mut number = Decimal { digits: 0, exponent: 0, more: false };
    let first = at;
    at = take_digits(bytes, at, |digit| number.push(digit));
    let mut count = at - first;
    if bytes.get(at) == Some(&b'.') {
        let point = at + 1;
        let end = take_digits(bytes, point, |digit| {
            number.push(digit);
            number.exponent -= 1;
        });
        count += end - point;
        at = if count > 0 { end } else { at };
    }
    if count == 0 {
        return None;
    }
    let (exponent, end) = exponent(bytes, at);
    number.exponent = number.exponent.saturating_add(exponent);
    Some(Parsed { negative, number, rest: text[end..].trim_start_matches(is_blank) })
}

fn take_digits(bytes: &[u8], from: usize, mut push: impl FnMut(u8)) -> usize {
    let mut at = from;
    while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
        push(digit - b'0');
        at += 1;
    }
    at
}

/// The exponent that stands at `from`, of four digits at most, and where it ends.
fn exponent(bytes: &[u8], from: usize) -> (i32, usize) {
    let mut at = from;
    if !matches!(bytes.get(at), Some(b'e' | b'E')) {
        return (0, from);
    }
    at += 1;
    let sign = match bytes.get(at) {
        Some(b'-') => -1,
        _ => 1,
    };
    if matches!(bytes.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let (mut value, first) = (0, at);
    while at < first + 4 {
        let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) else { break };
        value = 10 * value + i32::from(digit - b'0');
        at += 1;
    }
    if at == first {
        return (0, from);
    }
    (sign * value, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str, places: i32) -> Option<u128> {
        parse(text).and_then(|parsed| parsed.number.steps(places))
    }

    #[test]
    fn numbers_are_rounded_once_and_to_the_even_side() {
        assert_eq!(steps("23.71e-3", 12), Some(23_710_000_000));
        assert_eq!(steps("0.5", 0), Some(0));
        assert_eq!(steps("1.5", 0), Some(2));
        assert_eq!(steps("2.5", 0), Some(2));
        assert_eq!(steps(&format!("2.5{}1", "0".repeat(60)), 0), Some(3));
        assert_eq!(steps("1e-9999", 12), Some(0));
        assert_eq!(steps("1e9999", 12), None);
        assert_eq!(steps("000000000000000000000000000000000000000012.5", 1), Some(125));
    }

    #[test]
    fn what_stands_behind_a_number_is_left() {
        for (text, rest) in
            [("5", ""), ("5 ms", "ms"), (".5s", "s"), ("5.", ""), ("5e", "e"), ("5e12345", "5")]
        {
            assert_eq!(parse(text).map(|parsed| parsed.rest), Some(rest), "{text}");
        }
        assert!(["", ".", "-", "e5", "ms", "+.e1"].iter().all(|text| parse(text).is_none()));
    }

    #[test]
    fn doubles_are_what_their_writer_meant() {
        let number = |value| Decimal::of(value).expect("finite").1;
        assert_eq!(number(23.71 * 1e-3).steps(12), Some(23_710_000_000));
        assert_eq!(number(1e300).steps(0), None);
        assert!(Decimal::of(f64::NAN).is_none() && number(0.0).is_zero());
        assert!(number(0.25).is_multiple(2) && !number(0.25).is_multiple(1));
    }
}
