//! Parameters of controls, and their check.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use parshall_estimators::ConfigError;

/// The parameters of a control: each control has a type `Config` that implements this.
pub trait Parameters {
    /// Checks that each is in its range, without which a control may panic or never move its window.
    ///
    /// # Errors
    /// The first that is not.
    fn check(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// Tells if the control goes by round-trip times. [`AckSample::sent`](crate::AckSample::sent) is then the time of the last
    /// packet that an ACK answers, which costs a note of each packet in flight.
    fn timed(&self) -> bool {
        false
    }

    /// Tells if receivers have to report marks packet by packet (RFC 8257, section 3.2).
    fn exact_echo(&self) -> bool {
        false
    }

    /// Tells if the control cannot do without marks.
    fn needs_marks(&self) -> bool {
        false
    }
}

/// The error of a parameter outside of its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidParameter {
    /// Name of the field of `Config`, or its path.
    pub field: Cow<'static, str>,
    /// Its value, as text.
    pub value: String,
    /// The values that it may have.
    pub expected: &'static str,
}

impl InvalidParameter {
    /// The error of an estimator that stands in a field.
    pub(crate) fn within(field: &'static str, error: ConfigError) -> Self {
        let field = format!("{field}.{}", error.field).into();
        InvalidParameter { field, value: error.value, expected: error.expected }
    }
}

impl fmt::Display for InvalidParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: got {}, expected {}", self.field, self.value, self.expected)
    }
}

impl Error for InvalidParameter {}

/// Refuses a parameter for which `holds` is false.
pub(crate) fn require(
    field: &'static str,
    value: f64,
    holds: bool,
    expected: &'static str,
) -> Result<(), InvalidParameter> {
    if holds {
        Ok(())
    } else {
        Err(InvalidParameter { field: field.into(), value: value.to_string(), expected })
    }
}

pub(crate) fn positive(field: &'static str, value: f64) -> Result<(), InvalidParameter> {
    require(field, value, value > 0.0 && value.is_finite(), "a number above 0")
}

pub(crate) fn not_negative(field: &'static str, value: f64) -> Result<(), InvalidParameter> {
    require(field, value, value >= 0.0 && value.is_finite(), "a number, 0 or more")
}
