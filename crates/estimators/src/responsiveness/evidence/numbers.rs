//! A flow's evidence as numbers, for those who judge it by a table or learn one.
//!
//! None of them says how fast the flow sends, how old it is or how many others there are: networks differ in that, and
//! a rule that went by it would hold for those that it was learnt on. A number that does not exist is NaN.

use super::{Evidence, Instrument, LONGEST_S, RATIO};
use crate::math::{powi, sqrt};

/// Number of features.
pub(in crate::responsiveness) const COUNT: usize = 43;

/// Numbers at each time scale.
const AT_SCALE: usize = 10;

/// The numbers' names: logarithms (base 10) of trials by queue and dither, the queue's signals over those that the
/// port's rate of signals made one expect; and ten for each time scale.
///
/// At a time scale: the contrast by the queue, and in units of its deviation; both by the dither; the logarithm of the
/// squared coefficient of variation of what the flow sends; its correlation from one time to the next; the placebo,
/// which is the contrast of what the flow sent *before* a signal and is 0 where signals fall at random; contrasts of
/// what it sent after signals of queue and dither without any correction; and what it gave up by the end of the time
/// scale after the dither's signals, in seconds: who makes it good has given up nothing by the end of the longest.
pub(in crate::responsiveness) const NAMES: [&str; COUNT] = [
    "trials",
    "dither_trials",
    "signals_over_expected",
    "contrast_1s",
    "deviations_1s",
    "dither_contrast_1s",
    "dither_deviations_1s",
    "spread_1s",
    "correlation_1s",
    "placebo_1s",
    "after_1s",
    "dither_after_1s",
    "given_up_1s",
    "contrast_200ms",
    "deviations_200ms",
    "dither_contrast_200ms",
    "dither_deviations_200ms",
    "spread_200ms",
    "correlation_200ms",
    "placebo_200ms",
    "after_200ms",
    "dither_after_200ms",
    "given_up_200ms",
    "contrast_40ms",
    "deviations_40ms",
    "dither_contrast_40ms",
    "dither_deviations_40ms",
    "spread_40ms",
    "correlation_40ms",
    "placebo_40ms",
    "after_40ms",
    "dither_after_40ms",
    "given_up_40ms",
    "contrast_8ms",
    "deviations_8ms",
    "dither_contrast_8ms",
    "dither_deviations_8ms",
    "spread_8ms",
    "correlation_8ms",
    "placebo_8ms",
    "after_8ms",
    "dither_after_8ms",
    "given_up_8ms",
];

/// Greatest size of a contrast, of deviations and of a ratio of signals: what is beyond says no more.
const MOST_CONTRAST: f64 = 2.0;
const MOST_DEVIATIONS: f64 = 30.0;
const MOST_RATIO: f64 = 10.0;

/// Added before a logarithm of trials, and of a spread.
const LEAST_OF_TRIALS: f64 = 0.1;
const LEAST_OF_SPREAD: f64 = 1e-4;

/// Added to a variance before one divides by its root.
const LEAST_VARIANCE: f64 = 1e-9;

/// Deviation of `rho` that a single signal has beyond the spread of outcomes.
pub(super) const SINGLE_SIGNAL: f64 = 0.1;

/// The regression on `B` is shrunk for flows of less spread (squared coefficient of variation) than this: in a fair
/// queue a drop follows from the flow's own queue, and what `B` explains of `Y` is then the response itself.
pub(super) const LEAST_SPREAD: f64 = 0.03;

/// No more of the variance of `Y` than this is taken as explained by `B`. Rates that change every few seconds make the
/// two nearly equal, but for the rare changes, of which hardly any were seen.
pub(super) const MOST_EXPLAINED: f64 = 0.5;

/// Fewer trials than this are none.
const FEWEST_TRIALS: f64 = 0.01;

/// Law of what a flow sends within a time scale.
#[derive(Clone, Copy, Debug)]
struct Sending {
    /// The mean, in packets weighted by the kernel.
    mean: f64,
    /// Squared coefficient of variation.
    spread: f64,
    /// Correlation of what follows a packet with what came before it.
    correlation: f64,
}

/// The part of its rate that a flow gives up for a signal, at one time scale.
#[derive(Clone, Copy, Debug)]
pub(in crate::responsiveness) struct Contrast {
    pub rho: f64,
    /// Variance of `rho`, were signals wholly at random.
    pub variance: f64,
}

/// Cost of a signal to a flow by the end of two time scales, in seconds of its mean rate.
#[derive(Clone, Copy, Debug)]
pub(in crate::responsiveness) struct GivenUp {
    /// By the end of the shorter one.
    pub at_first: f64,
    /// By the end of the longest one.
    pub in_the_end: f64,
    /// Variances of the former, and of the difference, were signals wholly at random.
    pub first_variance: f64,
    pub variance: f64,
}

impl Evidence {
    /// The numbers, in the order of [`NAMES`].
    pub fn numbers(&self) -> [f32; COUNT] {
        let mut numbers = [f32::NAN; COUNT];
        numbers[0] = logarithm(self.queue.trials + LEAST_OF_TRIALS);
        numbers[1] = logarithm(self.dither.trials + LEAST_OF_TRIALS);
        numbers[2] = ((self.signals + 1.0) / (self.expected + 1.0)).min(MOST_RATIO) as f32;
        for (scale, at_scale) in numbers[3..].chunks_exact_mut(AT_SCALE).enumerate() {
            if let Some(sending) = self.sending(scale) {
                self.fill(scale, &sending, at_scale);
            }
        }
        numbers
    }

