//! The throughput that a sender attains, sampled from its acknowledgements (He, Gao, Hou and Park 2002, section II.B).
//!
//! With t0 and t the instants of the last sample and of this one, `f(t) = (1 - alpha) f(t0) + alpha acked / (t - t0)`, where
//! `acked` is what was acknowledged since t0. A sample is due once an interval has passed or once an amount was acknowledged.

use crate::error::ConfigError;
use crate::ewma::{check_gain, Ewma};
use crate::sample::is_finite;
use crate::seconds::Seconds;

/// When a sample is due.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Every {
    /// With the first ACK at least so many seconds after the last sample.
    Interval(f64),
    /// With the ACK that completes this amount since the last sample.
    Amount(f64),
}

impl Every {
    fn check(self) -> Result<(), ConfigError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match self {
            Every::Interval(seconds) => {
                ConfigError::unless(positive(seconds), "interval", seconds, "seconds above 0")
            }
            Every::Amount(amount) => {
                ConfigError::unless(positive(amount), "amount", amount, "a number above 0")
            }
        }
    }
}

/// Samples the throughput of a stream of ACKs, in units of the amounts a second.
///
/// - The first ACK starts the clock. Since when its amount has been under way is not known, so it is left out; a sender
///   that knows when it began says so with [`ThroughputSampler::restart`]. The first sample is its quotient as it is.
/// - A silence ends with the next ACK in one sample over all of it, which counts for no more than another. A caller with a
///   timer acknowledges an amount of 0 meanwhile, so that a silence gives samples of its own; one that had nothing to send
///   calls `restart`, and the silence counts for nothing.
/// - ACKs of one instant add up. A clock that stands still or runs backwards gives no sample before it has passed the last
///   one; what is acknowledged meanwhile counts in the next.
/// - An instant or amount that is not finite, and a negative amount, change nothing.
///
/// # Examples
///
/// ```
/// use parshall_estimators::throughput::{Every, ThroughputSampler};
/// let mut sampler = ThroughputSampler::new(0.5, Every::Interval(0.1))?;
/// assert_eq!(sampler.on_ack(1.0, 2.0), None); // starts the clock
/// assert_eq!(sampler.on_ack(1.0625, 4.0), None);
/// assert_eq!(sampler.on_ack(1.125, 4.0), Some(64.0)); // 8 in 0.125 s
/// assert_eq!(sampler.on_ack(1.25, 4.0), Some(48.0)); // the mean of 64 and 4 in 0.125 s
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ThroughputSampler {
    every: Every,
    average: Ewma,
    /// The instant of the last sample, or of the first ACK.
    since_s: Option<f64>,
    acked: f64,
    unsmoothed: Option<f64>,
}

impl ThroughputSampler {
    /// `gain` is alpha, the weight of the newest quotient: above 0, at most 1, where 1 is no smoothing.
    ///
    /// # Errors
    /// A gain outside its range; an interval or amount that is not above 0.
    pub fn new(gain: f64, every: Every) -> Result<Self, ConfigError> {
        check_gain("gain", gain)?;
        every.check()?;
        Ok(ThroughputSampler {
            every,
            average: Ewma::new(gain)?,
            since_s: None,
            acked: 0.0,
            unsmoothed: None,
        })
    }

    /// Takes in an ACK of `amount` more, in packets or bytes, at the instant `now`; the new sample f(t) if one is due.
    #[inline]
    pub fn on_ack(&mut self, now: impl Into<Seconds>, amount: f64) -> Option<f64> {
        let now_s = now.into().get();
        if !is_finite(now_s) || !(0.0..f64::INFINITY).contains(&amount) {
            return None;
        }
        let Some(since_s) = self.since_s else {
            self.restart(now_s);
            return None;
        };
        self.acked += amount;
        let elapsed = now_s - since_s;
        let due = match self.every {
            Every::Interval(seconds) => elapsed >= seconds,
            Every::Amount(amount) => self.acked >= amount && elapsed > 0.0,
        };
        if due {
            self.sample(now_s, self.acked / elapsed)
        } else {
            None
        }
    }

    fn sample(&mut self, now_s: f64, quotient: f64) -> Option<f64> {
        self.restart(now_s);
        // Amounts near the limits of numbers, or over next to no time, overflow.
        if !quotient.is_finite() {
            return None;
        }
        self.average.update(quotient);
        self.unsmoothed = Some(quotient);
        self.average.value()
    }

    /// The newest sample f(t); `None` before the first.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        self.average.value()
    }

    /// The quotient acked / (t - t0) of the newest sample, before it is smoothed.
    pub fn unsmoothed(&self) -> Option<f64> {
        self.unsmoothed
    }

    /// When a sample is due.
    pub fn every(&self) -> Every {
        self.every
    }

    /// Samples by time from now on, once this `interval` has passed since the last sample: a sender whose interval is in round
    /// trips calls this as its round-trip time changes.
    ///
    /// # Errors
    /// An interval that is not above 0; the sampler then stays as it was.
    #[inline]
    pub fn set_interval(&mut self, interval: impl Into<Seconds>) -> Result<(), ConfigError> {
        self.set_every(Every::Interval(interval.into().get()))
    }

    /// Samples by another rule from now on. What was acknowledged since the last sample counts on.
    ///
    /// # Errors
    /// An interval or amount that is not above 0; the sampler then stays as it was.
    #[inline]
    pub fn set_every(&mut self, every: Every) -> Result<(), ConfigError> {
        every.check()?;
        self.every = every;
        Ok(())
    }

    /// Counts anew from `now` on, and keeps f: at the start of a transfer, or after the sender was idle.
    pub fn restart(&mut self, now: impl Into<Seconds>) {
        self.since_s = Some(now.into().get()).filter(|&now_s| is_finite(now_s));
        self.acked = 0.0;
    }

    /// Forgets every ACK.
    pub fn reset(&mut self) {
        self.average.reset();
        self.since_s = None;
        self.acked = 0.0;
        self.unsmoothed = None;
    }
}

#[cfg(test)]
mod tests;
