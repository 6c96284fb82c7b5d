//! ARIMA(p,d,q): `phi(B) (1-B)^d (x - mean) = theta(B) e` with `phi(B) = 1 - ar1 B - ...` and
//! `theta(B) = 1 + ma1 B + ...`, the signs of R, of statsmodels and of Jeyasekar et al. 2014, eq. 10. Box and Jenkins
//! print theta with the opposite sign.
//!
//! [`Fitter`] finds the coefficients, by least conditional squares or by greatest exact likelihood.

mod assess;
mod coefficients;
mod fit;
mod fit_flags;
pub(crate) mod innovations;
mod likelihood;
mod linear;
mod minimise;
mod order;
mod partial;
mod scalar;
mod series;
mod stability;
mod starts;
mod summary;

pub use assess::StandardErrors;
pub use coefficients::{Coefficients, MAX_DIFFERENCES, MAX_ORDER};
pub use fit::Fitter;
pub use fit_flags::FitFlags;
pub use likelihood::Method;
pub use order::Order;
#[cfg(test)]
pub(crate) use partial::step_up;
pub use series::FitError;
pub use stability::{ar_is_stationary, ma_is_invertible};
pub use summary::FitSummary;

/// The partial autocorrelations of an autoregression with these coefficients, in the first places; `None` if it is not
/// stationary.
pub fn partial_autocorrelations(ar: &[f64]) -> Option<[f64; MAX_ORDER]> {
    if ar.len() > MAX_ORDER {
        return None;
    }
    partial::step_down(ar)
}
