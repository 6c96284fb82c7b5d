//! Fitting an ARIMA to a series, with stationarity and invertibility kept.

use super::fit_flags::FitFlags;
use super::likelihood::{Likelihood, Method, Space, Vector, MAX_COEFFICIENTS};
use super::minimise::{minimise, Minimum};
use super::partial::{partial_of, step_up};
use super::series::{Difference, FitError};
use super::starts::{fixed, free_from, hannan_rissanen, FIXED};
use super::summary::{log_likelihood, FitSummary};
use super::{Coefficients, Order};
use crate::error::ConfigError;

/// How much closer to the best a first search from each start comes, in units of the log-likelihood.
const COARSE: f64 = 1e-2;

/// How close the last search comes.
const FINE: f64 = 1e-9;

/// Fits models of one order to series, one after the other, and allocates only when it is made.
///
/// ```
/// use parshall_estimators::arima::{Fitter, Method, Order};
///
/// let xs: Vec<f64> = (0..200).map(|t| f64::from(t * t % 17)).collect();
/// let mut fitter = Fitter::new(Order::new(1, 1, 1), 200).unwrap();
/// let cold = fitter.fit(&xs[..150], Method::Css, None).unwrap();
/// let warm = fitter.fit(&xs[50..], Method::Css, Some(&cold.coefficients())).unwrap();
/// assert!(warm.sigma2 > 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct Fitter {
    order: Order,
    pub(super) series: Difference,
    /// Room for the errors of a long autoregression.
    errors: Vec<f64>,
}

impl Fitter {
    /// For series of at most `longest` samples.
    ///
    /// # Errors
    /// An order that [`Order::check`] refuses, or a length that is less than [`Order::least_samples`].
    pub fn new(order: Order, longest: usize) -> Result<Self, ConfigError> {
        order.check()?;
        let long_enough = longest >= order.least_samples();
        ConfigError::unless(long_enough, "window", longest, "at least 3 (p + q + 2) + d samples")?;
        Ok(Fitter { order, series: Difference::new(order, longest), errors: vec![0.0; longest] })
    }

    /// The order that is fitted.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Fits the model to a series. With a `warm_start`, the coefficients found before on a similar series, there is one
    /// search from there; without, there are several, since the likelihood may have more than one maximum.
    ///
    /// # Errors
    /// A series that is too short or too long, constant, or not finite.
    pub fn fit(
        &mut self,
        xs: &[f64],
        method: Method,
        warm_start: Option<&Coefficients>,
    ) -> Result<FitSummary, FitError> {
        self.series.take(xs)?;
        let fits = |model: &&Coefficients| model.ar.len() == self.order.p && model.ma.len() == self.order.q;
        let found = match warm_start.filter(fits) {
            Some(model) => {
                let start = free_from(self.order, &model.ar, &model.ma);
                minimise(&self.likelihood(method), &start, FINE)
            }
            None => self.search(method),
        };
        Ok(self.summary(method, &found))
    }

    /// The data that were last fitted, with the model.
    pub(super) fn likelihood(&self, method: Method) -> Likelihood<'_> {
        Likelihood { values: self.series.values(), order: self.order, method }
    }

    /// Searches from several starts and refines the best of what they lead to.
    fn search(&mut self, method: Method) -> Minimum {
        let guess = self.guess();
        let likelihood = self.likelihood(method);
        let mut best = minimise(&likelihood, &guess, COARSE);
        let mut evaluations = best.evaluations;
        if self.order.coefficients() > 0 {
            for pair in FIXED {
                let found = minimise(&likelihood, &fixed(self.order, pair), COARSE);
                evaluations += found.evaluations;
                if found.objective < best.objective {
                    best = found;
                }
            }
        }
        let mut refined = minimise(&likelihood, &best.point, FINE);
        refined.evaluations += evaluations;
        refined
    }

    /// Where the data themselves say that a search begins.
    fn guess(&mut self) -> Vector {
        let likelihood = Likelihood { values: self.series.values(), order: self.order, method: Method::Css };
        let mean = 0.0; // The series is centred where it has a mean.
        let length = likelihood.values.len();
        let start = hannan_rissanen(&likelihood, mean, &mut self.errors[..length]);
        minimise(&likelihood, &start.unwrap_or([0.0; MAX_COEFFICIENTS]), COARSE).point
    }

    fn summary(&self, method: Method, found: &Minimum) -> FitSummary {
        let likelihood = self.likelihood(method);
        let value = likelihood.value(Space::Free, &found.point);
        let partial = found.point.map(|free| partial_of(free).0);
        let (p, k) = (self.order.p, self.order.coefficients());
        let ar = step_up(&partial[..p]);
        let ma = step_up(&partial[p..k]).map(|theta| -theta);
        let (centre, scale) = (self.series.centre(), self.series.scale());
        let count = likelihood.count();
        let sigma2 = value.squares / count as f64;
        FitSummary {
            order: self.order,
            method,
            ar,
            ma,
            mean: if self.order.has_mean() { centre + scale * value.mean } else { 0.0 },
            sigma2: sigma2 * scale * scale,
            loglik: log_likelihood(count, sigma2, value.log_variances) - count as f64 * scale.ln(),
            count,
            converged: found.converged,
            flags: FitFlags::of(&ar[..p], &ma[..self.order.q]),
            evaluations: found.evaluations,
        }
    }
}
