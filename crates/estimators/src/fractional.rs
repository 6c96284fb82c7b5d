//! Predictors of series with long memory whose weights follow from the Hurst parameter H alone.
//!
//! | function | best for | source |
//! |---|---|---|
//! | [`fbm_weights`] | the increments of fractional Brownian motion, nearly | Gripenberg and Norros 1996, theorem 3.1 |
//! | [`farima_weights`] | FARIMA(0, H - 1/2, 0), exactly | Hosking 1981, theorem 1 |
//!
//! Both weigh deviations from the mean, the newest first.

mod gripenberg_norros;
mod hosking;
mod quadrature;

pub use gripenberg_norros::fbm_weights;
pub use hosking::farima_weights;

use crate::error::ConfigError;

/// The Hurst parameter of a stationary series lies between 0 and 1; below 1/2 its values alternate.
pub(crate) fn check_hurst(h: f64) -> Result<(), ConfigError> {
    ConfigError::unless(h > 0.0 && h < 1.0, "h", h, "a number above 0 and below 1")
}

/// Autocovariance of fractional Gaussian noise of variance 1 at lag `k`.
pub fn fgn_autocovariance(h: f64, k: u32) -> f64 {
    let k = f64::from(k);
    let power = |x: f64| libm::pow(x.abs(), 2.0 * h);
    0.5 * (power(k + 1.0) - 2.0 * power(k) + power(k - 1.0))
}
