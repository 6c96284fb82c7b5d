//! The series that is looked at: checked, centred and scaled, so that no estimate depends on units.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

/// A series that H cannot be estimated from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SeriesError {
    /// Fewer samples than the method needs.
    TooFew {
        /// Number found.
        samples: usize,
        /// Number that the method needs.
        least: usize,
    },
    /// More samples than the estimator has room for.
    TooMany {
        /// Number found.
        samples: usize,
        /// Largest number allowed.
        longest: usize,
    },
    /// A sample is NaN or infinite.
    NotFinite {
        /// Its place.
        index: usize,
        /// The sample.
        value: f64,
    },
    /// The series, or all of it that the method looks at, does not vary beyond rounding.
    Constant,
}

impl SeriesError {
    /// Text of the value that was found, and of the expected one.
    pub fn parts(&self) -> (String, String) {
        match *self {
            SeriesError::TooFew { samples, least } => {
                (format!("{samples} samples"), format!("at least {least}"))
            }
            SeriesError::TooMany { samples, longest } => {
                (format!("{samples} samples"), format!("at most {longest}"))
            }
            SeriesError::NotFinite { value, .. } => (value.to_string(), "a finite number".to_owned()),
            SeriesError::Constant => ("a constant series".to_owned(), "one that varies".to_owned()),
        }
    }

    /// The place in a series of this name.
    pub fn place(&self, name: &str) -> String {
        match self {
            SeriesError::NotFinite { index, .. } => format!("{name}[{index}]"),
            _ => name.to_owned(),
        }
    }
}

impl fmt::Display for SeriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, expected) = self.parts();
        write!(f, "{}: got {value}, expected {expected}", self.place("series"))
    }
}

impl core::error::Error for SeriesError {}

/// Room for a series, which is kept with mean 0 and greatest deviation 1.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Series {
    values: Vec<f64>,
    longest: usize,
}

impl Series {
    /// For series of at most `longest` samples.
    pub(super) fn new(longest: usize) -> Self {
        Series { values: Vec::with_capacity(longest), longest }
    }

    /// Takes in a series that is given in two parts, the older samples first.
    pub(super) fn take(&mut self, parts: [&[f64]; 2], least: usize) -> Result<&[f64], SeriesError> {
        let samples = parts[0].len() + parts[1].len();
        if samples < least {
            return Err(SeriesError::TooFew { samples, least });
        }
        if samples > self.longest {
            return Err(SeriesError::TooMany { samples, longest: self.longest });
        }
        self.values.clear();
        parts.iter().for_each(|part| self.values.extend_from_slice(part));
        if let Some(index) = self.values.iter().position(|x| !x.is_finite()) {
            return Err(SeriesError::NotFinite { index, value: self.values[index] });
        }
        self.standardise()?;
        Ok(&self.values)
    }

    /// Removes the mean, twice because the first one is rounded, and scales.
    fn standardise(&mut self) -> Result<(), SeriesError> {
        let rounding = 64.0 * f64::EPSILON;
        for allowed in [0.0, rounding] {
            let largest = self.values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            if largest <= allowed {
                return Err(SeriesError::Constant);
            }
            self.values.iter_mut().for_each(|x| *x /= largest);
            let mean = self.values.iter().sum::<f64>() / self.values.len() as f64;
            let spread = self.values.iter().fold(0.0_f64, |most, x| most.max((x - mean).abs()));
            if spread <= rounding {
                return Err(SeriesError::Constant);
            }
            self.values.iter_mut().for_each(|x| *x = (*x - mean) / spread);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(xs: &[f64]) -> Result<Vec<f64>, SeriesError> {
        Series::new(8).take([xs, &[]], 2).map(<[f64]>::to_vec)
    }

    #[test]
    fn is_centred_and_scaled_whatever_the_units() {
        for scale in [1e-300, 1e-3, 1.0, 1e300] {
            let got = taken(&[2.0 * scale, 4.0 * scale, 6.0 * scale]).unwrap();
            for (x, expected) in got.iter().zip([-1.0, 0.0, 1.0]) {
                assert!((x - expected).abs() < 1e-14, "{got:?}");
            }
        }
        assert_eq!(Series::new(8).take([&[0.0], &[1.0]], 2).unwrap(), [-1.0, 1.0]);
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(taken(&[1.0]), Err(SeriesError::TooFew { samples: 1, least: 2 }));
        assert_eq!(taken(&[1.0; 9]), Err(SeriesError::TooMany { samples: 9, longest: 8 }));
        assert_eq!(taken(&[0.1; 7]), Err(SeriesError::Constant));
        assert_eq!(taken(&[0.0; 7]), Err(SeriesError::Constant));
        assert_eq!(taken(&[0.1 + 0.2, 0.3, 0.3]), Err(SeriesError::Constant));
        let error = taken(&[1.0, f64::INFINITY]).unwrap_err();
        assert_eq!(error.to_string(), "series[1]: got inf, expected a finite number");
    }
}
