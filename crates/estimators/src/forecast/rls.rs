//! Linear prediction by recursive least squares with forgetting, in square-root form.
//!
//! The weights minimise the sum of `f^(t-i) (x(i) - c - w.u(i))^2`, with `f = 1 - 1/memory`. Their covariance is kept as
//! `P = S S^T` and S is what is updated (Potter's algorithm; Bierman 1977, section II.3), so that P cannot lose its sign to
//! rounding however long the series is. A direction that no sample excites would let P grow without bound: nothing is
//! forgotten while P is above a limit, in units of 1 / the mean square of the samples. When a series shrinks s times, P has to
//! grow by s^2, which takes 2 ln s memories.

use alloc::boxed::Box;
use alloc::vec;

use super::clip::Clip;
use super::regressors::{dot, Regressors};
use super::young_mean::YoungMean;
use super::Forecaster;
use crate::error::ConfigError;
use crate::math::{sqrt, square};
use crate::sample::is_finite;

/// Variance of a weight at the start, times the mean square of the samples.
const START: f64 = 1.0;

/// The mean variance of a weight, in units of that of the start, above which nothing more is forgotten.
const UNCERTAIN: f64 = 10.0;

/// Deviations below this part of the centre are rounding.
const ROUNDING: f64 = 1e-12;

/// Forecasts by the weights that would have been best so far, in O(n^2) a sample.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rls {
    forgetting: f64,
    regressors: Regressors,
    clip: Clip,
    weights: Box<[f64]>,
    /// S by rows, once `started`.
    root: Box<[f64]>,
    started: bool,
    /// Mean square of a deviation.
    power: YoungMean,
    along: Box<[f64]>,
    next: Option<f64>,
}

impl Rls {
    /// `order` samples predict the next, by about the last `memory` samples, around `centre` or else their running mean.
    ///
    /// # Errors
    /// An order outside 1 to 100, a memory of fewer than 10 samples, a clip below 1.
    pub fn new(order: u32, memory: u32, centre: Option<f64>, clip: f64) -> Result<Self, ConfigError> {
        ConfigError::unless(memory >= 10, "memory", memory, "a whole number of at least 10")?;
        let zeros = |n: u32| vec![0.0; n as usize].into_boxed_slice();
        let regressors = Regressors::new(order, centre, memory)?;
        Ok(Rls {
            forgetting: 1.0 - 1.0 / f64::from(memory),
            regressors,
            clip: Clip::new(clip)?,
            weights: zeros(order),
            root: zeros(order * order),
            started: false,
            power: YoungMean::new(1.0 / f64::from(memory)),
            along: zeros(order),
            next: None,
        })
    }

    /// The weights, that of the newest sample first.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// P is that of the start, whatever was learnt.
    fn start(&mut self, power: f64) {
        let order = self.weights.len();
        self.root.fill(0.0);
        let deviation = sqrt(START / power);
        self.root.iter_mut().step_by(order + 1).for_each(|s| *s = deviation);
        self.started = deviation.is_finite() && deviation > 0.0;
    }

    fn learn(&mut self, error: f64) {
        let order = self.weights.len();
        let u = self.regressors.deviations();
        let power = dot(u, u) / order as f64;
        let rounding = square(ROUNDING * self.regressors.centre()).max(f64::MIN_POSITIVE);
        let error = self.clip.clip(error);
        if !(power > rounding && power.is_finite()) {
            return;
        }
        self.power.update(power);
        if !self.started {
            self.start(self.power.value());
        }
        self.step(error);
        if !self.weights.iter().all(|w| w.is_finite()) || !self.root.iter().all(|s| s.is_finite()) {
            self.weights.fill(0.0);
            self.started = false;
        }
    }

    /// Potter's step: with `v = S^T u` and `b = 1 / (f + v.v)` the gain is `b S v`, and S becomes
    /// `(S - b / (1 + sqrt(f b)) S v v^T) / sqrt(f)`.
    fn step(&mut self, error: f64) {
        let order = self.weights.len();
        let (u, along) = (self.regressors.deviations(), &mut self.along[..]);
        along.fill(0.0);
        for (row, &u) in self.root.chunks_exact(order).zip(u) {
            along.iter_mut().zip(row).for_each(|(v, s)| *v += u * s);
        }
        let squares: f64 = self.root.iter().map(|s| s * s).sum();
        let most = UNCERTAIN * START / self.power.value() * order as f64;
        let f = if squares < most { self.forgetting } else { 1.0 };
        let b = 1.0 / (f + dot(along, along));
        let by = b / (1.0 + sqrt(f * b));
        let grow = 1.0 / sqrt(f);
        for (row, w) in self.root.chunks_exact_mut(order).zip(&mut self.weights) {
            let gain = dot(row, along);
            *w += b * gain * error;
            row.iter_mut().zip(&*along).for_each(|(s, v)| *s = (*s - by * gain * v) * grow);
        }
    }
}

impl Forecaster for Rls {
    #[inline]
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        if let Some(next) = self.next.filter(|_| self.regressors.is_full()) {
            self.learn(x - next);
        }
        self.regressors.push(x);
        self.next = Some(self.regressors.predict(&self.weights));
    }

    #[inline]
    fn forecast(&self) -> Option<f64> {
        self.next
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        self.next.map(|_| self.regressors.predict_ahead(&self.weights, steps))
    }

    fn reset(&mut self) {
        self.regressors.reset();
        self.clip.reset();
        self.weights.fill(0.0);
        self.started = false;
        self.power.reset();
        self.next = None;
    }
}

#[cfg(test)]
mod tests;
