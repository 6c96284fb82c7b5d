//! Results of a fit, as a plain value.

use core::f64::consts::PI;

use super::fit_flags::FitFlags;
use super::likelihood::Method;
use super::{Coefficients, Order, MAX_ORDER};

/// The model that a fit found, and how well it fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSummary {
    /// p, d and q.
    pub order: Order,
    /// Method of the fit.
    pub method: Method,
    pub(super) ar: [f64; MAX_ORDER],
    pub(super) ma: [f64; MAX_ORDER],
    /// Mean of the series; 0 if it is differenced.
    pub mean: f64,
    /// Variance of the noise: the mean square of the innovations over their relative variances.
    pub sigma2: f64,
    /// Logarithm of the likelihood: the exact one, or after [`Method::Css`] that of the values after the first p,
    /// conditionally on these.
    pub loglik: f64,
    /// Number of values in the likelihood: n - d, less p after [`Method::Css`].
    pub count: usize,
    /// True if no further step would gain anything.
    pub converged: bool,
    /// Warnings about the coefficients.
    pub flags: FitFlags,
    /// Number of evaluations of the likelihood or its gradient.
    pub evaluations: u32,
}

impl FitSummary {
    /// phi, p of them.
    pub fn ar(&self) -> &[f64] {
        &self.ar[..self.order.p]
    }

    /// theta, q of them.
    pub fn ma(&self) -> &[f64] {
        &self.ma[..self.order.q]
    }

    /// The model as a value of its own.
    pub fn coefficients(&self) -> Coefficients {
        let mut model = Coefficients::default();
        self.write_to(&mut model);
        model
    }

    /// Puts the model into one that is there, without allocating if that has room for [`MAX_ORDER`] coefficients.
    pub fn write_to(&self, model: &mut Coefficients) {
        model.ar.clear();
        model.ar.extend_from_slice(self.ar());
        model.ma.clear();
        model.ma.extend_from_slice(self.ma());
        model.d = self.order.d;
        model.mean = self.mean;
    }

    /// Akaike's criterion from the likelihood (Akaike 1974): `2k - 2L`.
    pub fn aic(&self) -> f64 {
        2.0 * self.order.parameters() as f64 - 2.0 * self.loglik
    }

    /// AIC, corrected for few samples (Hurvich and Tsai 1989).
    pub fn aicc(&self) -> f64 {
        let (k, n) = (self.order.parameters() as f64, self.count as f64);
        self.aic() + 2.0 * k * (k + 1.0) / (n - k - 1.0)
    }

    /// Schwarz's criterion (1978): `k ln n - 2L`.
    pub fn bic(&self) -> f64 {
        self.order.parameters() as f64 * libm::log(self.count as f64) - 2.0 * self.loglik
    }

    /// Akaike's criterion as Jeyasekar et al. 2014 have it, eq. 14: `ln sigma2 + 2 (p + q) / n`.
    pub fn aic_of_variance(&self) -> f64 {
        libm::log(self.sigma2) + 2.0 * self.share()
    }

    /// Final prediction error (Akaike 1969; Jeyasekar et al. 2014, eq. 15, with p + q in both places):
    /// `sigma2 (1 + k/n) / (1 - k/n)`, k = p + q.
    pub fn fpe(&self) -> f64 {
        self.sigma2 * (1.0 + self.share()) / (1.0 - self.share())
    }

    fn share(&self) -> f64 {
        self.order.coefficients() as f64 / self.count as f64
    }
}

/// The logarithm of a Gaussian likelihood at its best variance, in the units of the series.
pub fn log_likelihood(count: usize, sigma2: f64, log_variances: f64) -> f64 {
    -0.5 * (count as f64 * (libm::log(2.0 * PI * sigma2) + 1.0) + log_variances)
}
