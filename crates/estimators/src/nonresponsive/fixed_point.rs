//! The basic estimator in whole numbers, as a kernel can run it (Zhao 2004, chapter III).
//!
//! It is the estimator of eq. 2.14 to 2.17 in other clothes: numbers are scaled by 2^14 (`fixed.rs`), inputs are
//! bytes and become packets first, the clock ticks every 10 ms. A sampling interval ends with the first tick at
//! which the time set has passed; the time that really passed, a whole number of ticks, is what differences are
//! divided by. Round-trip times are kept in milliseconds, rates in packets per second.
#![deny(clippy::float_arithmetic)]

use crate::error::ConfigError;

use super::estimate::Estimate;
use super::fixed::{div_round, round_shift, Fixed, ONE, SCALE};
use super::fixed_settings::FixedSettings;
use super::flags::Flags;
use super::settings::Settings;

/// Slots of the delay line.
const SLOTS: usize = 128;

/// More bytes than any port counts between two ticks; what is above is taken for a fault.
const MOST_BYTES: u64 = 1 << 46;

/// What the port did since the last call, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSample {
    /// Queue length now.
    pub backlog: u64,
    /// Bytes that arrived, dropped ones included.
    pub arrived: u64,
    /// Bytes that the queue dropped.
    pub dropped: u64,
    /// Bytes that the queue marked (ECN).
    pub marked: u64,
}

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
pub struct FixedPointEstimator {
    settings: FixedSettings,
    fixed: Fixed,
    partial: Partial,
    signals: SignalState,
    beta: [i64; 2],
    extrapolated: Option<i64>,
    sums: Sums,
}

/// The sampling interval under way.
#[derive(Clone, Copy, Debug, Default)]
struct Partial {
    /// `None` before the first call ever, which covers the tick that ends with it.
    began: Option<u64>,
    calls: u64,
    backlog: u64,
    arrived: u64,
    dropped: u64,
    marked: u64,
    bad: bool,
}

/// Filters, differences, and the delay line.
#[derive(Clone, Debug)]
struct SignalState {
    backlog: Option<i64>,
    probability: Option<i64>,
    before: Option<i64>,
    rate: Option<i64>,
    quiet: u32,
    slots: [(i64, u32); SLOTS],
    written: usize,
    until_filled: u32,
}

/// The estimation interval under way.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    samples: u32,
    usable: i64,
    empty: i64,
    ms: i64,
    z0: i64,
    /// Bytes in a round trip, z + D; the others are packets.
    offered: i64,
    rtt_ms: i64,
    arrived: u64,
    accepted: u64,
    signals: u64,
    regressions: i64,
    p: i64,
    p_squared: i64,
    flags: Flags,
}

/// What a sampling interval measured, scaled: chi in packets/s, the delayed p, how long it has been quiet.
struct Dynamics {
    chi: i64,
    delayed_p: i64,
    quiet: u32,
}

impl FixedPointEstimator {
    /// An estimator for packets of `mean_packet_bytes` whose clock ticks every `tick_ms` milliseconds (10 in the
    /// document). `settings` must be those of the basic form by Kaczmarz projection.
    pub fn new(settings: &Settings, mean_packet_bytes: u32, tick_ms: u32) -> Result<Self, ConfigError> {
        let settings = FixedSettings::new(settings, mean_packet_bytes, tick_ms)?;
        let mut estimator = FixedPointEstimator {
            fixed: Fixed::default(),
            partial: Partial::default(),
            signals: SignalState::new(0),
            beta: settings.beta,
            extrapolated: None,
            sums: Sums::default(),
            settings,
        };
        estimator.reset();
        Ok(estimator)
    }

    /// Takes in what happened since the last call; `tick` is the clock, which counts up from any number. The
    /// estimate, when it ends an estimation interval.
    pub fn update(&mut self, tick: u64, sample: &ByteSample) -> Option<FixedEstimate> {
        let began = *self.partial.began.get_or_insert(tick.saturating_sub(1));
        self.partial.add(sample);
        let elapsed = tick.saturating_sub(began);
        if elapsed < self.settings.sampling_ticks {
            return None;
        }
        let ended = std::mem::replace(&mut self.partial, Partial { began: Some(tick), ..Partial::default() });
        self.end_sample(&ended, elapsed.min(1 << 30) as i64 * self.settings.tick_ms);
        (self.sums.samples >= self.settings.estimation_samples).then(|| self.close())
    }

    /// The parameters now, scaled: N_s and z0^2 / N_s.
    pub fn parameters(&self) -> [i64; 2] {
        self.beta
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        self.fixed = Fixed::default();
        self.partial = Partial::default();
        self.signals = SignalState::new(self.settings.until_filled);
        self.beta = self.settings.beta;
        self.extrapolated = None;
        self.sums = Sums::default();
    }

