//! Linear prediction whose weights follow the gradient of the error, sample by sample (Widrow and Hoff 1960; Adas 1998, which
//! is equation 8 of He et al. 2002).
//!
//! With u the last n samples less a centre c, the forecast is `c + w.u`; when x comes, `e = x - forecast` and
//! `w += step e u`, or `w += step e u / (eps + u.u)` where it is normalised (Nagumo and Noda 1967). An error counts for at
//! most `clip` usual ones: without that an outlier, which is met while u.u is still small, throws the weights far away.

use super::clip::Clip;
use super::regressors::{dot, Regressors};
use super::young_mean::YoungMean;
use super::Forecaster;
use crate::error::ConfigError;
use crate::sample::is_finite;

/// What eps is unless it is given, in means of u.u: as much as usual halves the step.
const USUAL_EPS: f64 = 0.1;

/// Samples that the running mean of u.u remembers.
const POWER_MEMORY: f64 = 500.0;

/// What divides the step.
#[derive(Clone, Debug)]
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// No error is clipped.
    const NEVER: f64 = 1e300;

    fn noise(n: usize) -> impl Iterator<Item = f64> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        (0..n).map(move |_| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        })
    }

    /// The definition, written out.
    fn by_definition(xs: &[f64], n: usize, c: f64, step: f64, eps: Option<f64>) -> f64 {
        let mut w = vec![0.0; n];
        let u = |t: usize| (1..=n).map(|i| xs[t - i] - c).collect::<Vec<f64>>();
        let along = |w: &[f64], u: &[f64]| w.iter().zip(u).map(|(w, u)| w * u).sum::<f64>();
        for (t, x) in xs.iter().enumerate().skip(n) {
            let u = u(t);
            let e = x - (c + along(&w, &u));
            let divisor = eps.map_or(1.0, |eps| eps + along(&u, &u));
            w.iter_mut().zip(&u).for_each(|(w, u)| *w += step * e * u / divisor);
        }
        c + along(&w, &u(xs.len()))
    }

    proptest! {
        #[test]
        fn equals_its_definition_at_every_prefix(
            xs in prop::collection::vec(-1.0..1.0f64, 10..80), order in 1u32..9, normalised in any::<bool>(),
        ) {
            let mut lms = if normalised {
                Lms::normalised(order, 0.3, Some(0.01), Some(0.25), 1, NEVER).unwrap()
            } else {
                Lms::new(order, 0.05, Some(0.25), 1, NEVER).unwrap()
            };
            for n in 1..=xs.len() {
                lms.update(xs[n - 1]);
                if n >= order as usize {
                    let (step, eps) = if normalised { (0.3, Some(0.01)) } else { (0.05, None) };
                    let expected = by_definition(&xs[..n], order as usize, 0.25, step, eps);
                    prop_assert!((lms.forecast().unwrap() - expected).abs() < 1e-9, "after {}", n);
                }
            }
        }
    }

    #[test]
    fn learns_an_autoregression_around_a_running_mean() {
        for mut lms in [
            Lms::new(4, 0.01, None, 500, 6.0).unwrap(),
            Lms::normalised(4, 0.02, None, None, 500, 6.0).unwrap(),
        ] {
            let mut x = 0.0;
            for e in noise(30_000) {
                x = 0.8 * x + e;
                lms.update(1000.0 + x);
            }
            assert!((lms.weights()[0] - 0.8).abs() < 0.1, "{:?}", lms.weights());
            let centre = lms.regressors.centre();
            assert!((centre - 1000.0).abs() < 0.5);
            assert!((lms.forecast_ahead(1000).unwrap() - centre).abs() < 1e-6);
            assert_eq!(lms.forecast(), lms.forecast_ahead(1));
        }
    }

    #[test]
    fn a_clipped_error_keeps_the_weights_where_they_were() {
        let after_an_outlier = |clip: f64| {
            let mut lms = Lms::normalised(20, 0.1, Some(1e-3), Some(0.0), 1, clip).unwrap();
            noise(2000).chain([1e6]).for_each(|x| lms.update(x));
            lms.weights().iter().fold(0.0f64, |most, w| most.max(w.abs()))
        };
        assert!(after_an_outlier(6.0) < 1.0);
        assert!(after_an_outlier(NEVER) > 1e3);
    }

    #[test]
    fn a_constant_series_is_forecast_and_a_first_sample_too() {
        let mut lms = Lms::normalised(3, 0.5, None, None, 100, 6.0).unwrap();
        assert_eq!((lms.forecast(), lms.forecast_ahead(3)), (None, None));
        for _ in 0..100 {
            lms.update(5.0);
            assert_eq!((lms.forecast(), lms.forecast_ahead(3)), (Some(5.0), Some(5.0)));
        }
        lms.reset();
        assert_eq!((lms.forecast(), lms.weights()), (None, &[0.0; 3][..]));
    }

    #[test]
    fn finite_samples_give_finite_forecasts_even_where_the_step_is_too_great() {
        let huge = [f64::MAX, -f64::MAX, f64::NAN, 1.0, 0.0, 1e300];
        let mut diverging = Lms::new(3, 1e3, None, 50, NEVER).unwrap();
        let mut normalised = Lms::normalised(3, 1.9, Some(0.0), None, 50, NEVER).unwrap();
        for (t, x) in noise(3000).enumerate() {
            for lms in [&mut diverging, &mut normalised] {
                lms.update(if t % 100 < 6 { huge[t % 100] } else { x });
                assert!(lms.forecast().unwrap().is_finite() && lms.forecast_ahead(40).unwrap().is_finite());
            }
        }
    }

    #[test]
    fn what_cannot_be_is_named() {
        let refused = |order, step, clip| Lms::new(order, step, None, 100, clip).unwrap_err().field;
        assert_eq!(
            [refused(0, 0.1, 6.0), refused(2, 0.0, 6.0), refused(2, 0.1, 0.0)],
            ["order", "step", "clip"]
        );
        assert_eq!(Lms::normalised(2, 2.0, None, None, 9, 6.0).unwrap_err().field, "step");
        assert_eq!(Lms::normalised(2, 0.1, Some(-1.0), None, 9, 6.0).unwrap_err().field, "eps");
        assert_eq!(Lms::new(2, 0.1, Some(f64::NAN), 9, 6.0).unwrap_err().field, "centre");
        assert_eq!(Lms::new(2, 0.1, None, 0, 6.0).unwrap_err().field, "memory");
    }
}
