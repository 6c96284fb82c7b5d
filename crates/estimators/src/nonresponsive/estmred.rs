//! The estimator of a Linux queue discipline, in whole numbers (Zhao 2004, chapter III).
//!
//! It is the estimator of eq. 2.14 to 2.17, or of eq. 2.23, in other clothes: numbers are scaled by 2^14
//! (`fixed.rs`), inputs are bytes and become packets first. It is called for each packet that arrives. A sampling
//! interval ends with the first packet at which the time set has passed; the time that really passed is what
//! differences are divided by. Time is in microseconds, round-trip times are kept in milliseconds, rates in packets
//! per second.
//!
//! `linux/qdisc/estmred_core.h` is the same in C, function by function; a test feeds both with the same samples and
//! compares bit by bit.
#![deny(clippy::float_arithmetic)]

mod config;
mod signals;
mod sums;

pub(super) use config::Settings;
pub use config::{Config, Fault};

use super::byte_sample::ByteSample;
use super::fixed::{div_round, round_shift, Fixed, ONE, SCALE};
use super::flags::Flags;
use signals::{blend_or_first, Dynamics, Signals};
use sums::Sums;

/// More bytes than any port counts between two calls; what is above is taken for a fault.
const MOST_BYTES: u64 = 1 << 46;
const MOST_SUM: u64 = 1 << 62;
const MOST_CALLS: u64 = 1 << 32;
const MOST_US: u64 = 1 << 40;

/// The last estimation interval; numbers said to be scaled are times 2^14.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EstmredEstimate {
    /// Share of arriving bytes that does not respond, scaled; `None` when nothing arrived.
    pub share: Option<i64>,
    /// Share by the intervals' mean z0 and z + D, filtered by `average_alpha` from one to the next.
    pub average: Option<i64>,
    /// Number of responsive flows, scaled.
    pub n_s: i64,
    /// Packets of responsive flows in a round trip, scaled: mean over the interval.
    pub z0: i64,
    /// Round-trip time in milliseconds, scaled: mean over the interval.
    pub rtt_ms: i64,
    /// `Var p / E[p^2]` over the interval, scaled.
    pub excitation: i64,
    /// Bytes that arrived in the interval.
    pub arrived: u64,
    /// Reasons to doubt.
    pub flags: Flags,
}

/// The estimator that `linux/qdisc` runs in the kernel, with equal bits.
///
/// # Examples
///
/// ```
/// use parshall_estimators::nonresponsive::{ByteSample, Estmred, EstmredConfig};
///
/// // As tc loads it: 28 Mbit/s, packets of 1000 bytes, 50 ms each way; here with an estimate each 33 ms.
/// let config = EstmredConfig { interval: 1, ..EstmredConfig::new(3_500_000, 1000, 50_000) };
/// let mut estmred = Estmred::new(&config).expect("settings within their ranges");
/// let packet = ByteSample { backlog: 20_000, arrived: 1000, dropped: 0, marked: 0 };
/// let ended = (0..200).filter(|i| estmred.take(i * 250, &packet)).count();
/// assert_eq!(ended, 1);
/// assert!(estmred.estimate().share.is_some());
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Estmred {
    settings: Settings,
    fixed: Fixed,
    partial: Partial,
    signals: Signals,
    sums: Sums,
    average: Option<Average>,
    estimate: EstmredEstimate,
    beta: [i64; 3],
    extrapolated: Option<i64>,
    asleep: bool,
    estimates: u64,
    sleeps: u64,
}

/// The sampling interval under way.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Partial {
    began_us: Option<u64>,
    calls: u64,
    backlog: u64,
    arrived: u64,
    dropped: u64,
    marked: u64,
    bad: bool,
}

/// z0 and z + D in packets, filtered from one estimation interval to the next.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Average {
    z0: i64,
    offered: i64,
}

impl Estmred {
    /// An estimator at its start values; the first field of `config` that is out of range is the error.
    pub fn new(config: &Config) -> Result<Estmred, Fault> {
        Ok(Estmred::begin(config.resolve()?))
    }

