//! ARIMA that is fitted anew every so many samples, by exact likelihood over the last ones.
//!
//! Each fit begins where the one before ended. The exact filter then starts at the window's first sample, because with
//! theta near -1, as round-trip times have it, the plain recursion never forgets how it was begun.

use alloc::vec::Vec;

use super::{ExactArima, Forecaster};
use crate::arima::{Coefficients, Fitter, Method, Order, MAX_ORDER};
use crate::error::ConfigError;
use crate::sample::is_finite;

/// Most samples of a window.
const MAX_WINDOW: u32 = 1 << 20;

/// Samples before the first fit, at least.
const FIRST: u32 = 50;

/// Forecasts with an ARIMA(p,d,q) that is fitted to the last samples: first when there are 50, then whenever there are twice
/// as many as the time before, until that is every so many. While there is no model, or the window is constant, the last
/// value or the model before goes on.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RefittedArima {
    fitter: Fitter,
    model: Coefficients,
    fitted: bool,
    filter: ExactArima,
    /// Room for two windows, so that the last samples always lie in one piece.
    samples: Vec<f64>,
    window: usize,
    every: u32,
    /// Samples between the fit before and the next one.
    interval: u32,
    until_fit: u32,
    last: Option<f64>,
}

impl RefittedArima {
    /// Fits to the last `window` samples, every `every` samples.
    ///
    /// # Errors
    /// An order that [`Order::check`] refuses, a window too short for it or beyond 2^20, an `every` of 0.
    pub fn new(order: Order, window: u32, every: u32) -> Result<Self, ConfigError> {
        let most = "at most 1048576 samples";
        ConfigError::unless(window <= MAX_WINDOW, "window", window, most)?;
        ConfigError::unless(every >= 1, "every", every, "a whole number of at least 1")?;
        let fitter = Fitter::new(order, window as usize)?;
        let room = || Vec::with_capacity(MAX_ORDER);
        let model = Coefficients { ar: room(), ma: room(), d: order.d, mean: 0.0 };
        let filter = ExactArima::new(&model)?;
        let samples = Vec::with_capacity(2 * window as usize);
        let window = window as usize;
        let mut made = RefittedArima {
            fitter,
            model,
            fitted: false,
            filter,
            samples,
            window,
            every,
            interval: 0,
            until_fit: 0,
            last: None,
        };
        made.reset();
        Ok(made)
    }

    /// The model that was fitted last; `None` before the first fit.
    pub fn model(&self) -> Option<&Coefficients> {
        self.fitted.then_some(&self.model)
    }

    fn remember(&mut self, x: f64) {
        if self.samples.len() == 2 * self.window {
            self.samples.copy_within(self.window + 1.., 0);
            self.samples.truncate(self.window - 1);
        }
        self.samples.push(x);
    }

    fn fit(&mut self) {
        let newest = &self.samples[self.samples.len().saturating_sub(self.window)..];
        let warm = self.fitted.then_some(&self.model);
        // A window that is constant or too short keeps the model that there is.
        let Ok(found) = self.fitter.fit(newest, Method::Ml, warm) else { return };
        found.write_to(&mut self.model);
        let Ok(filter) = ExactArima::new(&self.model) else { return };
        self.filter = filter;
        self.fitted = true;
        for &x in newest {
            self.filter.update(x);
        }
    }

    /// Samples before the first fit, and between it and the second.
    fn first(&self) -> (u32, u32) {
        let first = FIRST.max(self.fitter.order().least_samples() as u32);
        (first, first.min(self.every))
    }

    /// Forecast of the model, or the last value while there is none.
    fn known(&self, by_model: Option<f64>) -> Option<f64> {
        if self.fitted {
            by_model
        } else {
            self.last
        }
    }
}

impl Forecaster for RefittedArima {
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        self.last = Some(x);
        self.remember(x);
        self.filter.update(x);
        self.until_fit -= 1;
        if self.until_fit == 0 {
            self.fit();
            self.until_fit = self.interval;
            self.interval = self.interval.saturating_mul(2).min(self.every);
        }
    }

    fn forecast(&self) -> Option<f64> {
        self.known(self.filter.forecast())
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        self.known(self.filter.forecast_ahead(steps))
    }

    fn reset(&mut self) {
        self.samples.clear();
        self.fitted = false;
        self.filter.reset();
        (self.until_fit, self.interval) = self.first();
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(n: usize) -> Vec<f64> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut y = 0.0;
        (0..n)
            .scan(50.0, |x, _| {
                y = 0.6 * y + next();
                *x += y;
                Some(*x)
            })
            .collect()
    }

    #[test]
    fn forecasts_as_a_model_fitted_to_the_window_by_itself() {
        let xs = series(900);
        let mut refitted = RefittedArima::new(Order::new(1, 1, 0), 400, 50).unwrap();
        xs.iter().for_each(|&x| refitted.update(x));
        let mut fitter = Fitter::new(Order::new(1, 1, 0), 400).unwrap();
        let alone = fitter.fit(&xs[500..], Method::Ml, None).unwrap().coefficients();
        // A warm start ends within a thousandth of the log-likelihood: 0.045 standard errors, of which one is 0.04.
        assert!((refitted.model().unwrap().ar[0] - alone.ar[0]).abs() < 0.002);
        let mut filter = ExactArima::new(&alone).unwrap();
        xs[500..].iter().for_each(|&x| filter.update(x));
        assert!((refitted.forecast().unwrap() - filter.forecast().unwrap()).abs() < 1e-3);
        assert!((refitted.forecast_ahead(4).unwrap() - filter.forecast_ahead(4).unwrap()).abs() < 1e-3);
    }

    #[test]
    fn a_constant_series_goes_on() {
        let mut refitted = RefittedArima::new(Order::new(2, 0, 1), 100, 60).unwrap();
        assert_eq!(refitted.forecast(), None);
        for _ in 0..400 {
            refitted.update(7.0);
            assert_eq!(refitted.forecast_ahead(3), Some(7.0));
        }
        refitted.reset();
        assert_eq!(refitted.forecast(), None);
    }

    #[test]
    fn finite_samples_give_finite_forecasts() {
        let mut refitted = RefittedArima::new(Order::new(2, 1, 1), 100, 30).unwrap();
        for t in 0..1000 {
            refitted.update(
                [f64::MAX, -f64::MAX, 0.0, f64::NAN, 1.0, 2.0, 1.5][t % 7]
                    * if t > 500 { 1e-305 } else { 1.0 },
            );
            assert!(refitted.forecast_ahead(5).unwrap().is_finite(), "after {t}");
        }
    }
}
