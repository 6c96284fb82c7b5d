//! The basic estimator in whole numbers with a clock that ticks (Zhao 2004, chapter III).
//!
//! It is [`Estmred`] for those who read a port's counters at each tick and know their settings as numbers with a
//! point: a sampling interval ends with the first tick at which the time set has passed.
#![deny(clippy::float_arithmetic)]

use crate::error::ConfigError;

use super::byte_sample::ByteSample;
use super::estimate::Estimate;
use super::estmred::Estmred;
use super::fixed::ONE;
use super::fixed_settings::{whole, Ticks};
use super::flags::Flags;
use super::settings::Settings;

/// An [`Estimate`] in whole numbers; those said to be scaled are times 2^14.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedEstimate {
    /// Share of arriving bytes that does not respond, scaled; `None` when nothing arrived.
    pub share: Option<i64>,
    /// Number of responsive flows, scaled.
    pub n_s: i64,
    /// Packets of responsive flows in a round trip, scaled: mean over the interval.
    pub z0: i64,
    /// Round-trip time in milliseconds, scaled: mean over the interval.
    pub rtt_ms: i64,
    /// Bytes that arrived in the interval.
    pub arrived: u64,
    /// `Var p / E[p^2]` over the interval, scaled.
    pub excitation: i64,
    /// Reasons to doubt.
    pub flags: Flags,
}

/// Estimates the share of non-responsive traffic at a port without floating-point arithmetic.
///
/// # Examples
///
/// ```
/// use parshall_estimators::nonresponsive::{ByteSample, FixedPointEstimator, Settings};
///
/// // As loaded by tc: 28 Mbit/s, packets of 1000 bytes, a round trip of 100 ms, a tick each 10 ms.
/// let settings = Settings { estimation_samples: 1, ..Settings::new(3500.0, 0.1, 0.033) };
/// let mut estimator = FixedPointEstimator::new(&settings, 1000, 10)?;
/// let sample = ByteSample { backlog: 20_000, arrived: 36_000, dropped: 1000, marked: 0 };
/// let estimates = [1, 2, 3, 4].map(|tick| estimator.update(tick, &sample));
/// // 33 ms have passed with the fourth tick.
/// assert_eq!(estimates[..3], [None; 3]);
/// assert!(estimates[3].unwrap().share.unwrap() > (1 << 14) / 3);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FixedPointEstimator {
    ticks: Ticks,
    estmred: Estmred,
}

impl FixedPointEstimator {
    /// An estimator for packets of `mean_packet_bytes` whose clock ticks every `tick_ms` milliseconds (10 in the
    /// document). `settings` must be those of the basic form by Kaczmarz projection.
    pub fn new(settings: &Settings, mean_packet_bytes: u32, tick_ms: u32) -> Result<Self, ConfigError> {
        let (settings, ticks) = whole(settings, mean_packet_bytes, tick_ms)?;
        Ok(FixedPointEstimator { ticks, estmred: Estmred::begin(settings) })
    }

    /// Takes in what happened since the last call; `tick` is the clock, which counts up from any number. The
    /// estimate, when it ends an estimation interval.
    pub fn update(&mut self, tick: u64, sample: &ByteSample) -> Option<FixedEstimate> {
        // The first call covers the tick that ends with it.
        let first = *self.ticks.first.get_or_insert(tick.saturating_sub(1));
        let since = tick.saturating_sub(first).saturating_mul(self.ticks.us);
        self.estmred.begin_interval(0);
        self.estmred.take(since, sample).then(|| self.last())
    }

    fn last(&self) -> FixedEstimate {
        let estimate = self.estmred.estimate();
        FixedEstimate {
            share: estimate.share,
            n_s: estimate.n_s,
            z0: estimate.z0,
            rtt_ms: estimate.rtt_ms,
            arrived: estimate.arrived,
            excitation: estimate.excitation,
            flags: estimate.flags,
        }
    }

    /// The parameters now, scaled: N_s and z0^2 / N_s.
    pub fn parameters(&self) -> [i64; 2] {
        let [n_s, other, _] = self.estmred.parameters();
        [n_s, other]
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        self.ticks.first = None;
        self.estmred = Estmred::begin(self.estmred.settings().clone());
    }
}

/// The user-space side reads an estimate and turns it into numbers.
#[allow(clippy::float_arithmetic)]
impl FixedEstimate {
    /// The estimate in floating-point numbers, arrivals in packets of `mean_packet_bytes`.
    pub fn to_estimate(&self, mean_packet_bytes: u32) -> Estimate {
        let real = |x: i64| x as f64 / ONE as f64;
        Estimate {
            share: self.share.map(real),
            share_se: None,
            n_s: real(self.n_s),
            z0: real(self.z0),
            rtt_s: real(self.rtt_ms) / 1000.0,
            arrivals: self.arrived as f64 / f64::from(mean_packet_bytes),
            excitation: real(self.excitation),
            flags: self.flags,
        }
    }
}
