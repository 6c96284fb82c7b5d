//! Place of a value in a scenario. It is put into words only when something is wrong with the value: most
//! scenarios have a million fields and no mistake.

use std::fmt;

use super::Checked;
use crate::error::ScenarioError;

/// The path of a field, as in `flows[2].transport.min_rto`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Field(&'a str),
    Item(usize),
}

impl<'a> Place<'a> {
    /// A field of the scenario itself.
    pub fn of(field: &'a str) -> Self {
        Place { parent: None, step: Step::Field(field) }
    }

    /// A field of what stands here.
    pub fn field(&'a self, name: &'a str) -> Self {
        Place { parent: Some(self), step: Step::Field(name) }
    }

    /// An item of the list that stands here.
    pub fn item(&'a self, index: usize) -> Self {
        Place { parent: Some(self), step: Step::Item(index) }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Field(name) if self.parent.is_none() => f.write_str(name),
            Step::Field(name) => write!(f, ".{name}"),
            Step::Item(index) => write!(f, "[{index}]"),
        }
    }
}

impl From<&Place<'_>> for String {
    fn from(place: &Place<'_>) -> String {
        place.to_string()
    }
}

/// A name as messages show it.
pub(super) fn quoted(name: &str) -> String {
    format!("{name:?}")
}

/// Refuses a field of what stands at a place.
pub(super) fn error<T>(
    place: &Place<'_>,
    field: &str,
    value: impl ToString,
    expected: impl Into<String>,
) -> Checked<T> {
    Err(ScenarioError::new(format!("{place}.{field}"), value.to_string(), expected.into()))
}
