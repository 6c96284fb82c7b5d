//! Linear prediction by recursive least squares with forgetting, in square-root form.
//!
//! The weights minimise the sum of `f^(t-i) (x(i) - c - w.u(i))^2`, with `f = 1 - 1/memory`. Their covariance is kept as
//! `P = S S^T` and S is what is updated (Potter's algorithm; Bierman 1977, section II.3), so that P cannot lose its sign to
//! rounding however long the series is. A direction that no sample excites would let P grow without bound: nothing is
//! forgotten while P is above a limit, in units of 1 / the mean square of the samples. When a series shrinks s times, P has to
//! grow by s^2, which takes 2 ln s memories.

use super::clip::Clip;
use super::regressors::{dot, Regressors};
use super::young_mean::YoungMean;
use super::Forecaster;
use crate::error::ConfigError;
use crate::sample::is_finite;

/// Variance of a weight at the start, times the mean square of the samples.
const START: f64 = 1.0;

/// The mean variance of a weight, in units of that of the start, above which nothing more is forgotten.
const UNCERTAIN: f64 = 10.0;

/// Deviations below this part of the centre are rounding.
const ROUNDING: f64 = 1e-12;

/// Forecasts by the weights that would have been best so far, in O(n^2) a sample.
#[derive(Clone, Debug)]
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
        let deviation = (START / power).sqrt();
        self.root.iter_mut().step_by(order + 1).for_each(|s| *s = deviation);
        self.started = deviation.is_finite() && deviation > 0.0;
    }

    fn learn(&mut self, error: f64) {
        let order = self.weights.len();
        let u = self.regressors.deviations();
        let power = dot(u, u) / order as f64;
        let rounding = (ROUNDING * self.regressors.centre()).powi(2).max(f64::MIN_POSITIVE);
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
        let by = b / (1.0 + (f * b).sqrt());
        let grow = 1.0 / f.sqrt();
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn noise(n: usize) -> impl Iterator<Item = f64> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        (0..n).map(move |_| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        })
    }

    /// The weighted sum of squares in the documentation, minimised through its normal equations, for two weights.
    fn by_normal_equations(xs: &[f64], f: f64, prior: f64) -> [f64; 2] {
        let n = xs.len();
        let fade = f.powi((n - 2) as i32) * prior;
        let (mut a, mut b, mut d, mut r) = (fade, 0.0, fade, [0.0; 2]);
        for t in 2..n {
            let weight = f.powi((n - 1 - t) as i32);
            let u = [xs[t - 1], xs[t - 2]];
            a += weight * u[0] * u[0];
            b += weight * u[0] * u[1];
            d += weight * u[1] * u[1];
            (0..2).for_each(|i| r[i] += weight * u[i] * xs[t]);
        }
        let determinant = a * d - b * b;
        [(d * r[0] - b * r[1]) / determinant, (a * r[1] - b * r[0]) / determinant]
    }

    proptest! {
        #[test]
        fn equals_the_normal_equations_at_every_prefix(xs in prop::collection::vec((0.9..1.0f64, any::<bool>()), 20..100)) {
            // All of about one size, so that the limit of P is not reached.
            let xs: Vec<f64> = xs.into_iter().map(|(x, sign)| if sign { x } else { -x }).collect();
            let mut rls = Rls::new(2, 50, Some(0.0), 1e300).unwrap();
            let prior = (xs[0] * xs[0] + xs[1] * xs[1]) / 2.0;
            for n in 1..=xs.len() {
                rls.update(xs[n - 1]);
                if n > 2 {
                    let expected = by_normal_equations(&xs[..n], 0.98, prior);
                    for (w, expected) in rls.weights().iter().zip(expected) {
                        prop_assert!((w - expected).abs() < 1e-8, "after {}", n);
                    }
                }
            }
        }
    }

    #[test]
    fn a_million_samples_that_teach_nothing_leave_it_as_it_was() {
        let mut rls = Rls::new(8, 100, None, 6.0).unwrap();
        noise(1000).for_each(|x| rls.update(3.0 + x));
        for t in 0..1_000_000 {
            rls.update(if t % 3 == 0 { f64::NAN } else { 3.0 });
        }
        assert!((rls.forecast().unwrap() - 3.0).abs() < 1e-6);
        assert!(rls.root.iter().all(|s| s.is_finite()));
        // What it then sees, it learns at once.
        let mut x = 0.0;
        for e in noise(2000) {
            x = 0.9 * x + e;
            rls.update(x);
        }
        assert!((rls.weights()[0] - 0.9).abs() < 0.25, "{:?}", rls.weights());
    }

    #[test]
    fn one_direction_alone_does_not_make_the_others_grow() {
        let mut rls = Rls::new(6, 20, Some(0.0), 6.0).unwrap();
        for t in 0..1_000_000 {
            rls.update(if t % 2 == 0 { 1.0 } else { -1.0 });
        }
        let squares: f64 = rls.root.iter().map(|s| s * s).sum();
        assert!(squares < 6.0 * UNCERTAIN * START / 0.95 + 1e-9, "{squares}");
        assert!((rls.forecast().unwrap() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_change_of_scale_is_followed_both_ways() {
        let mut rls = Rls::new(2, 100, Some(0.0), 6.0).unwrap();
        let mut x = 0.0;
        for (t, e) in noise(12_000).enumerate() {
            let (a, scale) = [(0.9, 1.0), (-0.5, 1e3), (0.7, 1.0)][t / 4000];
            if t % 4000 == 0 {
                x = 0.0;
            }
            x = a * x + e * scale;
            rls.update(x);
            if t % 4000 == 3999 {
                assert!((rls.weights()[0] - a).abs() < 0.15, "{t}: {:?}", rls.weights());
            }
        }
    }

    #[test]
    fn finite_samples_give_finite_forecasts() {
        let mut rls = Rls::new(3, 10, None, 6.0).unwrap();
        for (t, x) in noise(3000).enumerate() {
            rls.update([f64::MAX, -f64::MAX, f64::NAN, 1e-300, 1e200, x, x][t % 7]);
            assert!(rls.forecast().unwrap().is_finite() && rls.forecast_ahead(40).unwrap().is_finite());
        }
        rls.reset();
        assert_eq!(rls.forecast(), None);
    }

    #[test]
    fn what_cannot_be_is_named() {
        assert_eq!(Rls::new(101, 100, None, 6.0).unwrap_err().field, "order");
        assert_eq!(Rls::new(2, 9, None, 6.0).unwrap_err().field, "memory");
        assert_eq!(Rls::new(2, 10, None, 0.0).unwrap_err().field, "clip");
    }
}
