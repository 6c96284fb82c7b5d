//! Sums over an estimation interval, and the estimate that they make.
//!
//! Zhao 2004 aggregates "several of these estimates" without saying how. Here the share of an interval is one
//! minus the ratio of two sums, of `z0` and of `z + D`: the mean of the single ratios would be too low, since a
//! count of arrivals fluctuates and stands in the denominator.

use super::estimate::Estimate;
use super::flags::Flags;
use super::sample::Sample;
use super::settings::Settings;

/// Accepted packets over what the link can send, below which the port is not congested.
const BUSY: f64 = 0.95;

/// Part of the samples without a queue, from which the interval counts as having an empty one.
const OFTEN_EMPTY: f64 = 0.1;

/// A queue shorter than this, in packets, is empty.
const EMPTY: f64 = 0.5;

/// Input at the end of an interval.
pub(super) struct Closing {
    pub n_s: f64,
    pub z0_se: Option<f64>,
    pub excitation: f64,
    pub flags: Flags,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Interval {
    length: u32,
    capacity_of_sample: f64,
    sums: Sums,
}

#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Sums {
    samples: u32,
    usable: u32,
    empty: u32,
    rtt_s: f64,
    z0: f64,
    offered: f64,
    arrivals: f64,
    drops: f64,
    signals: f64,
    flags: Flags,
}

impl Interval {
    pub fn new(settings: &Settings) -> Interval {
        Interval {
            length: settings.estimation_samples,
            capacity_of_sample: settings.capacity_pps * settings.sampling_s,
            sums: Sums::default(),
        }
    }

    /// Adds a usable sample: `z0` and `offered` packets in a round trip of `rtt_s` seconds.
    #[inline]
    pub fn add(&mut self, sample: &Sample, rtt_s: f64, offered: f64, z0: f64, flags: Flags) {
        let sums = &mut self.sums;
        sums.samples += 1;
        sums.usable += 1;
        sums.empty += u32::from(sample.backlog < EMPTY);
        sums.rtt_s += rtt_s;
        sums.z0 += z0;
        sums.offered += offered;
        sums.arrivals += sample.arrivals;
        sums.drops += sample.drops;
        sums.signals += sample.signals();
        sums.flags |= flags;
    }

    /// Counts a sampling interval whose sample cannot be used.
    pub fn skip(&mut self) {
        self.sums.samples += 1;
        self.sums.flags |= Flags::BAD_SAMPLE;
    }

    /// Returns whether the interval has all of its samples.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.sums.samples >= self.length
    }

    /// The estimate of the interval, and a new interval.
    pub fn close(&mut self, closing: &Closing) -> Estimate {
        let sums = core::mem::take(&mut self.sums);
        let usable = f64::from(sums.usable.max(1));
        let share = (sums.offered > 0.0).then(|| 1.0 - sums.z0 / sums.offered);
        let outside = share.is_some_and(|share| !(0.0..=1.0).contains(&share));
        let flags = sums.flags | closing.flags | self.findings(&sums) | Flags::OUT_OF_RANGE.when(outside);
        Estimate {
            share: share.map(|share| share.clamp(0.0, 1.0)),
            share_se: share
                .and(closing.z0_se)
                .map(|se| se * usable / sums.offered)
                .filter(|se| se.is_finite()),
            n_s: closing.n_s,
            z0: sums.z0 / usable,
            rtt_s: sums.rtt_s / usable,
            arrivals: sums.arrivals,
            excitation: closing.excitation,
            flags,
        }
    }

    fn findings(&self, sums: &Sums) -> Flags {
        let usable = f64::from(sums.usable);
        let accepted = sums.arrivals - sums.drops;
        Flags::EMPTY_QUEUE.when(f64::from(sums.empty) >= OFTEN_EMPTY * usable)
            | Flags::NOT_CONGESTED.when(accepted < BUSY * self.capacity_of_sample * usable)
            | Flags::NO_DROPS.when(sums.signals == 0.0)
    }
}