    /// None before anything counted.
    fn sending(&self, scale: usize) -> Option<Sending> {
        if self.before[scale] <= 0.0 {
            return None;
        }
        let mean = self.before[scale] / self.weight;
        let square = mean * mean;
        let both = (self.both[scale] + mean * self.befores.open(scale)) / self.weight;
        let spread = (self.before_squared[scale] / self.weight / square - 1.0).max(0.0);
        let correlation = ((both / square - 1.0) / (spread + LEAST_SPREAD)).clamp(-1.0, 1.0);
        Some(Sending { mean, spread, correlation })
    }

    /// Those at a time scale.
    fn fill(&self, scale: usize, sending: &Sending, numbers: &mut [f32]) {
        for (by, place) in [(&self.queue, 0), (&self.dither, 2)] {
            if let Some(contrast) = contrast_by(by, scale, sending) {
                let deviation = sqrt(contrast.variance + LEAST_VARIANCE);
                numbers[place] = within(contrast.rho, MOST_CONTRAST);
                numbers[place + 1] = within(contrast.rho / deviation, MOST_DEVIATIONS);
            }
        }
        numbers[4] = logarithm(sending.spread + LEAST_OF_SPREAD);
        numbers[5] = sending.correlation as f32;
        numbers[6] = part(&self.queue, sending, excess_before(&self.queue, scale, sending));
        numbers[7] = part(&self.queue, sending, -excess_after(&self.queue, scale, sending));
        numbers[8] = part(&self.dither, sending, -excess_after(&self.dither, scale, sending));
        if let Some((cost, _)) = self.cost(scale, sending) {
            numbers[9] = within(cost, MOST_CONTRAST);
        }
    }

    /// Cost of the dither's signals to the flow by the end of a time scale and of the longest one.
    pub fn given_up(&self, scale: usize) -> Option<GivenUp> {
        let (at_first, first_variance) = self.cost(scale, &self.sending(scale)?)?;
        let (in_the_end, last_variance) = self.cost(0, &self.sending(0)?)?;
        Some(GivenUp { at_first, in_the_end, first_variance, variance: first_variance + last_variance })
    }

    /// Cost of the dither's signals within the time scale, in seconds of its mean rate, and the variance.
    fn cost(&self, scale: usize, sending: &Sending) -> Option<(f64, f64)> {
        let by = &self.dither;
        if by.trials < FEWEST_TRIALS {
            return None;
        }
        let open = f64::from(by.excesses.first[scale]) - by.excess;
        let after = self.at_once[scale] + sending.mean * open;
        let tau = LONGEST_S / powi(f64::from(RATIO), scale as i32);
        Some((-after / (sending.mean * by.trials) * tau, sending.spread * tau * tau / by.trials))
    }
}

/// The contrast by an instrument's signals, freed from what came before them.
fn contrast_by(by: &Instrument, scale: usize, sending: &Sending) -> Option<Contrast> {
    if by.trials < FEWEST_TRIALS {
        return None;
    }
    let Sending { mean, spread, correlation } = *sending;
    let after = excess_after(by, scale, sending);
    let before = excess_before(by, scale, sending);
    let explained = (correlation * correlation).min(MOST_EXPLAINED);
    let rho = -(after - correlation * before) / (mean * by.trials);
    let unexplained = spread * (1.0 - explained);
    let single = SINGLE_SIGNAL / by.trials;
    Some(Contrast { rho, variance: unexplained / by.trials + single * single })
}

/// The sum of `M (Y - mean Y)`. What the last packets have not been followed by yet is put at its mean.
fn excess_after(by: &Instrument, scale: usize, sending: &Sending) -> f64 {
    by.excess_after[scale] + sending.mean * (by.excesses.open(scale) - by.excess)
}

/// The sum of `M (B - mean B)`.
fn excess_before(by: &Instrument, scale: usize, sending: &Sending) -> f64 {
    by.excess_before[scale] - sending.mean * by.excess
}

/// Such a sum as a part of the flow's rate, for each trial.
fn part(by: &Instrument, sending: &Sending, sum: f64) -> f32 {
    if by.trials < FEWEST_TRIALS {
        f32::NAN
    } else {
        within(sum / (sending.mean * by.trials), MOST_CONTRAST)
    }
}

fn logarithm(x: f64) -> f32 {
    libm::log10f(x as f32)
}

/// `x`, but at most of this size.
fn within(x: f64, most: f64) -> f32 {
    x.clamp(-most, most) as f32
}

#[cfg(test)]
impl Evidence {
    /// Number of signals that it had a choice to answer, faded.
    pub fn trials(&self) -> f64 {
        self.queue.trials + self.dither.trials
    }

    /// The contrast at a time scale by the queue's signals, and by the dither's.
    pub fn contrasts(&self, scale: usize) -> [Option<Contrast>; 2] {
        let sending = self.sending(scale);
        [&self.queue, &self.dither].map(|by| contrast_by(by, scale, &sending?))
    }
}
