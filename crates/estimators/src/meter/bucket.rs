//! A bucket of tokens, one a byte, that come at a rate.

use crate::math::floor;

/// Arrival of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokens {
    /// One by one, at whole multiples of the time that a byte takes (RFC 2697, 2698, 4115: counts are incremented
    /// by one so many times a second).
    #[default]
    Whole,
    /// In proportion to the time since the last packet, fractions of a byte included, as ns-2 has it.
    Fractional,
}

/// A token that is due but for an error of rounding is there.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Tokens up to a size. It starts full at time zero.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// Bytes a second.
    rate: f64,
    size: f64,
    level: f64,
    tokens: Tokens,
}

impl Bucket {
    /// A full bucket of so many bytes that is filled at so many bit/s.
    pub fn new(rate_bps: f64, size_bytes: f64, tokens: Tokens) -> Self {
        Bucket { rate: rate_bps / 8.0, size: size_bytes, level: size_bytes, tokens }
    }

    /// Tokens in it.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Tokens that come after `then_s` up to `now_s`.
    pub fn due(&self, then_s: f64, now_s: f64) -> f64 {
        match self.tokens {
            Tokens::Fractional => self.rate * (now_s - then_s),
            Tokens::Whole => {
                let count = |time_s: f64| floor(self.rate * time_s * (1.0 + ROUNDING));
                count(now_s) - count(then_s)
            }
        }
    }

    /// Takes tokens in; those that it has no room for are returned.
    pub fn fill(&mut self, tokens: f64) -> f64 {
        let filled = self.level + tokens;
        if filled <= self.size {
            self.level = filled;
            return 0.0;
        }
        let over = tokens - (self.size - self.level);
        self.level = self.size;
        over
    }

    /// Returns whether the bucket has a token for each of `bytes` bytes.
    pub fn covers(&self, bytes: f64) -> bool {
        self.level - bytes >= 0.0
    }

    /// Takes a token out for each of so many bytes, which it must cover.
    pub fn spend(&mut self, bytes: f64) {
        self.level -= bytes;
    }
}

/// The time of the last packet: no later one may come before it, and what is no number is now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeterClock(f64);

impl MeterClock {
    /// The time of the packet before and that of this one.
    pub fn advance(&mut self, now_s: f64) -> (f64, f64) {
        let then_s = self.0;
        if now_s.is_finite() {
            self.0 = now_s.max(then_s);
        }
        (then_s, self.0)
    }
}

/// Bytes that count; what is no size is nothing.
pub(super) fn size(bytes: f64) -> f64 {
    if bytes.is_finite() {
        bytes.max(0.0)
    } else {
        0.0
    }
}
