//! Settings of the estimator in the kernel: as an operator gives them, and as the arithmetic wants them.

use super::super::fixed::{div_round, Fixed, ONE};
use super::super::settings::Form;

/// Configuration that `tc` hands to the kernel. Values said to be scaled are times 2^14.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Config {
    /// Rate of the link in bytes/s: 1000 to 2^40.
    pub bandwidth: u64,
    /// Mean packet in bytes: 1 to 65535.
    pub avpkt: u32,
    /// Delay one way without this queue in microseconds: 5 to 5e8.
    pub delay: u32,
    /// R0 in microseconds, 10 to 1e9; 0 when it follows the queue.
    pub rtt: u32,
    /// Microseconds between samples; 0 is a third of a round trip.
    pub sampling: u32,
    /// Sampling intervals to an estimate: 1 to 65535.
    pub interval: u32,
    /// Microseconds that a tick of the clock lasts; 0 is as fine as it is.
    pub clock: u32,
    /// One hop or several; [`Form::Cbr`] is refused.
    pub form: Form,
    /// True if drops are counted in the queue's balance (2.18).
    pub count_drops: bool,
    /// gamma1 of eq. 2.16, scaled.
    pub gamma1: u32,
    /// gamma2 of eq. 2.16, scaled: above 0, below 2.
    pub gamma2: u32,
    /// Forgetting factor of the queue length, scaled, below 1; the following ones likewise.
    pub backlog_alpha: u32,
    /// Gain of the filter of the drop probability.
    pub signal_alpha: u32,
    /// Gain of the filter of the drops l(t).
    pub drop_alpha: u32,
    /// Forgetting factor of z0 and z + D from one estimation interval to the next, for the average.
    pub average_alpha: u32,
    /// After how many quiet sampling intervals z is extrapolated (2.17); 0 is never.
    pub pzthd: u32,
    /// After how many quiet sampling intervals the estimator sleeps; 0 is never.
    pub off: u32,
    /// Start value of N_s, scaled; 0 takes it from `start_load`, in windows of 6.3 packets.
    pub start_flows: u64,
    /// Start value of z0 in packets a round trip, scaled; 0 is half of the capacity.
    pub start_load: u64,
    /// Start value of the mean drop probability at other hops, scaled.
    pub start_elsewhere: u32,
}

/// The field of a [`Config`] that is out of range; in C the number of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Fault {
    Bandwidth = 1,
    Avpkt,
    Delay,
    Rtt,
    Clock,
    Sampling,
    Interval,
    Form,
    Gamma1,
    Gamma2,
    Alpha,
    Start,
}

/// Whole numbers that the estimator works with; rates and times scaled.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in super::super) struct Settings {
    pub mean_packet_bytes: i64,
    /// Least time between samples.
    pub sampling_us: i64,
    /// C in packets/s.
    pub capacity: i64,
    /// Tp in ms.
    pub propagation: i64,
    /// R0 in ms.
    pub rtt: Option<i64>,
    pub gamma1: i64,
    pub gamma2: i64,
    pub backlog_alpha: i64,
    pub signal_alpha: i64,
    pub drop_alpha: i64,
    pub average_alpha: i64,
    pub beta: [i64; 3],
    pub zero_drops_after: u32,
    pub sleep_after: u32,
    pub estimation_samples: u32,
    /// Samples until filters and differences are filled.
    pub until_filled: u32,
    pub multi_hop: bool,
    pub count_drops: bool,
}

impl Config {
    /// Settings as the document prints them (II.B, III.A, III.C), for a link of `bandwidth` bytes/s, packets
    /// of `avpkt` bytes and a delay of `delay` microseconds one way.
    pub fn new(bandwidth: u64, avpkt: u32, delay: u32) -> Config {
        Config {
            bandwidth,
            avpkt,
            delay,
            rtt: 0,
            sampling: 0,
            interval: 21,
            clock: 0,
            form: Form::Basic,
            count_drops: false,
            gamma1: 5 << 14,
            gamma2: 7373,
            backlog_alpha: 3768,
            signal_alpha: 13_107,
            drop_alpha: 9830,
            average_alpha: 15_974,
            pzthd: 3,
            off: 210,
            start_flows: 0,
            start_load: 0,
            start_elsewhere: 164,
        }
    }

