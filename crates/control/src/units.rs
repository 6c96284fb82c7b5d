//! Time and rate as types. Time is a whole number of picoseconds in 64 bits, which reach 213 days.

use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

const PS_PER_SECOND: f64 = 1e12;

/// An instant on a clock of the caller's, as the time since it began, or a duration; in picoseconds.
///
/// With the feature `serde` it is read and written as seconds, rounded to the nearest picosecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The beginning of the clock.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens.
    pub const NEVER: Time = Time(u64::MAX);

    /// A time of so many picoseconds.
    #[inline]
    pub const fn from_ps(ps: u64) -> Self {
        Time(ps)
    }

    /// A time of so many seconds, rounded to the nearest picosecond; negative and NaN give zero, the far future saturates.
    #[inline]
    pub fn from_secs(seconds: f64) -> Self {
        Time((seconds * PS_PER_SECOND).round() as u64)
    }

    /// A time of so many milliseconds, rounded as [`Time::from_secs`] does.
    #[inline]
    pub fn ms(milliseconds: f64) -> Self {
        Time((milliseconds * 1e9).round() as u64)
    }

    /// A time of so many microseconds, rounded as [`Time::from_secs`] does.
    #[inline]
    pub fn us(microseconds: f64) -> Self {
        Time((microseconds * 1e6).round() as u64)
    }

    /// Picoseconds.
    #[inline]
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds. Below 4000 s, [`Time::from_secs`] gives back the same picosecond.
    #[inline]
    pub fn secs(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND
    }

    /// The time since `earlier`, or zero if that lies ahead.
    #[inline]
    pub fn since(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }
}

/// A longer time than [`Time`] reaches is [`Time::NEVER`].
impl From<Duration> for Time {
    #[inline]
    fn from(duration: Duration) -> Self {
        let ps = duration.as_nanos().saturating_mul(1000);
        Time(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

/// Whole nanoseconds; what is left of a time is cut off.
impl From<Time> for Duration {
    #[inline]
    fn from(time: Time) -> Self {
        Duration::from_nanos(time.0 / 1000)
    }
}

impl Add for Time {
    type Output = Time;
    #[inline]
    fn add(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    #[inline]
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Time;
    #[inline]
    fn sub(self, other: Time) -> Time {
        debug_assert!(self >= other, "a duration cannot be negative");
        Time(self.0 - other.0)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.secs())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = <f64 as serde::Deserialize>::deserialize(deserializer)?;
        if (0.0..=1e7).contains(&seconds) {
            Ok(Time::from_secs(seconds))
        } else {
            Err(serde::de::Error::custom(format!("{seconds} s, expected 0 to 1e7 s")))
        }
    }
}

/// A rate in bits a second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Rate(f64);

impl Rate {
    /// A rate of so many bits a second.
    #[inline]
    pub const fn from_bps(bps: f64) -> Self {
        Rate(bps)
    }

    /// A rate of so many kbit/s, rounded to a thousandth of a bit a second: 2.3 is 2300 bit/s.
    #[inline]
    pub fn kbit(kbit: f64) -> Self {
        Rate((kbit * 1e6).round() / 1e3)
    }

    /// A rate of so many Mbit/s, rounded as [`Rate::kbit`] does.
    #[inline]
    pub fn mbit(mbit: f64) -> Self {
        Rate((mbit * 1e9).round() / 1e3)
    }

    /// A rate of so many Gbit/s, rounded as [`Rate::kbit`] does.
    #[inline]
    pub fn gbit(gbit: f64) -> Self {
        Rate((gbit * 1e12).round() / 1e3)
    }

    /// Bits per second.
    #[inline]
    pub const fn bps(self) -> f64 {
        self.0
    }

    /// The time that one byte takes, in picoseconds.
    #[inline]
    pub fn ps_per_byte(self) -> f64 {
        8.0 * PS_PER_SECOND / self.0
    }

    /// The time that `bytes` take, to the nearest picosecond.
    #[inline]
    pub fn transmission(self, bytes: u32) -> Time {
        Time::from_ps((f64::from(bytes) * self.ps_per_byte() + 0.5) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_picosecond() {
        assert_eq!(Time::from_secs(0.02371).ps(), 23_710_000_000);
        assert_eq!(Time::from_secs(1e-12).ps(), 1);
        assert_eq!(Time::from_secs(0.4e-12).ps(), 0);
    }

    /// A unit changes nothing: what is written with one is the number that it stands for.
    #[test]
    fn units_are_exact() {
        assert_eq!(Time::ms(23.71), Time::from_secs(0.02371));
        assert_eq!(Time::us(0.3).ps(), 300_000);
        assert_eq!(
            (Rate::kbit(2.3), Rate::mbit(2.3), Rate::gbit(2.3)),
            (Rate(2.3e3), Rate(2.3e6), Rate(2.3e9))
        );
        assert_eq!(Rate::mbit(1e-9), Rate(0.001));
    }

    #[test]
    fn seconds_survive_a_round_trip() {
        for ps in [0, 1, 999, 23_710_000_001, 3_999_999_999_999_999] {
            assert_eq!(Time::from_secs(Time::from_ps(ps).secs()).ps(), ps);
        }
    }

    #[test]
    fn a_duration_is_as_many_nanoseconds() {
        assert_eq!(Time::from(Duration::from_nanos(1_234_567_891)).ps(), 1_234_567_891_000);
        assert_eq!(Time::from(Duration::MAX), Time::NEVER);
        assert_eq!(Duration::from(Time::from_ps(1_234_567_891_999)), Duration::from_nanos(1_234_567_891));
    }

    #[test]
    fn transmission_takes_eight_bits_a_byte() {
        assert_eq!(Rate::from_bps(1.6e6).transmission(1000), Time::from_secs(0.005));
        assert_eq!(Rate::from_bps(28e6).transmission(1000).ps(), 285_714_286);
    }
}
