//! Parameters of controls, and their check.

use std::borrow::Cow;

use parshall_estimators::ConfigError;

/// The parameters of a control.
pub trait Parameters {
    /// Whether they make sense.
    ///
    /// # Errors
    /// The first that does not.
    fn check(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// Whether it goes by round-trip times. It is then told when the last packet was sent that an ACK answers, which costs
    /// a note of each packet in flight.
    fn timed(&self) -> bool {
        false
    }

    /// Whether receivers report marks packet by packet (RFC 8257, section 3.2).
    fn exact_echo(&self) -> bool {
        false
    }

    /// Whether it cannot do without marks.
    fn needs_marks(&self) -> bool {
        false
    }
}

/// Why a parameter of a control cannot be as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidParameter {
    /// Which: a field, or its path.
    pub field: Cow<'static, str>,
    /// What it is, as text.
    pub value: String,
    /// What it should be.
    pub expected: &'static str,
}

impl InvalidParameter {
    /// What is wrong with an estimator that stands in a field.
    pub(crate) fn within(field: &'static str, error: ConfigError) -> Self {
        let field = format!("{field}.{}", error.field).into();
        InvalidParameter { field, value: error.value, expected: error.expected }
    }
}

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