    fn end_sample(&mut self, ended: &Partial, ms: i64) {
        self.sums.samples += 1;
        if ended.bad {
            self.sums.flags |= Flags::BAD_SAMPLE;
            self.signals.skip();
            return;
        }
        self.signals.until_filled = self.signals.until_filled.saturating_sub(1);
        let bytes = div_round(ended.backlog as i64, ended.calls as i64);
        let packets = div_round(bytes << SCALE, self.settings.mean_packet_bytes);
        let q = self.signals.filter_backlog(&mut self.fixed, self.settings.backlog_alpha, packets);
        let wait_ms = self.fixed.div(q.saturating_mul(1000), self.settings.capacity);
        let current_rtt = self.fixed.add(wait_ms, self.settings.propagation).max(1);
        let rtt = self.settings.rtt.unwrap_or(current_rtt);
        let signals = ended.dropped + ended.marked;
        self.signals.push_signals(&mut self.fixed, self.settings.signal_alpha, ended.arrived, signals);
        let dynamics = self.dynamics(q, current_rtt, rtt, ms);
        let z0 = self.follow(dynamics.as_ref(), rtt, ms);
        self.add(ended, packets, rtt, z0, ms);
    }

    /// Eq. 2.14 with the differences of II.B; `None` until they and p(t - R0) exist.
    fn dynamics(&mut self, q: i64, current_rtt: i64, rtt: i64, ms: i64) -> Option<Dynamics> {
        let fixed = &mut self.fixed;
        let q_before = self.signals.before.replace(q);
        let rate_before = self.signals.rate.take();
        let change = fixed.sub(q, q_before?);
        let rate = fixed.scale(change, 1000, ms);
        self.signals.rate = Some(rate);
        let rate_change = fixed.sub(rate, rate_before?);
        let acceleration = fixed.scale(rate_change, 1000, ms);
        let inertia = fixed.mul(current_rtt, acceleration);
        let relative = fixed.div(rate, self.settings.capacity);
        let drift = fixed.mul(relative.saturating_add(ONE), rate);
        let chi = fixed.add(div_round(inertia, 1000), drift);
        let nominal_ms = self.settings.sampling_ticks as i64 * self.settings.tick_ms;
        let (delayed_p, quiet) = self.signals.delayed(div_round(rtt, nominal_ms << SCALE) as usize)?;
        Some(Dynamics { chi, delayed_p, quiet })
    }

    /// A step of eq. 2.16, or of 2.17 in the absence of drops; z0 after it.
    fn follow(&mut self, dynamics: Option<&Dynamics>, rtt: i64, ms: i64) -> i64 {
        let Some(dynamics) = dynamics else {
            self.sums.flags |= Flags::WARMING_UP;
            return self.extrapolated.unwrap_or_else(|| self.load());
        };
        if dynamics.quiet >= self.settings.zero_drops_after {
            return self.extrapolate(dynamics.chi, ms);
        }
        self.extrapolated = None;
        self.project(dynamics, rtt);
        self.load()
    }

    /// `beta += e gamma2 W / (gamma1 + W^T W)`; divided last, so that the small step keeps its digits.
    fn project(&mut self, dynamics: &Dynamics, rtt: i64) {
        let fixed = &mut self.fixed;
        let first = fixed.div(1000 * ONE, rtt);
        let second = -round_shift(fixed.mul(dynamics.delayed_p, first), 1);
        let regressor = [first, second];
        let mut error = dynamics.chi;
        let mut norm = self.settings.gamma1;
        for (w, beta) in regressor.iter().zip(self.beta) {
            let part = fixed.mul(*w, beta);
            error = fixed.sub(error, part);
            let square = fixed.mul(*w, *w);
            norm = fixed.add(norm, square);
        }
        let gained = fixed.mul(error, self.settings.gamma2);
        for (w, beta) in regressor.iter().zip(&mut self.beta) {
            let step = fixed.mul(gained, *w);
            let step = fixed.div(step, norm);
            *beta = fixed.add(*beta, step);
        }
        self.sums.regressions += 1;
        self.sums.p += dynamics.delayed_p;
        self.sums.p_squared += dynamics.delayed_p * dynamics.delayed_p;
    }

    fn extrapolate(&mut self, chi: i64, ms: i64) -> i64 {
        let last = self.extrapolated.unwrap_or_else(|| self.load());
        let grown = self.fixed.scale(chi, ms, 1000);
        let next = self.fixed.add(last, grown);
        self.sums.flags |= Flags::EXTRAPOLATED | Flags::OUT_OF_RANGE.when(next < 0);
        self.extrapolated = Some(next.max(0));
        next.max(0)
    }

    /// z0 = sqrt(beta0 beta1); 0 where that has no meaning.
    fn load(&mut self) -> i64 {
        let [n_s, other] = self.beta;
        let meaningful = n_s > 0 && other > 0;
        self.sums.flags |= Flags::OUT_OF_RANGE.when(!meaningful);
        if meaningful {
            self.fixed.geometric_mean(n_s, other)
        } else {
            0
        }
    }

