//! ARIMA(p,d,q): `phi(B) (1-B)^d (x - mean) = theta(B) e` with `phi(B) = 1 - ar1 B - ...` and
//! `theta(B) = 1 + ma1 B + ...`, the signs of R, of statsmodels and of Jeyasekar et al. 2014, eq. 10. Box and Jenkins
//! print theta with the opposite sign.

mod coefficients;
mod stability;

pub use coefficients::{Coefficients, MAX_DIFFERENCES, MAX_ORDER};
pub use stability::{ar_is_stationary, ma_is_invertible};
