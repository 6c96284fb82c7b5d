//! Predictors of long memory as forecasters: the weights follow from the Hurst parameter, which is given or estimated.

use alloc::boxed::Box;
use alloc::vec;

use super::regressors::Regressors;
use super::Forecaster;
use crate::error::ConfigError;
use crate::fractional::{check_hurst, farima_weights, fbm_weights};
use crate::long_memory::LocalWhittle;
use crate::sample::is_finite;

/// Largest window.
const MAX_FRACTIONAL_WINDOW: u32 = 1 << 20;

/// Least change of H for which weights are reckoned anew. The error of a forecast changes with the square of it.
const NOTICEABLE: f64 = 0.005;

/// Range of an estimate of H that weights are reckoned for.
const RANGE: (f64, f64) = (0.01, 0.99);

/// Which process the weights are best for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fractional {
    /// Fractional Brownian motion, whose increments are forecast: see [`fbm_weights`].
    Fbm,
    /// Fractionally differenced noise: see [`farima_weights`].
    Farima,
}

impl Fractional {
    fn write(self, h: f64, weights: &mut [f64]) {
        match self {
            Fractional::Fbm => fbm_weights(h, weights),
            Fractional::Farima => farima_weights(h, weights),
        }
    }
}

/// Forecasts a series of long memory by the weights of a process with its Hurst parameter.
///
/// A sample costs O(order). Where H is estimated, every `every` samples cost a fast Fourier transform of the window, and new
/// weights if H has changed by more than 0.005. No memory is allocated after construction.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FractionalForecaster {
    process: Fractional,
    given: Option<f64>,
    estimator: Option<LocalWhittle>,
    every: u32,
    until_estimate: u32,
    /// The H of the weights.
    h: f64,
    weights: Box<[f64]>,
    regressors: Regressors,
    next: Option<f64>,
}

impl FractionalForecaster {
    /// `order` samples predict the next. The mean of the last `window` is taken off before and added back afterwards. H is
    /// `h`, or else the local Whittle estimate of the window, anew every `every` samples, put into [0.01, 0.99]; before the
    /// first 32 samples it is 1/2, which forecasts the mean.
    ///
    /// # Errors
    /// An order outside 1 to 100, or of 1 for [`Fractional::Fbm`]; a window below the order, below 32 where H is estimated,
    /// or above 2^20; an H outside (0, 1); an `every` of 0.
    pub fn new(
        process: Fractional,
        order: u32,
        window: u32,
        h: Option<f64>,
        every: u32,
    ) -> Result<Self, ConfigError> {
        let enough = process == Fractional::Farima || order != 1;
        ConfigError::unless(enough, "order", order, "a whole number from 2 to 100")?;
        let regressors = Regressors::over_window(order, window, MAX_FRACTIONAL_WINDOW)?;
        ConfigError::unless(every >= 1, "every", every, "a whole number of at least 1")?;
        h.map_or(Ok(()), check_hurst)?;
        let estimator = if h.is_none() { Some(LocalWhittle::new(window as usize)?) } else { None };
        let mut forecaster = FractionalForecaster {
            process,
            given: h,
            estimator,
            every,
            until_estimate: 0,
            h: 0.5,
            weights: vec![0.0; order as usize].into_boxed_slice(),
            regressors,
            next: None,
        };
        forecaster.reset();
        Ok(forecaster)
    }

    /// The Hurst parameter of the weights.
    pub fn hurst(&self) -> f64 {
        self.h
    }

    /// The weights, that of the newest sample first.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn weigh(&mut self, h: f64) {
        self.h = h;
        self.process.write(h, &mut self.weights);
    }

    fn estimate(&mut self) {
        let Some(estimator) = &mut self.estimator else { return };
        let (older, newer) = self.regressors.window();
        if self.until_estimate > 0 || older.len() + newer.len() < LocalWhittle::least_samples() {
            self.until_estimate = self.until_estimate.saturating_sub(1);
            return;
        }
        self.until_estimate = self.every - 1;
        // A window without variance has no H; the weights then stay as they are.
        let Ok(hurst) = estimator.estimate_parts(older, newer) else { return };
        let h = hurst.h.clamp(RANGE.0, RANGE.1);
        if (h - self.h).abs() > NOTICEABLE {
            self.weigh(h);
        }
    }
}

impl Forecaster for FractionalForecaster {
    #[inline]
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        self.regressors.push(x);
        self.estimate();
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
        self.until_estimate = 0;
        self.next = None;
        self.weigh(self.given.unwrap_or(0.5));
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_noise::noise;
    use super::*;