    fn check(&self) -> Result<(), Fault> {
        let one = ONE as u32;
        let alphas = [self.backlog_alpha, self.signal_alpha, self.drop_alpha, self.average_alpha];
        let starts = self.start_flows <= 1 << 44 && self.start_load <= 1 << 44 && self.start_elsewhere <= one;
        let fits = [
            ((1000..=1 << 40).contains(&self.bandwidth), Fault::Bandwidth),
            ((1..=65_535).contains(&self.avpkt), Fault::Avpkt),
            (self.delay <= 500_000_000 && (self.delay >= 5 || self.rtt > 0), Fault::Delay),
            (self.rtt == 0 || (10..=1_000_000_000).contains(&self.rtt), Fault::Rtt),
            (self.clock <= 1_000_000, Fault::Clock),
            (self.sampling <= 1_000_000_000, Fault::Sampling),
            ((1..=65_535).contains(&self.interval), Fault::Interval),
            (self.form != Form::Cbr, Fault::Form),
            (self.gamma1 <= 1 << 31, Fault::Gamma1),
            ((1..2 * one).contains(&self.gamma2), Fault::Gamma2),
            (alphas.iter().all(|&alpha| alpha < one), Fault::Alpha),
            (starts, Fault::Start),
        ];
        fits.iter().find(|(fits, _)| !fits).map_or(Ok(()), |&(_, fault)| Err(fault))
    }

    /// The settings of this configuration; the first field that is out of range is the error.
    pub(super) fn resolve(&self) -> Result<Settings, Fault> {
        self.check()?;
        let round_trip = if self.rtt > 0 { i64::from(self.rtt) } else { 2 * i64::from(self.delay) };
        let sampling_us = self.sampling(round_trip).ok_or(Fault::Sampling)?;
        let capacity = div_round(self.bandwidth as i64 * ONE, i64::from(self.avpkt));
        let scaled_ms = |us: i64| div_round(us * ONE, 1000);
        let memory = memory(self.backlog_alpha.max(self.signal_alpha));
        let filled = memory + (round_trip / sampling_us) as u32 + 2;
        let drops_filled = if self.count_drops { self::memory(self.drop_alpha) + 2 } else { 0 };
        Ok(Settings {
            mean_packet_bytes: i64::from(self.avpkt),
            sampling_us,
            capacity,
            propagation: scaled_ms(2 * i64::from(self.delay)),
            rtt: (self.rtt > 0).then(|| scaled_ms(i64::from(self.rtt))),
            gamma1: i64::from(self.gamma1),
            gamma2: i64::from(self.gamma2),
            backlog_alpha: i64::from(self.backlog_alpha),
            signal_alpha: i64::from(self.signal_alpha),
            drop_alpha: i64::from(self.drop_alpha),
            average_alpha: i64::from(self.average_alpha),
            beta: self.start(capacity, round_trip)?,
            zero_drops_after: unless_zero(self.pzthd),
            sleep_after: unless_zero(self.off),
            estimation_samples: self.interval,
            until_filled: filled.max(drops_filled),
            multi_hop: self.form == Form::MultiHop,
            count_drops: self.count_drops,
        })
    }

    /// Time between samples, in whole ticks; `None` where that does not fit a round trip.
    fn sampling(&self, round_trip: i64) -> Option<i64> {
        let clock = i64::from(self.clock);
        let mut sampling = if self.sampling > 0 { i64::from(self.sampling) } else { (round_trip / 3).max(1) };
        if clock > 0 {
            sampling = (sampling + clock - 1) / clock * clock;
        }
        (sampling <= round_trip && sampling * 100 >= round_trip).then_some(sampling)
    }

    /// Start values of N_s, z0^2 / N_s and z0^2 S_P / N_s^2.
    fn start(&self, capacity: i64, round_trip: i64) -> Result<[i64; 3], Fault> {
        let mut fixed = Fixed::default();
        let half = fixed.scale(capacity, round_trip, 2_000_000);
        let load = if self.start_load > 0 { self.start_load as i64 } else { half };
        let few = fixed.scale(load, 1000, 6325);
        let flows = if self.start_flows > 0 { self.start_flows as i64 } else { few }.max(1);
        let window = fixed.div(load, flows);
        let second = fixed.mul(load, window);
        let third = fixed.mul(second, i64::from(self.start_elsewhere));
        if fixed.saturated {
            return Err(Fault::Start);
        }
        Ok([flows, second, third])
    }
}

fn unless_zero(samples: u32) -> u32 {
    if samples > 0 {
        samples
    } else {
        u32::MAX
    }
}

/// Samples until less than a hundredth of a filter's first value is left.
fn memory(alpha: u32) -> u32 {
    let (alpha, mut left, mut samples) = (i64::from(alpha), ONE, 0);
    while left > ONE / 100 && alpha > 0 {
        left = (left * alpha) >> 14;
        samples += 1;
    }
    samples
}
