//! Error of a configuration: the field, its value, and the expected values.

use alloc::string::String;
use alloc::string::ToString;
use core::fmt;

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Name of the field, as in [`crate::rto::RtoConfig`].
    pub field: &'static str,
    /// Its value, as text.
    pub value: String,
    /// Expected values, in words.
    pub expected: &'static str,
}

impl ConfigError {
    /// An error about `field`, which holds `value`.
    pub fn new(field: &'static str, value: impl fmt::Display, expected: &'static str) -> Self {
        ConfigError { field, value: value.to_string(), expected }
    }

    /// `Ok` if `holds`, else an error about `field`.
    pub(crate) fn unless(
        holds: bool,
        field: &'static str,
        value: impl fmt::Display,
        expected: &'static str,
    ) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(ConfigError::new(field, value, expected))
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: got {}, expected {}", self.field, self.value, self.expected)
    }
}

impl core::error::Error for ConfigError {}