    fn add(&mut self, ended: &Partial, packets: i64, rtt: i64, z0: i64, ms: i64) {
        let offered = self.fixed.scale(rtt, ended.arrived as i64, ms);
        let sums = &mut self.sums;
        sums.usable += 1;
        sums.empty += i64::from(packets < ONE / 2);
        sums.ms += ms;
        sums.z0 = self.fixed.add(sums.z0, z0);
        sums.offered = self.fixed.add(sums.offered, offered);
        sums.rtt_ms = self.fixed.add(sums.rtt_ms, rtt);
        sums.arrived += ended.arrived;
        sums.accepted += ended.arrived.saturating_sub(ended.dropped);
        sums.signals += ended.dropped + ended.marked;
        sums.flags |= Flags::WARMING_UP.when(self.signals.until_filled > 0);
    }

    fn close(&mut self) -> FixedEstimate {
        let sums = std::mem::take(&mut self.sums);
        let usable = sums.usable.max(1);
        let offered = div_round(sums.offered, self.settings.mean_packet_bytes);
        let share = (offered > 0).then(|| ONE.saturating_sub(self.fixed.div(sums.z0, offered)));
        let outside = share.is_some_and(|share| share < 0);
        let excitation = sums.excitation(&mut self.fixed);
        let flags = sums.flags
            | sums.findings(&self.settings)
            | Flags::LOW_EXCITATION.when(excitation < ONE / 100)
            | Flags::OUT_OF_RANGE.when(outside)
            | Flags::SATURATED.when(std::mem::take(&mut self.fixed.saturated));
        FixedEstimate {
            share: share.map(|share| share.clamp(0, ONE)),
            n_s: self.beta[0],
            z0: div_round(sums.z0, usable),
            rtt_ms: div_round(sums.rtt_ms, usable),
            arrived: sums.arrived,
            excitation,
            flags,
        }
    }
}

impl Partial {
    fn add(&mut self, sample: &ByteSample) {
        let fields = [sample.backlog, sample.arrived, sample.dropped, sample.marked];
        self.calls += 1;
        if self.bad || fields.iter().any(|&bytes| bytes > MOST_BYTES) || self.calls > 1 << 16 {
            self.bad = true;
            return;
        }
        self.backlog += sample.backlog;
        self.arrived += sample.arrived;
        self.dropped += sample.dropped;
        self.marked += sample.marked;
        self.bad = [self.backlog, self.arrived, self.dropped, self.marked].iter().any(|&b| b > MOST_BYTES);
    }
}

impl SignalState {
    fn new(until_filled: u32) -> SignalState {
        SignalState {
            backlog: None,
            probability: None,
            before: None,
            rate: None,
            quiet: 0,
            slots: [(0, 0); SLOTS],
            written: 0,
            until_filled,
        }
    }

    fn filter_backlog(&mut self, fixed: &mut Fixed, alpha: i64, packets: i64) -> i64 {
        let filtered = self.backlog.map_or(packets, |q| fixed.blend(alpha, q, packets));
        self.backlog = Some(filtered);
        filtered
    }

    fn push_signals(&mut self, fixed: &mut Fixed, alpha: i64, arrived: u64, signals: u64) {
        if arrived > 0 {
            let p = div_round((signals.min(arrived) << SCALE) as i64, arrived as i64);
            self.probability = Some(self.probability.map_or(p, |before| fixed.blend(alpha, before, p)));
        }
        self.quiet = if signals > 0 { 0 } else { self.quiet.saturating_add(1) };
        self.push();
    }

    /// A sampling interval that cannot be used: p is taken to have stayed, differences start again.
    fn skip(&mut self) {
        self.before = None;
        self.rate = None;
        if self.probability.is_some() {
            self.push();
        }
    }

    fn push(&mut self) {
        self.slots[self.written % SLOTS] = (self.probability.unwrap_or(0), self.quiet);
        self.written += 1;
    }

    fn delayed(&self, lag: usize) -> Option<(i64, u32)> {
        (lag < self.written.min(SLOTS)).then(|| self.slots[(self.written - 1 - lag) % SLOTS])
    }
}

impl Sums {
    /// `Var p / E[p^2]`, scaled. The squares keep 28 bits after the point.
    fn excitation(&self, fixed: &mut Fixed) -> i64 {
        let count = self.regressions.max(1);
        let mean = div_round(self.p, count);
        let mean_square = div_round(self.p_squared, count);
        if mean_square == 0 {
            return 0;
        }
        fixed.div((mean_square - mean * mean).max(0), mean_square)
    }

    fn findings(&self, settings: &FixedSettings) -> Flags {
        // In packets, which keeps the product with the time small.
        let accepted = div_round(self.accepted as i64, settings.mean_packet_bytes);
        let possible = round_shift(settings.capacity, SCALE).saturating_mul(self.ms) / 1000;
        Flags::EMPTY_QUEUE.when(self.empty * 10 >= self.usable)
            | Flags::NOT_CONGESTED.when(accepted.saturating_mul(100) < possible.saturating_mul(95))
            | Flags::NO_DROPS.when(self.signals == 0)
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
