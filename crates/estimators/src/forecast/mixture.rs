//! One forecaster that needs no choice: experts of many kinds, mixed by what each has lost so far.
//!
//! The forecast is a weighted mean of those of the experts. Four rules set weights side by side, and a fifth, which is the
//! first one with a short memory, mixes their forecasts by what they lost:
//!
//! - ML-Poly (Gaillard, Stoltz and van Erven 2014): weights in proportion to how much less an expert lost than the mixture.
//!   It has no rate to set, and its bound is of second order, so neither units nor single huge errors matter to it;
//! - ML-Poly that forgets within a hundred samples, which follows what is best at the moment;
//! - ML-Poly that learns apart what is best after a jump and what is best otherwise: on one path the last value is right
//!   after a jump, on another it was an outlier;
//! - BOA (Wintenberger 2017) on the gradient of the loss, which finds combinations that are better than any expert.
//!
//! Experts with a long memory are there twice. One of each pair begins anew, on the samples since then, when
//! [`ShiftDetector`] finds that the level has changed.

mod boa;
mod experts;
mod polynomial;
mod shift;

use super::Forecaster;
use crate::sample::is_finite;
use boa::Boa;
use experts::{Experts, EXPERTS};
pub(super) use polynomial::Polynomial;
pub use shift::ShiftDetector;

/// Number of rules that set weights.
const RULES: usize = 4;

/// Factors with each sample, of a sum and of the greatest square, which fades as if there were a sample for
/// each expert or rule: 0.99 and 0.99^29, 0.998 and 0.998^4, the powers rounded once. Products would miss the
/// former's last digits.
const FORGETFUL: (f64, f64) = (0.99, 0.7471720943315961);
const TOP: (f64, f64) = (0.998, 0.992023968016);

/// Number of jumps after which their lesson counts for half.
const JUMPS_TO_TRUST: f64 = 1.0;

/// Weight of the last value after the first jump of all.
const LAST_SHARE: f64 = 0.4;

/// Cost of a wrong forecast. No forecaster is best by both: the median of the next sample's law loses least
/// by the first, its mean by the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum LossFunction {
    /// |e|
    #[default]
    Absolute,
    /// e^2
    Squared,
}

impl LossFunction {
    #[inline]
    pub(super) fn of(self, error: f64) -> f64 {
        match self {
            LossFunction::Absolute => error.abs(),
            LossFunction::Squared => error * error,
        }
    }

    /// Loss as a function of the error.
    #[inline]
    fn slope(self, error: f64) -> f64 {
        match self {
            LossFunction::Absolute if error == 0.0 => 0.0,
            LossFunction::Absolute => error.signum(),
            LossFunction::Squared => 2.0 * error,
        }
    }
}

/// Weights of the experts by each rule, and what each forecasts.
type Weights = [f64; EXPERTS];

/// Makes weights whose sum is known add up to 1. Where they are none, the first expert has it all.
#[inline]
fn normalise<const N: usize>(weights: &mut [f64; N], sum: f64) {
    if sum > 0.0 && sum.is_finite() {
        let scale = 1.0 / sum;
        weights.iter_mut().for_each(|weight| *weight *= scale);
    } else {
        *weights = [0.0; N];
        weights[0] = 1.0;
    }
}

/// Forecasts as well as the best of many forecasters, whichever that is.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mixture {
    loss: LossFunction,
    experts: Experts,
    detector: ShiftDetector,
    steady: Polynomial<EXPERTS>,
    forgetful: Polynomial<EXPERTS>,
    /// After a sample near the level, and after one that jumped away from it.
    calm: Polynomial<EXPERTS>,
    jumped: Polynomial<EXPERTS>,
    /// Number of jumps.
    jumps: f64,
    gradient: Boa<EXPERTS>,
    /// Mixes the rules, after a sample near the level and after a jump.
    top_calm: Polynomial<RULES>,
    top_jumped: Polynomial<RULES>,
    rules: [Weights; RULES],
    /// Forecast of each rule.
    by_rule: [f64; RULES],
    /// The weights of all rules in one.
    weights: Weights,
    next: Option<f64>,
}

