//! The series that a model is fitted to: checked, differenced, centred if it has a mean, and scaled to a mean square of 1, so
//! that no search depends on units.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

use super::Order;
use crate::error::ConfigError;
use crate::math::sqrt;

/// Greatest size of a sample; squares of greater ones overflow.
const LARGEST: f64 = 1e100;

/// Least root mean square of a series that varies.
const LEAST: f64 = 1e-100;

/// A series that cannot be fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FitError {
    /// Fewer samples than [`Order::least_samples`].
    TooFew {
        /// Number found.
        samples: usize,
        /// The order that was asked for.
        order: Order,
    },
    /// More samples than the fitter has room for.
    TooMany {
        /// Number found.
        samples: usize,
        /// Largest number allowed.
        longest: usize,
    },
    /// A sample is NaN, infinite, or greater than 1e100 in size.
    NotFinite {
        /// Its place.
        index: usize,
        /// The sample.
        value: f64,
    },
    /// The series does not vary, or not beyond rounding, once it has been differenced.
    Constant,
}

impl FitError {
    /// Text of the value that was found, and of the expected one.
    pub fn parts(&self) -> (String, String) {
        match *self {
            FitError::TooFew { samples, order } => {
                (format!("{samples} samples"), format!("at least {} to fit {order}", order.least_samples()))
            }
            FitError::TooMany { samples, longest } => {
                (format!("{samples} samples"), format!("at most {longest}"))
            }
            FitError::NotFinite { value, .. } => {
                (value.to_string(), "a finite number of at most 1e100 in size".to_owned())
            }
            FitError::Constant => {
                ("a constant series".to_owned(), "one that varies, once it has been differenced".to_owned())
            }
        }
    }

    /// The place in a series of this name.
    pub fn place(&self, name: &str) -> String {
        match self {
            FitError::NotFinite { index, .. } => format!("{name}[{index}]"),
            _ => name.to_owned(),
        }
    }
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, expected) = self.parts();
        write!(f, "{}: got {value}, expected {expected}", self.place("series"))
    }
}

impl core::error::Error for FitError {}

/// A series that was differenced d times.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Difference {
    order: Order,
    /// Most samples of a series. A copy of `values` need not have the room.
    longest: usize,
    values: Vec<f64>,
    centre: f64,
    scale: f64,
}

impl Difference {
    /// With room for `longest` samples.
    pub fn new(order: Order, longest: usize) -> Self {
        Difference { order, longest, values: Vec::with_capacity(longest), centre: 0.0, scale: 1.0 }
    }

    /// The values that a model is fitted to.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Value subtracted from all.
    pub fn centre(&self) -> f64 {
        self.centre
    }

    /// Value by which all were divided.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Takes a series in place of the one before.
    pub fn take(&mut self, xs: &[f64]) -> Result<(), FitError> {
        self.values.clear();
        check(xs, self.order, self.longest)?;
        self.values.extend_from_slice(xs);
        for _ in 0..self.order.d {
            for t in 1..self.values.len() {
                self.values[t - 1] = self.values[t] - self.values[t - 1];
            }
            self.values.pop();
        }
        let n = self.values.len() as f64;
        // Twice, because the first mean of large numbers is rounded.
        self.centre = 0.0;
        for _ in 0..if self.order.has_mean() { 2 } else { 0 } {
            let mean = self.values.iter().sum::<f64>() / n;
            self.values.iter_mut().for_each(|value| *value -= mean);
            self.centre += mean;
        }
        self.scale = sqrt(self.values.iter().map(|value| value * value).sum::<f64>() / n);
        let largest = xs.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let rounding = 4.0 * f64::EPSILON * largest * f64::from(1 << self.order.d);
        if self.scale <= rounding.max(LEAST) {
            return Err(FitError::Constant);
        }
        self.values.iter_mut().for_each(|value| *value /= self.scale);
        Ok(())
    }
}

fn check(xs: &[f64], order: Order, longest: usize) -> Result<(), FitError> {
    if xs.len() < order.least_samples() {
        return Err(FitError::TooFew { samples: xs.len(), order });
    }
    if xs.len() > longest {
        return Err(FitError::TooMany { samples: xs.len(), longest });
    }
    match xs.iter().position(|x| x.is_nan() || x.abs() > LARGEST) {
        Some(index) => Err(FitError::NotFinite { index, value: xs[index] }),
        None => Ok(()),
    }
}

impl From<FitError> for ConfigError {
    fn from(error: FitError) -> Self {
        ConfigError::new("series", error.parts().0, "a finite series that varies and is long enough")
    }
}
