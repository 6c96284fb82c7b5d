//! Samples for tests: series that obey the linear model exactly, and noisy ones like a router's.

use super::sample::Sample;
use super::settings::{Form, Settings};

/// Uniform numbers between 0 and 1 (xorshift64*, Vigna 2016).
pub(super) struct Uniform(u64);

impl Uniform {
    pub fn new(seed: u64) -> Uniform {
        Uniform(0x9E37_79B9_7F4A_7C15 ^ seed.wrapping_mul(0xD129_0F1B_2C4D_8E63))
    }

    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Parameters that a series obeys, and the port on which it does.
///
/// The queue's length is chosen freely, a sum of sines; the model then says what p must have been a round trip
/// before. Filters are inverted, so the estimator sees exactly these signals after its own filters.
pub(super) struct Synthetic {
    pub settings: Settings,
    pub beta: [f64; 3],
    pub arrivals: f64,
}

impl Synthetic {
    /// A port of 20 packets/s, on which all columns of the regressor are of like size: Kaczmarz needs that to
    /// converge soon.
    pub fn new(form: Form) -> Synthetic {
        let settings = Settings {
            form,
            backlog_alpha: 0.0,
            signal_alpha: 0.0,
            drop_alpha: 0.0,
            estimation_samples: 1,
            start_n_s: 2.0,
            start_z0: 4.0,
            start_elsewhere: 0.1,
            start_cbr_pps: 5.0,
            ..Settings::new(20.0, 0.1, 0.05).with_rtt(Some(0.2))
        };
        let third = match form {
            Form::Basic => 0.0,
            Form::MultiHop => 2.0,
            Form::Cbr => 12.0,
        };
        Synthetic { settings, beta: [5.0, 20.0, third], arrivals: 10.0 }
    }

    fn backlog(&self, i: usize) -> f64 {
        let t = i as f64 * self.settings.sampling_s;
        4.0 + 1.0 * libm::sin(3.1 * t) + 0.85 * libm::sin(5.3 * t + 1.0) + 0.5 * libm::cos(1.7 * t + 2.0)
    }

    /// Filtered drops of a sampling interval, which the model with l(t) sees.
    fn drops(&self, i: usize) -> f64 {
        let t = i as f64 * self.settings.sampling_s;
        0.3 + 0.1 * libm::sin(2.3 * t)
    }

    fn rtt_s(&self, i: usize) -> f64 {
        self.backlog(i) / self.settings.capacity_pps + self.settings.propagation_s
    }

    /// chi, or chi + l', and q' at the i-th sample, from their definitions.
    fn growth(&self, i: usize) -> (f64, f64) {
        let (t, c) = (self.settings.sampling_s, self.settings.capacity_pps);
        let rate = |i: usize| (self.backlog(i) - self.backlog(i - 1)) / t;
        let chi = self.rtt_s(i) * (rate(i) - rate(i - 1)) / t + (rate(i) / c + 1.0) * rate(i);
        let l = |i: usize| self.drops(i) / t * self.rtt_s(i);
        let loss_rate = if self.settings.count_drops { (l(i) - l(i - 1)) / t } else { 0.0 };
        (chi + loss_rate, rate(i))
    }

    /// The filtered p that the i-th sample must find a round trip ago.
    fn needed_p(&self, i: usize) -> f64 {
        let r0 = self.settings.rtt_s.unwrap_or_else(|| self.rtt_s(i));
        let (growth, rate) = self.growth(i);
        let third = match self.settings.form {
            Form::Basic => 0.0,
            Form::MultiHop => -0.5 / r0,
            Form::Cbr => rate / self.settings.capacity_pps,
        };
        let rest = self.beta[0] / r0 + third * self.beta[2] - growth;
        rest * 2.0 * r0 / self.beta[1]
    }

    pub fn samples(&self, count: usize) -> Vec<Sample> {
        let r0 = self.settings.rtt_s.unwrap_or_else(|| self.rtt_s(0));
        let lag = (r0 / self.settings.sampling_s).round() as usize;
        let p = |i: usize| self.needed_p((i + lag).max(2));
        let raw = |f: &dyn Fn(usize) -> f64, alpha: f64, i: usize| {
            let before = f(i.saturating_sub(1));
            if i == 0 {
                before
            } else {
                (f(i) - alpha * before) / (1.0 - alpha)
            }
        };
        let sample = |i| {
            let drops = if self.settings.count_drops {
                raw(&|i| self.drops(i), self.settings.drop_alpha, i)
            } else {
                0.0
            };
            let raw_p = raw(&p, self.settings.signal_alpha, i);
            let signals = raw_p * self.arrivals;
            assert!(
                (0.0..=1.0).contains(&raw_p) && signals >= drops,
                "not a series that a port could show: {raw_p}"
            );
            Sample {
                backlog: raw(&|i| self.backlog(i), self.settings.backlog_alpha, i),
                arrivals: self.arrivals,
                drops,
                marks: signals - drops,
            }
        };
        (0..count).map(sample).collect()
    }
}

/// A router's samples: 28 Mbit/s shared by flows that add and halve, behind a random early drop, and a constant
/// load, a step each 10 ms. Returns queue length and counts of each step.
pub(super) fn router(steps: usize, constant_pps: f64, seed: u64) -> Vec<Sample> {
    const STEP_S: f64 = 0.01;
    const FLOWS: usize = 35;
    let mut uniform = Uniform::new(seed);
    let mut windows = [3.0f64; FLOWS];
    let (mut backlog, mut mean) = (10.0f64, 10.0f64);
    let mut step = |_| {
        let rtt_s = 0.1 + backlog / 3500.0;
        let p = ((mean - 15.0) / 300.0).clamp(0.0, 1.0);
        let (mut arrivals, mut drops) = (0u32, 0u32);
        let mut send = |packets: f64, uniform: &mut Uniform| {
            let sent = packets.floor() as u32 + u32::from(uniform.next() < packets.fract());
            let lost = (0..sent).filter(|_| uniform.next() < p).count() as u32;
            arrivals += sent;
            drops += lost;
            lost
        };
        send(constant_pps * STEP_S, &mut uniform);
        for window in &mut windows {
            let lost = send(*window * STEP_S / rtt_s, &mut uniform);
            *window = if lost > 0 { (*window / 2.0).max(1.0) } else { *window + STEP_S / rtt_s };
        }
        backlog = (backlog + f64::from(arrivals - drops) - 3500.0 * STEP_S).clamp(0.0, 60.0);
        mean += 0.07 * (backlog - mean);
        let whole = backlog.round();
        Sample { backlog: whole, arrivals: arrivals.into(), drops: drops.into(), marks: 0.0 }
    };
    (0..steps).map(&mut step).collect()
}

/// Sums of counts, and mean queue length, of every `n` samples.
pub(super) fn every(n: usize, samples: &[Sample]) -> Vec<Sample> {
    let sum = |chunk: &[Sample], field: fn(&Sample) -> f64| chunk.iter().map(field).sum::<f64>();
    samples
        .chunks_exact(n)
        .map(|chunk| Sample {
            backlog: sum(chunk, |s| s.backlog) / n as f64,
            arrivals: sum(chunk, |s| s.arrivals),
            drops: sum(chunk, |s| s.drops),
            marks: sum(chunk, |s| s.marks),
        })
        .collect()
}
