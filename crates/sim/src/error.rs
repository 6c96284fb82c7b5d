//! What is wrong with a scenario, in the three parts that a user needs.

use std::fmt;

/// A scenario that cannot be run: the field, its value, and what was expected instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// Path of the field, as in `flows[2].destination`.
    pub path: String,
    /// The value found there.
    pub value: String,
    /// The right values, in words.
    pub expected: String,
}

impl ScenarioError {
    /// An error at `path`.
    pub fn new(path: impl Into<String>, value: impl fmt::Display, expected: impl Into<String>) -> Self {
        ScenarioError { path: path.into(), value: value.to_string(), expected: expected.into() }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: got {}, expected {}", self.path, self.value, self.expected)
    }
}

impl std::error::Error for ScenarioError {}
