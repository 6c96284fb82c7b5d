//! Linear prediction whose weights follow the gradient of the error, sample by sample (Widrow and Hoff 1960; Adas 1998, which
//! is equation 8 of He et al. 2002).
//!
//! With u the last n samples less a centre c, the forecast is `c + w.u`; when x comes, `e = x - forecast` and
//! `w += step e u`, or `w += step e u / (eps + u.u)` where it is normalised (Nagumo and Noda 1967). An error counts for at
//! most `clip` usual ones: without that an outlier, which is met while u.u is still small, throws the weights far away.

use alloc::boxed::Box;
use alloc::vec;

use super::clip::Clip;
use super::regressors::{dot, Regressors};
use super::young_mean::YoungMean;
use super::Forecaster;
use crate::error::ConfigError;
use crate::sample::is_finite;

/// Default of eps, in means of u.u: as much as usual halves the step.
const USUAL_EPS: f64 = 0.1;

/// Samples that the running mean of u.u remembers.
const POWER_MEMORY: f64 = 500.0;

/// Divisor of the step.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Normalised {
    No,
    /// eps as it is given.
    By(f64),
    /// eps is a part of the mean of u.u, which is kept here.
    ByPower(YoungMean),
}

/// Forecasts by weights that learn from each error, in O(n) a sample.
///
/// Steps are stable below about 2 / u.u, normalised ones below 2. Weights that a greater step lets overflow start anew.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lms {
    step: f64,
    normalised: Normalised,
    regressors: Regressors,
    clip: Clip,
    weights: Box<[f64]>,
    next: Option<f64>,
}

impl Lms {
    /// Equation 8: `order` samples predict the next; `step` has the units of 1 / x^2.
    ///
    /// The samples lie around `centre`, or around their running mean over about `memory` samples if that is `None`.
    ///
    /// # Errors
    /// An order outside 1 to 100, a step that is not above 0, a clip below 1, a memory of 0.
    pub fn new(
        order: u32,
        step: f64,
        centre: Option<f64>,
        memory: u32,
        clip: f64,
    ) -> Result<Self, ConfigError> {
        ConfigError::unless(step > 0.0 && step.is_finite(), "step", step, "a number above 0")?;
        Ok(Lms {
            step,
            normalised: Normalised::No,
            regressors: Regressors::new(order, centre, memory)?,
            clip: Clip::new(clip)?,
            weights: vec![0.0; order as usize].into_boxed_slice(),
            next: None,
        })
    }

    /// The normalised form, whose `step` has no units. `eps` has those of x^2; `None` is a tenth of the mean of u.u.
    ///
    /// # Errors
    /// As [`Lms::new`]; a step of 2 or more, which is never stable; an eps below 0.
    pub fn normalised(
        order: u32,
        step: f64,
        eps: Option<f64>,
        centre: Option<f64>,
        memory: u32,
        clip: f64,
    ) -> Result<Self, ConfigError> {
        ConfigError::unless(step > 0.0 && step < 2.0, "step", step, "a number above 0 and below 2")?;
        let given = eps.unwrap_or(0.0);
        ConfigError::unless((0.0..f64::INFINITY).contains(&given), "eps", given, "a number of at least 0")?;
        let normalised =
            eps.map_or_else(|| Normalised::ByPower(YoungMean::new(1.0 / POWER_MEMORY)), Normalised::By);
        Ok(Lms { normalised, ..Lms::new(order, step, centre, memory, clip)? })
    }

    /// The weights, that of the newest sample first.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    #[inline]
    fn learn(&mut self, error: f64) {
        let u = self.regressors.deviations();
        let error = self.clip.clip(error);
        let divisor = match &mut self.normalised {
            Normalised::No => 1.0,
            Normalised::By(eps) => *eps + dot(u, u),
            Normalised::ByPower(power) => {
                let squares = dot(u, u);
                power.update(squares);
                USUAL_EPS * power.value() + squares
            }
        };
        // Without variance there is nothing to learn from.
        if divisor > 0.0 && divisor.is_finite() {
            let by = self.step * error / divisor;
            self.weights.iter_mut().zip(u).for_each(|(w, u)| *w += by * u);
        }
    }
}

impl Forecaster for Lms {
    #[inline]
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        if let Some(next) = self.next.filter(|_| self.regressors.is_full()) {
            self.learn(x - next);
        }
        self.regressors.push(x);
        if !dot(&self.weights, self.regressors.deviations()).is_finite() {
            self.weights.fill(0.0);
        }
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
        if let Normalised::ByPower(power) = &mut self.normalised {
            power.reset();
        }
        self.next = None;
    }
}

#[cfg(test)]
mod tests;
