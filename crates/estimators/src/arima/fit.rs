//! Fitting an ARIMA to a series, with stationarity and invertibility kept.

use alloc::vec;
use alloc::vec::Vec;

use super::fit_flags::FitFlags;
use super::innovations::CONVERGED;
use super::likelihood::{Likelihood, Method, Space, Vector, MAX_COEFFICIENTS};
use super::minimise::{minimise, Effort, Minimum};
use super::partial::{partial_of, step_down, step_up};
use super::series::{Difference, FitError};
use super::starts::{fixed, free_from, hannan_rissanen, FIXED};
use super::summary::{log_likelihood, FitSummary};
use super::{ar_is_stationary, Coefficients, Order, MAX_ORDER};
use crate::error::ConfigError;
use crate::math::powi;

/// From each start: a look at where it leads.
const LOOK: Effort = Effort { tolerance: 1e-2, steps: 12 };

/// For these looks the filter settles down early.
const ROUGHLY: f64 = 1e-4;

/// From the best of these: close enough to tell which is lowest.
const COARSE: Effort = Effort { tolerance: 1e-2, steps: 200 };

/// The last search.
const FINE: Effort = Effort { tolerance: 1e-9, steps: 200 };

/// From a warm start: a thousandth of the log-likelihood is three hundredths of a standard error, and nobody sees it.
const WARM: Effort = Effort { tolerance: 1e-3, steps: 30 };

/// Number of the starting points that are followed.
const FOLLOWED: usize = 4;

/// Beyond this a free parameter hardly changes anything, so that a search may stop there for no other reason.
const FLAT: f64 = 4.0;

/// A place whose log-likelihood is lower than the best by as much is not followed.
const HOPELESS: f64 = 5.0;

/// Places whose partial autocorrelations differ by no more are one.
const SAME: f64 = 0.02;

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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// search from there, to within a few hundredths of a standard error; without, there are several to many digits, since
    /// the likelihood may have more than one maximum.
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
                minimise(&self.likelihood(method), &start, WARM)
            }
            None => self.search(method),
        };
        Ok(self.summary(method, &found))
    }

    /// The data that were last fitted, with the model.
    pub(super) fn likelihood(&self, method: Method) -> Likelihood<'_> {
        Likelihood { values: self.series.values(), order: self.order, method, settles_at: CONVERGED }
    }

    /// Looks where several starts lead, follows the best of them, and refines the lowest.
    fn search(&mut self, method: Method) -> Minimum {
        let guess = self.guess();
        let likelihood = self.likelihood(method);
        let rough = Likelihood { settles_at: ROUGHLY, ..likelihood };
        let mut places = [minimise(&likelihood, &guess, LOOK); FIXED.len() + 1];
        let mut evaluations = places[0].evaluations;
        let mut found = 1;
        // An autoregression has one maximum, and the guess lies beside it.
        let starts = if self.order.q == 0 { &FIXED[..1] } else { &FIXED[..] };
        for (i, parameters) in starts.iter().enumerate() {
            let start = fixed(self.order, parameters);
            if starts[..i].iter().all(|before| fixed(self.order, before) != start) {
                let mut place = minimise(&rough, &start, LOOK);
                place.objective = likelihood.value(Space::Free, &place.point).objective;
                evaluations += place.evaluations + 1;
                places[found] = place;
                found += 1;
            }
        }
        let places = &mut places[..found];
        places.sort_unstable_by(|a, b| a.objective.total_cmp(&b.objective));
        let lowest = places[0].objective;
        let mut followed = [places[0]; FOLLOWED];
        let mut count = 0;
        for place in places.iter().filter(|place| place.objective < lowest + HOPELESS) {
            if count < FOLLOWED && !followed[..count].iter().any(|other| self.is_same(place, other)) {
                followed[count] = *place;
                count += 1;
            }
        }
        let mut best = minimise(&likelihood, &followed[0].point, COARSE);
        for place in &followed[1..count] {
            let end = minimise(&likelihood, &place.point, COARSE);
            evaluations += end.evaluations;
            if end.objective < best.objective {
                best = end;
            }
        }
        let mut refined = minimise(&likelihood, &best.point, FINE);
        if let Some(start) = pulled_back(&refined.point) {
            let again = minimise(&likelihood, &start, FINE);
            evaluations += again.evaluations;
            if again.objective < refined.objective - FINE.tolerance {
                refined = Minimum { evaluations: refined.evaluations, ..again };
            }
        }
        refined.evaluations += evaluations;
        refined
    }

    fn is_same(&self, a: &Minimum, b: &Minimum) -> bool {
        let partials = a.point.iter().zip(&b.point).take(self.order.coefficients());
        partials.fold(0.0, |most: f64, (x, y)| most.max((libm::tanh(*x) - libm::tanh(*y)).abs())) < SAME
    }

    /// Where the data themselves say that a search begins.
    fn guess(&mut self) -> Vector {
        let likelihood = Likelihood {
            values: self.series.values(),
            order: self.order,
            method: Method::Css,
            settles_at: CONVERGED,
        };
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
        let ar = inside(step_up(&partial[..p]), p);
        let ma = inside(step_up(&partial[p..k]), self.order.q).map(|theta| -theta);
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
            loglik: log_likelihood(count, sigma2, value.log_variances) - count as f64 * libm::log(scale),
            count,
            converged: found.converged,
            flags: FitFlags::of(&ar[..p], &ma[..self.order.q], count),
            evaluations: found.evaluations,
        }
    }
}

/// The point with every parameter that lies on flat ground brought back to its edge; `None` if none does.
fn pulled_back(point: &Vector) -> Option<Vector> {
    let on_flat_ground = point.iter().any(|free| free.abs() > FLAT);
    on_flat_ground.then(|| {
        point.map(|free| if free.abs() > FLAT { free.clamp(-0.75 * FLAT, 0.75 * FLAT) } else { free })
    })
}

/// The coefficients, brought inside the region if rounding put them on its border.
fn inside(mut coefficients: [f64; MAX_ORDER], count: usize) -> [f64; MAX_ORDER] {
    let mut shrink: f64 = 1e-12;
    while !is_well_inside(&coefficients[..count]) && shrink < 0.1 {
        for (i, coefficient) in coefficients.iter_mut().enumerate() {
            *coefficient *= powi(1.0 - shrink, i as i32 + 1);
        }
        shrink *= 4.0;
    }
    coefficients
}

/// Returns whether the coefficients are stationary with either way of rounding.
fn is_well_inside(coefficients: &[f64]) -> bool {
    ar_is_stationary(coefficients)
        && step_down(coefficients).is_some_and(|partial| partial.iter().all(|r| r.abs() < 1.0 - 1e-12))
}
