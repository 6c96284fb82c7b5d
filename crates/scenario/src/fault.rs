//! Faults of a scenario: the field, its value, and what was expected instead.

use std::fmt;

/// A fault of a scenario, in the three parts that a user needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path of the field, as in `flows[2].destination`; empty for the scenario as a whole.
    pub path: String,
    /// The value found there, as text.
    pub value: String,
    /// The right values, in words.
    pub expected: String,
    /// Line of the file, from 1, where it is known.
    pub line: Option<usize>,
    pub(crate) syntax: bool,
}

impl Fault {
    /// A fault at a path.
    pub fn new(path: impl Into<String>, value: impl fmt::Display, expected: impl Into<String>) -> Self {
        let (path, value, expected) = (path.into(), value.to_string(), expected.into());
        Fault { path, value, expected, line: None, syntax: false }
    }

    /// A text that cannot be read at all: neither TOML nor JSON.
    pub(crate) fn of_syntax(value: String, expected: &str, line: Option<usize>) -> Self {
        Fault { line, syntax: true, ..Fault::new("", value, expected) }
    }

    /// True for a text that cannot be read at all, false for a scenario with a fault.
    pub fn is_syntax(&self) -> bool {
        self.syntax
    }

    /// Moves the fault to within a table or list at `place`.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.path = joined(place, &self.path);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "got {}, expected {}", self.value, self.expected)
    }
}

impl std::error::Error for Fault {}

/// Everything that is wrong with a scenario, one fault at least, in the order of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// All faults.
    pub fn all(&self) -> &[Fault] {
        &self.0
    }

    /// The first fault.
    pub fn first(&self) -> &Fault {
        &self.0[0]
    }

    /// Changes each fault.
    pub(crate) fn map(self, change: impl FnMut(Fault) -> Fault) -> Self {
        Faults(self.0.into_iter().map(change).collect())
    }

    /// Several faults; `Ok` if there are none.
    pub(crate) fn check(faults: Vec<Fault>) -> Result<(), Self> {
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Faults(faults))
        }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Faults(vec![fault])
    }
}

impl fmt::Display for Faults {
    /// The first fault, and how many more there are, in a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first().fmt(f)?;
        match self.0.len() - 1 {
            0 => Ok(()),
            more => write!(f, " (and {more} more)"),
        }
    }
}

impl std::error::Error for Faults {}

/// Two parts of a path: `links[0]` and `rate`, or `arrivals` and `[3]`.
pub(crate) fn joined(first: &str, second: &str) -> String {
    if first.is_empty() || second.is_empty() || second.starts_with('[') {
        format!("{first}{second}")
    } else {
        format!("{first}.{second}")
    }
}
