//! Times as estimators take them: `f64` in seconds or a [`Duration`].

use core::time::Duration;

/// A time in seconds, made of an `f64` or a [`Duration`].
///
/// Every argument that is a time takes `impl Into<Seconds>`, so both types may be passed as they are. A number is kept as it
/// is, with its sign, NaN and infinities; each method says what it makes of those. A `Duration` is none of them. It is
/// rounded to the nearest `f64`: exact to the nanosecond up to 23 days.
///
/// ```
/// use core::time::Duration;
/// use parshall_estimators::rto::{Jacobson, RtoRules, RtoTimer};
///
/// let mut timer = RtoTimer::new(Jacobson::default(), RtoRules::default());
/// timer.on_sample(Duration::from_millis(500));
/// timer.on_sample(0.5);
/// assert_eq!(timer.rto(), 1.25); // 0.5 + 4 * 0.1875
/// assert_eq!(timer.timeout(), Duration::from_millis(1250));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(f64);

impl Seconds {
    /// The number of seconds.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The time as a [`Duration`], rounded to a nanosecond. NaN and what is negative are zero, and what is too long is
    /// [`Duration::MAX`].
    ///
    /// ```
    /// use core::time::Duration;
    /// use parshall_estimators::Seconds;
    ///
    /// assert_eq!(Seconds::from(0.25).to_duration(), Duration::from_millis(250));
    /// assert_eq!(Seconds::from(f64::NAN).to_duration(), Duration::ZERO);
    /// assert_eq!(Seconds::from(-1.0).to_duration(), Duration::ZERO);
    /// assert_eq!(Seconds::from(f64::INFINITY).to_duration(), Duration::MAX);
    /// ```
    pub fn to_duration(self) -> Duration {
        let longest = if self.0 > 0.0 { Duration::MAX } else { Duration::ZERO };
        Duration::try_from_secs_f64(self.0).unwrap_or(longest)
    }
}

impl From<f64> for Seconds {
    #[inline]
    fn from(seconds: f64) -> Self {
        Seconds(seconds)
    }
}

impl From<Duration> for Seconds {
    #[inline]
    fn from(duration: Duration) -> Self {
        Seconds(duration.as_secs_f64())
    }
}

impl From<Seconds> for Duration {
    #[inline]
    fn from(seconds: Seconds) -> Self {
        seconds.to_duration()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_duration_of_up_to_23_days_comes_back_to_the_nanosecond(nanoseconds in 0u64..2_000_000_000_000_000) {
            let duration = Duration::from_nanos(nanoseconds);
            prop_assert_eq!(Seconds::from(duration).to_duration(), duration);
        }

        #[test]
        fn a_number_stays_what_it_is_and_any_becomes_a_duration(x in any::<f64>()) {
            prop_assert_eq!(Seconds::from(x).get().to_bits(), x.to_bits());
            let duration = Seconds::from(x).to_duration();
            prop_assert_eq!(duration > Duration::ZERO, x >= 0.5e-9 && !x.is_nan(), "{} {:?}", x, duration);
        }
    }
}