impl Mixture {
    /// A mixture that is to lose little by `loss`.
    pub fn new(loss: LossFunction) -> Self {
        Mixture {
            loss,
            experts: Experts::new(),
            detector: ShiftDetector::new(),
            steady: Polynomial::new(1.0, 1.0),
            forgetful: Polynomial::new(FORGETFUL.0, FORGETFUL.1),
            calm: Polynomial::new(1.0, 1.0),
            jumped: Polynomial::new(1.0, 1.0),
            jumps: 0.0,
            gradient: Boa::new(),
            top_calm: Polynomial::new(TOP.0, TOP.1),
            top_jumped: Polynomial::new(TOP.0, TOP.1),
            rules: [[0.0; EXPERTS]; RULES],
            by_rule: [0.0; RULES],
            weights: [0.0; EXPERTS],
            next: None,
        }
    }

    /// The experts and what each counts for in the next forecast, which adds up to 1.
    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.experts.names().zip(self.weights)
    }

    /// Forecasts of the experts, in the order of [`Mixture::weights`].
    pub fn expert_forecasts(&self) -> &[f64] {
        self.experts.forecasts()
    }

    /// Every rule learns what the sample says of the experts.
    fn learn(&mut self, x: f64, mixed: f64) {
        let loss = self.loss;
        let lost: [f64; EXPERTS] = self.experts.forecasts().map(|forecast| loss.of(forecast - x));
        let less = |by: f64| {
            let by = loss.of(by - x);
            lost.map(|lost| by - lost)
        };
        let [apart, steady, forgetful, gradient] = self.by_rule;
        if self.detector.jumped() {
            self.jumped.learn(&less(apart));
            self.jumps += 1.0;
        } else {
            self.calm.learn(&less(apart));
        }
        self.steady.learn(&less(steady));
        self.forgetful.learn(&less(forgetful));
        let slope = loss.slope(gradient - x);
        self.gradient.learn(&self.experts.forecasts().map(|forecast| slope * (gradient - forecast)));
        let top = loss.of(mixed - x);
        let by_state = if self.detector.jumped() { &mut self.top_jumped } else { &mut self.top_calm };
        by_state.learn(&self.by_rule.map(|forecast| top - loss.of(forecast - x)));
    }

    /// Weights after a jump. While few have been seen, they are in part those of calm times and in part on the last value: it may
    /// have been an outlier or a change of level.
    fn weigh_jumped(&mut self) {
        let mut learnt = [0.0; EXPERTS];
        self.jumped.weigh(&mut learnt);
        let trust = self.jumps / (self.jumps + JUMPS_TO_TRUST);
        for (weight, learnt) in self.rules[0].iter_mut().zip(&learnt) {
            *weight = trust * learnt + (1.0 - trust) * (1.0 - LAST_SHARE) * *weight;
        }
        self.rules[0][0] += (1.0 - trust) * LAST_SHARE;
    }

    /// Mixes the experts' new forecasts by the rules.
    fn mix(&mut self) -> f64 {
        self.calm.weigh(&mut self.rules[0]);
        if self.detector.jumped() {
            self.weigh_jumped();
        }
        self.steady.weigh(&mut self.rules[1]);
        self.forgetful.weigh(&mut self.rules[2]);
        self.gradient.weigh(&mut self.rules[3]);
        let mut shares = [0.0; RULES];
        let by_state = if self.detector.jumped() { &self.top_jumped } else { &self.top_calm };
        by_state.weigh(&mut shares);
        self.weights = [0.0; EXPERTS];
        for (rule, weights) in self.rules.iter().enumerate() {
            self.by_rule[rule] = dot(weights, self.experts.forecasts());
            for (sum, weight) in self.weights.iter_mut().zip(weights) {
                *sum += shares[rule] * weight;
            }
        }
        dot(&shares, &self.by_rule)
    }
}

impl Forecaster for Mixture {
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        if let Some(mixed) = self.next {
            self.learn(x, mixed);
        }
        self.experts.update(x);
        if self.detector.update(x) {
            self.experts.restart(self.detector.since());
        }
        self.experts.forecast(self.detector.level().unwrap_or(x));
        let mixed = self.mix();
        // Samples near the limits of numbers overflow.
        self.next = Some(if mixed.is_finite() { mixed } else { x });
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.next
    }

    /// The experts look further ahead, and count for as much as they do for the next sample.
    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        let next = self.next?;
        if steps <= 1 {
            return Some(next);
        }
        let ahead = self.experts.ahead(&self.weights, steps);
        Some(if ahead.is_finite() { ahead } else { next })
    }

    fn reset(&mut self) {
        self.experts.reset();
        self.detector.reset();
        self.steady.reset();
        self.forgetful.reset();
        self.calm.reset();
        self.jumped.reset();
        self.jumps = 0.0;
        self.gradient.reset();
        self.top_calm.reset();
        self.top_jumped.reset();
        self.next = None;
    }
}

#[inline]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests;