    const BOTH: [Fractional; 2] = [Fractional::Fbm, Fractional::Farima];

    /// FARIMA(0,d,0) from uniform noise, by its infinite moving average cut at 2000 (Hosking 1981, theorem 1a).
    fn farima(n: usize, d: f64) -> Vec<f64> {
        let e: Vec<f64> = noise(n + 2000).collect();
        let mut psi = vec![1.0];
        (1..2000).for_each(|k| psi.push(psi[k - 1] * (k as f64 - 1.0 + d) / k as f64));
        (0..n).map(|t| psi.iter().zip(e[..t + 2000].iter().rev()).map(|(p, e)| p * e).sum()).collect()
    }

    #[test]
    fn the_error_on_its_own_process_is_near_that_of_theory() {
        let (d, n) = (0.3, 8000);
        let xs = farima(n, d);
        for h in [Some(0.8), None] {
            let mut forecaster = FractionalForecaster::new(Fractional::Farima, 20, 2000, h, 200).unwrap();
            let mut squares = 0.0;
            for (t, &x) in xs.iter().enumerate() {
                let error = x - forecaster.forecast().unwrap_or(x);
                squares += if t < 2000 { 0.0 } else { error * error };
                forecaster.update(x);
            }
            // From all of the past the error is that of the noise, 1/12; from 20 values it is a little more.
            let partial = |k: f64| 1.0 / (1.0 - (d / (k - d)).powi(2));
            let expected = (21..100_000).map(|k| partial(f64::from(k))).product::<f64>() / 12.0;
            let found = squares / (n - 2000) as f64;
            assert!((found / expected - 1.0).abs() < 0.06, "{h:?}: {found} {expected}");
            assert!((forecaster.hurst() - 0.8).abs() < 0.12, "{}", forecaster.hurst());
        }
    }

    #[test]
    fn the_mean_is_taken_off_and_added_back() {
        for process in BOTH {
            let mut low = FractionalForecaster::new(process, 5, 50, Some(0.9), 1).unwrap();
            let mut high = low.clone();
            for x in farima(200, 0.4) {
                low.update(x);
                high.update(x + 1000.0);
                assert!((high.forecast().unwrap() - low.forecast().unwrap() - 1000.0).abs() < 1e-9);
                assert_eq!(low.forecast(), low.forecast_ahead(1));
            }
            assert!((low.forecast_ahead(100_000).unwrap() - low.regressors.centre()).abs() < 0.01);
        }
    }

    #[test]
    fn a_window_without_variance_forecasts_its_value() {
        for process in BOTH {
            let mut forecaster = FractionalForecaster::new(process, 20, 100, None, 10).unwrap();
            assert_eq!((forecaster.forecast(), forecaster.forecast_ahead(2)), (None, None));
            for _ in 0..300 {
                forecaster.update(7.0);
                assert_eq!(forecaster.forecast_ahead(9), Some(7.0));
            }
            farima(200, 0.3).into_iter().for_each(|x| forecaster.update(x));
            assert_ne!(forecaster.hurst(), 0.5);
            forecaster.reset();
            assert_eq!((forecaster.forecast(), forecaster.hurst()), (None, 0.5));
        }
    }

    #[test]
    fn finite_samples_give_finite_forecasts() {
        for process in BOTH {
            let mut forecaster = FractionalForecaster::new(process, 3, 40, None, 7).unwrap();
            for t in 0..2000 {
                forecaster.update([f64::MAX, -f64::MAX, f64::NAN, 1e-300, 1e200, 3.0, 1.0][t * t % 7]);
                assert!(forecaster.forecast().unwrap().is_finite());
                assert!(forecaster.forecast_ahead(40).unwrap().is_finite());
            }
        }
    }

    #[test]
    fn what_cannot_be_is_named() {
        let refused = |process, order, window, h, every| {
            FractionalForecaster::new(process, order, window, h, every).unwrap_err().field
        };
        assert_eq!(refused(Fractional::Fbm, 1, 100, Some(0.7), 1), "order");
        assert_eq!(refused(Fractional::Farima, 0, 100, Some(0.7), 1), "order");
        assert_eq!(refused(Fractional::Farima, 20, 19, Some(0.7), 1), "window");
        assert_eq!(refused(Fractional::Farima, 20, 31, None, 1), "window");
        assert_eq!(refused(Fractional::Fbm, 20, 100, Some(1.0), 1), "h");
        assert_eq!(refused(Fractional::Fbm, 20, 100, Some(f64::NAN), 1), "h");
        assert_eq!(refused(Fractional::Fbm, 20, 100, None, 0), "every");
    }
}
