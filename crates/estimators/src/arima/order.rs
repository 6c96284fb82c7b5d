//! The order of a model, and how many samples it takes to fit it.

use core::fmt;

use super::{MAX_DIFFERENCES, MAX_ORDER};
use crate::error::ConfigError;

/// The order of an ARIMA(p,d,q).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Order {
    /// Number of coefficients phi, 0 to 5.
    pub p: usize,
    /// Number of times that the series is differenced, 0 to 2.
    pub d: u32,
    /// Number of coefficients theta, 0 to 5.
    pub q: usize,
}

impl Order {
    /// ARIMA(p,d,q).
    pub fn new(p: usize, d: u32, q: usize) -> Self {
        Order { p, d, q }
    }

    /// Checks that each is in its range.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::unless(self.p <= MAX_ORDER, "p", self.p, "a whole number from 0 to 5")?;
        ConfigError::unless(self.d <= MAX_DIFFERENCES, "d", self.d, "a whole number from 0 to 2")?;
        ConfigError::unless(self.q <= MAX_ORDER, "q", self.q, "a whole number from 0 to 5")
    }

    /// Returns whether a mean is estimated: only of a series that is not differenced.
    pub fn has_mean(&self) -> bool {
        self.d == 0
    }

    /// p + q.
    pub fn coefficients(&self) -> usize {
        self.p + self.q
    }

    /// Elements of the state of a filter: max(p, q + 1).
    pub(crate) fn states(&self) -> usize {
        self.p.max(self.q + 1)
    }

    /// Number of parameters for AIC and BIC: coefficients, the mean if there is one, and the variance.
    pub fn parameters(&self) -> usize {
        self.coefficients() + usize::from(self.has_mean()) + 1
    }

    /// The least number of samples that a fit takes: three values a parameter and three more, after differencing.
    pub fn least_samples(&self) -> usize {
        3 * (self.coefficients() + 2) + self.d as usize
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ARIMA({},{},{})", self.p, self.d, self.q)
    }
}