    pub(super) fn begin(settings: Settings) -> Estmred {
        Estmred {
            fixed: Fixed::default(),
            partial: Partial::default(),
            signals: Signals::new(settings.until_filled),
            sums: Sums::default(),
            average: None,
            estimate: EstmredEstimate::default(),
            beta: settings.beta,
            extrapolated: None,
            asleep: false,
            estimates: 0,
            sleeps: 0,
            settings,
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Lets the first sampling interval begin at `now_us`, before the first call.
    pub(super) fn begin_interval(&mut self, now_us: u64) {
        self.partial.began_us.get_or_insert(now_us);
    }

    /// Takes in what happened since the last call, at a time in microseconds that does not go back. True when it
    /// ended an estimation interval, which [`estimate`](Self::estimate) then tells of.
    pub fn take(&mut self, now_us: u64, sample: &ByteSample) -> bool {
        if self.sleeps_on(sample) {
            return false;
        }
        let began = *self.partial.began_us.get_or_insert(now_us);
        self.partial.collect(sample);
        let us = now_us.saturating_sub(began);
        if us < self.settings.sampling_us as u64 {
            return false;
        }
        let next = Partial { began_us: Some(now_us), ..Partial::default() };
        let ended = core::mem::replace(&mut self.partial, next);
        self.end_sample(&ended, us.min(MOST_US) as i64);
        if self.signals.quiet >= self.settings.sleep_after {
            self.fall_asleep();
            return false;
        }
        if self.sums.samples < self.settings.estimation_samples {
            return false;
        }
        self.close();
        true
    }

    /// Estimate of the last estimation interval.
    pub fn estimate(&self) -> &EstmredEstimate {
        &self.estimate
    }

    /// The parameters now, scaled: N_s, z0^2 / N_s and, with eq. 2.23, z0^2 S_P / N_s^2.
    pub fn parameters(&self) -> [i64; 3] {
        self.beta
    }

    /// Estimation intervals that have ended.
    pub fn estimates(&self) -> u64 {
        self.estimates
    }

    /// Number of times that it fell asleep for want of drops and marks.
    pub fn sleeps(&self) -> u64 {
        self.sleeps
    }

    /// Returns whether the estimator waits for the next drop or mark.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Without drops for long there is nothing to estimate: what was measured is forgotten, the parameters are
    /// kept, and packets cost nothing until the next drop or mark.
    fn fall_asleep(&mut self) {
        self.asleep = true;
        self.sleeps += 1;
        self.partial = Partial::default();
        self.signals = Signals::new(self.settings.until_filled);
        self.sums = Sums::default();
        self.average = None;
        self.extrapolated = None;
    }

    fn sleeps_on(&mut self, sample: &ByteSample) -> bool {
        self.asleep = self.asleep && sample.dropped == 0 && sample.marked == 0;
        self.asleep
    }

    fn end_sample(&mut self, ended: &Partial, us: i64) {
        self.sums.samples += 1;
        if ended.bad {
            self.sums.flags |= Flags::BAD_SAMPLE;
            self.signals.skip();
            return;
        }
        let (fixed, settings) = (&mut self.fixed, &self.settings);
        self.signals.until_filled = self.signals.until_filled.saturating_sub(1);
        let bytes = div_round(ended.backlog as i64, ended.calls as i64);
        let packets = div_round(bytes << SCALE, settings.mean_packet_bytes);
        let lost = self.signals.filter_drops(fixed, settings, ended.dropped);
        let q = self.signals.filter_backlog(fixed, settings.backlog_alpha, packets);
        let wait_ms = fixed.div(q.saturating_mul(1000), settings.capacity);
        let current_rtt = fixed.add(wait_ms, settings.propagation).max(1);
        let rtt = settings.rtt.unwrap_or(current_rtt);
        let per_ms = fixed.scale(lost, 1000, us);
        let lost = fixed.mul(per_ms, current_rtt);
        self.signals.push_signals(fixed, settings.signal_alpha, ended.arrived, ended.dropped + ended.marked);
        let dynamics = self.signals.dynamics(fixed, settings, (q, lost), (current_rtt, rtt), us);
        let z0 = self.follow(dynamics.as_ref(), rtt, us);
        self.add(ended, packets, rtt, z0, us);
    }

    /// A step of eq. 2.16, or of 2.17 in the absence of drops; z0 after it.
    fn follow(&mut self, dynamics: Option<&Dynamics>, rtt: i64, us: i64) -> i64 {
        let Some(dynamics) = dynamics else {
            self.sums.flags |= Flags::WARMING_UP;
            return self.extrapolated.unwrap_or_else(|| self.load());
        };
        if dynamics.quiet >= self.settings.zero_drops_after {
            return self.extrapolate(dynamics.growth, us);
        }
        self.extrapolated = None;
        self.project(dynamics, rtt);
        self.load()
    }

    /// `beta += e gamma2 W / (gamma1 + W^T W)`; divided last, so that the small step keeps its digits.
    fn project(&mut self, dynamics: &Dynamics, rtt: i64) {
        let fixed = &mut self.fixed;
        let first = fixed.div(1000 * ONE, rtt);
        let second = -round_shift(fixed.mul(dynamics.p, first), 1);
        let regressor = [first, second, -round_shift(first, 1)];
        let unknowns = if self.settings.multi_hop { 3 } else { 2 };
        let mut error = dynamics.growth;
        let mut norm = self.settings.gamma1;
        for (w, beta) in regressor.iter().zip(self.beta).take(unknowns) {
            let part = fixed.mul(*w, beta);
            error = fixed.sub(error, part);
            let square = fixed.mul(*w, *w);
            norm = fixed.add(norm, square);
        }
        let gained = fixed.mul(error, self.settings.gamma2);
        for (w, beta) in regressor.iter().zip(&mut self.beta).take(unknowns) {
            let step = fixed.mul(gained, *w);
            let step = fixed.div(step, norm);
            *beta = fixed.add(*beta, step);
        }
        self.sums.regress(dynamics.p);
    }

    fn extrapolate(&mut self, growth: i64, us: i64) -> i64 {
        let last = self.extrapolated.unwrap_or_else(|| self.load());
        let grown = self.fixed.scale(growth, us, 1_000_000);
        let next = self.fixed.add(last, grown);
        self.sums.flags |= Flags::EXTRAPOLATED | Flags::OUT_OF_RANGE.when(next < 0);
        self.extrapolated = Some(next.max(0));
        next.max(0)
    }

    /// z0 = sqrt(beta0 beta1); 0 where that has no meaning.
    fn load(&mut self) -> i64 {
        let [n_s, other, _] = self.beta;
        let meaningful = n_s > 0 && other > 0;
        self.sums.flags |= Flags::OUT_OF_RANGE.when(!meaningful);
        if meaningful {
            self.fixed.geometric_mean(n_s, other)
        } else {
            0
        }
    }

    fn add(&mut self, ended: &Partial, packets: i64, rtt: i64, z0: i64, us: i64) {
        let fixed = &mut self.fixed;
        let offered = fixed.scale(rtt, ended.arrived as i64 * 1000, us);
        self.sums.add(fixed, ended, packets, (rtt, z0, offered), us);
        self.sums.flags |= Flags::WARMING_UP.when(self.signals.until_filled > 0);
    }

    /// Filters an estimation interval's mean z0 and z + D into the average: about 200 intervals, 140 s with the
    /// document's settings, until what was before is forgotten (III.C).
    fn weigh(&mut self, z0: i64, offered: i64) {
        let (fixed, alpha, before) = (&mut self.fixed, self.settings.average_alpha, self.average);
        self.average = Some(Average {
            z0: blend_or_first(fixed, alpha, before.map(|a| a.z0), z0),
            offered: blend_or_first(fixed, alpha, before.map(|a| a.offered), offered),
        });
    }

    fn close(&mut self) {
        let sums = core::mem::take(&mut self.sums);
        let usable = sums.usable.max(1);
        let offered = div_round(sums.offered, self.settings.mean_packet_bytes);
        let z0 = div_round(sums.z0, usable);
        if sums.usable > 0 {
            self.weigh(z0, div_round(offered, usable));
        }
        let fixed = &mut self.fixed;
        let (share, outside) = share(fixed, sums.z0, offered);
        let average = self.average.and_then(|average| share_of(fixed, average));
        let excitation = sums.excitation(fixed);
        self.estimate = EstmredEstimate {
            share,
            average,
            n_s: self.beta[0],
            z0,
            rtt_ms: div_round(sums.rtt, usable),
            excitation,
            arrived: sums.arrived,
            flags: sums.flags
                | sums.findings(&self.settings)
                | Flags::OUT_OF_RANGE.when(outside)
                | Flags::LOW_EXCITATION.when(excitation < ONE / 100)
                | Flags::SATURATED.when(core::mem::take(&mut fixed.saturated)),
        };
        self.estimates += 1;
    }
}

/// `1 - z0 / (z + D)` from 0 to 1, and whether it was outside.
fn share(fixed: &mut Fixed, z0: i64, offered: i64) -> (Option<i64>, bool) {
    if offered <= 0 {
        return (None, false);
    }
    let share = ONE.saturating_sub(fixed.div(z0, offered));
    (Some(share.clamp(0, ONE)), share < 0)
}

fn share_of(fixed: &mut Fixed, average: Average) -> Option<i64> {
    share(fixed, average.z0, average.offered).0
}

impl Partial {
    fn collect(&mut self, sample: &ByteSample) {
        let most = sample.backlog.max(sample.arrived).max(sample.dropped).max(sample.marked);
        self.calls += 1;
        if self.bad || most > MOST_BYTES || self.calls > MOST_CALLS {
            self.bad = true;
            return;
        }
        self.backlog += sample.backlog;
        self.arrived += sample.arrived;
        self.dropped += sample.dropped;
        self.marked += sample.marked;
        let counted = self.arrived.max(self.dropped).max(self.marked);
        self.bad = counted > MOST_BYTES || self.backlog > MOST_SUM;
    }
}
