//! From samples to the signals of the model: filters, differences, and the drops of a round trip ago.
//!
//! Zhao 2004, II.B and II.C: each signal is filtered by `v = alpha v + (1 - alpha) x`, then
//! `q' = (q(t) - q(t-1)) / T`, `q'' = (q'(t) - q'(t-1)) / T` and, with (2.19), `l' = (l(t) - l(t-1)) / T`.

use super::sample::Sample;
use super::settings::Settings;
use crate::math::ceil;

/// Slots of the delay line.
const SLOTS: usize = 128;

/// Share of a filter's first value that is left when the filter counts as filled.
const FORGOTTEN: f64 = 0.01;

/// The measured side of the model at one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Signals {
    /// R0 in seconds: the set one, or R(t).
    pub rtt_s: f64,
    /// Arrivals in a round trip R0: z + D.
    pub offered: f64,
    /// Values that need the differences and the delay line.
    pub dynamics: Option<Dynamics>,
}

/// The terms of the linear model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Dynamics {
    /// chi, or chi + l' when drops are counted, in packets/s: what z' is.
    pub growth: f64,
    /// q', in packets/s.
    pub backlog_rate: f64,
    /// The filtered p(t - R0).
    pub delayed_p: f64,
    /// Number of sampling intervals in a row, up to t - R0, without a signal.
    pub quiet: u32,
}

/// `v = alpha v + (1 - alpha) x`, and the first x as it is.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Filter {
    alpha: f64,
    value: f64,
    started: bool,
}

impl Filter {
    fn new(alpha: f64) -> Filter {
        Filter { alpha, value: 0.0, started: false }
    }

    #[inline]
    fn update(&mut self, x: f64) -> f64 {
        self.value = if self.started { self.alpha * self.value + (1.0 - self.alpha) * x } else { x };
        self.started = true;
        self.value
    }

    /// Samples until a hundredth of the first one is left.
    fn memory(&self) -> u32 {
        if self.alpha > 0.0 {
            ceil(libm::log(FORGOTTEN) / libm::log(self.alpha)).min(1e9) as u32
        } else {
            0
        }
    }
}

/// p and the run of quiet intervals, for the last [`SLOTS`] samples.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct DelayLine {
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    slots: [(f64, u32); SLOTS],
    written: usize,
}

impl DelayLine {
    fn new() -> DelayLine {
        DelayLine { slots: [(0.0, 0); SLOTS], written: 0 }
    }

    #[inline]
    fn push(&mut self, p: f64, quiet: u32) {
        self.slots[self.written % SLOTS] = (p, quiet);
        self.written += 1;
    }

    /// The newest value when `lag` is 0.
    #[inline]
    fn get(&self, lag: usize) -> Option<(f64, u32)> {
        (lag < self.written.min(SLOTS)).then(|| self.slots[(self.written - 1 - lag) % SLOTS])
    }
}

/// Value and difference quotient of the last sample, as far as they exist.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct History {
    /// q, and l for the drops' difference.
    value: Option<(f64, f64)>,
    /// q'.
    rate: Option<f64>,
}

/// Filters, differences and delay line of one port.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct FrontEnd {
    propagation_s: f64,
    fixed_rtt_s: Option<f64>,
    count_drops: bool,
    /// 1/C and 1/T: a division costs more than the rest of a filter.
    per_capacity: f64,
    per_sampling: f64,
    backlog: Filter,
    probability: Filter,
    drops: Filter,
    rate: Filter,
    acceleration: Filter,
    delay_line: DelayLine,
    quiet: u32,
    history: History,
    /// Usable samples until the filters count as filled.
    until_filled: u32,
}

impl FrontEnd {
    /// `settings` have been validated.
    pub fn new(settings: &Settings) -> FrontEnd {
        let mut front_end = FrontEnd {
            propagation_s: settings.propagation_s,
            per_capacity: 1.0 / settings.capacity_pps,
            per_sampling: 1.0 / settings.sampling_s,
            fixed_rtt_s: settings.rtt_s,
            count_drops: settings.count_drops,
            backlog: Filter::new(settings.backlog_alpha),
            probability: Filter::new(settings.signal_alpha),
            drops: Filter::new(settings.drop_alpha),
            rate: Filter::new(settings.derivative_alpha),
            acceleration: Filter::new(settings.derivative_alpha),
            delay_line: DelayLine::new(),
            quiet: 0,
            history: History::default(),
            until_filled: 0,
        };
        front_end.until_filled = front_end.slowest_memory();
        front_end
    }

    fn slowest_memory(&self) -> u32 {
        let probability =
            self.probability.memory() + (self.fixed_or_propagation() * self.per_sampling) as u32;
        let differences = self.backlog.memory() + 2 + self.rate.memory();
        let drops = if self.count_drops { self.drops.memory() } else { 0 };
        probability.max(differences).max(drops)
    }

    fn fixed_or_propagation(&self) -> f64 {
        self.fixed_rtt_s.unwrap_or(self.propagation_s)
    }

    /// Returns whether the filters still remember their first values.
    pub fn is_filling(&self) -> bool {
        self.until_filled > 0
    }

    /// The signals at a usable sample.
    #[inline]
    pub fn take(&mut self, sample: &Sample) -> Signals {
        self.until_filled = self.until_filled.saturating_sub(1);
        let q = self.backlog.update(sample.backlog);
        self.take_signals(sample);
        let current_rtt_s = q * self.per_capacity + self.propagation_s;
        let rtt_s = self.fixed_rtt_s.unwrap_or(current_rtt_s);
        let l = self.drops.update(sample.drops) * self.per_sampling * current_rtt_s;
        let growth = self.growth(q, l, current_rtt_s);
        let delayed = self.delay_line.get(nearest(rtt_s * self.per_sampling));
        Signals {
            rtt_s,
            offered: sample.arrivals * self.per_sampling * rtt_s,
            dynamics: growth.zip(delayed).map(|((growth, backlog_rate), (delayed_p, quiet))| Dynamics {
                growth,
                backlog_rate,
                delayed_p,
                quiet,
            }),
        }
    }

    /// A sampling interval whose sample cannot be used. Filters stay as they are, p is taken to have stayed too,
    /// and differences start again: a difference over the gap would be divided by the wrong time.
    pub fn skip(&mut self) {
        self.history = History::default();
        if self.probability.started {
            self.delay_line.push(self.probability.value, self.quiet);
        }
    }

    #[inline]
    fn take_signals(&mut self, sample: &Sample) {
        if let Some(p) = sample.signal_probability() {
            self.probability.update(p);
        }
        self.quiet = if sample.signals() > 0.0 { 0 } else { self.quiet.saturating_add(1) };
        self.delay_line.push(self.probability.value, self.quiet);
    }

    /// chi, or chi + l', and q'; `None` until there are two differences.
    #[inline]
    fn growth(&mut self, q: f64, l: f64, rtt_s: f64) -> Option<(f64, f64)> {
        let before = core::mem::replace(&mut self.history, History { value: Some((q, l)), rate: None });
        let (q_before, l_before) = before.value?;
        let rate = self.rate.update((q - q_before) * self.per_sampling);
        self.history.rate = Some(rate);
        let acceleration = self.acceleration.update((rate - before.rate?) * self.per_sampling);
        let chi = rtt_s * acceleration + (rate * self.per_capacity + 1.0) * rate;
        let loss_rate = if self.count_drops { (l - l_before) * self.per_sampling } else { 0.0 };
        Some((chi + loss_rate, rate))
    }
}

/// The whole number nearest to `x`, which is not negative. `f64::round` is a call into the C library on processors
/// without SSE 4.1, for which the crate is built by default.
#[inline]
fn nearest(x: f64) -> usize {
    (x + 0.5) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            backlog_alpha: 0.5,
            signal_alpha: 0.75,
            ..Settings::new(100.0, 0.1, 0.1).with_rtt(Some(0.2))
        }
    }

    fn sample(backlog: f64, drops: f64) -> Sample {
        Sample { backlog, arrivals: 10.0, drops, marks: 0.0 }
    }

    #[test]
    fn signals_are_those_worked_by_hand() {
        let mut front_end = FrontEnd::new(&settings());
        let first = front_end.take(&sample(4.0, 1.0));
        assert_eq!((first.rtt_s, first.offered, first.dynamics), (0.2, 20.0, None));
        assert_eq!(front_end.take(&sample(8.0, 2.0)).dynamics, None);
        // q: 4, 6, 5, so q' = 20, -10 and q'' = -300; R = 0.15; p: 0.1, 0.125, seen two samples late.
        let third = front_end.take(&sample(4.0, 0.0)).dynamics.unwrap();
        let chi = 0.15 * -300.0 + (-0.1 + 1.0) * -10.0;
        assert!((third.growth - chi).abs() < 1e-9 && (third.backlog_rate + 10.0).abs() < 1e-12);
        assert_eq!((third.delayed_p, third.quiet), (0.1, 0));
        let fourth = front_end.take(&sample(4.0, 0.0)).dynamics.unwrap();
        assert!((fourth.delayed_p - 0.125).abs() < 1e-15);
        let quiet: Vec<u32> =
            (0..3).map(|_| front_end.take(&sample(4.0, 0.0)).dynamics.unwrap().quiet).collect();
        assert_eq!(quiet, [1, 2, 3]);
    }

    #[test]
    fn drops_are_scaled_to_a_round_trip() {
        let with = Settings { count_drops: true, drop_alpha: 0.0, backlog_alpha: 0.0, ..settings() };
        let without = Settings { count_drops: false, ..with.clone() };
        let (mut with, mut without) = (FrontEnd::new(&with), FrontEnd::new(&without));
        let mut difference = f64::NAN;
        for (backlog, drops) in [(10.0, 1.0), (10.0, 1.0), (10.0, 3.0)] {
            let pair = [&mut with, &mut without].map(|front_end| front_end.take(&sample(backlog, drops)));
            if let [Some(with), Some(without)] = pair.map(|signals| signals.dynamics) {
                difference = with.growth - without.growth;
            }
        }
        // From 1 to 3 drops in 0.1 s is from 2 to 6 in a round trip of 0.2 s, in 0.1 s.
        assert!((difference - 40.0).abs() < 1e-9, "{difference}");
    }

    #[test]
    fn an_interval_without_arrivals_has_no_p_and_a_skipped_one_keeps_it() {
        let mut front_end = FrontEnd::new(&Settings { signal_alpha: 0.0, ..settings() });
        for _ in 0..3 {
            front_end.take(&sample(4.0, 2.0));
        }
        front_end.take(&Sample { backlog: 4.0, ..Sample::default() });
        front_end.skip();
        assert_eq!(front_end.take(&sample(4.0, 5.0)).dynamics, None);
        let seen: Vec<Option<f64>> =
            (0..3).map(|_| front_end.take(&sample(4.0, 0.0)).dynamics.map(|d| d.delayed_p)).collect();
        // Two differences are needed after the gap; p a round trip ago was that of the gap, then 0.5, then 0.
        assert_eq!(seen, [None, Some(0.5), Some(0.0)]);
    }

    #[test]
    fn it_is_filling_until_a_hundredth_of_the_first_value_is_left() {
        let mut front_end = FrontEnd::new(&Settings { signal_alpha: 0.0, backlog_alpha: 0.9, ..settings() });
        let samples = std::iter::repeat(sample(4.0, 1.0));
        let filling = samples.take_while(|s| (front_end.take(s), front_end.is_filling()).1).count();
        // 0.9^44 < 0.01 < 0.9^43, and two differences.
        assert_eq!(filling, 45);
    }
}
